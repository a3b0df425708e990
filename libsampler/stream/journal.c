/* SPDX-License-Identifier: MIT */
/*
 * journal.c - keeps the latest records in a shared mapping.
 *
 * In: samples and records. Out: full buffers. The kernel writes the pages of the mapping to the
 * file even if the process is killed. `committed` is stored last, so that a reader never sees half
 * a record (doc/decisions/0017).
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/sys.h"
#include "stream/journal.h"
#include "stream/loss.h"
#include "unwind/module.h"
#include "base/poison.h"

#define ALL (CPS_BUFFERS + 1)

static struct cps_buffer buffers[ALL];
static const char *file_path;
static uint8_t *map;
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

/* Reserves disk space for every page. On a full disk, writing to a hole of the file would be a
 * SIGBUS in the target. */
static int reserve(int fd)
{
	static const uint8_t zeros[4096];
	int error;

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
	fd = cps_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return NULL;
	if (reserve(fd) == 0)
		mapped = map_fd(fd, at);
	cps_sys_close(fd);
	if (mapped) {
		/* Without this, the first touch would read a megabyte of zeros ahead, which takes
		 * half a ms. */
		CPS_SYS(madvise, mapped, map_bytes, MADV_RANDOM, 0);
		file_path = path;
	} else {
		cps_sys_unlink(path);
	}
	return mapped;
}

static struct cps_journal_buffer *head_of(uint32_t area)
{
	return (struct cps_journal_buffer *)((struct cps_journal_head *)map + 1) + area;
}

static void give_area(struct cps_buffer *b, uint32_t area)
{
	b->area = area;
	b->head = head_of(area);
	b->bytes = map + data_offset() + (size_t)area * CPS_BUFFER_BYTES;
	b->is_begun = false;
}

static void lay_out(uint64_t id, uint32_t sequence)
{
	struct cps_journal_head *head = (void *)map;

	head->version = CPS_JOURNAL_VERSION;
	head->buffers = n_areas;
	head->buffer_bytes = CPS_BUFFER_BYTES;
	head->data_offset = data_offset();
	head->id = id;
	for (uint32_t i = 0; i < ALL; i++) {
		buffers[i].number = i;
		give_area(&buffers[i], i);
		buffers[i].head->sequence = sequence;
	}
	atomic_store(&next_area, ALL);
	cps_loss_mirror(head, head_of(0));
	memcpy(head->magic, CPS_JOURNAL_MAGIC, sizeof(head->magic));
}

int cps_journal_open(const char *path, uint64_t id, uint64_t bytes)
{
	if (bytes > (uint64_t)ALL * CPS_BUFFER_BYTES)
		n_areas = (uint32_t)(bytes / CPS_BUFFER_BYTES);
	map_bytes = data_offset() + (size_t)n_areas * CPS_BUFFER_BYTES;
	map = map_file(path, NULL);
	if (!map)
		map = cps_arena_pages(map_bytes);
	if (!map)
		return -ENOMEM;
	lay_out(id, 0);
	return 0;
}

/* Batches of the sequence numbers so far are in the stream, so the new journal continues them. If
 * there can be no new file, the old file's memory is used. */
void cps_journal_renew(const char *path, uint64_t id)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < ALL; i++)
		if (head_of(i)->sequence > next)
			next = head_of(i)->sequence;
	map_file(path, map);
	lay_out(id, next);
	for (uint32_t i = 0; i < ALL; i++)
		cps_journal_release(&buffers[i]);
}

static _Atomic uint32_t *committed(const struct cps_buffer *b)
{
	return (_Atomic uint32_t *)&b->head->committed;
}

static void begin_batch(struct cps_buffer *b, uint64_t time_us)
{
	cps_batch_begin(b->batch, b->bytes, CPS_BUFFER_BYTES, b->area, b->head->sequence, time_us);
	b->is_begun = true;
}

static bool begin(struct cps_buffer *b)
{
	if (!b->batch)
		b->batch = cps_arena_pages(sizeof(*b->batch));
	if (b->batch && !b->is_begun)
		begin_batch(b, 0);
	return b->batch != NULL;
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
	give_area(b, area);
	begin_batch(b, time_us);
	return true;
}

bool cps_journal_is_file(void)
{
	return file_path != NULL;
}

void cps_journal_release(struct cps_buffer *b)
{
	atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

bool cps_journal_add(struct cps_buffer *b, const struct cps_item *item)
{
	if (!cps_batch_add(b->batch, item))
		return false;
	atomic_store_explicit(committed(b), (uint32_t)b->batch->used, memory_order_release);
	if (!item->is_tail)
		atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
	return true;
}

bool cps_journal_add_record(struct cps_buffer *b, const uint8_t *record, size_t n)
{
	uint32_t used = b->head->committed;

	if (n > CPS_BUFFER_BYTES - used)
		return false;
	memcpy(b->bytes + used, record, n);
	atomic_store_explicit(committed(b), used + (uint32_t)n, memory_order_release);
	return true;
}

uint32_t cps_journal_waiting(const struct cps_buffer *b)
{
	return b->head->committed;
}

void cps_journal_empty(struct cps_buffer *b, uint64_t time_us)
{
	atomic_store_explicit(committed(b), 0, memory_order_relaxed);
	/* No reader may see the new sequence number together with the old bytes. */
	atomic_thread_fence(memory_order_release);
	b->head->sequence++;
	if (b->batch)
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
	atomic_store(&ticks, 0);
	cps_loss_mirror(NULL, NULL);
	if (map)
		cps_sys_munmap(map, map_bytes);
	map = NULL;
	file_path = NULL;
	for (uint32_t i = 0; i < ALL; i++) {
		buffers[i].is_begun = false;
		if (buffers[i].batch)
			cps_batch_forget_trail(buffers[i].batch);
		atomic_flag_clear(&buffers[i].lock);
	}
}
