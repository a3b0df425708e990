/* SPDX-License-Identifier: MIT */
/*
 * event_log.c - writes events as lines.
 *
 * In: events. Out: text; a line BROKEN where an event is not as event.h promises.
 */
#include "event_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "stream_writer.h"

__attribute__((format(printf, 2, 3))) static void add(struct event_log *log, const char *format,
						      ...)
{
	char *piece;
	va_list args;

	va_start(args, format);
	int n = vasprintf(&piece, format, args);
	va_end(args);
	if (n < 0)
		abort();
	if (log->n + (size_t)n + 1 > log->size) {
		log->size = (log->n + (size_t)n + 1) * 2;
		log->text = realloc(log->text, log->size);
	}
	memcpy(log->text + log->n, piece, (size_t)n + 1);
	log->n += (size_t)n;
	free(piece);
}

#define TEXT(t) (int)(t).length, (t).bytes ? (t).bytes : ""

static int on_process(void *context, const struct event_process *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	if (log->begun)
		add(log, "BROKEN: a second process\n");
	if (log->declines) {
		log->declines--;
		return EVENT_DECLINED;
	}
	log->begun = true;
	log->has_calls = e->has_calls;
	if (log->has_samples_only)
		return 0;
	add(log, "process %llu %.*s %.*s %llu", (unsigned long long)e->pid, TEXT(e->resource),
	    TEXT(e->unit), (unsigned long long)e->scale);
	for (size_t i = 0; i < e->n_args; i++)
		add(log, " %.*s", TEXT(e->args[i]));
	if (e->has_calls)
		add(log, " (calls%s)", e->has_inclusive ? ", inclusive" : "");
	add(log, "\n");
	return 0;
}

static void check_order(struct event_log *log)
{
	if (!log->begun || log->over)
		add(log, "BROKEN: an event before the process or after the end\n");
}

static int on_module(void *context, const struct event_module *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	if (log->has_samples_only)
		return 0;
	add(log, "module %u %.*s ", (unsigned)e->id, TEXT(e->path));
	for (size_t i = 0; i < e->build_id.length; i++)
		add(log, "%02x", (unsigned char)e->build_id.bytes[i]);
	add(log, " %zu\n", e->n_segments);
	return 0;
}

static int on_thread(void *context, const struct event_thread *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	if (!log->has_samples_only)
		add(log, "thread %u %llu %.*s\n", (unsigned)e->id, (unsigned long long)e->tid,
		    TEXT(e->name));
	return 0;
}

static bool frame_equal(const struct event_frame *a, const struct event_frame *b)
{
	return a->module == b->module && a->address == b->address &&
	       a->name.length == b->name.length &&
	       (!a->name.length || !memcmp(a->name.bytes, b->name.bytes, a->name.length));
}

static void frames_forget(struct event_log *log)
{
	for (size_t i = 0; i < log->depth; i++)
		free((char *)log->frames[i].name.bytes);
	free(log->frames);
	log->frames = NULL;
	log->depth = 0;
}

/* `keep` must hold against the previous event; then this one becomes the previous. */
static void check_keep(struct event_log *log, const struct event_sample *e)
{
	if (e->keep > log->depth || e->keep > e->depth)
		add(log, "BROKEN: keep is too large\n");
	for (size_t i = 0; i < e->keep && i < log->depth; i++)
		if (!frame_equal(&log->frames[i], &e->frames[i]))
			add(log, "BROKEN: a kept frame differs\n");
	frames_forget(log);
	log->frames = calloc(e->depth + 1, sizeof(*log->frames));
	for (; log->depth < e->depth; log->depth++) {
		struct event_frame *f = &log->frames[log->depth];
		*f = e->frames[log->depth];
		char *copy = malloc(f->name.length + 1);
		if (f->name.length)
			memcpy(copy, f->name.bytes, f->name.length);
		f->name.bytes = copy;
	}
}

static void add_function(struct event_log *log, const struct event_function *f)
{
	add(log, " \"%.*s\"", TEXT(f->name));
	if (f->file.length)
		add(log, "|%.*s", TEXT(f->file));
	if (f->object.length)
		add(log, "|%.*s", TEXT(f->object));
}

static void check_calls(struct event_log *log)
{
	check_order(log);
	if (!log->has_calls)
		add(log, "BROKEN: calls in a profile of stacks\n");
}

static int on_self(void *context, const struct event_self *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_calls(log);
	add(log, "self");
	add_function(log, &e->function);
	add(log, ": %llu x%llu inclusive %llu\n", (unsigned long long)e->weight,
	    (unsigned long long)e->hits, (unsigned long long)e->inclusive);
	return 0;
}

static int on_call(void *context, const struct event_call *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_calls(log);
	add(log, "call");
	add_function(log, &e->caller);
	add(log, " ->");
	add_function(log, &e->callee);
	add(log, ": %llu weight %llu\n", (unsigned long long)e->count,
	    (unsigned long long)e->weight);
	return 0;
}

static int on_sample(void *context, const struct event_sample *sample, struct error *err)
{
	struct event_log *log = context;
	const struct event_sample whole = whole_sample(&log->whole, sample), *e = &whole;

	(void)err;
	check_order(log);
	if (log->has_calls)
		add(log, "BROKEN: a sample in a profile of calls\n");
	log->again += e->is_again;
	if (!e->is_again)
		check_keep(log, e);
	log->samples++;
	log->hits += e->hits;
	log->weight += e->weight;
	add(log, "sample %u at %llu: %llu x%llu mark %u:", (unsigned)e->thread,
	    (unsigned long long)e->time_us, (unsigned long long)e->weight,
	    (unsigned long long)e->hits, (unsigned)e->mark);
	for (size_t i = 0; i < e->depth; i++) {
		const struct event_frame *f = &e->frames[i];
		if (f->name.bytes)
			add(log, " \"%.*s\"", TEXT(f->name));
		else if (f->module == EVENT_NO_MODULE)
			add(log, " ?+%llx", (unsigned long long)f->address);
		else
			add(log, " %u+%llx", (unsigned)f->module, (unsigned long long)f->address);
	}
	add(log, "\n");
	return 0;
}

static int on_loss(void *context, const struct event_loss *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	if (!log->has_samples_only)
		add(log, "loss %u %llu\n", (unsigned)e->reason, (unsigned long long)e->count);
	return 0;
}

static int on_mark(void *context, const struct event_mark *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	if (!log->has_samples_only)
		add(log, "mark %llu %u %.*s\n", (unsigned long long)e->time_us, (unsigned)e->thread,
		    TEXT(e->name));
	return 0;
}

static int on_engine(void *context, const struct event_engine *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	if (!log->has_samples_only)
		add(log, "engine %.*s, %.*s\n", TEXT(e->engine), TEXT(e->why));
	return 0;
}

/* A line feed is shown as a bar. */
static int on_jit(void *context, const struct event_jit *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	if (log->has_samples_only)
		return 0;
	add(log, "jit ");
	for (size_t i = 0; i < e->text.length; i++)
		add(log, "%c", e->text.bytes[i] == '\n' ? '|' : e->text.bytes[i]);
	add(log, "\n");
	return 0;
}

static int on_end(void *context, const struct event_end *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	log->over = true;
	if (log->has_samples_only)
		return 0;
	add(log, "end %llu %llu %llu %llu", (unsigned long long)e->time_us,
	    (unsigned long long)e->cpu_ns, (unsigned long long)e->ticks,
	    (unsigned long long)e->bytes);
	if (e->stop)
		add(log, " stop %llu %llu", (unsigned long long)e->stop,
		    (unsigned long long)e->error);
	add(log, "%s%s%s\n", e->note ? " " : "", e->note ? e->note : "",
	    e->has_totals ? " totals" : "");
	return 0;
}

static int on_cut(void *context, const struct event_cut *e, struct error *err)
{
	struct event_log *log = context;

	(void)err;
	check_order(log);
	log->over = log->was_cut = true;
	if (!log->has_samples_only)
		add(log, "cut %s\n", e->why);
	if (!log->has_samples_only && e->stop)
		add(log, "stop %llu %llu\n", (unsigned long long)e->stop,
		    (unsigned long long)e->error);
	return 0;
}

void event_log_init(struct event_log *log)
{
	*log = (struct event_log){
		.sink =
			{
				.context = log,
				.process = on_process,
				.module = on_module,
				.thread = on_thread,
				.sample = on_sample,
				.self = on_self,
				.call = on_call,
				.loss = on_loss,
				.mark = on_mark,
				.engine = on_engine,
				.jit = on_jit,
				.end = on_end,
				.cut = on_cut,
			},
	};
	add(log, "%s", "");
}

void event_log_free(struct event_log *log)
{
	frames_forget(log);
	whole_samples_free(&log->whole);
	free(log->text);
}

int event_log_decode(struct event_log *log, const char *path)
{
	struct error err = {0};

	event_log_init(log);
	int result = decode_file(path, &log->sink, &err);
	if (result)
		add(log, "error %s\n", err.text);
	else if (!log->over && log->begun)
		add(log, "BROKEN: neither end nor cut\n");
	return result;
}

int event_log_decode_bytes(struct event_log *log, const void *bytes, size_t n)
{
	const char *path = writer_path("in.cps");

	writer_file(path, bytes, n);
	return event_log_decode(log, path);
}
