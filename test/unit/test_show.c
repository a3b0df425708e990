/* SPDX-License-Identifier: MIT */
/* test_show.c - amounts, colours and names within paths. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "colour.h"
#include "path_name.h"

static struct profile profile_in(const char *unit)
{
	struct profile p = {.strings = strings_new()};

	p.unit = strings_add(p.strings, unit, strlen(unit));
	return p;
}

static void amount_is(const struct profile *p, enum tree_unit unit, uint64_t largest,
		      uint64_t amount, const char *want)
{
	char text[AMOUNT_BYTES];

	cr_assert_str_eq(amount_text(text, amount_scale(p, unit, largest), amount), want);
}

Test(amount, one_unit_for_a_table)
{
	struct profile ns = profile_in("ns"), samples = profile_in("samples");

	amount_is(&ns, TREE_GTICKS, 2000000000, 1234567890, "1.235 s");
	amount_is(&ns, TREE_GTICKS, 1000000000, 499999, "0.000 s");
	amount_is(&ns, TREE_GTICKS, 999999999, 1000000, "1.000 ms");
	amount_is(&ns, TREE_GTICKS, 999999, 1500, "1.500 us");
	amount_is(&ns, TREE_GTICKS, 999, 17, "17 ns");
	amount_is(&ns, TREE_GTICKS, 0, 0, "0 ns");
	amount_is(&ns, TREE_GTICKS, UINT64_MAX, UINT64_MAX, "18446744073.710 s");
	amount_is(&ns, TREE_HITS, 2000000000, 1234567890, "1234567890");
	amount_is(&samples, TREE_GTICKS, UINT64_MAX, UINT64_MAX, "18446744073709551615");
	strings_free(ns.strings);
	strings_free(samples.strings);
}

Test(amount, intervals_are_short)
{
	char text[AMOUNT_BYTES];

	cr_assert_str_eq(amount_ns(text, 1000000), "1 ms");
	cr_assert_str_eq(amount_ns(text, 1500000000), "1.5 s");
	cr_assert_str_eq(amount_ns(text, 100), "100 ns");
	cr_assert_str_eq(amount_ns(text, 10001000), "10.001 ms");
}

Test(amount, fractions)
{
	cr_assert_eq(amount_fraction(0, 0), 0);
	cr_assert_eq(amount_fraction(1, 4), 0.25);
	cr_assert(amount_below(4, 1000, 0.5));
	cr_assert_not(amount_below(5, 1000, 0.5), "strictly below");
	cr_assert_not(amount_below(0, 0, 0));
	cr_assert_not(amount_below(0, 10, 0), "0 hides nothing");
}

static void part(const char *colour, int rgb[3])
{
	cr_assert_eq(strlen(colour), 7);
	cr_assert_eq(sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]), 3);
}

/* From dark blue over green to red; whatever the fraction, a colour. */
Test(colour, ramp)
{
	char text[COLOUR_BYTES];
	int rgb[3], i;

	cr_assert_str_eq(colour_of(text, 1), "#ff0000");
	cr_assert_str_eq(colour_of(text, 0), "#0d0d73");
	part(colour_of(text, 0.5), rgb);
	cr_assert(rgb[1] > 2 * rgb[0] && rgb[1] > 2 * rgb[2], "green in the middle");
	cr_assert_str_eq(colour_of(text, 7), "#ff0000");
	cr_assert_str_eq(colour_of(text, -7), "#0d0d73");
	for (i = 0; i <= 100; i++) {
		part(colour_of(text, i / 100.0), rgb);
		part(colour_of_label(text, i / 100.0), rgb);
		cr_assert(rgb[0] + 2 * rgb[1] < 2 * 255, "readable on white: %s", text);
	}
}

Test(colour, text_can_be_read)
{
	cr_assert_str_eq(colour_of_text(0), "#ffffff");
	cr_assert_str_eq(colour_of_text(0.7), "#000000", "on yellow");
	cr_assert_str_eq(colour_of_text(1), "#ffffff");
}

Test(path_name, nothing_breaks_the_line)
{
	const char name[] = "a;b\n\t\x01\x7f \xc3\xa4\xff";
	char copy[sizeof(name)];

	path_name_copy(copy, name, sizeof(name));
	cr_assert_arr_eq(copy, "a:b???? \xc3\xa4\xff?", sizeof(name), "the last one is the NUL");
}
