/* SPDX-License-Identifier: MIT */
/* test_callpath.c - call path profiles: the paper's examples, recursion, order, depth. */
#include "callpath_fold.h"

/* The profile as text: "WEIGHT a b c" lines. */
static char *text_of(const struct callpaths *c)
{
	uint32_t names[4096], k;
	char *text;
	size_t i, n;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i + 1 < c->n_paths; i++) {
		const struct callpath *path = &c->paths[c->order[i]];

		fprintf(f, "%llu", (unsigned long long)path->weight);
		callpath_names(c, c->order[i], names);
		for (k = 0; k < path->length; k++)
			fprintf(f, " %s", name_of(c->tree, names[k]));
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

static void profile_is(const char *folded, const char *root, enum way way, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct callpaths *c = fold(t, root, way);
	char *text = text_of(c);

	cr_assert_str_eq(text, want);
	free(text);
	callpath_free(c);
	tree_free(t);
	profile_free(p);
}

/* Section 4 prints 2676, 2355, 1820, 303, 303 and 0. */
Test(callpath, the_papers_process_db)
{
	profile_is("main;read_db 18\nmain;uniquify_db 20\nmain;uniquify_db;qsort 1820\n"
		   "main;uniquify_db;rest 515\nmain;print_salary_list;extract_salary_fields 303\n"
		   "main;print_salary_list;qsort 0\n",
		   "main", DOWN,
		   "2676 main\n2355 main uniquify_db\n1820 main uniquify_db qsort\n"
		   "515 main uniquify_db rest\n303 main print_salary_list\n"
		   "303 main print_salary_list extract_salary_fields\n18 main read_db\n"
		   "0 main print_salary_list qsort\n");
}

/* Recursion: the path notes its last name twice, then is cut back; a stack counts once for a path. */
Test(callpath, recursion)
{
	profile_is("main;f;f;f 5\nmain;f 2\n", "main", DOWN, "7 main\n7 main f\n5 main f f\n");
	profile_is("main;a;b;a;c 1\n", "main", DOWN,
		   "1 main\n1 main a\n1 main a b\n1 main a c\n1 main a b a\n");
	profile_is("main;a;b;a;b;a;b 1\n", "a", DOWN, "1 a\n1 a b\n1 a b a\n");
}

/* The outermost root function takes the whole subtree, a root function below it is recursion. */
Test(callpath, root_below_itself)
{
	profile_is("x;r;y;r;z 3\ny;r;z 4\n", "r", DOWN, "7 r\n7 r z\n3 r y\n3 r y r\n");
	profile_is("r;r;r 1\n", "r", DOWN, "1 r\n1 r r\n");
}

Test(callpath, unknown_root)
{
	profile_is("a;b 1\n", "nothing", DOWN, "");
}

/* Ties: shorter first, then names bytewise, name by name: "a" before "a b", not the line's bytes. */
Test(callpath, order_of_ties)
{
	profile_is("m;b;c 1\nm;a\x01;c 1\nm;a;d 1\n", "m", DOWN,
		   "3 m\n1 m a\n1 m a\x01\n1 m b\n1 m a d\n1 m a\x01 c\n1 m b c\n");
}

/* Section 4.4 prints these, of the forms program. */
Test(callpath, the_papers_forms)
{
	profile_is("main;envelope;address_information;db_get_property;db_read_record 85\n"
		   "main;invoice;address_information;db_get_property;db_read_record 85\n"
		   "main;invoice;db_get_property;db_read_record 22\n",
		   "db_read_record", UP,
		   "192 db_read_record\n192 db_get_property db_read_record\n"
		   "170 address_information db_get_property db_read_record\n"
		   "85 envelope address_information db_get_property db_read_record\n"
		   "85 invoice address_information db_get_property db_read_record\n"
		   "85 main envelope address_information db_get_property db_read_record\n"
		   "85 main invoice address_information db_get_property db_read_record\n"
		   "22 invoice db_get_property db_read_record\n"
		   "22 main invoice db_get_property db_read_record\n");
}

/* A path that ends with R has the usage that the downward profile of its first function gives it. */
Test(callpath, upward_recursion)
{
	profile_is("main;f;f;f 5\nmain;f 2\n", "f", UP, "7 f\n7 main f\n5 f f\n5 main f f\n");
	profile_is("main;a;b;a;c 1\n", "c", UP, "1 c\n1 a c\n1 b a c\n1 main a c\n");
	profile_is("r;x;r;y;r 1\n", "r", UP, "1 r\n1 x r\n1 y r\n1 r x r\n1 r y r\n1 x r y r\n");
	profile_is("a;r 0\n", "r", UP, "0 r\n0 a r\n");
	profile_is("a;b 1\n", "nothing", UP, "");
}

/* A caller of each pair of others, with a frame of the root function between any two: n * n / 2
 * paths (x r y r). That is an error, not all of the memory. */
Test(callpath, too_many_upward_paths, .timeout = 60)
{
	enum { NAMES = 300 };
	const struct callpath_limits limits = {0, 20000}, short_ones = {3, 20000};
	struct callpaths *c;
	char *folded;
	size_t n;
	FILE *f = open_memstream(&folded, &n);
	struct profile *p;
	struct tree *t;
	struct error err;
	uint32_t root;
	int i;

	for (i = 0; i < NAMES; i++)
		fprintf(f, "r;f%d;", i);
	fprintf(f, "r 1\n");
	fclose(f);
	p = profile_of(folded);
	t = tree_of(p);
	root = number_of(t, "r");
	cr_assert_null(callpath_up(t, &root, 1, &limits, &err));
	cr_assert_str_eq(err.text, "there are more than 20000 call paths; --depth 20 leaves out "
				   "the long ones");
	c = callpath_up(t, &root, 1, &short_ones, &err);
	cr_assert_not_null(c, "%s", err.text);
	cr_assert_eq(c->n_paths - 1, 1 + 2 * NAMES);
	callpath_free(c);
	tree_free(t);
	profile_free(p);
	free(folded);
}

/* With a granularity finer than functions, a function is all of its places. */
Test(callpath, places_of_a_function)
{
	const char lines[] = "main x.c:3;f x.c:9 1\nmain x.c:4;f x.c:9 2\nmainly 1\n";

	profile_is(lines, "main", DOWN,
		   "2 main x.c:4\n2 main x.c:4 f x.c:9\n1 main x.c:3\n1 main x.c:3 f x.c:9\n");
	profile_is("a;f+0x1 1\na;f+0x2 2\nf+1 1\n", "f", UP,
		   "2 f+0x2\n2 a f+0x2\n1 f+0x1\n1 a f+0x1\n");
	profile_is("f+0x1 1\nf:3 1\nf x:y 1\nf :3 1\nf+0xg 1\nf+0x 1\n", "f", UP, "1 f+0x1\n");
	/* Each place has a profile of its own, one below another as well. */
	profile_is("f+0x1;f+0x2;g 1\n", "f", DOWN,
		   "1 f+0x1\n1 f+0x2\n1 f+0x1 f+0x2\n1 f+0x2 g\n1 f+0x1 f+0x2 g\n");
}

/* Where names are functions, one that looks like a place is another function; where they are places,
 * some may not be known. */
Test(callpath, function_among_its_places)
{
	struct profile *p = profile_of("f+0x1 1\nf 2\nf x.c:3 4\n");
	struct tree *t = tree_of(p);
	struct callpaths *c = fold(t, "f", DOWN);

	cr_assert_eq(c->n_paths - 1, 1);
	cr_assert_eq(c->paths[1].weight, 2);
	callpath_free(c);
	t->has_places = true;
	c = fold(t, "f", DOWN);
	cr_assert_eq(c->n_paths - 1, 3);
	callpath_free(c);
	tree_free(t);
	profile_free(p);
}

/* One path of each length. */
static void deepest_is(struct callpaths *c, uint32_t frames)
{
	uint32_t i;

	cr_assert_eq(c->n_paths, frames + 1);
	for (i = 0; i < frames; i++) {
		cr_assert_eq(c->paths[c->order[i]].length, i + 1);
		cr_assert_eq(c->paths[c->order[i]].weight, 3);
	}
	callpath_free(c);
}

/* As deep as the format allows, with as many names as frames: each name's path is one node. */
Test(callpath, deepest_stack, .timeout = 20)
{
	enum { FRAMES = CPS_DEPTH_MAX };
	struct profile_frame *frames = calloc(FRAMES, sizeof(*frames));
	struct profile_node *nodes = calloc(FRAMES + 1, sizeof(*nodes));
	struct profile p = {.strings = strings_new(), .frames = frames, .nodes = nodes};
	struct tree *t;
	char name[16];
	uint32_t i;

	for (i = 0; i < FRAMES; i++) {
		frames[i] = (struct profile_frame){
			PROFILE_NO_MODULE,
			strings_add(p.strings, name, (size_t)sprintf(name, "f%u", i)), i};
		nodes[i + 1] = (struct profile_node){i, i, 0, 0};
	}
	nodes[FRAMES].self_weight = 3;
	p.n_frames = FRAMES;
	p.n_nodes = FRAMES + 1;
	t = tree_of(&p);
	deepest_is(fold(t, "f0", DOWN), FRAMES);
	sprintf(name, "f%d", FRAMES - 1);
	deepest_is(fold(t, name, UP), FRAMES);
	tree_free(t);
	strings_free(p.strings);
	free(frames);
	free(nodes);
}
