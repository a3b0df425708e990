/* SPDX-License-Identifier: MIT */
/*
 * symbol_scope.c - looks a symbol up as the loader does for a file.
 *
 * In: a reference. Out: the address of a function. The files that are never unloaded come first, in the
 * order of the loader's list; then the file itself and what it needs. Where the answer depends on how
 * the file was opened, which the loader does not tell, there is none.
 */
#include <dlfcn.h>
#include <elf.h>
#include <stdatomic.h>
#include <sys/auxv.h>

#include "base/memory.h"
#include "unwind/elf_memory.h"
#include "unwind/module.h"
#include "wrap/real.h"
#include "wrap/symbol_scope.h"

#define OPENED_MAX 1000 /* files that were opened before the start */

CPS_MAYBE(dlsym);
CPS_MAYBE(dlvsym);
CPS_MAYBE(dlerror);
CPS_MAYBE(dlopen);
#pragma weak dlinfo
CPS_SYMVER(dlinfo, CPS_GLIBC_LATER);

static const struct link_map *last; /* of the files that are never unloaded */
static atomic_bool
	has_deep; /* Order: a flag by itself; `last` is set before files are looked at (got_slots.c) */

static bool is_vdso(const struct link_map *map)
{
	return map->l_addr && map->l_addr == getauxval(AT_SYSINFO_EHDR);
}

bool cps_symbol_scope_begin(void)
{
	const struct link_map *program = cps_find_first_file();

	if (!cps_find_is_settled())
		return false;
	last = program ? cps_permanent_modules_last(program) : NULL;
	if (last && last->l_next)
		atomic_store(&has_deep, true); /* how these were opened is not known */
	return true;
}

static const struct link_map *first(void)
{
	return last ? cps_find_first_file() : NULL;
}

static const struct link_map *after(const struct link_map *map)
{
	return map == last ? NULL : map->l_next;
}

void cps_symbol_scope_each(void (*f)(const struct link_map *map))
{
	for (const struct link_map *map = first(); map; map = after(map))
		if (!is_vdso(map))
			f(map);
}

/* The file stays while it is open once more. NULL: it is not the one that the loader has by this name. */
static void *open_again(const struct link_map *map, const struct link_map *copy)
{
	char name[CPS_ELF_NAME_MAX + 1];
	void *handle = NULL;

	if (dlopen && cps_real.dlclose && cps_elf_memory_copy_name(name, copy->l_name) && *name)
		handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle && handle != map) {
		cps_real.dlclose(handle);
		handle = NULL;
	}
	if (!handle && dlerror)
		dlerror();
	return handle;
}

void cps_symbol_scope_each_opened(void (*f)(const struct link_map *map))
{
	const struct link_map *map = last ? last->l_next : NULL;
	struct link_map copy;

	for (int i = 0; map && i < OPENED_MAX; i++, map = copy.l_next) {
		void *handle;

		if (!cps_copy(&copy, (uintptr_t)map, sizeof(copy)))
			return;
		handle = open_again(map, &copy);
		if (!handle)
			continue;
		f(map);
		cps_real.dlclose(handle);
	}
}

bool cps_symbol_scope_is_lasting(const struct link_map *map)
{
	for (const struct link_map *m = first(); m; m = after(m))
		if (m == map)
			return true;
	return false;
}

void cps_symbol_scope_note_deep(void)
{
	atomic_store(&has_deep, true);
}

/* On x86_64 a function that finds out has no arguments. */
static uintptr_t function_of(const struct cps_loaded *f, const ElfW(Sym) * s)
{
	uintptr_t address = cps_loaded_address(f, s);

	if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
		address = ((uintptr_t(*)(void))address)();
	return address;
}

static uintptr_t find_version_in(const struct cps_loaded *f, const char *name, const char *version)
{
	const ElfW(Sym) *s = cps_loaded_find(f, name, version);

	return s ? function_of(f, s) : 0;
}

static uintptr_t find_lasting(const char *name, const char *version)
{
	uintptr_t found = 0;
	struct cps_loaded f;

	for (const struct link_map *map = first(); map && !found; map = after(map))
		if (!is_vdso(map) && cps_loaded_read(map, &f))
			found = find_version_in(&f, name, version);
	return found;
}

static uintptr_t ask_loader(void *where, const char *name, const char *version)
{
	void *found = NULL;

	if (version && dlvsym)
		found = dlvsym(where, name, version);
	if (!found && dlsym)
		found = dlsym(where, name);
	if (!found && dlerror)
		dlerror(); /* the program is not to see it */
	return (uintptr_t)found;
}

bool cps_symbol_scope_is_program(const struct link_map *map)
{
	Lmid_t space = LM_ID_NEWLM;

	return dlinfo && dlinfo((void *)(uintptr_t)map, RTLD_DI_LMID, &space) == 0 &&
	       space == LM_ID_BASE;
}

/* The file may have been opened with other files before it in its scope (RTLD_GLOBAL), or with itself before all
 * others (RTLD_DEEPBIND). A definition in a file that might be unloaded while this one stays is not taken:
 * the loader would note that it is used. It would note so, too, if it were asked with RTLD_DEFAULT, but not if it is
 * asked for what the program has, in whose scope it looks. */
static uintptr_t resolve_opened(const struct link_map *map, const char *name, const char *version,
				uintptr_t lasting)
{
	uintptr_t own, everywhere;

	if (!cps_symbol_scope_is_program(map))
		return 0;
	if (lasting && !atomic_load(&has_deep))
		return lasting;
	own = ask_loader((void *)(uintptr_t)map, name, version);
	if (lasting)
		return own == lasting ? lasting : 0;
	everywhere = ask_loader((void *)(uintptr_t)first(), name, version);
	return !everywhere || everywhere == own ? own : 0;
}

uintptr_t cps_symbol_scope_resolve(const struct link_map *map, const struct cps_loaded *file,
				   uint32_t i)
{
	const char *name = file->names + file->symbols[i].st_name;
	const char *version = cps_loaded_version(file, i);
	uintptr_t found = file->is_symbolic ? find_version_in(file, name, version) : 0;

	if (found)
		return found;
	found = find_lasting(name, version);
	return cps_symbol_scope_is_lasting(map) ? found : resolve_opened(map, name, version, found);
}
