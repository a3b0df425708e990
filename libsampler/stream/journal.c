/* SPDX-License-Identifier: MIT */
/*
 * journal.c - keeps the latest records in memory, and a copy of them in a file.
 */
#include <errno.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "stream/journal.h"
#include "stream/loss.h"
#include "unwind/module.h"
#include "base/poison.h"

/* ---- journal file ---------------------------------------------------------------------------- */
/*
 * Creates the journal's file and maps it.
 *
 * In: a path. Out: memory that the kernel writes to the file (doc/decisions/0043).
 */

/* Asks the file system to overwrite pages in place. A copy-on-write file system (btrfs) needs free
 * space for each page that is written, which fallocate does not reserve. */
static bool overwrite_in_place(int fd)
{
	long flags = 0;

	if (CPS_SYS(ioctl, fd, FS_IOC_GETFLAGS, &flags, 0) != 0)
		return false;
	flags |= FS_NOCOW_FL;
	return CPS_SYS(ioctl, fd, FS_IOC_SETFLAGS, &flags, 0) == 0;
}

/* Reserves disk space for every page, so that a disk that becomes full does not end the journal. */
static int reserve(int fd, size_t bytes)
{
	static const uint8_t zeros[4096];
	int error;

	do
		error = (int)CPS_SYS(fallocate, fd, 0, 0, bytes);
	while (error == -EINTR);
	if (error != -EOPNOTSUPP && error != -ENOSYS)
		return error;
	for (size_t done = 0; done < bytes;) {
		size_t left = bytes - done;
		long n = cps_sys_write(fd, zeros, left < sizeof(zeros) ? left : sizeof(zeros));

		if (n <= 0 && n != -EINTR)
			return n < 0 ? (int)n : -ENOSPC;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static uint8_t *map_fd(int fd, size_t bytes, void *at)
{
	long result;

	if (!at)
		return cps_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	result = cps_sys6(SYS_mmap, (long)at, (long)bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0);
	return result == (long)at ? at : NULL;
}

/* Create the file `path` with room for `bytes` on the disk, and map it. If `at` is set it replaces the mapping
 * there, so that a thread that still looks at the old mapping finds memory. NULL, and no file: that is not
 * possible. copies_on_write: the file system does, but not for this file. */
static uint8_t *cps_journal_file_map(const char *path, size_t bytes, void *at,
				     bool *copies_on_write)
{
	uint8_t *mapped = NULL;
	int fd;

	if (cps_sys_exceeds_file_limit(bytes))
		return NULL;
	fd = cps_descriptor_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return NULL;
	*copies_on_write = overwrite_in_place(fd);
	if (reserve(fd, bytes) == 0)
		mapped = map_fd(fd, bytes, at);
	cps_sys_close(fd);
	if (!mapped) {
		cps_sys_unlink(path);
		return NULL;
	}
	cps_arena_unlock(mapped, bytes);
	/* Without this, the first touch would read a megabyte of zeros ahead, which takes half a ms. */
	CPS_SYS(madvise, mapped, bytes, MADV_RANDOM, 0);
	return mapped;
}

/* ---- pace ------------------------------------------------------------------------------------ */
/*
 * Lets the journal's file rest for fifty times as long as slow stores to it have taken.
 *
 * In: when stores begin and end. Out: whether the file rests.
 */

#define SLOW_NS 1000000u
#define REST	50u
/* A store is also slow if another process gets the processor meanwhile. So what counts is that eight
 * of the last some thousands were slow. */
#define SLOW_WEIGHT 1000u
#define SLOW_ENOUGH (8 * SLOW_WEIGHT)

static bool is_timed;
static _Atomic uint32_t slowness;
static _Atomic uint64_t rest_until; /* 0: it does not rest */

void cps_pace_reset(bool copies_on_write)
{
	is_timed = copies_on_write;
	atomic_store(&slowness, 0);
	atomic_store(&rest_until, 0);
}

bool cps_pace_rests(void)
{
	uint64_t until = atomic_load_explicit(&rest_until, memory_order_relaxed);

	return until && cps_moment_ns() < until;
}

uint64_t cps_pace_begin(void)
{
	return is_timed ? cps_moment_ns() : 0;
}

/* Whether stores are slow now. */
static bool note(bool was_slow)
{
	uint32_t now = atomic_load_explicit(&slowness, memory_order_relaxed);

	if (!was_slow)
		now -= now > 0;
	else if (now < 2 * SLOW_ENOUGH)
		now += SLOW_WEIGHT;
	atomic_store_explicit(&slowness, now, memory_order_relaxed);
	return was_slow && now >= SLOW_ENOUGH;
}

uint32_t cps_pace_end(uint64_t begin)
{
	uint64_t now, rest;

	if (!begin)
		return 0;
	now = cps_moment_ns();
	rest = note(now > begin + SLOW_NS) ? REST * (now - begin) : 0;
	atomic_store_explicit(&rest_until, rest ? now + rest : 0, memory_order_relaxed);
	return (uint32_t)(rest / 1000000);
}

/* ---- journal --------------------------------------------------------------------------------- */
/*
 * In: samples and records. Out: full buffers. The file is mapped; the kernel writes the pages of
 * the mapping to it even if the process is killed. `committed` is stored last, so that a reader
 * never sees half a record (doc/decisions/0017, 0043).
 *
 * Order: a buffer belongs to who has its lock, and its bytes are released by the number that counts them. A file is read when the
 * process is dead: a store that the processor has done is then in it, and with it all stores before the release that it is.
 */

#define ALL	  (CPS_BUFFERS + 1)
#define SETTLE_NS 1000000000u /* what the end of the recording waits for a slow file */

static struct cps_buffer buffers[ALL];
static const char *file_path;
static uint8_t *map;	      /* NULL: there is no file */
static atomic_bool is_lost;   /* the file has become shorter, or there is no room for it any more */
static atomic_bool is_behind; /* some copy was put off */
static _Atomic uint32_t told_rest_ms;
static uint64_t settle_until; /* 0: the end has not begun */
static size_t map_bytes;
static uint32_t n_areas = ALL;		 /* areas of the journal; buffer i begins with area i */
static _Atomic uint32_t next_area = ALL; /* the first area that no buffer has used */
static _Atomic uint64_t ticks;

static uint32_t data_offset(void)
{
	uint32_t heads = (uint32_t)(sizeof(struct cps_journal_head) +
				    (n_areas + 1) * sizeof(struct cps_journal_buffer));

	return (heads + 4095u) & ~4095u;
}

/* ---- the copy ---------------------------------------------------------------------------------- */

static size_t head_offset(uint32_t area)
{
	return sizeof(struct cps_journal_head) + area * sizeof(struct cps_journal_buffer);
}

/* Eight bytes that no reader uses, in the page of the numbers of an area. */
static uint8_t *scratch_of(uint32_t area)
{
	if (area == 0)
		return map + offsetof(struct cps_journal_head, scratch);
	return map + head_offset(area) + offsetof(struct cps_journal_buffer, scratch);
}

/* Whether the file takes a store to the page of `scratch`, eight bytes that no reader uses. If not, the
 * journal is given up. */
static bool is_there(uint8_t *scratch)
{
	if (atomic_load_explicit(&is_lost, memory_order_relaxed))
		return false;
	if (cps_journal_file_takes_store(scratch))
		return true;
	atomic_store(&is_lost, true);
	return false;
}

/* The numbers are stored as one word, so that a reader sees all or none. So many of the bytes are in the area's pages. */
static void store_numbers(const struct cps_buffer *b, uint32_t committed, uint32_t in_pages)
{
	uint32_t word = committed | (committed - in_pages) << 24;

	_Static_assert(CPS_JOURNAL_COMMITTED == (1u << 24) - 1, "the shift above");
	_Static_assert(CPS_BUFFER_BYTES <= CPS_JOURNAL_COMMITTED, "they have room");
	_Static_assert(offsetof(struct cps_journal_buffer, committed) == 0 &&
			       offsetof(struct cps_journal_buffer, sequence) == 4,
		       "the low and the high half");

	atomic_store_explicit((_Atomic uint64_t *)(map + head_offset(b->area)),
			      (uint64_t)b->sequence << 32 | word, memory_order_release);
}

static uint32_t n_ticks(const struct cps_buffer *b)
{
	return b->batch && b->committed ? b->batch->n_ticks : 0;
}

/* Copies bytes to the area, page by page. A single store that reaches over the border of two pages may
 * never come to an end on a full btrfs: to make one of them writable it writes out the other, which then
 * is not writable any more. */
static bool copy_bytes(uint8_t *area, const uint8_t *bytes, uint32_t from, uint32_t to)
{
	while (from < to) {
		uint32_t page = from / CPS_JOURNAL_PAGE_ROOM,
			 in_page = from % CPS_JOURNAL_PAGE_ROOM;
		uint32_t n = CPS_JOURNAL_PAGE_ROOM - in_page;
		uint8_t *start = area + (size_t)page * CPS_JOURNAL_ALIGN;

		if (n > to - from)
			n = to - from;
		if (!is_there(start + CPS_JOURNAL_PAGE_ROOM))
			return false;
		memcpy(start + in_page, bytes + from, n);
		from += n;
	}
	return true;
}

/* Copies the bytes that are not in the area's pages to its entry, which is in the page of its numbers: a sample then
 * is a store to one page, about which the kernel was asked already. False: they have no room there. */
static bool copy_to_entry(const struct cps_buffer *b)
{
	struct cps_journal_buffer *entry = (void *)(map + head_offset(b->area));

	/* The numbers do not count any more what is overwritten, here or in the pages. */
	atomic_thread_fence(memory_order_release);
	if (!b->area || b->committed - b->in_pages > CPS_JOURNAL_LATEST)
		return false;
	if (b->committed > b->shown) /* A batch without bytes may have no memory yet. */
		memcpy(entry->latest + (b->shown - b->in_pages), b->bytes + b->shown,
		       b->committed - b->shown);
	return true;
}

/* Copies the bytes of a buffer that the file lacks, and then the numbers, which say how many bytes
 * count. If copies were put off, the file may still have the numbers of the batch before, whose bytes
 * are about to be overwritten. */
static void copy(struct cps_buffer *b)
{
	uint8_t *scratch = scratch_of(b->area);
	uint8_t *area = map + data_offset() + (size_t)b->area * CPS_BUFFER_BYTES;

	if (!is_there(scratch))
		return;
	if (b->committed && !b->shown)
		store_numbers(b, 0, 0);
	if (!copy_to_entry(b)) {
		if (!copy_bytes(area, b->bytes, b->in_pages, b->committed) || !is_there(scratch))
			return;
		b->in_pages = b->committed;
	}
	store_numbers(b, b->committed, b->in_pages);
	b->shown = b->committed, b->shown_ticks = n_ticks(b);
}

/* Also when the journal was given up: another page may still take stores. */
static void copy_losses(void)
{
	struct cps_journal_head *head = (void *)map;
	struct cps_journal_buffer *first = (void *)(map + head_offset(0)),
				  *more = (void *)(map + head_offset(n_areas));
	int error;

	if (!cps_journal_file_takes_store(scratch_of(0)))
		return;
	for (int i = 0; i < CPS_JOURNAL_LOSSES; i++)
		first->losses[i] = cps_loss_get((enum cps_loss)i);
	head->stop = (uint32_t)cps_loss_stop_reason(&error);
	head->stop_error = error;
	if (!cps_journal_file_takes_store(scratch_of(n_areas))) /* perhaps another page */
		return;
	for (int i = CPS_JOURNAL_LOSSES; i < CPS_LOSS_COUNT; i++)
		more->losses[i - CPS_JOURNAL_LOSSES + 1] = cps_loss_get((enum cps_loss)i);
}

/* Copies what was put off, except that of `mine`. */
static void catch_up(const struct cps_buffer *mine)
{
	if (!atomic_exchange(&is_behind, false))
		return;
	copy_losses();
	for (uint32_t i = 0; i < ALL; i++) {
		struct cps_buffer *b = &buffers[i] == mine ? NULL : cps_journal_acquire_number(i);

		if (b) {
			copy(b);
			cps_journal_release(b);
		} else if (&buffers[i] != mine) {
			atomic_store(&is_behind, true); /* next time */
		}
	}
}

/* Tells readers how far the file may be behind from now on. */
static void tell_rest(uint32_t rest_ms)
{
	struct cps_journal_head *head = (void *)map;

	if (rest_ms == atomic_load_explicit(&told_rest_ms, memory_order_relaxed) ||
	    !cps_journal_file_takes_store(scratch_of(0)))
		return;
	head->rest_ms = rest_ms;
	atomic_store_explicit(&told_rest_ms, rest_ms, memory_order_relaxed);
}

/* Makes the file have what the buffer has, or b NULL, the losses. While the file is slow this is put
 * off, and made later together with the rest. */
static void show(struct cps_buffer *b)
{
	uint64_t begin;

	if (!map)
		return;
	if (cps_pace_rests()) {
		atomic_store(&is_behind, true);
		return;
	}
	begin = cps_pace_begin();
	if (b)
		copy(b);
	else
		copy_losses();
	catch_up(b);
	tell_rest(cps_pace_end(begin));
}

static void show_losses(void)
{
	show(NULL);
}

/* ---- areas -------------------------------------------------------------------------------------- */

/* The next batch has no bytes yet, neither in memory nor in the file. */
static void begin_numbers(struct cps_buffer *b, uint32_t sequence)
{
	b->committed = b->shown = b->shown_ticks = b->in_pages = 0;
	b->sequence = sequence;
}

static void give_area(struct cps_buffer *b, uint32_t area, uint32_t sequence)
{
	b->area = area;
	begin_numbers(b, sequence);
	b->is_begun = false;
	show(b);
}

static void lay_out(uint64_t id, uint32_t sequence)
{
	struct cps_journal_head *head = (void *)map;

	if (map && is_there(scratch_of(0))) {
		head->version = CPS_JOURNAL_VERSION;
		head->buffers = n_areas;
		head->buffer_bytes = CPS_BUFFER_BYTES;
		head->data_offset = data_offset();
		head->page_room = CPS_JOURNAL_PAGE_ROOM;
		head->id = id;
	}
	for (uint32_t i = 0; i < ALL; i++) {
		buffers[i].number = i;
		give_area(&buffers[i], i, sequence);
	}
	atomic_store(&next_area, ALL);
	cps_loss_mirror(show_losses);
	if (map && is_there(scratch_of(0)))
		memcpy(head->magic, CPS_JOURNAL_MAGIC, sizeof(head->magic));
}

static uint8_t *map_file(const char *path, void *at)
{
	bool copies_on_write = false;
	uint8_t *mapped = cps_journal_file_map(path, map_bytes, at, &copies_on_write);

	cps_pace_reset(mapped && copies_on_write);
	is_behind = false;
	told_rest_ms = 0;
	settle_until = 0;
	if (mapped)
		file_path = path;
	return mapped;
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

/* Whether the journal is a file, which outlives the process. */
static bool is_file(void)
{
	return file_path != NULL && !atomic_load(&is_lost);
}

bool cps_journal_seal(struct cps_buffer *b)
{
	uint64_t time_us = b->batch->time_us;
	uint32_t area = atomic_load(&next_area);

	if (b->shown < b->committed)
		show(b);
	do {
		if (area == n_areas || !is_file() || b->shown < b->committed)
			return false;
	} while (!atomic_compare_exchange_weak(&next_area, &area, area + 1));
	give_area(b, area, 0);
	begin_batch(b, time_us);
	return true;
}

void cps_journal_release(struct cps_buffer *b)
{
	atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

bool cps_journal_add(struct cps_buffer *b, const struct cps_item *item)
{
	if (!cps_batch_add(b->batch, item))
		return false;
	b->committed = (uint32_t)b->batch->used;
	show(b);
	if (!item->is_tail)
		atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
	return true;
}

void cps_journal_keep_children(uint64_t children_ns)
{
	if (map && !cps_pace_rests() && is_there(scratch_of(0)))
		((struct cps_journal_head *)map)->children_ns = children_ns;
}

bool cps_journal_add_record(struct cps_buffer *b, const uint8_t *record, size_t n)
{
	uint32_t before = b->committed;

	if (n > CPS_BUFFER_ROOM - before)
		return false;
	memcpy(b->bytes + before, record, n);
	b->committed = before + (uint32_t)n;
	show(b);
	return true;
}

uint32_t cps_journal_waiting(const struct cps_buffer *b)
{
	return b->committed;
}

void cps_journal_empty(struct cps_buffer *b, uint64_t time_us)
{
	begin_numbers(b, b->sequence + 1);
	show(b);
	b->is_begun = false;
	if (b->batch && b->bytes)
		begin_batch(b, time_us);
}

uint32_t cps_journal_drop(struct cps_buffer *b)
{
	uint32_t n = n_ticks(b);

	atomic_fetch_sub_explicit(&ticks, n, memory_order_relaxed);
	cps_journal_empty(b, b->batch ? b->batch->time_us : 0);
	return n;
}

uint32_t cps_journal_settle(struct cps_buffer *b)
{
	uint64_t now = cps_moment_ns();
	uint32_t n;

	if (!settle_until)
		settle_until = now + SETTLE_NS;
	if (map && now < settle_until)
		copy(b);
	n = n_ticks(b) - b->shown_ticks;
	atomic_fetch_sub_explicit(&ticks, n, memory_order_relaxed);
	return n;
}

void cps_journal_settle_losses(void)
{
	if (map)
		copy_losses();
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

void cps_journal_let_go(void)
{
	if (map)
		cps_sys6(SYS_mmap, (long)map, (long)map_bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

void cps_journal_reset(void)
{
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
