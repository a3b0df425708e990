/* SPDX-License-Identifier: MIT */
/*
 * decode_stream.h - the parts of the recorded stream's decoder, for one another only.
 *
 *   decode_stream.c     head, zlib, records; how it ends
 *   decode_record.c     process, module, thread, losses, mark, engine, jit, end; the perf map in a
 *                       pack
 *   decode_resources.c  what version 4 has of several resources
 *   decode_batch.c      a batch of samples, as the journal has them
 *   decode_columnar.c   a columnar batch: samples in columns, as the stream has them
 *   decode_journal.c    what the journal adds when the stream is not all
 *   decode_calls.c      calls that were counted, in the stream or in a file beside it
 *   live_heap.c         the resource "alloc-live", which is a part of alloc's samples
 *
 * Functions that return int: 0, or -1 either with `wrong` set (the bytes are wrong; the caller
 * knows which file and where) or without it and with *err set (the sink refused, memory is out).
 */
#ifndef DECODE_STREAM_H
#define DECODE_STREAM_H

#include <stdbool.h>

#include "read/event.h"
#include "read/input.h"

/* ---- process life ---------------------------------------------------------------------------- */
/*
 * Whether somebody still writes the journal.
 */

/*
 * Whether a process with the number `pid` runs on this machine and was there when the recording
 * began. So a later process that happens to have the same number is not taken for it. `host` is the
 * recording's: with another name, or none, nothing is known.
 */
bool process_life_goes_on(uint64_t pid, uint64_t start_ns, struct event_text host);

/* What the journal of a recording says. */
enum process_life_use { PROCESS_LIFE_NOT_KNOWN, PROCESS_LIFE_IN_USE, PROCESS_LIFE_AT_REST };

/* ---- decode resources ------------------------------------------------------------------------ */
/*
 * What a stream of version 4 counts: its resources, and the atoms of which its samples are.
 */

struct decode_stream;

#define DECODE_LIVE  "alloc-live"
#define DECODE_ATOMS (1u << CPS_ATOM_BITS_MAX)

struct decode_resource {
	uint64_t scale, interval, flags;
	char *name, *unit, *engine, *why;
	uint64_t counted, events; /* what the recorder has counted */
	bool has_counted;
};

struct decode_atom {
	bool is_known;	   /* a record has described it */
	bool is_time;	   /* its weights predict the times of samples */
	bool is_in_kernel; /* its threads were */
	bool is_taken;	   /* the resource that is read counts it */
	bool has_blocks;   /* some of its samples have numbers of blocks */
	uint64_t grain, scale;
	char *state;				    /* NULL: none */
	uint64_t resources[CPS_RESOURCES_MAX / 64]; /* a bit for each that counts it */
	uint64_t weight, hits;			    /* of its samples so far, weights in gticks */
};

static inline bool decode_atom_has(const struct decode_atom *a, uint64_t resource)
{
	return a->resources[resource / 64] >> resource % 64 & 1;
}

/* A block of memory that has a number, as its sample says, and when it was freed. */
struct decode_block {
	uint64_t number, time_us, weight, hits;
	uint64_t freed_us; /* UINT64_MAX: it was not, as far as is known yet */
	unsigned atom;
	bool is_live; /* at the moment that was asked for */
};

/* All blocks of a stream. */
struct decode_blocks {
	struct decode_block *list; /* by number, when all are there */
	size_t n, size;
	struct event_freed *freed;
	size_t n_freed, freed_size;
};

/* What was credited to an atom, or to a part of its samples. */
struct decode_amount {
	uint64_t weight, hits;
};

/* Only a stream of version 4 has this. Until the sink takes a resource, events go nowhere, and the
 * records that it would miss are kept. */
struct decode_resources {
	unsigned atom_bits;
	struct decode_resource list[CPS_RESOURCES_MAX];
	uint32_t n;
	struct decode_atom atoms[DECODE_ATOMS];
	bool is_taken, has_calls_time;
	uint32_t taken; /* the number of the resource */
	const struct event_sink
		*live; /* the sink that has taken alloc-live, for live_heap.c; else NULL */
	const struct event_sink *first; /* the sink that resources are offered to */
	size_t keep; /* how many frames of the latest sample pushed all later ones have kept */
	struct decode_blocks blocks;
	unsigned char *process; /* the payload of the process record */
	size_t process_bytes;
	unsigned char *kept; /* whole records, without their checksums */
	size_t kept_bytes, kept_size;
};

/* Whether the resource has not its own samples, but those of alloc whose blocks are not freed. */
bool decode_resources_is_live(const struct decode_resource *r);

/* The stream has version 4: its process record has just been read, and says what resource 0 is. */
int decode_resources_begin(struct decode_stream *s, const struct event_process *e,
			   uint64_t atom_bits, const unsigned char *payload, size_t n);
void decode_resources_free(struct decode_stream *s);

/* Records of these tags. The latter two are in decode_record.c. */
int decode_resources_resource(struct decode_stream *s, struct cursor *c);
int decode_resources_atom(struct decode_stream *s, struct cursor *c);

/* The stream has times of calls: make their resource, unless that was done, of which the last atom is. */
int decode_resources_calls_time(struct decode_stream *s);

/* Another engine serves resource 0. The sink is told if it has taken that one. */
int decode_resources_engine(struct decode_stream *s, const struct event_engine *e);

/* A record has been decoded while no resource was taken: keep it. */
int decode_resources_keep(struct decode_stream *s, uint64_t tag, const unsigned char *payload,
			  size_t n);

/* A sample of the atom has been decoded: push it, if the resource that was taken counts it. Then its
 * `keep` becomes smaller if samples before it were not pushed. */
int decode_resources_sample(struct decode_stream *s, struct event_sample *e, unsigned atom);

/* decode_record.c: all has been read: say of each resource how much was counted and credited. */
int decode_resources_end(struct decode_stream *s);

/* ---- decode calls ---------------------------------------------------------------------------- */
/*
 * Decodes calls that were counted.
 *
 * In: records, a file beside the recording. Out: called, machine and counted events.
 */

struct decode_state {
	uint64_t ns; /* that were spent in it */
	uint32_t from, function;
	bool is_cut;
};

struct decode_machine {
	struct decode_state *states; /* the first is state 0, of which nothing is known */
	size_t size;
	uint32_t n, n_timed; /* states behind that one; those whose times were said */
};

struct decode_calls {
	struct event_frame *functions;
	struct decode_machine *machines;
	uint32_t n_functions;
	size_t n_machines, functions_size, machines_size;
	uint64_t calls; /* all that were counted */
	bool has_gap;	/* something before was damaged ... */
	bool is_torn;	/* ... and some of the calls are lost */
	/* If there is no end record: calls are counted until then; and the time that it took, which only the file beside says. */
	uint64_t until_us, hooks_ns;
};

int decode_calls_functions(struct decode_stream *s, struct cursor *c);
int decode_calls_states(struct decode_stream *s, struct cursor *c);
int decode_calls_times(struct decode_stream *s, struct cursor *c);
/* All has been read: what was spent in the states becomes samples of another resource, EVENT_CALLS_TIME, whose stacks are the paths
 * by which the states were made. */
int decode_calls_end(struct decode_stream *s);
/* Begin anew. */
void decode_calls_forget(struct decode_calls *c);
/* The stream at `path` has no end record: read the calls of the file beside it, if there is one that has more than the stream. What
 * is to be said of that is appended to the text. A damaged file is no error. */
int decode_calls_file(struct decode_stream *s, const char *path, char *text, size_t room);

/* ---- decode stream --------------------------------------------------------------------------- */

struct decode_batch;	/* coding state, decode_batch.c */
struct decode_columnar; /* likewise, decode_columnar.c */

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
	uint64_t losses[CPS_JOURNAL_REASONS]; /* the last counts that records told */
	struct decode_calls calls;
	struct decode_batch *batch;
	struct decode_columnar *columnar; /* NULL until they are needed */
	bool has_columnar;		  /* a record of samples in columns was read */
	uint64_t ticks, latest_us;	 /* samples so far that are ticks; the latest time of one */
	bool is_gap;			 /* no batch was read since something was damaged ... */
	uint64_t behind_us;		 /* ... then this becomes the next one's time */
	bool jit_is_torn;		 /* likewise of perf maps: a piece is missing */
	bool jit_is_open;		 /* the latest piece ends inside a line */
	struct decode_batch_id *batches; /* the batches that were complete */
	size_t n_batches, batches_size;
};

/* A sample has been read. */
static inline void decode_sample_count(struct decode_stream *s, const struct event_sample *e)
{
	s->ticks += e->hits;
	if (e->time_us > s->latest_us)
		s->latest_us = e->time_us;
	if (s->is_gap)
		s->behind_us = e->time_us;
	s->is_gap = false;
}

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

void decode_columnar_free(struct decode_columnar *c);

/* Push the samples of a columnar batch, of the current tag or the older one. *id becomes the numbers
 * of the batch. */
int decode_columnar(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n,
		    struct decode_batch_id *id);

/* Read which batch this is. False if the payload is too short. */
bool decode_batch_identify(const unsigned char *payload, size_t n, struct decode_batch_id *id);

/* The outcome of reading a journal. */
struct decode_journal_outcome {
	bool torn_held; /* the journal has the batch in which the stream ends */
	enum process_life_use use;
	bool is_whole;	/* the journal has everything up to the end of the process */
	bool is_wrong;	/* the journal is damaged or belongs to another recording */
	char text[256]; /* "; its journal was read"; empty if there is none */
};

/* Read the journal of the stream at `path`, which is not the whole recording: it has no end record,
 * or its end record says that recording was stopped. `torn` is the batch in which it ends, or NULL.
 * Push what the journal holds. If there was no end record, s->end becomes what the journal says of
 * the stop. */
int decode_journal(struct decode_stream *s, const char *path, const struct decode_batch_id *torn,
		   struct decode_journal_outcome *outcome);

/* Push the perf map of generated code that lies beside the recording in a pack, if there is one. */
int decode_map(struct decode_stream *s, const char *path);

/* ---- decode fields --------------------------------------------------------------------------- */
/*
 * Decodes a list of fields.
 *
 * In: bytes. Out: members of a structure.
 */

enum decode_field_kind { FIELD_NUMBER, FIELD_TEXT };

/* A table of fields ends with one whose number is 0. */
struct decode_field {
	unsigned number;
	enum decode_field_kind kind; /* a uint64_t, or a struct event_text */
	size_t offset;		     /* where it goes */
};

/* Read one field into `into`. *number is the field's number; unknown fields are skipped. */
bool decode_field_read(struct cursor *c, const struct decode_field *table, void *into,
		       uint64_t *number);

/* ---- live heap ------------------------------------------------------------------------------- */
/*
 * The resource "alloc-live": what was allocated and not freed at a moment.
 *
 * In: a recording whose samples of allocations have numbers. Out: those of blocks that were live.
 */

/* A sample has a number of a block, and a block was freed. -1: memory. */
int live_heap_block(struct decode_blocks *b, const struct event_sample *e, unsigned atom);
int live_heap_freed(struct decode_blocks *b, const struct event_freed *e);
void live_heap_clear(struct decode_blocks *b);

/* All has been read: what is live at the moment that the sink has asked for, by atom of `alloc`. -1: memory. */
int live_heap_amounts(const struct decode_stream *s, struct decode_amount amounts[DECODE_ATOMS]);

/* The sink has taken this resource, or none of the stream's resources: then offer it this one, if
 * there is memory with numbers and it has not been offered. If the sink takes it, read the file at
 * `path` once more, and push all events up to the last one. */
int live_heap_offer(struct decode_stream *s, const char *path);

#endif
