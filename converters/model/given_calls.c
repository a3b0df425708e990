/* SPDX-License-Identifier: MIT */
/*
 * given_calls.c - call graphs that come without stacks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/builder.h"
#include "model/profile.h"

/* ---- given calls ----------------------------------------------------------------------------- */
/*
 * Gathers a call graph that comes without stacks.
 *
 * In: functions by name, file and object; pairs of them. Out: numbered functions and arcs, each
 * once; names that tell the functions apart.
 */

void given_calls_clear(struct given_calls *c)
{
	free(c->functions);
	free(c->arcs);
	pair_table_clear(&c->places);
	pair_table_clear(&c->lines);
	pair_table_clear(&c->identities);
	pair_table_clear(&c->pairs);
	*c = (struct given_calls){0};
}

/* ---- functions and arcs ---------------------------------------------------------------------- */

/* The number of a text. STRINGS_NONE: the text is absent or, with *ok = false, memory is out. */
static uint32_t string(struct strings *s, struct event_text text, bool *ok)
{
	if (!text.length)
		return STRINGS_NONE;
	uint32_t number = strings_add(s, text.bytes, text.length);
	*ok = *ok && number != STRINGS_NONE;
	return number;
}

/* The index of a function, added if it is new. GIVEN_CALLS_NONE: memory. */
static uint32_t given_calls_function(struct given_calls *c, struct strings *s,
				     const struct event_function *f)
{
	bool ok = true;
	struct given_calls_function function = {
		.name = strings_add(s, f->name.bytes, f->name.length),
		.file = string(s, f->file, &ok),
		.object = string(s, f->object, &ok),
		.line = f->line,
	};

	if (!ok || function.name == STRINGS_NONE)
		return GIVEN_CALLS_NONE;
	uint32_t place = pair_table_number(&c->places, function.file, function.object);
	if (place != PAIR_TABLE_NONE)
		place = pair_table_number(&c->lines, place, function.line);
	if (place == PAIR_TABLE_NONE)
		return GIVEN_CALLS_NONE;
	uint32_t number = pair_table_number(&c->identities, function.name, place);
	if (number == PAIR_TABLE_NONE || number < c->n_functions)
		return number;
	if (!array_reserve(&c->functions, &c->functions_size, c->n_functions + 1,
			   sizeof(*c->functions)))
		return GIVEN_CALLS_NONE;
	c->functions[c->n_functions++] = function;
	return number;
}

/* The arc between two functions, added if it is new. NULL: memory. Valid until the next one. */
static struct given_calls_arc *given_calls_arc(struct given_calls *c, uint32_t caller,
					       uint32_t callee)
{
	uint32_t number = pair_table_number(&c->pairs, caller, callee);

	if (number == PAIR_TABLE_NONE)
		return NULL;
	if (number < c->n_arcs)
		return &c->arcs[number];
	if (!array_reserve(&c->arcs, &c->arcs_size, c->n_arcs + 1, sizeof(*c->arcs)))
		return NULL;
	c->arcs[c->n_arcs] = (struct given_calls_arc){.caller = caller, .callee = callee};
	return &c->arcs[c->n_arcs++];
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What is appended to a name, in order of preference. */
enum suffix { SUFFIX_FILE, SUFFIX_OBJECT, SUFFIX_BOTH, N_SUFFIXES };

/* The same for a function of Python. */
enum python_suffix { PYTHON_FILE, PYTHON_LINE, PYTHON_FOLDER, PYTHON_PATH, N_PYTHON_SUFFIXES };

/* The last part of a path, which may have any bytes. */
static struct event_text last_part(struct event_text text)
{
	const char *slash = text.length ? memrchr(text.bytes, '/', text.length) : NULL;
	size_t before = slash ? (size_t)(slash + 1 - text.bytes) : 0;

	return before < text.length ? (struct event_text){text.bytes + before, text.length - before}
				    : text;
}

/* The path, or its last part. */
static struct event_text path(const struct strings *s, uint32_t number, bool whole)
{
	struct event_text text = {"???", 3};

	if (number != STRINGS_NONE)
		text.bytes = strings_get(s, number, &text.length);
	return whole ? text : last_part(text);
}

static void put(FILE *stream, struct event_text text)
{
	if (text.length)
		fwrite(text.bytes, 1, text.length, stream);
}

static uint32_t name_with(struct strings *s, const struct given_calls_function *f,
			  enum suffix suffix)
{
	size_t n_name, n = 0;
	const char *name = strings_get(s, f->name, &n_name);
	uint32_t number = STRINGS_NONE;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &n);

	if (!stream)
		return STRINGS_NONE;
	put(stream, (struct event_text){name, n_name});
	fputs(" (", stream);
	if (suffix != SUFFIX_OBJECT)
		put(stream, path(s, f->file, suffix == SUFFIX_BOTH));
	if (suffix == SUFFIX_BOTH)
		fputs(", ", stream);
	if (suffix != SUFFIX_FILE)
		put(stream, path(s, f->object, suffix == SUFFIX_BOTH));
	fputs(")", stream);
	if (!fclose(stream))
		number = strings_add(s, text, n);
	free(text);
	return number;
}

/* The last two parts of a path. */
static struct event_text with_folder(struct event_text text)
{
	const struct event_text last = last_part(text);
	size_t at = text.length - last.length, begin = at;

	while (at > 0 && (at == begin || text.bytes[at - 1] != '/'))
		at--;
	return (struct event_text){text.bytes + at, text.length - at};
}

static uint32_t python_name(struct strings *s, const struct given_calls_function *f,
			    enum python_suffix suffix)
{
	struct event_text file = path(s, f->file, suffix >= PYTHON_FOLDER);
	uint32_t number = STRINGS_NONE;
	char *text = NULL;
	size_t n_name, n = 0;
	const char *name = strings_get(s, f->name, &n_name);
	FILE *stream = open_memstream(&text, &n);

	if (!stream)
		return STRINGS_NONE;
	if (suffix == PYTHON_FOLDER)
		file = with_folder(file);
	put(stream, (struct event_text){name, n_name});
	fputs(" (", stream);
	put(stream, file);
	if (suffix != PYTHON_FILE)
		fprintf(stream, ":%u", (unsigned)f->line);
	fputs(")", stream);
	if (!fclose(stream))
		number = strings_add(s, text, n);
	free(text);
	return number;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool are_distinct(uint32_t *numbers, size_t n)
{
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	for (size_t i = 1; i < n; i++)
		if (numbers[i] == numbers[i - 1])
			return false;
	return true;
}

/* Functions that have the same name, and the names they are to get. */
struct group {
	struct given_calls *calls;
	struct strings *strings;
	uint32_t *functions;
	uint32_t *names, *sorted; /* room for n */
	size_t n;
};

/* 1: these names tell all functions apart, 0: they do not, -1: memory. */
static int group_try(struct group *g, enum suffix suffix)
{
	bool knows_files = true;

	for (size_t i = 0; i < g->n; i++) {
		const struct given_calls_function *f = &g->calls->functions[g->functions[i]];

		knows_files = knows_files && f->file != STRINGS_NONE;
		g->names[i] = name_with(g->strings, f, suffix);
		if (g->names[i] == STRINGS_NONE)
			return -1;
	}
	memcpy(g->sorted, g->names, g->n * sizeof(*g->sorted));
	return suffix == SUFFIX_BOTH ||
	       ((suffix != SUFFIX_FILE || knows_files) && are_distinct(g->sorted, g->n));
}

/* Whether a number is only once among the n sorted ones. */
static bool is_once(const uint32_t *sorted, size_t n, uint32_t number)
{
	const uint32_t *found = bsearch(&number, sorted, n, sizeof(number), compare_numbers);

	return found && (found == sorted || found[-1] != number) &&
	       (found + 1 == sorted + n || found[1] != number);
}

/* Give each function of Python the first name that no other one would have. Those that are told apart are done. */
static int group_name_python(struct group *g, enum python_suffix first)
{
	struct given_calls_function *functions = g->calls->functions;
	bool is_last;
	int status = 0;

	for (unsigned suffix = first; g->n && suffix < N_PYTHON_SUFFIXES; suffix++) {
		size_t rest = 0;

		for (size_t i = 0; i < g->n; i++) {
			g->names[i] = python_name(g->strings, &functions[g->functions[i]],
						  (enum python_suffix)suffix);
			status = g->names[i] == STRINGS_NONE ? -1 : status;
		}
		if (status)
			return -1;
		memcpy(g->sorted, g->names, g->n * sizeof(*g->sorted));
		qsort(g->sorted, g->n, sizeof(*g->sorted), compare_numbers);
		is_last = suffix == N_PYTHON_SUFFIXES - 1;
		for (size_t i = 0; i < g->n; i++) {
			if (is_last || is_once(g->sorted, g->n, g->names[i]))
				functions[g->functions[i]].name = g->names[i];
			else
				g->functions[rest++] = g->functions[i];
		}
		g->n = rest;
	}
	return 0;
}

static int group_name_others(struct group *g)
{
	int done = 0;

	for (unsigned suffix = 0; !done && suffix < N_SUFFIXES; suffix++)
		done = group_try(g, (enum suffix)suffix);
	for (size_t i = 0; done > 0 && i < g->n; i++)
		g->calls->functions[g->functions[i]].name = g->names[i];
	return done > 0 ? 0 : -1;
}

/* Put the functions of Python behind the others, of which it returns the number. */
static size_t group_split(struct group *g)
{
	size_t others = 0, rest = 0;

	for (size_t i = 0; i < g->n; i++) {
		if (g->calls->functions[g->functions[i]].line)
			g->sorted[rest++] = g->functions[i];
		else
			g->functions[others++] = g->functions[i];
	}
	memcpy(g->functions + others, g->sorted, rest * sizeof(*g->sorted));
	return others;
}

/* One function that is not of Python has its name alone. If there are several, which have a file, those of Python have the
 * line, too. */
static int group_name(struct group *g)
{
	size_t others = group_split(g);
	struct group python = *g;

	g->n = others;
	python.functions += others;
	python.n -= others;
	if (others > 1 && group_name_others(g))
		return -1;
	return group_name_python(&python, others > 1 ? PYTHON_LINE : PYTHON_FILE);
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct given_calls *c = context;
	const uint32_t *x = a, *y = b;
	uint32_t x_name = c->functions[*x].name, y_name = c->functions[*y].name;

	return x_name != y_name ? (x_name < y_name ? -1 : 1) : compare_numbers(a, b);
}

/* `order` has all functions; those of the same name are neighbours. */
static int name_groups(struct group *g, uint32_t *order)
{
	const struct given_calls *c = g->calls;
	size_t i, end;

	for (i = 0; i < c->n_functions; i = end) {
		for (end = i + 1; end < c->n_functions; end++)
			if (c->functions[order[end]].name != c->functions[order[i]].name)
				break;
		g->functions = order + i;
		g->n = end - i;
		if (group_name(g))
			return -1;
	}
	return 0;
}

int given_calls_name(struct given_calls *c, struct strings *s)
{
	size_t n = c->n_functions + 1;
	uint32_t *order = calloc(n, sizeof(*order));
	struct group g = {
		.calls = c,
		.strings = s,
		.names = calloc(n, sizeof(*g.names)),
		.sorted = calloc(n, sizeof(*g.sorted)),
	};
	int status = order && g.names && g.sorted ? 0 : -1;

	if (!status) {
		for (size_t i = 0; i < c->n_functions; i++)
			order[i] = (uint32_t)i;
		qsort_r(order, c->n_functions, sizeof(*order), compare_names, c);
		status = name_groups(&g, order);
	}
	free(order);
	free(g.names);
	free(g.sorted);
	return status;
}

/* ---- builder calls --------------------------------------------------------------------------- */
/*
 * Credits functions and arcs of call graphs that come without stacks.
 *
 * In: selfs and calls. Out: struct given_calls, of all inputs.
 */

/* Call stacks and calls without stacks cannot be added up: the sum would have neither the stacks'
 * call paths nor the numbers of calls. */
static int check_kind(const struct profile_builder *b, const struct event_process *e,
		      struct error *err)
{
	const struct profile *p = b->profile;
	const char *first;

	if (!p->n_processes || !p->given_calls == !e->kind->has_calls)
		return 0;
	first = strings_get(p->strings, p->processes[0].file, NULL);
	return error_set(err, "%s: it has %s, but %s has %s: convert them separately", e->file,
			 e->kind->has_calls ? "calls without stacks" : "stacks", first,
			 e->kind->has_calls ? "stacks" : "calls without stacks");
}

int builder_calls_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err)
{
	struct profile *p = b->profile;

	if (check_kind(b, e, err))
		return -1;
	if (!e->kind->has_calls)
		return 0;
	if (b->by != PROFILE_BY_NOTHING)
		return error_set(err, "%s: it has calls without stacks: --by needs recordings",
				 e->file);
	if (!p->given_calls) {
		p->given_calls = calloc(1, sizeof(*p->given_calls));
		if (!p->given_calls)
			return error_memory(err);
		p->given_calls->has_inclusive = p->given_calls->has_totals = true;
	}
	p->given_calls->has_inclusive &= e->kind->has_inclusive;
	p->given_calls->has_totals &= e->kind->has_inclusive;
	p->given_calls->has_shares |= e->kind->has_shares;
	return 0;
}

static int overflow(const struct profile_builder *b, const char *what, struct error *err)
{
	return error_set(err, "%s: overflow: %s does not fit 64 bits", builder_file(b), what);
}

int builder_self(void *context, const struct event_self *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_process *process = &b->current.process;
	struct profile *p = b->profile;
	struct given_calls_function *f;
	uint32_t number = given_calls_function(p->given_calls, p->strings, &e->function);

	if (number == GIVEN_CALLS_NONE)
		return error_memory(err);
	if (__builtin_add_overflow(p->weight, e->weight, &p->weight))
		return overflow(b, "the sum of weights", err);
	if (__builtin_add_overflow(p->hits, e->hits, &p->hits))
		return overflow(b, "the number of samples", err);
	f = &p->given_calls->functions[number];
	f->self_weight += e->weight; /* a part of the sums above */
	f->self_hits += e->hits;
	if (__builtin_add_overflow(f->inclusive_weight, e->inclusive_weight, &f->inclusive_weight))
		return overflow(b, "the inclusive weight of a function", err);
	if (__builtin_add_overflow(f->calls, e->calls, &f->calls))
		return overflow(b, "the number of calls", err);
	process->weight += e->weight;
	process->weight_complete += e->weight;
	process->weight_by_mark[CPS_MARK_COMPLETE] += e->weight;
	process->samples += e->hits;
	return 0;
}

int builder_call(void *context, const struct event_call *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile *p = b->profile;
	uint32_t caller = given_calls_function(p->given_calls, p->strings, &e->caller);
	uint32_t callee = given_calls_function(p->given_calls, p->strings, &e->callee);
	struct given_calls_arc *arc;

	if (caller == GIVEN_CALLS_NONE || callee == GIVEN_CALLS_NONE)
		return error_memory(err);
	arc = given_calls_arc(p->given_calls, caller, callee);
	if (!arc)
		return error_memory(err);
	if (__builtin_add_overflow(arc->count, e->count, &arc->count))
		return overflow(b, "the number of calls", err);
	if (__builtin_add_overflow(arc->weight, e->weight, &arc->weight))
		return overflow(b, "the inclusive weight of a call", err);
	return 0;
}
