/* SPDX-License-Identifier: MIT */
/*
 * module.c - keeps the table of loaded files.
 *
 * In: the loader's list. Out: struct cps_module. There is one writer at a time, by a flag that is
 * tried and never waited for. A new entry is complete before the count is raised that makes it
 * visible.
 */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/arena.h"
#include "base/sys.h"
#include "format.h"
#include "unwind/elf_memory.h"
#include "unwind/module.h"
#include "base/poison.h"

#define CHUNK	       64u
#define CHUNKS	       (CPS_MODULES_MAX / CHUNK)
#define CLOSE_PATIENCE 10 /* s; a handler needs microseconds, unless it is preempted */

static struct cps_module *chunks[CHUNKS];
static _Atomic uint32_t count;
static _Atomic uint32_t generation = 1;
static _Atomic uint32_t latest; /* the lasting module that was found last */
static atomic_flag writing = ATOMIC_FLAG_INIT;
static const char *exe_path, *start_dir;
static const ElfW(Phdr) * main_phdr;
static size_t main_phnum;
static uintptr_t vdso, own;
static bool is_started;
static _Atomic int readers, closing;
static __thread int my_closing; /* closes by this thread: a library may fork while it is unloaded */
static atomic_bool has_news;

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

/* Most queries in a row are for the same module, so it is tried first. Only a module that is never
 * unloaded is remembered so: another file may later lie where an unloaded one was. */
uint32_t cps_module_find(uintptr_t pc)
{
	uint32_t n = cps_module_count();
	uint32_t i = atomic_load_explicit(&latest, memory_order_relaxed);

	if (i < n && holds(i, pc))
		return i;
	for (i = n; i-- > 0;) {
		if (holds(i, pc)) {
			if (cps_module_get(i)->is_lasting)
				atomic_store_explicit(&latest, i, memory_order_relaxed);
			return i;
		}
	}
	return CPS_MODULE_NONE;
}

static bool readable(const void *address)
{
	return cps_sys_readable((uintptr_t)address);
}

/* The absolute path of a link map's file. The main program has no name in its link map. */
static const char *path_of(const char *name, bool is_first, bool is_vdso)
{
	size_t n, dir = 0;
	char *path;

	if (is_vdso)
		return "[vdso]";
	if (is_first && exe_path)
		return exe_path;
	if (!name || !readable(name))
		return "";
	n = strnlen(name, 4096);
	if (name[0] != '/' && start_dir)
		dir = strlen(start_dir) + 1;
	path = cps_arena_take(dir + n + 1);
	if (!path)
		return "";
	if (dir) {
		memcpy(path, start_dir, dir - 1);
		path[dir - 1] = '/';
	}
	memcpy(path + dir, name, n);
	return path;
}

/* Whether this is the same file as one that was there at the start. The loader itself is such a
 * file, and is in the list of every namespace. */
static bool is_elsewhere(const struct link_map *l)
{
	for (uint32_t i = 0; i < atomic_load(&count); i++) {
		const struct cps_module *m = cps_module_get(i);

		if (m->is_lasting && m->bias == l->l_addr && m->dynamic == l->l_ld)
			return true;
	}
	return false;
}

static void add(const struct link_map *l, bool is_first)
{
	uint32_t number = atomic_load(&count);
	const ElfW(Ehdr) *e = (const void *)l->l_addr;
	const ElfW(Phdr) *p = main_phdr;
	size_t n = main_phnum;
	struct cps_module *m;

	if (number == CHUNK * CHUNKS)
		return;
	if (!is_first) {
		if (!l->l_addr || is_elsewhere(l) || !readable(e) ||
		    memcmp(e->e_ident, ELFMAG, SELFMAG) != 0)
			return;
		p = (const void *)(l->l_addr + e->e_phoff);
		n = e->e_phnum;
	}
	if (!chunks[number / CHUNK])
		chunks[number / CHUNK] = cps_arena_take(CHUNK * sizeof(struct cps_module));
	if (!chunks[number / CHUNK])
		return;
	m = cps_module_get(number);
	memset(m, 0, sizeof(*m));
	m->map = l;
	m->dynamic = l->l_ld;
	m->bias = l->l_addr;
	m->is_vdso = vdso && l->l_addr == vdso;
	if (cps_elf_memory_read(m, p, n) < 0)
		return;
	m->path = path_of(l->l_name, is_first, m->is_vdso);
	m->bytes = m->end - m->start;
	m->is_own = own >= m->start && own < m->end;
	m->is_lasting = !is_started;
	m->is_seen = true;
	atomic_store_explicit(&count, number + 1, memory_order_release);
}

/* Whether this entry of the list is still the module's. It may have been freed and used again for
 * another file. */
static bool is_same(const struct cps_module *m, const struct link_map *l)
{
	return m->map == l && m->bias == l->l_addr && m->dynamic == l->l_ld && m->end &&
	       (m->is_lasting || !readable(l->l_name) || l->l_name[0] != '/' ||
		strcmp(m->path, l->l_name) == 0);
}

static struct cps_module *known(const struct link_map *l)
{
	for (uint32_t i = atomic_load(&count); i-- > 0;)
		if (is_same(cps_module_get(i), l))
			return cps_module_get(i);
	return NULL;
}

/* The namespaces that dlmopen(3) makes have lists of their own. These are linked to each other, if
 * the loader is not too old. */
static const struct r_debug_extended *base(void)
{
	return (const void *)&_r_debug;
}

static const struct r_debug_extended *next_of(const struct r_debug_extended *r)
{
	return _r_debug.r_version >= 2 ? *(struct r_debug_extended *const volatile *)&r->r_next
				       : NULL;
}

static bool any_in_state(int state)
{
	for (const struct r_debug_extended *r = base(); r; r = next_of(r))
		if (*(volatile const int *)&r->base.r_state == state)
			return true;
	return false;
}

/* While the loader is changing its list, nobody can tell which files are new or gone. */
static bool is_settled(void)
{
	return !any_in_state(RT_ADD) && !any_in_state(RT_DELETE);
}

/* Whether the module is still loaded. The C library unloads libraries, too (iconv, name services),
 * without calling a dlclose that could be wrapped. */
static bool is_there(const struct cps_module *m)
{
	if (m->is_lasting)
		return true;
	if (any_in_state(RT_DELETE))
		return false;
	for (const struct r_debug_extended *r = base(); r; r = next_of(r)) {
		const struct link_map *l = r->base.r_map;

		while (l && readable(l) && l != m->map)
			l = l->l_next;
		if (l && readable(l))
			return is_same(m, l);
	}
	return false;
}

/* Finds the entry of the same file at the same place, if it was loaded once before, and makes it
 * valid again. A program that loads and unloads a library for ever must not fill the table. */
static struct cps_module *revive(const struct link_map *l)
{
	uint32_t n = 0;

	for (uint32_t i = atomic_load(&count); i-- > 0;) {
		struct cps_module *m = cps_module_get(i);
		const uint8_t *id;

		if (m->end || !m->build_id || m->bias != l->l_addr || m->dynamic != l->l_ld ||
		    !readable(l->l_name) || strcmp(m->path, l->l_name) != 0 ||
		    !readable(m->build_id_note) ||
		    !readable(m->build_id_note + m->build_id_note_bytes - 1))
			continue;
		id = cps_elf_memory_build_id(m->build_id_note, m->build_id_note_bytes, &n);
		if (!id || n != m->build_id_bytes || memcmp(id, m->build_id, n) != 0)
			continue;
		m->map = l;
		m->end = m->start + m->bytes;
		return m;
	}
	return NULL;
}

static void walk_list(const struct link_map *l, bool is_first)
{
	for (; l && readable(l); l = l->l_next, is_first = false) {
		struct cps_module *m = known(l);

		if (!m)
			m = revive(l);
		if (m)
			m->is_seen = true;
		else
			add(l, is_first);
	}
}

/* Walks the loader's lists. The caller has set `writing`. */
static void walk(void)
{
	bool any_gone = false;

	for (uint32_t i = 0; i < atomic_load(&count); i++)
		cps_module_get(i)->is_seen = false;
	for (const struct r_debug_extended *r = base(); r; r = next_of(r))
		walk_list(r->base.r_map, r == base());
	for (uint32_t i = 0; i < atomic_load(&count); i++) {
		struct cps_module *m = cps_module_get(i);

		if (m->end && !m->is_seen && !m->is_lasting) {
			m->end = 0;
			any_gone = true;
		}
	}
	if (any_gone)
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

bool cps_module_read_begin(const struct cps_module *m)
{
	if (m && m->is_lasting)
		return true;
	atomic_fetch_add(&readers, 1);
	if (!atomic_load(&closing) && (!m || is_there(m)))
		return true;
	atomic_fetch_sub(&readers, 1);
	return false;
}

void cps_module_read_end(const struct cps_module *m)
{
	if (!m || !m->is_lasting)
		atomic_fetch_sub(&readers, 1);
}

/* Brings the table up to date with the loader's lists. False: that is not possible now, because
 * another thread is changing the table or the lists. */
static bool refresh(void)
{
	bool done = false;

	if (!cps_module_read_begin(NULL))
		return false;
	if (is_settled() && !atomic_flag_test_and_set(&writing)) {
		walk();
		done = is_settled();
		atomic_flag_clear(&writing);
	}
	cps_module_read_end(NULL);
	return done;
}

uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure)
{
	uint32_t number = cps_module_find(pc);

	*is_sure = true;
	if (number != CPS_MODULE_NONE && is_there(cps_module_get(number)))
		return number;
	*is_sure = refresh();
	number = cps_module_find(pc);
	return number != CPS_MODULE_NONE && is_there(cps_module_get(number)) ? number
									     : CPS_MODULE_NONE;
}

void cps_module_close_begin(void)
{
	atomic_fetch_add(&closing, 1);
	my_closing++;
	for (int i = 0; i < CLOSE_PATIENCE && atomic_load(&readers); i++) {
		uint64_t until = 0;

		while (atomic_load(&readers) && cps_sys_patience(&until))
			;
	}
}

/* Ends what cps_module_close_begin began. While another thread is still unloading a library, no
 * library may be looked at: the lists are then walked when that thread is done. Until they are
 * walked, all that was learned about addresses is void. */
void cps_module_close_end(void)
{
	bool is_last;

	my_closing--;
	is_last = atomic_fetch_sub(&closing, 1) == 1;
	if (!is_last || !refresh())
		atomic_fetch_add(&generation, 1);
}

void cps_module_reset(void)
{
	atomic_flag_clear(&writing);
	atomic_store(&readers, 0);
	atomic_store(&closing, my_closing);
	for (uint32_t i = 0; i < atomic_load(&count); i++) {
		atomic_store(&cps_module_get(i)->used, false);
		atomic_store(&cps_module_get(i)->announced, false);
	}
	atomic_store(&has_news, false);
}

void cps_module_init(const struct cps_module_start *start)
{
	exe_path = start->exe;
	start_dir = start->cwd;
	main_phdr = start->phdr;
	main_phnum = start->phnum;
	vdso = start->vdso;
	own = (uintptr_t)start->own;
	walk();
	is_started = true;
}
