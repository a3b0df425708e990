/* SPDX-License-Identifier: MIT */
/*
 * module.c - knows the files that are loaded, and says which one an address lies in.
 */
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/sys.h"
#include "unwind/elf_memory.h"
#include "unwind/module.h"
#include "unwind/registered.h"
#include "unwind/unlisted.h"
#include "format.h"
#include "base/poison.h"

/* ---- module table ---------------------------------------------------------------------------- */
/*
 * Keeps the table of loaded files.
 *
 * In: entries of the loader's list. Out: struct cps_module.
 *
 * Order: a new entry is complete before the count is released that makes it visible, and the count
 * is acquired before the entry is read. Afterwards only `end`, `map` and the flags change that readers
 * see. When a file is gone, `end` becomes 0 before the next generation is released: who has
 * acquired that finds the file no more, and who has found it before keeps what was learned under
 * the old generation.
 *
 * The loader's memory, and that of a file that is not lasting, is copied (base/memory.h): another
 * thread may be unloading it.
 */

#define VDSO   "[vdso]"
#define PAGE   ((uint64_t)cps_sys_page())
#define CHUNK  64u
#define CHUNKS (CPS_MODULES_MAX / CHUNK)

/* A target may map a file at ever new addresses. All entries are looked through for addresses that have no
 * module, and what the loader lists must have room. */
#define TWINS_MAX 1024u

static struct cps_module *chunks[CHUNKS];
static _Atomic uint32_t count;
static _Atomic uint32_t generation = 1;
static uint32_t n_lasting, n_twins;
static _Atomic uint32_t latest; /* the lasting module that was found last */
static atomic_flag writing = ATOMIC_FLAG_INIT;
static struct cps_module_start about;
static bool is_started;
static bool is_elsewhere; /* the files are another process's */

/* The writer's: a file that is compared with the table. */
static struct cps_elf_memory file;

/* Called once, before the first file is entered. */
static void cps_module_table_begin(const struct cps_module_start *start)
{
	about = *start;
}

/* The files that were entered until now are never unloaded; those to come may be. */
static void cps_module_table_start(void)
{
	n_lasting = atomic_load(&count);
	is_started = true;
}

bool cps_module_table_try(void)
{
	return !atomic_flag_test_and_set(&writing);
}

void cps_module_table_release(void)
{
	atomic_flag_clear(&writing);
}

uint32_t cps_module_count(void)
{
	return atomic_load_explicit(&count, memory_order_acquire);
}

uint32_t cps_module_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_acquire);
}

void cps_module_table_renew(void)
{
	atomic_fetch_add(&generation, 1);
}

struct cps_module *cps_module_get(uint32_t number)
{
	return &chunks[number / CHUNK][number % CHUNK];
}

static uintptr_t end_of(const struct cps_module *m)
{
	return atomic_load_explicit(&m->end, memory_order_relaxed);
}

/* What is mapped for the segment are whole pages. */
static bool segment_holds(const struct cps_segment *s, uint64_t vaddr)
{
	return vaddr >= (s->vaddr & -PAGE) &&
	       vaddr < ((s->vaddr + s->memory_bytes + PAGE - 1) & -PAGE);
}

/* Whether the file is there and pc lies in the pages of one of its segments. Between two segments there may be
 * something else: the kernel puts the vDSO into a hole of the loader if that was linked for larger pages than
 * the machine has. A twin is one mapping. */
static bool cps_module_table_holds(uint32_t number, uintptr_t pc)
{
	const struct cps_module *m = cps_module_get(number);

	if (pc < m->start || pc >= end_of(m))
		return false;
	for (uint32_t i = 0; i < m->n_segments && !m->twin_of; i++)
		if (segment_holds(&m->segments[i], pc - m->bias))
			return true;
	return m->twin_of;
}

/* The number of the file that is never unloaded and holds pc, or CPS_MODULE_NONE. Most queries in a row are for
 * the same module, so it is tried first. */
static uint32_t cps_module_table_find_lasting(uintptr_t pc)
{
	uint32_t i = atomic_load_explicit(&latest, memory_order_relaxed);

	if (i < n_lasting && cps_module_table_holds(i, pc))
		return i;
	for (i = n_lasting; i-- > 0;) {
		if (cps_module_table_holds(i, pc)) {
			atomic_store_explicit(&latest, i, memory_order_relaxed);
			return i;
		}
	}
	return CPS_MODULE_NONE;
}

uint32_t cps_module_find(uintptr_t pc)
{
	uint32_t number = cps_module_table_find_lasting(pc);

	if (number != CPS_MODULE_NONE)
		return number;
	for (uint32_t i = cps_module_count(); i-- > n_lasting;)
		if (cps_module_table_holds(i, pc))
			return i;
	return CPS_MODULE_NONE;
}

/* A lasting file stays, so its readable segments can be read directly. */
bool cps_module_copy(void *to, uintptr_t from, size_t n)
{
	uint32_t number = cps_module_table_find_lasting(from);
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

/* Whether the entry of the loader's list that lies at `map`, and has been copied to `l`, is still the module's.
 * It may have been freed and used again for another file. */
static bool cps_module_table_is(const struct cps_module *m, const void *map,
				const struct link_map *l)
{
	return end_of(m) && m->map == map && m->bias == l->l_addr && m->dynamic == l->l_ld &&
	       (m->is_lasting || cps_elf_memory_has_name(m->path, l->l_name));
}

/* The number of the module whose entry that is, or CPS_MODULE_NONE. */
static uint32_t cps_module_table_known(const void *map, const struct link_map *l)
{
	for (uint32_t i = atomic_load(&count); i-- > 0;)
		if (cps_module_table_is(cps_module_get(i), map, l))
			return i;
	return CPS_MODULE_NONE;
}

/* The absolute path of the file whose name has been read. */
static const char *path_of(bool is_main, bool is_vdso)
{
	size_t dir = 0, n;
	char *path;

	if (is_vdso)
		return VDSO;
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

		if (m != now && end_of(m) && m->start < end_of(now) && now->start < end_of(m)) {
			atomic_store_explicit(&m->end, 0, memory_order_relaxed);
			any_gone = true;
		}
	}
	if (any_gone)
		cps_module_table_renew();
}

/* The next entry, which is not counted yet. NULL: there is no room. */
static struct cps_module *next_entry(void)
{
	uint32_t number = atomic_load(&count);

	if (number == CHUNK * CHUNKS)
		return NULL;
	if (!chunks[number / CHUNK])
		chunks[number / CHUNK] = cps_arena_take(CHUNK * sizeof(struct cps_module));
	return chunks[number / CHUNK] ? cps_module_get(number) : NULL;
}

static uint32_t add(const void *map, const struct link_map *l, bool is_main)
{
	uint32_t number = atomic_load(&count);
	struct cps_module *m = next_entry();

	if (!m)
		return CPS_MODULE_NONE;
	memset(m, 0, sizeof(*m));
	if (!cps_elf_memory_describe(&file, m))
		return CPS_MODULE_NONE;
	m->is_elsewhere = is_elsewhere;
	m->map = map;
	m->dynamic = l->l_ld;
	m->is_vdso =
		is_elsewhere ? strcmp(file.name, VDSO) == 0 : about.vdso && l->l_addr == about.vdso;
	m->path = path_of(is_main, m->is_vdso);
	m->bytes = end_of(m) - m->start;
	m->is_own = (uintptr_t)about.own - m->start < m->bytes;
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

		if (end_of(m) || m->dynamic != l->l_ld || strcmp(m->path, file.name) != 0 ||
		    !cps_elf_memory_is(&file, m))
			continue;
		m->map = map;
		atomic_store_explicit(&m->end, m->start + m->bytes, memory_order_relaxed);
		bury(m);
		return i;
	}
	return CPS_MODULE_NONE;
}

/* Put its file into the table, if it is not known. For the writer. The number, or CPS_MODULE_NONE: it cannot be
 * read, or there is no room. */
static uint32_t cps_module_table_enter(const void *map, const struct link_map *l, bool is_main)
{
	uint32_t number = cps_module_table_known(map, l);

	if (number != CPS_MODULE_NONE)
		return number;
	file.bias = l->l_addr;
	file.is_lasting = !is_started;
	if (!cps_elf_memory_read(&file, is_main ? about.phdr : NULL, is_main ? about.phnum : 0) ||
	    !cps_elf_memory_read_name(&file, l->l_name))
		return CPS_MODULE_NONE;
	number = revive(map, l);
	return number != CPS_MODULE_NONE ? number : add(map, l, is_main);
}

void cps_module_table_start_elsewhere(void)
{
	is_started = is_elsewhere = true;
}

/* The entry of that file at that place, dead or alive; or NULL. */
static struct cps_module *find_elsewhere(const char *path)
{
	for (uint32_t i = atomic_load(&count); i-- > 0;) {
		struct cps_module *m = cps_module_get(i);

		if (strcmp(m->path, path) == 0 && cps_elf_memory_is(&file, m))
			return m;
	}
	return NULL;
}

bool cps_module_table_enter_elsewhere(const char *path, uintptr_t bias, uintptr_t headers, size_t n)
{
	const struct link_map l = {.l_addr = bias};
	struct cps_module *m;

	file.bias = bias;
	file.is_lasting = false;
	if (strlen(path) > CPS_ELF_NAME_MAX ||
	    !cps_elf_memory_read(&file, (const void *)headers, n))
		return false;
	memcpy(file.name, path, strlen(path) + 1);
	m = find_elsewhere(path);
	if (!m)
		return add(NULL, &l, false) != CPS_MODULE_NONE;
	if (!end_of(m)) {
		atomic_store_explicit(&m->end, m->start + m->bytes, memory_order_relaxed);
		bury(m);
		cps_module_table_renew();
	}
	return true;
}

/* The entry of the same mapping, if it was there once before; or NULL. */
static struct cps_module *find_twin(const struct cps_module *of, uintptr_t start, uintptr_t bias)
{
	for (uint32_t i = atomic_load(&count); i-- > n_lasting;) {
		struct cps_module *m = cps_module_get(i);

		if (m->twin_of == of && m->start == start && m->bias == bias)
			return m;
	}
	return NULL;
}

bool cps_module_table_enter_twin(uint32_t of, uintptr_t start, uintptr_t end, uintptr_t vaddr)
{
	struct cps_module *listed = cps_module_get(of);
	struct cps_module *m = find_twin(listed, start, start - vaddr);
	bool is_new = !m;

	if (is_new)
		m = n_twins < TWINS_MAX ? next_entry() : NULL;
	if (!m)
		return false;
	n_twins += is_new;
	if (is_new)
		*m = (struct cps_module){.start = start,
					 .bias = start - vaddr,
					 .path = listed->path,
					 .build_id = listed->build_id,
					 .build_id_bytes = listed->build_id_bytes,
					 .n_segments = listed->n_segments,
					 .segments = listed->segments,
					 .is_own = listed->is_own,
					 .twin_of = listed};
	m->bytes = end - start;
	atomic_store_explicit(&m->end, end, memory_order_relaxed);
	bury(m);
	if (is_new)
		atomic_store_explicit(&count, atomic_load(&count) + 1, memory_order_release);
	return true;
}

void cps_module_table_drop(bool (*is_gone)(const struct cps_module *m))
{
	bool any_gone = false;

	for (uint32_t i = n_lasting; i < atomic_load(&count); i++) {
		struct cps_module *m = cps_module_get(i);

		if (end_of(m) && is_gone(m)) {
			atomic_store_explicit(&m->end, 0, memory_order_relaxed);
			any_gone = true;
		}
	}
	if (any_gone)
		cps_module_table_renew();
}

/* ---- permanent modules ----------------------------------------------------------------------- */
/*
 * In: the loader's list. Out: the last file in it that is needed at the start. The loader lists
 * first the program, then what is preloaded, then what these need, then what that needs, and so on;
 * then what is opened. So whatever comes before a file that is needed stays, too. What may be
 * unloaded meanwhile is copied.
 */

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

/* As in process/find.c, the loader may have left the address as it is in the file. */
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

const struct link_map *cps_permanent_modules_last(const struct link_map *first)
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

/* ---- module list ----------------------------------------------------------------------------- */
/*
 * Walks the loader's list of files.
 *
 * That is done once at the start. Later it is done only where the C library is too old to say in
 * which file an address lies: before glibc 2.35 (doc/decisions/0046). These have one list; those of
 * other namespaces cannot be found.
 *
 * In: the list, which may be changing. Out: entries of the table of modules.
 */

#define WALK_MAX 100000 /* entries; a list that is changing may lead in a circle */

static const struct r_debug none; /* musl has no list */
static const struct r_debug *list = &none;

/* Put those files of the list into the table that are never unloaded (module.h). The headers are the main
 * program's. */
static void cps_module_list_begin(const void *headers, size_t n)
{
	const struct r_debug *found = cps_elf_memory_debug(headers, n);
	const struct link_map *last;
	bool is_main = true;

	if (found)
		list = found;
	last = list->r_map ? cps_permanent_modules_last(list->r_map) : NULL;
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

/* As cps_module_find_now does. */
static uint32_t cps_module_list_find(uintptr_t pc, bool *is_sure)
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

/* ---- module ---------------------------------------------------------------------------------- */
/*
 * Says which file an address lies in.
 *
 * In: addresses. Out: struct cps_module. The C library is asked, by a function that may be called
 * in a handler (_dl_find_object); where it has none, its list is walked (module.h).
 */

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
	if (is_elsewhere)
		number = cps_module_find(pc);
	else if (!find)
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

static bool has_vanished(const struct cps_module *m)
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
		cps_module_table_drop(has_vanished);
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
