/* SPDX-License-Identifier: MIT */
/*
 * decode_record.c - decodes the records other than samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "read/decode.h"
#include "read/decode_stream.h"
#include "read/pack_file.h"

/* ---- decode fields --------------------------------------------------------------------------- */

bool decode_field_read(struct cursor *c, const struct decode_field *table, void *into,
		       uint64_t *number)
{
	uint64_t key, value = 0;
	struct event_text text;

	if (!cursor_varint(c, &key))
		return false;
	enum decode_field_kind kind = key & 1 ? FIELD_TEXT : FIELD_NUMBER;
	if (kind == FIELD_TEXT ? !cursor_text(c, &text) : !cursor_varint(c, &value))
		return false;
	*number = key >> 1;
	while (table->number && table->number != *number)
		table++;
	if (!table->number)
		return true;
	if (table->kind != kind)
		return cursor_fail(c, "a text stands for a number, or a number for a text");
	if (kind == FIELD_TEXT)
		memcpy((char *)into + table->offset, &text, sizeof(text));
	else
		memcpy((char *)into + table->offset, &value, sizeof(value));
	return true;
}

/* ---- decode counted -------------------------------------------------------------------------- */
/*
 * Reads what the recorder counted and which blocks were freed.
 *
 * In: records of version 4, and what was credited. Out: freed events, and at the end an event for
 * each resource.
 */

static int counted_wrong(struct decode_stream *s, const char *wrong)
{
	s->wrong = wrong;
	return -1;
}

static int decode_resources_counted(struct decode_stream *s, struct cursor *c)
{
	struct decode_resources *r = s->resources;
	uint64_t resource, counted, events;

	while (c->at != c->end) {
		if (!cursor_varint(c, &resource) || !cursor_varint(c, &counted) ||
		    !cursor_varint(c, &events))
			return counted_wrong(s, c->wrong);
		if (resource >= r->n)
			return counted_wrong(s, "a resource is unknown");
		r->list[resource].counted = counted;
		r->list[resource].events = events;
		r->list[resource].has_counted = true;
	}
	return 0;
}

static int decode_resources_freed(struct decode_stream *s, struct cursor *c)
{
	struct event_freed e = {0};
	uint64_t later;
	int64_t more;

	if (!cursor_varint(c, &e.time_us))
		return counted_wrong(s, c->wrong);
	while (c->at != c->end) {
		if (!cursor_zigzag(c, &more) || !cursor_varint(c, &later))
			return counted_wrong(s, c->wrong);
		e.number += (uint64_t)more;
		if (!e.number || e.number > INT64_MAX ||
		    __builtin_add_overflow(e.time_us, later, &e.time_us))
			return counted_wrong(s, "a number or a time is out of range");
		if (live_heap_freed(&s->resources->blocks, &e))
			return error_memory(s->err);
		if (s->sink->freed && s->sink->freed(s->sink->context, &e, s->err))
			return -1;
	}
	return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What each atom has for the resource: all of its samples, or those of memory that is live. */
static int amounts_of(struct decode_stream *s, uint32_t number,
		      struct decode_amount amounts[DECODE_ATOMS])
{
	const struct decode_resources *r = s->resources;

	if (decode_resources_is_live(&r->list[number]))
		return live_heap_amounts(s, amounts) ? error_memory(s->err) : 0;
	for (unsigned i = 0; i < DECODE_ATOMS; i++) {
		const struct decode_atom *a = &r->atoms[i];

		amounts[i] = decode_atom_has(a, number) ? (struct decode_amount){a->weight, a->hits}
							: (struct decode_amount){0};
	}
	return 0;
}

/* The states of the resource's atoms, each once, and what was credited in them. Returns how many there
 * are. Sums are checked by the caller, who adds up the same weights. */
static size_t states_of(const struct decode_resources *r, uint32_t number,
			const struct decode_amount amounts[DECODE_ATOMS],
			struct event_text states[DECODE_ATOMS], uint64_t weights[DECODE_ATOMS])
{
	size_t n = 0, k;

	for (unsigned i = 0; i < DECODE_ATOMS; i++) {
		const struct decode_atom *a = &r->atoms[i];

		if (!a->state || !decode_atom_has(a, number))
			continue;
		states[n] = event_text_of(a->state);
		for (k = 0; k < n && strcmp(states[k].bytes, a->state) != 0;)
			k++;
		weights[k] = (k < n ? weights[k] : 0) + amounts[i].weight;
		n += k == n;
	}
	return n;
}

static int add_up(struct decode_stream *s, uint32_t number,
		  const struct decode_amount amounts[DECODE_ATOMS], struct event_resource *e)
{
	const struct decode_atom *atoms = s->resources->atoms;
	bool has_any = false;

	for (unsigned i = 0; i < DECODE_ATOMS; i++) {
		has_any |= atoms[i].weight && decode_atom_has(&atoms[i], number);
		e->samples += amounts[i].hits;
		if (__builtin_add_overflow(e->credited, amounts[i].weight, &e->credited))
			return counted_wrong(s,
					     "overflow: the sum of weights does not fit 64 bits");
	}
	/* Something was there, so that this count says nothing. */
	if (has_any && !e->counted)
		e->has_counted = false;
	return 0;
}

static int resource_push(struct decode_stream *s, uint32_t number)
{
	struct decode_amount amounts[DECODE_ATOMS];
	struct event_text states[DECODE_ATOMS];
	uint64_t weights[DECODE_ATOMS];
	const struct decode_resource *from = &s->resources->list[number];
	struct event_resource e = {
		.name = event_text_of(from->name),
		.unit = event_text_of(from->unit),
		.engine = event_text_of(from->engine),
		.why = event_text_of(from->why),
		.interval = from->interval,
		.is_time = from->flags & CPS_RESOURCE_IS_TIME,
		.is_live = decode_resources_is_live(from),
		.states = states,
		.in_states = weights,
		.has_counted = from->has_counted,
		.counted = from->counted,
		.events = from->events,
	};

	if (amounts_of(s, number, amounts))
		return -1;
	e.n_states = states_of(s->resources, number, amounts, states, weights);
	if (add_up(s, number, amounts, &e))
		return -1;
	return s->sink->resource ? s->sink->resource(s->sink->context, &e, s->err) : 0;
}

int decode_resources_end(struct decode_stream *s)
{
	for (uint32_t i = 0; i < s->resources->n; i++)
		if (resource_push(s, i))
			return -1;
	return 0;
}

/* ---- decode record --------------------------------------------------------------------------- */
/*
 * Decodes the records other than samples.
 *
 * In: a record's payload. Out: an event for each record. The end record is an exception: its fields
 * are kept until the end.
 */

bool decode_record_frame(struct cursor *c, uint64_t *tag, uint64_t *length)
{
	if (!cursor_varint(c, tag) || !cursor_varint(c, length))
		return false;
	if (*length > CPS_RECORD_BYTES_MAX)
		return cursor_fail(c, "a record is too long");
	return true;
}

bool decode_record_crc_is_right(const unsigned char *record, size_t n)
{
	const unsigned char *at = record + n;
	uint32_t crc = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;

	return crc32_z(0, record, n) == crc;
}

static int stream_wrong(struct decode_stream *s, const char *wrong)
{
	s->wrong = wrong;
	return -1;
}

/* ---- fields ---------------------------------------------------------------------------------- */

struct process_fields {
	struct event_process process;
	struct event_text arg; /* the latest one */
	uint64_t journal;
	uint64_t ancestor; /* likewise */
	uint64_t atom_bits;
	struct event_text runtime;
};

struct arg_list {
	struct event_text *list;
	size_t n, size;
};

#define IN_PROCESS(member) offsetof(struct process_fields, member)
#define IN_END(member)	   offsetof(struct event_end, member)

static const struct decode_field process_fields[] = {
	{CPS_PROCESS_PID, FIELD_NUMBER, IN_PROCESS(process.pid)},
	{CPS_PROCESS_PPID, FIELD_NUMBER, IN_PROCESS(process.ppid)},
	{CPS_PROCESS_START_NS, FIELD_NUMBER, IN_PROCESS(process.start_ns)},
	{CPS_PROCESS_RESOURCE, FIELD_TEXT, IN_PROCESS(process.resource)},
	{CPS_PROCESS_UNIT, FIELD_TEXT, IN_PROCESS(process.unit)},
	{CPS_PROCESS_SCALE, FIELD_NUMBER, IN_PROCESS(process.scale)},
	{CPS_PROCESS_INTERVAL, FIELD_NUMBER, IN_PROCESS(process.interval)},
	{CPS_PROCESS_ENGINE, FIELD_TEXT, IN_PROCESS(process.engine)},
	{CPS_PROCESS_EXE, FIELD_TEXT, IN_PROCESS(process.exe)},
	{CPS_PROCESS_ARG, FIELD_TEXT, IN_PROCESS(arg)},
	{CPS_PROCESS_STARTED_AS, FIELD_TEXT, IN_PROCESS(process.started_as)},
	{CPS_PROCESS_CWD, FIELD_TEXT, IN_PROCESS(process.cwd)},
	{CPS_PROCESS_HOST, FIELD_TEXT, IN_PROCESS(process.host)},
	{CPS_PROCESS_MACHINE, FIELD_TEXT, IN_PROCESS(process.machine)},
	{CPS_PROCESS_CPU_BEFORE_NS, FIELD_NUMBER, IN_PROCESS(process.cpu_before_ns)},
	{CPS_PROCESS_JOURNAL, FIELD_NUMBER, IN_PROCESS(journal)},
	{CPS_PROCESS_ENGINE_WHY, FIELD_TEXT, IN_PROCESS(process.engine_why)},
	{CPS_PROCESS_RECORDER, FIELD_TEXT, IN_PROCESS(process.recorder)},
	{CPS_PROCESS_UNWINDER, FIELD_TEXT, IN_PROCESS(process.unwinder)},
	{CPS_PROCESS_UNWINDER_WHY, FIELD_TEXT, IN_PROCESS(process.unwinder_why)},
	{CPS_PROCESS_TREE_PID, FIELD_NUMBER, IN_PROCESS(process.tree_pid)},
	{CPS_PROCESS_TREE_START, FIELD_NUMBER, IN_PROCESS(process.tree_start)},
	{CPS_PROCESS_ANCESTOR, FIELD_NUMBER, IN_PROCESS(ancestor)},
	{CPS_PROCESS_ATOM_BITS, FIELD_NUMBER, IN_PROCESS(atom_bits)},
	{CPS_PROCESS_RUNTIME, FIELD_TEXT, IN_PROCESS(runtime)},
	{CPS_PROCESS_RANK, FIELD_NUMBER, IN_PROCESS(process.rank)},
	{CPS_PROCESS_LAUNCHED, FIELD_TEXT, IN_PROCESS(process.launched)},
	{CPS_PROCESS_BEGAN_NS, FIELD_NUMBER, IN_PROCESS(process.began_ns)},
	{0},
};

static const struct decode_field end_fields[] = {
	{CPS_END_TIME_US, FIELD_NUMBER, IN_END(time_us)},
	{CPS_END_CPU_NS, FIELD_NUMBER, IN_END(cpu_ns)},
	{CPS_END_TICKS, FIELD_NUMBER, IN_END(ticks)},
	{CPS_END_BYTES, FIELD_NUMBER, IN_END(bytes)},
	{CPS_END_STOP, FIELD_NUMBER, IN_END(stop)},
	{CPS_END_ERROR, FIELD_NUMBER, IN_END(error)},
	{CPS_END_OWN_NS, FIELD_NUMBER, IN_END(own_ns)},
	{CPS_END_OWN_KERNEL_NS, FIELD_NUMBER, IN_END(own_kernel_ns)},
	{CPS_END_CHILDREN_NS, FIELD_NUMBER, IN_END(children_ns)},
	{CPS_END_DENIED, FIELD_NUMBER, IN_END(denied)},
	{CPS_END_DENIED_ERROR, FIELD_NUMBER, IN_END(denied_error)},
	{CPS_END_PYTHON, FIELD_NUMBER, IN_END(python)},
	{CPS_END_PYTHON_UNNAMED, FIELD_NUMBER, IN_END(python_unnamed)},
	{CPS_END_READY_NS, FIELD_NUMBER, IN_END(ready_ns)},
	{CPS_END_INTERRUPTED, FIELD_NUMBER, IN_END(interrupted)},
	{CPS_END_HOOKS_NS, FIELD_NUMBER, IN_END(hooks_ns)},
	{0},
};

/* ---- process --------------------------------------------------------------------------------- */

static int process_push(struct decode_stream *s, const struct event_process *e)
{
	int result = event_push_process(&s->sink, e, s->err);

	s->has_process = true;
	s->is_declined = result == EVENT_DECLINED || result == EVENT_ENOUGH;
	return result ? -1 : 0;
}

int decode_record_push_unknown_process(struct decode_stream *s)
{
	const struct event_process e = {.kind = &decode_stream.kind, .file = s->name, .scale = 1};

	return process_push(s, &e);
}

static int process_check(struct decode_stream *s, const struct event_process *e)
{
	if (!e->resource.length || !e->unit.length)
		return stream_wrong(s, "the process record does not say what was counted");
	if (!e->scale)
		return stream_wrong(s, "the process record has scale 0");
	if (e->rank >= CPS_RANKS)
		return stream_wrong(s, "the process record has a rank of 2^31 or more");
	return 0;
}

/* What followed the stacks of recordings that do not say it. */
static const struct event_text native = {"native", 6};

/* Those beyond the limit are left out. */
static void add_ancestor(struct event_process *e, uint64_t pid)
{
	if (e->n_ancestors < CPS_ANCESTORS_MAX)
		e->ancestors[e->n_ancestors++] = pid;
}

static int process_fields_read(struct decode_stream *s, struct cursor *c, struct process_fields *f,
			       struct arg_list *args)
{
	uint64_t number;

	while (c->at != c->end) {
		if (!decode_field_read(c, process_fields, f, &number))
			return stream_wrong(s, c->wrong);
		if (number == CPS_PROCESS_JOURNAL)
			s->has_journal = true;
		if (number == CPS_PROCESS_RANK)
			f->process.has_rank = true;
		if (number == CPS_PROCESS_ANCESTOR)
			add_ancestor(&f->process, f->ancestor);
		if (number != CPS_PROCESS_ARG)
			continue;
		if (!array_reserve(&args->list, &args->size, args->n + 1, sizeof(*args->list)))
			return error_memory(s->err);
		args->list[args->n++] = f->arg;
	}
	if (!f->process.unwinder.length)
		f->process.unwinder = native;
	return process_check(s, &f->process);
}

static void process_complete(const struct decode_stream *s, struct process_fields *f,
			     const struct arg_list *args)
{
	f->process.has_owner = s->has_owner;
	f->process.owner = s->owner;
	f->process.args = args->list;
	f->process.n_args = args->n;
}

int decode_record_offer(struct decode_stream *s, const unsigned char *payload, size_t n,
			const struct decode_resource *as)
{
	struct process_fields f = {
		.process = {.kind = &decode_stream.kind, .file = s->name, .scale = 1}};
	struct cursor c = {payload, payload + n, NULL};
	struct arg_list args = {NULL, 0, 0};
	int result = process_fields_read(s, &c, &f, &args);

	if (!result) {
		process_complete(s, &f, &args);
		f.process.resource = event_text_of(as->name);
		f.process.unit = event_text_of(as->unit);
		f.process.scale = as->scale;
		f.process.interval = as->interval;
		f.process.engine = event_text_of(as->engine);
		f.process.engine_why = event_text_of(as->why);
		result = event_push_process(&s->sink, &f.process, s->err);
	}
	free(args.list);
	return result;
}

static int record_process(struct decode_stream *s, struct cursor *c)
{
	const unsigned char *payload = c->at;
	struct process_fields f = {
		.process = {.kind = &decode_stream.kind, .file = s->name, .scale = 1}};
	struct arg_list args = {NULL, 0, 0};
	int result = process_fields_read(s, c, &f, &args);

	if (!result) {
		s->scale = f.process.scale;
		s->journal = f.journal;
		s->start_ns = f.process.start_ns;
		s->pid = f.process.pid;
		s->is_go = f.runtime.length == 2 && !memcmp(f.runtime.bytes, "Go", 2);
		snprintf(s->host, sizeof(s->host), "%.*s", (int)f.process.host.length,
			 f.process.host.length ? f.process.host.bytes : "");
		process_complete(s, &f, &args);
		if (s->version < 4)
			result = process_push(s, &f.process);
		else
			result = decode_resources_begin(s, &f.process, f.atom_bits, payload,
							(size_t)(c->end - payload));
	}
	free(args.list);
	return result;
}

/* ---- the others ------------------------------------------------------------------------------ */

static bool segment_read(struct cursor *c, struct event_segment *s)
{
	return cursor_varint(c, &s->vaddr) && cursor_varint(c, &s->memory_bytes) &&
	       cursor_varint(c, &s->file_offset) && cursor_varint(c, &s->file_bytes) &&
	       cursor_u32(c, &s->flags);
}

static bool module_read(struct cursor *c, struct event_module *m, struct event_segment *segments)
{
	uint64_t flags, n;

	if (!cursor_u32(c, &m->id))
		return false;
	if (m->id >= CPS_MODULES_MAX)
		return cursor_fail(c, "a module's number is too large");
	if (!cursor_text(c, &m->path) || !cursor_text(c, &m->build_id) ||
	    !cursor_varint(c, &m->bias) || !cursor_varint(c, &flags) || !cursor_varint(c, &n))
		return false;
	if (n > CPS_SEGMENTS_MAX)
		return cursor_fail(c, "a module has too many segments");
	m->is_vdso = flags & CPS_MODULE_VDSO;
	m->segments = segments;
	for (; m->n_segments < n; m->n_segments++)
		if (!segment_read(c, &segments[m->n_segments]))
			return false;
	return true;
}

static int record_module(struct decode_stream *s, struct cursor *c)
{
	struct event_segment segments[CPS_SEGMENTS_MAX];
	struct event_module m = {0};

	if (!module_read(c, &m, segments))
		return stream_wrong(s, c->wrong);
	if (c->at != c->end)
		return stream_wrong(s, "a module record has too many bytes");
	return s->sink->module ? s->sink->module(s->sink->context, &m, s->err) : 0;
}

static int record_thread(struct decode_stream *s, struct cursor *c)
{
	struct event_thread t = {0};

	if (!cursor_u32(c, &t.id) || !cursor_varint(c, &t.tid) || !cursor_varint(c, &t.start_us) ||
	    !cursor_text(c, &t.name))
		return stream_wrong(s, c->wrong);
	if (c->at != c->end)
		return stream_wrong(s, "a thread record has too many bytes");
	return s->sink->thread ? s->sink->thread(s->sink->context, &t, s->err) : 0;
}

static int record_loss(struct decode_stream *s, struct cursor *c)
{
	struct event_loss loss;

	while (c->at != c->end) {
		if (!cursor_u32(c, &loss.reason) || !cursor_varint(c, &loss.count))
			return stream_wrong(s, c->wrong);
		if (loss.reason < CPS_JOURNAL_REASONS)
			s->losses[loss.reason] = loss.count;
		if (s->sink->loss && s->sink->loss(s->sink->context, &loss, s->err))
			return -1;
	}
	return 0;
}

static int record_mark(struct decode_stream *s, struct cursor *c)
{
	struct event_mark m = {0};

	if (!cursor_varint(c, &m.time_us) || !cursor_u32(c, &m.thread) || !cursor_text(c, &m.name))
		return stream_wrong(s, c->wrong);
	if (c->at != c->end)
		return stream_wrong(s, "a mark has too many bytes");
	return s->sink->mark ? s->sink->mark(s->sink->context, &m, s->err) : 0;
}

static int record_engine(struct decode_stream *s, struct cursor *c)
{
	struct event_engine e = {0};

	if (!cursor_text(c, &e.engine) || !cursor_text(c, &e.why))
		return stream_wrong(s, c->wrong);
	if (c->at != c->end)
		return stream_wrong(s, "an engine record has too many bytes");
	if (s->resources)
		return decode_resources_engine(s, &e);
	return s->sink->engine ? s->sink->engine(s->sink->context, &e, s->err) : 0;
}

static int jit_push(struct decode_stream *s, const char *text, size_t n)
{
	const struct event_jit e = {{text, n}};

	if (n)
		s->jit_is_open = text[n - 1] != '\n';
	return s->sink->jit && n ? s->sink->jit(s->sink->context, &e, s->err) : 0;
}

/* If a piece is missing, the line before it has no end, and the one behind it no beginning. */
static int record_jit(struct decode_stream *s, const unsigned char *payload, size_t n)
{
	static const char end[] = "...\n";
	const unsigned char *line = payload;

	if (s->jit_is_torn) {
		line = n ? memchr(payload, '\n', n) : NULL;
		line = line ? line + 1 : payload + n;
		if (s->jit_is_open && jit_push(s, end, sizeof(end) - 1))
			return -1;
		s->jit_is_torn = line == payload + n && n && line[-1] != '\n';
	}
	return jit_push(s, (const char *)line, (size_t)(payload + n - line));
}

static int record_end(struct decode_stream *s, struct cursor *c)
{
	uint64_t number;

	while (c->at != c->end)
		if (!decode_field_read(c, end_fields, &s->end, &number))
			return stream_wrong(s, c->wrong);
	s->has_end = true;
	return 0;
}

static int record_samples(struct decode_stream *s, const unsigned char *payload, size_t n,
			  struct decode_batch_id *id)
{
	bool torn = false;

	if (decode_batch(s, payload, n, &torn))
		return -1;
	if (torn || !decode_batch_identify(payload, n, id))
		return stream_wrong(s, "a batch of samples ends too early");
	return 0;
}

static int record_batch(struct decode_stream *s, uint64_t tag, const unsigned char *payload,
			size_t n)
{
	struct decode_batch_id id;

	if (tag != CPS_TAG_SAMPLES ? decode_columnar(s, tag, payload, n, &id)
				   : record_samples(s, payload, n, &id))
		return -1;
	if (!array_reserve(&s->batches, &s->batches_size, s->n_batches + 1, sizeof(*s->batches)))
		return error_memory(s->err);
	s->batches[s->n_batches++] = id;
	return 0;
}

/* Records that only version 4 has. */
static int record_of_resources(struct decode_stream *s, uint64_t tag, struct cursor *c)
{
	switch (tag) {
	case CPS_TAG_RESOURCE:
		return decode_resources_resource(s, c);
	case CPS_TAG_ATOM:
		return decode_resources_atom(s, c);
	case CPS_TAG_COUNTED:
		return decode_resources_counted(s, c);
	case CPS_TAG_FREED:
		return decode_resources_freed(s, c);
	default:
		return 0;
	}
}

static int record_decode(struct decode_stream *s, uint64_t tag, const unsigned char *payload,
			 size_t n)
{
	struct cursor c = {payload, payload + n, NULL};

	switch (tag) {
	case CPS_TAG_PROCESS:
		return record_process(s, &c);
	case CPS_TAG_MODULE:
		return record_module(s, &c);
	case CPS_TAG_THREAD:
		return record_thread(s, &c);
	case CPS_TAG_SAMPLES:
	case CPS_TAG_COLUMNAR_2:
	case CPS_TAG_COLUMNAR:
		return record_batch(s, tag, payload, n);
	case CPS_TAG_LOSS:
		return record_loss(s, &c);
	case CPS_TAG_END:
		return record_end(s, &c);
	case CPS_TAG_MARK:
		return record_mark(s, &c);
	case CPS_TAG_ENGINE:
		return record_engine(s, &c);
	case CPS_TAG_JIT:
		return record_jit(s, payload, n);
	case CPS_TAG_CALLED:
		return decode_calls_functions(s, &c);
	case CPS_TAG_CALLS:
		return decode_calls_states(s, &c);
	case CPS_TAG_CALL_TIMES:
		return s->resources ? decode_calls_times(s, &c) : 0;
	default:
		return s->resources ? record_of_resources(s, tag, &c) : 0;
	}
}

int decode_record(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n)
{
	if ((tag == CPS_TAG_PROCESS) == s->has_process)
		return tag == CPS_TAG_PROCESS
			       ? stream_wrong(s, "a second process record")
			       : stream_wrong(s, "the first record is not the process record");
	if (record_decode(s, tag, payload, n))
		return -1;
	return s->resources ? decode_resources_keep(s, tag, payload, n) : 0;
}

/* ---- decode map ------------------------------------------------------------------------------ */
/*
 * Pushes the perf map that was packed with a recording.
 *
 * In: the path of a recording in a pack. Out: events of generated code.
 *
 * Elsewhere the map is in the recording or in a file in /tmp, which does not stay there.
 */

#define PIECE_BYTES 65536u

static int push_piece(struct decode_stream *s, const struct pack_file *pack,
		      const struct pack_span *piece)
{
	char bytes[PIECE_BYTES];
	const struct event_jit e = {{bytes, (size_t)piece->bytes}};

	if (pack_file_read(pack, piece, bytes, s->err))
		return -1;
	return s->sink->jit(s->sink->context, &e, s->err);
}

int decode_map(struct decode_stream *s, const char *path)
{
	struct pack_entry entry;
	struct pack_file pack;
	int status = 0;

	if (!s->life || !s->sink->jit)
		return 0;
	if (pack_file_find(&pack, path, &entry, s->err) <= 0)
		return -1;
	for (struct pack_span rest = entry.parts[PACK_MAP]; !status && rest.bytes;) {
		struct pack_span piece = rest;

		if (piece.bytes > PIECE_BYTES)
			piece.bytes = PIECE_BYTES;
		status = push_piece(s, &pack, &piece);
		rest.offset += piece.bytes;
		rest.bytes -= piece.bytes;
	}
	pack_file_close(&pack);
	return status;
}
