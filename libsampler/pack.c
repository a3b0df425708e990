/* SPDX-License-Identifier: MIT */
/*
 * pack.c - deflates what it is given and appends it to the stream.
 *
 * Room: signal. In: records. Out: the file. zlib allocates only through `take`, from the arena.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#include "arena.h"
#include "format.h"
#include "pack.h"
#include "sys.h"
#include "poison.h"

/* Level 6 takes about twice the time of level 1 and a fifth off the size; a buffer is deflated
 * once in thousands of samples. */
#define LEVEL 6

static atomic_flag lock = ATOMIC_FLAG_INIT;
static z_stream z;
static const char *file_path;
static uint8_t out[16384];

bool cps_pack_try(void)
{
	return !atomic_flag_test_and_set_explicit(&lock, memory_order_acquire);
}

void cps_pack_release(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

static voidpf take(voidpf opaque, uInt n, uInt size)
{
	(void)opaque;
	return cps_arena_take((size_t)n * size);
}

static void give(voidpf opaque, voidpf address)
{
	(void)opaque;
	(void)address;
}

static uint64_t file_bytes;

static int write_all(int fd, const uint8_t *bytes, size_t n)
{
	if (cps_sys_too_big(file_bytes + n))
		return -EFBIG;
	while (n) {
		long written = cps_sys_write(fd, bytes, n);

		if (written == -EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? (int)written : -ENOSPC;
		bytes += written;
		file_bytes += (uint64_t)written;
		n -= (size_t)written;
	}
	return 0;
}

int cps_pack_create(const char *path)
{
	static const uint8_t head[CPS_HEAD_BYTES] = CPS_MAGIC "\1";
	int fd, error;

	z.zalloc = take;
	z.zfree = give;
	if (!z.state && deflateInit(&z, LEVEL) != Z_OK)
		return -ENOMEM;
	fd = cps_sys_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return fd;
	error = write_all(fd, head, sizeof(head));
	cps_sys_close(fd);
	if (error)
		cps_sys_unlink(path);
	else
		file_path = path;
	return error;
}

int cps_pack_append(const uint8_t *bytes, size_t n, enum cps_pack_end end)
{
	int fd = cps_sys_open(file_path, O_WRONLY | O_APPEND, 0), error = 0;

	if (fd < 0)
		return fd;
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)n;
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		deflate(&z, end == CPS_PACK_FINISH ? Z_FINISH : Z_SYNC_FLUSH);
		error = write_all(fd, out, sizeof(out) - z.avail_out);
	} while (!error && z.avail_out == 0);
	cps_sys_close(fd);
	return error;
}

uint64_t cps_pack_bytes(void)
{
	return z.total_in;
}
