/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - hands out stacks from slabs.
 *
 * In: threads that begin and end. Out: stacks with a page below each that faults. A slab has a word with a bit for
 * each of its stacks, which is set while that is in use.
 *
 * Order: the size and the word of a slab are stored before its address is released, and used by who has acquired that, but
 * for the word, which is exchanged: while it was not stored yet no exchange of it succeeds that was begun before. Who
 * takes a stack by its bit acquires what the one before has left there.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/stacks.h"
#include "base/sys.h"
#include "base/poison.h"

#define SLAB	      64u /* stacks, as many as a word has bits */
#define FIRST	      4u
#define SLABS	      2048u
#define WARM	      64u /* so many free stacks keep their memory */
#define INSTALL_GUARD 102 /* MADV_GUARD_INSTALL, since Linux 6.13 */

static struct {
	_Atomic(char *) bytes; /* NULL: there is none yet */
	_Atomic uint64_t used;
	uint32_t n;
} slabs[SLABS];

static char making[1];		 /* stands for a slab that is being made */
static _Atomic uint32_t lowest;	 /* no slab before it has a free stack */
static _Atomic uint32_t n_free;	 /* stacks */
static _Atomic uint32_t guarded; /* stacks that take a mapping more */

/* The bytes from a stack to the next: a page that faults, and the pages of the stack. */
static size_t stride(void)
{
	const size_t page = cps_sys_page();

	return page + ((CPS_STACKS_BYTES + page - 1) & ~(page - 1));
}

static char *bytes_of(uint32_t slab)
{
	char *bytes = atomic_load_explicit(&slabs[slab].bytes, memory_order_acquire);

	return bytes == making ? NULL : bytes;
}

char *cps_stacks_at(int number)
{
	return bytes_of((uint32_t)number / SLAB) + (size_t)number % SLAB * stride() +
	       cps_sys_page();
}

static void guard(char *page)
{
	const size_t n = cps_sys_page();

	if (CPS_SYS(madvise, page, n, INSTALL_GUARD, 0) != 0 &&
	    atomic_fetch_add(&guarded, 1) < CPS_STACKS_GUARDED)
		CPS_SYS(mprotect, page, n, PROT_NONE, 0);
}

/* Whether the target has all its new memory locked (mlockall, MCL_FUTURE), within a limit (memory.h). */
static bool is_locked(void)
{
	const size_t n = cps_sys_page();
	void *page = cps_sys_mmap(n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	bool result = page && CPS_SYS(madvise, page, n, MADV_DONTNEED, 0) == -EINVAL;

	cps_arena_unmap(page, n);
	return result;
}

/* How many stacks a slab is to have: about as many as there are already, because most programs have few threads. */
static uint32_t size_of(uint32_t slab)
{
	uint32_t n = slab < 2 ? FIRST : slab < 6 ? FIRST << (slab - 1) : SLAB;

	return is_locked() ? 1 : n;
}

/* Memory for as many stacks as can be had of *n. Before Linux 6.7 it could become a huge page. */
static char *map(uint32_t *n)
{
	char *bytes = cps_arena_pages(*n * stride());

	while (!bytes && *n > 1) {
		*n /= 4;
		bytes = cps_arena_pages(*n * stride());
	}
	if (bytes)
		CPS_SYS(madvise, bytes, *n * stride(), MADV_NOHUGEPAGE, 0);
	for (uint32_t i = 0; bytes && i < *n; i++)
		guard(bytes + i * stride());
	return bytes;
}

/* The bits of stacks that a slab of n does not have. */
static uint64_t missing(uint32_t n)
{
	return n < SLAB ? ~UINT64_C(0) << n : 0;
}

/* Makes a slab, of which the first stack is in use. Returns the number of that, or -1. */
static int make(uint32_t slab)
{
	uint32_t n = size_of(slab);
	char *none = NULL, *bytes = map(&n);

	if (!bytes)
		return -1;
	while (slab < SLABS && !atomic_compare_exchange_strong(&slabs[slab].bytes, &none, making)) {
		none = NULL;
		slab++;
	}
	if (slab == SLABS) {
		cps_arena_unmap(bytes, n * stride());
		return -1;
	}
	slabs[slab].n = n;
	atomic_store(&slabs[slab].used, missing(n) | 1);
	atomic_fetch_add(&n_free, n - 1);
	atomic_store_explicit(&slabs[slab].bytes, bytes, memory_order_release);
	return (int)(slab * SLAB);
}

/* The number of a free stack in this slab, or -1. */
static int take_of(uint32_t slab)
{
	uint64_t used = atomic_load(&slabs[slab].used);
	int bit;

	if (!bytes_of(slab))
		return -1; /* it is being made */
	do {
		if (used == ~UINT64_C(0))
			return -1;
		bit = __builtin_ctzll(~used);
	} while (
		!atomic_compare_exchange_weak(&slabs[slab].used, &used, used | UINT64_C(1) << bit));
	atomic_fetch_sub(&n_free, 1);
	return (int)(slab * SLAB) + bit;
}

int cps_stacks_take(void)
{
	uint32_t first = atomic_load(&lowest), full = first, slab = first;
	int number = -1;

	for (; slab < SLABS && atomic_load(&slabs[slab].bytes); slab++) {
		number = take_of(slab);
		if (number >= 0)
			break;
		if (slab == full && bytes_of(slab))
			full++;
	}
	if (number < 0)
		number = make(slab);
	if (full != first) /* not if a lower one was given back meanwhile */
		atomic_compare_exchange_strong(&lowest, &first, full);
	return number;
}

void cps_stacks_give(int number)
{
	uint32_t slab = (uint32_t)number / SLAB, first = atomic_load(&lowest);

	if (atomic_fetch_add(&n_free, 1) >= WARM)
		CPS_SYS(madvise, cps_stacks_at(number), CPS_STACKS_BYTES, MADV_DONTNEED, 0);
	atomic_fetch_and(&slabs[slab].used, ~(UINT64_C(1) << (uint32_t)number % SLAB));
	while (slab < first && !atomic_compare_exchange_weak(&lowest, &first, slab))
		;
}

void cps_stacks_reset(int number)
{
	uint32_t all = 0;

	for (uint32_t slab = 0; slab < SLABS && atomic_load(&slabs[slab].bytes); slab++) {
		char *unfinished = making;

		if (atomic_compare_exchange_strong(&slabs[slab].bytes, &unfinished, NULL))
			slabs[slab].n = 0;
		atomic_store(&slabs[slab].used, missing(slabs[slab].n));
		all += slabs[slab].n;
	}
	atomic_store(&lowest, 0);
	atomic_store(&n_free, all);
	if (number < 0)
		return;
	atomic_fetch_or(&slabs[(uint32_t)number / SLAB].used, UINT64_C(1)
								      << (uint32_t)number % SLAB);
	atomic_fetch_sub(&n_free, 1);
}
