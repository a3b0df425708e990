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

#include "process/door.h"
#include "process/find.h"
#include "resource/alloc.h"
#include "resource/point.h"
#include "stream/atoms.h"
#include "wrap/wrap.h"
#include "cpsample.h"

/* ---- wrap alloc ------------------------------------------------------------------------------ */
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

void free_sized(void *block, size_t n);
void free_aligned_sized(void *block, size_t alignment, size_t n);

/* ---- the functions behind the wrapped ones ------------------------------------------------------- */

/* The first call of any looks all of them up. It may come before our constructor, from the loader. */
static void *first_malloc(size_t n);
static void *first_calloc(size_t n, size_t bytes);
static void *first_realloc(void *block, size_t n);
static void *first_memalign(size_t alignment, size_t n);
static void *first_aligned_alloc(size_t alignment, size_t n);
static int first_posix_memalign(void **block, size_t alignment, size_t n);
static void *first_valloc(size_t n);
static void *first_pvalloc(size_t n);
static void first_free(void *block);
static void first_free_sized(void *block, size_t n);
static void first_free_aligned_sized(void *block, size_t alignment, size_t n);

static struct {
	void *(*malloc)(size_t n);
	void *(*calloc)(size_t n, size_t bytes);
	void *(*realloc)(void *block, size_t n);
	void *(*memalign)(size_t alignment, size_t n);
	void *(*aligned_alloc)(size_t alignment, size_t n);
	int (*posix_memalign)(void **block, size_t alignment, size_t n);
	void *(*valloc)(size_t n);
	void *(*pvalloc)(size_t n);
	void (*free)(void *block);
	void (*free_sized)(void *block, size_t n);
	void (*free_aligned_sized)(void *block, size_t alignment, size_t n);
} next = {
	first_malloc,
	first_calloc,
	first_realloc,
	first_memalign,
	first_aligned_alloc,
	first_posix_memalign,
	first_valloc,
	first_pvalloc,
	first_free,
	first_free_sized,
	first_free_aligned_sized,
};

/* Where there is no such function, or not yet. */
static void *no_malloc(size_t n)
{
	(void)n;
	errno = ENOMEM;
	return NULL;
}

static void *no_calloc(size_t n, size_t bytes)
{
	(void)bytes;
	return no_malloc(n);
}

static void *no_realloc(void *block, size_t n)
{
	(void)block;
	return no_malloc(n);
}

static int no_posix_memalign(void **block, size_t alignment, size_t n)
{
	(void)block, (void)alignment, (void)n;
	return ENOMEM;
}

static void no_free(void *block)
{
	(void)block;
}

/* An allocator that has no functions of C23 of its own. */
static void plain_free_sized(void *block, size_t n)
{
	(void)n;
	next.free(block);
}

static void plain_free_aligned_sized(void *block, size_t alignment, size_t n)
{
	(void)alignment, (void)n;
	next.free(block);
}

/* The loader is not asked if it can be helped: what it does for a name that is not there allocates, and frees. */
static void *find(const char *name)
{
	return cps_find_listed("malloc") ? cps_find_listed(name) : cps_find_next(name);
}

#define RESOLVE(name, otherwise)                                                                   \
	do {                                                                                       \
		next.name = otherwise;                                                             \
		found = find(#name);                                                               \
		if (found)                                                                         \
			memcpy(&next.name, &found, sizeof(found));                                 \
	} while (0)

static void resolve(void)
{
	int error = errno;
	void *found;

	RESOLVE(malloc, no_malloc);
	RESOLVE(calloc, no_calloc);
	RESOLVE(realloc, no_realloc);
	RESOLVE(memalign, no_calloc);
	RESOLVE(aligned_alloc, no_calloc);
	RESOLVE(posix_memalign, no_posix_memalign);
	RESOLVE(valloc, no_malloc);
	RESOLVE(pvalloc, no_malloc);
	RESOLVE(free, no_free);
	RESOLVE(free_sized, plain_free_sized);
	RESOLVE(free_aligned_sized, plain_free_aligned_sized);
	errno = error;
}

#define FIRST(type, name, parameters, arguments)                                                   \
	static type first_##name parameters                                                        \
	{                                                                                          \
		resolve();                                                                         \
		return next.name arguments;                                                        \
	}
#define FIRST_FREE(name, parameters, arguments)                                                    \
	static void first_##name parameters                                                        \
	{                                                                                          \
		resolve();                                                                         \
		next.name arguments;                                                               \
	}

FIRST(void *, malloc, (size_t n), (n))
FIRST(void *, calloc, (size_t n, size_t bytes), (n, bytes))
FIRST(void *, realloc, (void *block, size_t n), (block, n))
FIRST(void *, memalign, (size_t alignment, size_t n), (alignment, n))
FIRST(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n))
FIRST(int, posix_memalign, (void **block, size_t alignment, size_t n), (block, alignment, n))
FIRST(void *, valloc, (size_t n), (n))
FIRST(void *, pvalloc, (size_t n), (n))
FIRST_FREE(free, (void *block), (block))
FIRST_FREE(free_sized, (void *block, size_t n), (block, n))
FIRST_FREE(free_aligned_sized, (void *block, size_t alignment, size_t n), (block, alignment, n))

/* ---- the calls ----------------------------------------------------------------------------------- */

/* Without a resource that counts them, calls cost a comparison and a jump. */
#define WRAP(name, parameters, arguments, bytes)                                                   \
	static __attribute__((noinline)) void *counted_##name parameters                           \
	{                                                                                          \
		int64_t before = cps_alloc_begin();                                                \
		void *got = next.name arguments;                                                   \
                                                                                                   \
		cps_alloc_add(got, bytes, before);                                                 \
		return got;                                                                        \
	}                                                                                          \
	EXPORT void *name parameters                                                               \
	{                                                                                          \
		return cps_alloc_is_counted() ? counted_##name arguments : next.name arguments;    \
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
	int error = next.posix_memalign(block, alignment, n);

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
	void *got = next.realloc(block, n);

	if (number && !got && n)
		cps_live_put_back(block, number);
	else
		cps_live_freed(number);
	cps_alloc_add(got, n, before);
	return got;
}

EXPORT void *realloc(void *block, size_t n)
{
	return cps_alloc_is_counted() ? counted_realloc(block, n) : next.realloc(block, n);
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
	next.free(block);
}

EXPORT void free_sized(void *block, size_t n)
{
	if (cps_live_may_have(block))
		freed(block);
	next.free_sized(block, n);
}

EXPORT void free_aligned_sized(void *block, size_t alignment, size_t n)
{
	if (cps_live_may_have(block))
		freed(block);
	next.free_aligned_sized(block, alignment, n);
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

	if (first != cps_find_own_path())
		snprintf(
			line, sizeof(line),
			"the malloc of %.60s comes before the recorder's: calls of it are not seen",
			first ? shown(first) : "");
	else if (new &&new == second)
		snprintf(
			line, sizeof(line),
			"operator new of %.60s does not call malloc: what it allocates is not seen",
			shown(new));
	if (*line)
		cps_alloc_remark(line);
}

/* ---- wrap count ------------------------------------------------------------------------------ */
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

	cps_door_open();
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
