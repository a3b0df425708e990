/* SPDX-License-Identifier: MIT */
/*
 * callgrind_body.c - reads the costs and calls of a callgrind file.
 *
 * In: lines. Out: self and call events.
 *
 * Where a function is called while it is running already, callgrind names it f'2. Both are the
 * function f here. The cost of f includes that of f'2 already, so that the cost of a call of f'2
 * is not counted again.
 */
#include <string.h>

#include "read/callgrind.h"

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

int callgrind_self_push(struct callgrind *c)
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

int callgrind_body_line(struct callgrind *c)
{
	char first = *c->scan.at;
	bool is_cost =
		(first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*';

	if (c->in_call && !is_cost)
		return text_scan_wrong(&c->scan, "the cost of the calls before it is missing");
	c->is_part_over = false;
	return is_cost ? cost_line(c) : position_line(c);
}
