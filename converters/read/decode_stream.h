/* SPDX-License-Identifier: MIT */
/*
 * decode_stream.h - the parts of the recorded stream's decoder, for one another only.
 *
 *   decode_stream.c   head, zlib, records; how it ends
 *   decode_record.c   process, module, thread, losses, mark, engine, jit, end
 *   decode_batch.c    a batch of samples, as the journal has them
 *   decode_columns.c  a batch of samples in columns, as the stream has them
 *   decode_frames.c   their frames
 *   decode_journal.c  what the journal adds when the stream is not all
 *
 * Functions that return int: 0, or -1 either with `wrong` set (the bytes are wrong; the caller
 * knows which file and where) or without it and with *err set (the sink refused, memory is out).
 */
#ifndef DECODE_STREAM_H
#define DECODE_STREAM_H

#include "read/cursor.h"
#include "read/event.h"
#include "read/input.h"

struct decode_batch;   /* coding state, decode_batch.c */
struct decode_columns; /* likewise, decode_columns.c */

/* What identifies a batch. */
struct decode_batch_id {
	uint64_t buffer, sequence;
};

struct decode_stream {
	const struct event_sink *sink;
	struct error *err;
	const char *name; /* of the input */
	bool has_owner;
	uint64_t owner;
	const char *wrong;
	bool has_process, has_end, has_journal;
	bool is_declined; /* the sink wants no more */
	uint64_t scale;
	uint64_t journal; /* the id that the journal repeats */
	struct event_end end;
	uint64_t losses[CPS_JOURNAL_LOSSES]; /* the last counts that records told */
	struct decode_batch *batch;
	struct decode_columns *columns;	 /* NULL until they are needed */
	bool has_columns;		 /* there has been such a record */
	struct decode_batch_id *batches; /* those that were complete */
	size_t n_batches, batches_size;
};

/* One whole record's payload. Unknown tags are skipped. */
int decode_record(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n);

/* A record's frame at c: tag and length. False with c->wrong. */
bool decode_record_frame(struct cursor *c, uint64_t *tag, uint64_t *length);

/* The checksum of a record's tag, length and payload, n bytes in all, stands behind them. */
bool decode_record_crc_is_right(const unsigned char *record, size_t n);

/* A process event of an input that is cut before it says more than its name. */
int decode_record_push_unknown_process(struct decode_stream *s);

struct decode_batch *decode_batch_new(void); /* NULL: out of memory */
void decode_batch_free(struct decode_batch *b);

/* The payload of a batch, pushed as samples. If it ends inside an item *torn is set, and the
 * items before that one have been pushed. */
int decode_batch(struct decode_stream *s, const unsigned char *payload, size_t n, bool *torn);

void decode_columns_free(struct decode_columns *c);

/* The payload of samples in columns, of this or the older tag, pushed; *id: which batch it is. */
int decode_columns(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n,
		   struct decode_batch_id *id);

/* Which batch is this? False if the payload is too short to say. */
bool decode_batch_identify(const unsigned char *payload, size_t n, struct decode_batch_id *id);

/* What came of a journal. */
struct decode_journal_outcome {
	bool torn_held; /* it has the batch in which the stream ends */
	bool is_wrong;	/* it is damaged, or another recording's */
	char text[160]; /* "; its journal was read"; empty if there is none */
};

/*
 * The stream at `path` is not all of the recording: it has no end record, or one that says that
 * recording was stopped. It ends perhaps inside a batch (`torn`, NULL if not). Push what its
 * journal holds; what that says of a stop goes to s->end if there was no end record.
 */
int decode_journal(struct decode_stream *s, const char *path, const struct decode_batch_id *torn,
		   struct decode_journal_outcome *outcome);

#endif
