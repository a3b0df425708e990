/* SPDX-License-Identifier: MIT */
/*
 * module_table.c - keeps the table of loaded files.
 *
 * In: entries of the loader's list. Out: struct cps_module.
 *
 * Order: a new entry is complete before the count is released that makes it visible, and the count is acquired
 * before the entry is read. Afterwards only `end` and the flags change that readers see. When a file is gone, `end`
 * becomes 0 before the next generation is released: who has acquired that finds the file no more, and who has
 * found it before keeps what was learned under the old generation.
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

#define PAGE   UINT64_C(4096)
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

/* Between two segments there may be something else: the kernel puts the vDSO into a hole of the loader if that was
 * linked for larger pages than the machine has. A twin is one mapping. */
bool cps_module_table_holds(uint32_t number, uintptr_t pc)
{
	const struct cps_module *m = cps_module_get(number);

	if (pc < m->start || pc >= end_of(m))
		return false;
	for (uint32_t i = 0; i < m->n_segments && !m->twin_of; i++)
		if (segment_holds(&m->segments[i], pc - m->bias))
			return true;
	return m->twin_of;
}

/* Most queries in a row are for the same module, so it is tried first. */
uint32_t cps_module_table_find_lasting(uintptr_t pc)
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

bool cps_module_table_is(const struct cps_module *m, const void *map, const struct link_map *l)
{
	return end_of(m) && m->map == map && m->bias == l->l_addr && m->dynamic == l->l_ld &&
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
	m->map = map;
	m->dynamic = l->l_ld;
	m->is_vdso = about.vdso && l->l_addr == about.vdso;
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
