/* SPDX-License-Identifier: MIT */
/*
 * table_text.c - writes a table for people.
 *
 * In: rows. Out: text.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/caption.h"
#include "write/history_text.h"
#include "write/looks.h"
#include "write/name_list.h"
#include "write/name_text.h"
#include "write/path_text.h"
#include "write/row_numbers.h"
#include "write/table.h"

#define SHARE_WIDTH  8
#define MODULE_WIDTH 16 /* of its column, and of terminals that have room for it */
#define MODULE_ROOM  100
#define INDENT_MAX   20 /* levels, on a terminal as many as leave room for names */
#define NAME_LEAST   18 /* columns, with the level before the name */
#define WIDE	     100 /* columns of a terminal that has room for "(inlined)" behind names in a tree */
#define ARROW	     " -> "
#define ANY_ROOM     INT_MAX
#define SECOND	     6	/* the column of a callee where its own has no room */
#define LABEL_ROOM   24 /* columns of names, below which columns of figures are left out */
#define CALL_ROOM    40 /* the same of two names */

/* ---- columns --------------------------------------------------------------------------------- */

/* The width of a column of one profile; 0: it is left out. */
static int width_of(const struct table *t, const struct table_column *c)
{
	const struct table_about *about = t->about;

	if (t->left_out >> (c - about->columns) & 1)
		return 0;
	switch (c->kind) {
	case TABLE_SHARE:
		return c->width ? c->width : SHARE_WIDTH;
	case TABLE_WEIGHT:
		return about->scales[c->scale].width;
	case TABLE_SAMPLES:
		if (about->samples_width)
			return about->samples_width > 0 ? about->samples_width : 0;
		return weight_count_width(t->in->tree ? t->in->tree->hits : t->in->profile->hits);
	default:
		return c->width;
	}
}

static bool is_text(const struct table_column *c)
{
	return c->heading && c->kind != TABLE_WORD;
}

/* A wide terminal has room for the modules of functions. */
static bool has_modules(const struct table *t)
{
	return t->about->has_looks && t->about->label == TABLE_NAME &&
	       out_width(t->out) >= MODULE_ROOM && t->in->tree && t->in->profile->n_modules &&
	       !t->about->format;
}

/* What stands for a sample where times were measured is a context. */
static const char *heading_of(const struct table *t, const struct table_column *c)
{
	return c->kind == TABLE_SAMPLES && profile_is_measured(t->in->profile) ? "contexts"
									       : c->heading;
}

/* What is in other columns, too, goes first. */
static int order_of(enum table_kind kind)
{
	switch (kind) {
	case TABLE_SAMPLES:
		return 3;
	case TABLE_COUNT:
	case TABLE_CALLS:
		return 2;
	case TABLE_WEIGHT:
		return 1;
	default:
		return 0;
	}
}

static void list_columns(const struct table *t, struct looks_columns *list)
{
	*list = (struct looks_columns){0};
	for (const struct table_column *c = t->about->columns;
	     c->kind && list->n < LOOKS_COLUMNS_MOST; c++)
		list->list[list->n++] = (struct looks_column){
			heading_of(t, c),
			is_text(c) && c->kind != TABLE_LABEL ? width_of(t, c) : 0,
			order_of(c->kind),
		};
}

static void leave_out(struct table *t)
{
	struct looks_columns list;
	int room = t->about->label == TABLE_CALL ? CALL_ROOM : LABEL_ROOM;

	if (t->about->format)
		return;
	if (t->about->has_numbers)
		room += row_numbers_width(t->in);
	list_columns(t, &list);
	looks_fit(&list, t->out, room);
	t->left_out = list.left_out;
}

static void say_left_out(struct table *t)
{
	struct looks_columns list;

	list_columns(t, &list);
	list.left_out = t->left_out;
	looks_say_left_out(t->out, &list);
}

static void write_own_heading(const struct table *t)
{
	bool is_first = true;

	if (!t->about->format)
		out_text(t->out, "\n");
	if (t->about->has_numbers)
		row_numbers_heading(t->out, t->in, t->n_shown);
	if (t->about->format) {
		out_text(t->out, t->about->format);
		return;
	}
	for (const struct table_column *c = t->about->columns; c->kind; c++) {
		if (!is_text(c) || (c->kind != TABLE_LABEL && !width_of(t, c)))
			continue;
		if (c->kind == TABLE_LABEL && has_modules(t))
			out_format(t->out, "  %-*s%s", MODULE_WIDTH + 2, "module", c->heading);
		else if (c->kind == TABLE_LABEL)
			out_format(t->out, "  %s", c->heading);
		else
			out_format(t->out, "%s%*s", is_first ? "" : " ", width_of(t, c),
				   heading_of(t, c));
		is_first = false;
	}
	out_text(t->out, "\n");
}

/* "cpu %", with a column that is wide enough for it. */
static int write_resources(struct table *t)
{
	const struct profile *p = t->in->profile;

	t->widths = calloc(t->n_columns, sizeof(*t->widths));
	if (!t->widths)
		return -1;
	out_text(t->out, "\n");
	for (size_t k = 0; k < t->n_columns; k++) {
		size_t n;
		const char *name = strings_get(p->strings, p->columns[k].resource, &n);

		t->widths[k] = n + 2 > SHARE_WIDTH ? (int)n + 2 : SHARE_WIDTH;
		t->column += t->widths[k] + 1;
		out_format(t->out, "%*s", t->widths[k] - (int)n - 2, "");
		out_name(t->out, name, n);
		out_text(t->out, " % ");
	}
	t->column++;
	out_format(t->out, " %s\n", t->about->last);
	return 0;
}

int table_text_begin(struct table *t, struct error *err)
{
	const struct table_about *about = t->about;

	if (t->shape == TABLE_COMPARED) {
		t->column = t->compared.column;
		return compared_table_head(&t->compared, about->title, about->view, about->last,
					   err);
	}
	caption_write(t->out, about->title, t->in);
	caption_root(t->out, about->root ? about->root : t->in->root);
	if (t->shape == TABLE_ONE && about->above)
		about->above(t, about->context);
	if (about->of_parent)
		caption_parent(t->out, t->in->options, about->of_parent);
	if (t->shape == TABLE_ONE) {
		leave_out(t);
		write_own_heading(t);
	} else if (write_resources(t)) {
		return error_memory(err);
	}
	caption_rule(t->out);
	return 0;
}

int table_text_end(struct table *t, struct error *err)
{
	footer_write(t->out, &t->footer, t->in->options, t->threshold);
	if (t->shape == TABLE_ONE)
		say_left_out(t);
	if (t->shape == TABLE_ONE && t->about->below)
		return t->about->below(t, t->about->context, err);
	return 0;
}

void table_text_free(struct table *t)
{
	free(t->widths);
}

/* ---- what a row is about --------------------------------------------------------------------- */

/* On a terminal each of the two names has half of the line that is left from `column` on. */
static void write_halves(const struct table *t, const struct table_row *row, int column)
{
	int width = out_width(t->out);
	int room = width ? (width - column - (int)strlen(ARROW)) / 2 : ANY_ROOM;
	size_t n;
	const char *name = strings_shown(t->in->profile->strings, row->name, &n);

	out_name_cut(t->out, name, n, room);
	out_text(t->out, ARROW);
	name = strings_shown(t->in->profile->strings, row->callee, &n);
	out_name_cut(t->out, name, n, room);
}

/* On a terminal that is too narrow for both names the callee has a line of its own; if it is too narrow for one, that begins
 * farther left. */
static void write_call(const struct table *t, const struct table_row *row)
{
	size_t n, callee_n;
	const char *name = strings_shown(t->in->profile->strings, row->name, &n);
	const char *callee = strings_shown(t->in->profile->strings, row->callee, &callee_n);
	int width = out_width(t->out), column = t->column;
	int second = width && width - column < NAME_LEAST + (int)strlen(ARROW) ? SECOND : column;

	out_name_fit(t->out, name, n, column);
	column += out_name_columns(name, n);
	if (width && column + (int)strlen(ARROW) + out_name_columns(callee, callee_n) > width) {
		out_format(t->out, "\n%*s%s", second, "", &ARROW[1]);
		column = second - 1;
	} else {
		out_text(t->out, ARROW);
	}
	out_name_fit(t->out, callee, callee_n, column + (int)strlen(ARROW));
}

static void write_node(const struct table *t, const struct table_row *row)
{
	int width = out_width(t->out), most = INDENT_MAX, indent;
	int room = (width - t->column - NAME_LEAST) / 2;
	char level[32] = "";

	if (width && room < most)
		most = room > 0 ? room : 0;
	indent = 2 * (row->depth < (uint32_t)most ? (int)row->depth : most);
	out_format(t->out, "%*s", indent, "");
	if (row->depth > (uint32_t)most)
		indent += snprintf(level, sizeof(level), "(%" PRIu32 ") ", row->depth);
	out_text(t->out, level);
	name_text_last(t->out, t->in->profile->strings, row->name,
		       row->is_inline && (!width || width >= WIDE), t->column + indent);
}

static void write_cycle(const struct table *t, const struct table_row *row, int column)
{
	struct name_list words;

	name_list_begin(&words, t->out, t->in->profile->strings, column);
	for (uint32_t i = 0; i < row->length; i++)
		name_list_add(&words, row->path[i], "", "");
}

static void write_path(const struct table *t, const struct table_row *row)
{
	struct name_list words;

	name_list_begin_line(&words, t->out, t->in->profile->strings, t->column);
	for (uint32_t i = 0; i < row->length; i++)
		name_list_add(&words, row->path[i], i ? "" : "(", i + 1 < row->length ? "" : ")");
}

static void write_own_node(const struct table *t, const struct table_row *row, int column)
{
	const struct table_chain *chain = row->chain;
	const struct name_text_node node = {
		.depth = chain ? chain->indent : row->depth,
		.name = row->name,
		.is_inline = row->is_inline,
		.last = chain ? chain->last : row->name,
		.own = chain ? chain->own : row->name,
		.n = chain ? chain->n : 1,
		.is_only = chain && chain->is_only,
		.least = t->shape == TABLE_ONE ? 0 : NAME_LEAST,
		.in = t->about->has_looks && t->shape == TABLE_ONE ? t->in : NULL,
	};

	name_text_node(t->out, t->in->profile->strings, &node, column);
}

/* The label of a row beside several columns, or the figures of a comparison. */
static void write_label(const struct table *t, const struct table_row *row)
{
	const struct strings *strings = t->in->profile->strings;
	const char *before = row->before ? row->before : "";

	switch (t->about->label) {
	case TABLE_NAME:
		out_text(t->out, before);
		name_text_last(t->out, strings, row->name, row->is_inline,
			       t->column + (int)strlen(before));
		break;
	case TABLE_NODE:
		if (row->chain)
			write_own_node(t, row, t->column);
		else
			write_node(t, row);
		break;
	case TABLE_CALL:
		write_call(t, row);
		break;
	case TABLE_PATH:
		write_path(t, row);
		break;
	case TABLE_CYCLE:
		write_cycle(t, row, t->column);
		break;
	case TABLE_HISTORY:
		history_text_write(t->out, strings, row->history, t->column);
		break;
	}
}

static int write_module(const struct table *t, uint32_t name)
{
	const struct event_text module = looks_module(t->in, name);
	size_t n = module.length < MODULE_WIDTH ? module.length : MODULE_WIDTH;

	out_name(t->out, module.bytes, n);
	out_format(t->out, "%*s", MODULE_WIDTH + 2 - (int)n, "");
	return MODULE_WIDTH + 2;
}

static void write_own_name(const struct table *t, const struct table_row *row, int column)
{
	if (t->about->has_looks)
		looks_name(t->out, t->in, row->name);
	if (has_modules(t))
		column += write_module(t, row->name);
	name_text_last(t->out, t->in->profile->strings, row->name, row->is_inline,
		       column + (int)strlen(row->suffix));
	out_text(t->out, row->suffix);
	if (t->about->has_looks)
		looks_end(t->out);
}

/* The label of a row of one profile, which begins in `column`. */
static void write_own_label(const struct table *t, const struct table_row *row, int column)
{
	const struct strings *strings = t->in->profile->strings;
	char end[sizeof(row->suffix) + 1];

	switch (t->about->label) {
	case TABLE_NAME:
		write_own_name(t, row, column);
		break;
	case TABLE_NODE:
		write_own_node(t, row, column);
		break;
	case TABLE_CALL:
		write_halves(t, row, column);
		break;
	case TABLE_PATH:
		snprintf(end, sizeof(end), ")%s", row->suffix);
		path_text_write(t->out, strings,
				&(struct path_text){row->path, row->length, row->keep, row->is_up},
				end, column);
		break;
	case TABLE_CYCLE:
		write_cycle(t, row, column);
		break;
	case TABLE_HISTORY:
		history_text_write(t->out, strings, row->history, column);
		break;
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Only the first share of a row stands out. */
static void write_share(const struct table *t, const struct table_column *c,
			const struct table_row *row, bool stands_out)
{
	uint64_t whole = row->wholes ? row->wholes[0] : t->totals[0];
	double share = weight_fraction((uint64_t)row->values[c->value], whole);

	stands_out = stands_out && t->about->has_looks;
	if (stands_out)
		looks_share(t->out, share);
	if (c->kind == TABLE_FRACTION)
		out_format(t->out, "%.*f ", c->width, share);
	else if (c->is_marked)
		out_format(t->out, "%c%*.2f", row->mark, width_of(t, c) - 1, share * 100);
	else
		out_format(t->out, "%*.2f", width_of(t, c), share * 100);
	if (stands_out)
		looks_end(t->out);
}

static void write_value(const struct table *t, const struct table_column *c,
			const struct table_row *row, bool is_first)
{
	char text[WEIGHT_BYTES];

	if (c->kind == TABLE_SHARE || c->kind == TABLE_FRACTION)
		write_share(t, c, row, is_first);
	else if (c->kind == TABLE_WEIGHT)
		out_format(t->out, "%*s", width_of(t, c),
			   weight_text(text, t->about->scales[c->scale], row->values[c->value]));
	else if (c->kind == TABLE_CALLS && !row->has_calls)
		out_format(t->out, "%*s", width_of(t, c), "");
	else
		out_format(t->out, "%*" PRIu64, width_of(t, c), (uint64_t)row->values[c->value]);
}

static void write_own(const struct table *t, const struct table_row *row)
{
	int column = t->about->has_numbers ? row_numbers_row(t->out, t->in, row->name) : 0;
	bool is_first = true;

	for (const struct table_column *c = t->about->columns; c->kind; c++) {
		if (!is_text(c))
			continue;
		if (c->kind == TABLE_LABEL) {
			out_text(t->out, t->about->format ? "" : "  ");
			write_own_label(t, row, column + (t->about->format ? 0 : 2));
			continue;
		}
		if (!width_of(t, c))
			continue;
		if (!is_first)
			out_text(t->out, " ");
		write_value(t, c, row, is_first);
		column += c->kind == TABLE_FRACTION ? c->width + 3 : width_of(t, c) + !is_first;
		is_first = false;
	}
	out_text(t->out, "\n");
}

void table_text_row(struct table *t, const struct table_row *row,
		    const struct comparison_row *change)
{
	if (t->shape == TABLE_ONE) {
		write_own(t, row);
		return;
	}
	if (change)
		compared_table_row(&t->compared, change, NULL);
	for (size_t k = 0; !change && k < t->n_columns; k++) {
		uint64_t whole = row->wholes ? row->wholes[k] : t->totals[k];

		out_format(t->out, "%*.2f ", t->widths[k],
			   weight_fraction(row->weights[k], whole) * 100);
	}
	out_text(t->out, change ? "" : " ");
	write_label(t, row);
	if (change)
		compared_table_row_end(&t->compared, change);
	else
		out_text(t->out, "\n");
}
