/* SPDX-License-Identifier: MIT */
/*
 * journal.c - keeps the latest records in memory, and a copy of them in a file.
 *
 * In: samples and records. Out: full buffers. The file is mapped; the kernel writes the pages of the
 * mapping to it even if the process is killed. `committed` is stored last, so that a reader never
 * sees half a record (doc/decisions/0017, 0043).
 */
#include <errno.h>
#include <linux/fs.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/moment.h"
#include "base/sys.h"
#include "stream/journal.h"
#include "stream/loss.h"
#include "unwind/module.h"
#include "base/poison.h"

#define ALL	    (CPS_BUFFERS + 1)
#define SLOW_NS	    1000000u
#define SLOW_WEIGHT 1000u

static struct cps_buffer buffers[ALL];
static const char *file_path;
static uint8_t *map;	     /* NULL: there is no file */
static atomic_bool is_lost;  /* the file has become shorter, or there is no room for it any more */
static bool copies_on_write; /* the file system does, but not for this file */
static _Atomic uint32_t slowness;
static size_t map_bytes;
static uint32_t n_areas = ALL;		 /* areas of the journal; buffer i begins with area i */
static _Atomic uint32_t next_area = ALL; /* the first area that no buffer has used */
static _Atomic uint64_t ticks;

static uint32_t data_offset(void)
{
	uint32_t heads = (uint32_t)(sizeof(struct cps_journal_head) +
				    n_areas * sizeof(struct cps_journal_buffer));

	return (heads + 4095u) & ~4095u;
}

/* Asks the file system to overwrite pages in place. A copy-on-write file system (btrfs) needs free
 * space for each page that is written, which fallocate does not reserve. */
static void overwrite_in_place(int fd)
{
	long flags = 0;

	if (CPS_SYS(ioctl, fd, FS_IOC_GETFLAGS, &flags, 0) != 0)
		return;
	flags |= FS_NOCOW_FL;
	copies_on_write = CPS_SYS(ioctl, fd, FS_IOC_SETFLAGS, &flags, 0) == 0;
}

/* Reserves disk space for every page, so that a disk that becomes full does not end the journal. */
static int reserve(int fd)
{
	static const uint8_t zeros[4096];
	int error;

	overwrite_in_place(fd);

	do
		error = (int)CPS_SYS(fallocate, fd, 0, 0, map_bytes);
	while (error == -EINTR);
	if (error != -EOPNOTSUPP && error != -ENOSYS)
		return error;
	for (size_t done = 0; done < map_bytes;) {
		size_t left = map_bytes - done;
		long n = cps_sys_write(fd, zeros, left < sizeof(zeros) ? left : sizeof(zeros));

		if (n <= 0 && n != -EINTR)
			return n < 0 ? (int)n : -ENOSPC;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Maps the file. If `at` is set it replaces the mapping there, so that a thread that still looks at
 * the old mapping finds memory. */
static uint8_t *map_fd(int fd, void *at)
{
	long result;

	if (!at)
		return cps_sys_mmap(map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	result = cps_sys6(SYS_mmap, (long)at, (long)map_bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0);
	return result == (long)at ? at : NULL;
}

static uint8_t *map_file(const char *path, void *at)
{
	uint8_t *mapped = NULL;
	int fd;

	if (cps_sys_exceeds_file_limit(map_bytes))
		return NULL;
	fd = cps_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return NULL;
	if (reserve(fd) == 0)
		mapped = map_fd(fd, at);
	cps_sys_close(fd);
	if (mapped) {
		cps_arena_unlock(mapped, map_bytes);
		/* Without this, the first touch would read a megabyte of zeros ahead, which takes
		 * half a ms. */
		CPS_SYS(madvise, mapped, map_bytes, MADV_RANDOM, 0);
		file_path = path;
	} else {
		cps_sys_unlink(path);
	}
	return mapped;
}

/* ---- the copy ---------------------------------------------------------------------------------- */

static size_t head_offset(uint32_t area)
{
	return sizeof(struct cps_journal_head) + area * sizeof(struct cps_journal_buffer);
}

/* Whether the page of this address takes a store. The kernel is made to store the eight bytes of the
 * signal mask there. It fails where a store of ours would raise SIGBUS: behind the end of a file that
 * somebody has truncated, or where the file system has no free space for the page. */
static bool takes_store(uint8_t *at)
{
	return CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, at, 8) == 0;
}

/* Eight bytes that no reader uses, in the page of the numbers of an area. */
static uint8_t *scratch_of(uint32_t area)
{
	if (area == 0)
		return map + offsetof(struct cps_journal_head, reserved);
	return map + head_offset(area) + offsetof(struct cps_journal_buffer, losses);
}

/* Whether n bytes can be stored there. The kernel may try in these very bytes, since they are not
 * committed yet. */
static bool take_stores(uint8_t *from, uint32_t n)
{
	uint8_t *page = (uint8_t *)((uintptr_t)from | 4095) + 1;

	if (!takes_store(from))
		return false;
	for (; page < from + n; page += 4096)
		if (!takes_store(page))
			return false;
	return true;
}

static bool is_taken(uint32_t area, uint8_t *bytes, uint32_t n)
{
	return takes_store(scratch_of(area)) && (!n || take_stores(bytes, n));
}

/* Whether stores have begun to take long: eight of the last some thousands. When a btrfs is full, or a
 * quota of it is used up, it first writes all out and waits, 10 ms or more, for each page that is
 * written to after it was written out, even if it overwrites the page in place then. A program came to
 * a hundredth of its speed. */
static bool has_become_slow(uint64_t before)
{
	uint32_t now = atomic_load_explicit(&slowness, memory_order_relaxed);

	if (!before)
		return false;
	if (cps_moment_ns() - before > SLOW_NS)
		now += SLOW_WEIGHT;
	else if (now)
		now--;
	atomic_store_explicit(&slowness, now, memory_order_relaxed);
	return now >= 8 * SLOW_WEIGHT;
}

/* Whether the file takes stores to the numbers of the area, and to n of its bytes. If not, the
 * journal is given up. */
static bool is_there(uint32_t area, uint8_t *bytes, uint32_t n)
{
	uint64_t before = copies_on_write ? cps_moment_ns() : 0;

	if (!map || atomic_load_explicit(&is_lost, memory_order_relaxed))
		return false;
	if (is_taken(area, bytes, n) && !has_become_slow(before))
		return true;
	atomic_store(&is_lost, true);
	return false;
}

/* Copies the bytes of a buffer from there on to the file, and then the numbers, which say how many
 * bytes count. The two numbers are stored as one word, so that a reader sees both or neither. */
static void show(const struct cps_buffer *b, uint32_t from)
{
	_Static_assert(offsetof(struct cps_journal_buffer, committed) == 0 &&
			       offsetof(struct cps_journal_buffer, sequence) == 4,
		       "the low and the high half");
	const uint64_t numbers = (uint64_t)b->sequence << 32 | b->committed;
	uint32_t n = b->committed > from ? b->committed - from : 0;
	uint8_t *to;

	if (!map)
		return;
	to = map + data_offset() + (size_t)b->area * CPS_BUFFER_BYTES + from;
	if (!is_there(b->area, to, n))
		return;
	if (n)
		memcpy(to, b->bytes + from, n);
	atomic_store_explicit((_Atomic uint64_t *)(map + head_offset(b->area)), numbers,
			      memory_order_release);
}

static void show_losses(void)
{
	struct cps_journal_head *head = (void *)map;
	struct cps_journal_buffer *first;
	int error;

	if (!is_there(0, NULL, 0))
		return;
	first = (void *)(map + head_offset(0));
	for (int i = 0; i < CPS_LOSS_COUNT; i++)
		first->losses[i] = cps_loss_get((enum cps_loss)i);
	head->stop = (uint32_t)cps_loss_stop_reason(&error);
	head->stop_error = error;
}

/* ---- areas -------------------------------------------------------------------------------------- */

static void give_area(struct cps_buffer *b, uint32_t area, uint32_t sequence)
{
	b->area = area;
	b->committed = 0;
	b->sequence = sequence;
	b->is_begun = false;
	show(b, 0);
}

static void lay_out(uint64_t id, uint32_t sequence)
{
	struct cps_journal_head *head = (void *)map;

	if (is_there(0, NULL, 0)) {
		head->version = CPS_JOURNAL_VERSION;
		head->buffers = n_areas;
		head->buffer_bytes = CPS_BUFFER_BYTES;
		head->data_offset = data_offset();
		head->id = id;
	}
	for (uint32_t i = 0; i < ALL; i++) {
		buffers[i].number = i;
		give_area(&buffers[i], i, sequence);
	}
	atomic_store(&next_area, ALL);
	cps_loss_mirror(show_losses);
	if (is_there(0, NULL, 0))
		memcpy(head->magic, CPS_JOURNAL_MAGIC, sizeof(head->magic));
}

int cps_journal_open(const char *path, uint64_t id, uint64_t bytes)
{
	if (bytes > (uint64_t)ALL * CPS_BUFFER_BYTES)
		n_areas = (uint32_t)(bytes / CPS_BUFFER_BYTES);
	map_bytes = data_offset() + (size_t)n_areas * CPS_BUFFER_BYTES;
	if (!buffers[0].bytes)
		buffers[0].bytes = cps_arena_pages(CPS_BUFFER_BYTES);
	if (!buffers[0].bytes)
		return -ENOMEM;
	map = map_file(path, NULL);
	lay_out(id, 0);
	return 0;
}

/* Batches of the sequence numbers so far are in the stream, so the new journal continues them. If
 * there can be no new file, the old file's memory is used. */
void cps_journal_renew(const char *path, uint64_t id)
{
	uint32_t next = 0;
	uint8_t *fresh;

	for (uint32_t i = 0; i < ALL; i++)
		if (buffers[i].sequence > next)
			next = buffers[i].sequence;
	fresh = map_file(path, map);
	atomic_store(&is_lost, !fresh);
	map = fresh ? fresh : map;
	lay_out(id, next);
	for (uint32_t i = 0; i < ALL; i++)
		cps_journal_release(&buffers[i]);
}

static void begin_batch(struct cps_buffer *b, uint64_t time_us)
{
	cps_batch_begin(b->batch, b->bytes, CPS_BUFFER_ROOM, b->area, b->sequence, time_us);
	b->is_begun = true;
}

static bool begin(struct cps_buffer *b)
{
	if (!b->batch)
		b->batch = cps_arena_pages(sizeof(*b->batch));
	if (!b->bytes)
		b->bytes = cps_arena_pages(CPS_BUFFER_BYTES);
	if (!b->batch || !b->bytes)
		return false;
	if (!b->is_begun)
		begin_batch(b, 0);
	return true;
}

struct cps_buffer *cps_journal_acquire_number(uint32_t number)
{
	struct cps_buffer *b = &buffers[number];

	return atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire) ? NULL : b;
}

struct cps_buffer *cps_journal_acquire(uint32_t wish, bool *has_memory)
{
	struct cps_buffer *b = cps_journal_acquire_number(1 + wish % CPS_BUFFERS);

	*has_memory = !b || (begin(b) && cps_batch_prepare(b->batch));
	if (*has_memory)
		return b;
	cps_journal_release(b);
	return NULL;
}

bool cps_journal_seal(struct cps_buffer *b)
{
	uint64_t time_us = b->batch->time_us;
	uint32_t area = atomic_load(&next_area);

	do {
		if (area == n_areas || !cps_journal_is_file())
			return false;
	} while (!atomic_compare_exchange_weak(&next_area, &area, area + 1));
	give_area(b, area, 0);
	begin_batch(b, time_us);
	return true;
}

bool cps_journal_is_file(void)
{
	return file_path != NULL && !atomic_load(&is_lost);
}

void cps_journal_release(struct cps_buffer *b)
{
	atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

bool cps_journal_add(struct cps_buffer *b, const struct cps_item *item)
{
	uint32_t before = b->committed;

	if (!cps_batch_add(b->batch, item))
		return false;
	b->committed = (uint32_t)b->batch->used;
	show(b, before);
	if (!item->is_tail)
		atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
	return true;
}

bool cps_journal_add_record(struct cps_buffer *b, const uint8_t *record, size_t n)
{
	uint32_t before = b->committed;

	if (n > CPS_BUFFER_ROOM - before)
		return false;
	memcpy(b->bytes + before, record, n);
	b->committed = before + (uint32_t)n;
	show(b, before);
	return true;
}

uint32_t cps_journal_waiting(const struct cps_buffer *b)
{
	return b->committed;
}

void cps_journal_empty(struct cps_buffer *b, uint64_t time_us)
{
	b->committed = 0;
	b->sequence++;
	show(b, 0);
	b->is_begun = false;
	if (b->batch && b->bytes)
		begin_batch(b, time_us);
}

uint32_t cps_journal_drop(struct cps_buffer *b)
{
	uint32_t n = cps_journal_waiting(b) && b->batch ? b->batch->n_ticks : 0;

	atomic_fetch_sub_explicit(&ticks, n, memory_order_relaxed);
	cps_journal_empty(b, b->batch ? b->batch->time_us : 0);
	return n;
}

uint64_t cps_journal_ticks(void)
{
	return atomic_load_explicit(&ticks, memory_order_relaxed);
}

void cps_journal_remove(void)
{
	if (file_path)
		cps_sys_unlink(file_path);
	file_path = NULL;
}

void cps_journal_reset(void)
{
	atomic_store(&slowness, 0);
	atomic_store(&ticks, 0);
	cps_loss_mirror(NULL);
	if (map)
		cps_sys_munmap(map, map_bytes);
	map = NULL;
	file_path = NULL;
	atomic_store(&is_lost, false);
	for (uint32_t i = 0; i < ALL; i++) {
		buffers[i].is_begun = false;
		if (buffers[i].batch)
			cps_batch_forget_trail(buffers[i].batch);
		atomic_flag_clear(&buffers[i].lock);
	}
}
