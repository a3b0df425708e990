/* SPDX-License-Identifier: MIT */
/*
 * module_list.c - walks the loader's list of files.
 *
 * In: the list, which may be changing. Out: entries of the table of modules.
 */
#include "base/copy.h"
#include "unwind/elf_memory.h"
#include "unwind/lasting.h"
#include "unwind/module_list.h"
#include "unwind/module_table.h"
#include "base/poison.h"

#define WALK_MAX 100000 /* entries; a list that is changing may lead in a circle */

static const struct r_debug none; /* musl has no list */
static const struct r_debug *list = &none;

void cps_module_list_begin(const void *headers, size_t n)
{
	const struct r_debug *found = cps_elf_memory_debug(headers, n);
	const struct link_map *last;
	bool is_main = true;

	if (found)
		list = found;
	last = list->r_map ? cps_lasting_last(list->r_map) : NULL;
	for (const struct link_map *l = list->r_map; l; l = l->l_next, is_main = false) {
		cps_module_table_enter(l, l, is_main);
		if (l == last)
			break;
	}
}

/* While the loader is changing its list, nobody can tell which files are new or gone. */
static bool is_settled(void)
{
	return *(volatile const int *)&list->r_state == RT_CONSISTENT;
}

static bool was_not_met(const struct cps_module *m)
{
	return m->twin_of ? !m->twin_of->is_met : !m->is_met;
}

/* The caller is the table's writer. */
static void walk(void)
{
	const void *map = list->r_map;
	struct link_map l;

	for (uint32_t i = 0; i < cps_module_count(); i++)
		cps_module_get(i)->is_met = false;
	for (int i = 0; i < WALK_MAX && map && cps_copy(&l, (uintptr_t)map, sizeof(l)); i++) {
		uint32_t number = cps_module_table_enter(map, &l, false);

		if (number != CPS_MODULE_NONE)
			cps_module_get(number)->is_met = true;
		map = l.l_next;
	}
	cps_module_table_drop(was_not_met);
}

/* Whether the list still has the file. */
static bool is_listed(uint32_t number)
{
	const struct cps_module *m = cps_module_get(number);
	struct link_map l;

	if (m->twin_of)
		return true;
	return is_settled() && cps_copy(&l, (uintptr_t)m->map, sizeof(l)) &&
	       cps_module_table_is(m, m->map, &l);
}

uint32_t cps_module_list_find(uintptr_t pc, bool *is_sure)
{
	uint32_t number = cps_module_find(pc);

	*is_sure = number != CPS_MODULE_NONE && is_listed(number);
	if (*is_sure)
		return number;
	if (is_settled() && cps_module_table_try()) {
		walk();
		*is_sure = is_settled();
		cps_module_table_release();
	}
	return cps_module_find(pc);
}
