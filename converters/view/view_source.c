/* SPDX-License-Identifier: MIT */
/*
 * view_source.c - the source lines of a function with the weight of each.
 *
 * In: struct tree by line. Out: the lines with their text, or rows.
 */
#include <inttypes.h>
#include <string.h>

#include "annotate/source_text.h"
#include "model/processes.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/looks.h"
#include "write/rows.h"
#include "write/weight.h"

#define CONTEXT	     3u /* lines around one with samples */
#define SHARE_WIDTH  8
#define TEXT_ROOM    30 /* columns of the text, below which columns of figures are left out */
#define LINE_WIDTH   6
#define TAB_COLUMNS  8
#define COLUMNS_MOST 1000 /* of a line's text */

enum { SELF, TOTAL, SAMPLES, COLUMNS };

struct table {
	struct out *out;
	const struct view_input *in;
	const struct code_places *places;
	const struct source_lines *lines;
	struct source_text *text; /* of the current file; NULL: it was not found */
	struct looks_columns columns;
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* Tabs become blanks, because the text does not begin at the left edge of the terminal. */
static void write_text(const struct table *t, const char *bytes, size_t n)
{
	char plain[COLUMNS_MOST];
	size_t i, used = 0;

	for (i = 0; i < n && used < sizeof(plain); i++) {
		if (bytes[i] != '\t') {
			plain[used++] = bytes[i];
			continue;
		}
		do
			plain[used++] = ' ';
		while (used % TAB_COLUMNS && used < sizeof(plain));
	}
	if (used > 0)
		out_line_fit(t->out, plain, used, looks_width(&t->columns) + LINE_WIDTH + 2);
}

/* Write a line of the source. `line` is NULL if it has no samples. Returns false if the file has no
 * such line. */
static bool write_line(struct table *t, uint32_t number, const struct source_line *line)
{
	const struct tree *tree = t->in->tree;
	const char *text = NULL;
	size_t n = 0;

	if (t->text)
		text = source_text_line(t->text, number, &n);
	if (!text && !line)
		return false;
	if (line) {
		looks_format(t->out, &t->columns, SELF, "%.2f",
			     weight_fraction(line->self, tree->total) * 100);
		looks_format(t->out, &t->columns, TOTAL, "%.2f",
			     weight_fraction(line->total, tree->total) * 100);
		looks_format(t->out, &t->columns, SAMPLES, "%" PRIu64, line->hits);
	} else {
		out_format(t->out, "%*s", looks_width(&t->columns), "");
	}
	out_format(t->out, "%*" PRIu32 "%s", LINE_WIDTH, number, text && n > 0 ? "  " : "");
	if (text)
		write_text(t, text, n);
	out_text(t->out, "\n");
	return true;
}

/* Write the lines of one file that have samples, and CONTEXT lines before and behind each of them.
 * "..." stands for the others. */
static void write_file_lines(struct table *t, const struct source_line *list, size_t n)
{
	uint32_t next = list[0].line > CONTEXT ? list[0].line - CONTEXT : 1, until;
	size_t i;

	for (i = 0; i < n; i++) {
		if (t->text && list[i].line > next + 2 * CONTEXT && i > 0) {
			out_format(t->out, "%*s\n", looks_width(&t->columns) + LINE_WIDTH, "...");
			next = list[i].line - CONTEXT;
		}
		for (; t->text && next < list[i].line; next++)
			write_line(t, next, NULL);
		write_line(t, list[i].line, &list[i]);
		next = list[i].line + 1;
		until = i + 1 < n && list[i + 1].line < next + CONTEXT ? next : next + CONTEXT;
		while (t->text && next < until && write_line(t, next, NULL))
			next++;
	}
}

static bool is_newer(const struct table *t)
{
	return source_text_is_newer(t->text, run_times_begin(t->in->profile));
}

static void open_text(struct table *t, const char *path)
{
	t->text = source_text_open(path, t->in->options->source_path, t->in->profile->packs);
}

static void write_path(struct table *t, uint32_t file)
{
	size_t n;
	const char *path = strings_get(t->in->profile->strings, file, &n);

	open_text(t, path);
	out_text(t->out, "\nsource: ");
	if (t->text) {
		path = source_text_path(t->text);
		n = strlen(path);
	}
	out_name(t->out, path, n);
	out_text(t->out,
		 t->text ? "\n" : "\n(not found; --source-path says where else it may be)\n");
	if (t->text && is_newer(t))
		out_text(t->out, "(changed after this was recorded: lines may be others than those "
				 "that ran;\n --source-path DIR shows the text that is in DIR)\n");
}

/* Write those lines from `first` on that are of the same file. Returns the number of the next
 * line. */
static size_t write_file(struct table *t, size_t first)
{
	const struct source_line *list = t->lines->list;
	uint32_t file = list[first].file;
	size_t end = first;

	while (end < t->lines->n && list[end].file == file)
		end++;
	write_path(t, file);
	out_text(t->out, "\n");
	looks_headings(t->out, &t->columns);
	out_format(t->out, "%*s\n", LINE_WIDTH, "line");
	caption_rule(t->out);
	write_file_lines(t, list + first, end - first);
	caption_rule(t->out);
	source_text_close(t->text);
	t->text = NULL;
	return end;
}

static void write_table(struct table *t)
{
	const struct tree *tree = t->in->tree;
	const struct source_lines *l = t->lines;
	size_t i = 0;

	caption_write(t->out, "Source Line Profile", t->in);
	out_text(t->out, "function: ");
	out_name_fit(t->out, t->places->title, strlen(t->places->title), 10);
	out_format(t->out, "\ntotal %.2f %%, self %.2f %%\n",
		   weight_fraction(t->places->total, tree->total) * 100,
		   weight_fraction(t->places->self, tree->total) * 100);
	while (i < l->n && l->list[i].file != STRINGS_NONE)
		i = write_file(t, i);
	if (i < l->n)
		out_format(t->out, "of no known line: self %.2f %%, total %.2f %%\n",
			   weight_fraction(l->list[i].self, tree->total) * 100,
			   weight_fraction(l->list[i].total, tree->total) * 100);
	looks_say_left_out(t->out, &t->columns);
}

/* Whether the file was changed after the recording. */
static enum rows_answer ask_file(struct table *t, uint32_t file)
{
	enum rows_answer is = ROWS_UNKNOWN;

	open_text(t, strings_get(t->in->profile->strings, file, NULL));
	if (t->text)
		is = is_newer(t) ? ROWS_YES : ROWS_NO;
	source_text_close(t->text);
	t->text = NULL;
	return is;
}

static void write_rows(struct table *t)
{
	static const char *const columns[] = {"self",	"total", "total_samples", "line", "file",
					      "edited", NULL};
	enum rows_answer is_edited = ROWS_UNKNOWN;
	uint32_t file = STRINGS_NONE;
	struct rows r;
	size_t i;

	rows_begin(&r, t->out, "source", t->in);
	for (i = 0; i < t->lines->n; i++) {
		const struct source_line *line = &t->lines->list[i];

		rows_row(&r, columns);
		rows_count(&r, line->self);
		rows_count(&r, line->total);
		rows_count(&r, line->hits);
		if (line->file == STRINGS_NONE) {
			rows_none(&r);
			rows_none(&r);
			rows_json_answer(&r, ROWS_UNKNOWN);
			continue;
		}
		if (line->file != file)
			is_edited = ask_file(t, line->file);
		file = line->file;
		rows_count(&r, line->line);
		rows_name(&r, t->in->profile->strings, line->file);
		rows_json_answer(&r, is_edited);
	}
	rows_end(&r);
}

static int check_lines(const struct source_lines *l, const struct code_places *p, struct error *err)
{
	if (l->n > 0 && l->list[0].file != STRINGS_NONE)
		return 0;
	return error_set(err,
			 "no source lines of \"%s\" are known: its program or library has no debug "
			 "information, or it is not found",
			 p->title);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct code_places places;
	struct source_lines lines = {0};
	struct table t = {
		.out = o,
		.in = in,
		.places = &places,
		.lines = &lines,
		.columns = {.list = {{"self %", SHARE_WIDTH, 0},
				     {"total %", SHARE_WIDTH, 1},
				     {"samples", weight_count_width(in->profile->hits), 2}},
			    .n = COLUMNS},
	};
	int status = code_places_find(&places, in->profile, in->symbols, in->tree,
				      in->options->root, err);

	looks_fit(&t.columns, o, LINE_WIDTH + TEXT_ROOM);
	if (!status)
		status = source_lines_find(&lines, &places, in->tree, err);
	if (!status)
		status = check_lines(&lines, &places, err);
	if (!status && view_input_is_rows(in->options))
		write_rows(&t);
	else if (!status)
		write_table(&t);
	source_lines_free(&lines);
	code_places_free(&places);
	return status;
}

const struct view view_source = {
	.name = "source",
	.help = "the source lines of FUNCTION, with self and total",
	.needs = VIEW_NEEDS_TREE,
	.granularity = SYMBOLS_BY_SOURCE,
	.has_rows = true,
	.options = VIEW_OPTIONS("source-path"),
	.ignores = VIEW_OPTIONS("top", "by"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .is_needed = true,
		      .help = "a function's source lines, with what they used"}},
	.emit = emit,
};
