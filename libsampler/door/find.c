/* SPDX-License-Identifier: MIT */
/*
 * find.c - finds the C library's functions, with dlsym and without.
 *
 * In: names. Out: addresses. The hash table of a file is that of the GNU linker
 * (https://flapenguin.me/elf-dt-gnu-hash).
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "door/find.h"

CPS_MAYBE(dlsym);
CPS_MAYBE(dlerror);
CPS_MAYBE(pthread_key_create);
#pragma weak _r_debug
#pragma weak __libc_stack_end

extern void *__libc_stack_end;
extern __attribute__((visibility("hidden"))) ElfW(Dyn) _DYNAMIC[];

#define HIDDEN_VERSION 0x8000u

struct file {
	uintptr_t bias;
	const uint32_t *hash;
	const ElfW(Sym) * symbols;
	const uint16_t *versions;
	const char *names;
};

/* The loader has replaced the offsets in most dynamic sections by addresses; not in the vDSO's. */
static const void *at(const struct link_map *map, ElfW(Addr) address)
{
	return (const void *)(address < map->l_addr ? map->l_addr + address : address);
}

static bool read_file(const struct link_map *map, struct file *f)
{
	*f = (struct file){.bias = map->l_addr};
	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_GNU_HASH)
			f->hash = at(map, d->d_un.d_ptr);
		else if (d->d_tag == DT_SYMTAB)
			f->symbols = at(map, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			f->names = at(map, d->d_un.d_ptr);
		else if (d->d_tag == DT_VERSYM)
			f->versions = at(map, d->d_un.d_ptr);
	}
	return f->hash && f->symbols && f->names;
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static bool fits(const struct file *f, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &f->symbols[i];

	return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
	       !(f->versions && f->versions[i] & HIDDEN_VERSION) &&
	       strcmp(f->names + s->st_name, name) == 0;
}

static void *find_in(const struct link_map *map, const char *name)
{
	const uint32_t *buckets, *chain;
	uint32_t h = hash_of(name), first, i;
	struct file f;

	if (!read_file(map, &f))
		return NULL;
	buckets = f.hash + 4 + (size_t)f.hash[2] * (sizeof(ElfW(Addr)) / 4);
	first = f.hash[1];
	chain = buckets + f.hash[0];
	i = f.hash[0] ? buckets[h % f.hash[0]] : 0;
	if (i < first)
		return NULL;
	do {
		if ((chain[i - first] | 1) == (h | 1) && fits(&f, i, name))
			return (void *)(f.bias + f.symbols[i].st_value);
	} while (!(chain[i++ - first] & 1));
	return NULL;
}

static void *walk(const char *name)
{
	const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;
	void *found = NULL;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	for (map = map ? map->l_next : NULL; map && !found; map = map->l_next)
		found = find_in(map, name);
	return found;
}

void *cps_find_next(const char *name)
{
	void *found;

	if (!dlsym)
		return walk(name);
	found = dlsym(RTLD_NEXT, name);
	if (!found && dlerror)
		dlerror(); /* the target is not to see it */
	return found ? found : walk(name);
}

bool cps_find_is_fit(void)
{
	return &__libc_stack_end && pthread_key_create;
}
