/* SPDX-License-Identifier: MIT */
/*
 * jit.c - copies a just-in-time compiler's names into the stream.
 *
 * In: /tmp/perf-PID.map. Out: records.
 */
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/descriptor.h"
#include "base/sys.h"
#include "format.h"
#include "stream/batch.h"
#include "stream/jit.h"
#include "stream/pack.h"
#include "stream/record.h"
#include "base/poison.h"

#define PIECE_BYTES (32u << 10)
#define PIECES_MAX  8192u /* 256 MiB */

static void compose(char *path, unsigned pid)
{
	static const char before[] = "/tmp/perf-", behind[] = ".map";
	char digits[24];
	const char *p = cps_digits(digits + sizeof(digits), pid);
	size_t n = strlen(p);

	memcpy(path, before, sizeof(before) - 1);
	memcpy(path + sizeof(before) - 1, p, n);
	memcpy(path + sizeof(before) - 1 + n, behind, sizeof(behind));
}

/* Opens the map only if it is a plain file of the same user, because anybody may write to /tmp. */
static int open_map(void)
{
	struct stat st;
	char path[64];
	int fd;

	compose(path, (unsigned)cps_sys_getpid());
	fd = cps_descriptor_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	if (CPS_SYS(fstat, fd, &st, 0, 0) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == (uid_t)CPS_SYS(geteuid, 0, 0, 0, 0))
		return fd;
	cps_sys_close(fd);
	return -1;
}

static void copy(int fd, uint8_t *piece)
{
	for (unsigned i = 0; i < PIECES_MAX; i++) {
		uint8_t head[32], checksum[4];
		struct cps_writer w = {head, head + sizeof(head), false};
		long n = cps_sys_read(fd, piece, PIECE_BYTES);

		if (n <= 0)
			return;
		cps_record_around(&w, checksum, CPS_TAG_JIT, piece, (size_t)n);
		if (cps_pack_append_pieces((struct cps_piece[]){{head, (size_t)(w.p - head)},
								{piece, (size_t)n},
								{checksum, sizeof(checksum)}},
					   3) != 0)
			return;
	}
}

void cps_jit_keep(void)
{
	uint8_t *bytes;
	int fd;

	if (!cps_batch_saw_generated() || cps_pack_error())
		return;
	fd = open_map();
	if (fd < 0)
		return;
	bytes = cps_arena_pages(PIECE_BYTES);
	if (bytes && cps_pack_wait()) {
		copy(fd, bytes);
		cps_pack_release();
	}
	cps_arena_unmap(bytes, PIECE_BYTES);
	cps_sys_close(fd);
}
