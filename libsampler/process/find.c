/* SPDX-License-Identifier: MIT */
/*
 * find.c - finds functions of loaded files, with dlsym and without.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "process/find.h"
#include "unwind/elf_memory.h"
#include "unwind/module.h"

/* ---- find ------------------------------------------------------------------------------------ */
/*
 * Finds the C library's functions, with dlsym and without.
 *
 * In: names. Out: addresses.
 */

CPS_MAYBE(dlopen);
CPS_MAYBE(dlsym);
CPS_MAYBE(dlerror);
CPS_MAYBE(pthread_setspecific); /* not one that is wrapped */
#pragma weak _r_debug
#pragma weak __libc_stack_end

extern void *__libc_stack_end;
extern __attribute__((visibility("hidden"))) ElfW(Dyn) _DYNAMIC[];

static const ElfW(Sym) *
	symbol_in(const struct link_map *map, const char *name, struct cps_loaded *f)
{
	return cps_loaded_read(map, f) && f->gnu_hash ? cps_loaded_find(f, name, CPS_LOADED_NEWEST)
						      : NULL;
}

/* A function that finds out which one is called (IFUNC) is not that one. */
static void *find_in(const struct link_map *map, const char *name)
{
	struct cps_loaded f;
	const ElfW(Sym) *found = symbol_in(map, name, &f);

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

static const struct link_map *own_file(void)
{
	const struct link_map *map = cps_find_first_file();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

bool cps_find_is_libc(const struct link_map *map)
{
	const char *slash = strrchr(map->l_name, '/');
	const char *name = slash ? slash + 1 : map->l_name;

	return strcmp(name, "libc.so.6") == 0 || strncmp(name, "libc-2.", 7) == 0;
}

bool cps_find_is_late(void)
{
	const struct link_map *own = own_file(), *map = cps_find_first_file();

	while (own && map && map != own && !cps_find_is_libc(map))
		map = map->l_next;
	return own && map && map != own;
}

/* The first of the files among which the functions are that this library wraps. */
static const struct link_map *first_behind(void)
{
	const struct link_map *own = own_file();

	return cps_find_is_late() ? cps_find_first_file() : own ? own->l_next : NULL;
}

static const struct link_map *next_of(const struct link_map *map)
{
	return map->l_next && map->l_next->l_ld == _DYNAMIC ? map->l_next->l_next : map->l_next;
}

static void *walk(const struct link_map *map, const char *name)
{
	void *found = NULL;

	for (; map && !found; map = map->l_next)
		found = find_in(map, name);
	return found;
}

void *cps_find_listed(const char *name)
{
	void *found = NULL;

	for (const struct link_map *map = first_behind(); map && !found; map = next_of(map))
		found = find_in(map, name);
	return found;
}

const char *cps_find_definer(const char *name, bool is_next)
{
	const struct link_map *map = is_next ? first_behind() : cps_find_first_file();

	while (map && !find_in(map, name))
		map = is_next ? next_of(map) : map->l_next;
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
	if (cps_find_is_late() &&
	    (found = cps_find_listed(name))) /* not one of what only this library needs */
		return found;
	found = dlsym(RTLD_NEXT, name);
	if (!found && dlerror)
		dlerror(); /* the target is not to see it */
	return found ? found : cps_find_listed(name);
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

/* ---- loaded ---------------------------------------------------------------------------------- */
/*
 * Finds symbols in the tables of a loaded file.
 *
 * In: an entry of the loader's list, names. Out: definitions. The hash table of a file is that of
 * the GNU linker (https://flapenguin.me/elf-dt-gnu-hash); which version fits a reference is as in
 * the Linux Standard Base, Core Generic 5.0, section 10.7.6.
 */

#define HIDDEN_VERSION 0x8000u
#define BASE_VERSION   1u /* and 0 is local */
#define FIRST_VERSION  2u

/* The loader has replaced the offsets in most dynamic sections by addresses; not in the vDSO's. */
static const void *at(const struct link_map *map, ElfW(Addr) address)
{
	return (const void *)(address < map->l_addr ? map->l_addr + address : address);
}

static void read_entry(const struct link_map *map, const ElfW(Dyn) * d, struct cps_loaded *f)
{
	const void *p = at(map, d->d_un.d_ptr);

	switch (d->d_tag) {
	case DT_GNU_HASH:
		f->gnu_hash = p;
		break;
	case DT_HASH:
		f->hash = p;
		break;
	case DT_SYMTAB:
		f->symbols = p;
		break;
	case DT_STRTAB:
		f->names = p;
		break;
	case DT_VERSYM:
		f->versions = p;
		break;
	case DT_VERNEED:
		f->needs = p;
		break;
	case DT_VERDEF:
		f->gives = p;
		break;
	case DT_JMPREL:
		f->calls = p;
		break;
	case DT_PLTRELSZ:
		f->n_calls = d->d_un.d_val / sizeof(*f->calls);
		break;
	case DT_RELA:
		f->others = p;
		break;
	case DT_RELASZ:
		f->n_others = d->d_un.d_val / sizeof(*f->others);
		break;
	case DT_SYMBOLIC:
		f->is_symbolic = true;
		break;
	case DT_FLAGS:
		f->is_symbolic |= (d->d_un.d_val & DF_SYMBOLIC) != 0;
		break;
	default:
		break;
	}
}

bool cps_loaded_read(const struct link_map *map, struct cps_loaded *f)
{
	*f = (struct cps_loaded){.bias = map->l_addr};
	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		read_entry(map, d, f);
	f->n_calls = f->calls ? f->n_calls : 0;
	f->n_others = f->others ? f->n_others : 0;
	return (f->gnu_hash || f->hash) && f->symbols && f->names;
}

/* ---- versions -------------------------------------------------------------------------------- */

/* NULL: the file gives no version with this number. */
static const char *given_version(const struct cps_loaded *f, uint32_t number)
{
	const char *p = (const char *)f->gives;

	while (p) {
		const ElfW(Verdef) *v = (const void *)p;
		const ElfW(Verdaux) *name = (const void *)(p + v->vd_aux);

		if ((v->vd_ndx & ~HIDDEN_VERSION) == number)
			return v->vd_flags & VER_FLG_BASE ? NULL : f->names + name->vda_name;
		p = v->vd_next ? p + v->vd_next : NULL;
	}
	return NULL;
}

static const char *needed_version(const struct cps_loaded *f, uint32_t number)
{
	const char *p = (const char *)f->needs;

	while (p) {
		const ElfW(Verneed) *v = (const void *)p;
		const char *q = p + v->vn_aux;

		for (uint32_t n = v->vn_cnt; n; n--) {
			const ElfW(Vernaux) *name = (const void *)q;

			if ((name->vna_other & ~HIDDEN_VERSION) == number)
				return f->names + name->vna_name;
			q += name->vna_next;
		}
		p = v->vn_next ? p + v->vn_next : NULL;
	}
	return NULL;
}

const char *cps_loaded_version(const struct cps_loaded *f, uint32_t i)
{
	uint32_t number = f->versions ? f->versions[i] & ~HIDDEN_VERSION : 0;
	const char *given = number > BASE_VERSION ? given_version(f, number) : NULL;

	if (number <= BASE_VERSION)
		return CPS_LOADED_NONE;
	return given ? given : needed_version(f, number);
}

static bool has_version(const struct cps_loaded *f, uint32_t i, const char *version)
{
	uint32_t number = f->versions ? f->versions[i] & ~HIDDEN_VERSION : 0;
	bool is_hidden = f->versions && f->versions[i] & HIDDEN_VERSION;
	const char *given;

	if (version == CPS_LOADED_NONE && number <= FIRST_VERSION)
		return true;
	if (version == CPS_LOADED_NONE || !*version)
		return !is_hidden;
	given = given_version(f, number);
	return given ? strcmp(given, version) == 0 : !is_hidden;
}

/* ---- names ------------------------------------------------------------------------------------- */

static bool is_definition(const ElfW(Sym) * s)
{
	int type = ELF64_ST_TYPE(s->st_info), visibility = ELF64_ST_VISIBILITY(s->st_other);

	return s->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC) &&
	       ELF64_ST_BIND(s->st_info) != STB_LOCAL &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static bool fits(const struct cps_loaded *f, uint32_t i, const char *name, const char *version)
{
	const ElfW(Sym) *s = &f->symbols[i];

	return is_definition(s) && strcmp(f->names + s->st_name, name) == 0 &&
	       has_version(f, i, version);
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

/* Two bits of a word are set for each name in the table (a Bloom filter). */
static bool may_have(const uint32_t *table, uint32_t h)
{
	const uint32_t bits = sizeof(ElfW(Addr)) * 8;
	const ElfW(Addr) *words = (const void *)(table + 4);
	ElfW(Addr) word = table[2] ? words[h / bits & (table[2] - 1)] : 0;

	return word >> h % bits & word >> (h >> table[3]) % bits & 1;
}

static const ElfW(Sym) *
	find_by_gnu_hash(const struct cps_loaded *f, const char *name, const char *version)
{
	const uint32_t *table = f->gnu_hash;
	const uint32_t *buckets = table + 4 + (size_t)table[2] * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = buckets + table[0];
	uint32_t h = hash_of(name), first = table[1], i;

	if (!table[0] || !may_have(table, h) || (i = buckets[h % table[0]]) < first)
		return NULL;
	do {
		if ((chain[i - first] | 1) == (h | 1) && fits(f, i, name, version))
			return &f->symbols[i];
	} while (!(chain[i++ - first] & 1));
	return NULL;
}

const ElfW(Sym) * cps_loaded_find(const struct cps_loaded *f, const char *name, const char *version)
{
	if (f->gnu_hash)
		return find_by_gnu_hash(f, name, version);
	for (uint32_t i = 1; f->hash && i < f->hash[1];
	     i++) /* an old file; that is the number of symbols */
		if (fits(f, i, name, version))
			return &f->symbols[i];
	return NULL;
}

uintptr_t cps_loaded_address(const struct cps_loaded *f, const ElfW(Sym) * s)
{
	return s->st_shndx == SHN_ABS ? s->st_value : f->bias + s->st_value;
}

/* ---- files ------------------------------------------------------------------------------------- */

void cps_loaded_files_read(struct cps_loaded_files *l)
{
	const struct link_map *map = first_behind();

	l->n = 0;
	l->is_unknown = !own_file();
	for (; map && l->n < CPS_LOADED_MANY; map = next_of(map))
		if (cps_loaded_read(map, &l->files[l->n]) && l->files[l->n].gnu_hash)
			l->n++;
	l->rest = map;
}

bool cps_loaded_files_have(const struct cps_loaded_files *l, const char *name)
{
	struct cps_loaded f;

	if (l->is_unknown)
		return true;
	for (size_t i = 0; i < l->n; i++)
		if (cps_loaded_find(&l->files[i], name, CPS_LOADED_NEWEST))
			return true;
	for (const struct link_map *map = l->rest; map; map = next_of(map))
		if (symbol_in(map, name, &f))
			return true;
	return false;
}
