/* SPDX-License-Identifier: MIT */
/*
 * view_asm.c - the instructions of a function with the weight of each.
 *
 * In: struct tree by address. Out: the instructions with their source lines, or rows.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "annotate/instructions.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/looks.h"
#include "write/rows.h"
#include "write/weight.h"

#define CONTEXT	     4u /* instructions around one with samples */
#define SHARE_WIDTH  8
#define TEXT_ROOM    30 /* columns of instructions, below which columns of figures are left out */
#define FILE_MOST    24 /* columns of the name of a source file */
#define OFFSET_WIDTH 7

enum { SELF, TOTAL, SAMPLES, COLUMNS };

struct listing {
	struct out *out;
	const struct view_input *in;
	const struct code_places *places;
	const struct bodies *bodies;
	const struct body *body; /* the current one */
	struct looks_columns columns;
	uint32_t file, line, function; /* of the instruction written last; STRINGS_NONE: none */
};

/* The innermost place at an address of the body. NULL: out of memory. */
static const struct symbols_place *place_at(const struct listing *l, uint64_t address,
					    struct error *err)
{
	const struct profile_frame frame = {
		.module = l->body->module, .name = STRINGS_NONE, .address = address};
	const struct symbols_place *places;
	size_t n;

	if (symbols_source(l->in->symbols, &frame, &places, &n, err))
		return NULL;
	return &places[n - 1];
}

/* ---- a table for people ---------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The column in which instructions begin. */
static int text_column(const struct listing *l)
{
	return looks_width(&l->columns) + 1 + OFFSET_WIDTH;
}

/* Write where in the source the instruction is from, if that is another place than before. */
static int write_place(struct listing *l, const struct instruction *is, struct error *err)
{
	const struct symbols_place *at = place_at(l, l->body->is.start + is->offset, err);
	const struct strings *strings = l->in->profile->strings;
	int column = text_column(l);
	char line[16];
	const char *name;
	size_t n;

	if (!at)
		return -1;
	if (at->file == STRINGS_NONE || !at->line ||
	    (at->file == l->file && at->line == l->line && at->function == l->function))
		return 0;
	l->file = at->file;
	l->line = at->line;
	l->function = at->function;
	out_format(l->out, "%*s; ", column, "");
	name = last_part(strings_get(strings, at->file, NULL));
	n = strlen(name);
	out_name_cut(l->out, name, n, out_width(l->out) ? FILE_MOST : INT_MAX);
	column +=
		2 + (out_name_columns(name, n) < FILE_MOST ? out_name_columns(name, n) : FILE_MOST);
	column += snprintf(line, sizeof(line), ":%" PRIu32, at->line);
	out_text(l->out, line);
	if (at->is_inline) {
		out_text(l->out, " ");
		name = strings_shown(strings, at->function, &n);
		out_name_fit(l->out, name, n, column + 1);
	}
	out_text(l->out, "\n");
	return 0;
}

/* Where a jump leads, as an offset in this function, or the name of another one. */
static int write_target(struct listing *l, const struct instruction *is, int column,
			struct error *err)
{
	const struct instructions *code = &l->body->is;
	const struct symbols_place *at;
	const char *name;
	size_t n;

	if (instructions_find(code, is->target) < code->n) {
		out_format(l->out, "+%" PRIx64, is->target - code->start);
		return 0;
	}
	at = place_at(l, is->target, err);
	if (!at)
		return -1;
	name = strings_shown(l->in->profile->strings, at->function, &n);
	out_name_fit(l->out, name, n, column);
	return 0;
}

static int write_instruction(struct listing *l, size_t i, struct error *err)
{
	const struct instruction *is = &l->body->is.list[i];
	const struct instruction_weight *w = &l->body->weights[i];
	uint64_t all = l->in->tree->total;
	char text[INSTRUCTION_TEXT_BYTES];
	int column = text_column(l), status = 0;

	if (write_place(l, is, err))
		return -1;
	if (w->total) {
		looks_format(l->out, &l->columns, SELF, "%.2f",
			     weight_fraction(w->self, all) * 100);
		looks_format(l->out, &l->columns, TOTAL, "%.2f",
			     weight_fraction(w->total, all) * 100);
		looks_format(l->out, &l->columns, SAMPLES, "%" PRIu64, w->hits);
	} else {
		out_format(l->out, "%*s", looks_width(&l->columns), "");
	}
	out_format(l->out, "%c%*" PRIx32 "  ", is->is_target ? '>' : ' ', OFFSET_WIDTH - 2,
		   is->offset);
	instructions_text(&l->body->is, is, text);
	out_name_fit(l->out, text, strlen(text), column);
	if (is->has_target) {
		out_text(l->out, " ");
		status = write_target(l, is, column + (int)strlen(text) + 1, err);
	}
	out_text(l->out, "\n");
	return status;
}

/* Write the instructions with samples, and CONTEXT instructions before and behind each of them. "..."
 * stands for the others. */
static int write_instructions(struct listing *l, struct error *err)
{
	const struct body *b = l->body;
	size_t i, k, next = 0;

	for (i = 0; i < b->is.n; i++) {
		if (!b->weights[i].total)
			continue;
		if (i > next + CONTEXT) {
			out_format(l->out, "%*s\n", text_column(l) - 2, "...");
			l->line = 0;
			next = i - CONTEXT;
		}
		for (k = next; k <= i + CONTEXT && k < b->is.n; k++) {
			if (k > i && b->weights[k].total)
				break;
			if (write_instruction(l, k, err))
				return -1;
		}
		next = k;
	}
	if (next < b->is.n)
		out_format(l->out, "%*s\n", text_column(l) - 2, "...");
	return 0;
}

static int write_body(struct listing *l, struct error *err)
{
	const struct strings *strings = l->in->profile->strings;
	const struct body *b = l->body;
	size_t n;
	const char *path = strings_get(strings, l->in->profile->modules[b->module].path, &n);
	int status = 0;

	out_format(l->out, "\ncode: 0x%" PRIx64 " of ", b->start);
	out_name(l->out, path, n);
	if (b->why) {
		out_format(l->out, "\n(%s)\n", b->why);
		return 0;
	}
	out_text(l->out, "\n");
	looks_headings(l->out, &l->columns);
	out_text(l->out, " offset  instruction\n");
	caption_rule(l->out);
	l->line = 0;
	status = write_instructions(l, err);
	caption_rule(l->out);
	return status;
}

static int write_table(struct listing *l, struct error *err)
{
	const struct code_places *p = l->places;
	uint64_t all = l->in->tree->total;

	caption_write(l->out, "Instruction Profile", l->in);
	out_text(l->out, "function: ");
	out_name_fit(l->out, p->title, strlen(p->title), 10);
	out_format(l->out, "\ntotal %.2f %%, self %.2f %%\n", weight_fraction(p->total, all) * 100,
		   weight_fraction(p->self, all) * 100);
	caption_text(
		l->out,
		"A jump of the function leads to what has a >. A sample is at the instruction\n"
		"that was to run next, so a cost is often that of the one before.\n");
	for (size_t i = 0; i < l->bodies->n; i++) {
		l->body = &l->bodies->list[i];
		if (write_body(l, err))
			return -1;
	}
	if (l->bodies->self < p->self)
		out_format(l->out, "of no known instruction: self %.2f %%\n",
			   weight_fraction(p->self - l->bodies->self, all) * 100);
	looks_say_left_out(l->out, &l->columns);
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_hex(struct rows *r, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	rows_word(r, text);
}

static int write_row(struct listing *l, struct rows *r, size_t i, struct error *err)
{
	static const char *const columns[] = {
		"self", "total", "total_samples", "address", "instruction", "target",
		"line", "file",	 "name",	  "module",  NULL};
	const struct instruction *is = &l->body->is.list[i];
	const struct instruction_weight *w = &l->body->weights[i];
	const struct strings *strings = l->in->profile->strings;
	char text[INSTRUCTION_TEXT_BYTES];
	const struct symbols_place *at = place_at(l, l->body->is.start + is->offset, err);

	if (!at)
		return -1;
	rows_row(r, columns);
	rows_count(r, w->self);
	rows_count(r, w->total);
	rows_count(r, w->hits);
	write_hex(r, l->body->is.start + is->offset);
	instructions_text(&l->body->is, is, text);
	rows_text(r, text, strlen(text));
	if (is->has_target)
		write_hex(r, is->target);
	else
		rows_none(r);
	if (at->file == STRINGS_NONE || !at->line) {
		rows_none(r);
		rows_none(r);
	} else {
		rows_count(r, at->line);
		rows_name(r, strings, at->file);
	}
	rows_name(r, strings, l->body->function);
	rows_name(r, strings, l->in->profile->modules[l->body->module].path);
	return 0;
}

static int write_rows(struct listing *l, struct error *err)
{
	struct rows r;
	size_t i, k;
	int status = 0;

	rows_begin(&r, l->out, "asm", l->in);
	for (i = 0; !status && i < l->bodies->n; i++) {
		l->body = &l->bodies->list[i];
		for (k = 0; !status && k < l->body->is.n; k++)
			status = write_row(l, &r, k, err);
	}
	rows_end(&r);
	return status;
}

/* ---- the view -------------------------------------------------------------------------------- */

static int check_bodies(const struct bodies *b, const struct code_places *p, struct error *err)
{
	for (size_t i = 0; i < b->n; i++)
		if (!b->list[i].why)
			return 0;
	return error_set(err, "no instructions of \"%s\" are known: %s", p->title,
			 b->n ? b->list[0].why : "it is no code of a program or library");
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct code_places places;
	struct bodies bodies = {0};
	struct listing l = {
		.out = o,
		.in = in,
		.places = &places,
		.bodies = &bodies,
		.columns = {.list = {{"self %", SHARE_WIDTH, 0},
				     {"total %", SHARE_WIDTH, 1},
				     {"samples", weight_count_width(in->profile->hits), 2}},
			    .n = COLUMNS},
	};
	int status = code_places_find(&places, in->profile, in->symbols, in->tree,
				      in->options->root, err);

	if (status)
		code_places_explain(in->profile, in->symbols, in->options->root, err);
	looks_fit(&l.columns, o, OFFSET_WIDTH + TEXT_ROOM);
	if (!status)
		status = bodies_find(&bodies, &places, in->symbols, in->tree, err);
	if (!status)
		status = check_bodies(&bodies, &places, err);
	if (!status)
		status = view_input_is_rows(in->options) ? write_rows(&l, err)
							 : write_table(&l, err);
	bodies_free(&bodies);
	code_places_free(&places);
	return status;
}

const struct view view_asm = {
	.name = "asm",
	.help = "the instructions of FUNCTION, with self and total",
	.needs = VIEW_NEEDS_TREE,
	.granularity = SYMBOLS_BY_CODE,
	.ignores = VIEW_OPTIONS("top", "by"),
	.has_rows = true,
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .is_needed = true,
		      .help = "a function's instructions, with what they used"}},
	.emit = emit,
};
