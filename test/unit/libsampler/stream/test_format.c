/* SPDX-License-Identifier: MIT */
/*
 * The page's own examples come first, then random streams from stream_writer.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_log.h"
#include "libsampler/format.h"
#include "random_items.h"
#include "stream_writer.h"

/* ---- the page's examples --------------------------------------------------------------------- */

static const char *const kinds[] = {"whole",	 "process",  "module",	 "thread", "samples",
				    "losses",	 "end",	     "mark",	 "engine", "jit",
				    "columnar2", "columnar", "resource", "atom",   "counted",
				    "freed",	 "block",    "called",	 "calls",  "times"};

struct example {
	struct bytes records, payload, events;
	int kind; /* index in `kinds` of the payload at hand, -1: none */
	bool has_process, has_resources;
};

static void example_record(struct example *e)
{
	if (e->kind == 0)
		bytes_put(&e->records, e->payload.at, e->payload.n);
	else if (e->kind > 0)
		bytes_record(&e->records, (uint64_t)e->kind, e->payload.at, e->payload.n);
	e->payload.n = 0;
	e->kind = -1;
}

/* A line "KIND HEX... # comment", or more HEX of the same payload. */
static void example_hex(struct example *e, char *line)
{
	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
		char *rest;
		unsigned long byte = strtoul(word, &rest, 16);
		if (!*rest && strlen(word) == 2) {
			bytes_byte(&e->payload, (unsigned char)byte);
			continue;
		}
		example_record(e);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (!strcmp(word, kinds[i]))
				e->kind = (int)i;
		cr_assert(e->kind >= 0, "what is \"%s\"?", word);
		e->has_process |= e->kind < 2;
		e->has_resources |= e->kind >= CPS_TAG_RESOURCE && e->kind < CPS_TAG_BLOCK;
	}
}

/* An example without a process gets one. Its event is not compared, and neither is the cut at the
 * end. */
static void example_check(struct example *e)
{
	struct bytes records = {0}, process = {0}, file = {0};
	struct event_log log;

	example_record(e);
	bytes_process(&process, 77, 1000, 0);
	if (!e->has_process)
		bytes_record(&records, CPS_TAG_PROCESS, process.at, process.n);
	bytes_put(&records, e->records.at, e->records.n);
	writer_version = e->has_resources ? CPS_VERSION : CPS_VERSION_CLOCK;
	writer_stream(&file, &records, 1000, false);
	writer_version = CPS_VERSION_CLOCK;
	cr_assert_eq(event_log_decode_bytes(&log, file.at, file.n), 0, "%s", log.text);
	*strstr(log.text, "cut ") = '\0';
	bytes_byte(&e->events, '\0');
	cr_assert_str_eq(e->has_process ? log.text : strchr(log.text, '\n') + 1,
			 (char *)e->events.at);
	event_log_free(&log);
	bytes_free(&records), bytes_free(&process), bytes_free(&file);
	bytes_free(&e->records), bytes_free(&e->payload), bytes_free(&e->events);
}

Test(format, the_examples_of_the_page)
{
	FILE *page = fopen("doc/format.md", "r");
	struct example e = {.kind = -1};
	bool inside = false;
	unsigned examples = 0;
	char line[256];

	cr_assert(page, "run it where doc/format.md is");
	while (fgets(line, sizeof(line), page)) {
		if (!strcmp(line, "```example\n")) {
			e = (struct example){.kind = -1};
			inside = true;
		} else if (inside && !strcmp(line, "```\n")) {
			example_check(&e);
			examples++;
			inside = false;
		} else if (inside && !strncmp(line, "-> ", 3)) {
			bytes_put(&e.events, line + 3, strlen(line + 3));
		} else if (inside) {
			example_hex(&e, line);
		}
	}
	fclose(page);
	cr_assert_geq(examples, 3);
}

/* ---- random streams -------------------------------------------------------------------------- */

struct random_stream {
	struct bytes records, file;
	struct bytes events; /* what the decoder must give, as event_log writes it */
	uint64_t samples;
};

static void expect_item(struct bytes *events, const struct writer_item *item, uint64_t start_us,
			uint64_t scale)
{
	char text[256];
	int n = snprintf(
		text, sizeof(text), "sample %u at %llu: %llu x%d mark %u:", (unsigned)item->thread,
		(unsigned long long)(start_us + item->time_us),
		(unsigned long long)(item->weight * scale), !item->tail, (unsigned)item->mark);

	bytes_put(events, text, (size_t)n);
	for (size_t i = 0; i < item->depth; i++) {
		const struct writer_frame *f = &item->stack[i];
		n = snprintf(text, sizeof(text), " %d+%llx", (int)f->module,
			     (unsigned long long)f->address);
		if (f->module == WRITER_NO_MODULE)
			n = snprintf(text, sizeof(text), " ?+%llx", (unsigned long long)f->address);
		bytes_put(events, text, (size_t)n);
	}
	bytes_byte(events, '\n');
}

static void random_batch(struct random_stream *r, unsigned sequence)
{
	static struct batch_writer w;
	static struct writer_item item;
	uint64_t start_us = random_wide() >> 8;
	unsigned items = below(200);

	memset(&item, 0, sizeof(item));
	batch_writer_begin(&w, below(3), 1 + below(4), sequence, start_us);
	for (unsigned i = 0; i < items; i++) {
		random_item(&item);
		batch_writer_item(&w, &item);
		expect_item(&r->events, &item, start_us, 1000);
	}
	r->samples += items;
	bytes_record(&r->records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	batch_writer_free(&w);
}

static void random_stream(struct random_stream *r, bool finished)
{
	unsigned batches = 1 + below(6);
	struct bytes payload = {0};

	*r = (struct random_stream){0};
	bytes_process(&payload, 77, 1000, 5);
	bytes_record(&r->records, CPS_TAG_PROCESS, payload.at, payload.n);
	for (unsigned i = 0; i < batches; i++) {
		random_batch(r, i);
		/* A tag that no version has. */
		bytes_record(&r->records, 1000 + below(1000), "whatever", below(9));
	}
	if (finished)
		bytes_record(&r->records, CPS_TAG_END, NULL, 0);
	bytes_byte(&r->events, '\0');
	writer_stream(&r->file, &r->records, 1 + below(5000), finished);
	bytes_free(&payload);
}

static void random_stream_free(struct random_stream *r)
{
	bytes_free(&r->records);
	bytes_free(&r->file);
	bytes_free(&r->events);
}

Test(format, random_streams_come_back)
{
	struct random_stream r;
	struct event_log log;

	for (unsigned seed = 0; seed < 150; seed++) {
		srand(seed);
		random_stream(&r, seed % 2);
		cr_assert_eq(event_log_decode_bytes(&log, r.file.at, r.file.n), 0, "%s", log.text);
		char *first = strchr(log.text, '\n') + 1; /* after the process */
		char *last = strstr(first, seed % 2 ? "end " : "cut ");
		cr_assert(last);
		*last = '\0';
		cr_assert_str_eq(first, (char *)r.events.at, "seed %u", seed);
		cr_assert_eq(log.samples, r.samples);
		event_log_free(&log);
		random_stream_free(&r);
	}
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A loss record with one varint, encoded as given, in the place of the count. */
static int decode_count(const char *varint, size_t n, uint64_t *count)
{
	struct bytes records = {0}, payload = {0}, file = {0};
	struct event_log log;
	unsigned long long value;

	bytes_process(&payload, 1, 1, 0);
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	payload.n = 0;
	bytes_byte(&payload, 0);
	bytes_put(&payload, varint, n);
	bytes_record(&records, CPS_TAG_LOSS, payload.at, payload.n);
	writer_stream(&file, &records, 1000, false);
	int result = event_log_decode_bytes(&log, file.at, file.n);
	if (!result && sscanf(strchr(log.text, '\n'), " loss 0 %llu", &value) == 1)
		*count = value;
	event_log_free(&log);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
	return result;
}

Test(format, varints)
{
	uint64_t v = 0;

	cr_assert(!decode_count("\x00", 1, &v) && v == 0);
	cr_assert(!decode_count("\x7f", 1, &v) && v == 127);
	cr_assert(!decode_count("\x80\x01", 2, &v) && v == 128);
	cr_assert(!decode_count("\x81\x80\x00", 3, &v) && v == 1, "padded, and still a number");
	cr_assert(!decode_count("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &v) &&
		  v == UINT64_MAX);
	cr_assert(!decode_count("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, &v) &&
		  v == UINT64_C(1) << 63);
	cr_assert(decode_count("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &v), "65 bits");
	cr_assert(decode_count("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, &v), "11 bytes");
	cr_assert(decode_count("\x80", 1, &v), "it ends inside");
	cr_assert(decode_count("", 0, &v));
}
