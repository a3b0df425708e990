/* SPDX-License-Identifier: MIT */
/*
 * decode_speedscope.c - decodes the files of speedscope (src/lib/file-format-spec.ts there).
 *
 * In: JSON. Out: a sample event per sample, or per stretch of time between two events of an "evented" profile. A
 * profile of the file is a thread. Those in one unit are read: in that of the active profile, or in another one
 * if the sink declines it.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/stack.h"
#include "read/decode.h"

struct speedscope {
	const struct event_sink *sink;
	struct error *err;
	struct input *in;
	const char *name;
	json_t *frames;
	size_t profile;	  /* the one at hand, for messages, */
	const char *part; /* and "samples" or "events" of it, NULL: neither, */
	size_t item;	  /* and which of them */
	double scale;	  /* gticks in the unit */
	uint64_t hits, end_us;
	struct stack stack;
	const unsigned char *piece; /* of the input, for the reader of JSON */
	size_t n_piece;
	uint32_t *open; /* numbers of frames: the stack of an evented profile, outermost first */
	size_t n_open, open_size;
	size_t n_kept; /* so many of them have been open since the sample before */
};

static const struct unit {
	const char *name, *resource, *unit;
	double scale;
} units[] = {
	{"nanoseconds", "time", "ns", 1},    {"microseconds", "time", "ns", 1e3},
	{"milliseconds", "time", "ns", 1e6}, {"seconds", "time", "ns", 1e9},
	{"bytes", "bytes", "bytes", 1},	     {"none", "samples", "samples", 1},
};

static int wrong(const struct speedscope *s, const char *what)
{
	error_set(s->err, "%s: profiles[%zu]", s->name, s->profile);
	if (s->part)
		error_append(s->err, ".%s[%zu]", s->part, s->item);
	return error_append(s->err, ": %s", what);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* A number of the unit as gticks. Whole numbers are exact. False: it is none, below 0, or too large. */
static bool take_amount(const struct speedscope *s, const json_t *value, uint64_t *amount)
{
	double scaled;

	if (json_is_integer(value))
		return json_integer_value(value) >= 0 &&
		       !__builtin_mul_overflow((uint64_t)json_integer_value(value),
					       (uint64_t)s->scale, amount);
	scaled = round(json_real_value(value) * s->scale);
	if (!json_is_real(value) || !(scaled >= 0 && scaled < 0x1p63))
		return false;
	*amount = (uint64_t)scaled;
	return true;
}

static bool take_frame(const struct speedscope *s, const json_t *value, uint32_t *frame)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (uint64_t)json_integer_value(value) >= json_array_size(s->frames))
		return false;
	*frame = (uint32_t)json_integer_value(value);
	return true;
}

/* ---- samples ---------------------------------------------------------------------------------- */

static int add_frame(struct speedscope *s, uint32_t frame)
{
	const json_t *name = json_object_get(json_array_get(s->frames, frame), "name");

	if (!json_is_string(name))
		return wrong(s, "a frame without a name");
	return stack_add(&s->stack,
			 (struct event_text){json_string_value(name), json_string_length(name)},
			 s->err);
}

/* A sample ends at that time, as those of a clock do. Its outermost `keep` frames are those of the sample before. */
static int push(struct speedscope *s, uint64_t weight, uint64_t at, size_t keep)
{
	struct event_sample e = {.weight = weight,
				 .hits = 1,
				 .keep = keep,
				 .thread = (uint32_t)s->profile + 1,
				 .time_us = at / 1000};

	s->hits++;
	s->end_us = e.time_us > s->end_us ? e.time_us : s->end_us;
	return stack_push(&s->stack, &e, s->sink, s->err);
}

static int push_sampled(struct speedscope *s, const json_t *profile)
{
	const json_t *samples = json_object_get(profile, "samples");
	const json_t *weights = json_object_get(profile, "weights");
	uint64_t weight, at = 0;
	uint32_t frame;
	size_t i, k;

	if (!json_is_array(samples) || !json_is_array(weights) ||
	    json_array_size(samples) != json_array_size(weights))
		return wrong(s, "not as many weights as samples");
	s->part = "samples";
	for (i = 0; i < json_array_size(samples); i++) {
		s->item = i;
		const json_t *stack = json_array_get(samples, i);

		if (!json_is_array(stack) || !take_amount(s, json_array_get(weights, i), &weight) ||
		    __builtin_add_overflow(at, weight, &at))
			return wrong(s, "a sample without a stack or a weight from 0 up");
		stack_empty(&s->stack);
		for (k = 0; k < json_array_size(stack); k++)
			if (!take_frame(s, json_array_get(stack, k), &frame))
				return wrong(s, "a sample has a frame that is not there");
			else if (add_frame(s, frame))
				return -1;
		if (push(s, weight, at, 0))
			return -1;
	}
	return 0;
}

/* The stack that has been open since the event before. It costs only what has changed since it was pushed last, because
 * a stack may have as many frames as the profile has events. */
static int push_open(struct speedscope *s, uint64_t from, uint64_t to, uint64_t begin)
{
	size_t keep = s->n_kept;

	if (to < from)
		return wrong(s, "events that are not in the order of time");
	if (!s->n_open || to == from)
		return 0;
	s->n_kept = s->n_open;
	return push(s, to - from, to - begin, keep);
}

static int take_event(struct speedscope *s, const json_t *event, uint32_t frame)
{
	const char *type = json_string_value(json_object_get(event, "type"));

	if (type && !strcmp(type, "O")) {
		if (!array_reserve(&s->open, &s->open_size, s->n_open + 1, sizeof(*s->open)))
			return error_memory(s->err);
		s->open[s->n_open++] = frame;
		return add_frame(s, frame);
	}
	if (!type || strcmp(type, "C") != 0 || !s->n_open || s->open[s->n_open - 1] != frame)
		return wrong(s, "an event that neither opens a frame nor closes the innermost one");
	stack_drop(&s->stack);
	s->n_open--;
	if (s->n_kept > s->n_open)
		s->n_kept = s->n_open;
	return 0;
}

static int push_evented(struct speedscope *s, const json_t *profile)
{
	const json_t *events = json_object_get(profile, "events");
	uint64_t before = 0, at = 0, begin = 0;
	uint32_t frame;

	s->n_open = s->n_kept = 0;
	stack_empty(&s->stack);
	if (!json_is_array(events))
		return wrong(s, "no events");
	s->part = "events";
	for (size_t i = 0; i < json_array_size(events); i++, before = at) {
		s->item = i;
		const json_t *event = json_array_get(events, i);

		if (!take_amount(s, json_object_get(event, "at"), &at) ||
		    !take_frame(s, json_object_get(event, "frame"), &frame))
			return wrong(s, "an event without a time from 0 up or a frame");
		begin = i ? begin : at;
		if ((i && push_open(s, before, at, begin)) || take_event(s, event, frame))
			return -1;
	}
	s->part = NULL;
	return s->n_open ? wrong(s, "a frame that is never closed") : 0;
}

static int push_profile(struct speedscope *s, const json_t *profile)
{
	const char *type = json_string_value(json_object_get(profile, "type"));
	const json_t *name = json_object_get(profile, "name");
	const struct event_thread e = {.id = (uint32_t)s->profile + 1,
				       .name = {json_string_value(name), json_string_length(name)}};

	s->part = NULL;
	if (s->sink->thread && s->sink->thread(s->sink->context, &e, s->err))
		return -1;
	if (type && !strcmp(type, "sampled"))
		return push_sampled(s, profile);
	if (type && !strcmp(type, "evented"))
		return push_evented(s, profile);
	return wrong(s, "neither sampled nor evented");
}

/* ---- which unit ------------------------------------------------------------------------------- */

static const struct unit *unit_of(const json_t *profile)
{
	const char *name = json_string_value(json_object_get(profile, "unit"));

	for (size_t i = 0; name && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			return &units[i];
	return NULL;
}

/* Where the unit is none of time, weights do not add up to times. */
static const struct event_kind untimed = {
	.name = "profiles of speedscope", .has_names = true, .has_threads = true, .has_pid = true};

/* Profiles with several units of time are of one resource. */
static int offer(struct speedscope *s, const json_t *root, const struct unit *unit)
{
	const json_t *exporter = json_object_get(root, "exporter");
	const struct event_process e = {
		.kind = strcmp(unit->unit, "ns") == 0 ? &decode_speedscope.kind : &untimed,
		.file = s->name,
		.resource = event_text_of(unit->resource),
		.unit = event_text_of(unit->unit),
		.scale = 1,
		.recorder = {json_string_value(exporter), json_string_length(exporter)},
	};

	return event_push_process(&s->sink, &e, s->err);
}

/* Offer each resource once. *chosen is the one that is read. */
static int choose(struct speedscope *s, const json_t *root, const json_t *profiles,
		  const char **chosen)
{
	const char *offered[sizeof(units) / sizeof(units[0])];
	const json_t *active = json_object_get(root, "activeProfileIndex");
	size_t n = json_array_size(profiles), first = 0, n_offered = 0, i, k;
	int status = EVENT_DECLINED;

	if (json_is_integer(active) && json_integer_value(active) >= 0 &&
	    (size_t)json_integer_value(active) < n)
		first = (size_t)json_integer_value(active);
	for (i = 0; status == EVENT_DECLINED && i < n; i++) {
		s->profile = i == 0 ? first : i - (i <= first);
		const struct unit *unit = unit_of(json_array_get(profiles, s->profile));

		if (!unit)
			return wrong(s, "a unit that is not known");
		for (k = 0; k < n_offered && strcmp(offered[k], unit->resource) != 0;)
			k++;
		if (k < n_offered)
			continue;
		*chosen = offered[n_offered++] = unit->resource;
		status = offer(s, root, unit);
	}
	return status;
}

/* ---- the input -------------------------------------------------------------------------------- */

static size_t read_piece(void *to, size_t n, void *context)
{
	struct speedscope *s = context;

	if (!s->n_piece && input_next(s->in, &s->piece, &s->n_piece, s->err))
		return (size_t)-1;
	n = n < s->n_piece ? n : s->n_piece;
	if (n)
		memcpy(to, s->piece, n);
	s->piece += n;
	s->n_piece -= n;
	return n;
}

static json_t *parse(struct speedscope *s)
{
	json_error_t error;
	json_t *root;

	*s->err = (struct error){0};
	root = json_load_callback(read_piece, s, JSON_ALLOW_NUL, &error);
	if (!root && !*s->err->text)
		error_set(s->err, "%s: line %d: %s at byte %d", s->name, error.line, error.text,
			  error.position);
	return root;
}

static int decode(struct speedscope *s, const json_t *root)
{
	const json_t *profiles = json_object_get(root, "profiles");
	struct event_end e = {.bytes = input_offset(s->in)};
	const char *chosen = "";
	size_t i;
	int status;

	s->frames = json_object_get(json_object_get(root, "shared"), "frames");
	if (!json_is_array(s->frames) || !json_is_array(profiles) || !json_array_size(profiles))
		return error_set(s->err,
				 "%s: is JSON, but not of speedscope: it has no \"shared.frames\" "
				 "or no \"profiles\"",
				 s->name);
	status = choose(s, root, profiles, &chosen);
	for (i = 0; !status && i < json_array_size(profiles); i++) {
		const json_t *profile = json_array_get(profiles, i);
		const struct unit *unit = unit_of(profile);

		s->profile = i;
		if (!unit)
			status = wrong(s, "a unit that is not known");
		else if (!strcmp(unit->resource, chosen)) {
			s->scale = unit->scale;
			status = push_profile(s, profile);
		}
	}
	e.ticks = s->hits;
	e.time_us = s->end_us;
	if (!status && s->sink->end)
		status = s->sink->end(s->sink->context, &e, s->err);
	return status < 0 ? -1 : 0;
}

static int run(struct input *in, const char *path, const struct event_sink *sink, struct error *err)
{
	struct speedscope s = {.sink = sink, .err = err, .in = in, .name = input_name(in)};
	json_t *root = parse(&s);
	int status = root ? decode(&s, root) : -1;

	(void)path;
	json_decref(root);
	stack_free(&s.stack);
	free(s.open);
	return status;
}

/* JSON, whose first key may be any. */
static int detect(const unsigned char *head, size_t n)
{
	size_t i = 0;

	while (i < n && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	if (i == n || head[i++] != '{')
		return 0;
	while (i < n && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	return i < n && head[i] == '"';
}

const struct decoder decode_speedscope = {
	.kind = {.name = "profiles of speedscope",
		 .has_names = true,
		 .has_times = true,
		 .has_threads = true,
		 .has_pid = true},
	.detect = detect,
	.run = run,
};
