/* SPDX-License-Identifier: MIT */
/*
 * deflate_out.c - deflates bytes and appends them to the stream.
 *
 * In: records. Out: the file. zlib allocates only through `take`, from a pool that a child uses
 * again.
 *
 * Order: who has the lock has acquired what the one before has left. The words that others look at without it stand each for itself.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/sys.h"
#include "stream/deflate_out.h"
#include "format.h"
#include "base/poison.h"

/* Level 5 is much faster than 6, and makes hardly more bytes (doc/decisions/0024). A buffer is
 * deflated once in thousands of samples. */
#define LEVEL	    5
#define POOL_BYTES  (320u << 10) /* deflate takes 268 KiB at this level */
#define OUT_BYTES   (80u << 10)	 /* as large as a deflated buffer */
#define RETRY_NS    10000000
#define BLOCK_LEAST 512u
/* Bytes in the file of the least block that is full, and of the largest; in between it is this part of the file
 * (doc/decisions/0101). */
#define BLOCK_FULL  (32u << 10)
#define BLOCK_MOST  (256u << 10)
#define BLOCK_SHARE 8u

#define FINISH_BYTES ((size_t)CPS_PACK_END_MOST)
#define FINISH_FRAME 9u /* bytes of a stored block's frame, with the checksum */

static atomic_flag lock = ATOMIC_FLAG_INIT;
static z_stream z;
static const char *file_path;
static _Atomic int open_fd = -1; /* the file's descriptor, while it is written */
static uint8_t *pool, *out;
static size_t pool_used;

static uint64_t file_bytes, limit_bytes;
static uint64_t block_at, n_blocks; /* where the block at hand begins, and how many are before it */
static uint32_t checksum;	    /* of the bytes in the file, before compression */
static uint64_t before_finish;
static _Atomic int dead; /* 0, CPS_PACK_LIMIT or -errno */
static atomic_bool lacks_descriptor;

bool cps_deflate_out_try(void)
{
	return !atomic_flag_test_and_set_explicit(&lock, memory_order_acquire);
}

bool cps_deflate_out_wait(void)
{
	uint64_t until = 0;

	while (!cps_deflate_out_try())
		if (!cps_sys_patience(&until))
			return false;
	return true;
}

void cps_deflate_out_release(void)
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
		pool = cps_arena_pages(POOL_BYTES + OUT_BYTES);
	if (!pool)
		return false;
	out = pool + POOL_BYTES;
	pool_used = 0;
	z = (z_stream){.zalloc = take, .zfree = give};
	return deflateInit(&z, LEVEL) == Z_OK;
}

/* Opens the file and keeps its descriptor's number, for a child that is made meanwhile. The number
 * is forgotten before it can become another file's. */
static int open_file(int flags)
{
	int fd = cps_descriptor_open(file_path, O_WRONLY | O_NOFOLLOW | flags, 0666);

	if (fd >= 0)
		open_fd = fd;
	return fd;
}

static void close_file(int fd)
{
	open_fd = -1;
	if (fd >= 0)
		cps_sys_close(fd);
}

/* Reserves disk space for the bytes and for the end of the stream: otherwise the disk could be full
 * before the stream has said why it ends. Returns 0 where the file system cannot reserve. */
static int reserve(int fd, size_t n)
{
	long error;

	do
		error = CPS_SYS(fallocate, fd, 1 /* FALLOC_FL_KEEP_SIZE */, file_bytes, n);
	while (error == -EINTR);
	return error == -ENOSPC || error == -EDQUOT ? (int)error : 0;
}

static int write_all(int fd, const uint8_t *bytes, size_t n, size_t to_be_kept_free)
{
	int error;

	if (cps_sys_exceeds_file_limit(file_bytes + n + to_be_kept_free))
		return -EFBIG;
	if (limit_bytes && file_bytes + n + to_be_kept_free > limit_bytes)
		return CPS_PACK_LIMIT;
	error = to_be_kept_free ? reserve(fd, n + to_be_kept_free) : 0;
	if (error)
		return error;
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

int cps_deflate_out_create(const char *path, uint64_t limit, uint8_t version)
{
	uint8_t head[CPS_HEAD_BYTES + 1] = CPS_MAGIC;
	int fd, error;

	head[CPS_MAGIC_BYTES] = version;
	if (!begin_deflating())
		return -ENOMEM;
	file_path = path;
	fd = open_file(O_CREAT | O_EXCL);
	if (fd < 0) {
		file_path = NULL;
		return fd;
	}
	limit_bytes = limit;
	error = write_all(fd, head, CPS_HEAD_BYTES, FINISH_BYTES);
	close_file(fd);
	if (error)
		cps_deflate_out_discard();
	checksum = (uint32_t)adler32(0, NULL, 0);
	block_at = n_blocks = 0;
	return error;
}

void cps_deflate_out_discard(void)
{
	if (file_path)
		cps_sys_unlink(file_path);
	file_path = NULL;
}

static int cut_to(int fd, uint64_t bytes)
{
	int error = (int)CPS_SYS(ftruncate, fd, bytes, 0, 0);

	if (error)
		file_path = NULL; /* its end is broken: nothing may be appended */
	file_bytes = bytes;
	return error;
}

/* Writes the bytes of `out` to the file, which is opened if it is not yet. */
static int write_out(int *fd)
{
	int error;

	if (*fd < 0)
		*fd = open_file(O_APPEND);
	if (*fd < 0)
		return *fd;
	error = write_all(*fd, out, OUT_BYTES - z.avail_out, FINISH_BYTES);
	z.next_out = out;
	z.avail_out = OUT_BYTES;
	return error;
}

static int deflate_piece(const struct cps_piece *piece, int flush, int *fd)
{
	int error = 0;

	z.next_in = (Bytef *)(uintptr_t)piece->bytes;
	z.avail_in = (uInt)piece->n;
	for (;;) {
		deflate(&z, flush);
		if (error || z.avail_out)
			return error;
		error = write_out(fd);
	}
}

/* Each block of deflate has its own table of codes. So a piece that is long enough gets a block of
 * its own; a short one is not worth the table. */
static int append(const struct cps_piece *pieces, size_t n, bool begins_block)
{
	uint64_t before = file_bytes, block = 0;
	int error = 0, fd = -1;

	z.next_out = out;
	z.avail_out = OUT_BYTES;
	if (begins_block) /* all is flushed already, so this makes the mark of a block */
		error = deflate_piece(&(struct cps_piece){out, 0}, Z_FULL_FLUSH, &fd);
	for (size_t i = 0; i < n && !error; i++) {
		int flush = Z_NO_FLUSH;

		block += pieces[i].n;
		if (i + 1 == n)
			flush = Z_SYNC_FLUSH;
		else if (block >= BLOCK_LEAST && pieces[i + 1].n >= BLOCK_LEAST)
			flush = Z_BLOCK;
		if (flush == Z_BLOCK)
			block = 0;
		error = deflate_piece(&pieces[i], flush, &fd);
	}
	if (!error)
		error = write_out(&fd);
	if (error && fd >= 0 && file_bytes != before)
		cut_to(fd, before);
	close_file(fd);
	return error;
}

/* If all descriptors are in use it is better to find out before zlib's state has changed. */
int cps_deflate_out_ready(void)
{
	static uint64_t not_before; /* every sample asks, for each full buffer */
	int error = cps_deflate_out_error(), fd;

	if (error)
		return error;
	if (not_before && cps_sys_clock_ns(CLOCK_MONOTONIC) < not_before)
		return -EBUSY;
	fd = open_file(O_APPEND);
	close_file(fd);
	not_before = 0;
	if (fd == -EMFILE || fd == -ENFILE)
		not_before = cps_sys_clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
	atomic_store_explicit(&lacks_descriptor, not_before != 0, memory_order_relaxed);
	return not_before ? -EBUSY : 0;
}

bool cps_deflate_out_lacks_descriptor(void)
{
	return atomic_load_explicit(&lacks_descriptor, memory_order_relaxed);
}

/* If an append fails, the file is cut to its length before, because half of a piece would be
 * garbage to a reader. zlib's state has gone past the piece, so nothing can be appended any
 * more. */
static int append_checked(const struct cps_piece *pieces, size_t n, bool begins_block)
{
	int error = cps_deflate_out_error();

	if (error)
		return error;
	error = append(pieces, n, begins_block);
	for (size_t i = 0; i < n && !error; i++)
		checksum = (uint32_t)adler32(checksum, pieces[i].bytes, (uInt)pieces[i].n);
	dead = error;
	return error;
}

int cps_deflate_out_append_pieces(const struct cps_piece *pieces, size_t n)
{
	return append_checked(pieces, n, false);
}

uint64_t cps_deflate_out_blocks(void)
{
	return n_blocks;
}

bool cps_deflate_out_block_is_full(void)
{
	uint64_t bytes = file_bytes - block_at;

	return bytes >= BLOCK_MOST || (bytes >= BLOCK_FULL && bytes >= file_bytes / BLOCK_SHARE);
}

int cps_deflate_out_append_block(const uint8_t *bytes, size_t n)
{
	uint64_t at = file_bytes;
	int error = append_checked(&(struct cps_piece){bytes, n}, 1, true);

	if (!error) {
		n_blocks++;
		block_at = at;
	}
	return error;
}

int cps_deflate_out_append(const uint8_t *bytes, size_t n)
{
	return cps_deflate_out_append_pieces(&(struct cps_piece){bytes, n}, 1);
}

/*
 * Makes the last bytes a stored block (RFC 1951, 3.2.4), followed by the checksum of the whole
 * stream. The block is independent of deflate's state, so it can be removed again, and can also be
 * written after an error (doc/decisions/0021).
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

int cps_deflate_out_finish(const uint8_t *bytes, size_t n)
{
	uint8_t block[FINISH_BYTES + FINISH_FRAME];
	int fd, error;

	if (!file_path || n > FINISH_BYTES - FINISH_FRAME)
		return -EPERM;
	before_finish = file_bytes;
	fd = open_file(O_APPEND);
	if (fd < 0)
		return fd;
	error = write_all(fd, block, frame(block, bytes, n), 0);
	cut_to(fd, error ? before_finish : file_bytes); /* and frees reserved space */
	close_file(fd);
	return error;
}

/* A last block that is stored, and as long as it says, is met by chance in one file of 10^9. */
bool cps_deflate_out_has_end(const uint8_t *last, size_t n)
{
	for (size_t stored = 0; stored + FINISH_FRAME <= n; stored++) {
		const uint8_t *b = last + n - FINISH_FRAME - stored;

		if (b[0] == 1 && (b[1] | b[2] << 8) == (int)stored && b[1] + b[3] == 255 &&
		    b[2] + b[4] == 255)
			return true;
	}
	return false;
}

int cps_deflate_out_unfinish(void)
{
	int fd = file_path ? open_file(O_APPEND) : -EPERM, error;

	if (fd < 0)
		return fd;
	error = cut_to(fd, before_finish);
	close_file(fd);
	return error;
}

int cps_deflate_out_error(void)
{
	return dead;
}

uint64_t cps_deflate_out_file_bytes(void)
{
	return file_bytes;
}

uint64_t cps_deflate_out_bytes(void)
{
	return z.total_in;
}

void cps_deflate_out_reset(void)
{
	int fd = atomic_exchange(&open_fd, -1);

	if (fd >= 0)
		cps_sys_close(fd);
	file_path = NULL;
	file_bytes = 0;
	dead = 0;
	lacks_descriptor = false;
	cps_deflate_out_release();
}
