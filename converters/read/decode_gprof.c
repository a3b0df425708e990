/* SPDX-License-Identifier: MIT */
/*
 * decode_gprof.c - decodes the text that gprof prints.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "read/decode.h"
#include "read/event.h"
#include "read/input.h"

struct gprof_function {
	uint32_t index, name; /* in names */
	uint64_t self;	      /* ns */
	bool has_block;
	bool is_cycle; /* the block is that of a cycle as a whole */
};

struct gprof_arc {
	uint32_t caller, callee; /* places of functions */
	uint64_t count;
	bool is_of_callee; /* the call was read from the callee's block */
};

/* A line of the flat profile. */
struct gprof_row {
	uint32_t name;
	uint64_t self; /* ns */
};

enum gprof_section { GPROF_BETWEEN, GPROF_FLAT, GPROF_GRAPH };

struct gprof {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	enum gprof_section section;
	bool has_section;
	uint64_t interval; /* ns, 0: not known */
	uint64_t hits;	   /* those pushed */
	struct strings *names;
	struct id_table *indices; /* a function's index to its place */
	struct gprof_function *functions;
	struct gprof_arc *arcs;
	struct gprof_row *rows;
	size_t n_functions, n_arcs, n_rows, functions_size, arcs_size, rows_size;
	/* The block at hand. */
	bool in_block;
	size_t first_arc;
	uint32_t function; /* its place; GPROF_NONE: its line has not come yet */
};

#define GPROF_NONE UINT32_MAX

/* No number is indented as far as an empty column is wide. */
#define GPROF_BLANK 12u

/* A name with what gprof appends to it: in angle brackets the number of its cycle, and its index in
 * square brackets, or in round ones if the function has no block. */
struct gprof_label {
	const char *name;
	size_t n;
	uint64_t index; /* 0: none */
};

/* ---- gprof block ----------------------------------------------------------------------------- */
/*
 * Reads gprof's call graph, a block for each function.
 *
 * In: lines. Out: functions and arcs, kept until all are known. A block is
 *
 *	                0.00    0.03      40/40          main [3]	callers
 *	[5]     18.9    0.00    0.03      40+440         fact [5]	the function
 *	                0.03    0.00     480/2541        work [1]	callees
 *	                                 440             fact [5]	(itself, or of its cycle)
 *	-----------------------------------------------
 *
 * The times of arcs are guesses of gprof's from the numbers of calls: they are not taken.
 */

/* ---- numbers and names ----------------------------------------------------------------------- */

/* Take "12.34" seconds as nanoseconds. NULL, or what is wrong. */
static const char *gprof_seconds(struct text_scan *s, uint64_t *ns)
{
	uint64_t whole, digit = 100000000;
	const char *wrong = text_scan_count(s, &whole);

	if (wrong)
		return wrong;
	if (__builtin_mul_overflow(whole, 1000000000, ns))
		return "overflow: a time does not fit 64 bits";
	if (!text_scan_text(s, "."))
		return "a time has no decimals";
	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++, digit /= 10)
		if (__builtin_add_overflow(*ns, (uint64_t)(*s->at - '0') * digit, ns))
			return "overflow: a time does not fit 64 bits";
	return NULL;
}

/* Does a number with decimals come next? */
static bool gprof_is_decimal(const struct text_scan *s)
{
	struct text_scan ahead = *s;
	const char *begin = ahead.at;
	size_t n = text_scan_token(&ahead);

	return n && *begin >= '0' && *begin <= '9' && memchr(begin, '.', n);
}

/* The last place of `open`, or NULL. */
static const char *back_to(const char *begin, const char *end, const char *open)
{
	size_t n = strlen(open);

	for (const char *at = end; (size_t)(at - begin) >= n; at--)
		if (!memcmp(at - n, open, n))
			return at - n;
	return NULL;
}

/* Read the rest of the line as such a name. */
static struct gprof_label gprof_label(const struct text_scan *s)
{
	const char *end = s->end;
	struct gprof_label l = {.name = s->at};

	while (end > s->at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end > s->at && (end[-1] == ']' || end[-1] == ')')) {
		const char *open = back_to(s->at, end, end[-1] == ']' ? " [" : " (");
		struct text_scan number = {.at = open ? open + 2 : end, .end = end - 1};

		if (open && !text_scan_count(&number, &l.index) && number.at == number.end)
			end = open;
		else
			l.index = 0;
	}
	if (end > s->at && end[-1] == '>') {
		const char *open = back_to(s->at, end, " <cycle ");
		struct text_scan number = {.at = open ? open + 8 : end, .end = end - 1};
		uint64_t cycle;

		if (open && !text_scan_count(&number, &cycle) && number.at == number.end)
			end = open;
	}
	l.n = (size_t)(end - l.name);
	return l;
}

static bool is_whole_cycle(const struct gprof_label *l)
{
	static const char begin[] = "<cycle ", end[] = " as a whole>";

	return l->n > sizeof(begin) + sizeof(end) - 2 &&
	       !memcmp(l->name, begin, sizeof(begin) - 1) &&
	       !memcmp(l->name + l->n - (sizeof(end) - 1), end, sizeof(end) - 1);
}

/* The place of the function that the label names. -1 on error. */
static int function_find(struct gprof *g, const struct gprof_label *l, uint32_t *place)
{
	if (!l->index)
		return text_scan_wrong(&g->scan, "a function has no index");
	if (l->index >= UINT32_MAX)
		return text_scan_wrong(&g->scan, "overflow: an index does not fit 32 bits");
	*place = id_table_add(g->indices, (uint32_t)l->index);
	if (*place == ID_TABLE_NONE)
		return error_memory(g->err);
	if (*place < g->n_functions)
		return 0;
	uint32_t name = strings_add(g->names, l->name, l->n);
	if (name == STRINGS_NONE || !array_reserve(&g->functions, &g->functions_size,
						   g->n_functions + 1, sizeof(*g->functions)))
		return error_memory(g->err);
	g->functions[g->n_functions++] =
		(struct gprof_function){.index = (uint32_t)l->index, .name = name};
	return 0;
}

/* ---- the call graph -------------------------------------------------------------------------- */

/* [5]     18.9    0.00    0.03      40+440     fact [5] */
static int block_function(struct gprof *g)
{
	struct text_scan *s = &g->scan;
	struct gprof_function *f;
	uint64_t self;

	text_scan_token(s); /* index */
	text_scan_spaces(s);
	text_scan_token(s); /* per cent */
	text_scan_spaces(s);
	const char *wrong = gprof_seconds(s, &self);
	if (wrong)
		return text_scan_wrong(s, wrong);
	text_scan_spaces(s);
	text_scan_token(s); /* children */
	if (text_scan_spaces(s) < GPROF_BLANK) {
		text_scan_token(s); /* called */
		text_scan_spaces(s);
	}
	const struct gprof_label l = gprof_label(s);
	if (g->function != GPROF_NONE)
		return text_scan_wrong(s, "a second function in one block");
	if (function_find(g, &l, &g->function))
		return -1;
	f = &g->functions[g->function];
	if (f->has_block)
		return text_scan_wrong(s, "a second block of one function");
	f->has_block = true;
	f->is_cycle = is_whole_cycle(&l);
	f->self = self;
	for (size_t i = g->first_arc; i < g->n_arcs; i++)
		g->arcs[i].callee = g->function;
	return 0;
}

/*
 *	0.00    0.03      40/40          main [3]
 *			 440             fact [5]
 */
static int block_arc(struct gprof *g)
{
	struct text_scan *s = &g->scan;
	const char *wrong;
	uint64_t count;
	uint32_t place;

	if (gprof_is_decimal(s)) {
		text_scan_token(s); /* self */
		text_scan_spaces(s);
		text_scan_token(s); /* children */
		text_scan_spaces(s);
	}
	wrong = text_scan_count(s, &count);
	if (wrong)
		return text_scan_wrong(s, wrong);
	text_scan_token(s); /* of how many */
	text_scan_spaces(s);
	const struct gprof_label l = gprof_label(s);
	if (function_find(g, &l, &place))
		return -1;
	if (!array_reserve(&g->arcs, &g->arcs_size, g->n_arcs + 1, sizeof(*g->arcs)))
		return error_memory(g->err);
	bool is_caller = g->function == GPROF_NONE;
	g->arcs[g->n_arcs++] = (struct gprof_arc){
		.caller = is_caller ? place : g->function,
		.callee = is_caller ? GPROF_NONE : place,
		.count = count,
		.is_of_callee = is_caller,
	};
	return 0;
}

/* The calls in the block of a whole cycle are repeated in the blocks of its members. */
static int block_end(struct gprof *g)
{
	if (g->in_block && g->function == GPROF_NONE)
		return text_scan_wrong(&g->scan, "a block has no line with an index at its left");
	if (g->in_block && g->functions[g->function].is_cycle)
		g->n_arcs = g->first_arc;
	g->in_block = false;
	g->first_arc = g->n_arcs;
	g->function = GPROF_NONE;
	return 0;
}

/* A line of the call graph. -1 on error. */
static int gprof_graph_line(struct gprof *g)
{
	struct text_scan *s = &g->scan;
	struct text_scan ahead = *s;

	if (text_scan_text(&ahead, "----"))
		return block_end(g);
	text_scan_spaces(&ahead);
	if (ahead.at == ahead.end || (!g->in_block && text_scan_text(&ahead, "called/total")))
		return 0; /* gprof -T */
	if (*s->at == '[') {
		g->in_block = true;
		return block_function(g);
	}
	s->at = ahead.at;
	if (*s->at >= '0' && *s->at <= '9') {
		g->in_block = true;
		return block_arc(g);
	}
	if (text_scan_text(s, "<spontaneous>")) {
		g->in_block = true;
		return 0;
	}
	if (g->in_block)
		return text_scan_wrong(s, "this is no line of a call graph");
	g->section = GPROF_BETWEEN; /* the explanation */
	return 0;
}

/* ---- decode gprof ---------------------------------------------------------------------------- */
/*
 * Decodes the text that gprof prints.
 *
 * In: a flat profile, a call graph, or both, with or without explanations. Out: self and call
 * events. They are pushed at the end because only then is it known which functions share a name.
 */

/* ---- the flat profile ------------------------------------------------------------------------ */

/* 51.02      0.16     0.08     2541    63.07    63.07  work */
static int flat_line(struct gprof *g)
{
	struct text_scan *s = &g->scan;
	uint64_t self;

	text_scan_spaces(s);
	if (s->at == s->end) {
		g->section = GPROF_BETWEEN;
		return 0;
	}
	if (!gprof_is_decimal(s))
		return text_scan_wrong(s, "this is no line of a flat profile");
	for (int i = 0; i < 2; i++) {
		text_scan_token(s); /* per cent, cumulative seconds */
		text_scan_spaces(s);
	}
	const char *wrong = gprof_seconds(s, &self);
	if (wrong)
		return text_scan_wrong(s, wrong);
	for (int i = 0; text_scan_spaces(s) < GPROF_BLANK && i < 3; i++)
		text_scan_token(s); /* calls, and times per call */
	const struct gprof_label l = gprof_label(s);
	uint32_t name = strings_add(g->names, l.name, l.n);
	if (name == STRINGS_NONE ||
	    !array_reserve(&g->rows, &g->rows_size, g->n_rows + 1, sizeof(*g->rows)))
		return error_memory(g->err);
	g->rows[g->n_rows++] = (struct gprof_row){name, self};
	return 0;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* A line "Each sample counts as 0.01 seconds." says that the flat profile has times. */
static int interval_line(struct gprof *g)
{
	struct text_scan *s = &g->scan;
	const char *begin = s->at;
	char text[32] = "";
	size_t n = text_scan_token(s);

	memcpy(text, begin, n < sizeof(text) ? n : sizeof(text) - 1);
	double seconds = strtod(text, NULL);
	text_scan_spaces(s);
	if (!text_scan_text(s, "seconds"))
		return text_scan_wrong(s, "its samples do not count seconds");
	if (seconds > 0 && seconds < 1e9)
		g->interval = (uint64_t)llround(seconds * 1e9);
	return 0;
}

static bool has(const struct text_scan *s, const char *text)
{
	return memmem(s->at, (size_t)(s->end - s->at), text, strlen(text));
}

/* Sections begin with headings. Explanations between sections are skipped. */
static int between_line(struct gprof *g)
{
	struct text_scan *s = &g->scan;

	text_scan_spaces(s);
	if (text_scan_text(s, "Each sample counts as "))
		return interval_line(g);
	if (text_scan_text(s, "index ") && text_scan_spaces(s) < 2 && text_scan_text(s, "%") &&
	    has(s, "name"))
		g->section = GPROF_GRAPH;
	else if (text_scan_text(s, "time ") && has(s, "seconds") && has(s, "name"))
		g->section = GPROF_FLAT;
	g->has_section |= g->section != GPROF_BETWEEN;
	return 0;
}

static int line_decode(struct gprof *g)
{
	if (text_scan_text(&g->scan, "\f"))
		g->section = GPROF_BETWEEN;
	switch (g->section) {
	case GPROF_FLAT:
		return flat_line(g);
	case GPROF_GRAPH:
		return gprof_graph_line(g);
	default:
		return between_line(g);
	}
}

/* A last line without line feed is not read, because it may be incomplete. 1: there is such a
 * line. */
static int lines_decode(struct gprof *g)
{
	int more;

	while ((more = text_scan_line(&g->scan)) > 0) {
		if (!g->scan.is_whole)
			return 1;
		if (line_decode(g))
			return -1;
	}
	return more;
}

/* ---- events ---------------------------------------------------------------------------------- */

static int process_push(struct gprof *g)
{
	const struct event_process e = {
		.kind = &decode_gprof.kind,
		.file = input_name(g->scan.in),
		.resource = {"cpu", 3},
		.unit = {"ns", 2},
		.scale = 1,
		.interval = g->interval,
		.engine = {"gprof", 5},
	};

	return event_push_process(&g->sink, &e, g->err);
}

static struct event_function function(const struct gprof *g, uint32_t name)
{
	struct event_function f = {0};

	f.name.bytes = strings_get(g->names, name, &f.name.length);
	return f;
}

/* The raw samples that a time was made of. */
static uint64_t samples(const struct gprof *g, uint64_t time)
{
	if (!g->interval)
		return 0;
	uint64_t rest = time % g->interval;
	return time / g->interval + (rest && rest >= g->interval - rest);
}

static int self_push(struct gprof *g, uint32_t name, uint64_t self)
{
	const struct event_self e = {
		.function = function(g, name),
		.weight = self,
		.hits = samples(g, self),
	};

	g->hits += e.hits; /* the sink checks that the sum fits */
	return g->sink->self ? g->sink->self(g->sink->context, &e, g->err) : 0;
}

static int arc_push(struct gprof *g, const struct gprof_arc *arc)
{
	const struct event_call e = {
		.caller = function(g, g->functions[arc->caller].name),
		.callee = function(g, g->functions[arc->callee].name),
		.count = arc->count,
	};

	/* A call in the block of the callee is also in the block of the caller, if the caller has
	 * one, and must not be counted twice. */
	if (arc->is_of_callee && g->functions[arc->caller].has_block)
		return 0;
	return g->sink->call ? g->sink->call(g->sink->context, &e, g->err) : 0;
}

/* gprof tells static functions of the same name apart only by their indices. */
static int function_rename(struct gprof *g, struct gprof_function *f)
{
	char *text;
	size_t n_name;
	const char *name = strings_get(g->names, f->name, &n_name);
	int n = asprintf(&text, "%.*s [%u]", (int)n_name, name, (unsigned)f->index);

	if (n < 0)
		return error_memory(g->err);
	f->name = strings_add(g->names, text, (size_t)n);
	free(text);
	return f->name == STRINGS_NONE ? error_memory(g->err) : 0;
}

/* `blocks`: by name, how many functions of that name have a block. */
static int functions_push(struct gprof *g, const uint32_t *blocks)
{
	for (size_t i = 0; i < g->n_rows; i++)
		if (!blocks[g->rows[i].name] && self_push(g, g->rows[i].name, g->rows[i].self))
			return -1;
	for (size_t i = 0; i < g->n_functions; i++) {
		struct gprof_function *f = &g->functions[i];

		if (f->is_cycle)
			continue;
		if (blocks[f->name] > 1 && function_rename(g, f))
			return -1;
		if (f->has_block && self_push(g, f->name, f->self))
			return -1;
	}
	return 0;
}

static int graph_push(struct gprof *g)
{
	uint32_t *blocks = calloc(strings_count(g->names) + 1, sizeof(*blocks));

	if (!blocks)
		return error_memory(g->err);
	for (size_t i = 0; i < g->n_functions; i++)
		blocks[g->functions[i].name] +=
			g->functions[i].has_block && !g->functions[i].is_cycle;
	int status = functions_push(g, blocks);
	for (size_t i = 0; !status && i < g->n_arcs; i++)
		status = arc_push(g, &g->arcs[i]);
	free(blocks);
	return status;
}

static int end_push(struct gprof *g)
{
	const struct event_end e = {.ticks = g->hits, .bytes = input_offset(g->scan.in)};

	return g->sink->end ? g->sink->end(g->sink->context, &e, g->err) : 0;
}

static int cut_push(struct gprof *g)
{
	const struct event_cut e = {
		.offset = g->scan.offset,
		.why = g->in_block ? "it ends within a block of the call graph"
				   : "it ends within a line",
	};

	return g->sink->cut ? g->sink->cut(g->sink->context, &e, g->err) : 0;
}

/* ---- the input ------------------------------------------------------------------------------- */

static int gprof_decode(struct gprof *g)
{
	int cut = lines_decode(g);
	int status;

	if (cut < 0)
		return -1;
	cut = cut || g->in_block;
	if (!g->has_section && !cut)
		return error_set(g->err, "%s: it has neither a flat profile nor a call graph",
				 input_name(g->scan.in));
	if (g->in_block && (g->function == GPROF_NONE || g->functions[g->function].is_cycle))
		g->n_arcs = g->first_arc;
	status = process_push(g);
	if (!status)
		status = graph_push(g);
	if (!status)
		status = cut ? cut_push(g) : end_push(g);
	return status > 0 ? 0 : status;
}

static int gprof_run(struct input *in, const char *path, const struct event_sink *sink,
		     struct error *err)
{
	struct gprof g = {
		.scan = {.in = in, .err = err},
		.sink = sink,
		.err = err,
		.names = strings_new(),
		.indices = id_table_new(),
		.function = GPROF_NONE,
	};
	int status = g.names && g.indices ? gprof_decode(&g) : error_memory(err);

	(void)path;
	text_scan_clear(&g.scan);
	strings_free(g.names);
	id_table_free(g.indices);
	free(g.functions);
	free(g.arcs);
	free(g.rows);
	return status;
}

/* ---- detection ------------------------------------------------------------------------------- */

/* How the first line begins that is not empty. */
static int gprof_detect(const unsigned char *head, size_t n)
{
	static const char *const beginnings[] = {
		"Flat profile:",      "Call graph",
		"call graph profile", "granularity: each sample hit covers ",
		"index % time ",      "Each sample counts as ",
		"flat profile:",
	};
	struct text_scan s = {.at = (const char *)head, .end = (const char *)head + n};

	while (s.at < s.end && strchr("\r\n\f\t ", *s.at) && *s.at)
		s.at++;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (text_scan_text(&s, beginnings[i]))
			return 1;
	return 0;
}

const struct decoder decode_gprof = {
	.kind = {.name = "what gprof prints", .has_calls = true},
	.detect = gprof_detect,
	.run = gprof_run,
};
