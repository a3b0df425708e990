/* SPDX-License-Identifier: MIT */
/*
 * decode_stream.h - the parts of the recorded stream's decoder, for one another only.
 *
 *   decode_stream.c   head, zlib, records; how it ends
 *   decode_record.c   process, module, thread, losses, mark, engine, jit, end; the perf map in a pack
 *   decode_resources.c  what version 4 has of several resources
 *   decode_batch.c    a batch of samples, as the journal has them
 *   decode_columns.c  a batch of samples in columns, as the stream has them
 *   decode_journal.c  what the journal adds when the stream is not all
 *
 * Functions that return int: 0, or -1 either with `wrong` set (the bytes are wrong; the caller
 * knows which file and where) or without it and with *err set (the sink refused, memory is out).
 */
#ifndef DECODE_STREAM_H
#define DECODE_STREAM_H

#include "read/decode_journal.h"
#include "read/decode_resources.h"
#include "read/event.h"
#include "read/input.h"

struct decode_batch;   /* coding state, decode_batch.c */
struct decode_columns; /* likewise, decode_columns.c */

/* The two numbers that identify a batch. */
struct decode_batch_id {
	uint64_t buffer, sequence;
};

struct decode_stream {
	const struct event_sink *sink;
	struct error *err;
	const char *name; /* of the input */
	bool has_owner;
	uint64_t owner;
	char life; /* see input_life */
	const char *wrong;
	unsigned version;
	struct decode_resources *resources; /* NULL before version 4 */
	bool has_process, has_end, has_journal;
	bool is_declined; /* the sink declined the process */
	bool is_go;	  /* the program is one of Go's, and ends past the C library */
	uint64_t pid, start_ns;
	char host[65];
	uint64_t scale;
	uint64_t journal; /* the id that the journal repeats */
	struct event_end end;
	uint64_t losses[CPS_JOURNAL_LOSSES]; /* the last counts that records told */
	struct decode_batch *batch;
	struct decode_columns *columns;	 /* NULL until they are needed */
	bool has_columns;		 /* a record of samples in columns was read */
	struct decode_batch_id *batches; /* the batches that were complete */
	size_t n_batches, batches_size;
};

/* Read a mark, which in version 4 may say that the number of a block follows: *mark is left, and
 * *block is that number, or 0. False with c->wrong. */
static inline bool decode_mark_read(struct cursor *c, bool has_numbers, uint64_t *mark,
				    uint64_t *block)
{
	if (!cursor_varint(c, mark))
		return false;
	if (has_numbers && *mark >= CPS_MARK_NUMBERED) {
		*mark -= CPS_MARK_NUMBERED;
		if (!cursor_varint(c, block))
			return false;
		if (!*block || *block > INT64_MAX)
			return cursor_fail(c, "a block's number is out of range");
	}
	return *mark < CPS_MARK_COUNT || cursor_fail(c, "a sample has an unknown mark");
}

/* Decode the payload of a record. Records with unknown tags are skipped. */
int decode_record(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n);

/* Read the tag and the length of the record at c. False with c->wrong. */
bool decode_record_frame(struct cursor *c, uint64_t *tag, uint64_t *length);

/* Is the checksum right that follows a record's n bytes of tag, length and payload? */
bool decode_record_crc_is_right(const unsigned char *record, size_t n);

/* Push the process event of a payload of the process record. If `as` is not NULL, its resource
 * replaces the one of the payload. Returns what the sink does, or -1. */
int decode_record_offer(struct decode_stream *s, const unsigned char *payload, size_t n,
			const struct decode_resource *as);

/* Push a process event for an input that is cut before its process record. */
int decode_record_push_unknown_process(struct decode_stream *s);

struct decode_batch *decode_batch_new(void); /* NULL: out of memory */
void decode_batch_free(struct decode_batch *b);

/* Push the samples of a batch. If the payload ends inside an item, *torn is set, and the items
 * before that one have been pushed. */
int decode_batch(struct decode_stream *s, const unsigned char *payload, size_t n, bool *torn);

void decode_columns_free(struct decode_columns *c);

/* Push the samples in columns, of the current tag or the older one. *id becomes the numbers of the
 * batch. */
int decode_columns(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n,
		   struct decode_batch_id *id);

/* Read which batch this is. False if the payload is too short. */
bool decode_batch_identify(const unsigned char *payload, size_t n, struct decode_batch_id *id);

/* The outcome of reading a journal. */
struct decode_journal_outcome {
	bool torn_held; /* the journal has the batch in which the stream ends */
	enum process_life_use use;
	bool is_whole;	/* the journal has everything up to the end of the process */
	bool is_wrong;	/* the journal is damaged or belongs to another recording */
	char text[160]; /* "; its journal was read"; empty if there is none */
};

/* Read the journal of the stream at `path`, which is not the whole recording: it has no end record,
 * or its end record says that recording was stopped. `torn` is the batch in which it ends, or NULL.
 * Push what the journal holds. If there was no end record, s->end becomes what the journal says of
 * the stop. */
int decode_journal(struct decode_stream *s, const char *path, const struct decode_batch_id *torn,
		   struct decode_journal_outcome *outcome);

/* Push the perf map of generated code that lies beside the recording in a pack, if there is one. */
int decode_map(struct decode_stream *s, const char *path);

#endif
