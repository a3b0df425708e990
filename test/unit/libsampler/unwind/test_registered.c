/* SPDX-License-Identifier: MIT */
/*
 * test_registered.c - unwind information that the target has registered is found by address, until it is
 * deregistered; and whatever it holds is read without harm.
 *
 * Seen to fail: without sort() in parse(); without bury() the old section is found; if drop() forgets one section
 * only; without the page's end in look() of fde.c (`the_section_may_end_with_its_page`); if search() does not
 * look at the place's length; without CFA_IS_UNKNOWN in cfi.c a description that says nothing was a recipe; without giving blocks back 20,000 sections were too many.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libsampler/unwind/cfi.h"
#include "libsampler/unwind/module.h"
#include "libsampler/unwind/registered.h"
#include "forged_cie.h"
#include "own_modules.h"

#define PAGE   4096u
#define FDE    32u
#define NOBODY ((uintptr_t)0x100000000)

static unsigned char *page; /* and no page behind it */

static void init(void)
{
	own_modules_init(NULL);
	page = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(page, MAP_FAILED);
	page += 14 * PAGE;
	munmap(page + PAGE, PAGE);
}

TestSuite(registered, .timeout = 60, .init = init);

/* A function whose CFA is the stack pointer + cfa. */
static unsigned char *put_fde(unsigned char *p, const unsigned char *cie, uint64_t start,
			      uint64_t bytes, unsigned char cfa)
{
	const uint32_t head[2] = {FDE - 4, (uint32_t)(p + 4 - cie)};

	memcpy(p, head, 8);
	memcpy(p + 8, &start, 8);
	memcpy(p + 16, &bytes, 8);
	memcpy(p + 24, "\0\x0e", 2);
	p[26] = cfa;
	memset(p + 27, 0, FDE - 27);
	return p + FDE;
}

static void end(unsigned char *p)
{
	memset(p, 0, 4);
}

/* The offset of the CFA at the address; 0: nothing is known. */
static int cfa_at(uintptr_t pc)
{
	struct cps_registered registered;
	const struct cps_module *m = cps_registered_module(CPS_MODULE_NONE, &pc, &registered);
	struct cps_row row;

	if (!m)
		return 0;
	cps_cfi_row(m, pc, false, &row);
	return row.kind == CPS_ROW_FAST ? row.cfa_offset : 0;
}

static void add(const void *section)
{
	cps_registered_add((uintptr_t)section, (uintptr_t)section);
}

static void drop(const void *section)
{
	cps_registered_drop((uintptr_t)section);
}

Test(registered, functions_are_found_by_address_until_they_are_dropped)
{
	uint32_t count = cps_registered_count();
	unsigned char *p = forged_cie_put(page);

	for (unsigned i = 0; i < 40; i++)
		p = put_fde(p, page, NOBODY + i * 7 % 40 * 100, 50, (unsigned char)(16 + i));
	end(p);
	cr_expect_eq(cfa_at(NOBODY), 0);
	add(page);
	cr_expect_eq(cps_registered_count(), count + 1);
	for (unsigned i = 0; i < 40; i++) {
		uintptr_t start = NOBODY + i * 7 % 40 * 100;

		cr_expect_eq(cfa_at(start), (int)(16 + i));
		cr_expect_eq(cfa_at(start + 49), (int)(16 + i));
		cr_expect_eq(cfa_at(start + 50), 0);
		cr_expect_eq(cfa_at(start - 1), 0);
	}
	drop(page);
	cr_expect_eq(cfa_at(NOBODY), 0);
}

Test(registered, what_was_learned_of_dropped_code_is_void)
{
	uint32_t generation = cps_module_generation();

	end(put_fde(forged_cie_put(page), page, NOBODY, 50, 24));
	add(page);
	drop(page);
	cr_expect_eq(cps_module_generation(), generation, "nobody has asked");
	add(page);
	cfa_at(NOBODY);
	drop(page);
	cr_expect_neq(cps_module_generation(), generation);
}

Test(registered, the_section_may_end_with_its_page)
{
	unsigned char *section = page + PAGE - 24 - FDE - 4;

	end(put_fde(forged_cie_put(section), section, NOBODY, 50, 24));
	add(section);
	cr_expect_eq(cfa_at(NOBODY), 24);
}

Test(registered, a_section_without_an_end_is_taken_as_far_as_it_goes)
{
	unsigned char *section = page + PAGE - 24 - 2 * FDE, *p = forged_cie_put(section);

	p = put_fde(p, section, NOBODY, 50, 24);
	put_fde(p, section, NOBODY + 50, 50, 32);
	add(section);
	cr_expect_eq(cfa_at(NOBODY), 24);
	cr_expect_eq(cfa_at(NOBODY + 50), 32);
	memset(section + 24 + FDE, 0xff, 4); /* an entry that is longer than memory */
	add(section);
	cr_expect_eq(cfa_at(NOBODY), 24);
	cr_expect_eq(cfa_at(NOBODY + 50), 0, "it is dropped with the section of before");
}

Test(registered, a_description_may_say_nothing)
{
	unsigned char *p = forged_cie_put(page);
	uintptr_t pc = NOBODY;
	struct cps_registered registered;
	struct cps_row row;

	memset(p - 7, 0, 7);
	end(put_fde(p, page, NOBODY, 50, 24));
	memset(p + 25, 0, FDE - 25);
	add(page);
	cps_cfi_row(cps_registered_module(CPS_MODULE_NONE, &pc, &registered), pc, false, &row);
	cr_expect_eq(row.kind, CPS_ROW_NONE, "%d", (int)row.kind);
}

Test(registered, an_fde_alone_is_one_function)
{
	unsigned char *p = forged_cie_put(page), *second;

	second = put_fde(p, page, NOBODY, 50, 24);
	end(put_fde(second, page, NOBODY + 50, 50, 32));
	add(p);
	cr_expect_eq(cfa_at(NOBODY), 24);
	cr_expect_eq(cfa_at(NOBODY + 50), 0);
}

Test(registered, new_code_replaces_what_was_given_up_without_a_word)
{
	unsigned char *other = page + 2048;

	end(put_fde(forged_cie_put(page), page, NOBODY, 100, 24));
	end(put_fde(forged_cie_put(other), other, NOBODY + 20, 50, 40));
	add(page);
	cr_expect_eq(cfa_at(NOBODY + 20), 24);
	add(other);
	cr_expect_eq(cfa_at(NOBODY + 20), 40);
	cr_expect_eq(cfa_at(NOBODY), 0);
}

Test(registered, sections_of_a_table_are_dropped_together)
{
	unsigned char *other = page + 2048;

	end(put_fde(forged_cie_put(page), page, NOBODY, 50, 24));
	end(put_fde(forged_cie_put(other), other, NOBODY + 50, 50, 32));
	cps_registered_add(1, (uintptr_t)page);
	cps_registered_add(1, (uintptr_t)other);
	cr_expect_eq(cfa_at(NOBODY), 24);
	cr_expect_eq(cfa_at(NOBODY + 50), 32);
	cps_registered_drop(1);
	cr_expect_eq(cfa_at(NOBODY), 0);
	cr_expect_eq(cfa_at(NOBODY + 50), 0);
}

Test(registered, a_section_may_vanish_or_change)
{
	end(put_fde(forged_cie_put(page), page, NOBODY, 50, 24));
	add(page);
	put_fde(page + 24, page, NOBODY + 4096, 50, 24);
	cr_expect_eq(cfa_at(NOBODY), 0);
	cr_expect_eq(cfa_at(NOBODY + 4096), 0);
	munmap(page, PAGE);
	cr_expect_eq(cfa_at(NOBODY), 0);
	drop(page);
	add(page);
	add(NULL);
	add((const void *)(UINTPTR_MAX - 2));
	drop((const void *)(UINTPTR_MAX - 2));
}

Test(registered, sections_may_come_and_go_for_ever)
{
	unsigned char *sections[3] = {page, page - PAGE, page - 2 * PAGE};

	for (unsigned i = 0; i < 20000; i++) {
		unsigned char *section = sections[i % 3], *p = forged_cie_put(section);

		for (unsigned k = 0; k < 60; k++)
			p = put_fde(p, section, NOBODY + i % 3 * 10000 + k * 50, 50,
				    (unsigned char)(16 + i % 50));
		end(p);
		add(section);
		cr_assert_eq(cfa_at(NOBODY + i % 3 * 10000 + 2950), (int)(16 + i % 50));
		drop(section);
	}
}

Test(registered, as_many_sections_as_there_is_room_for)
{
	unsigned found = 0;
	unsigned char *pages =
		mmap(NULL, 5000 * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < 5000; i++) {
		unsigned char *section = pages + i * 64;

		end(put_fde(forged_cie_put(section), section, NOBODY + i * 64, 64, 24));
		add(section);
	}
	for (unsigned i = 0; i < 5000; i++)
		found += cfa_at(NOBODY + i * 64) == 24;
	cr_expect_eq(found, 4096);
	for (unsigned i = 0; i < 5000; i++)
		drop(pages + i * 64);
	cr_expect_eq(cfa_at(NOBODY), 0);
	add(pages + 4999 * 64);
	cr_expect_eq(cfa_at(NOBODY + 4999 * 64), 24);
}
