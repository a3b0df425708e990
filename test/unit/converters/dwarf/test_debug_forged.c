/* SPDX-License-Identifier: MIT */
/*
 * test_debug_forged.c - entries of debug information that cannot be: nothing is made of them, in no
 * time.
 *
 * Each test fails, by its time limit or by a crash, without the limit that it is about.
 */
#include "forged_fixture.h"

TestSuite(debug_forged, .init = enter_fixture, .fini = leave_fixture, .timeout = 30);

/* What the others are changed from. */
Test(debug_forged, not_at_all)
{
	makes("p:	pattern g\n"
	      "	function f\n"
	      "	inlined p\n"
	      "	.byte 0, 0, 0\n",
	      "", "f;g");
}

Test(debug_forged, origins_in_a_circle)
{
	makes("p:	pattern g\n"
	      "	function f\n"
	      "a:	inlined b\n"
	      "b:	inlined a\n"
	      "c:	inlined c\n"
	      "	inlined p\n"
	      "	.byte 0, 0, 0, 0, 0, 0\n",
	      "", "f;g");
}

/* A function that stands in a type that stands in a function whose declaration is the first one. */
Test(debug_forged, outer_entries_in_a_circle)
{
	makes("	specified p\n"
	      "	structure\n"
	      "p:	pattern g\n"
	      "	.byte 0, 0\n"
	      "	function f\n"
	      "	inlined p\n"
	      "	.byte 0, 0, 0\n",
	      "", "f;g");
}

/* Types in types in types: names do not grow with them. */
Test(debug_forged, outer_entries_without_end)
{
	makes("	.rept 10000\n"
	      "	structure\n"
	      "	.endr\n"
	      "p:	pattern g\n"
	      "	.rept 10000\n"
	      "	.byte 0\n"
	      "	.endr\n"
	      "	function f\n"
	      "	inlined p\n"
	      "	.byte 0, 0, 0\n",
	      "", "f;g");
}

Test(debug_forged, origins_that_are_nowhere)
{
	makes("	function f\n"
	      "	inlined unit + 0x7ffffff0\n"
	      "	inlined unit_end - 1\n"
	      "	inlined unit\n"
	      "	.byte 0, 0, 0, 0, 0\n",
	      "", "f");
}

Test(debug_forged, endless_depth)
{
	struct subject *s = forged("p:	pattern g\n"
				   "	function f\n"
				   "	.rept 100000\n"
				   "	inlined p\n"
				   "	.endr\n"
				   "	.rept 100002\n"
				   "	.byte 0\n"
				   "	.endr\n",
				   "");
	size_t n;

	chain_of(s, &n);
	cr_assert(n > 100 && n < 1000, "%zu places", n);
	subject_free(s);
	/* Blocks do not count as places. */
	makes("	function f\n"
	      "	.rept 600000\n"
	      "	.byte 7\n"
	      "	.endr\n",
	      "", "f");
}

/* The next one of each is its own first child: 2^40 ways through 40 entries. */
Test(debug_forged, siblings_that_are_children)
{
	makes("	function f\n"
	      "	.altmacro\n"
	      "	.macro step number, next\n"
	      "b\\number:	block b\\next\n"
	      "	.endm\n"
	      "	.set i, 0\n"
	      "	.rept 40\n"
	      "	step %i, %i + 1\n"
	      "	.set i, i + 1\n"
	      "	.endr\n"
	      "	.macro last number\n"
	      "b\\number:	.byte 7\n"
	      "	.endm\n"
	      "	last %i\n"
	      "	.rept 50\n"
	      "	.byte 0\n"
	      "	.endr\n",
	      "", "f");
}

/* Each of 20,000 entries claims the same 20,000 ranges. */
Test(debug_forged, ranges_that_all_share)
{
	makes("p:	pattern g\n"
	      "	function f\n"
	      "	.rept 20000\n"
	      "	inlined_ranges p\n"
	      "	.endr\n"
	      "	.byte 0, 0\n",
	      "	.set at, 0\n"
	      "	.rept 20000\n"
	      "	.quad at, at + 1\n"
	      "	.set at, at + 2\n"
	      "	.endr\n"
	      "	.quad 0, 0\n",
	      "f;g");
}

/* 64 KiB of entries, each of which has what is behind it below it, and no end. */
Test(debug_forged, children_without_end)
{
	makes("	function f\n"
	      "	.rept 700\n"
	      "	.byte 4\n"
	      "	.long 1f - unit\n"
	      "	.fill 90, 1, 7\n"
	      "1:\n"
	      "	.endr\n",
	      "", "f");
}

/* The section's last byte is the name's. */
Test(debug_forged, names_without_end)
{
	makes("	function f\n"
	      "	inlined p\n"
	      "	.byte 0, 0\n"
	      "	.p2align 4\n"
	      "p:	.byte 5\n"
	      "	.ascii \"ggggggggggggggg\"\n",
	      "", "f;ggggggggggggggg");
}
