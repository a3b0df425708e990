/* SPDX-License-Identifier: MIT */
/* test_callpath.c - call path profiles: examples, and the paper's algorithm on random stacks. */
#include "callpath_fold.h"
#include "random_stacks.h"

/* ---- callpath -------------------------------------------------------------------------------- */
/* Call path profiles: the paper's examples, recursion, order, depth. */

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
/* Paths end at main, as the paper's do, whatever calls it; a stack without main is whole. Seen to fail: with paths to
 * _start. */
Test(callpath, upward_paths_stop_at_main)
{
	profile_is("_start;__libc_start_main;main;f;g 4\n_start;g 2\nmain;_start;g 1\n", "g", UP,
		   "7 g\n4 f g\n4 main f g\n3 _start g\n1 main _start g\n");
	profile_is("_start;__libc_start_main;main 4\n", "main", UP, "4 main\n");
	profile_is("_start;main;g 4\n", "_start", UP, "4 _start\n");
}

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

/* ---- callpath paper -------------------------------------------------------------------------- */
/*
 * Call path profiles of random stacks are those of the paper's algorithm, taken word by word, and
 * those that the definition of a fold gives.
 */

/* ---- the appendix word by word
 * -------------------------------------------------------------------- */

enum { PATHS = 1 << 18 };

/* PATH-HASH: its keys are paths as text, a name a line; a record is known by its key's number. */
struct path_hash {
	struct strings *keys;
	uint64_t ticks[PATHS];
	bool is_locked[PATHS];
};

/* A call path: a list of names, the last one first. */
struct cons {
	const char *first;
	const struct cons *rest;
};

static size_t write_key(char *key, const struct cons *path)
{
	size_t n = path->rest ? write_key(key, path->rest) : 0;

	return n + (size_t)sprintf(key + n, n ? "\n%s" : "%s", path->first);
}

static uint32_t get_record(struct path_hash *hash, const struct cons *path)
{
	char key[1024];
	size_t n = write_key(key, path), before = strings_count(hash->keys);
	uint32_t record = strings_add(hash->keys, key, n);

	cr_assert_lt(record, PATHS);
	if (record == before) {
		hash->ticks[record] = 0;
		hash->is_locked[record] = false;
	}
	return record;
}

static const struct cons *canonicalize_name(const struct cons *path, const char *name)
{
	const struct cons *ptr;

	for (ptr = path->rest; ptr; ptr = ptr->rest)
		if (strcmp(ptr->first, name) == 0)
			return ptr;
	return path;
}

static void cpp_rec(struct path_hash *hash, const struct tree *t, uint32_t node,
		    const struct cons *parent_call_path)
{
	const struct tree_node *nodes = t->nodes;
	const char *name = name_of(t, nodes[node].name);
	struct cons cp = {name, parent_call_path};
	const struct cons *next_parent = canonicalize_name(&cp, name);
	uint32_t child, record = get_record(hash, &cp);
	bool locked = hash->is_locked[record];

	if (!locked) {
		hash->is_locked[record] = true;
		hash->ticks[record] += nodes[node].total;
	}
	for (child = node + 1; child < nodes[node].end; child = nodes[child].end)
		cpp_rec(hash, t, child, next_parent);
	if (!locked)
		hash->is_locked[record] = false;
}

static void summarize_below_root(struct path_hash *hash, const struct tree *t, uint32_t node,
				 const char *root)
{
	uint32_t child;

	if (node != 0 && strcmp(name_of(t, t->nodes[node].name), root) == 0) {
		cpp_rec(hash, t, node, NULL);
		return;
	}
	for (child = node + 1; child < t->nodes[node].end; child = t->nodes[child].end)
		summarize_below_root(hash, t, child, root);
}

static struct path_hash *path_hash_new(void)
{
	struct path_hash *hash = malloc(sizeof(*hash));

	hash->keys = strings_new();
	return hash;
}

static void path_hash_free(struct path_hash *hash)
{
	strings_free(hash->keys);
	free(hash);
}

/* ---- the definition: the fold of each stack by itself
 * --------------------------------------------- */

enum { DEPTH = 24 };

/* Note what the fold of the stack from the outermost root notes, each path once. */
static void fold_stack(struct path_hash *hash, const char *const *stack, int depth,
		       const char *root, uint64_t weight)
{
	struct cons state[DEPTH + 1];
	uint32_t noted[DEPTH];
	int i = 0, k, n = 0, length = 0;

	while (i < depth && strcmp(stack[i], root) != 0)
		i++;
	for (; i < depth; i++, n++) {
		state[length] = (struct cons){stack[i], length ? &state[length - 1] : NULL};
		noted[n] = get_record(hash, &state[length]);
		for (k = 0; k < n && noted[k] != noted[n]; k++)
			;
		hash->ticks[noted[n]] += k == n ? weight : 0;
		for (k = 0; k < length && strcmp(state[k].first, stack[i]) != 0; k++)
			;
		length = k + 1;
	}
}

static void fold_stacks(struct path_hash *hash, const char *folded, const char *root)
{
	char *text = strdup(folded), *line, *end, *rest, *name, *rest_of_line;
	const char *stack[DEPTH];
	int depth;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		end = strrchr(line, ' ');
		*end = '\0';
		depth = 0;
		for (name = strtok_r(line, ";", &rest_of_line); name;
		     name = strtok_r(NULL, ";", &rest_of_line))
			stack[depth++] = name;
		fold_stack(hash, stack, depth, root, strtoull(end + 1, NULL, 10));
	}
	free(text);
}

/* ---- profiles of random stacks are as both say
 * ------------------------------------------------------- */

static size_t key_of(const struct callpaths *c, uint32_t path, char *key)
{
	uint32_t names[DEPTH + 1], k;
	size_t n = 0;

	callpath_names(c, path, names);
	for (k = 0; k < c->paths[path].length; k++)
		n += (size_t)sprintf(key + n, k ? "\n%s" : "%s", name_of(c->tree, names[k]));
	return n;
}

/* In the order of a profile, and each path is in the hash with its weight. */
static void check_paths(const struct callpaths *c, const struct path_hash *hash)
{
	char key[1024], before[1024];
	uint32_t i, length = 0, record;
	uint64_t weight = UINT64_MAX;

	for (i = 0; i + 1 < c->n_paths; i++) {
		const struct callpath *p = &c->paths[c->order[i]];
		size_t n = key_of(c, c->order[i], key);

		record = strings_find(hash->keys, key, n);
		cr_assert_neq(record, STRINGS_NONE, "only in the profile: %s", key);
		cr_assert_eq(p->weight, hash->ticks[record], "%s", key);
		cr_assert_leq(p->weight, weight);
		if (p->weight == weight && p->length == length)
			cr_assert_lt(strcmp(before, key), 0, "%s before %s", before, key);
		else if (p->weight == weight)
			cr_assert_gt(p->length, length);
		weight = p->weight;
		length = p->length;
		strcpy(before, key);
	}
}

static uint32_t names_in(const char *key)
{
	uint32_t n = 1;

	for (; *key; key++)
		n += *key == '\n';
	return n;
}

/* How many paths of at most `longest` names end with the name. */
static size_t count_last(const struct path_hash *hash, const char *name, uint64_t longest)
{
	size_t i, n = 0;

	for (i = 0; i < strings_count(hash->keys); i++) {
		const char *key = strings_get(hash->keys, (uint32_t)i, NULL);
		const char *last = strrchr(key, '\n');

		n += strcmp(last ? last + 1 : key, name) == 0 && names_in(key) <= longest;
	}
	return n;
}

static void check_down(const struct tree *t, const char *folded, const char *root)
{
	struct path_hash *hashes[2] = {path_hash_new(), path_hash_new()};
	struct callpaths *c = fold(t, root, DOWN);
	int i;

	summarize_below_root(hashes[0], t, 0, root);
	fold_stacks(hashes[1], folded, root);
	for (i = 0; i < 2; i++) {
		check_paths(c, hashes[i]);
		cr_assert_eq(c->n_paths - 1, strings_count(hashes[i]->keys));
		path_hash_free(hashes[i]);
	}
	callpath_free(c);
}

/* All downward profiles in one: no two have a path in common. A profile without the long paths has
 * all of the others, with their weights, and says whether there are longer ones. */
static void check_up(const struct tree *t, const struct path_hash *all, const char *root)
{
	size_t n = count_last(all, root, UINT64_MAX);
	bool is_cut = true;
	uint64_t longest;

	for (longest = 0; longest == 0 || is_cut; longest++) {
		struct callpaths *c = fold_limited(t, root, UP, longest);
		size_t n_short = longest ? count_last(all, root, longest) : n;

		check_paths(c, all);
		cr_assert_eq(c->n_paths - 1, n_short, "up to %d names", (int)longest);
		cr_assert_eq(c->is_cut, n_short < n, "up to %d names", (int)longest);
		is_cut = longest == 0 || c->is_cut;
		callpath_free(c);
	}
}

static void check_random(int n_names, int depth)
{
	char *folded = random_stacks(40, depth, n_names, rand() % 2);
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct path_hash *all = path_hash_new();
	int i;

	for (i = 0; i < n_names; i++) {
		check_down(t, folded, random_names[i]);
		summarize_below_root(all, t, 0, random_names[i]);
	}
	for (i = 0; i < n_names; i++)
		check_up(t, all, random_names[i]);
	path_hash_free(all);
	free(folded);
	tree_free(t);
	profile_free(p);
}

Test(callpath, equals_the_paper, .timeout = 60)
{
	int round;

	srand(1993);
	for (round = 0; round < 150; round++)
		check_random(1 + round % (int)RANDOM_NAMES, 1 + rand() % DEPTH);
}
