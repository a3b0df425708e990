/* SPDX-License-Identifier: MIT */
/*
 * test_module_table.c - in the table of loaded files, a file that comes again takes no new entry,
 * and another file does.
 *
 * Seen to fail: what lies in a hole between two segments of a file was taken for a part of it.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libsampler/unwind/module.h"
#include "own_modules.h"

TestSuite(module_table, .timeout = 60);

static void init(void)
{
	own_modules_init(NULL);
}

/* As with a C library that has no _dl_find_object. */
static void init_with_lists(void)
{
	const struct cps_module_start start = {.exe = "/proc/self/exe",
					       .cwd = "/",
					       .phdr = (const void *)getauxval(AT_PHDR),
					       .phnum = getauxval(AT_PHNUM),
					       .vdso = getauxval(AT_SYSINFO_EHDR)};

	cps_module_init(&start);
}

static uint32_t find(void *handle)
{
	const struct link_map *map;
	bool is_sure;
	uint32_t number;

	cr_assert(handle);
	cr_assert_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	number = cps_module_find_now((uintptr_t)map->l_ld, &is_sure);
	cr_assert(is_sure);
	return number;
}

/* Loads a library, looks it up and unloads it. Returns its number. */
static uint32_t visit(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	uint32_t number = find(handle);

	cr_assert_neq(number, CPS_MODULE_NONE);
	cr_assert(strstr(cps_module_get(number)->path, library));
	dlclose(handle);
	cps_module_closed();
	cr_assert_eq(cps_module_get(number)->end, 0);
	return number;
}

static void come_again(void)
{
	uint32_t before, generation;

	before = cps_module_count();
	generation = cps_module_generation();
	for (int i = 0; i < 500; i++) {
		visit("libanl.so.1");
		visit("libBrokenLocale.so.1");
	}
	cr_assert_lt(cps_module_count(), before + 20);
	cr_assert_geq(cps_module_generation(), generation + 1000);
}

Test(module_table, a_library_that_comes_again_takes_no_new_entry)
{
	init();
	come_again();
}

Test(module_table, a_library_that_comes_again_takes_no_new_entry_by_lists)
{
	init_with_lists();
	come_again();
}

/* ---- holes -------------------------------------------------------------------------------------- */

/* Where a file has a hole between its pages, if it was linked for larger ones. */
static int find_hole(struct dl_phdr_info *info, size_t bytes, void *wanted)
{
	uintptr_t end = 0, *hole = wanted;

	(void)bytes;
	if (info->dlpi_addr != hole[0])
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + (p->p_vaddr & ~UINT64_C(4095));

		if (p->p_type != PT_LOAD)
			continue;
		if (end && start > end)
			hole[1] = end;
		end = (info->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) & ~UINT64_C(4095);
	}
	return 1;
}

/* Puts code into a hole of the file that is loaded there, as the kernel puts the vDSO into the loader. */
static void code_in_a_hole_is_not_the_files(uintptr_t base)
{
	uintptr_t hole[2] = {base, 0};
	bool is_sure;
	void *code;

	cr_assert(dl_iterate_phdr(find_hole, hole));
	cr_assert_neq(hole[1], 0, "the linker has left no hole");
	code = mmap((void *)hole[1], 4096, PROT_READ | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	cr_assert_eq((uintptr_t)code, hole[1]);
	cr_assert_neq(cps_module_find_now(hole[1] - 1, &is_sure), CPS_MODULE_NONE);
	cr_assert_eq(cps_module_find_now(hole[1], &is_sure), CPS_MODULE_NONE);
	cr_assert(is_sure);
	cr_assert_eq(cps_module_find(hole[1]), CPS_MODULE_NONE);
}

Test(module_table, code_in_a_hole_of_the_program, .init = init)
{
	code_in_a_hole_is_not_the_files(cps_module_get(0)->bias);
}

static void *open_with_holes(void)
{
	char name[] = "/tmp/cps-module-XXXXXX", line[200];
	int fd = mkstemp(name);
	void *handle;

	cr_assert_geq(fd, 0);
	snprintf(line, sizeof(line),
		 "echo 'int x; int f(void) { return x; }' | cc -shared -fPIC -Wl,-z,separate-code "
		 "-Wl,-z,max-page-size=65536 -xc -o %s -",
		 name);
	cr_assert_eq(system(line), 0);
	handle = dlopen(name, RTLD_NOW);
	unlink(name);
	close(fd);
	return handle;
}

Test(module_table, code_in_a_hole_of_a_library, .init = init)
{
	uint32_t number = find(open_with_holes());

	cr_assert_neq(number, CPS_MODULE_NONE);
	code_in_a_hole_is_not_the_files(cps_module_get(number)->bias);
}

Test(module_table, code_in_a_hole_of_a_library_by_lists, .init = init_with_lists)
{
	uint32_t number = find(open_with_holes());

	cr_assert_neq(number, CPS_MODULE_NONE);
	code_in_a_hole_is_not_the_files(cps_module_get(number)->bias);
}

/* Without a build id a file is known by its name and its segments. */
Test(module_table, nor_does_one_without_a_build_id)
{
	char name[] = "/tmp/cps-module-XXXXXX", line[128];
	int fd = mkstemp(name);
	uint32_t before;

	cr_assert_geq(fd, 0);
	snprintf(line, sizeof(line),
		 "echo 'int x;' | cc -shared -fPIC -Wl,--build-id=none -xc -o %s -", name);
	cr_assert_eq(system(line), 0);
	init();
	visit(name);
	before = cps_module_count();
	for (int i = 0; i < 100; i++)
		visit(name);
	cr_assert_eq(cps_module_count(), before);
	unlink(name);
	close(fd);
}

Test(module_table, two_files_are_two_entries)
{
	init();
	cr_assert_neq(visit("libanl.so.1"), visit("libBrokenLocale.so.1"));
}

Test(module_table, a_library_in_another_namespace_is_found)
{
	void *handle = dlmopen(LM_ID_NEWLM, "libanl.so.1", RTLD_NOW);
	uint32_t number;

	init();
	number = find(handle);
	cr_assert_neq(number, CPS_MODULE_NONE);
	cr_assert(strstr(cps_module_get(number)->path, "libanl"));
}

Test(module_table, the_vdso_is_found)
{
	bool is_sure;
	uint32_t number;

	init();
	number = cps_module_find_now(getauxval(AT_SYSINFO_EHDR) + 64, &is_sure);
	cr_assert_neq(number, CPS_MODULE_NONE);
	cr_assert(cps_module_get(number)->is_vdso);
}

/* A target that maps a file at ever new addresses fills a part of the table. */
Test(module_table, second_mappings_are_bounded, .init = init)
{
	enum { MANY = 2000 };
	uint32_t listed = cps_module_find((uintptr_t)&qsort), n = 0;

	for (uintptr_t i = 1; i <= MANY; i++)
		n += cps_module_table_enter_twin(listed, i << 12, (i + 1) << 12, 0);
	cr_assert_eq(n, 1024);
	cr_assert(cps_module_table_enter_twin(listed, 1 << 12, 2 << 12, 0), "an old one");
	visit("libanl.so.1");
}
