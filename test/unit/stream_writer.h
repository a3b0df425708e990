/* SPDX-License-Identifier: MIT */
/*
 * stream_writer.h - builds recorded streams and journals in memory, right or wrong, for tests.
 *
 * Written from doc/format.md, without anything of the recorder, so that the two check each other.
 * Out of memory ends the test.
 */
#ifndef STREAM_WRITER_H
#define STREAM_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

struct bytes {
	unsigned char *at;
	size_t n, size;
};

void bytes_free(struct bytes *b);
void bytes_put(struct bytes *b, const void *from, size_t n);
void bytes_byte(struct bytes *b, unsigned char byte);
void bytes_varint(struct bytes *b, uint64_t value);
void bytes_zigzag(struct bytes *b, int64_t value);
void bytes_text(struct bytes *b, const char *text);
/* A field with a number, and one with a text. */
void bytes_field(struct bytes *b, unsigned field, uint64_t value);
void bytes_field_text(struct bytes *b, unsigned field, const char *text);

/* Tag, length, payload, checksum. */
void bytes_record(struct bytes *b, uint64_t tag, const void *payload, size_t n);

/* Payloads. */
void bytes_process(struct bytes *b, uint64_t pid, uint64_t scale, uint64_t journal);
void bytes_module(struct bytes *b, uint32_t id, const char *path, const char *build_id);
void bytes_thread(struct bytes *b, uint32_t id, uint64_t tid, const char *name);

/* ---- batches --------------------------------------------------------------------------------- */

#define WRITER_NO_MODULE UINT32_MAX
#define WRITER_DEPTH	 300
#define WRITER_ADDRESSES 4096

struct writer_frame {
	uint32_t module; /* or WRITER_NO_MODULE */
	uint64_t address;
};

struct writer_item {
	uint32_t thread, mark;
	bool tail;
	uint64_t weight;  /* in the file's unit */
	uint64_t time_us; /* since the batch's time */
	struct writer_frame stack[WRITER_DEPTH];
	size_t depth;
};

/* How the writer chooses among encodings of the same stack. */
enum writer_style {
	WRITER_SHORT,  /* the shortest code */
	WRITER_PLAIN,  /* never a successor, never a run */
	WRITER_CLUMSY, /* pops more than need be, introduces addresses again, short runs */
};

struct batch_writer {
	struct bytes payload;
	enum writer_style style;
	unsigned clumsiness;
	struct writer_item last; /* what the next item is a difference from */
	bool has_thread;
	struct writer_frame known[WRITER_ADDRESSES];
	size_t n_known;
	int followers[WRITER_ADDRESSES + 1][4]; /* ids or -1; the last row: before the outermost */
	int ids[WRITER_DEPTH];
};

void batch_writer_begin(struct batch_writer *w, enum writer_style style, uint64_t buffer,
			uint64_t sequence, uint64_t time_us);
void batch_writer_item(struct batch_writer *w, const struct writer_item *item);
void batch_writer_free(struct batch_writer *w);

/* ---- files ----------------------------------------------------------------------------------- */

/* The plain head and `records` as zlib data, a sync flush after each `piece` bytes; finished or
 * not. */
void writer_stream(struct bytes *file, const struct bytes *records, size_t piece, bool finished);

struct writer_buffer {
	const void *bytes;
	size_t n;
	uint32_t sequence;
};

void writer_journal(struct bytes *file, uint64_t id, uint32_t buffer_bytes,
		    const struct writer_buffer *buffers, uint32_t n);

/* A path in a directory of this test process, removed at its end. */
const char *writer_path(const char *name);
void writer_file(const char *path, const void *bytes, size_t n);

#endif
