/* SPDX-License-Identifier: MIT */
/*
 * tree.c - folds the profile's tree of addresses into the tree of functions.
 *
 * Shape room. In: a profile, names of its frames. Out: struct tree in preorder. No C recursion: a
 * stack may have 65,536 frames.
 */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "order.h"
#include "pairs.h"

struct fold {
	struct profile *profile;
	enum tree_unit unit;
	struct chains chains;
	uint32_t *nodes; /* by profile node: the tree node it became */
	/* The filter's marks, by name and by profile node; NULL without one. */
	unsigned char *of_names, *of_nodes;
	uint32_t hidden;    /* the string TREE_HIDDEN */
	struct pairs pairs; /* (parent, name) -> tree node - 1 */
	struct tree *tree;
	size_t room;
};

static int make_room(struct fold *f)
{
	size_t room = f->room ? f->room + f->room / 2 : 1024;
	struct tree_node *nodes;
	bool *inlined;

	if (f->tree->n_nodes < f->room)
		return 0;
	nodes = realloc(f->tree->nodes, room * sizeof(*nodes));
	if (!nodes)
		return -1;
	f->tree->nodes = nodes;
	if (f->tree->inlined) {
		inlined = realloc(f->tree->inlined, room * sizeof(*inlined));
		if (!inlined)
			return -1;
		f->tree->inlined = inlined;
	}
	f->room = room;
	return 0;
}

/* A node is inlined if all frames are that were folded into it. */
static int mark(struct fold *f, uint32_t number, bool is_new, bool is_inline)
{
	struct tree *t = f->tree;

	if (!t->inlined && !is_inline)
		return 0;
	if (!t->inlined)
		t->inlined = calloc(f->room, sizeof(*t->inlined));
	if (!t->inlined)
		return -1;
	t->inlined[number] = is_inline && (is_new || t->inlined[number]);
	return 0;
}

/* The child of `parent` with this name, added if it is new. */
static int child(struct fold *f, uint32_t parent, uint32_t name, bool is_inline, uint32_t *number,
		 struct error *err)
{
	struct tree *t = f->tree;
	uint32_t pair = pairs_child(&f->pairs, parent, name);
	bool is_new;

	if (pair >= PAIRS_NONE - 1 || make_room(f))
		return error_memory(err);
	*number = pair + 1;
	is_new = *number == t->n_nodes;
	if (is_new)
		t->nodes[t->n_nodes++] = (struct tree_node){
			.parent = parent,
			.name = name,
			.depth = t->nodes[parent].depth + 1,
		};
	return mark(f, *number, is_new, is_inline) ? error_memory(err) : 0;
}

/* The filter's marks of a name in the chains: its own, and those of the function that it is of. */
static unsigned char marks_of(const struct fold *f, uint32_t place)
{
	return f->of_names[f->chains.all[place]] | f->of_names[f->chains.functions[place]];
}

/* Go down from *number by the frame's names that are not hidden, to the innermost. */
static int descend(struct fold *f, uint32_t frame, uint32_t *number, struct error *err)
{
	const uint32_t *names;
	uint32_t i, n, first;

	if (chains_get(&f->chains, frame, &names, &n, err))
		return -1;
	first = (uint32_t)(names - f->chains.all);
	for (i = 0; i < n; i++) {
		if (f->of_names && marks_of(f, first + i) & FILTER_HIDDEN)
			continue;
		if (f->chains.merge_calls && f->tree->nodes[*number].name == names[i])
			continue;
		if (child(f, *number, names[i], i > 0, number, err))
			return -1;
	}
	return 0;
}

/* What counts at this node, though it may be left out, is part of the whole. */
static int add_total(struct fold *f, const struct profile_node *n, uint64_t self, struct error *err)
{
	struct tree *t = f->tree;

	if (__builtin_add_overflow(t->total, self, &t->total) ||
	    __builtin_add_overflow(t->hits, n->self_hits, &t->hits))
		return error_set(err, "the counts do not fit in 64 bits");
	return 0;
}

/* All other sums are parts of the whole: they cannot overflow. */
static int add_node(struct fold *f, size_t i, struct error *err)
{
	const struct profile_node *from = &f->profile->nodes[i];
	uint64_t self = f->unit == TREE_HITS ? from->self_hits : from->self_gticks;
	unsigned char marks = f->of_nodes ? f->of_nodes[i] : FILTER_KEPT | FILTER_NEEDED;
	uint32_t number = f->nodes[from->parent];

	if (add_total(f, from, self, err))
		return -1;
	if (!(marks & FILTER_NEEDED))
		return 0;
	if (descend(f, from->frame, &number, err))
		return -1;
	f->nodes[i] = number;
	if (!(marks & FILTER_KEPT))
		return 0;
	if (number == 0 && child(f, 0, f->hidden, false, &number, err))
		return -1;
	f->tree->nodes[number].self += self;
	f->tree->nodes[number].self_hits += from->self_hits;
	return 0;
}

/* Nodes in order of creation, so that a parent comes before its children. */
static int fold_nodes(struct fold *f, struct error *err)
{
	size_t i, n = f->profile->n_nodes;

	f->nodes = calloc(n, sizeof(*f->nodes));
	if (!f->nodes || make_room(f))
		return error_memory(err);
	f->tree->nodes[0] = (struct tree_node){.depth = UINT32_MAX, .name = STRINGS_NONE};
	f->tree->n_nodes = 1;
	for (i = 1; i < n; i++)
		if (add_node(f, i, err))
			return -1;
	return 0;
}

static void sum_totals(struct tree *t)
{
	size_t i;

	for (i = t->n_nodes; i-- > 0;) {
		struct tree_node *n = &t->nodes[i], *parent = &t->nodes[n->parent];

		n->total += n->self;
		n->hits += n->self_hits;
		if (i == 0)
			break;
		parent->total += n->total;
		parent->hits += n->hits;
	}
}

/* ---- filter ---------------------------------------------------------------------------------- */

/* Which of the profile's strings are functions, and what the filter says of them. */
static int filter_begin_names(struct fold *f, struct filter *filter, struct error *err)
{
	const uint32_t *names;
	uint32_t i, n;
	size_t n_strings;

	for (i = 0; i < f->profile->n_frames; i++)
		if (chains_get(&f->chains, i, &names, &n, err))
			return -1;
	n_strings = strings_count(f->profile->strings);
	f->of_names = calloc(n_strings, 1);
	if (!f->of_names)
		return error_memory(err);
	for (i = 0; i < f->chains.n_all; i++)
		f->of_names[f->chains.all[i]] = f->of_names[f->chains.functions[i]] = PATTERNS_NAME;
	return filter_names(filter, f->profile->strings, f->of_names, n_strings, err);
}

/* The marks of all names of each frame. */
static int mark_frames(struct fold *f, unsigned char *of_frames, struct error *err)
{
	const uint32_t *names;
	uint32_t i, k, n;

	for (i = 0; i < f->profile->n_frames; i++) {
		if (chains_get(&f->chains, i, &names, &n, err))
			return -1;
		of_frames[i] = 0;
		for (k = 0; k < n; k++)
			of_frames[i] |= marks_of(f, (uint32_t)(names - f->chains.all) + k);
	}
	return 0;
}

static int filter_begin(struct fold *f, struct filter *filter, struct error *err)
{
	unsigned char *of_frames;
	int status;

	if (!filter_is_set(filter))
		return 0;
	f->hidden = strings_add(f->profile->strings, TREE_HIDDEN, strlen(TREE_HIDDEN));
	if (f->hidden == STRINGS_NONE)
		return error_memory(err);
	if (filter_begin_names(f, filter, err))
		return -1;
	f->of_nodes = malloc(f->profile->n_nodes);
	of_frames = malloc(f->profile->n_frames + 1);
	status = f->of_nodes && of_frames ? mark_frames(f, of_frames, err) : error_memory(err);
	if (!status)
		filter_nodes(filter, f->profile, of_frames, f->of_nodes);
	free(of_frames);
	return status;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Siblings: by total descending, then name bytewise. */
static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct tree *t = context;
	const struct tree_node *x = &t->nodes[*(const uint32_t *)a];
	const struct tree_node *y = &t->nodes[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(t->strings, x->name, y->name);
}

/* Move each node to its place, in place: ten million of them are half a gigabyte. */
static void permute(struct tree *t, uint32_t *place)
{
	size_t i;

	for (i = 0; i < t->n_nodes; i++) {
		while (place[i] != i) {
			uint32_t to = place[i];
			struct tree_node node = t->nodes[to];

			t->nodes[to] = t->nodes[i];
			t->nodes[i] = node;
			place[i] = place[to];
			place[to] = to;
		}
	}
}

static int permute_inlined(struct tree *t, const uint32_t *place)
{
	bool *inlined = t->inlined ? malloc(t->n_nodes * sizeof(*inlined)) : NULL;
	size_t i;

	if (!t->inlined)
		return 0;
	if (!inlined)
		return -1;
	for (i = 0; i < t->n_nodes; i++)
		inlined[place[i]] = t->inlined[i];
	free(t->inlined);
	t->inlined = inlined;
	return 0;
}

static int sort_nodes(struct tree *t, struct error *err)
{
	struct order_tree in = {
		.n = t->n_nodes,
		.parents = &t->nodes[0].parent,
		.stride = sizeof(t->nodes[0]),
		.compare = compare_siblings,
		.context = t,
	};
	struct order order;
	int status;
	size_t i;

	if (order_preorder(&in, &order, err))
		return -1;
	for (i = 0; i < t->n_nodes; i++) {
		t->nodes[i].parent = order.place[t->nodes[i].parent];
		t->nodes[i].end = order.place[i] + order.size[i];
	}
	status = permute_inlined(t, order.place) ? error_memory(err) : 0;
	permute(t, order.place);
	order_free(&order);
	return status;
}

/* ---- tree ------------------------------------------------------------------------------------ */

static int fold(struct fold *f, struct symbols *s, struct filter *filter, struct error *err)
{
	int status = chains_init(&f->chains, f->profile, s, err);

	if (!status)
		status = filter_begin(f, filter, err);
	if (!status)
		status = fold_nodes(f, err);
	chains_clear(&f->chains);
	free(f->nodes);
	free(f->of_names);
	free(f->of_nodes);
	pairs_clear(&f->pairs);
	return status;
}

struct tree *tree_build(struct profile *p, struct symbols *s, const struct tree_options *options,
			struct error *err)
{
	struct fold f = {.profile = p, .unit = options->unit};

	f.tree = calloc(1, sizeof(*f.tree));
	if (!f.tree) {
		error_memory(err);
		return NULL;
	}
	f.tree->strings = p->strings;
	f.tree->unit = options->unit;
	f.tree->filter = filter_is_set(options->filter) ? options->filter : NULL;
	if (!fold(&f, s, options->filter, err)) {
		sum_totals(f.tree);
		if (!sort_nodes(f.tree, err))
			return f.tree;
	}
	tree_free(f.tree);
	return NULL;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->inlined);
	free(t);
}

bool tree_is_inline(const struct tree *t, size_t node)
{
	return t->inlined && t->inlined[node];
}

uint32_t tree_height(const struct tree *t)
{
	uint32_t height = 0;
	size_t i;

	for (i = 1; i < t->n_nodes; i++)
		if (t->nodes[i].depth >= height)
			height = t->nodes[i].depth + 1;
	return height;
}
