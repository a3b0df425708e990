/* SPDX-License-Identifier: MIT */
/*
 * real.c - finds the functions behind the wrapped ones.
 *
 * In: the table. Out: the next definition of each in the order of the loader.
 */
#undef _FORTIFY_SOURCE /* it would define the wrapped functions inline */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "process/find.h"
#include "wrap/eintr_restart.h"
#include "wrap/real.h"

struct cps_real cps_real;

struct place {
	const char *name;
	size_t offset;
};

#define PLACE(name) {#name, offsetof(struct cps_real, name)},
static const struct place or_null[] = {CPS_REAL_OR_NULL(PLACE)};
static const struct place or_enosys[] = {CPS_REAL_OR_ENOSYS(PLACE)};
static const struct place listed[] = {CPS_REAL_LISTED(PLACE)};
#undef PLACE

#define N(array) (sizeof(array) / sizeof((array)[0]))

static long no_such_call(void)
{
	errno = ENOSYS;
	return -1;
}

/* Finds those that were not found before. */
static void find(const struct place *list, size_t n, void *(*find_one)(const char *),
		 long (*otherwise)(void))
{
	void *missing, **place, *found;

	memcpy(&missing, &otherwise, sizeof(missing));
	for (size_t i = 0; i < n; i++) {
		place = (void **)((char *)&cps_real + list[i].offset);
		if (*place && *place != missing)
			continue;
		found = find_one(list[i].name);
		*place = found ? found : missing;
	}
}

bool cps_real_find(void)
{
	find(or_null, N(or_null), cps_find_next, NULL);
	find(or_enosys, N(or_enosys), cps_find_next, no_such_call);
	cps_real_find_listed();
	cps_eintr_restart_found();
	return cps_real.pthread_create && cps_real.sigaction && cps_real.dlclose;
}

void cps_real_find_again(void)
{
	int saved = errno;

	cps_real_find();
	errno = saved;
}

void cps_real_find_listed(void)
{
	find(listed, N(listed), cps_find_listed, NULL);
}

/* ---- allocators ---- */

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
	cps_real.free(block);
}

static void plain_free_aligned_sized(void *block, size_t alignment, size_t n)
{
	(void)alignment, (void)n;
	cps_real.free(block);
}

/* The loader is not asked if it can be helped. */
static void *find_allocator(const char *name)
{
	return cps_find_listed("malloc") ? cps_find_listed(name) : cps_find_next(name);
}

/* While the loader is asked, it may allocate. */
#define OTHERWISE(name, function) cps_real.name = cps_real.name ? cps_real.name : (function)
#define FIND(name)                                                                                 \
	do {                                                                                       \
		void *found = find_allocator(#name);                                               \
                                                                                                   \
		if (found)                                                                         \
			memcpy(&cps_real.name, &found, sizeof(found));                             \
	} while (0);

void cps_real_find_allocators(void)
{
	int saved = errno;

	OTHERWISE(malloc, no_malloc);
	OTHERWISE(calloc, no_calloc);
	OTHERWISE(realloc, no_realloc);
	OTHERWISE(memalign, no_calloc);
	OTHERWISE(aligned_alloc, no_calloc);
	OTHERWISE(posix_memalign, no_posix_memalign);
	OTHERWISE(valloc, no_malloc);
	OTHERWISE(pvalloc, no_malloc);
	OTHERWISE(free, no_free);
	OTHERWISE(free_sized, plain_free_sized);
	OTHERWISE(free_aligned_sized, plain_free_aligned_sized);
	CPS_REAL_ALLOCATORS(FIND)
	errno = saved;
}
