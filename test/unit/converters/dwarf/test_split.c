/* SPDX-License-Identifier: MIT */
/*
 * test_split.c - functions that the compiler has split, inlined functions with aliases, and calls of
 * a function by itself that were really inlined.
 *
 * What addr2line (binutils) says shows that the debug information has what the test is about.
 *
 * Seen to fail: with the linkage name also in C, __GI_get is inlined; without is_part, work is inlined in itself; with every call of a function by itself
 * taken for a part, deep is not.
 */
#include "module_fixture.h"

TestSuite(split, .init = enter_fixture, .fini = leave_fixture, .timeout = 60);

/* gcc inlines the beginning of work in main, and puts it together again with the rest, here and in
 * work itself. */
static const char program[] = "volatile int many;\n"
			      "volatile unsigned sink;\n"
			      "\n"
			      "unsigned\n"
			      "work(unsigned n)\n"
			      "{\n"
			      "	if (__builtin_expect(many == 0, 1))\n"
			      "		return n;\n"
			      "	int old = many;\n"
			      "	for (unsigned i = 0; i < n; i++)\n"
			      "		sink = sink * 7 + i;\n"
			      "	many = old;\n"
			      "	return n;\n"
			      "}\n"
			      "\n"
			      "int main(int argc, char **argv)\n"
			      "{\n"
			      "	(void)argv;\n"
			      "	many = argc > 1;\n"
			      "	for (unsigned i = 0; i < 3000; i++)\n"
			      "		work(100);\n"
			      "	return 0;\n"
			      "}\n";

/* The instructions of a function, as objdump sees them. */
static size_t instructions(const char *file, const char *function, uint64_t *list, size_t max)
{
	char command[256], line[64];
	size_t n = 0;
	FILE *p;

	snprintf(command, sizeof(command),
		 "objdump -d --no-show-raw-insn --disassemble=%s %s | "
		 "awk '/^ +[0-9a-f]+:/ { sub(\":\", \"\", $1); print $1 }'",
		 function, file);
	p = popen(command, "r");
	cr_assert(p);
	while (fgets(line, sizeof(line), p)) {
		cr_assert_lt(n, max);
		list[n++] = strtoull(line, NULL, 16);
	}
	pclose(p);
	cr_assert_gt(n, 5, "%s has %zu instructions", function, n);
	return n;
}

/* How many functions addr2line lists for the address, of that name. */
static unsigned asked(const char *file, uint64_t address, const char *function)
{
	char command[256], line[256];
	unsigned n = 0;
	FILE *p;

	snprintf(command, sizeof(command), "addr2line -fi -e %s %#" PRIx64, file, address);
	p = popen(command, "r");
	cr_assert(p);
	while (fgets(line, sizeof(line), p)) {
		line[strcspn(line, "\n")] = '\0';
		n += strcmp(line, function) == 0;
	}
	pclose(p);
	return n;
}

static struct subject *inlined(const char *file)
{
	struct subject *s = subject_recorded(file);

	s->options.inlines = true;
	s->options.granularity = SYMBOLS_BY_FUNCTION;
	return s;
}

static void split_is_one(const char *in, const char *whole, const char *part)
{
	struct subject *s = inlined("p");
	uint64_t list[200];
	size_t n = instructions("p", in, list, 200), parts = 0;

	for (size_t i = 0; i < n; i++) {
		const char *chain = chain_at(s, list[i]);

		cr_assert(strcmp(chain, whole) == 0 || strcmp(chain, part) == 0, "%s", chain);
		parts += asked("p", list[i], "work") > 1;
	}
	cr_assert_gt(parts, 0, "gcc has not split work");
	subject_free(s);
}

Test(split, a_function_that_was_split_is_one)
{
	put("p.c", program);
	for (int version = 4; version <= 5; version++) {
		sh("gcc -O2 -gdwarf-%d -o p p.c", version);
		split_is_one("work", "work", "work");
		split_is_one("main", "main", "main;work");
	}
}

/* Also in one line, where only the column tells the call from the declaration. */
static void recursion_stays(const char *body)
{
	unsigned deepest = 0;
	struct subject *s;
	uint64_t list[1000];
	size_t n;

	put("r.c", body);
	sh("gcc -O3 -fno-partial-inlining -g -o r r.c");
	s = inlined("r");
	n = instructions("r", "deep", list, 1000);
	for (size_t i = 0; i < n; i++) {
		const char *at = chain_at(s, list[i]);
		unsigned calls = asked("r", list[i], "deep"), shown = 0;

		while ((at = strstr(at, "deep"))) {
			at++;
			shown++;
		}
		cr_assert_eq(shown, calls);
		deepest = calls > deepest ? calls : deepest;
	}
	cr_assert_gt(deepest, 2, "gcc has inlined nothing");
	subject_free(s);
}

Test(split, recursion_that_was_inlined_stays)
{
	recursion_stays("volatile unsigned sink;\n"
			"unsigned deep(unsigned n)\n"
			"{\n"
			"	if (n == 0)\n"
			"		return sink;\n"
			"	sink += n;\n"
			"	return deep(n - 1) * 3 + sink;\n"
			"}\n"
			"int main(int c, char **v) { (void)v; return (int)deep((unsigned)c); }\n");
	recursion_stays("volatile unsigned sink; unsigned deep(unsigned n) { sink += n; return n ? "
			"deep(n - 1) * 3 + sink : sink; } int main(int c, char **v) { (void)v; "
			"return (int)deep((unsigned)c); }\n");
}

/* A C library calls its own functions by names of the assembler's. */
Test(split, inlined_functions_of_c_have_the_names_of_the_source)
{
	struct subject *s;
	uint64_t list[200];
	size_t n, found = 0;

	put("g.c", "volatile unsigned sink;\n"
		   "unsigned get(unsigned n) __asm__(\"__GI_get\");\n"
		   "unsigned get(unsigned n)\n{\n	return n * sink;\n}\n"
		   "__attribute__((noinline)) unsigned all(unsigned n)\n"
		   "{\n	return get(n) + get(n + 1) + sink;\n}\n"
		   "int main(int c, char **v) { (void)v; return (int)all((unsigned)c); }\n");
	sh("gcc -O2 -g -o g g.c");
	s = inlined("g");
	n = instructions("g", "all", list, 200);
	for (size_t i = 0; i < n; i++) {
		const char *chain = chain_at(s, list[i]);

		cr_assert(strcmp(chain, "all") == 0 || strcmp(chain, "all;get") == 0, "%s", chain);
		found += asked("g", list[i], "__GI_get") > 0;
	}
	cr_assert_gt(found, 0, "get was not inlined");
	subject_free(s);
}
