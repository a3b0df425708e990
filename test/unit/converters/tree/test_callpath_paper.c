/* SPDX-License-Identifier: MIT */
/* test_callpath_paper.c - call path profiles of random stacks are those of the paper's algorithm, taken
 * word by word, and those that the definition of a fold gives. */
#include "callpath_fold.h"
#include "random_stacks.h"

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
