/* SPDX-License-Identifier: MIT */
/*
 * decode_callgrind.c - decodes the files that valgrind's tool callgrind writes, and others of that
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
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/callgrind.h"
#include "read/decode.h"

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
		.has_totals = c->has_levels && !c->has_contexts,
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
