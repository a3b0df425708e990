/* SPDX-License-Identifier: MIT */
/*
 * view_callpath.c - the downward call path profile (Hall & Goldberg, section 4).
 *
 * Show room. In: struct tree and a root function. Out: call paths by usage, as the paper prints
 * them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "callpath.h"
#include "caption.h"
#include "rows.h"
#include "suggest.h"
#include "view.h"

#define TEXT_THRESHOLD 1.0

struct listing {
	const struct callpaths *paths;
	uint32_t *names;   /* of one path */
	struct rows *rows; /* NULL: lines for people */
	struct out *out;
};

static int listing_begin(struct listing *l, const struct callpaths *c, struct out *o)
{
	uint32_t longest_path = 0;
	size_t i;

	for (i = 1; i < c->n_paths; i++)
		if (c->paths[i].length > longest_path)
			longest_path = c->paths[i].length;
	l->paths = c;
	l->out = o;
	l->names = malloc((longest_path + 1) * sizeof(*l->names));
	return l->names ? 0 : -1;
}

/* The paper's paths are lists of words: a name that is none stands in quotes. */
static void write_word(struct out *o, const char *name, size_t n)
{
	size_t i;

	if (n > 0 && strcspn(name, " ()\"") >= n) {
		out_name(o, name, n);
		return;
	}
	out_text(o, "\"");
	for (i = 0; i < n; i++) {
		if (name[i] == '"' || name[i] == '\\')
			out_text(o, "\\");
		out_name(o, &name[i], 1);
	}
	out_text(o, "\"");
}

static void write_line(const struct listing *l, uint32_t number)
{
	const struct callpath *path = &l->paths->paths[number];
	const struct tree *t = l->paths->tree;
	uint32_t i;

	out_format(l->out, "%.5f (", amount_fraction(path->weight, t->total));
	callpath_names(l->paths, number, l->names);
	for (i = 0; i < path->length; i++) {
		size_t n;
		const char *name = strings_get(t->strings, l->names[i], &n);

		out_text(l->out, i ? " " : "");
		write_word(l->out, name, n);
	}
	out_format(l->out, ") [%" PRIu64 "]\n", path->hits);
}

static void write_row(const struct listing *l, uint32_t number)
{
	static const char *const columns[] = {"samples", "fraction", "path", NULL};
	const struct callpath *path = &l->paths->paths[number];
	const struct tree *t = l->paths->tree;
	uint32_t i;

	rows_row(l->rows, columns);
	rows_count(l->rows, path->weight);
	rows_fraction(l->rows, amount_fraction(path->weight, t->total));
	callpath_names(l->paths, number, l->names);
	rows_path_begin(l->rows);
	for (i = 0; i < path->length; i++)
		rows_path_name(l->rows, t->strings, l->names[i]);
	rows_path_end(l->rows);
}

/* Weights descend, so the first row below the threshold ends the profile. Returns how many are
 * shown. */
static size_t write_paths(const struct listing *l, const struct view_options *options)
{
	const struct callpaths *c = l->paths;
	double threshold = view_threshold(options, TEXT_THRESHOLD);
	size_t i, shown = 0;

	for (i = 0; i + 1 < c->n_paths; i++) {
		const struct callpath *path = &c->paths[c->order[i]];

		if (amount_below(path->weight, c->tree->total, threshold))
			break;
		if (options->depth && path->length > options->depth)
			continue;
		if (l->rows)
			write_row(l, c->order[i]);
		else
			write_line(l, c->order[i]);
		shown++;
	}
	return shown;
}

static void write_profile(const struct view_input *in, struct listing *l)
{
	size_t hidden;
	struct rows r;

	if (view_is_rows(in->options)) {
		rows_begin(&r, l->out, "callpath", in);
		l->rows = &r;
		write_paths(l, in->options);
		rows_end(&r);
		return;
	}
	caption_write(l->out, "Downward Call Path Profile", in);
	out_text(l->out, "format: usage_fraction (call_path) [#raw_samples]\n");
	caption_rule(l->out);
	hidden = l->paths->n_paths - 1 - write_paths(l, in->options);
	caption_rule(l->out);
	if (hidden)
		out_format(l->out, "not shown: %zu call path%s below %g %%%s\n", hidden,
			   hidden == 1 ? "" : "s", view_threshold(in->options, TEXT_THRESHOLD),
			   in->options->depth ? " or with more names" : "");
}

/* Without --root it is main; where there is none, the heaviest outermost function. */
static uint32_t default_root(const struct tree *t)
{
	uint32_t name = strings_find(t->strings, "main", 4);
	uint32_t i;

	for (i = 1; i < t->n_nodes; i++)
		if (t->nodes[i].name == name)
			return name;
	return t->n_nodes > 1 ? t->nodes[1].name : STRINGS_NONE;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct tree *t = in->tree;
	const char *name = in->options->root;
	uint32_t root = name ? strings_find(t->strings, name, strlen(name)) : default_root(t);
	struct callpaths *c = callpath_down(t, root, err);
	struct listing l = {0};
	int status = 0;

	if (!c)
		return -1;
	if (c->n_paths == 1 && t->n_nodes > 1)
		status = suggest_functions(t, name, err);
	else if (listing_begin(&l, c, o))
		status = error_memory(err);
	else
		write_profile(in, &l);
	free(l.names);
	callpath_free(c);
	return status;
}

const struct view view_callpath = {
	.name = "callpath",
	.help = "call paths from a root function, by usage (--root)",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.emit = emit,
};
