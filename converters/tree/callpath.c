/* SPDX-License-Identifier: MIT */
/*
 * callpath.c - folds the tree into call paths.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/stop.h"
#include "tree/callpath.h"

/* ---- callpath -------------------------------------------------------------------------------- */
/*
 * Paths are sorted length by length. Two paths of the same length compare as pairs of numbers: the
 * rank of the parent among the paths that are shorter by one name, and the rank of the name among
 * all names. The number that stands for the outermost names is compared first; this is the parent
 * in a downward profile and the name in an upward one. So no comparison walks along a path, however
 * long it is.
 */

#define CALLPATH_UP_RATE 8u

struct key {
	uint64_t value;
	uint32_t path;
};

struct sorting {
	const struct callpaths *paths;
	size_t n;	      /* number of paths without the empty one */
	uint32_t longest;     /* the largest number of names in a path */
	uint32_t *name_place; /* by name: its rank among all names */
	uint32_t *place;      /* by path: its rank among the paths of its length */
	size_t *start;	      /* by length: the index in `keys` of the first such path */
	struct key *keys;
};

static int compare_names(const void *a, const void *b, void *context)
{
	return strings_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Rank all names of the string table that are in some path. */
static int sort_names(struct sorting *s)
{
	const struct callpaths *c = s->paths;
	size_t i, n = 0, n_names = strings_count(c->tree->strings);
	uint32_t *names = malloc((n_names + 1) * sizeof(*names));

	s->name_place = calloc(n_names + 1, sizeof(*s->name_place));
	if (!names || !s->name_place) {
		free(names);
		return -1;
	}
	for (i = 1; i <= s->n; i++)
		s->name_place[c->paths[i].name] = 1;
	for (i = 0; i < n_names; i++)
		if (s->name_place[i])
			names[n++] = (uint32_t)i;
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(names, n, sizeof(*names), compare_names, (void *)(uintptr_t)c->tree->strings);
	for (i = 0; i < n; i++)
		s->name_place[names[i]] = (uint32_t)i;
	free(names);
	return 0;
}

/* Sort the paths by length, with a counting sort. */
static int sort_lengths(struct sorting *s)
{
	const struct callpath *paths = s->paths->paths;
	size_t i;

	for (i = 1; i <= s->n; i++)
		if (paths[i].length > s->longest)
			s->longest = paths[i].length;
	s->start = calloc((size_t)s->longest + 3, sizeof(*s->start));
	if (!s->start)
		return -1;
	/* The counts are stored two elements ahead, because filling in moves each start forward to
	 * its final place. */
	for (i = 1; i <= s->n; i++)
		s->start[paths[i].length + 2]++;
	for (i = 2; i < (size_t)s->longest + 3; i++)
		s->start[i] += s->start[i - 1];
	for (i = 1; i <= s->n; i++)
		s->keys[s->start[paths[i].length + 1]++].path = (uint32_t)i;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void sort_length(struct sorting *s, uint32_t length)
{
	size_t i, from = s->start[length], end = s->start[length + 1];

	for (i = from; i < end; i++) {
		const struct callpath *p = &s->paths->paths[s->keys[i].path];
		uint64_t parent = s->place[p->parent], name = s->name_place[p->name];

		s->keys[i].value = s->paths->up ? name << 32 | parent : parent << 32 | name;
	}
	if (end - from > 1)
		qsort(s->keys + from, end - from, sizeof(*s->keys), compare_keys);
	for (i = from; i < end; i++)
		s->place[s->keys[i].path] = (uint32_t)(i - from);
}

struct ranked {
	uint64_t weight;
	uint32_t place; /* rank by length, then by names */
};

/* Sort by weight descending, then by rank. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int sort_weights(const struct sorting *s, uint32_t *order)
{
	struct ranked *ranked = malloc((s->n + 1) * sizeof(*ranked));
	size_t i;

	if (!ranked)
		return -1;
	for (i = 0; i < s->n; i++)
		ranked[i] = (struct ranked){s->paths->paths[s->keys[i].path].weight, (uint32_t)i};
	qsort(ranked, s->n, sizeof(*ranked), compare_ranked);
	for (i = 0; i < s->n; i++)
		order[i] = s->keys[ranked[i].place].path;
	free(ranked);
	return 0;
}

static int sort(struct sorting *s, uint32_t *order)
{
	uint32_t length;

	s->place = calloc(s->n + 1, sizeof(*s->place));
	s->keys = malloc((s->n + 1) * sizeof(*s->keys));
	if (!s->place || !s->keys || sort_names(s) || sort_lengths(s))
		return -1;
	for (length = 1; length <= s->longest; length++)
		sort_length(s, length);
	free(s->place);
	s->place = NULL;
	return sort_weights(s, order);
}

/* Fill in `order`. Only the files that build profiles call this. Returns 0, or -1 if memory is
 * out. */
static int callpath_order(struct callpaths *c, struct error *err)
{
	struct sorting s = {.paths = c, .n = c->n_paths - 1};
	int status;

	c->order = malloc(c->n_paths * sizeof(*c->order));
	status = c->order ? sort(&s, c->order) : -1;
	free(s.name_place);
	free(s.place);
	free(s.start);
	free(s.keys);
	return status ? error_memory(err) : 0;
}

void callpath_free(struct callpaths *c)
{
	if (!c)
		return;
	free(c->paths);
	free(c->order);
	free(c);
}

void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names)
{
	uint32_t length = c->paths[path].length;

	for (; path != 0; path = c->paths[path].parent) {
		uint32_t left = c->paths[path].length; /* names of this part */

		names[c->up ? length - left : left - 1] = c->paths[path].name;
	}
}

/* ---- callpath trie --------------------------------------------------------------------------- */
/*
 * Collects the paths of a call path profile.
 *
 * In: paths, each as a parent and a name. Out: struct callpaths, in order.
 */

struct callpath_trie {
	struct callpaths *paths;
	struct pair_table pairs; /* (parent, name) -> path - 1 */
	size_t size;		 /* allocated elements of paths->paths */
	uint32_t limit;		 /* more paths are an error; to be set after callpath_trie_begin */
};

/* Begin with only the empty path. Returns -1 if memory is out. Call callpath_trie_end in any
 * case. */
static int callpath_trie_begin(struct callpath_trie *t, const struct tree *tree, bool up,
			       struct error *err)
{
	*t = (struct callpath_trie){.paths = calloc(1, sizeof(*t->paths)), .limit = UINT32_MAX};
	if (!t->paths || !array_reserve(&t->paths->paths, &t->size, 1, sizeof(struct callpath)))
		return error_memory(err);
	t->paths->tree = tree;
	t->paths->up = up;
	t->paths->paths[0] = (struct callpath){.name = STRINGS_NONE};
	t->paths->n_paths = 1;
	return 0;
}

/* Find the path that consists of `parent` and the name; add it if it is new. Returns -1 on error
 * (memory, too many paths). */
static int callpath_trie_extend(struct callpath_trie *t, uint32_t parent, uint32_t name,
				uint32_t *path, struct error *err)
{
	struct callpaths *c = t->paths;
	uint32_t pair = pair_table_child(&t->pairs, parent, name);

	if (pair >= PAIR_TABLE_NONE - 1)
		return error_memory(err);
	if (pair >= t->limit)
		return error_set(err,
				 "there are more than %" PRIu32
				 " call paths; --depth 20 leaves out the long ones",
				 t->limit);
	*path = pair + 1;
	if (*path < c->n_paths)
		return 0;
	if (!array_reserve(&c->paths, &t->size, c->n_paths + 1, sizeof(*c->paths)))
		return error_memory(err);
	c->paths[c->n_paths++] = (struct callpath){
		.parent = parent,
		.name = name,
		.length = c->paths[parent].length + 1,
	};
	return 0;
}

/* Let a node of the tree note the path: unless the path is locked, add the node's weight to it and
 * lock it. Returns whether that was done; if so, unlock the path when the walk leaves the node. */
static bool callpath_trie_note(struct callpath_trie *t, uint32_t path, const struct tree_node *node)
{
	struct callpath *p = &t->paths->paths[path];

	if (p->locked)
		return false;
	p->locked = true;
	p->weight += node->total;
	p->hits += node->hits;
	return true;
}

static void callpath_trie_unlock(struct callpath_trie *t, uint32_t path)
{
	t->paths->paths[path].locked = false;
}

/* Sort the paths and return them; everything else is freed. If status is not 0, or if memory is
 * out, free the paths, too, and return NULL. */
static struct callpaths *callpath_trie_end(struct callpath_trie *t, int status, struct error *err)
{
	pair_table_clear(&t->pairs);
	if (!status && !callpath_order(t->paths, err))
		return t->paths;
	callpath_free(t->paths);
	return NULL;
}

/* ---- callpath down --------------------------------------------------------------------------- */
/*
 * Folds the tree into the call paths that begin with a root function.
 *
 * In: struct tree. Out: struct callpaths.
 *
 * Hall & Goldberg's CPP-Rec descends the tree with a canonical path, which is called the state. A
 * node with the name g notes the path state + g: the node's weight is added to that path unless a
 * node above has locked the path. Below the node, the state is state + g. If g was in the state
 * already, the state is instead cut back so that it ends with g.
 *
 *     stack   main  a     b       a             c
 *     notes   main  main  main a  main a b a    main a c
 *                   a     b       (cut: main a)
 *
 * The paths form a trie. The names of a state are distinct, and each state is a path of the trie.
 * `spine` holds the beginnings of the state by their length, and `where` holds for each name the
 * last path that ended with it. A name is in the state if that path is still on the spine. A cut
 * only lowers the length of the state. So a step takes constant time, and so does undoing it,
 * however deep the recursion is.
 */

/* What a step has changed. It is restored when the walk leaves the node. */
struct step {
	uint32_t noted;	    /* the path, or 0 if a node above had locked it */
	uint32_t length;    /* length of the state before the step */
	uint32_t old_spine; /* spine at the length of the noted path */
	uint32_t old_where; /* where[] of the node's name */
	bool appended;
};

struct descent {
	const struct tree *tree;
	struct callpath_trie trie;
	uint32_t *spine;    /* by length: the beginning of the state */
	uint32_t *where;    /* by name: the last path that ended with it, or 0 */
	uint32_t length;    /* length of the state */
	struct step *steps; /* by depth below the root function */
	uint32_t n_steps;
};

static bool in_state(const struct descent *d, uint32_t path)
{
	uint32_t length = d->trie.paths->paths[path].length;

	return path != 0 && length <= d->length && d->spine[length] == path;
}

static int enter(struct descent *d, const struct tree_node *n, struct error *err)
{
	struct step *step = &d->steps[d->n_steps];
	uint32_t path = 0, earlier = d->where[n->name];

	if (callpath_trie_extend(&d->trie, d->spine[d->length], n->name, &path, err))
		return -1;
	step->noted = callpath_trie_note(&d->trie, path, n) ? path : 0;
	step->length = d->length;
	step->appended = !in_state(d, earlier);
	if (step->appended) {
		d->length++;
		step->old_spine = d->spine[d->length];
		step->old_where = earlier;
		d->spine[d->length] = path;
		d->where[n->name] = path;
	} else {
		d->length = d->trie.paths->paths[earlier].length;
	}
	d->n_steps++;
	return 0;
}

static void leave(struct descent *d)
{
	const struct step *step = &d->steps[--d->n_steps];

	if (step->noted)
		callpath_trie_unlock(&d->trie, step->noted);
	if (step->appended) {
		uint32_t path = d->spine[d->length];

		d->where[d->trie.paths->paths[path].name] = step->old_where;
		d->spine[d->length] = step->old_spine;
	}
	d->length = step->length;
}

/* Run CPP-Rec on the subtree of node `top`, which has the name of the root function. */
static int descend(struct descent *d, uint32_t top, struct error *err)
{
	const struct tree_node *nodes = d->tree->nodes;
	uint32_t i;

	for (i = top; i < nodes[top].end; i++) {
		while (d->n_steps > nodes[i].depth - nodes[top].depth)
			leave(d);
		if (stop_check(err))
			return -1;
		if (enter(d, &nodes[i], err))
			return -1;
	}
	while (d->n_steps > 0)
		leave(d);
	return 0;
}

/* The paper's Summarize-below-root: begin at each outermost node of the root function, and skip its
 * subtree afterwards. */
static int summarize(struct descent *d, uint32_t root, struct error *err)
{
	const struct tree *t = d->tree;
	uint32_t i = 1;

	while (i < t->n_nodes) {
		if (t->nodes[i].name != root) {
			i++;
			continue;
		}
		if (descend(d, i, err))
			return -1;
		i = t->nodes[i].end;
	}
	return 0;
}

static int prepare(struct descent *d, struct error *err)
{
	uint32_t height = tree_height(d->tree);

	d->spine = calloc((size_t)height + 2, sizeof(*d->spine));
	d->where = calloc(strings_count(d->tree->strings) + 1, sizeof(*d->where));
	d->steps = calloc((size_t)height + 1, sizeof(*d->steps));
	return d->spine && d->where && d->steps ? 0 : error_memory(err);
}

struct callpaths *callpath_down(const struct tree *t, const uint32_t *roots, size_t n_roots,
				struct error *err)
{
	struct descent d = {.tree = t};
	int status = callpath_trie_begin(&d.trie, t, false, err) || prepare(&d, err) ? -1 : 0;
	size_t i;

	for (i = 0; !status && i < n_roots; i++)
		status = summarize(&d, roots[i], err);
	free(d.spine);
	free(d.where);
	free(d.steps);
	return callpath_trie_end(&d.trie, status, err);
}

/* ---- callpath up ----------------------------------------------------------------------------- */
/*
 * Folds the tree into the call paths that end with a root function.
 *
 * In: struct tree. Out: struct callpaths.
 *
 * A frame of the root function R notes one path for each function f above it. The path consists of
 * the state that CPP-Rec has there if it begins at the outermost f, and R. That state is the stack
 * without its loops: first f, then the function below the last frame of f, then the function below
 * the last frame of that one, and so on up to R's caller. This chain of next functions is the same
 * wherever it begins, so the states of all f are the branches of one tree, whose root is R's
 * caller:
 *
 *     stack   main  a     b     a     c     R        next   main: a   b: a   a: c
 *     notes   main a c R, a c R, b a c R, c R, R
 *
 * The walk keeps the functions above the current frame in the order of their last frames, the
 * innermost first. In that order next[f] comes before f. So the path from f extends the path from
 * next[f], which exists already, by one step in the trie of reversed paths. Undoing a step of the
 * walk takes constant time.
 */

/* What a step up has changed. It is restored when the walk leaves the node. */
struct step_up {
	uint32_t name;
	uint32_t old_next; /* next[] of the caller */
	uint32_t newer;	   /* the name before this one in the order, or NOWHERE */
	size_t n_held;	   /* number of locks that nodes above hold */
};

#define NOWHERE UINT32_MAX

struct ascent {
	const struct tree *tree;
	struct callpath_trie trie;
	uint64_t longest;	 /* the largest number of names in a path */
	bool *is_root;		 /* by name */
	uint32_t *next;		 /* by name: the function below its last frame */
	uint32_t *newer, *older; /* by name: a ring in the order above; `end` closes it */
	uint32_t end;		 /* not a name, but one past the last name */
	uint32_t *path; /* by name: the path from it to the current frame; 0 if that is too long */
	uint32_t *held; /* the paths that the current stack has locked */
	size_t n_held, size;
	unsigned char
		*starts; /* by name: enum callpath_start; paths end at main, as the paper's do */
	struct step_up *steps; /* by depth */
	uint32_t n_steps;
};

static bool is_longest(const struct ascent *a, uint32_t path)
{
	return path == 0 || a->trie.paths->paths[path].length >= a->longest;
}

static int note(struct ascent *a, uint32_t path, const struct tree_node *n, struct error *err)
{
	if (!callpath_trie_note(&a->trie, path, n))
		return 0;
	if (!array_reserve(&a->held, &a->size, a->n_held + 1, sizeof(*a->held)))
		return error_memory(err);
	a->held[a->n_held++] = path;
	return 0;
}

/* Note the paths from all functions above node n to the root function at n. */
static int note_paths(struct ascent *a, const struct tree_node *n, struct error *err)
{
	bool in_main = a->starts[n->name] == CALLPATH_MAIN;
	uint32_t name, root = 0;

	if (callpath_trie_extend(&a->trie, 0, n->name, &root, err) || note(a, root, n, err))
		return -1;
	for (name = a->older[a->end]; name != a->end; name = a->older[name]) {
		uint32_t below = name == a->older[a->end] ? root : a->path[a->next[name]];

		if (in_main && a->starts[name] == CALLPATH_ABOVE_MAIN)
			break;
		in_main |= a->starts[name] == CALLPATH_MAIN;
		a->path[name] = 0;
		if (is_longest(a, below)) {
			a->trie.paths->is_cut = true;
			continue;
		}
		if (callpath_trie_extend(&a->trie, below, name, &a->path[name], err) ||
		    note(a, a->path[name], n, err))
			return -1;
	}
	return 0;
}

static void take_out(struct ascent *a, uint32_t name)
{
	a->older[a->newer[name]] = a->older[name];
	a->newer[a->older[name]] = a->newer[name];
}

static void put_behind(struct ascent *a, uint32_t newer, uint32_t name)
{
	a->newer[name] = newer;
	a->older[name] = a->older[newer];
	a->newer[a->older[name]] = name;
	a->older[newer] = name;
}

static int enter_callee(struct ascent *a, const struct tree_node *n, struct error *err)
{
	struct step_up *step = &a->steps[a->n_steps];
	uint32_t caller = a->older[a->end]; /* `end` if there is none */

	*step = (struct step_up){n->name, a->next[caller], a->newer[n->name], a->n_held};
	if (a->is_root[n->name] && note_paths(a, n, err))
		return -1;
	a->next[caller] = n->name;
	if (step->newer != NOWHERE)
		take_out(a, n->name);
	put_behind(a, a->end, n->name);
	a->n_steps++;
	return 0;
}

static void leave_callee(struct ascent *a)
{
	const struct step_up *step = &a->steps[--a->n_steps];

	take_out(a, step->name);
	if (step->newer != NOWHERE)
		put_behind(a, step->newer, step->name);
	else
		a->newer[step->name] = NOWHERE;
	a->next[a->older[a->end]] = step->old_next;
	while (a->n_held > step->n_held)
		callpath_trie_unlock(&a->trie, a->held[--a->n_held]);
}

static int walk(struct ascent *a, struct error *err)
{
	const struct tree *t = a->tree;
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		while (a->n_steps > t->nodes[i].depth)
			leave_callee(a);
		if (stop_check(err))
			return -1;
		if (enter_callee(a, &t->nodes[i], err))
			return -1;
	}
	while (a->n_steps > 0)
		leave_callee(a);
	return 0;
}

/* A name may be that of a place in the function: "main+0x1f", "main file.c:7". */
static bool is_named(const char *text, size_t n, const char *name)
{
	size_t length = strlen(name);

	return n >= length && memcmp(text, name, length) == 0 &&
	       (n == length || strchr("+ @", text[length]));
}

enum callpath_start callpath_start_of(const struct strings *s, uint32_t name)
{
	size_t n;
	const char *text = strings_get(s, name, &n);

	if (is_named(text, n, "main"))
		return CALLPATH_MAIN;
	if (is_named(text, n, "_start") || is_named(text, n, "__libc_start_main") ||
	    is_named(text, n, "__libc_start_main_impl") ||
	    is_named(text, n, "__libc_start_call_main"))
		return CALLPATH_ABOVE_MAIN;
	return CALLPATH_NO_START;
}

static int prepare_ascent(struct ascent *a, const uint32_t *roots, size_t n_roots,
			  struct error *err)
{
	size_t i, n_names = strings_count(a->tree->strings);

	a->end = (uint32_t)n_names;
	a->is_root = calloc(n_names + 1, sizeof(*a->is_root));
	a->starts = calloc(n_names + 1, sizeof(*a->starts));
	a->next = calloc(n_names + 1, sizeof(*a->next));
	a->newer = malloc((n_names + 1) * sizeof(*a->newer));
	a->older = malloc((n_names + 1) * sizeof(*a->older));
	a->path = calloc(n_names + 1, sizeof(*a->path));
	a->steps = calloc((size_t)tree_height(a->tree) + 1, sizeof(*a->steps));
	if (!a->is_root || !a->starts || !a->next || !a->newer || !a->older || !a->path ||
	    !a->steps)
		return error_memory(err);
	for (i = 0; i < n_names; i++) {
		a->newer[i] = NOWHERE;
		a->starts[i] = callpath_start_of(a->tree->strings, (uint32_t)i);
	}
	a->newer[a->end] = a->older[a->end] = a->end;
	for (i = 0; i < n_roots; i++)
		a->is_root[roots[i]] = true;
	return 0;
}

static uint32_t most_paths(const struct tree *t, uint32_t least)
{
	uint64_t most = (uint64_t)CALLPATH_UP_RATE * t->n_nodes;

	if (most > UINT32_MAX)
		return UINT32_MAX;
	return most > least ? (uint32_t)most : least;
}

struct callpaths *callpath_up(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      const struct callpath_limits *limits, struct error *err)
{
	struct ascent a = {.tree = t, .longest = limits->longest ? limits->longest : UINT64_MAX};
	int status = callpath_trie_begin(&a.trie, t, true, err);

	a.trie.limit = most_paths(t, limits->most);
	if (status || prepare_ascent(&a, roots, n_roots, err) || walk(&a, err))
		status = -1;

	free(a.is_root);
	free(a.starts);
	free(a.next);
	free(a.newer);
	free(a.older);
	free(a.path);
	free(a.held);
	free(a.steps);
	return callpath_trie_end(&a.trie, status, err);
}
