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

#define FIRST_OF(name) .name = first_##name,
struct cps_real cps_real = {CPS_REAL_ALLOCATORS(FIRST_OF)};
#undef FIRST_OF

struct place {
	const char *name;
	size_t offset;
};

#define PLACE(name) {#name, offsetof(struct cps_real, name)},
static const struct place or_null[] = {CPS_REAL_OR_NULL(PLACE)};
static const struct place or_enosys[] = {CPS_REAL_OR_ENOSYS(PLACE)};
static const struct place keys[] = {CPS_REAL_KEYS(PLACE)};
static const struct place frames[] = {CPS_REAL_FRAMES(PLACE)};
#undef PLACE

#define N(array) (sizeof(array) / sizeof((array)[0]))

static long no_such_call(void)
{
	errno = ENOSYS;
	return -1;
}

/* Finds those that were not found before. If the files are given, the loader is not asked for what none of them has. */
static void find(const struct place *list, size_t n, const struct cps_loaded_files *files,
		 long (*otherwise)(void))
{
	void *missing, *found;
	char *place;

	memcpy(&missing, &otherwise, sizeof(missing));
	for (size_t i = 0; i < n; i++) {
		place = (char *)&cps_real + list[i].offset;
		memcpy(&found, place, sizeof(found));
		if (found && found != missing)
			continue;
		if (!files)
			found = cps_find_listed(list[i].name);
		else
			found = cps_loaded_files_have(files, list[i].name)
					? cps_find_next(list[i].name)
					: NULL;
		if (!found)
			found = missing;
		memcpy(place, &found, sizeof(found));
	}
}

bool cps_real_find(void)
{
	static bool is_late;
	struct cps_loaded_files files;

	cps_loaded_files_read(&files);
	find(or_null, N(or_null), &files, NULL);
	find(or_enosys, N(or_enosys), &files, no_such_call);
	find(keys, N(keys), NULL, NULL);
	if (!is_late) /* a library that comes later may be unloaded: wrap_frame.c keeps it */
		find(frames, N(frames), NULL, NULL);
	is_late = true;
	if (cps_real.mcount)
		cps_calls_mcount_instead = cps_real.mcount;
	if (cps_real.__fentry__)
		cps_calls_fentry_instead = cps_real.__fentry__;
	cps_eintr_restart_found();
	return cps_real.pthread_create && cps_real.sigaction && cps_real.dlclose;
}

void cps_real_find_again(void)
{
	int saved = errno;

	cps_real_find();
	errno = saved;
}

void cps_real_find_keys(void)
{
	find(keys, N(keys), NULL, NULL);
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
#define FIND(name, otherwise)                                                                      \
	do {                                                                                       \
		cps_real.name = otherwise;                                                         \
		found = find_allocator(#name);                                                     \
		if (found)                                                                         \
			memcpy(&cps_real.name, &found, sizeof(found));                             \
	} while (0)

static void find_allocators(void)
{
	int saved = errno;
	void *found;

	FIND(malloc, no_malloc);
	FIND(calloc, no_calloc);
	FIND(realloc, no_realloc);
	FIND(memalign, no_calloc);
	FIND(aligned_alloc, no_calloc);
	FIND(posix_memalign, no_posix_memalign);
	FIND(valloc, no_malloc);
	FIND(pvalloc, no_malloc);
	FIND(free, no_free);
	FIND(free_sized, plain_free_sized);
	FIND(free_aligned_sized, plain_free_aligned_sized);
	errno = saved;
}

void cps_real_find_allocators(void)
{
	if (cps_real.malloc == first_malloc)
		find_allocators();
}

#define FIRST(type, name, parameters, arguments)                                                   \
	static type first_##name parameters                                                        \
	{                                                                                          \
		find_allocators();                                                                 \
		return cps_real.name arguments;                                                    \
	}
#define FIRST_FREE(name, parameters, arguments)                                                    \
	static void first_##name parameters                                                        \
	{                                                                                          \
		find_allocators();                                                                 \
		cps_real.name arguments;                                                           \
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
