/* SPDX-License-Identifier: MIT */
/*
 * summary_paths.c - the heaviest paths of a tree, and a path in a few lines.
 *
 * In: struct tree. Out: nodes, text.
 */
#include <stdio.h>
#include <string.h>

#include "view/summary.h"
#include "write/weight.h"

#define ARROW	  " -> "
#define MORE	  "... %u more"
#define WIDTH	  80
#define NAME_MOST 36 /* columns of a name in a path, in lines of WIDTH; in others in proportion */
#define LINES	  2  /* that words may fill which need not be there */
#define INDENT	  2
#define TAIL_MOST 64u		      /* names of two columns each fill no more */
#define MARKS	  (2 * SUMMARY_PATHS) /* for each other path two, and one */
#define WORDS	  (TAIL_MOST + MARKS + 1)

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

/* ---- which functions tell a path ------------------------------------------------------------- */

/* Nodes whose names are always shown. */
struct marks {
	uint32_t nodes[MARKS];
	size_t n;
};

/* Mark the innermost function of the program or of its script between the nodes. A library's functions are none. */
static void mark_own(struct marks *m, const struct tree *t, uint32_t node, uint32_t above)
{
	enum tree_origin best = TREE_OF_SYSTEM;
	uint32_t own = 0;

	for (; node != above && node != 0; node = t->nodes[node].parent) {
		uint32_t name = t->nodes[node].name;

		if (tree_origin(t, name) > best && tree_is_function(t, name)) {
			best = tree_origin(t, name);
			own = node;
		}
	}
	if (own)
		m->nodes[m->n++] = own;
}

static bool is_below(const struct tree *t, uint32_t node, uint32_t above)
{
	return node >= above && node < t->nodes[above].end;
}

/* Mark where the path to the node parts from the one to the other: the first function that this one has for itself, and if it is
 * one more call of the same function, also the one that this calls in the end. */
static void mark_parting(struct marks *m, const struct tree *t, uint32_t node, uint32_t other)
{
	uint32_t i, parting = 0, next = 0;

	for (i = node; !is_below(t, other, i); i = t->nodes[i].parent)
		parting = i;
	if (!parting)
		return;
	m->nodes[m->n++] = parting;
	if (t->nodes[parting].name != t->nodes[i].name)
		return;
	for (i = node; i != parting; i = t->nodes[i].parent)
		if (t->nodes[i].name != t->nodes[parting].name)
			next = i;
	if (next)
		m->nodes[m->n++] = next;
}

static bool is_marked(const struct marks *m, uint32_t node)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->nodes[i] == node)
			return true;
	return false;
}

/* ---- a path in a few lines ------------------------------------------------------------------- */

/* One or several calls of a function in a row. */
struct word {
	uint32_t name, calls;
	uint32_t index; /* 0: the innermost one */
	bool is_shown;
};

/* The innermost words of a path, those that are always shown, and the outermost one. */
struct words {
	struct word list[WORDS]; /* from the innermost outwards */
	size_t n;
	uint32_t all; /* words that the path has */
};

/* The columns of a name in lines of so many. */
static int name_most(int width)
{
	return width * NAME_MOST / WIDTH;
}

static int columns_of_word(const struct tree *t, const struct word *w, int width)
{
	size_t i, n;
	const char *name = strings_shown(t->strings, w->name, &n);
	int columns = w->calls > 1 ? 4 + (w->calls > 9) + (w->calls > 99) + (w->calls > 999) : 0;
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

static void put_word(struct layout *l, const struct tree *t, const struct word *w,
		     const char *before)
{
	size_t n;
	const char *name = strings_shown(t->strings, w->name, &n);

	begin_piece(l, (int)strlen(before) + columns_of_word(t, w, l->width));
	if (!l->o)
		return;
	out_text(l->o, before);
	out_name_cut(l->o, name, n, name_most(l->width));
	if (w->calls > 1)
		out_format(l->o, " (x%u)", w->calls);
}

static void put_left_out(struct layout *l, uint32_t n, const char *before)
{
	char more[64];

	snprintf(more, sizeof(more), "%s" MORE, before, n);
	begin_piece(l, (int)strlen(more));
	if (l->o)
		out_text(l->o, more);
}

/* Lay out the words that are shown; *l has the column and the width. */
static void put_all(struct layout *l, const struct tree *t, const struct words *w)
{
	uint32_t next = w->all; /* the number of words that are left */

	l->at = l->column;
	l->lines = 1;
	for (size_t i = w->n; i-- > 0;) {
		const struct word *word = &w->list[i];

		if (!word->is_shown)
			continue;
		if (next > word->index + 1)
			put_left_out(l, next - word->index - 1, next < w->all ? ARROW : "");
		put_word(l, t, word, word->index + 1 < w->all ? ARROW : "");
		next = word->index;
	}
}

static int count_lines(const struct words *w, const struct tree *t, struct layout l)
{
	l.o = NULL;
	put_all(&l, t, w);
	return l.lines;
}

/* The last word is the outermost one. */
static void add_word(struct words *w, const struct word *word, bool is_last)
{
	if (w->n < WORDS && (word->index < TAIL_MOST || word->is_shown || is_last))
		w->list[w->n++] = *word;
}

/* List the words from the node outwards. */
static void list_words(struct words *w, const struct tree *t, uint32_t node, uint32_t above,
		       const struct marks *m)
{
	struct word now = {.is_shown = true};

	*w = (struct words){.n = 0};
	for (; node != above && node != 0; node = t->nodes[node].parent) {
		if (now.calls && now.name != t->nodes[node].name) {
			add_word(w, &now, false);
			now = (struct word){.index = now.index + 1};
		}
		now.name = t->nodes[node].name;
		now.calls++;
		now.is_shown |= is_marked(m, node);
	}
	if (now.calls)
		add_word(w, &now, true);
	w->all = now.index + 1;
}

/* Show a word that need not be there, if all still have so many lines. */
static bool show_if_fits(struct words *w, size_t i, const struct tree *t, const struct layout *l,
			 int lines)
{
	bool was_shown = w->list[i].is_shown;

	w->list[i].is_shown = true;
	if (count_lines(w, t, *l) > lines)
		w->list[i].is_shown = was_shown;
	return w->list[i].is_shown;
}

void summary_path_write(struct out *o, const struct tree *t, const struct summary_paths *p,
			size_t path, int column)
{
	struct layout l = {.o = o, .width = out_width(o), .column = column};
	uint32_t node = path < p->n ? p->nodes[path] : p->common;
	uint32_t above = path < p->n ? p->common : 0;
	struct marks m = {.n = 0};
	struct words w;
	int lines;

	mark_own(&m, t, node, above);
	for (size_t i = 0; path < p->n && i < p->n; i++)
		if (i != path)
			mark_parting(&m, t, node, p->nodes[i]);
	list_words(&w, t, node, above, &m);
	if (!w.n)
		return;
	lines = count_lines(&w, t, l);
	lines = lines > LINES ? lines : LINES;
	show_if_fits(&w, w.n - 1, t, &l, lines);
	for (size_t i = 0; i < w.n && show_if_fits(&w, i, t, &l, lines);)
		i++;
	put_all(&l, t, &w);
}
