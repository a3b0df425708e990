/* SPDX-License-Identifier: MIT */
/*
 * test_granularity.c - what names stand for: modules, functions, lines, addresses.
 */
#include "annotate/source_text.h"
#include "folded_text.h"
#include "graph/function_names.h"
#include "module_fixture.h"
#include "profile_fixture.h"

TestSuite(granularity, .init = enter_fixture, .fini = leave_fixture);

Test(granularity, addresses_count_from_the_function)
{
	struct subject *s;
	uint64_t f, g;
	char want[300];

	put("p.c", "int n;\n"
		   "__attribute__((noinline)) void f(void) { n++; }\n"
		   "__attribute__((noinline)) void g(void) { n--; f(); n--; }\n"
		   "int main(void) { g(); return n; }\n");
	sh("gcc -O1 -falign-functions=64 -o p p.c");
	f = address_of("p", "f");
	g = address_of("p", "g");
	s = subject_recorded("p");
	s->options.granularity = SYMBOLS_BY_ADDRESS;
	cr_assert_str_eq(chain_at(s, f), "f+0x0");
	cr_assert_str_eq(chain_at(s, g + 7), "g+0x7");
	cr_assert_str_eq(chain_at(s, 0x7fffffff), "[p]");
	subject_free(s);
	sh("strip p");
	s = subject_recorded("p");
	s->options.granularity = SYMBOLS_BY_ADDRESS;
	snprintf(want, sizeof(want), "%s+0x3", bracketed("p", g));
	cr_assert_str_eq(chain_at(s, g + 3), want);
	subject_free(s);
	s = subject_new("gone");
	s->options.granularity = SYMBOLS_BY_ADDRESS;
	cr_assert_str_eq(chain_at(s, 0x123), "[gone+0x123]", "it is an address already");
	subject_free(s);
}

/* The first line is as good as any. */
Test(granularity, any_line_names_a_place)
{
	char source[4096] = "", name[16], want[32];
	struct subject *s;

	for (int line = 1; line <= 30; line++)
		sprintf(source + strlen(source), "int f%d(int x) { return x + %d; }\n", line, line);
	strcat(source, "int main(void) { return 0; }\n");
	put("p.c", source);
	sh("gcc -g -O1 -o p p.c");
	s = subject_recorded("p");
	s->options.granularity = SYMBOLS_BY_LINE;
	for (int line = 1; line <= 30; line++) {
		sprintf(name, "f%d", line);
		sprintf(want, "f%d p.c:%d", line, line);
		cr_assert_str_eq(chain_at(s, address_of("p", name)), want);
	}
	subject_free(s);
}

static struct tree *filtered_by(struct profile *p, int granularity, struct filter *filter)
{
	const struct symbols_options options = {.granularity = granularity,
						.lines = filter && filter_wants_lines(filter),
						.search.debug_dir = "/nonexistent"};
	const struct tree_options of_tree = {.unit = TREE_GTICKS, .filter = filter};
	struct error err;
	struct symbols *s = symbols_new(p, &options, &err);
	struct tree *t;

	cr_assert(s, "%s", err.text);
	t = tree_build(p, s, &of_tree, &err);
	cr_assert(t, "%s", err.text);
	symbols_free(s);
	return t;
}

static struct tree *tree_by(struct profile *p, int granularity)
{
	return filtered_by(p, granularity, NULL);
}

/* "0 a 7 2", depth, name, total, self, for each node. */
static void tree_is(const struct tree *t, const char *want)
{
	char text[1024] = "", *at = text;

	for (size_t i = 1; i < t->n_nodes; i++)
		at += sprintf(at, "%s%u %s %u %u", i > 1 ? ", " : "", t->nodes[i].depth,
			      name_of(t, t->nodes[i].name), (unsigned)t->nodes[i].total,
			      (unsigned)t->nodes[i].self);
	cr_assert_str_eq(text, want);
}

/* Calls within a module are no calls of modules; but into another one and back are. */
Test(granularity, calls_within_a_module_are_merged)
{
	struct build b;
	struct profile *p;
	struct tree *t;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	build_module(&b, 1, "/bin/prog", "", 0);
	build_module(&b, 2, "/lib/libc.so.6", "", 0);
	build_sample(&b, 1, "01100120");
	build_sample(&b, 2, "011002300240");
	build_sample(&b, 4, "0110023002400150");
	build_sample(&b, 8, "0110--77");
	build_sample_marked(&b, 0, CPS_MARK_NO_RECIPE, 16, "0260");
	build_end(&b);
	p = build_finish(&b);
	t = tree_by(p, SYMBOLS_BY_MODULE);
	tree_is(t, "0 [incomplete] 16 0, 1 libc.so.6 16 16, 0 prog 15 1, 1 [unknown] 8 8, "
		   "1 libc.so.6 6 2, 2 prog 4 4");
	tree_free(t);
	profile_free(p);
}

/* Of a place, its function can be asked for, too. */
Test(granularity, filters_mean_functions_and_places)
{
	struct profile_frame frames[] = {{0, STRINGS_NONE, 0}, {0, STRINGS_NONE, 0}};
	struct profile_node nodes[] = {{0, 0, 0, 0}, {0, 0, 1, 1}, {1, 1, 2, 1}};
	struct filter f = {0};
	struct subject *s;
	struct tree *t;

	put("p.c", "int n;\n"
		   "__attribute__((noinline)) void f(void) { n++; }\n"
		   "int main(void) { f(); return n; }\n");
	sh("gcc -O1 -falign-functions=64 -o p p.c");
	s = subject_recorded("p");
	frames[0].address = address_of("p", "main") + 5;
	frames[1].address = address_of("p", "f");
	s->profile.frames = frames;
	s->profile.nodes = nodes;
	s->profile.n_frames = 2;
	s->profile.n_nodes = 3;
	cr_assert_eq(filter_add(&f, FILTER_FOCUS, "^f$", &s->error), 0);
	t = filtered_by(&s->profile, SYMBOLS_BY_ADDRESS, &f);
	tree_is(t, "0 main+0x5 2 0, 1 f+0x0 2 2");
	tree_free(t);
	cr_assert_eq(filter_add(&f, FILTER_HIDE, "main", &s->error), 0);
	t = filtered_by(&s->profile, SYMBOLS_BY_ADDRESS, &f);
	tree_is(t, "0 f+0x0 2 2");
	tree_free(t);
	filter_clear(&f);
	cr_assert_eq(filter_add(&f, FILTER_IGNORE, "f+0x0", &s->error), 0);
	t = filtered_by(&s->profile, SYMBOLS_BY_ADDRESS, &f);
	tree_is(t, "0 main+0x5 1 1");
	tree_free(t);
	filter_clear(&f);
	subject_free(s);
}

/* A file's name means the functions whose code is executed there. Seen to fail: without the files of
 * places. */
Test(granularity, filters_mean_source_files)
{
	struct profile_frame frames[] = {{0, STRINGS_NONE, 0}, {0, STRINGS_NONE, 0}};
	struct profile_node nodes[] = {{0, 0, 0, 0}, {0, 0, 1, 1}, {1, 1, 2, 1}};
	struct filter f = {0};
	struct subject *s;
	struct tree *t;

	put("k.h", "int n;\n__attribute__((noinline)) void f(void) { n++; }\n");
	put("p.c", "#include \"k.h\"\nint main(void) { f(); return n; }\n");
	sh("gcc -g -O1 -falign-functions=64 -o p p.c");
	s = subject_recorded("p");
	frames[0].address = address_of("p", "main") + 5;
	frames[1].address = address_of("p", "f");
	s->profile.frames = frames;
	s->profile.nodes = nodes;
	s->profile.n_frames = 2;
	s->profile.n_nodes = 3;
	cr_assert_eq(filter_add(&f, FILTER_IGNORE, "k.h", &s->error), 0);
	t = filtered_by(&s->profile, SYMBOLS_BY_FUNCTION, &f);
	tree_is(t, "0 main 1 1");
	tree_free(t);
	filter_clear(&f);
	cr_assert_eq(filter_add(&f, FILTER_HIDE, "p.c", &s->error), 0);
	t = filtered_by(&s->profile, SYMBOLS_BY_FUNCTION, &f);
	tree_is(t, "0 f 2 2, 0 [hidden] 1 1");
	tree_free(t);
	filter_clear(&f);
	subject_free(s);
}

/* The names of the outermost nodes, a line each, in bytewise order. */
static void groups_of(const struct tree *t, char *text)
{
	const char *names[8], *name;
	size_t n = 0, k;

	for (uint32_t i = 1; i < t->n_nodes; i = t->nodes[i].end) {
		name = name_of(t, t->nodes[i].name);
		for (k = n++; k > 0 && strcmp(names[k - 1], name) > 0; k--)
			names[k] = names[k - 1];
		names[k] = name;
	}
	for (k = 0, *text = '\0'; k < n; k++)
		strcat(strcat(text, names[k]), "\n");
}

/* What the groups are called does not depend on what names stand for within them. */
Test(granularity, of_a_group_only_its_members_are_modules)
{
	char groups[256], same[256];
	struct build b;
	struct profile *p;
	struct tree *t;

	build_begin(&b);
	profile_builder_group(b.builder, PROFILE_BY_THREAD);
	build_process(&b, "a", "cpu", "ns");
	build_module(&b, 1, "/bin/prog", "", 0);
	build_module(&b, 2, "/lib/libc.so.6", "", 0);
	for (uint32_t thread = 0; thread < 6; thread++)
		build_sample_marked(&b, thread / 2, 0, 1 + thread,
				    thread % 2 ? "0220" : "01100240");
	build_end(&b);
	p = build_finish(&b);
	t = tree_by(p, SYMBOLS_BY_FUNCTION);
	groups_of(t, groups);
	tree_free(t);
	for (int by = SYMBOLS_BY_MODULE; by <= SYMBOLS_BY_ADDRESS; by++) {
		t = tree_by(p, by);
		groups_of(t, same);
		cr_assert_str_eq(same, groups, "granularity %d", by);
		for (uint32_t i = 1; by == SYMBOLS_BY_MODULE && i < t->n_nodes; i++)
			if (t->nodes[i].depth > 0)
				cr_assert(strstr("prog libc.so.6", name_of(t, t->nodes[i].name)));
		tree_free(t);
	}
	profile_free(p);
}

/* Where names may be places, a function is all of its places, those too that are not known. */
Test(granularity, a_function_is_all_of_its_places)
{
	struct profile *p = profile_of("f+0x1 1\nf 2\nf x.c:3 4\ng 1\n");
	struct function_names names;
	struct error err;
	struct tree *t;

	for (int by = SYMBOLS_BY_FUNCTION; by <= SYMBOLS_BY_ADDRESS; by++) {
		if (by == SYMBOLS_BY_MODULE)
			continue;
		t = tree_by(p, by);
		cr_assert_eq(function_names_of_tree(&names, t, "f", &err), 0);
		cr_assert_eq(names.n, by == SYMBOLS_BY_FUNCTION ? 1 : 3, "granularity %d", by);
		function_names_free(&names);
		tree_free(t);
	}
	profile_free(p);
}

Test(granularity, folded_stacks_are_of_no_module)
{
	const struct symbols_options options = {.granularity = SYMBOLS_BY_MODULE};
	struct profile *p = profile_of("main;f 3\nmain;f;f 2\n");
	struct error err;
	struct tree *t;

	cr_assert_null(symbols_new(p, &options, &err));
	cr_assert(strstr(err.text, "needs recordings"), "%s", err.text);
	for (int by = SYMBOLS_BY_LINE; by <= SYMBOLS_BY_ADDRESS; by++) {
		t = tree_by(p, by);
		tree_is(t, "0 main 5 0, 1 f 5 3, 2 f 2 2");
		tree_free(t);
	}
	profile_free(p);
}

/* A function of a script is also where no line is known: its lines add up to what it has. Seen to fail: samples between two lines were
 * left out, also of the total. */
Test(granularity, lines_of_a_script_add_up)
{
	struct profile *p = profile_of("main;f (app.py) 3\nmain;at_7 2\n");
	const struct symbols_options options = {.granularity = SYMBOLS_BY_LINE};
	struct source_lines lines;
	struct code_places places;
	struct error err;
	uint32_t name = strings_add(p->strings, "f (app.py)", 10);
	struct symbols *s = symbols_new(p, &options, &err);
	struct tree *t;
	uint64_t self = 0;

	for (size_t i = 0; i < p->n_frames; i++)
		if (!strcmp(strings_get(p->strings, p->frames[i].name, NULL), "at_7")) {
			p->frames[i].name = name;
			p->frames[i].address =
				(uint64_t)strings_add(p->strings, "/src/app.py", 11) << 32 | 7;
		}
	t = tree_by(p, SYMBOLS_BY_LINE);
	cr_assert_eq(code_places_find(&places, p, s, t, "f (app.py)", &err), 0, "%s", err.text);
	cr_assert_eq(places.total, 5);
	cr_assert_eq(places.self, 5);
	cr_assert_eq(source_lines_find(&lines, &places, t, &err), 0);
	cr_assert_eq(lines.n, 2);
	cr_assert_eq(lines.list[0].line, 7);
	cr_assert_eq(lines.list[0].self, 2);
	cr_assert_eq(lines.list[1].file, STRINGS_NONE);
	for (size_t i = 0; i < lines.n; i++)
		self += lines.list[i].self;
	cr_assert_eq(self, places.self);
	source_lines_free(&lines);
	code_places_free(&places);
	tree_free(t);
	symbols_free(s);
	profile_free(p);
}
