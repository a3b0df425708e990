/* SPDX-License-Identifier: MIT */
/*
 * module.c - says which file an address lies in.
 *
 * In: addresses. Out: struct cps_module. The C library is asked, by a function that may be called in a
 * handler (_dl_find_object); where it has none, its list is walked (module_list.h).
 */
#include "base/copy.h"
#include "unwind/module_list.h"
#include "unwind/module_table.h"
#include "unwind/registered.h"
#include "unwind/unlisted.h"
#include "base/poison.h"

static int (*find)(void *address, struct cps_found *found);
static atomic_bool has_news;

static uint32_t find_by_map(const void *map, bool *is_sure)
{
	uint32_t number = CPS_MODULE_NONE;
	struct link_map l;

	*is_sure = false;
	if (!cps_copy(&l, (uintptr_t)map, sizeof(l)))
		return CPS_MODULE_NONE;
	number = cps_module_table_known(map, &l);
	if (number == CPS_MODULE_NONE && cps_module_table_try()) {
		number = cps_module_table_enter(map, &l, false);
		cps_module_table_release();
	}
	*is_sure = number != CPS_MODULE_NONE;
	return number;
}

uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure)
{
	uint32_t number = cps_module_table_find_lasting(pc);
	struct cps_found found;

	*is_sure = true;
	if (number != CPS_MODULE_NONE)
		return number;
	if (!find)
		number = cps_module_list_find(pc, is_sure);
	else if (find((void *)pc, &found) == 0)
		number = find_by_map(found.map, is_sure);
	/* The C library takes a file for one piece of memory. */
	if (number != CPS_MODULE_NONE && !cps_module_table_holds(number, pc))
		number = CPS_MODULE_NONE;
	return number == CPS_MODULE_NONE && *is_sure ? cps_unlisted_find(pc) : number;
}

const struct cps_module *cps_module_listed(uint32_t number, uintptr_t *pc)
{
	const struct cps_module *m = number == CPS_MODULE_NONE ? NULL : cps_module_get(number);

	if (!m || !m->twin_of)
		return m;
	if (!m->twin_of->end)
		return NULL;
	*pc += m->twin_of->bias - m->bias;
	return m->twin_of;
}

static bool is_gone(const struct cps_module *m)
{
	struct cps_found found;
	struct link_map l;

	if (m->twin_of)
		return !m->twin_of->end;
	return find((void *)m->dynamic, &found) != 0 || found.map != m->map ||
	       !cps_copy(&l, (uintptr_t)m->map, sizeof(l)) || !cps_module_table_is(m, m->map, &l);
}

void cps_module_closed(void)
{
	bool is_sure = false;

	if (!find) {
		cps_module_list_find(0, &is_sure);
	} else if (cps_module_table_try()) {
		cps_module_table_drop(is_gone);
		cps_module_table_release();
		is_sure = true;
	}
	if (!is_sure)
		cps_module_table_renew();
}

void cps_module_use(struct cps_module *m)
{
	if (atomic_load_explicit(&m->used, memory_order_relaxed))
		return;
	atomic_store(&m->used, true);
	cps_module_set_news();
}

void cps_module_set_news(void)
{
	atomic_store(&has_news, true);
}

/* Order: the flag is taken by an exchange, which acquires what was released with it. A store of `false` could come
 * behind that of another thread and before a look at what that has marked. */
bool cps_module_take_news(void)
{
	return atomic_load_explicit(&has_news, memory_order_relaxed) &&
	       atomic_exchange(&has_news, false);
}

void cps_module_forget_announced(void)
{
	for (uint32_t i = 0; i < cps_module_count(); i++) {
		atomic_store(&cps_module_get(i)->used, false);
		atomic_store(&cps_module_get(i)->announced, false);
	}
	atomic_store(&has_news, false);
}

void cps_module_reset(void)
{
	cps_module_table_release();
	cps_registered_reset();
	cps_module_forget_announced();
}

void cps_module_init(const struct cps_module_start *start)
{
	find = start->find;
	cps_module_table_begin(start);
	cps_module_list_begin(start->phdr, start->phnum);
	cps_module_table_start();
}
