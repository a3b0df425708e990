/* SPDX-License-Identifier: MIT */
/* test_debug_forged.c - debug information that is forged, damaged or compressed. */
#include <elf.h>

#include "dwarf/debug_info.h"
#include "elf/elf_file.h"
#include "forged_fixture.h"
#include "scarce_memory.h"

/* ---- debug tables ---------------------------------------------------------------------------- */
/* Sections of debug information that are forged, damaged or compressed. */

TestSuite(debug_tables, .init = enter_fixture, .fini = leave_fixture, .timeout = 30);

/* A line table of version 5 whose files are 2^63, and one of nothing but rows. */
Test(debug_tables, line_tables)
{
	static const char entries[] = "p:	pattern g\n"
				      "	function f\n"
				      "	inlined p\n"
				      "	.byte 0, 0, 0\n";

	makes(entries,
	      "	.section .debug_line\n"
	      "	.long 2f - 1f\n"
	      "1:	.short 5\n"
	      "	.byte 8, 0\n"
	      "	.long 100\n"
	      "	.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
	      "	.byte 1, 1, 8\n"
	      "	.uleb128 0x7fffffffffffffff\n"
	      "	.fill 200, 1, 0x41\n"
	      "2:\n",
	      "f;g");
	makes(entries,
	      "	.section .debug_line\n"
	      "	.long 2f - 1f\n"
	      "1:	.short 4\n"
	      "	.long 3f - 4f\n"
	      "4:	.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
	      "	.byte 0\n"
	      "	.asciz \"p.c\"\n"
	      "	.byte 0, 0, 0, 0\n"
	      "3:	.byte 0, 9, 2\n"
	      "	.quad f\n"
	      "	.fill 1000000, 1, 0x20\n"
	      "2:\n",
	      "f;g");
}

/* Nobody makes room for what cannot be. */
static void fits_memory(const char *file, const char *section)
{
	struct elf_file f;
	struct error why;

	cr_assert_eq(elf_file_open(&f, file, &why), 0);
	cr_assert_eq(elf_section_bytes(&f, elf_section_named(&f, section)), 0);
	elf_file_close(&f);
}

/* Each of 300 units refers to a table of 20,000 abbreviations, and means the last one. */
Test(debug_tables, abbreviations_that_all_share)
{
	static const char units[] = "p:	pattern g\n"
				    "	function f\n"
				    "	inlined p\n"
				    "	.byte 0, 0, 0\n"
				    "unit_end:\n"
				    "	.rept %d\n"
				    "	.long 2f - 1f\n"
				    "1:	.short 4\n"
				    "	.long large\n"
				    "	.byte 8\n"
				    "	.uleb128 20007, 0\n"
				    "2:\n"
				    "	.endr\n"
				    "	.section .debug_abbrev\n"
				    "large:\n"
				    "	.set code, 8\n"
				    "	.rept 20000\n"
				    "	abbreviation code, 0x11, 1\n"
				    "	.byte 3, 8, 0, 0\n"
				    "	.set code, code + 1\n"
				    "	.endr\n"
				    "	.byte 0\n"
				    "	.section .debug_info\n";
	char *text;

	/* What few share is usual. */
	cr_assert_gt(asprintf(&text, units, 3), 0);
	makes(text, "", "f;g");
	free(text);
	cr_assert_gt(asprintf(&text, units, 300), 0);
	makes(text, "", "f");
	free(text);
}

/* A table that stands inside of another one: the second that is asked for is not read. */
Test(debug_tables, line_tables_in_each_other)
{
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE};
	const struct symbols_place *places;
	struct subject *s = forged(
		"	.byte 0\n"
		"unit_end:\n"
		"	.long 2f - 1f\n"
		"1:	.short 4\n"
		"	.long abbreviations\n"
		"	.byte 8\n"
		"	.byte 1\n"
		"	.quad main, 3\n"
		"	.long 3f\n"
		"	.byte 0\n"
		"2:\n",
		"	.macro table end, code, line\n"
		"	.long \\end - 1f\n"
		"1:	.short 4\n"
		"	.long 2f - 4f\n"
		"4:	.byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
		"	.byte 0\n"
		"	.asciz \"p.c\"\n"
		"	.byte 0, 0, 0, 0\n"
		"2:	.byte 0, 9, 2\n"
		"	.quad \\code\n"
		"	.byte 3, \\line, 1, 2\n" /* that many lines further; a row; to the end */
		"	.uleb128 3\n"
		"	.endm\n"
		"	.macro end_sequence\n"
		"	.byte 0, 1, 1\n"
		"	.endm\n"
		"	.section .debug_line\n"
		"	table 6f, f, 16\n"
		"	end_sequence\n"
		"	.byte 0, 5f - 3f + 1, 0x80\n" /* an unknown operation, with bytes of its own */
		"3:	table 5f, main, 8\n"
		"	end_sequence\n"
		"5:\n"
		"6:\n");
	size_t n;

	s->symbols = symbols_new(&s->profile, &s->options, &s->error);
	for (int i = 0; i < 2; i++) {
		frame.address = address_of("p", i ? "main" : "f");
		cr_assert_eq(symbols_expand(s->symbols, &frame, &places, &n, &s->error), 0);
		cr_assert_eq(places[0].line, i ? 0 : 17);
	}
	subject_free(s);
	/* The inner one alone is well. */
	s = subject_recorded("p");
	s->options.lines = true;
	s->symbols = symbols_new(&s->profile, &s->options, &s->error);
	cr_assert_eq(symbols_expand(s->symbols, &frame, &places, &n, &s->error), 0);
	cr_assert_eq(places[0].line, 9);
	subject_free(s);
}

/* A compressed section that claims to be a thousand million bytes, or what it is not. */
Test(debug_tables, compressed_sections)
{
	static const char *const changes[] = {
		"size = 1000000000", "size -= 1", "size += 1", "kind = 7", "size = 2 ** 63",
	};
	struct subject *s;
	uint64_t at;
	size_t n;

	subject_free(forged("p:	pattern g\n"
			    "	function f\n"
			    "	inlined p\n"
			    "	.byte 0, 0, 0\n"
			    "	.fill 5000, 1, 0\n",
			    ""));
	at = address_of("p", "f");
	sh("objcopy --compress-debug-sections=zlib p z && readelf -SW z | grep -q 'debug_info.* C "
	   "'");
	s = subject_recorded("z");
	s->options.inlines = true;
	cr_assert_str_eq(chain_of(s, &n), "f;g");
	subject_free(s);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		sh("python3 -c '\n"
		   "import struct, subprocess\n"
		   "line = subprocess.run([\"readelf\", \"-SW\", \"z\"], stdout=-1, "
		   "text=True).stdout\n"
		   "line = [l for l in line.splitlines() if \".debug_info\" in l][0]\n"
		   "at = int(line[line.index(\"PROGBITS\"):].split()[2], 16)\n"
		   "z = bytearray(open(\"z\", \"rb\").read())\n"
		   "kind, size = struct.unpack_from(\"<I4xQ\", z, at)\n"
		   "%s\n"
		   "struct.pack_into(\"<I4xQ\", z, at, kind, size)\n"
		   "open(\"p\", \"wb\").write(z)'",
		   changes[i]);
		if (i == 0)
			fits_memory("p", ".debug_info");
		s = subject_recorded("p");
		s->options.inlines = true;
		cr_assert_eq(address_of("p", "f"), at);
		cr_assert_str_eq(chain_of(s, &n), "f", "%s", changes[i]);
		subject_free(s);
	}
}

/* Change some bytes of the debug sections. */
static void change(unsigned char *bytes)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + head->e_shoff);
	const char *names = (const char *)bytes + sections[head->e_shstrndx].sh_offset;

	for (int left = 1 + rand() % 8; left > 0;) {
		const Elf64_Shdr *s = &sections[rand() % head->e_shnum];

		if (strncmp(names + s->sh_name, ".debug_", 7) != 0)
			continue;
		bytes[s->sh_offset + (size_t)rand() % s->sh_size] = (unsigned char)rand();
		left--;
	}
}

/* There is always a name for f, from its symbol. */
static void ask_around(uint64_t f)
{
	struct subject *s = subject_new("p");
	size_t n;

	s->options.inlines = s->options.lines = true;
	s->symbols = symbols_new(&s->profile, &s->options, &s->error);
	for (uint64_t at = f; at < f + 16; at++) {
		struct profile_frame frame = {0, STRINGS_NONE, at};
		const struct symbols_place *places;

		cr_assert_eq(symbols_expand(s->symbols, &frame, &places, &n, &s->error), 0);
		cr_assert_geq(n, 1);
		cr_assert_str_eq(strings_get(s->profile.strings, places[0].name, NULL), "f");
	}
	subject_free(s);
}

Test(debug_tables, changed_bytes)
{
	static const char *const compilers[] = {"gcc -gdwarf-4", "gcc -gdwarf-5", "clang -gdwarf-4",
						"clang -gdwarf-5"};
	unsigned char *bytes, *changed;
	uint64_t f;
	size_t n;

	put("q.c",
	    "volatile int sink;\n"
	    "static inline __attribute__((always_inline)) int g(int a) { return a + sink; }\n"
	    "int f(int a) { for (int i = 0; i < 99; i++) a += g(i); return a; }\n"
	    "int main(int c, char **v) { (void)v; return f(c); }\n");
	srand(7);
	for (size_t i = 0; i < 4; i++) {
		if (strncmp(compilers[i], "clang", 5) == 0 && system("command -v clang >/dev/null"))
			continue;
		sh("%s -O1 -o whole q.c", compilers[i]);
		f = address_of("whole", "f");
		bytes = slurp("whole", &n);
		changed = malloc(n);
		for (int round = 0; round < 300; round++) {
			memcpy(changed, bytes, n);
			change(changed);
			spill("p", changed, n);
			ask_around(f);
		}
		free(bytes);
		free(changed);
	}
}

/* Without memory for it, debug information is not said to be missing. */
Test(debug_tables, an_image_needs_memory)
{
	struct debug_image image;
	struct elf_file f;
	struct error why;
	int rc;

	put("p.c", "int main(void) { return 0; }\n");
	sh("gcc -g -o p p.c");
	cr_assert_eq(elf_file_open(&f, "p", &why), 0);
	cr_assert_eq(debug_image_open(&image, &f, true), 1);
	debug_image_close(&image);
	scarce_begin(0);
	rc = debug_image_open(&image, &f, true);
	cr_assert_eq(rc, scarce_end() ? -1 : 1);
	debug_image_close(&image);
	elf_file_close(&f);
}

/* ---- debug forged ---------------------------------------------------------------------------- */
/*
 * Entries of debug information that cannot be: nothing is made of them, in no time.
 *
 * Each test fails, by its time limit or by a crash, without the limit that it is about.
 */

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
