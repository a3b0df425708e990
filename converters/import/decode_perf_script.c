/* SPDX-License-Identifier: MIT */
/*
 * decode_perf_script.c - decodes what `perf script` prints.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "import/stack.h"
#include "read/decode.h"
#include "read/event.h"
#include "read/input.h"

/* ---- perf line ------------------------------------------------------------------------------- */
/*
 * Takes a line of `perf script` apart.
 *
 * In: the bytes of a line. Out: the line of a sample, or a frame of its stack.
 */

/* The line of a sample: "shares 16346/16350 [001]  4188.819099:    2000000 cpu-clock:u: ". */
struct perf_head {
	const char *comm;
	size_t n_comm;
	uint64_t pid, tid, time_us, period;
	bool has_period;
	const char *event, *rest; /* what stands behind the event */
	size_t n_event;
};

/* "1367 seventy+0x17 (/tmp/shares)": the function without its offset, and the file. */
struct perf_frame {
	struct event_text function, file; /* empty: it is not known */
};

/* ---- words ------------------------------------------------------------------------------------ */

static const char *word_end(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

static const char *blanks_end(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The whole number of digits from *at on, which end before `end`. */
static bool take_number(const char **at, const char *end, uint64_t *number)
{
	const char *begin = *at;

	for (*number = 0; *at < end && isdigit((unsigned char)**at); ++*at)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
			return false;
	return *at > begin;
}

/* "4188.819099:": seconds with any number of decimals. */
static bool is_time(const char *at, const char *end, uint64_t *us)
{
	uint64_t seconds, digit = 100000, part = 0;

	if (!take_number(&at, end, &seconds) || at == end || *at++ != '.')
		return false;
	for (; at < end && isdigit((unsigned char)*at); at++, digit /= 10)
		part += digit * (uint64_t)(*at - '0');
	return end - at == 1 && *at == ':' && !__builtin_mul_overflow(seconds, 1000000, us) &&
	       !__builtin_add_overflow(*us, part, us);
}

/* "16346" or "16346/16350". */
static bool is_thread(const char *at, const char *end, struct perf_head *h)
{
	if (!take_number(&at, end, &h->pid))
		return false;
	h->tid = h->pid;
	if (at < end && *at == '/') {
		at++;
		if (!take_number(&at, end, &h->tid))
			return false;
	}
	return at == end;
}

/* Take what stands before the time: the name, the process, perhaps a processor and flags. */
static bool take_thread(const char *at, const char *end, struct perf_head *h)
{
	const char *word, *stop = end;

	at = blanks_end(at, end);
	h->comm = at;
	for (int words = 0; words < 3; words++) {
		while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t'))
			stop--;
		for (word = stop; word > at && word[-1] != ' ' && word[-1] != '\t';)
			word--;
		if (word == at)
			return false;
		if (is_thread(word, stop, h)) {
			while (word > at && (word[-1] == ' ' || word[-1] == '\t'))
				word--;
			h->n_comm = (size_t)(word - at);
			return h->n_comm > 0;
		}
		stop = word;
	}
	return false;
}

/* Returns false if the line is no such line. */
static bool perf_line_head(const char *at, const char *end, struct perf_head *h)
{
	const char *begin = at, *stop;

	*h = (struct perf_head){0};
	for (;; at = stop) {
		at = blanks_end(at, end);
		if (at == end)
			return false;
		stop = word_end(at, end);
		if (is_time(at, stop, &h->time_us))
			break;
	}
	if (!take_thread(begin, at, h))
		return false;
	at = blanks_end(stop, end);
	stop = at;
	h->has_period = take_number(&stop, end, &h->period) && stop < end &&
			(*stop == ' ' || *stop == '\t');
	if (h->has_period)
		at = blanks_end(stop, end);
	stop = word_end(at, end);
	h->event = at;
	h->n_event = (size_t)(stop - at);
	h->rest = blanks_end(stop, end);
	return h->n_event > 1 && stop[-1] == ':' && h->n_event--;
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* How long the name is without "+0x1f" at its end. */
static size_t without_offset(const char *name, size_t n)
{
	size_t digits = 0;

	while (digits < n && isxdigit((unsigned char)name[n - 1 - digits]))
		digits++;
	if (digits && n > digits + 3 && memcmp(name + n - digits - 3, "+0x", 3) == 0)
		return n - digits - 3;
	return n;
}

static bool is_blank(const char *begin, const char *at)
{
	return at == begin || at[-1] == ' ' || at[-1] == '\t';
}

/* The parenthesis around the file, which stands last; NULL: there is none. The file's own name may have
 * parentheses, as in "(/tmp/shares (deleted))", and so may the function's, as in "f(int (*)(int))", which has no
 * file behind it. */
static const char *file_begin(const char *begin, const char *end)
{
	const char *at = end;
	size_t depth = 0;

	if (end == begin || end[-1] != ')')
		return NULL;
	do {
		at--;
		depth += *at == ')';
		depth -= *at == '(';
	} while (depth && at > begin);
	if (!depth && is_blank(begin, at))
		return at;
	/* The parentheses of the file's name do not match. */
	for (at = end; (at = memrchr(begin, '(', (size_t)(at - begin)));)
		if (is_blank(begin, at) && (at[1] == '/' || at[1] == '['))
			return at;
	return NULL;
}

static struct event_text without(struct event_text text, const char *suffix)
{
	size_t n = strlen(suffix);

	if (text.length >= n && memcmp(text.bytes + text.length - n, suffix, n) == 0)
		text.length -= n;
	return text;
}

static struct event_text function_of(const char *at, const char *end)
{
	static const char unknown[] = "[unknown]";
	struct event_text name = {at, 0};

	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	name.length = without_offset(at, (size_t)(end - at));
	if (name.length == sizeof(unknown) - 1 && memcmp(at, unknown, name.length) == 0)
		name.length = 0;
	return name;
}

static bool perf_line_frame(const char *at, const char *end, struct perf_frame *f)
{
	const char *word = blanks_end(at, end), *stop = word, *file;

	*f = (struct perf_frame){.file = {"", 0}};
	while (stop < end && isxdigit((unsigned char)*stop))
		stop++;
	if (stop == word || stop - word > 16 || (stop < end && *stop != ' ' && *stop != '\t'))
		return false;
	at = blanks_end(stop, end);
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	file = file_begin(at, end);
	f->function = function_of(at, file ? file : end);
	if (file)
		f->file = without((struct event_text){file + 1, (size_t)(end - file - 2)},
				  " (deleted)");
	return true;
}

/* ---- decode perf script ---------------------------------------------------------------------- */
/*
 * Decodes what `perf script` prints.
 *
 * In: text. Out: a sample event per sample of one of the events that were counted: the first that the sink does
 * not decline.
 *
 *	shares 16346/16350 [001]  4188.819099:    2000000 cpu-clock:u:
 *		    1367 seventy+0x17 (/tmp/shares)
 *		    1070 main+0x40 (/tmp/shares)
 *
 * The line of a sample has the thread's name, which may have blanks, its process and thread or only the latter,
 * sometimes a processor, the time, sometimes the period, and the event. The stack follows, innermost frame
 * first, up to an empty line; without call chains the place stands behind the event. So a text that was cut in a line
 * or in a stack is known to be.
 */

struct perf {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	char *event; /* that is read; NULL: it is not chosen yet */
	size_t n_event;
	struct strings *declined;
	bool has_sample, is_taken, is_enough; /* of the sample at hand; nothing more is wanted */
	struct event_sample sample;
	uint64_t sample_offset;
	bool is_open;	   /* no empty line has ended its stack yet */
	bool has_lines;	   /* it has lines of a stack */
	bool is_stackless; /* there are samples without such lines, and without an empty one */
	struct stack stack;
	struct hash_secret secret;
	struct index threads; /* by tid: the number, from 0 */
	uint64_t begin_us, end_us, hits;
	bool has_begun;
};

/* ---- frames ----------------------------------------------------------------------------------- */

/* "[libc.so.6]" for code of a module that no symbol covers. */
static int add_module(struct perf *p, struct event_text file)
{
	const char *slash = memrchr(file.bytes, '/', file.length);
	char name[256];
	size_t n;

	if (slash) {
		file.length -= (size_t)(slash + 1 - file.bytes);
		file.bytes = slash + 1;
	}
	n = file.length;
	if (!n || *file.bytes == '[' || n > sizeof(name) - 2)
		return n ? stack_add_copy(&p->stack, file.bytes, n, p->err)
			 : stack_add(&p->stack, event_text_of("[unknown]"), p->err);
	name[0] = '[';
	memcpy(name + 1, file.bytes, n);
	name[n + 1] = ']';
	return stack_add_copy(&p->stack, name, n + 2, p->err);
}

/* Add the frame, if the line is one. -1: memory. */
static int take_frame(struct perf *p, const char *at, const char *end)
{
	struct perf_frame f;

	if (!perf_line_frame(at, end, &f))
		return 0;
	if (f.function.length)
		return stack_add_copy(&p->stack, f.function.bytes, f.function.length, p->err);
	return add_module(p, f.file);
}

/* ---- samples ---------------------------------------------------------------------------------- */

static bool is_chosen(const struct perf *p, const struct perf_head *h)
{
	return p->event && p->n_event == h->n_event && memcmp(p->event, h->event, h->n_event) == 0;
}

static bool is_clock(const struct perf_head *h)
{
	return (h->n_event >= 9 && memcmp(h->event, "cpu-clock", 9) == 0) ||
	       (h->n_event >= 10 && memcmp(h->event, "task-clock", 10) == 0);
}

/* Offer the event to the sink, unless it was declined. */
static int choose(struct perf *p, const struct perf_head *h)
{
	struct event_process e = {
		.kind = &decode_perf_script.kind,
		.file = input_name(p->scan.in),
		.pid = h->pid,
		.resource = {h->event, h->n_event},
		.unit = event_text_of(!h->has_period ? "samples"
				      : is_clock(h)  ? "ns"
						     : "events"),
		.scale = 1,
		.recorder = event_text_of("perf"),
	};
	int status;

	if (strings_find(p->declined, h->event, h->n_event) != STRINGS_NONE)
		return 0;
	status = event_push_process(&p->sink, &e, p->err);
	if (status == EVENT_DECLINED)
		return strings_add(p->declined, h->event, h->n_event) == STRINGS_NONE
			       ? error_memory(p->err)
			       : 0;
	p->is_enough = status == EVENT_ENOUGH;
	p->event = strndup(h->event, h->n_event);
	p->n_event = h->n_event;
	if (!p->event)
		return error_memory(p->err);
	return status < 0 ? -1 : 0;
}

/* The number of the thread, which is pushed when it is seen first. -1: error. */
static int find_thread(struct perf *p, const struct perf_head *h, uint32_t *id)
{
	uint64_t tag = hash_distinct(&p->secret, h->tid);
	struct event_thread e = {.tid = h->tid, .name = {h->comm, h->n_comm}};
	struct index_slot *slot;

	if (index_reserve(&p->threads, 1))
		return error_memory(p->err);
	slot = index_tag_slot(&p->threads, tag);
	if (slot->number != INDEX_NONE) {
		*id = slot->number + 1;
		return 0;
	}
	index_fill(&p->threads, slot, tag, (uint32_t)p->threads.used);
	*id = e.id = slot->number + 1;
	return p->sink->thread ? p->sink->thread(p->sink->context, &e, p->err) : 0;
}

static int sample_end(struct perf *p)
{
	bool is_taken = p->has_sample && p->is_taken;

	p->has_sample = p->is_taken = false;
	if (!is_taken)
		return 0;
	stack_turn(&p->stack);
	p->hits++;
	if (stack_push(&p->stack, &p->sample, p->sink, p->err))
		return error_append(p->err, " at byte %llu", (unsigned long long)p->scan.offset);
	return 0;
}

static int sample_begin(struct perf *p, const struct perf_head *h)
{
	static const char other[] = "PERF_RECORD_"; /* perf script --show-mmap-events */

	if (h->n_event > sizeof(other) && memcmp(h->event, other, sizeof(other) - 1) == 0)
		return 0;
	if (!p->has_begun)
		p->begin_us = h->time_us;
	p->has_begun = p->has_sample = true;
	stack_empty(&p->stack);
	if (!p->event && choose(p, h))
		return -1;
	p->is_taken = is_chosen(p, h);
	if (!p->is_taken)
		return 0;
	p->sample = (struct event_sample){
		.time_us = h->time_us > p->begin_us ? h->time_us - p->begin_us : 0,
		.weight = h->has_period ? h->period : 1,
		.hits = 1,
	};
	if (p->sample.time_us > p->end_us)
		p->end_us = p->sample.time_us;
	return find_thread(p, h, &p->sample.thread);
}

static int line_decode(struct perf *p)
{
	const char *at = p->scan.at, *end = p->scan.end;
	struct perf_head h;

	if (at == end || *at == '#') {
		p->is_open &= at < end;
		return at == end ? sample_end(p) : 0;
	}
	if (perf_line_head(at, end, &h)) {
		p->is_stackless |= p->is_open && !p->has_lines;
		if (sample_end(p) || sample_begin(p, &h))
			return -1;
		p->is_open = p->has_sample && h.rest == end;
		p->has_lines = false;
		p->sample_offset = p->scan.offset;
		return p->has_sample && h.rest < end ? take_frame(p, h.rest, end) : 0;
	}
	if (*at != ' ' && *at != '\t')
		return text_scan_wrong(&p->scan, "neither a sample of perf script nor a frame");
	if (!p->has_sample)
		return 0; /* what follows a record that is no sample */
	p->has_lines = true;
	return take_frame(p, at, end);
}

/* ---- the input -------------------------------------------------------------------------------- */

/* What is wrong with the end of the text, if anything is. The sample at hand is left out if its stack may lack its
 * outer frames. */
static struct event_cut cut_find(struct perf *p)
{
	struct event_cut cut = {.offset = p->scan.offset};

	if (p->is_open && (p->has_lines || !p->is_stackless)) {
		p->has_sample = false;
		cut.offset = p->sample_offset;
		cut.why = "it ends inside a sample, which is left out";
	} else if (!p->scan.is_whole) {
		cut.why = "it ends within a line, which is left out";
	}
	return cut;
}

static int end_push(struct perf *p)
{
	const struct event_cut cut = cut_find(p);
	struct event_end end = {.time_us = p->end_us, .bytes = input_offset(p->scan.in)};

	if (!p->has_begun)
		return error_set(p->err, "%s: it has no samples%s", input_name(p->scan.in),
				 cut.why ? ", but ends within a line" : "");
	if (sample_end(p))
		return -1;
	end.ticks = p->hits;
	if (!p->event)
		return 0;
	if (cut.why)
		return p->sink->cut ? p->sink->cut(p->sink->context, &cut, p->err) : 0;
	return p->sink->end ? p->sink->end(p->sink->context, &end, p->err) : 0;
}

static int run(struct input *in, const char *path, const struct event_sink *sink, struct error *err)
{
	struct perf p = {.scan = {.in = in, .err = err},
			 .sink = sink,
			 .err = err,
			 .declined = strings_new(),
			 .secret = hash_secret()};
	int more = 0;

	(void)path;
	if (!p.declined)
		return error_memory(err);
	while (!p.is_enough && (more = text_scan_line(&p.scan)) > 0 && p.scan.is_whole)
		if (line_decode(&p)) {
			more = -1;
			break;
		}
	if (more >= 0 && !p.is_enough)
		more = end_push(&p);
	text_scan_clear(&p.scan);
	stack_free(&p.stack);
	strings_free(p.declined);
	free(p.event);
	index_clear(&p.threads);
	return more < 0 ? -1 : 0;
}

/* The first line that is neither empty nor a comment is that of a sample. */
static int detect(const unsigned char *head, size_t n)
{
	const char *at = (const char *)head, *end = at + n, *stop;
	struct perf_head h;

	if (memchr(at, '\0', n))
		return 0;
	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		if (stop > at && *at != '#' && *at != '\r')
			return perf_line_head(at, stop, &h);
	}
	return 0;
}

const struct decoder decode_perf_script = {
	.kind = {.name = "samples of perf script",
		 .has_names = true,
		 .has_times = true,
		 .has_threads = true,
		 .has_pid = true},
	.detect = detect,
	.run = run,
};
