/* SPDX-License-Identifier: MIT */
/*
 * summary_paths.c - the heaviest paths of a tree, and a path in two lines.
 *
 * In: struct tree. Out: nodes, text.
 */
#include <stdio.h>
#include <string.h>

#include "view/summary.h"
#include "write/weight.h"

#define ARROW	   " -> "
#define ARROW_MORE " -> ... %u more"
#define WIDTH	   80
#define NAME_MOST  36 /* columns of a name in a path, in lines of WIDTH; in others in proportion */
#define LINES	   2
#define INDENT	   2
#define TAIL_MOST  64u /* names of two columns each fill no more */

/* ---- which paths ----------------------------------------------------------------------------- */

/* Siblings are sorted by their totals, so that the first callee is the heaviest. */
static bool has_heavy_callee(const struct tree *t, size_t i, double percent)
{
	return i + 1 < t->nodes[i].end && !weight_below(t->nodes[i + 1].total, t->total, percent);
}

/* What stands at the end of a path: the node with all below it, or if a callee goes on, what the function itself
 * used. 0: too little. */
static uint64_t weight_of_end(const struct tree *t, size_t i, double percent)
{
	uint64_t weight = has_heavy_callee(t, i, percent) ? t->nodes[i].self : t->nodes[i].total;

	return weight_below(weight, t->total, percent) ? 0 : weight;
}

static void insert(struct summary_paths *p, uint32_t node, uint64_t weight)
{
	size_t i = p->n < SUMMARY_PATHS ? p->n++ : SUMMARY_PATHS;

	for (; i > 0 && p->weights[i - 1] < weight; i--) {
		if (i == SUMMARY_PATHS)
			continue;
		p->nodes[i] = p->nodes[i - 1];
		p->weights[i] = p->weights[i - 1];
	}
	if (i == SUMMARY_PATHS)
		return;
	p->nodes[i] = node;
	p->weights[i] = weight;
}

static void find(struct summary_paths *p, const struct tree *t, double percent)
{
	uint64_t weight;

	*p = (struct summary_paths){0};
	for (size_t i = 1; i < t->n_nodes; i++) {
		weight = weight_of_end(t, i, percent);
		if (weight)
			insert(p, (uint32_t)i, weight);
	}
	for (size_t i = 0; i < p->n; i++)
		p->total += p->weights[i];
}

/* The share that makes those that can be listed the largest part of all. One path says nothing if there are
 * others. */
void summary_paths_find(struct summary_paths *p, const struct tree *t)
{
	static const double percents[] = {10, 5, 2, 1, 0.5};
	struct summary_paths now;
	uint32_t common;
	size_t i;

	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		find(&now, t, percents[i]);
		if (i == 0 || p->n < 2 || (now.n > 1 && now.total > p->total))
			*p = now;
	}
	common = p->n > 1 ? t->nodes[p->nodes[0]].parent : 0;
	for (i = 0; i < p->n; i++)
		while (p->nodes[i] >= t->nodes[common].end || p->nodes[i] <= common)
			common = t->nodes[common].parent;
	p->common = common;
}

/* ---- a path in two lines --------------------------------------------------------------------- */

/* One or several calls of a function in a row. */
struct word {
	uint32_t name, calls;
};

/* The columns of a name in lines of so many. */
static int name_most(int width)
{
	return width * NAME_MOST / WIDTH;
}

static int columns_of_word(const struct tree *t, struct word w, int width)
{
	size_t i, n;
	const char *name = strings_shown(t->strings, w.name, &n);
	int columns = w.calls > 1 ? 4 + (w.calls > 9) + (w.calls > 99) + (w.calls > 999) : 0;
	int of_name = 0, most = name_most(width);

	for (i = 0; i < n && of_name < most; i++)
		of_name += out_columns(name + i, n - i);
	return columns + (of_name < most ? of_name : most);
}

/* A line that is being laid out. Without an output it is only measured. */
struct layout {
	struct out *o;
	int width, column, at, lines;
};

static void begin_piece(struct layout *l, int columns)
{
	if (l->at + columns > l->width && l->at > l->column + INDENT) {
		l->at = l->column + INDENT;
		l->lines++;
		if (l->o)
			out_format(l->o, "\n%*s", l->at, "");
	}
	l->at += columns;
}

static void put_word(struct layout *l, const struct tree *t, struct word w, const char *before)
{
	size_t n;
	const char *name = strings_shown(t->strings, w.name, &n);

	begin_piece(l, (int)strlen(before) + columns_of_word(t, w, l->width));
	if (!l->o)
		return;
	out_text(l->o, before);
	out_name_cut(l->o, name, n, name_most(l->width));
	if (w.calls > 1)
		out_format(l->o, " (x%u)", w.calls);
}

static void put_all(struct layout *l, const struct tree *t, struct word first, uint32_t left_out,
		    const struct word *tail, size_t n)
{
	char more[64];

	put_word(l, t, first, "");
	if (left_out) {
		snprintf(more, sizeof(more), ARROW_MORE, left_out);
		begin_piece(l, (int)strlen(more));
		if (l->o)
			out_text(l->o, more);
	}
	while (n-- > 0)
		put_word(l, t, tail[n], ARROW);
}

/* The words from the node outwards: tail[0] is the innermost. Returns how many there are; *first is the
 * outermost one, *all the number of words. */
static size_t list_words(const struct tree *t, uint32_t node, uint32_t above,
			 struct word tail[TAIL_MOST], struct word *first, uint32_t *all)
{
	struct word w = {STRINGS_NONE, 0};
	size_t n = 0;

	*all = 0;
	for (; node != above && node != 0; node = t->nodes[node].parent) {
		if (w.calls && w.name == t->nodes[node].name) {
			w.calls++;
			if (*all <= TAIL_MOST)
				tail[n - 1].calls = w.calls;
			continue;
		}
		w = (struct word){t->nodes[node].name, 1};
		if (n < TAIL_MOST)
			tail[n++] = w;
		(*all)++;
	}
	*first = w;
	return n;
}

void summary_path_write(struct out *o, const struct tree *t, uint32_t node, uint32_t above,
			int column)
{
	struct word tail[TAIL_MOST], first;
	uint32_t all;
	size_t n = list_words(t, node, above, tail, &first, &all), shown;
	struct layout l = {.o = o, .width = out_width(o), .column = column, .at = column};

	if (!n)
		return;
	for (shown = n - 1;; shown--) {
		struct layout measured = {
			.width = l.width, .column = column, .at = column, .lines = 1};

		put_all(&measured, t, first, all - 1 - (uint32_t)shown, tail, shown);
		if (measured.lines <= LINES || shown == 0)
			break;
	}
	put_all(&l, t, first, all - 1 - (uint32_t)shown, tail, shown);
}
