/* SPDX-License-Identifier: MIT */
/*
 * decode_callgrind.c - decodes the files that valgrind's tool callgrind writes, and others of that
 * form.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "read/decode.h"
#include "read/event.h"
#include "read/input.h"

struct callgrind_function {
	uint32_t name, file, object; /* numbers of texts */
	bool is_deeper;		     /* its name ends in 'N: the function was running already */
};

struct callgrind {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	struct callgrind_names *names;
	/* What the header says. */
	uint64_t pid;
	uint32_t creator, command;
	uint32_t *events; /* the names of the events, in the order of the columns of cost */
	size_t n_events, events_size;
	uint32_t *
		units; /* by name of the event: the name of its unit, if libcpsample wrote the file */
	size_t n_units, units_size;
	size_t n_positions; /* columns before those of cost */
	size_t column;	    /* the column of the event that is read */
	uint32_t event;	    /* its name */
	bool has_process;   /* the process event was pushed */
	bool has_function;  /* there was a fn= line */
	bool is_part_over;  /* a line "totals:" followed the last cost */
	/* The function whose costs follow. */
	uint32_t file, object;
	struct callgrind_function function;
	uint64_t self_weight, inclusive_weight;
	/* The callee of the next calls= line; what that line says. */
	uint32_t called_file, called_object;
	bool has_called_file, has_called_object, has_called;
	struct callgrind_function called;
	bool in_call; /* the next line is the cost of that call */
	uint64_t calls;
	/* Of the file. */
	bool has_levels;   /* the file tells the levels of a recursion apart by names such as f'2 */
	bool has_contexts; /* names are made of functions and their callers */
	uint64_t total;
};

/* ---- callgrind names ------------------------------------------------------------------------- */
/*
 * Expands the numbered names of a callgrind file.
 *
 * In: "(7) main", "(7)", "main". Out: a number for each distinct text.
 */

#define CALLGRIND_NO_NAME UINT32_MAX

enum callgrind_kind { CALLGRIND_FILE, CALLGRIND_FUNCTION, CALLGRIND_OBJECT, CALLGRIND_KINDS };

/* The file chooses the numbers, so that they cannot be indices. */
struct table {
	struct id_table *numbers; /* to their places */
	uint32_t *names;	  /* by place */
	size_t n, size;
};

struct callgrind_names {
	struct strings *texts;
	struct table tables[CALLGRIND_KINDS];
};

static void callgrind_names_free(struct callgrind_names *n)
{
	if (!n)
		return;
	for (int i = 0; i < CALLGRIND_KINDS; i++) {
		id_table_free(n->tables[i].numbers);
		free(n->tables[i].names);
	}
	strings_free(n->texts);
	free(n);
}

static struct callgrind_names *callgrind_names_new(void)
{
	struct callgrind_names *n = calloc(1, sizeof(*n));
	bool ok = n;

	if (!n)
		return NULL;
	n->texts = strings_new();
	for (int i = 0; i < CALLGRIND_KINDS; i++) {
		n->tables[i].numbers = id_table_new();
		ok = ok && n->tables[i].numbers;
	}
	if (ok && n->texts)
		return n;
	callgrind_names_free(n);
	return NULL;
}

/* The number of a text. CALLGRIND_NO_NAME: memory. */
static uint32_t callgrind_name_add(struct callgrind_names *n, const char *text, size_t length)
{
	return strings_add(n->texts, text, length);
}

/* The text of a name; it is empty for CALLGRIND_NO_NAME. It is valid as long as n. */
static struct event_text callgrind_name_text(const struct callgrind_names *n, uint32_t name)
{
	struct event_text text = {"", 0};

	if (name != CALLGRIND_NO_NAME)
		text.bytes = strings_get(n->texts, name, &text.length);
	return text;
}

/* The rest of the line, without the spaces around it. */
static int text_take(struct callgrind_names *n, struct text_scan *s, uint32_t *name)
{
	const char *end = s->end;

	text_scan_spaces(s);
	while (end > s->at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	size_t length = (size_t)(end - s->at);
	*name = CALLGRIND_NO_NAME;
	if (length && !(length == 3 && !memcmp(s->at, "???", 3))) {
		*name = strings_add(n->texts, s->at, length);
		if (*name == STRINGS_NONE)
			return error_memory(s->err);
	}
	s->at = s->end;
	return 0;
}

/* Is this "(7)"? A name such as "(below main)" begins with a bracket, too, but has no number. */
static bool is_numbered(const struct text_scan *s)
{
	struct text_scan ahead = *s;

	if (!text_scan_text(&ahead, "("))
		return false;
	const char *digits = ahead.at;
	while (ahead.at < ahead.end && *ahead.at >= '0' && *ahead.at <= '9')
		ahead.at++;
	return ahead.at > digits && text_scan_text(&ahead, ")");
}

/* The rest of the line is a name. *name becomes the number of its text, which is the same for the
 * same text of any kind. It becomes CALLGRIND_NO_NAME if the name is empty or "???". -1: memory, or
 * the number in brackets is malformed or stands for no name. */
static int callgrind_name(struct callgrind_names *n, enum callgrind_kind kind, struct text_scan *s,
			  uint32_t *name)
{
	struct table *t = &n->tables[kind];
	uint64_t number;

	text_scan_spaces(s);
	if (!is_numbered(s))
		return text_take(n, s, name);
	text_scan_text(s, "(");
	const char *wrong = text_scan_count(s, &number);
	if (wrong || number > UINT32_MAX)
		return text_scan_wrong(s, "overflow: the number of a name does not fit 32 bits");
	text_scan_text(s, ")");
	text_scan_spaces(s);
	if (s->at == s->end) {
		uint32_t place = id_table_find(t->numbers, (uint32_t)number);

		if (place == ID_TABLE_NONE)
			return text_scan_wrong(s, "the number of a name that was not given");
		*name = t->names[place];
		return 0;
	}
	uint32_t place = id_table_add(t->numbers, (uint32_t)number);
	if (place == ID_TABLE_NONE ||
	    !array_reserve(&t->names, &t->size, place + 1, sizeof(*t->names)))
		return error_memory(s->err);
	return text_take(n, s, &t->names[place]) ? -1 : (*name = t->names[place], 0);
}

/* ---- callgrind body -------------------------------------------------------------------------- */
/*
 * Reads the costs and calls of a callgrind file.
 *
 * In: lines. Out: self and call events.
 *
 * Where a function is called while it is running already, callgrind names it f'2. Both are the
 * function f here. The cost of f includes that of f'2 already, so that the cost of a call of f'2 is
 * not counted again.
 */

/* ---- numbers and names ----------------------------------------------------------------------- */

/* The digits after 0x. */
static const char *hexadecimal_read(struct text_scan *s, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *begin = s->at;

	for (*number = 0; s->at < s->end; s->at++) {
		const char *digit = memchr(digits, *s->at, 16);

		if (!digit)
			break;
		if (*number >> 60)
			return "overflow: a number does not fit 64 bits";
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	return s->at > begin ? NULL : "a number is missing";
}

/* Take a token that is a number. NULL, or what is wrong. */
static const char *number_read(struct text_scan *s, uint64_t *number)
{
	const char *wrong =
		text_scan_text(s, "0x") ? hexadecimal_read(s, number) : text_scan_count(s, number);

	if (!wrong && s->at < s->end && !text_scan_spaces(s))
		return "this is no number";
	return wrong;
}

/* Skip the line or address of a cost, "16", "+4", "-4" or "*": it is not shown anywhere. */
static const char *position_pass(struct text_scan *s)
{
	uint64_t number;

	text_scan_spaces(s);
	if (text_scan_text(s, "*"))
		return NULL;
	if (!text_scan_text(s, "+"))
		text_scan_text(s, "-");
	return number_read(s, &number);
}

/* Is the name f'2? Then it becomes f, which was running already. From f'1, which only cpconv writes, it becomes f, too,
 * but is the first level. */
static int function_set(struct callgrind *c, struct callgrind_function *f, uint32_t name)
{
	struct event_text text = callgrind_name_text(c->names, name);
	size_t n = text.length;

	f->name = name;
	f->is_deeper = false;
	while (n && text.bytes[n - 1] >= '0' && text.bytes[n - 1] <= '9')
		n--;
	if (n > 1 && n < text.length && text.bytes[n - 1] == '\'') {
		f->is_deeper = text.length - n != 1 || text.bytes[n] != '1';
		c->has_levels = true;
		f->name = callgrind_name_add(c->names, text.bytes, --n);
		if (f->name == CALLGRIND_NO_NAME)
			return error_memory(c->err);
		text.length = n;
	}
	c->has_contexts |= text.length && memchr(text.bytes, '\'', text.length);
	return 0;
}

static struct event_function function_event(const struct callgrind *c,
					    const struct callgrind_function *f)
{
	struct event_function e = {
		.name = callgrind_name_text(c->names, f->name),
		.file = callgrind_name_text(c->names, f->file),
		.object = callgrind_name_text(c->names, f->object),
	};

	if (!e.name.length)
		e.name = (struct event_text){"???", 3};
	return e;
}

static bool is_same(const struct callgrind_function *a, const struct callgrind_function *b)
{
	return a->name == b->name && a->file == b->file && a->object == b->object;
}

/* ---- costs and calls ------------------------------------------------------------------------- */

/* Push the self weight of the function at hand, whose block is over. */
static int callgrind_self_push(struct callgrind *c)
{
	const struct event_self e = {
		.function = function_event(c, &c->function),
		.weight = c->self_weight,
		.hits = c->self_weight,
		.inclusive_weight = c->function.is_deeper ? 0 : c->inclusive_weight,
	};

	c->self_weight = c->inclusive_weight = 0;
	if (!c->has_function || !c->sink->self)
		return 0;
	return c->sink->self(c->sink->context, &e, c->err);
}

static int add(struct callgrind *c, uint64_t *sum, uint64_t cost)
{
	if (__builtin_add_overflow(*sum, cost, sum))
		return text_scan_wrong(&c->scan, "overflow: a sum of costs does not fit 64 bits");
	return 0;
}

/* The cost of a call belongs to the caller's inclusive weight, too. There is one exception: a
 * function that calls itself, in a file that does not tell levels of recursion apart; then the
 * outermost call has the whole cost. */
static int call_push(struct callgrind *c, uint64_t cost)
{
	bool is_own = is_same(&c->function, &c->called);
	bool is_level = c->called.is_deeper && !c->function.is_deeper;
	const struct event_call e = {
		.caller = function_event(c, &c->function),
		.callee = function_event(c, &c->called),
		.count = c->calls,
		.weight = (is_own ? is_level : !c->called.is_deeper) ? cost : 0,
	};

	c->in_call = c->has_called = c->has_called_file = c->has_called_object = false;
	if (!(is_own && !c->called.is_deeper) && add(c, &c->inclusive_weight, cost))
		return -1;
	return c->sink->call ? c->sink->call(c->sink->context, &e, c->err) : 0;
}

static int cost_line(struct callgrind *c)
{
	struct text_scan *s = &c->scan;
	uint64_t cost = 0, number;
	const char *wrong = NULL;

	if (!c->has_function)
		return text_scan_wrong(s, "a cost before the first line \"fn=\"");
	for (size_t i = 0; !wrong && i < c->n_positions; i++)
		wrong = position_pass(s);
	for (size_t i = 0; !wrong && (text_scan_spaces(s), s->at < s->end); i++) {
		wrong = i < c->n_events ? number_read(s, &number)
					: "there are more costs than events";
		if (i == c->column && !wrong)
			cost = number;
	}
	if (wrong)
		return text_scan_wrong(s, wrong);
	if (c->in_call)
		return call_push(c, cost);
	if (add(c, &c->self_weight, cost) || add(c, &c->inclusive_weight, cost))
		return -1;
	return add(c, &c->total, cost);
}

static int calls_line(struct callgrind *c)
{
	if (!c->has_called || !c->has_function)
		return text_scan_wrong(&c->scan, "calls without a caller and a callee");
	const char *wrong = text_scan_count(&c->scan, &c->calls);
	if (wrong)
		return text_scan_wrong(&c->scan, wrong);
	/* A callee without a file or an object of its own has those of the caller. */
	c->called.file = c->has_called_file ? c->called_file : c->file;
	c->called.object = c->has_called_object ? c->called_object : c->function.object;
	c->in_call = true;
	return 0;
}

/* ---- positions ------------------------------------------------------------------------------- */

static int function_line(struct callgrind *c)
{
	uint32_t name;

	if (callgrind_self_push(c) || callgrind_name(c->names, CALLGRIND_FUNCTION, &c->scan, &name))
		return -1;
	c->function = (struct callgrind_function){.file = c->file, .object = c->object};
	c->has_function = true;
	return function_set(c, &c->function, name);
}

static int called_line(struct callgrind *c)
{
	uint32_t name;

	if (callgrind_name(c->names, CALLGRIND_FUNCTION, &c->scan, &name))
		return -1;
	c->has_called = true;
	return function_set(c, &c->called, name);
}

static int called_place(struct callgrind *c, enum callgrind_kind kind, uint32_t *name, bool *has)
{
	*has = true;
	return callgrind_name(c->names, kind, &c->scan, name);
}

static int position_line(struct callgrind *c)
{
	struct text_scan *s = &c->scan;
	uint32_t unused;

	if (text_scan_text(s, "fn="))
		return function_line(c);
	if (text_scan_text(s, "cfn="))
		return called_line(c);
	if (text_scan_text(s, "calls="))
		return calls_line(c);
	if (text_scan_text(s, "fl=") || text_scan_text(s, "fi=") || text_scan_text(s, "fe="))
		return callgrind_name(c->names, CALLGRIND_FILE, s, &c->file);
	if (text_scan_text(s, "ob="))
		return callgrind_name(c->names, CALLGRIND_OBJECT, s, &c->object);
	if (text_scan_text(s, "cfi=") || text_scan_text(s, "cfl="))
		return called_place(c, CALLGRIND_FILE, &c->called_file, &c->has_called_file);
	if (text_scan_text(s, "cob="))
		return called_place(c, CALLGRIND_OBJECT, &c->called_object, &c->has_called_object);
	/* Jumps within a function are not read, but later lines may refer to the names in them. */
	if (text_scan_text(s, "jfi="))
		return callgrind_name(c->names, CALLGRIND_FILE, s, &unused);
	if (text_scan_text(s, "jfn="))
		return callgrind_name(c->names, CALLGRIND_FUNCTION, s, &unused);
	if (text_scan_text(s, "jump=") || text_scan_text(s, "jcnd="))
		return 0;
	return text_scan_wrong(s, "this is no line of a callgrind file");
}

/* Read a line of the body: costs, a call, or what they belong to. -1 on error. */
static int callgrind_body_line(struct callgrind *c)
{
	char first = *c->scan.at;
	bool is_cost =
		(first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*';

	if (c->in_call && !is_cost)
		return text_scan_wrong(&c->scan, "the cost of the calls before it is missing");
	c->is_part_over = false;
	return is_cost ? cost_line(c) : position_line(c);
}

/* ---- decode callgrind ------------------------------------------------------------------------ */
/*
 * Decodes the files that valgrind's tool callgrind writes, and others of that
 * format.
 *
 * In: text, "Callgrind Format Specification" of valgrind's manual. Out: selfs and calls
 * of one of the events that the file counts: the first that the sink does not decline.
 *
 *	events: Ir Dr		what the numbers are
 *	fl=(1) file.c		where the costs belong that follow
 *	fn=(2) main
 *	16 400 20		line 16 of main: 400 Ir, 20 Dr
 *	cfn=(3) f
 *	calls=2 50		two calls of f, at its line 50, ...
 *	+4 800			... from line 20, and what they cost, with all that f called
 *
 */

/* ---- the process ----------------------------------------------------------------------------- */

/* An event is its own unit, unless the file says otherwise. */
static struct event_text unit_of(const struct callgrind *c, uint32_t event)
{
	bool is_known = event < c->n_units && c->units[event] != CALLGRIND_NO_NAME;

	return callgrind_name_text(c->names, is_known ? c->units[event] : event);
}

/* Offer the events in turn until the sink does not decline one. */
static int process_offer(struct callgrind *c, struct event_process *e)
{
	int status = EVENT_DECLINED;

	for (size_t i = 0; status == EVENT_DECLINED && i < c->n_events; i++) {
		c->column = i;
		c->event = c->events[i];
		e->resource = callgrind_name_text(c->names, c->event);
		e->unit = unit_of(c, c->event);
		status = event_push_process(&c->sink, e, c->err);
	}
	return status;
}

static int process_push(struct callgrind *c)
{
	struct event_text command = callgrind_name_text(c->names, c->command), *args = NULL;
	struct text_scan s = {.at = command.bytes, .end = command.bytes + command.length};
	size_t n = 0, size = 0;
	struct event_process e = {
		.kind = &decode_callgrind.kind,
		.file = input_name(c->scan.in),
		.pid = c->pid,
		.scale = 1,
		.recorder = callgrind_name_text(c->names, c->creator),
	};

	if (!c->n_events)
		return text_scan_wrong(&c->scan, "there was no line \"events:\"");
	c->has_process = true;
	while (text_scan_spaces(&s), s.at < s.end) {
		const char *begin = s.at;

		if (!array_reserve(&args, &size, n + 1, sizeof(*args))) {
			free(args);
			return error_memory(c->err);
		}
		args[n++] = (struct event_text){begin, text_scan_token(&s)};
	}
	e.args = args;
	e.n_args = n;
	int status = process_offer(c, &e);
	free(args);
	return status;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* Find the column of the event that is read: another part of the file may have its columns in
 * another order. */
static int column_find(struct callgrind *c)
{
	if (!c->has_process)
		return 0;
	for (c->column = 0; c->column < c->n_events; c->column++)
		if (c->events[c->column] == c->event)
			return 0;
	return text_scan_wrong(&c->scan, "this part of the file does not count the same event");
}

static int events_read(struct callgrind *c)
{
	struct text_scan *s = &c->scan;

	c->n_events = 0;
	while (text_scan_spaces(s), s->at < s->end) {
		const char *begin = s->at;
		size_t n = text_scan_token(s);
		uint32_t name = callgrind_name_add(c->names, begin, n);

		if (name == CALLGRIND_NO_NAME ||
		    !array_reserve(&c->events, &c->events_size, c->n_events + 1,
				   sizeof(*c->events)))
			return error_memory(c->err);
		c->events[c->n_events++] = name;
	}
	return column_find(c);
}

static int positions_read(struct callgrind *c)
{
	struct text_scan *s = &c->scan;

	for (c->n_positions = 0; text_scan_spaces(s), s->at < s->end; c->n_positions++)
		text_scan_token(s);
	if (!c->n_positions)
		c->n_positions = 1;
	return 0;
}

static int header_text(struct callgrind *c, uint32_t *text)
{
	struct text_scan *s = &c->scan;

	text_scan_spaces(s);
	*text = callgrind_name_add(c->names, s->at, (size_t)(s->end - s->at));
	return *text == CALLGRIND_NO_NAME ? error_memory(c->err) : 0;
}

static bool is_created_by(const struct callgrind *c, const char *program)
{
	const struct event_text creator = callgrind_name_text(c->names, c->creator);
	size_t n = strlen(program);

	return creator.length >= n && memcmp(creator.bytes, program, n) == 0;
}

/* "desc: Unit of cpu: ns", after "desc:", of a file that --callgrind has written. */
static int unit_read(struct callgrind *c)
{
	struct text_scan *s = &c->scan;
	const char *colon;
	uint32_t event, unit;

	text_scan_spaces(s);
	if (!is_created_by(c, "libcpsample") || !text_scan_text(s, "Unit of "))
		return 0;
	colon = memchr(s->at, ':', (size_t)(s->end - s->at));
	if (!colon)
		return 0;
	event = callgrind_name_add(c->names, s->at, (size_t)(colon - s->at));
	s->at = colon + 1;
	if (event == CALLGRIND_NO_NAME || header_text(c, &unit) ||
	    !array_reserve(&c->units, &c->units_size, (size_t)event + 1, sizeof(*c->units)))
		return error_memory(c->err);
	while (c->n_units <= event)
		c->units[c->n_units++] = CALLGRIND_NO_NAME;
	c->units[event] = unit;
	return 0;
}

static int header_line(struct callgrind *c)
{
	struct text_scan *s = &c->scan;
	const char *wrong = NULL;
	uint64_t version = 1;

	if (text_scan_text(s, "events:"))
		return events_read(c);
	if (text_scan_text(s, "positions:"))
		return positions_read(c);
	if (text_scan_text(s, "creator:"))
		return header_text(c, &c->creator);
	if (text_scan_text(s, "cmd:"))
		return header_text(c, &c->command);
	if (text_scan_text(s, "desc:"))
		return unit_read(c);
	if (text_scan_text(s, "totals:"))
		c->is_part_over = true;
	if (text_scan_text(s, "pid:")) {
		text_scan_spaces(s);
		wrong = text_scan_count(s, &c->pid);
	}
	if (text_scan_text(s, "version:")) {
		text_scan_spaces(s);
		wrong = text_scan_count(s, &version);
	}
	if (version > 1)
		wrong = "this version of the format is not known";
	return wrong ? text_scan_wrong(s, wrong) : 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Is this a header line, "key:"? A line "key=" is none. */
static bool is_header(const struct text_scan *s)
{
	const char *at = s->at;

	while (at < s->end && *at >= 'a' && *at <= 'z')
		at++;
	return at > s->at && at < s->end && *at == ':';
}

static int line_decode(struct callgrind *c)
{
	struct text_scan *s = &c->scan;
	int status;

	text_scan_spaces(s);
	if (s->at == s->end || *s->at == '#')
		return 0;
	if (is_header(s))
		return header_line(c);
	status = c->has_process ? 0 : process_push(c);
	return status ? status : callgrind_body_line(c);
}

/* Returns 0 at the end of the file, more than 0 if the sink has declined, or -1. A last line without line feed is not
 * read, because it may be incomplete. */
static int lines_decode(struct callgrind *c)
{
	int status = 0, more;

	while (!status && (more = text_scan_line(&c->scan)) > 0 && c->scan.is_whole)
		status = line_decode(c);
	if (!status && more < 0)
		return -1;
	if (!status && !c->has_process)
		status = process_push(c);
	return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What is wrong with the file's end, or NULL. Only callgrind itself and --callgrind are sure to write totals at the
 * end. */
static const char *cut_why(const struct callgrind *c)
{
	if (!c->scan.is_whole)
		return "it ends within a line";
	if (c->in_call)
		return "it ends before the cost of a call";
	if (!c->is_part_over && (is_created_by(c, "callgrind") || is_created_by(c, "libcpsample")))
		return "it ends without totals";
	return NULL;
}

static int end_push(struct callgrind *c)
{
	const struct event_end end = {
		.ticks = c->total,
		.bytes = input_offset(c->scan.in),
		.has_totals =
			is_created_by(c, "libcpsample") || (c->has_levels && !c->has_contexts),
	};
	const struct event_cut cut = {.offset = c->scan.offset, .why = cut_why(c)};

	if (!cut.why)
		return c->sink->end ? c->sink->end(c->sink->context, &end, c->err) : 0;
	return c->sink->cut ? c->sink->cut(c->sink->context, &cut, c->err) : 0;
}

static int callgrind_run(struct input *in, const char *path, const struct event_sink *sink,
			 struct error *err)
{
	struct callgrind c = {
		.scan = {.in = in, .err = err},
		.sink = sink,
		.err = err,
		.names = callgrind_names_new(),
		.creator = CALLGRIND_NO_NAME,
		.command = CALLGRIND_NO_NAME,
		.file = CALLGRIND_NO_NAME,
		.object = CALLGRIND_NO_NAME,
		.n_positions = 1,
	};
	int status = c.names ? lines_decode(&c) : error_memory(err);

	(void)path;
	if (!status)
		status = callgrind_self_push(&c);
	if (!status)
		status = end_push(&c);
	text_scan_clear(&c.scan);
	callgrind_names_free(c.names);
	free(c.events);
	free(c.units);
	return status > 0 ? 0 : status;
}

/* ---- detection ------------------------------------------------------------------------------- */

/* Callgrind's files say on their first line what they are. Those of other programs begin with a
 * header that names the events. */
static int callgrind_detect(const unsigned char *head, size_t n)
{
	static const char mark[] = "# callgrind format";
	const char *text = (const char *)head;
	struct text_scan s = {.at = text, .end = text + n};

	if (n >= sizeof(mark) - 1 && !memcmp(head, mark, sizeof(mark) - 1))
		return 1;
	if (memchr(head, '\0', n) || !is_header(&s))
		return 0;
	return text_scan_text(&s, "events:") || memmem(head, n, "\nevents:", 8);
}

const struct decoder decode_callgrind = {
	.kind = {.name = "what callgrind writes",
		 .has_calls = true,
		 .has_inclusive = true,
		 .has_pid = true},
	.detect = callgrind_detect,
	.run = callgrind_run,
};
