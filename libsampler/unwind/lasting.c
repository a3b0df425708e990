/* SPDX-License-Identifier: MIT */
/*
 * lasting.c - tells which files of the loader's list are never unloaded.
 *
 * In: the loader's list. Out: the last file in it that is needed at the start. The loader lists first the program,
 * then what is preloaded, then what these need, then what that needs, and so on; then what is opened. So whatever
 * comes before a file that is needed stays, too. What may be unloaded meanwhile is copied.
 */
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/copy.h"
#include "unwind/elf_memory.h"
#include "unwind/lasting.h"
#include "base/poison.h"

#define FILES_MAX 100000u /* a list that is changing may lead in a circle */
#define PART	  16u	  /* entries of a dynamic section that are read at once */

struct strings {
	uintptr_t table;
	uint64_t name; /* where the file's own name (DT_SONAME) begins; 0: it has none */
};

static const char *last_component(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* As in door/loaded.c, the loader may have left the address as it is in the file. */
static void take_entry(const struct link_map *map, const ElfW(Dyn) * d, struct strings *s)
{
	if (d->d_tag == DT_STRTAB)
		s->table = d->d_un.d_ptr + (d->d_un.d_ptr < map->l_addr ? map->l_addr : 0);
	else if (d->d_tag == DT_SONAME)
		s->name = d->d_un.d_val;
}

static struct strings strings_of(const struct link_map *map)
{
	struct strings s = {0, 0};

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		take_entry(map, d, &s);
	return s;
}

/* ---- files that stay -------------------------------------------------------------------------- */

static bool has_own_name(const struct link_map *map, const char *name)
{
	struct strings s = strings_of(map);

	return s.table && s.name && strcmp((const char *)s.table + s.name, name) == 0;
}

static bool is_before(const struct link_map *first, const struct link_map *last, const char *name)
{
	const struct link_map *end = last->l_next;

	for (const struct link_map *map = first; map != end; map = map->l_next)
		if (strcmp(last_component(map->l_name), name) == 0)
			return true;
	for (const struct link_map *map = first; map != end; map = map->l_next)
		if (has_own_name(map, name))
			return true;
	return false;
}

/* ---- files that may be unloaded --------------------------------------------------------------- */

static bool has_file_name(const struct link_map *copy, const char *name)
{
	char path[CPS_ELF_NAME_MAX + 1];

	return cps_elf_memory_copy_name(path, copy->l_name) &&
	       strcmp(last_component(path), name) == 0;
}

static bool copy_has_own_name(const struct link_map *copy, const char *name)
{
	ElfW(Dyn) part[PART] = {{.d_tag = DT_NULL + 1}};
	struct strings s = {0, 0};
	char own[CPS_ELF_NAME_MAX + 1];
	uint32_t i = PART;

	for (uintptr_t at = (uintptr_t)copy->l_ld; i == PART; at += sizeof(part)) {
		if (!cps_copy(part, at, sizeof(part)))
			return false;
		for (i = 0; i < PART && part[i].d_tag != DT_NULL; i++)
			take_entry(copy, &part[i], &s);
	}
	return s.table && s.name && cps_elf_memory_copy_name(own, (const char *)s.table + s.name) &&
	       strcmp(own, name) == 0;
}

/* The first file behind `last` of which that is so. */
static const struct link_map *find_behind(const struct link_map *last, const char *name,
					  bool (*is)(const struct link_map *, const char *))
{
	const struct link_map *map = last->l_next;
	struct link_map copy;

	for (uint32_t i = 0; map && i < FILES_MAX; i++, map = copy.l_next) {
		if (!cps_copy(&copy, (uintptr_t)map, sizeof(copy)))
			return NULL;
		if (is(&copy, name))
			return map;
	}
	return NULL;
}

/* ---- the list --------------------------------------------------------------------------------- */

/* A file that is needed by its path has that path's last component as its name, too. */
static const struct link_map *reach(const struct link_map *first, const struct link_map *last,
				    const char *needed)
{
	const char *name = last_component(needed);
	const struct link_map *found;

	if (is_before(first, last, name))
		return last;
	found = find_behind(last, name, has_file_name);
	if (!found)
		found = find_behind(last, name, copy_has_own_name);
	return found ? found : last;
}

const struct link_map *cps_lasting_last(const struct link_map *first)
{
	const struct link_map *last = first;

	for (const struct link_map *map = first; map && last->l_next; map = map->l_next) {
		struct strings s = strings_of(map);

		for (const ElfW(Dyn) *d = map->l_ld; s.table && d->d_tag != DT_NULL; d++)
			if (d->d_tag == DT_NEEDED && last->l_next)
				last = reach(first, last, (const char *)s.table + d->d_un.d_val);
		if (map == last)
			break;
	}
	return last;
}
