/* SPDX-License-Identifier: MIT */
/* test_debug_info.c - functions, inlined calls and source lines, out of debug information. */
#include "module_fixture.h"
#include "tree/tree.h"

/* ---- inline ---------------------------------------------------------------------------------- */
/*
 * Functions that were inlined, and source lines, out of debug information.
 *
 * What addr2line (binutils) says of each address is the independent reading.
 */

TestSuite(inline_functions, .init = enter_fixture, .fini = leave_fixture, .timeout = 60);

/* Inlined three deep, at two places; a caller that inlines with one that calls. */
static const char program[] =
	"volatile unsigned sink;\n"
	"static inline __attribute__((always_inline)) unsigned h(unsigned x)\n"
	"{\n"
	"	for (unsigned i = 0; i < 100 + x % 2; i++)\n"
	"		x = x * 1103515245 + 12345 + sink;\n"
	"	return x;\n"
	"}\n"
	"static inline __attribute__((always_inline)) unsigned g(unsigned x)\n"
	"{\n"
	"	if (x > 7)\n"
	"		sink = h(x + 1);\n"
	"	return h(x) + sink;\n"
	"}\n"
	"static inline __attribute__((always_inline)) unsigned top(unsigned x)\n"
	"{\n"
	"	return g(x + sink) + 1;\n"
	"}\n"
	"__attribute__((noinline)) unsigned f(unsigned n)\n"
	"{\n"
	"	unsigned sum = 0;\n"
	"	while (n--)\n"
	"		sum ^= top(n);\n"
	"	return sum;\n"
	"}\n"
	"__attribute__((noinline)) unsigned leaf(unsigned n) { return n + sink; }\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	(void)v;\n"
	"	return (int)(f((unsigned)c) + leaf(3));\n"
	"}\n"
	/* a block beside an inlined function, with another one in it */
	"__attribute__((noinline)) unsigned k(unsigned n)\n"
	"{\n"
	"	unsigned sum = top(n);\n"
	"	while (n--) {\n"
	"		unsigned y = sum + sink;\n"
	"		sum ^= h(y) + y;\n"
	"	}\n"
	"	return sum;\n"
	"}\n";

static struct subject *subject_inlined(const char *file, int granularity)
{
	struct subject *s = subject_recorded(file);

	s->options.inlines = true;
	s->options.granularity = granularity;
	return s;
}

/* What addr2line says: innermost first, two lines each, after the address. */
struct opinion {
	uint64_t address;
	char chain[1024]; /* "f p.c:22;top p.c:16;..." */
};

static void add_opinion(struct opinion *o, const char *function, const char *place)
{
	const char *slash = strrchr(place, '/');
	bool is_known = !strstr(place, ":?") && !strstr(place, ":0");
	char chain[2 * sizeof(o->chain) + 1024];

	snprintf(chain, sizeof(chain), "%s%s%s%s%s", function, is_known ? " " : "",
		 !is_known ? ""
		 : slash   ? slash + 1
			   : place,
		 o->chain[0] ? ";" : "", o->chain);
	cr_assert_lt(strlen(chain), sizeof(o->chain));
	strcpy(o->chain, chain);
}

/* Of each instruction of a function: the addresses are objdump's. */
static size_t ask_addr2line(const char *file, const char *function, struct opinion *o, size_t max)
{
	char command[512], line[512], place[512];
	size_t n = 0;
	FILE *p;

	snprintf(command, sizeof(command),
		 "objdump -d --no-show-raw-insn --disassemble=%s %s | "
		 "awk '/^ +[0-9a-f]+:/ { sub(\":\", \"\", $1); print \"0x\" $1 }' | "
		 "addr2line -afi -e %s | sed 's/ (discriminator [0-9]*)//'",
		 function, file, file);
	p = popen(command, "r");
	cr_assert(p);
	while (fgets(line, sizeof(line), p)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0x", 2) == 0) {
			cr_assert_lt(n, max);
			o[n++] = (struct opinion){.address = strtoull(line, NULL, 16)};
			continue;
		}
		cr_assert(n > 0 && fgets(place, sizeof(place), p));
		place[strcspn(place, "\n")] = '\0';
		add_opinion(&o[n - 1], line, place);
	}
	pclose(p);
	return n;
}

/* All of a function, against addr2line; h must be in it at many places. */
static void compare_all(const char *file, const char *function)
{
	static struct opinion opinions[2048];
	struct subject *s = subject_inlined(file, SYMBOLS_BY_LINE);
	size_t n = ask_addr2line(file, function, opinions, 2048), deep = 0;

	cr_assert_gt(n, 20);
	for (size_t i = 0; i < n; i++) {
		const char *chain = chain_at(s, opinions[i].address);

		cr_assert_str_eq(chain, opinions[i].chain, "%s at %#" PRIx64 ": %s, %s", file,
				 opinions[i].address, chain, opinions[i].chain);
		deep += strstr(chain, ";h p.c:") != NULL;
	}
	cr_assert_gt(deep, 5);
	subject_free(s);
}

static bool has(const char *command)
{
	char text[128];

	snprintf(text, sizeof(text), "command -v %s >/dev/null", command);
	return system(text) == 0;
}

Test(inline_functions, as_addr2line_has_it)
{
	static const char *const compilers[] = {"gcc", "clang"};

	put("p.c", program);
	for (size_t i = 0; i < 2; i++) {
		if (!has(compilers[i]))
			continue;
		for (int version = 4; version <= 5; version++) {
			sh("%s -O2 -gdwarf-%d -o p p.c", compilers[i], version);
			compare_all("p", "f");
			compare_all("p", "k");
			sh("objcopy --compress-debug-sections=zlib p z");
			compare_all("z", "f");
			compare_all("z", "k");
		}
	}
}

/* The first instruction of f with h inlined. */
static uint64_t inside(const char *file)
{
	static struct opinion opinions[2048];
	size_t n = ask_addr2line(file, "f", opinions, 2048);

	for (size_t i = 0; i < n; i++)
		if (strstr(opinions[i].chain, ";h "))
			return opinions[i].address;
	cr_assert_fail("nothing inlined in %s", file);
	return 0;
}

static void chain_is(const char *file, int granularity, bool inlines, uint64_t address,
		     const char *want)
{
	struct subject *s = subject_inlined(file, granularity);

	s->options.inlines = inlines;
	cr_assert_str_eq(chain_at(s, address), want);
	subject_free(s);
}

Test(inline_functions, only_if_asked_for)
{
	uint64_t at, f;
	char want[64];

	put("p.c", program);
	sh("gcc -O2 -g -o p p.c");
	at = inside("p");
	f = address_of("p", "f");
	chain_is("p", SYMBOLS_BY_FUNCTION, true, at, "f;top;g;h");
	chain_is("p", SYMBOLS_BY_FUNCTION, false, at, "f");
	chain_is("p", SYMBOLS_BY_LINE, false, at, "f p.c:22");
	chain_is("p", SYMBOLS_BY_MODULE, true, at, "p");
	snprintf(want, sizeof(want), "f+0x%" PRIx64, at - f);
	chain_is("p", SYMBOLS_BY_ADDRESS, true, at, want);
	sh("strip -g p");
	chain_is("p", SYMBOLS_BY_FUNCTION, true, at, "f");
	chain_is("p", SYMBOLS_BY_LINE, true, at, "f");
}

static void places_have_source(const char *build)
{
	const struct symbols_place *places;
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE};
	struct subject *s;
	char *path;
	size_t n;

	put("p.c", program);
	sh("%s", build);
	frame.address = inside("p");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	s->options.lines = true;
	cr_assert_str_eq(chain_at(s, frame.address), "f;top;g;h", "names are as without lines");
	cr_assert_eq(symbols_expand(s->symbols, &frame, &places, &n, &s->error), 0);
	cr_assert_eq(n, 4);
	cr_assert_gt(asprintf(&path, "%s/p.c", fixture_dir), 0);
	for (size_t i = 0; i < n; i++)
		cr_assert_str_eq(strings_get(s->profile.strings, places[i].file, NULL), path);
	cr_assert_eq(places[0].line, 22);
	cr_assert_eq(places[0].column, 10);
	cr_assert_eq(places[1].line, 16);
	cr_assert(places[2].line == 11 || places[2].line == 12);
	cr_assert(places[3].line >= 2 && places[3].line <= 7);
	free(path);
	subject_free(s);
}

Test(inline_functions, places_have_their_source)
{
	places_have_source("gcc -O2 -g -o p \"$PWD/p.c\"");
	places_have_source("gcc -O2 -g -o p p.c"); /* relative to where it was compiled */
	places_have_source("gcc -O2 -g -gdwarf-4 -o p p.c");
}

/* Where two instructions stand that name a node: of one stack f inlines g, of the other it calls. */
Test(inline_functions, a_node_is_inlined_if_all_its_frames_are)
{
	struct profile_frame frames[3];
	struct profile_node nodes[] = {{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 2, 1}, {2, 2, 4, 1}};
	struct tree_function *functions;
	struct subject *s;
	struct tree *t;
	size_t n;

	put("p.c", program);
	sh("gcc -O2 -g -o p p.c");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	chain_at(s, 0);
	frames[0] = (struct profile_frame){0, STRINGS_NONE, inside("p")};
	frames[1] = (struct profile_frame){0, STRINGS_NONE, address_of("p", "f")};
	frames[2] = (struct profile_frame){PROFILE_NO_MODULE,
					   strings_add(s->profile.strings, "top", 3), 0};
	s->profile.frames = frames;
	s->profile.n_frames = 3;
	s->profile.nodes = nodes;
	for (s->profile.n_nodes = 3; s->profile.n_nodes <= 4; s->profile.n_nodes++) {
		bool is_inline = s->profile.n_nodes == 3;

		t = tree_build(&s->profile, s->symbols, &(struct tree_options){0}, &s->error);
		cr_assert_eq(t->n_nodes, 5, "f, top, g, h");
		cr_assert_not(tree_is_inline(t, 1));
		cr_assert_eq(tree_is_inline(t, 2), is_inline);
		cr_assert(tree_is_inline(t, 3));
		cr_assert(tree_is_inline(t, 4));
		functions = tree_functions(t, &n, &s->error);
		for (size_t i = 0; i < n; i++) {
			const char *name = strings_get(t->strings, functions[i].name, NULL);

			cr_assert_eq(functions[i].is_inline,
				     strcmp(name, "f") && (is_inline || strcmp(name, "top")));
		}
		free(functions);
		tree_free(t);
	}
	subject_free(s);
}

Test(inline_functions, in_a_debug_file)
{
	struct subject *s;
	uint64_t at;

	put("p.c", program);
	sh("gcc -O2 -g -o p p.c");
	at = inside("p");
	sh("objcopy --only-keep-debug p p.debug && cp p whole");
	sh("strip p && objcopy --add-gnu-debuglink=p.debug p");
	chain_is("p", SYMBOLS_BY_FUNCTION, true, at, "f;top;g;h");
	/* The program has its symbols, but not the debug information. */
	sh("cp whole p && strip -g p && objcopy --add-gnu-debuglink=p.debug p");
	chain_is("p", SYMBOLS_BY_FUNCTION, true, at, "f;top;g;h");
	chain_is("p", SYMBOLS_BY_LINE, false, at, "f p.c:22");
	/* The file of another build. */
	sh("gcc -O1 -g -DX -o other p.c && objcopy --only-keep-debug other p.debug");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	cr_assert_str_eq(chain_at(s, at), "f");
	subject_free(s);
}

/* What dwz moves into a file of its own: names of functions, for one. */
Test(inline_functions, in_a_shared_debug_file)
{
	struct subject *s;
	uint64_t at;

	if (!has("dwz"))
		cr_skip_test("no dwz on this machine");
	put("p.c", program);
	sh("gcc -O2 -gdwarf-4 -o p p.c && gcc -O2 -gdwarf-4 -DX -o q p.c");
	at = inside("p");
	sh("mkdir d && dwz -m d/common -M common p q");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	cr_assert_str_neq(chain_at(s, at), "f;top;g;h", "dwz has moved nothing");
	cr_assert(strstr(symbols_module_warning(s->symbols, 0), "common"));
	subject_free(s);
	sh("cp d/common common");
	chain_is("p", SYMBOLS_BY_FUNCTION, true, at, "f;top;g;h");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	chain_at(s, at);
	cr_assert_null(symbols_module_warning(s->symbols, 0));
	subject_free(s);
}

/* A function that no symbol covers; one without unwind information, too. */
Test(inline_functions, debug_information_names_functions)
{
	struct subject *s;
	uint64_t at;

	put("p.c", program);
	sh("gcc -O2 -g -o p p.c");
	at = inside("p");
	sh("objcopy -N f p");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	cr_assert_str_eq(chain_at(s, at), "f;top;g;h");
	cr_assert_str_eq(name_at(s, at), "f");
	cr_assert(s->place.has_symbol);
	subject_free(s);
	s = subject_recorded("p");
	cr_assert_eq(name_at(s, at)[0], '[', "debug information was not asked for");
	subject_free(s);
}

/* A member of a class that is local to a function stands below that function's entry. */
Test(inline_functions, functions_within_functions)
{
	struct subject *s;
	uint64_t at;

	if (!has("g++"))
		cr_skip_test("no g++ on this machine");
	put("p.cc",
	    "volatile int sink;\n"
	    "static inline __attribute__((always_inline)) int add(int a) { return a + sink; }\n"
	    "int f(int n) {\n"
	    "	struct local {\n"
	    "		__attribute__((noinline)) static int member(int a) { return add(a); }\n"
	    "	};\n"
	    "	return local::member(n) + 1;\n"
	    "}\n"
	    "int main(int c, char **) { return f(c); }\n");
	sh("g++ -O2 -g -o p p.cc");
	at = address_of("p", "_ZZ1fiEN5local6memberEi");
	s = subject_inlined("p", SYMBOLS_BY_LINE);
	cr_assert_str_eq(chain_at(s, at), "f(int)::local::member(int) p.cc:5;add p.cc:2");
	subject_free(s);
}

/* What has no linkage name because no other file can mean it is not operator() and g for all that:
 * it has the name of what it stands in. */
Test(inline_functions, functions_are_named_with_what_they_stand_in)
{
	static const char *const want[] = {
		"f(int);a::(anonymous namespace)::g;a::b::type::h(int);"
		"a::b::type::h(int)::{lambda(int)#1}::operator()(int) const", /* linkage names */
		"f(int);a::(anonymous namespace)::type<2>::g<f(int)::<lambda(int)> >;"
		"f::<lambda 20>::operator()",
		"f(int);a::(anonymous namespace)::type<2>::g<f(int)::<lambda(int)> >;"
		"f::<lambda 21>::operator()",
		"f(int);f::local::g;f::<type 17>::g",
		"f(int);(anonymous namespace)::two",
	};
	static struct opinion opinions[2048];
	struct subject *s;
	size_t n;

	if (!has("g++"))
		cr_skip_test("no g++ on this machine");
	put("p.cc",
	    "#define INLINE __attribute__((always_inline))\n"
	    "volatile int sink; namespace { inline INLINE int two(int x) { return x ^ sink; } }\n"
	    "namespace a {\n"
	    "namespace b {\n"
	    "struct type {\n"
	    "	INLINE int h(int n);\n"
	    "};\n"
	    "inline int type::h(int n) {\n"
	    "	auto k = [](int x) INLINE { return x / (sink + 1); };\n"
	    "	return k(n);\n"
	    "}}\n"
	    "namespace {\n"
	    "template <int i> struct type { template <class F> static INLINE int g(int n, F f) { "
	    "return f(n + i); } };\n"
	    "static inline INLINE int g(int n) { return b::type().h(n); }\n"
	    "}}\n"
	    "int f(int n) {\n"
	    "	struct { INLINE int g(int x) { return x * 7 / sink; } } nameless;\n"
	    "	struct local { decltype(nameless) in; INLINE int g(int x) { return in.g(x); } };\n"
	    "	n += a::g(n) + local{nameless}.g(n);\n"
	    "	n += a::type<2>::g(n, [](int x) INLINE { return x / sink; });\n"
	    "	n += a::type<2>::g(n, [](int x) INLINE { return x % sink; });\n"
	    "	return two(n);\n"
	    "}\n"
	    "int main(int c, char **) { return f(c); }\n");
	sh("g++ -O2 -g -o p p.cc");
	s = subject_inlined("p", SYMBOLS_BY_FUNCTION);
	n = ask_addr2line("p", "_Z1fi", opinions, 2048);
	for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++) {
		bool found = false;

		for (size_t i = 0; i < n && !found; i++)
			found = strcmp(chain_at(s, opinions[i].address), want[k]) == 0;
		cr_expect(found, "nowhere is %s", want[k]);
	}
	subject_free(s);
}

/* ---- split ----------------------------------------------------------------------------------- */
/*
 * Functions that the compiler has split, inlined functions with aliases, and calls of a function
 * by itself that were really inlined.
 *
 * What addr2line (binutils) says shows that the debug information has what the test is about.
 *
 * Seen to fail: with the linkage name also in C, __GI_get is inlined; without is_part, work is
 * inlined in itself; with every call of a function by itself taken for a part, deep is not.
 */

TestSuite(split, .init = enter_fixture, .fini = leave_fixture, .timeout = 60);

/* gcc inlines the beginning of work in main, and puts it together again with the rest, here and in
 * work itself. */
static const char split_program[] = "volatile int many;\n"
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
	put("p.c", split_program);
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
