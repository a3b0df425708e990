/* SPDX-License-Identifier: MIT */
/*
 * journal.c - keeps the records of the last moments in a shared mapping.
 *
 * Room: signal. In: samples and records. Out: full buffers. The kernel writes the pages back even
 * if the process is killed; `committed` is stored last, so that a reader never sees half a
 * record.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "journal.h"
#include "module.h"
#include "sys.h"
#include "poison.h"

#define ALL	    (CPS_BUFFERS + 1)
#define DATA_OFFSET 4096u
#define FILE_BYTES  (DATA_OFFSET + ALL * CPS_BUFFER_BYTES)
#define TRIES	    4u

_Static_assert(sizeof(struct cps_journal_head) + ALL * sizeof(struct cps_journal_buffer) <=
		       DATA_OFFSET,
	       "the heads fit before the data");

static struct cps_buffer buffers[ALL];
static const char *file_path;

/* Room on disk for every page: writing to a hole on a full disk would be a SIGBUS in the target. */
static int reserve(int fd)
{
	static const uint8_t zeros[4096];
	int error = (int)CPS_SYS(fallocate, fd, 0, 0, FILE_BYTES);

	if (error != -EOPNOTSUPP && error != -ENOSYS)
		return error;
	for (uint32_t done = 0; done < FILE_BYTES; done += sizeof(zeros)) {
		long n = cps_sys_write(fd, zeros, sizeof(zeros));

		if (n != (long)sizeof(zeros))
			return n < 0 ? (int)n : -ENOSPC;
	}
	return 0;
}

static uint8_t *map_file(const char *path)
{
	uint8_t *map = NULL;
	int fd;

	if (cps_sys_too_big(FILE_BYTES))
		return NULL;
	fd = cps_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return NULL;
	if (reserve(fd) == 0)
		map = cps_sys_mmap(FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	cps_sys_close(fd);
	if (map)
		file_path = path;
	else
		cps_sys_unlink(path);
	return map;
}

int cps_journal_open(const char *path, uint64_t id)
{
	struct cps_journal_head *head;
	uint8_t *map = map_file(path);

	if (!map)
		map = cps_arena_pages(FILE_BYTES);
	if (!map)
		return -ENOMEM;
	head = (void *)map;
	head->version = CPS_VERSION;
	head->buffers = ALL;
	head->buffer_bytes = CPS_BUFFER_BYTES;
	head->data_offset = DATA_OFFSET;
	head->id = id;
	for (uint32_t i = 0; i < ALL; i++) {
		buffers[i].number = i;
		buffers[i].head = (struct cps_journal_buffer *)(head + 1) + i;
		buffers[i].bytes = map + DATA_OFFSET + i * CPS_BUFFER_BYTES;
	}
	memcpy(head->magic, CPS_JOURNAL_MAGIC, sizeof(head->magic));
	return 0;
}

static _Atomic uint32_t *committed(const struct cps_buffer *b)
{
	return (_Atomic uint32_t *)&b->head->committed;
}

static bool begin(struct cps_buffer *b)
{
	if (b->batch)
		return true;
	b->batch = cps_arena_pages(sizeof(*b->batch));
	if (!b->batch)
		return false;
	cps_batch_begin(b->batch, b->bytes, CPS_BUFFER_BYTES, b->number, b->head->sequence, 0);
	return true;
}

struct cps_buffer *cps_journal_acquire_number(uint32_t number)
{
	struct cps_buffer *b = &buffers[number];

	return atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire) ? NULL : b;
}

struct cps_buffer *cps_journal_acquire(uint32_t wish)
{
	struct cps_buffer *b = cps_journal_acquire_number(1 + wish % CPS_BUFFERS);

	if (!b || (begin(b) && cps_batch_prepare(b->batch)))
		return b;
	cps_journal_release(b);
	return NULL;
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
	atomic_store_explicit(committed(b), 0, memory_order_release);
	b->head->sequence++;
	if (b->batch)
		cps_batch_begin(b->batch, b->bytes, CPS_BUFFER_BYTES, b->number, b->head->sequence,
				time_us);
}

void cps_journal_remove(void)
{
	if (file_path)
		cps_sys_unlink(file_path);
	file_path = NULL;
}
