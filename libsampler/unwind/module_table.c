/* SPDX-License-Identifier: MIT */
/*
 * module_table.c - keeps the table of loaded files.
 *
 * In: entries of the loader's list. Out: struct cps_module. A new entry is complete before the count is
 * raised that makes it visible.
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
#include "unwind/module_table.h"
#include "base/poison.h"

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

/* The writer's: a file that is compared with the table. */
static struct cps_elf_memory file;

void cps_module_table_begin(const struct cps_module_start *start)
{
	about = *start;
}

void cps_module_table_start(void)
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

static bool holds(uint32_t number, uintptr_t pc)
{
	const struct cps_module *m = cps_module_get(number);

	return pc >= m->start && pc < m->end;
}

/* Most queries in a row are for the same module, so it is tried first. */
uint32_t cps_module_table_find_lasting(uintptr_t pc)
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
	uint32_t number = cps_module_table_find_lasting(pc);

	if (number != CPS_MODULE_NONE)
		return number;
	for (uint32_t i = cps_module_count(); i-- > n_lasting;)
		if (holds(i, pc))
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

bool cps_module_table_is(const struct cps_module *m, const void *map, const struct link_map *l)
{
	return m->end && m->map == map && m->bias == l->l_addr && m->dynamic == l->l_ld &&
	       (m->is_lasting || cps_elf_memory_has_name(m->path, l->l_name));
}

uint32_t cps_module_table_known(const void *map, const struct link_map *l)
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
	m->map = map;
	m->dynamic = l->l_ld;
	m->is_vdso = about.vdso && l->l_addr == about.vdso;
	m->path = path_of(is_main, m->is_vdso);
	m->bytes = m->end - m->start;
	m->is_own = (uintptr_t)about.own >= m->start && (uintptr_t)about.own < m->end;
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
		m->end = m->start + m->bytes;
		bury(m);
		return i;
	}
	return CPS_MODULE_NONE;
}

uint32_t cps_module_table_enter(const void *map, const struct link_map *l, bool is_main)
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
	m->end = end;
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

		if (m->end && is_gone(m)) {
			m->end = 0;
			any_gone = true;
		}
	}
	if (any_gone)
		cps_module_table_renew();
}
