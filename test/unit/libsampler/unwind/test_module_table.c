/* SPDX-License-Identifier: MIT */
/*
 * test_module_table.c - in the table of loaded files, a file that comes again takes no new entry,
 * and another file does.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "libsampler/unwind/module.h"
#include "own_modules.h"

TestSuite(module_table, .timeout = 60);

static void init(void)
{
	own_modules_init(NULL);
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
	cps_module_close_begin();
	dlclose(handle);
	cps_module_close_end();
	cr_assert_eq(cps_module_get(number)->end, 0);
	return number;
}

Test(module_table, a_library_that_comes_again_takes_no_new_entry)
{
	uint32_t before, generation;

	init();
	before = cps_module_count();
	generation = cps_module_generation();
	for (int i = 0; i < 500; i++) {
		visit("libanl.so.1");
		visit("libBrokenLocale.so.1");
	}
	cr_assert_lt(cps_module_count(), before + 20);
	cr_assert_geq(cps_module_generation(), generation + 1000);
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
