/* SPDX-License-Identifier: MIT */
/*
 * module.c - keeps the table of loaded files.
 *
 * Room: signal. In: the loader's list. Out: struct cps_module. One writer at a time (a flag that is
 * tried, never waited for); a new entry is complete before the count that makes it visible.
 */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "arena.h"
#include "format.h"
#include "module.h"
#include "sys.h"
#include "poison.h"

#define CHUNK	       64u
#define CHUNKS	       (CPS_MODULES_MAX / CHUNK)
#define CLOSE_PATIENCE 10000 /* yields; a handler holds a module for microseconds */

static struct cps_module *chunks[CHUNKS];
static _Atomic uint32_t count;
static _Atomic uint32_t generation = 1;
static atomic_flag writing = ATOMIC_FLAG_INIT;
static const char *exe_path, *start_dir;
static const ElfW(Phdr) * main_phdr;
static size_t main_phnum;
static uintptr_t vdso, own;
static bool is_started;
static _Atomic int readers, closing;
static __thread int my_closing; /* a library that is being unloaded may fork */
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

uint32_t cps_module_find(uintptr_t pc)
{
	for (uint32_t i = cps_module_count(); i-- > 0;) {
		const struct cps_module *m = cps_module_get(i);

		if (pc >= m->start && pc < m->end)
			return i;
	}
	return CPS_MODULE_NONE;
}

static bool readable(const void *address)
{
	return cps_sys_readable((uintptr_t)address);
}

/* Absolute path of a link map's file; the main program's own name there is empty. */
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

static void take_build_id(struct cps_module *m, const uint8_t *note, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)note;
		size_t name = ((size_t)n->n_namesz + 3) & ~(size_t)3;
		size_t whole = sizeof(*n) + name + (((size_t)n->n_descsz + 3) & ~(size_t)3);

		if (whole > bytes)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= 64 &&
		    memcmp(note + sizeof(*n), "GNU", 4) == 0) {
			m->build_id = (const uint8_t *)cps_arena_copy(
				(const char *)note + sizeof(*n) + name, n->n_descsz);
			m->build_id_bytes = m->build_id ? n->n_descsz : 0;
			return;
		}
		note += whole;
		bytes -= whole;
	}
}

static void take_segment(struct cps_module *m, struct cps_segment *s, const ElfW(Phdr) * p)
{
	uintptr_t start = m->bias + p->p_vaddr;

	*s = (struct cps_segment){.vaddr = p->p_vaddr,
				  .memory_bytes = p->p_memsz,
				  .file_offset = p->p_offset,
				  .file_bytes = p->p_filesz,
				  .flags = p->p_flags & 7u};
	if (!m->n_segments || start < m->start)
		m->start = start;
	if (!m->n_segments || start + p->p_memsz > m->end)
		m->end = start + p->p_memsz;
	m->n_segments++;
}

static int take_segments(struct cps_module *m, const ElfW(Phdr) * p, size_t n)
{
	struct cps_segment *segments;
	size_t loads = 0;

	for (size_t i = 0; i < n; i++)
		loads += p[i].p_type == PT_LOAD;
	if (loads > CPS_SEGMENTS_MAX)
		loads = CPS_SEGMENTS_MAX;
	segments = loads ? cps_arena_take(loads * sizeof(*segments)) : NULL;
	if (!segments)
		return -1;
	m->segments = segments;
	for (size_t i = 0; i < n && m->n_segments < loads; i++)
		if (p[i].p_type == PT_LOAD)
			take_segment(m, &segments[m->n_segments], &p[i]);
	return 0;
}

static int take_headers(struct cps_module *m, const ElfW(Phdr) * p, size_t n)
{
	if (!p || n > 512 || !readable(p) || !readable(p + n - 1) || take_segments(m, p, n) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *where = (const uint8_t *)m->bias + p[i].p_vaddr;

		if ((uintptr_t)where < m->start || (uintptr_t)where + p[i].p_memsz > m->end)
			continue;
		if (p[i].p_type == PT_NOTE && !m->build_id && readable(where))
			take_build_id(m, where, p[i].p_memsz);
		if (p[i].p_type == PT_GNU_EH_FRAME && p[i].p_memsz >= 8) {
			m->eh_frame_hdr = where;
			m->eh_frame_hdr_bytes = p[i].p_memsz;
		}
	}
	return 0;
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
		if (!l->l_addr || !readable(e) || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0)
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
	if (take_headers(m, p, n) < 0)
		return;
	m->path = path_of(l->l_name, is_first, m->is_vdso);
	m->is_own = own >= m->start && own < m->end;
	m->is_lasting = !is_started;
	m->is_seen = true;
	atomic_store_explicit(&count, number + 1, memory_order_release);
}

/* Is this entry of the list still the module's? It may have been freed and used for another file. */
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

/* While the loader is changing its list, nothing in it can be relied on. */
static bool is_settled(void)
{
	return *(volatile const int *)&_r_debug.r_state == RT_CONSISTENT;
}

/* The C library unloads libraries, too (iconv, name services), and tells nobody. */
static bool is_there(const struct cps_module *m)
{
	const struct link_map *l = _r_debug.r_map;

	if (m->is_lasting)
		return true;
	if (!is_settled())
		return false;
	while (l && readable(l) && l != m->map)
		l = l->l_next;
	return l && readable(l) && is_same(m, l);
}

/* Walk the loader's list; the caller holds `writing`. */
static void walk(void)
{
	const struct link_map *l = _r_debug.r_map;
	bool is_first = true, any_gone = false;

	for (uint32_t i = 0; i < atomic_load(&count); i++)
		cps_module_get(i)->is_seen = false;
	for (; l && readable(l); l = l->l_next, is_first = false) {
		struct cps_module *m = known(l);

		if (m)
			m->is_seen = true;
		else
			add(l, is_first);
	}
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

/* Take in what is new and what is gone. Nothing happens while another thread is at it. */
static void refresh(void)
{
	if (!cps_module_read_begin(NULL))
		return;
	if (is_settled() && !atomic_flag_test_and_set(&writing)) {
		walk();
		atomic_flag_clear(&writing);
	}
	cps_module_read_end(NULL);
}

uint32_t cps_module_find_now(uintptr_t pc)
{
	uint32_t number = cps_module_find(pc);

	if (number != CPS_MODULE_NONE && is_there(cps_module_get(number)))
		return number;
	refresh();
	number = cps_module_find(pc);
	return number != CPS_MODULE_NONE && is_there(cps_module_get(number)) ? number
									     : CPS_MODULE_NONE;
}

void cps_module_close_begin(void)
{
	atomic_fetch_add(&closing, 1);
	my_closing++;
	for (int i = 0; atomic_load(&readers) && i < CLOSE_PATIENCE; i++)
		CPS_SYS(sched_yield, 0, 0, 0, 0);
}

void cps_module_close_end(void)
{
	while (atomic_flag_test_and_set(&writing))
		CPS_SYS(sched_yield, 0, 0, 0, 0);
	walk();
	atomic_flag_clear(&writing);
	my_closing--;
	atomic_fetch_sub(&closing, 1);
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
