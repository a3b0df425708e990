/* SPDX-License-Identifier: MIT */
/*
 * test_kallsyms.c - addresses of the kernel get the names of the functions that they are in.
 *
 * Seen to fail: with what is noted at one address not handed on to the next; with data taken for functions; with the
 * name that has more underscores; with reading stopped before modules below the kernel.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "libsampler/stream/kernel_names.h"

static struct cps_kallsyms_function list[8];
static struct cps_kallsyms k;
static uint32_t n;

/* Looks for addresses, which end with 0, in the text. Returns whether it was read to its end. */
static bool find(const uint64_t *addresses, const char *text, size_t piece)
{
	size_t length = strlen(text);
	bool goes_on = true;

	memset(list, 0xff, sizeof(list));
	for (n = 0; addresses[n]; n++)
		list[n].address = addresses[n];
	cps_kallsyms_begin(&k, list, n);
	for (size_t i = 0; i < length && goes_on; i += piece)
		goes_on = cps_kallsyms_add(&k, text + i, length - i < piece ? length - i : piece);
	cps_kallsyms_finish(&k);
	return goes_on;
}

static const char *name_of(uint64_t address)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].address == address)
			return list[i].start ? list[i].name : "none";
	return "not in the list";
}

#define TEXT                                                                                       \
	"ffffffff81000000 T _stext\nffffffff81000100 T read_zero\nffffffff81000180 d some_data\n"  \
	"ffffffff81000200 t local.isra.0\nffffffff81000200 W __weak\nffffffff81000300 T after\n"   \
	"ffffffffc0000100 t later\t[mod]\nffffffffc0000000 t sooner\t[mod]\n"

Test(kallsyms, addresses_lie_in_functions)
{
	const uint64_t wanted[] = {0xffffffff810002ff,
				   0xffffffff81000100,
				   0xffffffff810001c0,
				   0xffffffffc0000050,
				   0xffffffff810001c1,
				   0xffffffffc0000150,
				   0};

	for (size_t piece = 1; piece < 300; piece += 7) {
		cr_assert(find(wanted, TEXT, piece));
		cr_assert_str_eq(name_of(wanted[0]), "local.isra.0");
		cr_assert_str_eq(name_of(wanted[1]), "read_zero");
		cr_assert_str_eq(name_of(wanted[2]), "read_zero");
		cr_assert_str_eq(name_of(wanted[3]), "sooner");
		cr_assert_str_eq(name_of(wanted[4]), "read_zero");
		cr_assert_str_eq(name_of(wanted[5]), "later");
		cr_assert_eq(list[0].start, 0xffffffff81000100);
	}
}

Test(kallsyms, reading_ends_behind_what_is_wanted)
{
	const uint64_t wanted[] = {0xffffffff81000110, 0}, low[] = {0xfffff00000000010, 0};

	cr_assert_not(find(wanted, TEXT, 1000));
	cr_assert_str_eq(name_of(wanted[0]), "read_zero");
	cr_assert(find(low, "ffffffff81000000 T _stext\nfffff00000000000 t below\t[mod]\n", 1000));
	cr_assert_str_eq(name_of(low[0]), "below");
}

Test(kallsyms, plainest_name_counts)
{
	const uint64_t wanted[] = {0xffffffff81000004, 0};

	find(wanted,
	     "ffffffff81000000 T __pi_copy\nffffffff81000000 T copy\nffffffff81000000 W _c\n", 9);
	cr_assert_str_eq(name_of(wanted[0]), "copy");
}

Test(kallsyms, names_that_are_not_there)
{
	const uint64_t wanted[] = {0xffffffff81000004, 0xffffffff82000004, 0};

	find(wanted, "0000000000000000 T hidden\nffffffff8100000 x\n\nffffffff81000008\n ffff T a",
	     9);
	cr_assert_str_eq(name_of(wanted[0]), "none");
	find(wanted, "ffffffff81000000 T far_away\n", 100);
	cr_assert_str_eq(name_of(wanted[0]), "far_away");
	cr_assert_str_eq(name_of(wanted[1]), "none");
	find(wanted + 2, TEXT, 100);
}

Test(kallsyms, long_names_are_cut)
{
	const uint64_t wanted[] = {0xffffffff81000004, 0};
	char text[600];

	memset(text, 'x', sizeof(text));
	memcpy(text, "ffffffff81000000 T ", 19);
	memcpy(text + sizeof(text) - 3, "y\n", 3);
	find(wanted, text, 100);
	cr_assert_eq(strlen(name_of(wanted[0])), CPS_KALLSYMS_NAME_BYTES - 1);
}
