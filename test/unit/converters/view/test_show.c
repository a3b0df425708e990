/* SPDX-License-Identifier: MIT */
/* test_show.c - amounts, colours and names within paths. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/colour.h"
#include "write/name_text.h"
#include "write/weight.h"

static struct profile profile_in(const char *unit)
{
	struct profile p = {.strings = strings_new()};

	p.unit = strings_add(p.strings, unit, strlen(unit));
	return p;
}

static void weight_is(const struct profile *p, enum tree_unit unit, uint64_t largest,
		      uint64_t amount, const char *want)
{
	char text[WEIGHT_BYTES];

	cr_assert_str_eq(weight_text(text, weight_scale(p, unit, largest), amount), want);
}

Test(weight, one_unit_for_a_table)
{
	struct profile ns = profile_in("ns"), samples = profile_in("samples");

	weight_is(&ns, TREE_GTICKS, 2000000000, 1234567890, "1.235 s");
	weight_is(&ns, TREE_GTICKS, 1000000000, 499999, "0.000 s");
	weight_is(&ns, TREE_GTICKS, 999999999, 1000000, "1.000 ms");
	weight_is(&ns, TREE_GTICKS, 999999, 1500, "1.500 us");
	weight_is(&ns, TREE_GTICKS, 999, 17, "17 ns");
	weight_is(&ns, TREE_GTICKS, 0, 0, "0 ns");
	weight_is(&ns, TREE_GTICKS, UINT64_MAX, UINT64_MAX, "18446744073.710 s");
	weight_is(&ns, TREE_HITS, 2000000000, 1234567890, "1234567890");
	weight_is(&samples, TREE_GTICKS, 999999999999, 999999999999, "999999999999");
	weight_is(&samples, TREE_GTICKS, 1000000000000, 999999999999, "1000.000 G");
	weight_is(&samples, TREE_GTICKS, 999998999999999, 17000000, "0.017 G");
	weight_is(&samples, TREE_GTICKS, 999999000000000, 999999000000000, "999.999 T");
	weight_is(&samples, TREE_GTICKS, UINT64_MAX, UINT64_MAX, "18446.744 P");
	strings_free(ns.strings);
	strings_free(samples.strings);
}

Test(weight, intervals_are_short)
{
	char text[WEIGHT_BYTES];

	cr_assert_str_eq(weight_ns(text, 1000000), "1 ms");
	cr_assert_str_eq(weight_ns(text, 1500000000), "1.5 s");
	cr_assert_str_eq(weight_ns(text, 100), "100 ns");
	cr_assert_str_eq(weight_ns(text, 10001000), "10.001 ms");
}

Test(weight, fractions)
{
	cr_assert_eq(weight_fraction(0, 0), 0);
	cr_assert_eq(weight_fraction(1, 4), 0.25);
	cr_assert(weight_below(4, 1000, 0.5));
	cr_assert_not(weight_below(5, 1000, 0.5), "strictly below");
	cr_assert_not(weight_below(0, 0, 0));
	cr_assert_not(weight_below(0, 10, 0), "0 hides nothing");
}

/* 2.97 * 10000 is 29700.000000000004 in doubles, and counts of 61 bits are rounded to 256. */
Test(weight, thresholds_are_exact)
{
	uint64_t tens[] = {UINT64_C(10000), UINT64_C(1000000), UINT64_C(10000000000000000000)};
	uint64_t half = UINT64_C(1) << 63;
	size_t i;
	int p;

	for (i = 0; i < sizeof(tens) / sizeof(*tens); i++)
		for (p = 1; p <= 10000; p++) {
			cr_assert_not(
				weight_below(tens[i] / 10000 * (unsigned)p, tens[i], p / 100.0),
				"%d", p);
			cr_assert(
				weight_below(tens[i] / 10000 * (unsigned)p - 1, tens[i], p / 100.0),
				"%d", p);
		}
	cr_assert(weight_below(UINT64_MAX - 1, UINT64_MAX, 100));
	cr_assert_not(weight_below(UINT64_MAX, UINT64_MAX, 100));
	cr_assert(weight_below(half - 1, half * 2 - 2 + 1, 50));
	cr_assert_not(weight_below(half, UINT64_MAX, 50));
}

static void part(const char *colour, int rgb[3])
{
	cr_assert_eq(strlen(colour), 7);
	cr_assert_eq(sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]), 3);
}

static const struct colour_scale temperature = {COLOUR_TEMPERATURE, 1};

/* The default has black letters everywhere, on colours that differ. Seen to fail: with full colours. */
Test(colour, soft)
{
	const struct colour_scale soft = {COLOUR_SOFT, 1};
	char text[COLOUR_BYTES];
	int rgb[3];

	for (int i = 0; i <= 100; i++) {
		part(colour_of(text, soft, i / 100.0), rgb);
		cr_assert(rgb[0] + 2 * rgb[1] + rgb[2] > 600, "%s is no light colour", text);
		cr_assert_str_eq(colour_of_text(soft, i / 100.0), "#000000");
	}
	part(colour_of(text, soft, 0), rgb);
	cr_assert(rgb[2] > rgb[0], "cold: %s", text);
	part(colour_of(text, soft, 1), rgb);
	cr_assert(rgb[0] > rgb[2] + 80, "hot: %s", text);
}

/* From dark blue over green to red. */
Test(colour, ramp)
{
	char text[COLOUR_BYTES];
	int rgb[3];

	cr_assert_str_eq(colour_of(text, temperature, 1), "#ff0000");
	cr_assert_str_eq(colour_of(text, temperature, 0), "#0d0d73");
	part(colour_of(text, temperature, 0.5), rgb);
	cr_assert(rgb[1] > 2 * rgb[0] && rgb[1] > 2 * rgb[2], "green in the middle");
	cr_assert_str_eq(colour_of(text, temperature, 7), "#ff0000");
	cr_assert_str_eq(colour_of(text, temperature, -7), "#0d0d73");
	cr_assert_str_eq(colour_of(text, (struct colour_scale){COLOUR_COLOR, 1}, 0.3),
			 colour_of((char[COLOUR_BYTES]){0}, temperature, 0.3));
}

/* Whatever the map, the skew and the fraction, a colour; and text can be read. */
Test(colour, all_maps)
{
	static const double skews[] = {1e-300, 0.01, 1, 1 + 1e-9, 100, 1e300};
	struct colour_scale scale;
	char text[COLOUR_BYTES];
	int rgb[3], i, k, light;

	for (scale.map = 0; scale.map <= COLOUR_COLOR; scale.map++) {
		for (k = 0; k < 6; k++) {
			for (i = 0; i <= 100; i++) {
				scale.skew = skews[k];
				part(colour_of(text, scale, i / 100.0), rgb);
				light = colour_fills(scale) ? rgb[0] + 3 * rgb[1] + rgb[2] : 1275;
				if (light < 300 || light > 1100)
					cr_assert_str_eq(colour_of_text(scale, i / 100.0),
							 light < 300 ? "#ffffff" : "#000000");
				part(colour_of_line(text, scale, i / 100.0), rgb);
				cr_assert(rgb[0] + rgb[1] + rgb[2] < 600, "a line on white: %s",
					  text);
				part(colour_of_label(text, scale, i / 100.0), rgb);
				cr_assert(rgb[0] + 2 * rgb[1] < 2 * 255, "readable on white: %s",
					  text);
			}
		}
	}
}

/* Small shares differ more with less skew. */
Test(colour, skew)
{
	struct colour_scale low = {COLOUR_GRAY, 0.1}, high = {COLOUR_GRAY, 10};
	struct colour_scale linear = {COLOUR_GRAY, 1};
	char text[COLOUR_BYTES];
	int a[3], b[3], c[3];

	part(colour_of(text, low, 0.2), a);
	part(colour_of(text, linear, 0.2), b);
	part(colour_of(text, high, 0.2), c);
	cr_assert(a[0] < b[0] - 20 && b[0] < c[0] - 20, "%d %d %d", a[0], b[0], c[0]);
	part(colour_of(text, low, 1), a);
	part(colour_of(text, high, 1), c);
	cr_assert_eq(a[0], c[0]);
}

Test(colour, text_can_be_read)
{
	cr_assert_str_eq(colour_of_text(temperature, 0), "#ffffff");
	cr_assert_str_eq(colour_of_text(temperature, 0.7), "#000000", "on yellow");
	cr_assert_str_eq(colour_of_text(temperature, 1), "#ffffff");
}

Test(colour, sizes)
{
	struct colour_scale print = {COLOUR_PRINT, 1};

	cr_assert(colour_fills(temperature) && !colour_fills(print));
	cr_assert_eq((int)colour_font(temperature, 0.5), 10);
	cr_assert_eq((int)colour_font(print, 0), 18);
	cr_assert_eq((int)colour_font(print, 1), 30);
	cr_assert_eq((int)colour_pen(print, 1), 6);
}

/* (Seen to fail: of a character of three bytes the first one became a question mark, and the rest was no UTF-8.) */
Test(name_text, nothing_breaks_the_line)
{
	const char name[] =
		"a;b\n\t\x01\x7f \xc3\xa4\xff\xc2\x85\xe2\x80\xae\xf3\xa0\x81\x81\xe2\x82\xac";
	const char want[] = "a:b???? \xc3\xa4\xff\?\?\?\?\?\?\?\?\?\xe2\x82\xac?";
	char copy[sizeof(name)];

	name_text_folded(copy, name, sizeof(name));
	cr_assert_arr_eq(copy, want, sizeof(name), "the last one is the NUL");
}
