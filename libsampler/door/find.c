/* SPDX-License-Identifier: MIT */
/*
 * find.c - finds the C library's functions, with dlsym and without.
 *
 * In: names. Out: addresses.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "door/find.h"
#include "door/loaded.h"

CPS_MAYBE(dlopen);
CPS_MAYBE(dlsym);
CPS_MAYBE(dlerror);
CPS_MAYBE(pthread_setspecific); /* not one that is wrapped */
#pragma weak _r_debug
#pragma weak __libc_stack_end

extern void *__libc_stack_end;
extern __attribute__((visibility("hidden"))) ElfW(Dyn) _DYNAMIC[];

/* A function that finds out which one is called (IFUNC) is not that one. */
static void *find_in(const struct link_map *map, const char *name)
{
	const ElfW(Sym) *found = NULL;
	struct cps_loaded f;

	if (cps_loaded_read(map, &f) && f.gnu_hash)
		found = cps_loaded_find(&f, name, CPS_LOADED_NEWEST);
	if (!found || (ELF64_ST_TYPE(found->st_info) != STT_FUNC &&
		       ELF64_ST_TYPE(found->st_info) != STT_OBJECT))
		return NULL;
	return (void *)cps_loaded_address(&f, found);
}

const struct link_map *cps_find_first_file(void)
{
	return &_r_debug ? _r_debug.r_map : NULL;
}

bool cps_find_is_settled(void)
{
	return &_r_debug && _r_debug.r_state == RT_CONSISTENT;
}

uintptr_t cps_find_loader_base(void)
{
	return &_r_debug ? _r_debug.r_ldbase : 0;
}

static void *walk(const struct link_map *map, const char *name)
{
	void *found = NULL;

	for (; map && !found; map = map->l_next)
		found = find_in(map, name);
	return found;
}

static const struct link_map *own_file(void)
{
	const struct link_map *map = cps_find_first_file();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

void *cps_find_listed(const char *name)
{
	const struct link_map *own = own_file();

	return walk(own ? own->l_next : NULL, name);
}

const char *cps_find_definer(const char *name, bool is_next)
{
	const struct link_map *map = is_next ? own_file() : cps_find_first_file();

	if (map && is_next)
		map = map->l_next;
	while (map && !find_in(map, name))
		map = map->l_next;
	return map ? map->l_name : NULL;
}

const char *cps_find_own_path(void)
{
	const struct link_map *map = own_file();

	return map ? map->l_name : NULL;
}

void *cps_find_next(const char *name)
{
	void *found;

	if (!dlsym)
		return cps_find_listed(name);
	found = dlsym(RTLD_NEXT, name);
	if (!found && dlerror)
		dlerror(); /* the target is not to see it */
	return found ? found : cps_find_listed(name);
}

void cps_find_places(const struct cps_find_place *list, size_t n, void *next)
{
	for (size_t i = 0; i < n; i++) {
		void *found = cps_find_next(list[i].name);

		memcpy((char *)next + list[i].offset, &found, sizeof(found));
	}
}

void *cps_find_loaded(const char *library, const char *name)
{
	void *handle = dlopen ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = handle && dlsym ? dlsym(handle, name) : NULL;

	if (!found && dlerror)
		dlerror();
	return found;
}

void *cps_find_exported(const char *name)
{
	return walk(cps_find_first_file(), name);
}

bool cps_find_is_fit(void)
{
	return &__libc_stack_end && pthread_setspecific;
}
