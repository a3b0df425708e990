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

#include "order.h"
#include "pairs.h"

struct fold {
	struct profile *profile;
	struct symbols *symbols;
	enum tree_unit unit;
	uint32_t *names; /* by frame; STRINGS_NONE: not asked yet */
	uint32_t *nodes; /* by profile node: the tree node it became */
	/* The filter's marks, by name and by profile node; NULL without one. */
	unsigned char *of_names, *of_nodes;
	uint32_t hidden;    /* the string TREE_HIDDEN */
	struct pairs pairs; /* (parent, name) -> tree node - 1 */
	struct tree *tree;
	size_t room;
};

/* The name of a frame, asked for once. */
static int frame_name(struct fold *f, uint32_t number, uint32_t *name, struct error *err)
{
	const struct profile_frame *frame = &f->profile->frames[number];
	struct symbols_place place;

	*name = f->names[number];
	if (*name != STRINGS_NONE)
		return 0;
	if (frame->name != STRINGS_NONE) {
		*name = frame->name;
	} else if (frame->module == PROFILE_NO_MODULE && frame->address == CPS_CUT_ADDRESS) {
		*name = strings_add(f->profile->strings, TREE_CUT, strlen(TREE_CUT));
	} else {
		if (symbols_frame(f->symbols, frame, &place, err))
			return -1;
		*name = place.function;
	}
	f->names[number] = *name;
	return *name == STRINGS_NONE ? error_memory(err) : 0;
}

static int make_room(struct fold *f)
{
	size_t room = f->room ? f->room + f->room / 2 : 1024;
	struct tree_node *nodes;

	if (f->tree->n_nodes < f->room)
		return 0;
	nodes = realloc(f->tree->nodes, room * sizeof(*nodes));
	if (!nodes)
		return -1;
	f->tree->nodes = nodes;
	f->room = room;
	return 0;
}

/* The child of `parent` with this name, added if it is new. */
static int child(struct fold *f, uint32_t parent, uint32_t name, uint32_t *number,
		 struct error *err)
{
	struct tree *t = f->tree;
	uint32_t pair = pairs_number(&f->pairs, parent, name);

	if (pair >= PAIRS_NONE - 1 || make_room(f))
		return error_memory(err);
	*number = pair + 1;
	if (*number < t->n_nodes)
		return 0;
	t->nodes[t->n_nodes++] = (struct tree_node){
		.parent = parent,
		.name = name,
		.depth = t->nodes[parent].depth + 1,
	};
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
	uint32_t name, number = f->nodes[from->parent];

	if (add_total(f, from, self, err))
		return -1;
	if (!(marks & FILTER_NEEDED))
		return 0;
	if (frame_name(f, from->frame, &name, err))
		return -1;
	if (!(f->of_names && f->of_names[name] & FILTER_HIDDEN) &&
	    child(f, number, name, &number, err))
		return -1;
	f->nodes[i] = number;
	if (!(marks & FILTER_KEPT))
		return 0;
	if (number == 0 && child(f, 0, f->hidden, &number, err))
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

static int names_begin(struct fold *f, struct error *err)
{
	size_t bytes = (f->profile->n_frames + 1) * sizeof(*f->names);

	f->names = malloc(bytes);
	if (!f->names)
		return error_memory(err);
	memset(f->names, 0xff, bytes);
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
	size_t n;
	uint32_t i, name;

	for (i = 0; i < f->profile->n_frames; i++)
		if (frame_name(f, i, &name, err))
			return -1;
	n = strings_count(f->profile->strings);
	f->of_names = calloc(n, 1);
	if (!f->of_names)
		return error_memory(err);
	for (i = 0; i < f->profile->n_frames; i++)
		f->of_names[f->names[i]] = PATTERNS_NAME;
	return filter_names(filter, f->profile->strings, f->of_names, n, err);
}

static int filter_begin(struct fold *f, struct filter *filter, struct error *err)
{
	size_t i, n_frames = f->profile->n_frames;
	unsigned char *of_frames;

	if (!filter_is_set(filter))
		return 0;
	f->hidden = strings_add(f->profile->strings, TREE_HIDDEN, strlen(TREE_HIDDEN));
	if (filter_begin_names(f, filter, err))
		return -1;
	f->of_nodes = malloc(f->profile->n_nodes);
	of_frames = malloc(n_frames + 1);
	if (f->of_nodes && of_frames) {
		for (i = 0; i < n_frames; i++)
			of_frames[i] = f->of_names[f->names[i]];
		filter_nodes(filter, f->profile, of_frames, f->of_nodes);
	}
	free(of_frames);
	return f->hidden == STRINGS_NONE || !f->of_nodes || !of_frames ? error_memory(err) : 0;
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
	size_t i;

	if (order_preorder(&in, &order, err))
		return -1;
	for (i = 0; i < t->n_nodes; i++) {
		t->nodes[i].parent = order.place[t->nodes[i].parent];
		t->nodes[i].end = order.place[i] + order.size[i];
	}
	permute(t, order.place);
	order_free(&order);
	return 0;
}

/* ---- tree ------------------------------------------------------------------------------------ */

static int fold(struct fold *f, struct filter *filter, struct error *err)
{
	int status = names_begin(f, err);

	if (!status)
		status = filter_begin(f, filter, err);
	if (!status)
		status = fold_nodes(f, err);
	free(f->names);
	free(f->nodes);
	free(f->of_names);
	free(f->of_nodes);
	pairs_clear(&f->pairs);
	return status;
}

struct tree *tree_build(struct profile *p, struct symbols *s, const struct tree_options *options,
			struct error *err)
{
	struct fold f = {.profile = p, .symbols = s, .unit = options->unit};

	f.tree = calloc(1, sizeof(*f.tree));
	if (!f.tree) {
		error_memory(err);
		return NULL;
	}
	f.tree->strings = p->strings;
	f.tree->unit = options->unit;
	f.tree->filter = filter_is_set(options->filter) ? options->filter : NULL;
	if (!fold(&f, options->filter, err)) {
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
	free(t);
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
