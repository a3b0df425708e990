/* SPDX-License-Identifier: MIT */
/*
 * contexts.c - finds the contexts of all stacks in the tree, and the cycles among them.
 *
 * The tree is walked once. history.h keeps the history of the current stack.
 */
#include "contexts/contexts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/stop.h"
#include "contexts/history.h"

struct walk {
	struct contexts *result;
	struct stack_history active;
	struct fingerprint_table histories, paths; /* fingerprint -> context, cycle */
	size_t room, cycle_room, cycle_of_room;
	uint32_t *cycle_of; /* by context: its cycle, or FINGERPRINT_TABLE_NONE */
	bool with_cycles;
};

struct path {
	struct fingerprint print;
	uint32_t length;
};

/* Returns how many unmarked entries before the marked frame `right` belong to the path, which
 * begins at an entry of the running function. 0: none of these entries is of the running
 * function. */
static uint32_t begins_before(const struct stack_history *a, uint32_t right)
{
	const struct stack_history_frame *f = a->frames;
	uint32_t left = f[right].before, n = stack_history_gap(a, left, right),
		 running = f[a->top].name;

	if (n > 0 && f[right - 1].name == running)
		return 1;
	return n > 1 && f[left + 1].name == running ? 2 : 0;
}

/*
 * Find the path from the last unmarked entry of the running function to the end of the history,
 * searching from the end. As in a history, the names of the path determine its marks, so the same
 * neighbours mean the same names. Only a part of the first pair of neighbours is on the path. Time
 * is linear in the path's length, which is a few functions, or if there is no path, in the length
 * of the history.
 */
static bool find_cycle(const struct stack_history *a, struct path *path)
{
	const struct stack_history_frame *f = a->frames;
	uint32_t running = f[a->top].name, right, n;

	*path = (struct path){0};
	if (!f[a->top].earlier)
		return false;
	for (right = a->top; right > 0; right = f[right].before) {
		path->length++;
		n = begins_before(a, right);
		if (n > 0) {
			struct fingerprint begin = fingerprint_of(
				&a->secret, (uint64_t)running << 32 | f[right - 1].name,
				(uint64_t)STRINGS_NONE << 32 | f[right].name);

			path->length += n;
			path->print = fingerprint_plus(path->print, begin);
			return true;
		}
		path->length += stack_history_gap(a, f[right].before, right);
		path->print = fingerprint_plus(path->print, f[right].link);
	}
	return false;
}

/* Add a new context to the cycle that it closes, if it closes one. */
static int add_to_cycle(struct walk *w, uint32_t node, uint32_t *number)
{
	struct contexts *c = w->result;
	struct path path;

	*number = FINGERPRINT_TABLE_NONE;
	if (!w->with_cycles || !find_cycle(&w->active, &path))
		return 0;
	*number = fingerprint_table_number(&w->paths, path.print);
	if (*number == FINGERPRINT_TABLE_NONE ||
	    !array_reserve(&c->cycles, &w->cycle_room, c->n_cycles + 1, sizeof(*c->cycles)))
		return -1;
	if (*number == c->n_cycles)
		c->cycles[c->n_cycles++] =
			(struct context_cycle){.node = node, .length = path.length};
	c->cycles[*number].contexts++;
	return 0;
}

static int new_context(struct walk *w, uint32_t node)
{
	struct contexts *c = w->result;

	if (!array_reserve(&c->contexts, &w->room, c->n + 1, sizeof(*c->contexts)) ||
	    !array_reserve(&w->cycle_of, &w->cycle_of_room, c->n + 1, sizeof(*w->cycle_of)))
		return -1;
	c->contexts[c->n] =
		(struct context){.node = node, .length = w->active.frames[w->active.top].length};
	return add_to_cycle(w, node, &w->cycle_of[c->n++]);
}

/* Add the samples of a node to its context and cycle. A subtree counts once in the total of a
 * cycle, however often the cycle is run within the subtree. */
static void credit(struct walk *w, uint32_t number, uint32_t node)
{
	const struct tree_node *n = &w->result->tree->nodes[node];
	struct context *context = &w->result->contexts[number];
	struct context_cycle *cycle;

	context->samples += n->self;
	context->hits += n->self_hits;
	if (w->cycle_of[number] == FINGERPRINT_TABLE_NONE)
		return;
	cycle = &w->result->cycles[w->cycle_of[number]];
	cycle->samples += n->self;
	if (node < cycle->end)
		return;
	cycle->total += n->total;
	cycle->end = n->end;
}

static int walk_tree(struct walk *w)
{
	const struct tree *t = w->result->tree;
	uint32_t i, number;

	for (i = 1; i < t->n_nodes; i++) {
		if (stop_is_requested())
			return -1;
		stack_history_enter(&w->active, &t->nodes[i]);
		number = fingerprint_table_number(&w->histories,
						  w->active.frames[w->active.top].print);
		if (number == FINGERPRINT_TABLE_NONE ||
		    (number == w->result->n && new_context(w, i)))
			return -1;
		credit(w, number, i);
	}
	return 0;
}

static int compare(uint64_t samples, uint64_t other_samples, uint64_t rest, uint64_t other_rest)
{
	if (samples != other_samples)
		return samples < other_samples ? 1 : -1;
	return (rest > other_rest) - (rest < other_rest);
}

static int compare_contexts(const void *a, const void *b)
{
	const struct context *x = a, *y = b;

	return compare(x->samples, y->samples, (uint64_t)x->length << 32 | x->node,
		       (uint64_t)y->length << 32 | y->node);
}

static int compare_cycles(const void *a, const void *b)
{
	const struct context_cycle *x = a, *y = b;

	return compare(x->samples, y->samples, (uint64_t)x->length << 32 | x->node,
		       (uint64_t)y->length << 32 | y->node);
}

/* Sort contexts and cycles as the views list them. */
static void finish(struct walk *w)
{
	struct contexts *c = w->result;
	size_t i;

	for (i = 0; i < c->n; i++)
		c->n_with_samples += c->contexts[i].samples > 0;
	if (c->n > 0)
		qsort(c->contexts, c->n, sizeof(*c->contexts), compare_contexts);
	if (c->n_cycles > 0)
		qsort(c->cycles, c->n_cycles, sizeof(*c->cycles), compare_cycles);
}

struct contexts *contexts_build(const struct tree *t, bool with_cycles, struct error *err)
{
	struct walk w = {.with_cycles = with_cycles};
	int status;

	w.result = calloc(1, sizeof(*w.result));
	if (!w.result) {
		error_memory(err);
		return NULL;
	}
	w.result->tree = t;
	status = stack_history_open(&w.active, t, err);
	if (!status && walk_tree(&w))
		status = stop_check(err) ? -1 : error_memory(err);
	if (!status)
		finish(&w);
	stack_history_close(&w.active);
	free(w.cycle_of);
	fingerprint_table_clear(&w.histories);
	fingerprint_table_clear(&w.paths);
	if (!status)
		return w.result;
	contexts_free(w.result);
	return NULL;
}

void contexts_free(struct contexts *c)
{
	if (!c)
		return;
	free(c->contexts);
	free(c->cycles);
	free(c);
}

/* ---- counted contexts ------------------------------------------------------------------------ */

struct matching {
	struct counted_contexts *to;
	const struct contexts *sampled;
	struct stack_history whole, own;	     /* of a stack, and of its counted functions */
	struct fingerprint_table histories, counted; /* fingerprint -> number */
	size_t *sampled_of, *counted_of; /* by these numbers: the context; NONE: there is none */
	size_t *by_node;		 /* by first node: the context */
	bool *is_counted;		 /* by name */
	bool *is_mixed; /* by context of samples: its stacks have several counted contexts */
};

#define NONE COUNTED_CONTEXTS_NONE

static size_t *make_list(size_t n)
{
	size_t *list = malloc((n + 1) * sizeof(*list));

	for (size_t i = 0; list && i <= n; i++)
		list[i] = NONE;
	return list;
}

/* By the first node of a context its number. */
static size_t *first_nodes(const struct contexts *c)
{
	size_t *list = make_list(c->tree->n_nodes);

	for (size_t i = 0; list && i < c->n; i++)
		list[c->contexts[i].node] = i;
	return list;
}

/* Number the histories of counted contexts. */
static int number_counted(struct matching *m)
{
	const struct contexts *c = m->to->counted;
	size_t *by_node = first_nodes(c);

	m->counted_of = make_list(c->n);
	for (uint32_t i = 1; by_node && m->counted_of && i < c->tree->n_nodes; i++) {
		uint32_t number;

		m->is_counted[c->tree->nodes[i].name] = true;
		stack_history_enter(&m->own, &c->tree->nodes[i]);
		if (by_node[i] == NONE)
			continue;
		number = fingerprint_table_number(&m->counted, m->own.frames[m->own.top].print);
		if (number == FINGERPRINT_TABLE_NONE) {
			free(by_node);
			return -1;
		}
		m->counted_of[number] = by_node[i];
	}
	free(by_node);
	return by_node && m->counted_of ? 0 : -1;
}

/* The counted context of the stack of the node, which both histories have entered, as far as its functions are counted. */
static int match_node(struct matching *m, const struct tree_node *n, uint32_t node)
{
	uint32_t number =
		fingerprint_table_number(&m->histories, m->whole.frames[m->whole.top].print);
	size_t *of, context, found = NONE;

	if (number == FINGERPRINT_TABLE_NONE)
		return -1;
	if (m->by_node[node] != NONE)
		m->sampled_of[number] = m->by_node[node];
	context = m->sampled_of[number];
	if (m->is_counted[n->name]) {
		number = fingerprint_table_number(&m->counted, m->own.frames[m->own.top].print);
		if (number == FINGERPRINT_TABLE_NONE)
			return -1;
		found = number < m->to->counted->n ? m->counted_of[number] : NONE;
	}
	of = &m->to->of[context];
	m->is_mixed[context] |= m->by_node[node] == NONE && *of != found;
	*of = found;
	return 0;
}

static int match_nodes(struct matching *m)
{
	const struct tree *t = m->sampled->tree;

	m->by_node = first_nodes(m->sampled);
	m->sampled_of = make_list(m->sampled->n);
	m->is_mixed = calloc(m->sampled->n + 1, sizeof(*m->is_mixed));
	if (!m->by_node || !m->sampled_of || !m->is_mixed)
		return -1;
	for (uint32_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		stack_history_enter(&m->whole, n);
		if (m->is_counted[n->name])
			stack_history_enter(&m->own, n);
		else
			stack_history_leave(&m->own, n->depth);
		if (match_node(m, n, i))
			return -1;
	}
	return 0;
}

/* Of pairs remain those in which either is in no other. */
static void keep_pairs(struct matching *m)
{
	struct counted_contexts *to = m->to;
	const size_t n = m->sampled->n;

	for (size_t i = 0; i < n; i++)
		if (m->is_mixed[i])
			to->of[i] = NONE;
	for (size_t i = 0; i < n; i++)
		if (to->of[i] != NONE)
			m->counted_of[to->of[i]] = 0;
	for (size_t i = 0; i < n; i++)
		if (to->of[i] != NONE)
			m->counted_of[to->of[i]]++;
	for (size_t i = 0; i < n; i++) {
		if (to->of[i] != NONE && m->counted_of[to->of[i]] > 1)
			to->of[i] = NONE;
		if (to->of[i] != NONE)
			to->is_there[to->of[i]] = true;
	}
}

static int match(struct matching *m, struct error *err)
{
	struct counted_contexts *to = m->to;
	int status;

	to->of = make_list(m->sampled->n);
	to->is_there = calloc(to->counted->n + 1, sizeof(*to->is_there));
	m->is_counted =
		calloc(strings_count(m->sampled->tree->strings) + 1, sizeof(*m->is_counted));
	if (!to->of || !to->is_there || !m->is_counted)
		return error_memory(err);
	status = stack_history_open(&m->own, to->counted->tree, err);
	if (!status)
		status = number_counted(m) ? error_memory(err) : 0;
	if (!status) {
		struct fingerprint_secret secret = m->own.secret;

		stack_history_close(&m->own);
		status = stack_history_open(&m->own, m->sampled->tree, err);
		m->own.secret = secret;
	}
	if (!status)
		status = stack_history_open(&m->whole, m->sampled->tree, err);
	if (!status)
		status = match_nodes(m) ? error_memory(err) : 0;
	if (!status)
		keep_pairs(m);
	return status;
}

int counted_contexts_build(struct counted_contexts *c, const struct contexts *sampled,
			   const struct tree *calls, struct error *err)
{
	struct matching m = {.to = c, .sampled = sampled};
	int status;

	*c = (struct counted_contexts){.counted = contexts_build(calls, false, err)};
	status = c->counted ? match(&m, err) : -1;
	stack_history_close(&m.own);
	stack_history_close(&m.whole);
	fingerprint_table_clear(&m.histories);
	fingerprint_table_clear(&m.counted);
	free(m.sampled_of);
	free(m.counted_of);
	free(m.by_node);
	free(m.is_counted);
	free(m.is_mixed);
	return status;
}

void counted_contexts_free(struct counted_contexts *c)
{
	contexts_free(c->counted);
	free(c->of);
	free(c->is_there);
	*c = (struct counted_contexts){0};
}

/* ---- counted cycles -------------------------------------------------------------------------- */

/* Paths as strings of the names' numbers, so that equal ones have one number. */
struct cycle_paths {
	struct strings *paths;
	const bool *is_counted; /* by name */
	uint32_t *names;
	size_t room;
};

/* The number of the path without what is not counted; STRINGS_NONE if then it closes no cycle. *is_out: memory is. */
static uint32_t path_number(struct cycle_paths *x, const struct history *h, bool *is_out)
{
	uint32_t n = 0, number;

	*is_out = !array_reserve(&x->names, &x->room, h->length, sizeof(*x->names));
	if (*is_out || !x->is_counted[h->entries[h->length - 1].name])
		return STRINGS_NONE;
	for (uint32_t i = 0; i < h->length; i++)
		if (x->is_counted[h->entries[i].name])
			x->names[n++] = h->entries[i].name;
	if (n < 3)
		return STRINGS_NONE;
	number = strings_add(x->paths, (const char *)x->names, n * sizeof(*x->names));
	*is_out = number == STRINGS_NONE;
	return number;
}

/* The numbers of the paths of all cycles, each plus 1; 0: it has none. The caller frees them. NULL: memory. */
static uint32_t *number_paths(struct cycle_paths *x, const struct contexts *c, struct error *err)
{
	struct history_item *items = calloc(c->n_cycles + 1, sizeof(*items));
	uint32_t *numbers = calloc(c->n_cycles + 1, sizeof(*numbers));
	struct history_reader reader = {0};
	struct history h;
	bool is_out = !items || !numbers;

	for (size_t i = 0; !is_out && i < c->n_cycles; i++)
		items[i] = (struct history_item){c->cycles[i].node, c->cycles[i].length};
	is_out = is_out || history_open(&reader, c->tree, items, c->n_cycles, err);
	for (size_t i = 0; !is_out && i < c->n_cycles; i++) {
		is_out = history_next(&reader, &h, err) <= 0;
		if (!is_out)
			numbers[i] = path_number(x, &h, &is_out) + 1;
	}
	history_close(&reader);
	free(items);
	if (!is_out)
		return numbers;
	free(numbers);
	error_memory(err);
	return NULL;
}

/* Number 0 of `of_path` is that of what has no path. */
static void pair_cycles(struct counted_cycles *c, const uint32_t *sampled, size_t n,
			const uint32_t *counted, size_t *of_path, uint32_t *uses)
{
	for (size_t i = 0; i < n; i++)
		uses[sampled[i]]++;
	for (size_t i = 0; i < c->counted->n_cycles; i++)
		of_path[counted[i]] = i;
	of_path[0] = NONE;
	for (size_t i = 0; i < n; i++) {
		c->of[i] = uses[sampled[i]] == 1 ? of_path[sampled[i]] : NONE;
		if (c->of[i] != NONE)
			c->is_there[c->of[i]] = true;
	}
}

static int find_pairs(struct counted_cycles *c, struct cycle_paths *x,
		      const struct contexts *sampled, struct error *err)
{
	uint32_t *counted = number_paths(x, c->counted, err);
	uint32_t *own = counted ? number_paths(x, sampled, err) : NULL;
	size_t *of_path = own ? make_list(strings_count(x->paths) + 1) : NULL;
	uint32_t *uses = own ? calloc(strings_count(x->paths) + 1, sizeof(*uses)) : NULL;
	int status = own ? 0 : -1;

	if (of_path && uses)
		pair_cycles(c, own, sampled->n_cycles, counted, of_path, uses);
	else if (!status)
		status = error_memory(err);
	free(counted);
	free(own);
	free(of_path);
	free(uses);
	return status;
}

int counted_cycles_build(struct counted_cycles *c, const struct contexts *sampled,
			 const struct tree *calls, struct error *err)
{
	bool *is_counted = calloc(strings_count(calls->strings) + 1, sizeof(*is_counted));
	struct cycle_paths x = {.paths = strings_new(), .is_counted = is_counted};
	int status;

	*c = (struct counted_cycles){.counted = contexts_build(calls, true, err),
				     .of = make_list(sampled->n_cycles)};
	status = c->counted ? 0 : -1;
	if (c->counted)
		c->is_there = calloc(c->counted->n_cycles + 1, sizeof(*c->is_there));
	if (!status && (!c->is_there || !c->of || !is_counted || !x.paths))
		status = error_memory(err);
	for (size_t i = 1; !status && i < calls->n_nodes; i++)
		is_counted[calls->nodes[i].name] = true;
	if (!status)
		status = find_pairs(c, &x, sampled, err);
	strings_free(x.paths);
	free(x.names);
	free(is_counted);
	return status;
}

void counted_cycles_free(struct counted_cycles *c)
{
	contexts_free(c->counted);
	free(c->of);
	free(c->is_there);
	*c = (struct counted_cycles){0};
}
