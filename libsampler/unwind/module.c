/* SPDX-License-Identifier: MIT */
/*
 * module.c - keeps the table of loaded files.
 *
 * In: what the loader says. Out: struct cps_module. There is one writer at a time, by a flag that is
 * tried and never waited for. A new entry is complete before the count is raised that makes it
 * visible.
 *
 * The loader's memory, and that of a file that is not lasting, is copied (base/copy.h): another
 * thread may be unloading it.
 */
#include <elf.h>
#include <string.h>

#include "base/arena.h"
#include "base/copy.h"
#include "format.h"
#include "unwind/elf_memory.h"
#include "unwind/module.h"
#include "base/poison.h"

#define CHUNK  64u
#define CHUNKS (CPS_MODULES_MAX / CHUNK)
#define WALK_MAX                                                                                   \
	100000 /* entries of the loader's list; one that is changing may lead in a circle */

static struct cps_module *chunks[CHUNKS];
static _Atomic uint32_t count;
static _Atomic uint32_t generation = 1;
static uint32_t n_lasting;
static _Atomic uint32_t latest; /* the lasting module that was found last */
static atomic_flag writing = ATOMIC_FLAG_INIT;
static struct cps_module_start about;
static const struct r_debug_extended *lists; /* the loader's, one for each namespace */
static bool is_started;
static atomic_bool has_news;

/* The writer's: a file that is compared with the table. */
static struct cps_elf_memory file;

uint32_t cps_module_count(void)
{
	return atomic_load_explicit(&count, memory_order_acquire);
}

uint32_t cps_module_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_acquire);
}

struct cps_module *cps_module_get(uint32_t number)
{
	return &chunks[number / CHUNK][number % CHUNK];
}

static bool holds(uint32_t number, uintptr_t pc)
{
	const struct cps_module *m = cps_module_get(number);

	return pc >= m->start && pc < m->end;
}

/* Most queries in a row are for the same module, so it is tried first. */
static uint32_t find_lasting(uintptr_t pc)
{
	uint32_t i = atomic_load_explicit(&latest, memory_order_relaxed);

	if (i < n_lasting && holds(i, pc))
		return i;
	for (i = n_lasting; i-- > 0;) {
		if (holds(i, pc)) {
			atomic_store_explicit(&latest, i, memory_order_relaxed);
			return i;
		}
	}
	return CPS_MODULE_NONE;
}

uint32_t cps_module_find(uintptr_t pc)
{
	uint32_t number = find_lasting(pc);

	if (number != CPS_MODULE_NONE)
		return number;
	for (uint32_t i = cps_module_count(); i-- > n_lasting;)
		if (holds(i, pc))
			return i;
	return CPS_MODULE_NONE;
}

/* What was there at the start stays, so its readable segments can be read directly. */
bool cps_module_copy(void *to, uintptr_t from, size_t n)
{
	uint32_t number = find_lasting(from);
	const struct cps_module *m = number == CPS_MODULE_NONE ? NULL : cps_module_get(number);

	for (uint32_t i = 0; m && i < m->n_segments; i++) {
		const struct cps_segment *s = &m->segments[i];
		uint64_t offset = from - m->bias - s->vaddr;

		if (s->flags & PF_R && offset < s->memory_bytes && n <= s->memory_bytes - offset) {
			memcpy(to, (const void *)from, n);
			return true;
		}
	}
	return cps_copy(to, from, n);
}

/* ---- files ------------------------------------------------------------------------------------- */

/* Whether this entry of the loader's list is still the module's. It may have been freed and used again
 * for another file. */
static bool is_same(const struct cps_module *m, const void *map, const struct link_map *l)
{
	return m->end && m->map == map && m->bias == l->l_addr && m->dynamic == l->l_ld &&
	       (m->is_lasting || cps_elf_memory_has_name(m->path, l->l_name));
}

static uint32_t known(const void *map, const struct link_map *l)
{
	for (uint32_t i = atomic_load(&count); i-- > 0;)
		if (is_same(cps_module_get(i), map, l))
			return i;
	return CPS_MODULE_NONE;
}

/* Whether this is the same file as one that was there at the start. The loader itself is such a
 * file, and is in the list of every namespace. */
static uint32_t elsewhere(const struct link_map *l)
{
	for (uint32_t i = 0; i < atomic_load(&count); i++) {
		const struct cps_module *m = cps_module_get(i);

		if (m->is_lasting && m->bias == l->l_addr && m->dynamic == l->l_ld)
			return i;
	}
	return CPS_MODULE_NONE;
}

/* The absolute path of the file whose name has been read. */
static const char *path_of(bool is_main, bool is_vdso)
{
	size_t dir = 0, n;
	char *path;

	if (is_vdso)
		return "[vdso]";
	if (is_main && about.exe)
		return about.exe;
	n = strlen(file.name);
	if (file.name[0] != '/' && about.cwd)
		dir = strlen(about.cwd) + 1;
	path = cps_arena_take(dir + n + 1);
	if (!path)
		return "";
	if (dir) {
		memcpy(path, about.cwd, dir - 1);
		path[dir - 1] = '/';
	}
	memcpy(path + dir, file.name, n);
	return path;
}

/* Another file lies where these did, so they are gone. */
static void bury(const struct cps_module *now)
{
	bool any_gone = false;

	for (uint32_t i = n_lasting; is_started && i < atomic_load(&count); i++) {
		struct cps_module *m = cps_module_get(i);

		if (m != now && m->end && m->start < now->end && now->start < m->end) {
			m->end = 0;
			any_gone = true;
		}
	}
	if (any_gone)
		atomic_fetch_add(&generation, 1);
}

static uint32_t add(const void *map, const struct link_map *l, bool is_main)
{
	uint32_t number = atomic_load(&count);
	struct cps_module *m;

	if (number == CHUNK * CHUNKS)
		return CPS_MODULE_NONE;
	if (!chunks[number / CHUNK])
		chunks[number / CHUNK] = cps_arena_take(CHUNK * sizeof(struct cps_module));
	if (!chunks[number / CHUNK])
		return CPS_MODULE_NONE;
	m = cps_module_get(number);
	memset(m, 0, sizeof(*m));
	if (!cps_elf_memory_describe(&file, m))
		return CPS_MODULE_NONE;
	m->map = map;
	m->dynamic = l->l_ld;
	m->is_vdso = about.vdso && l->l_addr == about.vdso;
	m->path = path_of(is_main, m->is_vdso);
	m->bytes = m->end - m->start;
	m->is_own = (uintptr_t)about.own >= m->start && (uintptr_t)about.own < m->end;
	m->is_seen = true;
	bury(m);
	atomic_store_explicit(&count, number + 1, memory_order_release);
	return number;
}

/* Finds the entry of the same file at the same place, if it was loaded once before, and makes it
 * valid again. A program that loads and unloads a library for ever must not fill the table. */
static uint32_t revive(const void *map, const struct link_map *l)
{
	for (uint32_t i = atomic_load(&count); i-- > n_lasting;) {
		struct cps_module *m = cps_module_get(i);

		if (m->end || m->dynamic != l->l_ld || strcmp(m->path, file.name) != 0 ||
		    !cps_elf_memory_is(&file, m))
			continue;
		m->map = map;
		m->is_seen = true;
		m->end = m->start + m->bytes;
		bury(m);
		return i;
	}
	return CPS_MODULE_NONE;
}

/* Puts a file into the table. The caller has set `writing`. */
static uint32_t enter(const void *map, const struct link_map *l, bool is_main)
{
	uint32_t number = known(map, l);

	if (number == CPS_MODULE_NONE)
		number = elsewhere(l);
	if (number != CPS_MODULE_NONE) {
		cps_module_get(number)->is_seen = true;
		return number;
	}
	file.bias = l->l_addr;
	file.is_lasting = !is_started;
	if (!cps_elf_memory_read(&file, is_main ? about.phdr : NULL, is_main ? about.phnum : 0) ||
	    !cps_elf_memory_read_name(&file, l->l_name))
		return CPS_MODULE_NONE;
	number = revive(map, l);
	return number != CPS_MODULE_NONE ? number : add(map, l, is_main);
}

/* ---- the loader's lists, for C libraries without _dl_find_object ------------------------------- */

/* The namespaces that dlmopen(3) makes have lists of their own. These are linked to each other, if
 * the loader is not too old. */
static const struct r_debug_extended *next_of(const struct r_debug_extended *r)
{
	return lists->base.r_version >= 2 ? *(struct r_debug_extended *const volatile *)&r->r_next
					  : NULL;
}

/* While the loader is changing its lists, nobody can tell which files are new or gone. */
static bool is_settled(void)
{
	for (const struct r_debug_extended *r = lists; r; r = next_of(r))
		if (*(volatile const int *)&r->base.r_state != RT_CONSISTENT)
			return false;
	return true;
}

static bool copy_entry(struct link_map *l, const void *map)
{
	if (is_started)
		return cps_copy(l, (uintptr_t)map, sizeof(*l));
	memcpy(l, map, sizeof(*l));
	return true;
}

static void walk_list(const void *map, bool is_main)
{
	struct link_map l;

	for (int i = 0; i < WALK_MAX && map && copy_entry(&l, map); i++, is_main = false) {
		enter(map, &l, is_main);
		map = l.l_next;
	}
}

/* Walks the loader's lists. The caller has set `writing`. */
static void walk(void)
{
	bool any_gone = false;

	for (uint32_t i = 0; i < atomic_load(&count); i++)
		cps_module_get(i)->is_seen = false;
	for (const struct r_debug_extended *r = lists; r; r = next_of(r))
		walk_list(r->base.r_map, r == lists && !is_started);
	for (uint32_t i = n_lasting; is_started && i < atomic_load(&count); i++) {
		struct cps_module *m = cps_module_get(i);

		if (m->end && !m->is_seen) {
			m->end = 0;
			any_gone = true;
		}
	}
	if (any_gone)
		atomic_fetch_add(&generation, 1);
}

static uint32_t find_by_walk(uintptr_t pc, bool *is_sure)
{
	uint32_t number = cps_module_find(pc);
	struct link_map l;

	if (number != CPS_MODULE_NONE) {
		const struct cps_module *m = cps_module_get(number);

		*is_sure = is_settled() && cps_copy(&l, (uintptr_t)m->map, sizeof(l)) &&
			   is_same(m, m->map, &l);
		if (*is_sure)
			return number;
	}
	*is_sure = false;
	if (is_settled() && !atomic_flag_test_and_set(&writing)) {
		walk();
		*is_sure = is_settled();
		atomic_flag_clear(&writing);
	}
	return cps_module_find(pc);
}

/* ---- questions --------------------------------------------------------------------------------- */

static uint32_t find_by_map(const void *map, bool *is_sure)
{
	uint32_t number = CPS_MODULE_NONE;
	struct link_map l;

	*is_sure = false;
	if (!cps_copy(&l, (uintptr_t)map, sizeof(l)))
		return CPS_MODULE_NONE;
	number = known(map, &l);
	if (number == CPS_MODULE_NONE && !atomic_flag_test_and_set(&writing)) {
		number = enter(map, &l, false);
		atomic_flag_clear(&writing);
	}
	*is_sure = number != CPS_MODULE_NONE;
	return number;
}

uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure)
{
	uint32_t number = find_lasting(pc);
	struct cps_found found;

	*is_sure = true;
	if (number != CPS_MODULE_NONE)
		return number;
	if (!about.find)
		return find_by_walk(pc, is_sure);
	return about.find((void *)pc, &found) == 0 ? find_by_map(found.map, is_sure)
						   : CPS_MODULE_NONE;
}

/* Notices which of the known files are gone. The caller has set `writing`. */
static void ask_for_all(void)
{
	bool any_gone = false;

	for (uint32_t i = n_lasting; i < atomic_load(&count); i++) {
		struct cps_module *m = cps_module_get(i);
		struct cps_found found;
		struct link_map l;

		if (!m->end ||
		    (about.find((void *)m->dynamic, &found) == 0 && found.map == m->map &&
		     cps_copy(&l, (uintptr_t)m->map, sizeof(l)) && is_same(m, m->map, &l)))
			continue;
		m->end = 0;
		any_gone = true;
	}
	if (any_gone)
		atomic_fetch_add(&generation, 1);
}

void cps_module_closed(void)
{
	bool is_sure = false;

	if (!about.find) {
		find_by_walk(0, &is_sure);
	} else if (!atomic_flag_test_and_set(&writing)) {
		ask_for_all();
		atomic_flag_clear(&writing);
		is_sure = true;
	}
	if (!is_sure)
		atomic_fetch_add(&generation, 1);
}

void cps_module_use(struct cps_module *m)
{
	if (atomic_load_explicit(&m->used, memory_order_relaxed))
		return;
	atomic_store(&m->used, true);
	atomic_store(&has_news, true);
}

bool cps_module_has_news(void)
{
	return atomic_load_explicit(&has_news, memory_order_relaxed);
}

void cps_module_set_news(bool news)
{
	atomic_store(&has_news, news);
}

void cps_module_reset(void)
{
	atomic_flag_clear(&writing);
	for (uint32_t i = 0; i < atomic_load(&count); i++) {
		atomic_store(&cps_module_get(i)->used, false);
		atomic_store(&cps_module_get(i)->announced, false);
	}
	atomic_store(&has_news, false);
}

void cps_module_init(const struct cps_module_start *start)
{
	about = *start;
	lists = cps_elf_memory_debug(start->phdr, start->phnum);
	walk();
	n_lasting = atomic_load(&count);
	is_started = true;
}
