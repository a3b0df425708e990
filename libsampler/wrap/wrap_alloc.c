/* SPDX-License-Identifier: MIT */
/*
 * wrap_alloc.c - notices what the target allocates, and what it counts itself.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/find.h"
#include "process/start.h"
#include "resource/alloc.h"
#include "resource/point.h"
#include "stream/atoms.h"
#include "wrap/real.h"
#include "wrap/wrap.h"
#include "cpsample.h"

/* ---- allocations ----------------------------------------------------------------------------- */
/*
 * Notices what the target allocates.
 *
 * In: malloc and its family. Out: the next definitions' results, whichever allocator that is; and
 * blocks that are counted, if that is asked for. C++'s operator new calls malloc in libstdc++. It
 * is not wrapped, since a program may load libraries with operators of their own, which the loader
 * would then not find (doc/decisions/0073).
 *
 * realloc counts as a free of the old block and an allocation of the new one.
 */

#define EXPORT	   __attribute__((visibility("default")))
#define TEXT_BYTES 160

/* ---- the calls ----------------------------------------------------------------------------------- */

/* Without a resource that counts them, calls cost a comparison and a jump. */
#define WRAP(name, parameters, arguments, bytes)                                                   \
	static __attribute__((noinline)) void *counted_##name parameters                           \
	{                                                                                          \
		int64_t before = cps_alloc_begin();                                                \
		void *got = cps_real.name arguments;                                               \
                                                                                                   \
		cps_alloc_add(got, bytes, before);                                                 \
		return got;                                                                        \
	}                                                                                          \
	EXPORT void *name parameters                                                               \
	{                                                                                          \
		return cps_alloc_is_counted() ? counted_##name arguments                           \
					      : cps_real.name arguments;                           \
	}

WRAP(malloc, (size_t n), (n), n)
WRAP(calloc, (size_t n, size_t each), (n, each), n *each)
WRAP(memalign, (size_t alignment, size_t n), (alignment, n), n)
WRAP(aligned_alloc, (size_t alignment, size_t n), (alignment, n), n)
WRAP(valloc, (size_t n), (n), n)
WRAP(pvalloc, (size_t n), (n), n)

EXPORT int posix_memalign(void **block, size_t alignment, size_t n)
{
	int64_t before = cps_alloc_begin();
	int error = cps_real.posix_memalign(block, alignment, n);

	if (cps_alloc_is_counted() && !error)
		cps_alloc_add(*block, n, before);
	return error;
}

/* The old block is taken out of the table before another thread can get its address. A call without a result
 * has freed the block only if that was asked for. */
static __attribute__((noinline)) void *counted_realloc(void *block, size_t n)
{
	uint64_t number = cps_live_may_have(block) ? cps_live_take(block) : 0;
	int64_t before = cps_alloc_begin();
	void *got = cps_real.realloc(block, n);

	if (number && !got && n)
		cps_live_put_back(block, number);
	else
		cps_live_freed(number);
	cps_alloc_add(got, n, before);
	return got;
}

EXPORT void *realloc(void *block, size_t n)
{
	return cps_alloc_is_counted() ? counted_realloc(block, n) : cps_real.realloc(block, n);
}

/* The C library's calls realloc, too. */
EXPORT void *reallocarray(void *block, size_t n, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(n, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, all);
}

static __attribute__((noinline)) void freed(const void *block)
{
	cps_live_freed(cps_live_take(block));
}

EXPORT void free(void *block)
{
	if (cps_live_may_have(block))
		freed(block);
	cps_real.free(block);
}

EXPORT void free_sized(void *block, size_t n)
{
	if (cps_live_may_have(block))
		freed(block);
	cps_real.free_sized(block, n);
}

EXPORT void free_aligned_sized(void *block, size_t alignment, size_t n)
{
	if (cps_live_may_have(block))
		freed(block);
	cps_real.free_aligned_sized(block, alignment, n);
}

/* ---- what is said of them ------------------------------------------------------------------------ */

static const char *shown(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !*path ? "the program" : slash ? slash + 1 : path;
}

void cps_wrap_alloc_look(void)
{
	static char line[TEXT_BYTES];
	const char *first = cps_find_definer("malloc", false);
	const char *second = cps_find_definer("malloc", true);
	const char *new = cps_find_definer("_Znwm", false);

	*line = '\0';
	if (!cps_find_is_late() && first != cps_find_own_path())
		snprintf(
			line, sizeof(line),
			"the malloc of %.60s comes before the recorder's: calls of it are not seen",
			first ? shown(first) : "");
	else if (new &&new == second)
		snprintf(
			line, sizeof(line),
			"operator new of %.60s does not call malloc: what it allocates is not seen",
			shown(new));
	cps_alloc_remark(*line ? line : NULL);
}

/* ---- counters of the program ----------------------------------------------------------------- */
/*
 * What the program counts itself.
 *
 * In: calls of cpsample_count (cpsample.h). Out: points of the counter's resource, and samples.
 */

#define OFF UINT32_MAX /* a counter that is not recorded */

EXPORT unsigned cpsample_counter(const char *name)
{
	int saved = errno;
	uint32_t number;

	cps_start();
	number = name ? cps_resource_counter(name) : CPS_ATOMS_NONE;
	errno = saved;
	return number == CPS_ATOMS_NONE ? OFF : number + 1;
}

EXPORT void cpsample_add(unsigned counter, unsigned long long n)
{
	uint32_t number = counter - 1;
	uint64_t gticks;

	if (counter == OFF || number >= CPS_THREAD_POINTS || n > INT64_MAX / 4)
		return;
	gticks = cps_point_pass(number, n);
	if (gticks)
		cps_resource_sample(number, 0, gticks);
}
