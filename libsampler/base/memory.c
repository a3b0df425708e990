/* SPDX-License-Identifier: MIT */
/*
 * memory.c - memory that a signal handler may take, copy and look at.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/sys.h"
#include "base/poison.h"

/* ---- arena ----------------------------------------------------------------------------------- */
/*
 * Hands out memory inside a signal handler.
 *
 * In: sizes. Out: zeroed memory. A piece is cut from the current block by one compare-and-swap.
 * When the block is used up, a new one is mapped; if two threads map one at the same time, the one
 * that comes second unmaps its own again.
 *
 * Order: a block is as the kernel has cleared it when its address is exchanged, and each piece is
 * cut off once. What is put into a piece is released by who publishes it.
 */

#define BLOCK_BYTES (64u << 10)

struct block {
	_Atomic size_t used;
	unsigned char bytes[];
};

static _Atomic(struct block *) current;

/* The kernel refuses MADV_DONTNEED for memory that is locked, which tells locked pages from others
 * by a system call that seccomp filters know of us. It has touched all of the locked ones, so they are
 * given back. */
void cps_arena_unlock(void *pages, size_t bytes)
{
	if (CPS_SYS(madvise, pages, bytes, MADV_DONTNEED, 0) != -EINVAL)
		return;
	CPS_SYS(munlock, pages, bytes, 0, 0);
	CPS_SYS(madvise, pages, bytes, MADV_DONTNEED, 0);
}

/* Memory that is mapped as a stack (MAP_STACK) gets no huge pages since Linux 6.7. The first byte
 * of a huge page would cost 2 MiB. */
void *cps_arena_pages(size_t bytes)
{
	void *pages = cps_sys_mmap(bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1);

	if (pages)
		cps_arena_unlock(pages, bytes);
	return pages;
}

void cps_arena_unmap(void *pages, size_t bytes)
{
	if (pages)
		cps_sys_munmap(pages, bytes);
}

static void *carve(struct block *b, size_t bytes)
{
	size_t room = BLOCK_BYTES - 64;
	size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

	do {
		if (bytes > room - used)
			return NULL;
	} while (!atomic_compare_exchange_weak(&b->used, &used, used + bytes));
	return (unsigned char *)b + 64 + used;
}

void *cps_arena_take(size_t bytes)
{
	struct block *b = atomic_load(&current), *fresh;
	void *got;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > BLOCK_BYTES / 4)
		return cps_arena_pages(bytes);
	if (b && (got = carve(b, bytes)))
		return got;
	fresh = cps_arena_pages(BLOCK_BYTES);
	if (!fresh)
		return NULL;
	got = carve(fresh, bytes);
	if (!atomic_compare_exchange_strong(&current, &b, fresh)) {
		void *theirs = carve(b, bytes);

		if (theirs) {
			cps_sys_munmap(fresh, BLOCK_BYTES);
			return theirs;
		}
	}
	return got;
}

char *cps_arena_copy(const char *bytes, size_t n)
{
	char *copy = cps_arena_take(n + 1);

	if (copy)
		memcpy(copy, bytes, n);
	return copy;
}
