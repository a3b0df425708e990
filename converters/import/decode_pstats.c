/* SPDX-License-Identifier: MIT */
/*
 * decode_pstats.c - decodes the profiles of Python's own profilers, cProfile and profile, which the module pstats reads.
 *
 * In: bytes of Python's marshal, of any version from 0 to 5, of Python 2 or 3. Out: self and call events.
 *
 *	{(FILE, LINE, NAME): (PRIMITIVE, CALLS, SELF, TOTAL, {CALLER: OF_CALLER, ...}), ...}
 *
 * CALLER is such a key. OF_CALLER is (CALLS, PRIMITIVE, SELF, TOTAL), or as profile.py writes it, CALLS alone. Times are
 * seconds. An object that was written already may be repeated by its number. Nothing is nested deeper than that, so nothing
 * here calls itself, and an object that is repeated is kept in a few bytes: what the file may ask for grows with the file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "import/stack.h"
#include "read/decode.h"

#define REPEATED 0x80u /* in the byte of a type: the object has a number */
#define NS	 1e9
#define NS_MOST	 9e18 /* below 2^63 */
#define BUILTIN	 "~"  /* the file of what is written in C; its line is 0 */

/* A function writes an error and returns -1, or returns SHORT where the file ends too early. */
#define SHORT 1

struct times {
	uint64_t calls, total; /* total in ns */
	bool is_number;	       /* only the calls are known */
};

enum value_kind { NOTHING, NUMBER, SECONDS, TEXT, TUPLE, DICT, FUNCTION, TIMES };

struct value {
	enum value_kind kind;
	union {
		int64_t number;
		double seconds;
		struct event_text text;
		uint32_t n;	   /* TUPLE: its length */
		uint32_t function; /* its number */
		struct times times;
	};
};

struct values {
	struct value *list;
	size_t n, size;
};

struct function {
	uint32_t file, line, name; /* numbers of strings, and the line itself */
	uint64_t calls, self, total;
	uint64_t called, called_by_itself; /* the calls that arcs have */
	bool has_entry;
};

struct arc {
	uint32_t caller, callee;
	struct times times;
};

struct pstats {
	const struct event_sink *sink;
	struct error *err;
	const char *name;
	const unsigned char *bytes;
	size_t n, at, begin;		  /* `begin`: of the value that is read */
	struct values repeated, interned; /* by number; the second are texts of Python 2 */
	struct strings *strings;
	struct pair_table places, numbers; /* (file, line), (name, place) */
	struct function *functions;
	struct arc *arcs;
	size_t n_functions, n_arcs, functions_size, arcs_size;
	bool has_totals,
		has_numbers; /* of calls by caller: some have totals, some are numbers alone */
	uint64_t hits;
};

static int wrong(const struct pstats *p, const char *what)
{
	return error_set(p->err, "%s: %s at byte %zu", p->name, what, p->begin);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool has(const struct pstats *p, size_t n)
{
	return n <= p->n - p->at;
}

/* A number of so many bytes that are there, little endian. */
static uint64_t take(struct pstats *p, size_t n)
{
	uint64_t value = 0;

	for (size_t i = n; i-- > 0;)
		value = value << 8 | p->bytes[p->at + i];
	p->at += n;
	return value;
}

/* A length of so many bytes, and whether so much follows. */
static int take_length(struct pstats *p, size_t bytes, size_t *n)
{
	if (!has(p, bytes))
		return SHORT;
	*n = (size_t)take(p, bytes);
	return has(p, *n) ? 0 : SHORT;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int value_keep(struct pstats *p, struct values *values, const struct value *v)
{
	if (!array_reserve(&values->list, &values->size, values->n + 1, sizeof(*values->list)))
		return error_memory(p->err);
	values->list[values->n++] = *v;
	return 0;
}

static int value_text(struct pstats *p, size_t bytes, struct value *v)
{
	size_t n;

	if (take_length(p, bytes, &n))
		return SHORT;
	v->kind = TEXT;
	v->text = (struct event_text){(const char *)p->bytes + p->at, n};
	p->at += n;
	return 0;
}

static int value_interned(struct pstats *p, struct value *v)
{
	int status = value_text(p, 4, v);

	return status ? status : value_keep(p, &p->interned, v);
}

static int value_number(struct pstats *p, size_t bytes, struct value *v)
{
	if (!has(p, bytes))
		return SHORT;
	v->kind = NUMBER;
	v->number = bytes == 4 ? (int32_t)take(p, bytes) : (int64_t)take(p, bytes);
	return 0;
}

/* A number of any length: so many digits to the base of 2^15, the lowest first; less than none if it is negative. */
static int value_long(struct pstats *p, struct value *v)
{
	uint64_t value = 0;
	int32_t n;

	if (!has(p, 4))
		return SHORT;
	n = (int32_t)take(p, 4);
	if (n < 0)
		return wrong(p, "a negative number");
	if (!has(p, 2 * (size_t)n))
		return SHORT;
	for (int32_t i = 0; i < n; i++) {
		uint64_t digit = take(p, 2);

		if (digit >> 15 || (digit && i > 4) || (i == 4 && digit > 7))
			return wrong(p, "overflow: a number does not fit 63 bits");
		value |= i <= 4 ? digit << (15 * i) : 0;
	}
	v->kind = NUMBER;
	v->number = (int64_t)value;
	return 0;
}

static int value_seconds(struct pstats *p, struct value *v)
{
	uint64_t bits;

	if (!has(p, 8))
		return SHORT;
	bits = take(p, 8);
	v->kind = SECONDS;
	memcpy(&v->seconds, &bits, sizeof(bits));
	return 0;
}

static int value_seconds_of_text(struct pstats *p, struct value *v)
{
	char text[256], *end;
	size_t n;

	if (take_length(p, 1, &n))
		return SHORT;
	memcpy(text, p->bytes + p->at, n);
	text[n] = '\0';
	p->at += n;
	v->kind = SECONDS;
	v->seconds = strtod(text, &end);
	return n && end == text + n ? 0 : wrong(p, "what should be a time is none");
}

static int value_length(struct pstats *p, size_t bytes, struct value *v)
{
	if (!has(p, bytes))
		return SHORT;
	v->kind = TUPLE;
	v->n = (uint32_t)take(p, bytes);
	return 0;
}

static int value_repeated(struct pstats *p, const struct values *values, struct value *v)
{
	uint64_t i;

	if (!has(p, 4))
		return SHORT;
	i = take(p, 4);
	if (i >= values->n)
		return wrong(p, "the number of an object that has not come yet");
	*v = values->list[i];
	return v->kind == NOTHING
		       ? wrong(p, "an object that is a part of itself, or that no profile repeats")
		       : 0;
}

static int value_of_type(struct pstats *p, unsigned char type, struct value *v)
{
	switch (type) {
	case 'i':
		return value_number(p, 4, v);
	case 'I':
		return value_number(p, 8, v);
	case 'l':
		return value_long(p, v);
	case 'f':
		return value_seconds_of_text(p, v);
	case 'g':
		return value_seconds(p, v);
	case 's':
	case 'u':
	case 'a':
	case 'A':
		return value_text(p, 4, v);
	case 'z':
	case 'Z':
		return value_text(p, 1, v);
	case 't':
		return value_interned(p, v);
	case 'R':
		return value_repeated(p, &p->interned, v);
	case '(':
		return value_length(p, 4, v);
	case ')':
		return value_length(p, 1, v);
	case '{':
		v->kind = DICT;
		return 0;
	default:
		return wrong(p, "an object that is in no profile");
	}
}

/*
 * Read an object, of a tuple or a dictionary only its beginning. If the object is numbered, *number becomes its number + 1,
 * else 0. A tuple is NOTHING under its number until value_set says what it means.
 */
static int value_read(struct pstats *p, struct value *v, size_t *number)
{
	static const struct value nothing = {.kind = NOTHING};
	unsigned char type;
	int status;

	*number = 0;
	p->begin = p->at;
	if (!has(p, 1))
		return SHORT;
	type = p->bytes[p->at++];
	*v = (struct value){0};
	if (type == 'r')
		return value_repeated(p, &p->repeated, v);
	status = value_of_type(p, type & (unsigned char)~REPEATED, v);
	if (status || !(type & REPEATED))
		return status;
	*number = p->repeated.n + 1;
	if (v->kind == TUPLE || v->kind == DICT)
		return value_keep(p, &p->repeated, &nothing);
	return value_keep(p, &p->repeated, v);
}

static void value_set(struct pstats *p, size_t number, const struct value *v)
{
	if (number)
		p->repeated.list[number - 1] = *v;
}

/* Read an object of that kind. */
static int value_expect(struct pstats *p, enum value_kind kind, struct value *v, const char *what)
{
	size_t unused;
	int status = value_read(p, v, &unused);

	return status ? status : v->kind == kind ? 0 : wrong(p, what);
}

/* Read a number of calls. */
static int calls_read(struct pstats *p, uint64_t *calls)
{
	struct value v;
	int status = value_expect(p, NUMBER, &v, "what should be a number of calls is none");

	if (status)
		return status;
	if (v.number < 0)
		return wrong(p, "a negative number of calls");
	*calls = (uint64_t)v.number;
	return 0;
}

/* Read a time, which may be a whole number. profile.py subtracts what it takes itself, so that some times are less than
 * none. */
static int time_read(struct pstats *p, uint64_t *ns)
{
	struct value v;
	size_t unused;
	int status = value_read(p, &v, &unused);
	double time;

	if (status)
		return status;
	if (v.kind != SECONDS && v.kind != NUMBER)
		return wrong(p, "what should be a time is none");
	time = (v.kind == NUMBER ? (double)v.number : v.seconds) * NS;
	if (!isfinite(time) || time > NS_MOST)
		return wrong(p, "overflow: a time does not fit 63 bits of nanoseconds");
	*ns = time > 0 ? (uint64_t)llround(time) : 0;
	return 0;
}

static int add(struct pstats *p, uint64_t *sum, uint64_t part)
{
	return __builtin_add_overflow(*sum, part, sum)
		       ? wrong(p, "overflow: a sum does not fit 64 bits")
		       : 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int function_find(struct pstats *p, const struct event_text *file, int64_t line,
			 const struct event_text *name, uint32_t *number)
{
	struct function f = {.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0};
	uint32_t place = PAIR_TABLE_NONE;

	f.file = strings_add(p->strings, file->bytes, file->length);
	f.name = strings_add(p->strings, name->bytes, name->length);
	if (f.file != STRINGS_NONE && f.name != STRINGS_NONE)
		place = pair_table_number(&p->places, f.file, f.line);
	*number = place == PAIR_TABLE_NONE ? place : pair_table_number(&p->numbers, f.name, place);
	if (*number == PAIR_TABLE_NONE)
		return error_memory(p->err);
	if (*number < p->n_functions)
		return 0;
	if (!array_reserve(&p->functions, &p->functions_size, p->n_functions + 1,
			   sizeof(*p->functions)))
		return error_memory(p->err);
	p->functions[p->n_functions++] = f;
	return 0;
}

/* (FILE, LINE, NAME), of which *v is the beginning, or what was repeated. */
static int function_read(struct pstats *p, const struct value *v, size_t number, uint32_t *function)
{
	static const char no_key[] = "what should be (file, line, function) is not";
	struct value file, line, name;
	int status;

	if (v->kind == FUNCTION) {
		*function = v->function;
		return 0;
	}
	if (v->kind != TUPLE || v->n != 3)
		return wrong(p, no_key);
	status = value_expect(p, TEXT, &file, no_key);
	if (!status)
		status = value_expect(p, NUMBER, &line, no_key);
	if (!status)
		status = value_expect(p, TEXT, &name, no_key);
	if (!status)
		status = function_find(p, &file.text, line.number, &name.text, function);
	if (!status)
		value_set(p, number, &(struct value){.kind = FUNCTION, .function = *function});
	return status;
}

/* ---- callers --------------------------------------------------------------------------------- */

/* (CALLS, PRIMITIVE, SELF, TOTAL), several times one after the other if old files were added up. */
static int times_read(struct pstats *p, uint32_t n, struct times *t)
{
	uint64_t calls, unused, total;
	int status = 0;

	if (!n || n % 4)
		return wrong(p, "what should be the calls and times of a caller is not");
	*t = (struct times){0};
	for (uint32_t i = 0; !status && i < n; i += 4) {
		status = calls_read(p, &calls);
		if (!status)
			status = calls_read(p, &unused);
		if (!status)
			status = time_read(p, &unused);
		if (!status)
			status = time_read(p, &total);
		if (!status)
			status = add(p, &t->calls, calls) || add(p, &t->total, total) ? -1 : 0;
	}
	return status;
}

static int of_caller_read(struct pstats *p, struct times *t)
{
	struct value v;
	size_t number;
	int status = value_read(p, &v, &number);

	if (status)
		return status;
	if (v.kind == NUMBER && v.number >= 0) {
		*t = (struct times){.calls = (uint64_t)v.number, .is_number = true};
		return 0;
	}
	if (v.kind == TIMES) {
		*t = v.times;
		return 0;
	}
	if (v.kind != TUPLE)
		return wrong(p, "what should be the calls of a caller is not");
	status = times_read(p, v.n, t);
	if (!status)
		value_set(p, number, &(struct value){.kind = TIMES, .times = *t});
	return status;
}

static int arc_add(struct pstats *p, uint32_t caller, uint32_t callee, const struct times *t)
{
	if (!array_reserve(&p->arcs, &p->arcs_size, p->n_arcs + 1, sizeof(*p->arcs)))
		return error_memory(p->err);
	p->arcs[p->n_arcs++] = (struct arc){caller, callee, *t};
	return 0;
}

/* Whether the end of a dictionary comes next, which is then taken. SHORT: the file ends. */
static int end_take(struct pstats *p, bool *is_end)
{
	p->begin = p->at;
	if (!has(p, 1))
		return SHORT;
	*is_end = p->bytes[p->at] == '0';
	p->at += *is_end;
	return 0;
}

static int callers_read(struct pstats *p, uint32_t callee)
{
	struct value v;
	struct times t;
	size_t number;
	uint32_t caller;
	bool is_end = false;
	int status = value_expect(p, DICT, &v, "what should be the callers of a function is not");

	while (!status && !(status = end_take(p, &is_end)) && !is_end) {
		status = value_read(p, &v, &number);
		if (!status)
			status = function_read(p, &v, number, &caller);
		if (!status)
			status = of_caller_read(p, &t);
		if (!status)
			status = arc_add(p, caller, callee, &t);
	}
	return status;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* What one function's entry says, before its callers. */
struct entry {
	uint32_t function;
	uint64_t calls, self, total;
};

static int entry_read(struct pstats *p, struct entry *e)
{
	static const char no_value[] =
		"what should be the calls, times and callers of a function is not";
	struct value v;
	size_t number;
	uint64_t unused;
	int status = value_read(p, &v, &number);

	if (!status)
		status = function_read(p, &v, number, &e->function);
	if (!status)
		status = value_expect(p, TUPLE, &v, no_value);
	if (!status && v.n != 5)
		status = wrong(p, no_value);
	if (!status)
		status = calls_read(p, &unused);
	if (!status)
		status = calls_read(p, &e->calls);
	if (!status)
		status = time_read(p, &e->self);
	if (!status)
		status = time_read(p, &e->total);
	return status ? status : callers_read(p, e->function);
}

/* The calls of a function that its callers made. */
static int called_add(struct pstats *p, size_t first_arc)
{
	for (size_t i = first_arc; i < p->n_arcs; i++) {
		const struct arc *a = &p->arcs[i];
		struct function *f = &p->functions[a->callee];

		if (add(p, &f->called, a->times.calls) ||
		    (a->caller == a->callee && add(p, &f->called_by_itself, a->times.calls)))
			return -1;
		p->has_numbers |= a->times.is_number;
		p->has_totals |= !a->times.is_number;
	}
	return 0;
}

/* Read one function. What a file that is cut has of it is left out. */
static int entry_take(struct pstats *p)
{
	struct entry e = {0};
	size_t first_arc = p->n_arcs;
	struct function *f;
	int status = entry_read(p, &e);

	if (status)
		p->n_arcs = first_arc;
	if (status)
		return status;
	f = &p->functions[e.function];
	f->has_entry = true;
	if (add(p, &f->calls, e.calls) || add(p, &f->self, e.self) || add(p, &f->total, e.total))
		return -1;
	return called_add(p, first_arc);
}

/* Read all. SHORT: what was read is whole, but the file is not. *whole becomes how many bytes could be used. */
static int stats_read(struct pstats *p, size_t *whole)
{
	struct value v;
	bool is_end = false;
	int status = value_expect(p, DICT, &v, "what should be the functions of a profile is not");

	*whole = p->at;
	while (!status && !(status = end_take(p, &is_end)) && !is_end) {
		status = entry_take(p);
		*whole = status ? *whole : p->at;
	}
	if (!status && p->at < p->n)
		status = (p->begin = p->at, wrong(p, "something follows the end of the profile"));
	return status;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* As pstats shows it: what is written in C is in braces. */
struct shown_name {
	char *braced;
	struct event_function function;
};

static int name_show(const struct pstats *p, const struct function *f, struct shown_name *s)
{
	struct event_text *name = &s->function.name;
	size_t n_file;
	const char *file = strings_get(p->strings, f->file, &n_file);

	*s = (struct shown_name){.function = {.line = f->line, .file = {file, n_file}}};
	name->bytes = strings_get(p->strings, f->name, &name->length);
	if (f->line || n_file != strlen(BUILTIN) || memcmp(file, BUILTIN, n_file) != 0 ||
	    name->length < 2 || name->bytes[0] != '<' || name->bytes[name->length - 1] != '>')
		return 0;
	s->braced = malloc(name->length);
	if (!s->braced)
		return error_memory(p->err);
	memcpy(s->braced, name->bytes, name->length);
	s->braced[0] = '{';
	s->braced[name->length - 1] = '}';
	name->bytes = s->braced;
	return 0;
}

static int self_push(struct pstats *p, const struct function *f)
{
	struct shown_name name;
	struct event_self e = {
		.weight = f->self,
		.hits = f->self,
		.inclusive_weight = f->total,
		.calls = f->calls > f->called ? f->calls - f->called : 0,
	};
	int status = 0;

	if (name_show(p, f, &name))
		return -1;
	e.function = name.function;
	p->hits += f->self; /* the sink checks that the sum fits */
	if (p->sink->self)
		status = p->sink->self(p->sink->context, &e, p->err);
	free(name.braced);
	return status;
}

/* A caller that comes with a number alone has the same share of the function's total as of its calls. The function's calls of
 * itself have none. */
static uint64_t total_of(const struct pstats *p, const struct arc *a)
{
	const struct function *f = &p->functions[a->callee];
	uint64_t calls = f->calls > f->called ? f->calls : f->called;

	if (!a->times.is_number)
		return a->times.total;
	calls -= f->called_by_itself;
	if (a->caller == a->callee || !calls)
		return 0;
	return (uint64_t)(((unsigned __int128)f->total * a->times.calls + calls / 2) / calls);
}

static int arc_push(struct pstats *p, const struct arc *a)
{
	struct shown_name caller, callee = {0};
	struct event_call e = {.count = a->times.calls, .weight = total_of(p, a)};
	int status = name_show(p, &p->functions[a->caller], &caller);

	if (!status)
		status = name_show(p, &p->functions[a->callee], &callee);
	e.caller = caller.function;
	e.callee = callee.function;
	if (!status && p->sink->call)
		status = p->sink->call(p->sink->context, &e, p->err);
	free(caller.braced);
	free(callee.braced);
	return status;
}

/* ---- the input ------------------------------------------------------------------------------- */

/* The files do not say what was measured. cProfile measures real time unless it is told otherwise, and profile.py CPU time. */
static int process_push(struct pstats *p)
{
	static const struct event_kind by_number = {.name = "a profile of Python's profile.py",
						    .has_calls = true,
						    .has_inclusive = true,
						    .has_shares = true};
	bool is_real = p->has_totals || !p->has_numbers;
	const struct event_process e = {
		.kind = p->has_numbers ? &by_number : &decode_pstats.kind,
		.file = p->name,
		.resource = event_text_of(is_real ? "real" : "cpu"),
		.unit = event_text_of("ns"),
		.scale = 1,
		.engine = event_text_of(is_real ? "cProfile" : "profile"),
		.recorder = event_text_of("Python"),
	};

	return event_push_process(&p->sink, &e, p->err);
}

static int end_push(struct pstats *p, bool is_cut, size_t whole)
{
	const struct event_cut cut = {.offset = whole, .why = "it ends within a function's entry"};
	const struct event_end end = {.ticks = p->hits, .bytes = p->n, .has_totals = true};

	if (is_cut)
		return p->sink->cut ? p->sink->cut(p->sink->context, &cut, p->err) : 0;
	return p->sink->end ? p->sink->end(p->sink->context, &end, p->err) : 0;
}

static int decode(struct pstats *p)
{
	size_t whole = 0;
	int status = stats_read(p, &whole);
	bool is_cut = status == SHORT;

	if (status < 0)
		return -1;
	status = process_push(p);
	for (size_t i = 0; !status && i < p->n_functions; i++)
		if (p->functions[i].has_entry)
			status = self_push(p, &p->functions[i]);
	for (size_t i = 0; !status && i < p->n_arcs; i++)
		status = arc_push(p, &p->arcs[i]);
	return status ? status : end_push(p, is_cut, whole);
}

static int run(struct input *in, const char *path, const struct event_sink *sink, struct error *err)
{
	struct whole_input w;
	struct pstats p = {
		.sink = sink, .err = err, .name = input_name(in), .strings = strings_new()};
	int status = whole_input_read(&w, in, err);

	(void)path;
	p.bytes = w.bytes;
	p.n = w.n;
	if (!status)
		status = p.strings ? decode(&p) : error_memory(err);
	free(p.repeated.list);
	free(p.interned.list);
	free(p.functions);
	free(p.arcs);
	pair_table_clear(&p.places);
	pair_table_clear(&p.numbers);
	strings_free(p.strings);
	whole_input_free(&w);
	return status < 0 ? -1 : 0;
}

/* ---- detection ------------------------------------------------------------------------------- */

/* The length of a tuple's beginning, or 0 if that is not one of three. */
static size_t three_length(const unsigned char *at, size_t n)
{
	static const unsigned char four_bytes[] = {3, 0, 0, 0};

	if (n > 2 && (at[0] & ~REPEATED) == ')' && at[1] == 3)
		return 2;
	if (n > 5 && (at[0] & ~REPEATED) == '(' && !memcmp(at + 1, four_bytes, 4))
		return 5;
	return 0;
}

/* A dictionary whose first key is a tuple of three, of which the first is a text; or an empty one. */
static int detect(const unsigned char *head, size_t n)
{
	size_t three = n > 2 ? three_length(head + 1, n - 1) : 0;

	if (n < 2 || (head[0] & ~REPEATED) != '{')
		return 0;
	return three ? memchr("sutaAzZ", head[1 + three] & (int)~REPEATED, 7) != NULL
		     : n == 2 && head[1] == '0';
}

const struct decoder decode_pstats = {
	.kind = {.name = "a profile of Python's cProfile",
		 .has_calls = true,
		 .has_inclusive = true},
	.detect = detect,
	.run = run,
};
