/* SPDX-License-Identifier: MIT */
/*
 * forged_fixture.h - programs whose debug information the assembler writes, entry by entry.
 */
#ifndef FORGED_FIXTURE_H
#define FORGED_FIXTURE_H

#include "module_fixture.h"

/* A program with f, 4096 bytes, and what its debug information may say: entries by macros. */
static const char forged_prelude[] =
	"	.text\n"
	"	.globl main\n"
	"	.type main, @function\n"
	"main:	xorl %eax, %eax\n"
	"	ret\n"
	"	.size main, . - main\n"
	"	.globl f\n"
	"	.type f, @function\n"
	"f:	.fill 4096, 1, 0x90\n"
	"	.size f, . - f\n"
	"	.section .note.GNU-stack,\"\",@progbits\n"
	"	.macro abbreviation code, tag, children\n"
	"	.uleb128 \\code, \\tag\n"
	"	.byte \\children\n"
	"	.endm\n"
	"	.section .debug_abbrev,\"\",@progbits\n"
	"abbreviations:\n"
	"	abbreviation 1, 0x11, 1\n" /* unit: low_pc, high_pc, ranges, stmt_list */
	"	.byte 0x11, 0x01, 0x12, 0x07, 0x10, 0x17, 0, 0\n"
	"	abbreviation 2, 0x2e, 1\n" /* function: name, low_pc, high_pc */
	"	.byte 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	"	abbreviation 3, 0x1d, 1\n" /* inlined: abstract_origin, low_pc, high_pc */
	"	.byte 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	"	abbreviation 4, 0x0b, 1\n" /* block: sibling */
	"	.byte 0x01, 0x13, 0, 0\n"
	"	abbreviation 5, 0x2e, 0\n" /* pattern: name */
	"	.byte 0x03, 0x08, 0, 0\n"
	"	abbreviation 6, 0x1d, 0\n" /* inlined: abstract_origin, ranges */
	"	.byte 0x31, 0x13, 0x55, 0x17, 0, 0\n"
	"	abbreviation 7, 0x0b, 1\n" /* block */
	"	.byte 0, 0\n"
	"	abbreviation 8, 0x13, 1\n" /* structure */
	"	.byte 0, 0\n"
	"	abbreviation 9, 0x2e, 1\n" /* function: specification */
	"	.byte 0x47, 0x13, 0, 0\n"
	"	.byte 0\n"
	"	.macro structure\n"
	"	.byte 8\n"
	"	.endm\n"
	"	.macro specified declaration\n"
	"	.byte 9\n"
	"	.long \\declaration - unit\n"
	"	.endm\n"
	"	.macro function name\n"
	"	.byte 2\n"
	"	.asciz \"\\name\"\n"
	"	.quad f, 4096\n"
	"	.endm\n"
	"	.macro pattern name\n"
	"	.byte 5\n"
	"	.asciz \"\\name\"\n"
	"	.endm\n"
	"	.macro inlined origin:vararg\n"
	"	.byte 3\n"
	"	.long \\origin - unit\n"
	"	.quad f, 4096\n"
	"	.endm\n"
	"	.macro inlined_ranges origin\n"
	"	.byte 6\n"
	"	.long \\origin - unit, 0\n"
	"	.endm\n"
	"	.macro block sibling\n"
	"	.byte 4\n"
	"	.long \\sibling - unit\n"
	"	.endm\n"
	"	.section .debug_info,\"\",@progbits\n"
	"unit:	.long unit_end - unit - 4\n"
	"	.short 4\n"
	"	.long abbreviations\n"
	"	.byte 8\n"
	"	.byte 1\n"
	"	.quad f, 4096\n"
	"	.long 0\n";
static const char forged_tail[] = "	.section .debug_info\n"
				  "	.ifndef unit_end\n"
				  "unit_end:\n"
				  "	.endif\n"
				  "	.section .debug_line,\"\",@progbits\n"
				  "	.section .debug_ranges,\"\",@progbits\n";

HELPER struct subject *forged(const char *entries, const char *sections)
{
	struct subject *s;
	FILE *f = fopen("p.s", "w");

	cr_assert(f);
	fprintf(f, "%s%s%s%s", forged_prelude, entries, forged_tail, sections);
	cr_assert_eq(fclose(f), 0);
	sh("gcc -o p p.s");
	s = subject_recorded("p");
	s->options.inlines = true;
	s->options.lines = true;
	return s;
}

/* "f;g" in the middle of f; only the first and the last of a long chain. */
HELPER const char *chain_of(struct subject *s, size_t *n)
{
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE};
	const struct symbols_place *places;
	static char text[256];

	frame.address = address_of("p", "f") + 100;
	s->symbols = symbols_new(&s->profile, &s->options, &s->error);
	cr_assert_eq(symbols_expand(s->symbols, &frame, &places, n, &s->error), 0);
	snprintf(text, sizeof(text), "%s%s%s",
		 strings_get(s->profile.strings, places[0].name, NULL), *n > 1 ? ";" : "",
		 *n > 1 ? strings_get(s->profile.strings, places[*n - 1].name, NULL) : "");
	return text;
}

HELPER void makes(const char *entries, const char *sections, const char *want)
{
	struct subject *s = forged(entries, sections);
	size_t n;

	cr_assert_str_eq(chain_of(s, &n), want);
	subject_free(s);
}

#endif
