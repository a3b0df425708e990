/* SPDX-License-Identifier: MIT */
/*
 * gprof_block.c - reads gprof's call graph, a block for each function.
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
#include <string.h>

#include "base/array.h"
#include "read/gprof.h"

/* ---- numbers and names ----------------------------------------------------------------------- */

const char *gprof_seconds(struct text_scan *s, uint64_t *ns)
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

bool gprof_is_decimal(const struct text_scan *s)
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

struct gprof_label gprof_label(const struct text_scan *s)
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

int gprof_graph_line(struct gprof *g)
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
