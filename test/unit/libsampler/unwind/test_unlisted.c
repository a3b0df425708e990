/* SPDX-License-Identifier: MIT */
/*
 * test_unlisted.c - code that the loader does not list is known: a second mapping of a loaded file as that
 * file's, and generated code as code. What vanishes is forgotten.
 *
 * Seen to fail: without enter_twin() a second mapping is nowhere; without the check it stays for ever; with
 * bias = start in enter_twin the address is another function's; when one call checked all mappings.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libsampler/base/memory.h"
#include "libsampler/unwind/unlisted.h"
#include "own_modules.h"

#define PAGE 4096u

static void init(void)
{
	own_modules_init(NULL);
}

TestSuite(unlisted, .timeout = 60, .init = init);

/* The mapping of libc that has the function qsort(3). */
static struct cps_mapping text_of_libc(void)
{
	struct cps_mapping m;
	int fd = cps_mapping_open();

	cr_assert(cps_mapping_ask(fd, (uintptr_t)&qsort, &m));
	close(fd);
	return m;
}

/* Maps that code again, as V8 does with its own. */
static char *map_again(const struct cps_mapping *m, void *at)
{
	bool is_sure;
	int fd = open(cps_module_get(cps_module_find_now((uintptr_t)&qsort, &is_sure))->path,
		      O_RDONLY);
	char *again = mmap(at, m->end - m->start, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, (off_t)m->offset);

	cr_assert_neq(again, MAP_FAILED);
	close(fd);
	return again;
}

static uint32_t find(const void *pc)
{
	bool is_sure;
	uint32_t number = cps_module_find_now((uintptr_t)pc, &is_sure);

	cr_assert(is_sure);
	return number;
}

Test(unlisted, a_second_mapping_is_the_same_files)
{
	struct cps_mapping m = text_of_libc();
	char *again = map_again(&m, NULL), *twin = again + ((uintptr_t)&qsort - m.start);
	const struct cps_module *libc = cps_module_get(find((void *)&qsort)), *found;
	uint32_t number = find(twin);
	uintptr_t pc = (uintptr_t)twin;

	cr_assert_neq(number, CPS_MODULE_NONE);
	found = cps_module_get(number);
	cr_assert_neq(found, libc);
	cr_assert_str_eq(found->path, libc->path);
	cr_assert_eq(found->build_id, libc->build_id);
	cr_assert_eq((uintptr_t)twin - found->bias, (uintptr_t)&qsort - libc->bias);
	cr_assert_eq(cps_module_listed(number, &pc), libc);
	cr_assert_eq(pc, (uintptr_t)&qsort);
	cr_assert_eq(find(again + (m.end - m.start) - 1), number);
}

static void forget(const void *gone)
{
	for (int i = 0; i < 1000 && find(gone) != CPS_MODULE_NONE; i++)
		cps_unlisted_check();
	cr_assert_eq(find(gone), CPS_MODULE_NONE);
}

/* Waits until the kernel is asked again about a page without code. */
static void look_again(const void *pc, bool (*is_seen)(const void *pc))
{
	for (int i = 0; i < 10000 && !is_seen(pc); i++)
		usleep(1000);
	cr_assert(is_seen(pc));
}

static bool is_module(const void *pc)
{
	return find(pc) != CPS_MODULE_NONE;
}

static bool is_code(const void *pc)
{
	return cps_unlisted_is_code((uintptr_t)pc);
}

Test(unlisted, a_mapping_that_vanishes_is_forgotten_and_takes_no_new_entry)
{
	struct cps_mapping m = text_of_libc();
	char *again = map_again(&m, NULL);
	uint32_t number = find(again), count = cps_module_count();
	uint32_t generation = cps_module_generation();

	munmap(again, m.end - m.start);
	forget(again);
	cr_assert_neq(cps_module_generation(), generation);
	map_again(&m, again);
	look_again(again, is_module);
	cr_assert_eq(find(again), number);
	cr_assert_eq(cps_module_count(), count);
}

/* One call asks about one mapping, since a handler makes it, and all are asked about in turn. */
Test(unlisted, mappings_are_checked_one_by_one)
{
	enum { N = 5 };
	struct cps_mapping m = text_of_libc();
	struct cps_module *twin[N];
	char *again[N];
	int gone = 0;

	for (int i = 0; i < N; i++) {
		again[i] = map_again(&m, NULL);
		twin[i] = cps_module_get(find(again[i]));
	}
	for (int i = 0; i < N; i++)
		munmap(again[i], m.end - m.start);
	for (int before, n = 0; n < 1000 && gone < N; n++) {
		before = gone;
		cps_unlisted_check();
		gone = 0;
		for (int i = 0; i < N; i++)
			gone += !twin[i]->end;
		cr_assert_leq(gone, before + 1);
	}
	cr_assert_eq(gone, N);
}

Test(unlisted, unloading_a_library_keeps_the_mappings)
{
	struct cps_mapping m = text_of_libc();
	char *again = map_again(&m, NULL);
	uint32_t number = find(again);

	dlclose(dlopen("libanl.so.1", RTLD_NOW));
	cps_module_closed();
	cr_assert_neq(cps_module_get(number)->end, 0);
}

Test(unlisted, executable_memory_is_code_and_data_is_not)
{
	char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	cr_assert_eq(mprotect(p + PAGE, PAGE, PROT_READ | PROT_EXEC), 0);
	cr_assert_not(is_code(p));
	cr_assert(is_code(p + PAGE));
	cr_assert_not(is_code(p + 2 * PAGE));
	cr_assert_not(is_code((void *)&qsort), "the loader lists it");
	cr_assert_not(is_code(NULL));
	cr_assert_eq(find(p + PAGE), CPS_MODULE_NONE);
	mprotect(p + 2 * PAGE, PAGE, PROT_READ | PROT_EXEC);
	look_again(p + 2 * PAGE, is_code);
	mprotect(p + PAGE, 2 * PAGE, PROT_READ);
	for (int i = 0; i < 100; i++)
		cps_unlisted_check();
	cr_assert_not(is_code(p + PAGE));
}

Test(unlisted, without_a_descriptor_nothing_is_known)
{
	struct rlimit before, none;
	char *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool is_known;

	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	is_known = is_code(p);
	setrlimit(RLIMIT_NOFILE, &before);
	cr_assert_not(is_known);
	cr_assert(is_code(p));
}

Test(unlisted, under_a_filter_nothing_is_asked)
{
	char *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cps_copy_confine();
	cr_assert_not(is_code(p));
}
