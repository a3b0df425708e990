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

/* ---- copy ------------------------------------------------------------------------------------ */
/*
 * Lets the kernel copy memory that may not be there.
 *
 * In: any address. Out: bytes, or the news that there are none.
 */

#define PAGE_BYTES 4096u

static atomic_bool is_confined;

void cps_copy_confine(void)
{
	atomic_store(&is_confined, true);
}

bool cps_copy_is_safe(void)
{
	return !atomic_load_explicit(&is_confined, memory_order_relaxed);
}

/* Asks about each page before it loads from it. */
static bool ask_and_load(uint8_t *to, uintptr_t from, size_t n)
{
	while (n) {
		size_t part = PAGE_BYTES - from % PAGE_BYTES;

		if (part > n)
			part = n;
		if (!cps_sys_readable(from & ~(uintptr_t)7))
			return false;
		memcpy(to, (const void *)from, part);
		to += part;
		from += part;
		n -= part;
	}
	return true;
}

/* The bytes that the kernel has copied. If it does not do that, it is not asked again. */
static size_t copied(void *to, size_t n, const struct iovec *parts, uint32_t n_parts)
{
	struct iovec here = {to, n};
	long result = cps_sys6(SYS_process_vm_readv, cps_sys_getpid(), (long)&here, 1, (long)parts,
			       n_parts, 0);

	if (result == -ENOSYS ||
	    result == -EPERM) /* the kernel was built without it, or it is forbidden */
		cps_copy_confine();
	return result > 0 ? (size_t)result : 0;
}

bool cps_copy(void *to, uintptr_t from, size_t n)
{
	struct iovec there = {(void *)from, n};

	if (cps_copy_is_safe()) {
		bool is_copied = copied(to, n, &there, 1) == n;

		if (cps_copy_is_safe())
			return is_copied;
	}
	return ask_and_load(to, from, n);
}

size_t cps_copy_parts(void *to, const struct iovec *parts, uint32_t n)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += parts[i].iov_len;
	return bytes && cps_copy_is_safe() ? copied(to, bytes, parts, n) : 0;
}

/* ---- peek ------------------------------------------------------------------------------------ */
/*
 * Reads words by copying their page.
 *
 * In: an address. Out: a word. The next words of a stack most often lie in the same page.
 */

/* Where the copy could fault, an address outside of the known stack is not tried if it was guessed:
 * that memory may belong to anything, which may be gone the next moment. A guess that lies within
 * the stack is tried, because the thread is using it. */
bool cps_peek_copied(const struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	uintptr_t page = address & ~(uintptr_t)4095;

	if (k->high && address - k->low >= k->high - k->low)
		return false;
	if (!k->high && k->is_guess && !cps_copy_is_safe())
		return false;
	if (!page) /* as is the page of a copy that could not be made */
		return false;
	if (page != k->copy->page) {
		k->copy->page = 0;
		if (!cps_copy(k->copy->word, page, sizeof(k->copy->word)))
			return false;
		k->copy->page = page;
	}
	*value = k->copy->word[(address & 4095) / 8];
	return true;
}
