/* SPDX-License-Identifier: MIT */
/*
 * decode_calls.c - decodes calls that were counted, in the stream or in the file beside it.
 *
 * In: records, a file. Out: called, machine and counted events.
 *
 * States come in order, and each says only smaller numbers, so that a machine is known by how many of its states there were. Function
 * 0 begins all anew: a recording that goes on after an exec has all counts once more at its end. A file that is not as it should
 * be is left out as a whole: some of the counts would look like all of them. So it is read twice, the first time for nobody.
 */
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "read/decode_stream.h"
#include "read/pack_file.h"

/* Of a record's tag, length and checksum. */
#define FRAME_BYTES 24u

/* It is only seen whether all is right. */
static const struct event_sink nobody = {0};

void decode_calls_forget(struct decode_calls *c)
{
	for (size_t i = 0; i < c->n_machines; i++)
		free(c->machines[i].states);
	free(c->machines);
	free(c->functions);
	*c = (struct decode_calls){0};
}

/* Behind a damage, what a record builds on may be lost. */
static int calls_wrong(struct decode_stream *s, const char *wrong)
{
	if (s->calls.has_gap) {
		s->calls.is_torn = true;
		return 0;
	}
	s->wrong = wrong;
	return -1;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool function_read(struct cursor *c, struct event_called *e)
{
	uint64_t module;

	if (!cursor_varint(c, &module) || !cursor_varint(c, &e->frame.address))
		return false;
	if (module > CPS_MODULES_MAX)
		return cursor_fail(c, "a module's number is too large");
	e->frame.module = module ? (uint32_t)module - 1 : EVENT_NO_MODULE;
	return true;
}

int decode_calls_functions(struct decode_stream *s, struct cursor *c)
{
	const struct event_sink *sink = s->sink;
	struct event_called e = {0};

	if (!cursor_u32(c, &e.number))
		return calls_wrong(s, c->wrong);
	if (!e.number) {
		decode_calls_forget(&s->calls);
		s->calls.until_us = s->latest_us;
	}
	if (e.number != s->calls.n_functions)
		return calls_wrong(s, "called functions are not in order");
	for (; c->at != c->end; e.number++) {
		if (e.number == UINT32_MAX / 2)
			return calls_wrong(s, "there are too many called functions");
		if (!function_read(c, &e))
			return calls_wrong(s, c->wrong);
		if (!array_reserve(&s->calls.functions, &s->calls.functions_size,
				   (size_t)s->calls.n_functions + 1, sizeof(*s->calls.functions)))
			return error_memory(s->err);
		s->calls.functions[s->calls.n_functions++] = e.frame;
		if (sink->called && sink->called(sink->context, &e, s->err))
			return -1;
	}
	return 0;
}

static bool state_read(struct cursor *c, const struct decode_calls *calls, struct event_counted *e)
{
	uint64_t function;

	if (!cursor_u32(c, &e->from) || !cursor_varint(c, &function) ||
	    !cursor_varint(c, &e->entered) || !cursor_varint(c, &e->direct))
		return false;
	if (e->from >= e->state)
		return cursor_fail(c, "a state of calls comes before the one that it is from");
	if (function / 2 >= calls->n_functions)
		return cursor_fail(c, "a called function is unknown");
	e->function = (uint32_t)(function / 2);
	e->is_cut = function & CPS_CALLS_CUT;
	return true;
}

static bool count(struct decode_calls *c, uint64_t n)
{
	return !__builtin_add_overflow(c->calls, n, &c->calls);
}

/* The head of the record. False with c->wrong. */
static bool machine_read(struct cursor *c, const struct decode_calls *calls,
			 struct event_machine *e, uint32_t *first)
{
	if (!cursor_u32(c, &e->number) || !cursor_varint(c, &e->transitions) ||
	    !cursor_varint(c, &e->missed) || !cursor_u32(c, first))
		return false;
	if (e->number > calls->n_machines)
		return cursor_fail(c, "machines that count calls are not in order");
	if (!*first ||
	    *first - 1 != (e->number < calls->n_machines ? calls->machines[e->number].n : 0))
		return cursor_fail(c, "states of calls are not in order");
	return true;
}

/* Add state e->state, which is the next one. */
static int state_keep(struct decode_machine *m, const struct event_counted *e)
{
	if (!array_reserve(&m->states, &m->size, (size_t)e->state + 1, sizeof(*m->states)))
		return -1;
	m->states[e->state] = (struct decode_state){0, e->from, e->function, e->is_cut};
	m->n = e->state;
	return 0;
}

static int states_push(struct decode_stream *s, struct cursor *c, uint32_t machine,
		       struct event_counted *e)
{
	const struct event_sink *sink = s->sink;

	for (; c->at != c->end; e->state++) {
		if (e->state == UINT32_MAX)
			return calls_wrong(s, "there are too many states of calls");
		if (!state_read(c, &s->calls, e))
			return calls_wrong(s, c->wrong);
		if (!count(&s->calls, e->entered) || !count(&s->calls, e->direct))
			return calls_wrong(s, "overflow: the calls do not fit 64 bits");
		if (state_keep(&s->calls.machines[machine], e))
			return error_memory(s->err);
		if (sink->counted && sink->counted(sink->context, e, s->err))
			return -1;
	}
	return 0;
}

int decode_calls_states(struct decode_stream *s, struct cursor *c)
{
	const struct event_sink *sink = s->sink;
	struct decode_calls *calls = &s->calls;
	struct event_counted e = {0};
	struct event_machine m;

	if (!machine_read(c, calls, &m, &e.state))
		return calls_wrong(s, c->wrong);
	if (m.number == calls->n_machines) {
		if (!array_reserve(&calls->machines, &calls->machines_size, calls->n_machines + 1,
				   sizeof(*calls->machines)))
			return error_memory(s->err);
		calls->machines[calls->n_machines++] = (struct decode_machine){0};
	}
	if (sink->machine && sink->machine(sink->context, &m, s->err))
		return -1;
	return states_push(s, c, m.number, &e);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* What has passed since counting began, in both units, and the state whose time comes next. */
struct times {
	uint32_t machine, state;
	uint64_t cycles, ns;
};

/* False with c->wrong. */
static bool times_read(struct cursor *c, const struct decode_calls *calls, struct times *t)
{
	if (!cursor_u32(c, &t->machine) || !cursor_varint(c, &t->cycles) ||
	    !cursor_varint(c, &t->ns) || !cursor_u32(c, &t->state))
		return false;
	if (t->machine >= calls->n_machines || !t->state ||
	    t->state - 1 != calls->machines[t->machine].n_timed)
		return cursor_fail(c, "times of calls are not in order");
	return true;
}

/* The time of the next state. False with c->wrong. */
static bool time_read(struct cursor *c, const struct times *t, struct decode_machine *m)
{
	uint64_t cycles;
	unsigned __int128 ns;

	if (!cursor_varint(c, &cycles))
		return false;
	if (m->n_timed == m->n)
		return cursor_fail(c, "a state with a time is unknown");
	ns = t->cycles ? (unsigned __int128)cycles * t->ns / t->cycles : 0;
	if (ns > UINT64_MAX)
		return cursor_fail(c, "overflow: a time of calls does not fit 64 bits");
	m->states[++m->n_timed].ns = (uint64_t)ns;
	return true;
}

int decode_calls_times(struct decode_stream *s, struct cursor *c)
{
	struct times t;

	if (s->sink != &nobody && s->resources && decode_resources_calls_time(s))
		return -1;
	if (!times_read(c, &s->calls, &t))
		return calls_wrong(s, c->wrong);
	while (c->at != c->end)
		if (!time_read(c, &t, &s->calls.machines[t.machine]))
			return calls_wrong(s, c->wrong);
	return 0;
}

#define DEEPEST	    4096u      /* frames of a path that are shown ... */
#define FRAMES_MOST (1u << 26) /* ... and of all paths; of more states only the caller is known */

/* The path by which the state was made. Of one whose history was not kept only the caller is known. */
static int time_push(struct decode_stream *s, const struct decode_machine *m, uint32_t state,
		     struct event_frame *stack, uint64_t *frames)
{
	struct event_sample e = {.thread = EVENT_ALL_THREADS, .time_us = s->latest_us, .hits = 1};
	size_t most = m->states[state].is_cut || *frames > FRAMES_MOST ? 2 : DEEPEST;

	e.weight = m->states[state].ns;
	if (!e.weight)
		return 0;
	if (!s->resources->atoms[DECODE_ATOMS - 1].is_taken)
		most = 0; /* only its weight is asked for */
	for (; state && e.depth < most; state = m->states[state].from)
		stack[DEEPEST - ++e.depth] = s->calls.functions[m->states[state].function];
	*frames += e.depth;
	e.frames = stack + DEEPEST - e.depth;
	e.mark = state ? CPS_MARK_BOUNDED : CPS_MARK_COMPLETE;
	return decode_resources_sample(s, &e, DECODE_ATOMS - 1);
}

static int thread_push(struct decode_stream *s)
{
	const struct event_thread all = {.id = EVENT_ALL_THREADS,
					 .name = event_text_of("all threads")};

	if (!s->resources->atoms[DECODE_ATOMS - 1].is_taken || !s->sink->thread)
		return 0;
	return s->sink->thread(s->sink->context, &all, s->err);
}

int decode_calls_end(struct decode_stream *s)
{
	struct event_frame *stack;
	uint64_t frames = 0;
	int status;

	if (!s->resources->has_calls_time)
		return 0;
	stack = calloc(DEEPEST, sizeof(*stack));
	if (!stack)
		return error_memory(s->err);
	status = thread_push(s);
	for (size_t i = 0; i < s->calls.n_machines; i++)
		for (uint32_t k = 1; k <= s->calls.machines[i].n && !status; k++)
			status = time_push(s, &s->calls.machines[i], k, stack, &frames);
	free(stack);
	return status;
}

/* ---- the file beside the recording ----------------------------------------------------------- */

struct calls_file {
	struct decode_stream *s;
	int fd;
	off_t begin, offset, end;
	uint64_t until_us, hooks_ns; /* what its head says */
	unsigned char *bytes;	     /* FILE_BYTES */
	size_t at, n;		     /* where those are that come next, and how many there are */
};

/* What a record can have, and room for more, so that small records do not have all behind them moved. */
#define RECORD_BYTES (CPS_RECORD_BYTES_MAX + FRAME_BYTES)
#define FILE_BYTES   (2 * (size_t)RECORD_BYTES)

/* As many bytes as there are, at least up to what a record can have. */
static void fill(struct calls_file *f)
{
	ssize_t got = 1;

	if (f->n >= RECORD_BYTES || f->offset == f->end)
		return;
	memmove(f->bytes, f->bytes + f->at, f->n);
	f->at = 0;
	while (got > 0 && f->n < FILE_BYTES) {
		size_t room = FILE_BYTES - f->n;

		if (f->end - f->offset < (off_t)room)
			room = (size_t)(f->end - f->offset);
		got = pread(f->fd, f->bytes + f->n, room, f->offset);
		if (got > 0) {
			f->n += (size_t)got;
			f->offset += got;
		}
	}
}

static void drop(struct calls_file *f, size_t n)
{
	f->at += n;
	f->n -= n;
}

static uint64_t number_at(const unsigned char *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return le64toh(number);
}

/* What is wrong with the head, or NULL. */
static const char *head_take(struct calls_file *f)
{
	const unsigned char *head = f->bytes + f->at, *at = head + sizeof(CPS_CALLS_MAGIC) - 1;
	struct decode_stream *s = f->s;

	if (f->n < CPS_CALLS_HEAD_BYTES || memcmp(head, CPS_CALLS_MAGIC, 8) != 0)
		return "has another file's head";
	if (*at != CPS_CALLS_VERSION)
		return "has an unknown version";
	if (!s->has_journal || number_at(at + 1) != s->journal)
		return "is another recording's";
	f->until_us = number_at(at + 9);
	f->hooks_ns = number_at(at + 17);
	drop(f, CPS_CALLS_HEAD_BYTES);
	return NULL;
}

/* Decode the record at the beginning. -1: error, or with s->wrong the file is wrong. */
static int record_take(struct calls_file *f)
{
	const unsigned char *bytes = f->bytes + f->at;
	struct cursor c = {bytes, bytes + f->n, NULL};
	struct decode_stream *s = f->s;
	uint64_t tag, length;
	size_t head;

	s->wrong = "ends inside a record";
	if (!decode_record_frame(&c, &tag, &length) || length + 4 > (size_t)(c.end - c.at))
		return -1;
	head = (size_t)(c.at - bytes);
	s->wrong = "has a wrong checksum";
	if (!decode_record_crc_is_right(bytes, head + length))
		return -1;
	s->wrong = "has a record that is out of place";
	if (tag != CPS_TAG_CALLED && tag != CPS_TAG_CALLS && tag != CPS_TAG_CALL_TIMES)
		return -1;
	s->wrong = NULL;
	c.end = c.at + length;
	if (tag == CPS_TAG_CALLED  ? decode_calls_functions(s, &c)
	    : tag == CPS_TAG_CALLS ? decode_calls_states(s, &c)
				   : decode_calls_times(s, &c))
		return -1;
	drop(f, head + length + 4);
	return 0;
}

/* Read the whole file. -1: error, or with *wrong the file is wrong. */
static int read_all(struct calls_file *f, const char **wrong)
{
	int status = 0;

	decode_calls_forget(&f->s->calls);
	f->at = f->n = 0;
	f->offset = f->begin;
	fill(f);
	*wrong = head_take(f);
	for (fill(f); !*wrong && !status && f->n; fill(f)) {
		status = record_take(f);
		*wrong = f->s->wrong;
		f->s->wrong = NULL;
	}
	f->s->calls.until_us = f->until_us;
	f->s->calls.hooks_ns = f->hooks_ns;
	return status || *wrong ? -1 : 0;
}

/* What the sink has missed is pushed now, and before what comes next. */
static int resource_make(struct decode_stream *s)
{
	bool has_times = false;

	for (size_t i = 0; i < s->calls.n_machines; i++)
		has_times |= s->calls.machines[i].n_timed > 0;
	return has_times && s->resources ? decode_resources_calls_time(s) : 0;
}

/* Read it for nobody, and then, if it has more than the stream, for the sink. */
static int use(struct calls_file *f, const char **wrong)
{
	struct decode_calls before = f->s->calls;
	const struct event_sink *sink = f->s->sink;
	struct error unused;
	struct error *err = f->s->err;
	int status;

	f->bytes = malloc(FILE_BYTES);
	if (!f->bytes)
		return error_memory(err);
	f->s->calls = (struct decode_calls){0};
	f->s->sink = &nobody;
	f->s->err = &unused;
	status = read_all(f, wrong);
	f->s->sink = sink;
	f->s->err = err;
	if (status && !*wrong)
		error_memory(err); /* nobody refuses anything */
	if (status || (before.n_functions && f->until_us <= before.until_us)) {
		decode_calls_forget(&f->s->calls);
		f->s->calls = before;
	} else {
		decode_calls_forget(&before);
		status = resource_make(f->s) ? -1 : read_all(f, wrong);
	}
	free(f->bytes);
	return status && !*wrong ? -1 : 0;
}

/* The file of a recording in a pack is another part of it. */
static void open_packed(struct calls_file *f, const char *path)
{
	struct pack_entry entry;
	struct pack_file pack;
	struct error unused; /* the recording was read from the same pack */

	if (pack_file_find(&pack, path, &entry, &unused) <= 0)
		return;
	if (!entry.parts[PACK_CALLS].bytes) {
		pack_file_close(&pack);
		return;
	}
	f->fd = pack.fd;
	f->begin = (off_t)entry.parts[PACK_CALLS].offset;
	f->end = f->begin + (off_t)entry.parts[PACK_CALLS].bytes;
}

/* It must be a regular file: to open another kind might block. */
static void open_beside(struct calls_file *f, const char *path)
{
	struct stat st;
	char *name;

	if (!strcmp(path, "-") || asprintf(&name, "%s" CPS_CALLS_SUFFIX, path) < 0)
		return;
	f->fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(name);
	if (f->fd >= 0 && (fstat(f->fd, &st) || !S_ISREG(st.st_mode))) {
		close(f->fd);
		f->fd = -1;
	}
	f->end = f->fd >= 0 ? st.st_size : 0;
}

int decode_calls_file(struct decode_stream *s, const char *path, char *text, size_t room)
{
	struct calls_file f = {.s = s, .fd = -1};
	const char *wrong = NULL;
	size_t n = strlen(text);
	int status = 0;

	if (s->life)
		open_packed(&f, path);
	else
		open_beside(&f, path);
	if (f.fd >= 0) {
		status = use(&f, &wrong);
		close(f.fd);
	}
	if (status)
		return -1;
	if (wrong) {
		s->calls.is_torn |= !s->calls.n_functions;
		n += (size_t)snprintf(text + n, room - n, "; the file of its calls %s", wrong);
	}
	if (n < room && !s->calls.is_torn && (s->calls.n_functions || f.fd >= 0))
		snprintf(text + n, room - n, "; calls are counted until %.3f s",
			 (double)s->calls.until_us / 1e6);
	return 0;
}
