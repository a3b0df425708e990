/* SPDX-License-Identifier: MIT */
/*
 * test_aliases.c - of several names of one function the one is shown that people call it by.
 *
 * Seen to fail: if global is preferred to weak before underscores are counted, seek and out; if
 * versions are not read, seek in the stripped library.
 */
#include "module_fixture.h"

TestSuite(aliases, .init = enter_fixture, .fini = leave_fixture, .timeout = 60);

/* Bodies differ, so that nothing folds them into one. */
static const char source[] =
	"#define F(name, n) int name(int x); int name(int x) { return x * n + (x >> n); }\n"
	"#define ALIAS(name, of, ...) int name(int) __attribute__((__VA_ARGS__ alias(#of)));\n"
	/* a C library's: defined by a reserved name, public by a weak one */
	"F(__out, 3) ALIAS(out, __out, weak,) ALIAS(__GI_out, __out, visibility(\"hidden\"),)\n"
	/* one public name and one that was given up, which would be the shorter one */
	"F(__seek, 5) ALIAS(lseek, __seek, weak,) ALIAS(old_seek, __seek,)\n"
	"__asm__(\".symver old_seek, sk@V_1\");\n"
	/* stubs: many weak names of one function are no better than its own */
	"F(nothing_to_do, 7) ALIAS(hook, nothing_to_do, weak,) ALIAS(a, nothing_to_do, weak,)\n"
	/* a local name tells less than one that others can link to, even a reserved one */
	"static F(helper, 9) ALIAS(__exported, helper,)\n"
	/* both versions of a function */
	"F(__make, 11) ALIAS(__make_old, __make,)\n"
	"__asm__(\".symver __make_old, make@V_1\\n.symver __make, make@@V_2\");\n"
	/* an implementation among several has its own name only */
	"F(__sin_fma, 13)\n"
	"int all(int x); int all(int x) { return __out(x) + __seek(x) + helper(x) + __sin_fma(x); "
	"}\n";

static const struct {
	const char *symbol, *want;
} cases[] = {
	{"out", "out"},
	{"lseek", "lseek"},
	{"hook", "nothing_to_do"},
	{"__exported", "__exported"},
	{"make@@V_2", "make"},
};

static void check(const char *file, const uint64_t *addresses)
{
	struct subject *s = subject_recorded(file);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_assert_str_eq(name_at(s, addresses[i]), cases[i].want, "%s in %s",
				 cases[i].symbol, file);
	subject_free(s);
}

/* With all symbols, and with those of the dynamic linker alone. */
Test(aliases, the_public_name_is_shown)
{
	uint64_t addresses[sizeof(cases) / sizeof(*cases)], sin;
	struct subject *s;

	put("a.c", source);
	put("a.map",
	    "V_1 { global: out; __out; lseek; __seek; nothing_to_do; hook; a; __exported; all; sk; "
	    "make; local: *; };\nV_2 { global: make; } V_1;\n");
	sh("gcc -O1 -shared -fPIC -nostdlib -Wl,--version-script=a.map -o a.so a.c");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		addresses[i] = address_of("a.so", cases[i].symbol);
	sin = address_of("a.so", "__sin_fma");
	check("a.so", addresses);
	s = subject_recorded("a.so");
	cr_assert_str_eq(name_at(s, sin), "__sin_fma");
	subject_free(s);
	sh("strip a.so");
	check("a.so", addresses);
}
