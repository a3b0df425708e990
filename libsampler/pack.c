/* SPDX-License-Identifier: MIT */
/*
 * pack.c - deflates what it is given and appends it to the stream.
 *
 * Room: signal. In: records. Out: the file. zlib allocates only through `take`, from a pool that a child
 * uses again.
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
#define LEVEL	     6
#define POOL_BYTES   (320u << 10) /* deflate takes 268 KiB at this level */
#define PATIENCE     2000	  /* yields for a handler in another thread to finish */
#define FINISH_BYTES 1000u
#define FINISH_FRAME 9u /* of a stored block, and the checksum */

static atomic_flag lock = ATOMIC_FLAG_INIT;
static z_stream z;
static const char *file_path;
static uint8_t out[16384];
static uint8_t *pool;
static size_t pool_used;

static uint64_t file_bytes, limit_bytes;
static uint32_t checksum; /* of all that the file has, deflated */
static uint64_t before_finish;
static _Atomic int dead; /* 0 or -errno */

bool cps_pack_try(void)
{
	return !atomic_flag_test_and_set_explicit(&lock, memory_order_acquire);
}

bool cps_pack_wait(void)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (cps_pack_try())
			return true;
		CPS_SYS(sched_yield, 0, 0, 0, 0);
	}
	return false;
}

void cps_pack_release(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

static voidpf take(voidpf opaque, uInt n, uInt size)
{
	size_t bytes = ((size_t)n * size + 15) & ~(size_t)15;
	uint8_t *got = pool + pool_used;

	(void)opaque;
	if (bytes > POOL_BYTES - pool_used)
		return cps_arena_take(bytes);
	pool_used += bytes;
	return got;
}

static void give(voidpf opaque, voidpf address)
{
	(void)opaque;
	(void)address;
}

static bool begin_deflating(void)
{
	if (!pool)
		pool = cps_arena_pages(POOL_BYTES);
	if (!pool)
		return false;
	pool_used = 0;
	z = (z_stream){.zalloc = take, .zfree = give};
	return deflateInit(&z, LEVEL) == Z_OK;
}

static int write_all(int fd, const uint8_t *bytes, size_t n, size_t to_be_kept_free)
{
	if (cps_sys_too_big(file_bytes + n))
		return -EFBIG;
	if (limit_bytes && file_bytes + n + to_be_kept_free > limit_bytes)
		return -EDQUOT;
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

int cps_pack_create(const char *path, uint64_t limit)
{
	static const uint8_t head[CPS_HEAD_BYTES] = CPS_MAGIC "\1";
	int fd, error;

	if (dead)
		return dead;
	if (!begin_deflating())
		return -ENOMEM;
	fd = cps_sys_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return fd;
	limit_bytes = limit;
	error = write_all(fd, head, sizeof(head), 0);
	cps_sys_close(fd);
	if (error)
		cps_sys_unlink(path);
	else
		file_path = path;
	checksum = (uint32_t)adler32(0, NULL, 0);
	return error;
}

static int cut_to(uint64_t bytes)
{
	file_bytes = bytes;
	return (int)CPS_SYS(truncate, file_path, bytes, 0, 0);
}

static int append(int fd, const uint8_t *bytes, size_t n)
{
	int error = 0;

	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)n;
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		deflate(&z, Z_SYNC_FLUSH);
		error = write_all(fd, out, sizeof(out) - z.avail_out, FINISH_BYTES);
	} while (!error && z.avail_out == 0);
	return error;
}

/* Half of a piece in the file would be garbage to a reader. And zlib's state has gone past it: that is
 * the end of appending. */
int cps_pack_append(const uint8_t *bytes, size_t n)
{
	uint64_t before = file_bytes;
	int fd, error;

	if (dead)
		return dead;
	fd = cps_sys_open(file_path, O_WRONLY | O_APPEND, 0);
	error = fd < 0 ? fd : append(fd, bytes, n);
	if (fd >= 0)
		cps_sys_close(fd);
	if (!error)
		checksum = (uint32_t)adler32(checksum, bytes, (uInt)n);
	else if (fd >= 0)
		cut_to(before);
	dead = error;
	return error;
}

/*
 * The last bytes go into a stored block (RFC 1951, 3.2.4), which stands on its own: deflate's state
 * does not see it, so that it can be taken away again, or written after an error. Then the checksum of it all.
 */
static size_t frame(uint8_t *block, const uint8_t *bytes, size_t n)
{
	uint32_t sum = (uint32_t)adler32(checksum, bytes, (uInt)n);
	const uint8_t head[5] = {1, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)};

	memcpy(block, head, sizeof(head));
	memcpy(block + 5, bytes, n);
	for (int i = 0; i < 4; i++)
		block[5 + n + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
	return n + FINISH_FRAME;
}

int cps_pack_finish(const uint8_t *bytes, size_t n)
{
	uint8_t block[FINISH_BYTES + FINISH_FRAME];
	int fd, error;

	if (!file_path || dead == -EPERM || n > FINISH_BYTES - FINISH_FRAME)
		return -EPERM;
	before_finish = file_bytes;
	fd = cps_sys_open(file_path, O_WRONLY | O_APPEND, 0);
	error = fd < 0 ? fd : write_all(fd, block, frame(block, bytes, n), 0);
	if (fd >= 0)
		cps_sys_close(fd);
	if (error && fd >= 0)
		cut_to(before_finish);
	return error;
}

int cps_pack_unfinish(void)
{
	return cut_to(before_finish);
}

void cps_pack_forbid(void)
{
	dead = -EPERM;
}

int cps_pack_error(void)
{
	return dead;
}

uint64_t cps_pack_bytes(void)
{
	return z.total_in;
}

void cps_pack_reset(void)
{
	file_path = NULL;
	file_bytes = 0;
	dead = dead == -EPERM ? -EPERM : 0;
	cps_pack_release();
}
