/* SPDX-License-Identifier: MIT */
/*
 * decode_stream.c - decodes the recorded stream.
 *
 * In: a file that libcpsample wrote (doc/format.md). Out: events. Unpacks piece by
 * piece into one buffer and hands on each record as soon as it is whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "read/decode.h"
#include "read/decode_stream.h"
#include "read/pack_file.h"

/* The largest size of a record's tag, length and checksum. */
#define FRAME_BYTES_MAX 24u
#define CRC_BYTES	4u
/* How much is unpacked at a time: so little that it is still in the cache when it is decoded. */
#define STEP_BYTES     (128u * 1024)
#define UNPACKED_BYTES (2 * CPS_RECORD_BYTES_MAX)

_Static_assert(UNPACKED_BYTES >= CPS_RECORD_BYTES_MAX + FRAME_BYTES_MAX + STEP_BYTES,
	       "room for a record that is not whole yet, and for the next step");

#define STORED_BYTES  5u
#define REPEATED_MOST 256u
#define MARK_BYTES    9u /* of a block, with those of the flush before */
/* Packed bytes that are enough for the record that begins a block, with zlib's codes before it. */
#define AHEAD_BYTES 512u

/* What is known of a damaged file. */
struct damage {
	unsigned n;		  /* places */
	uint64_t checked;	  /* the records before this byte of the file are right */
	uint64_t from, to;	  /* the first place: it is among these bytes */
	uint64_t block, at_block; /* the number of the block at hand, and of the first place's */
	uint64_t from_us,
		to_us; /* between the samples before the first place and those behind the last */
	bool is_open;  /* nothing has been read behind the latest place */
};

/* Beside 0 and -1: the bytes are not those that were written. */
#define DAMAGED (-2)

struct unpacker {
	struct decode_stream s; /* shared with the other files */
	struct input *in;
	z_stream z;
	bool is_over;	   /* the zlib data has ended */
	uint64_t unpacked; /* bytes before `start` */
	/* The input is unpacked in parts, each up to a flush of the recorder's. */
	const unsigned char *rest; /* of the input, behind the part at hand */
	size_t n_rest;
	unsigned char ahead[AHEAD_BYTES]; /* a copy of `rest`, while more is looked at than that */
	uint64_t latest;		  /* the eight bytes of the file before `rest` */
	bool is_raw; /* zlib is given a block that was found, without what is before it */
	unsigned char stored[STORED_BYTES]; /* how the end block begins that was found */
	unsigned
		expected; /* the tag that the next record must have, 0: any; CPS_TAG_END: one of the end */
	struct damage damage;
	size_t start, end; /* the part of `bytes` that is not decoded yet */
	unsigned char bytes[UNPACKED_BYTES];
};

/* ---- errors ---------------------------------------------------------------------------------- */

/* How many bytes of the file have been unpacked. */
static uint64_t file_offset(const struct unpacker *u)
{
	return input_offset(u->in) - u->n_rest - u->z.avail_in;
}

static const char *record_name(uint64_t tag)
{
	static const char *const names[] = {
		[CPS_TAG_PROCESS] = "process record",
		[CPS_TAG_MODULE] = "module record",
		[CPS_TAG_THREAD] = "thread record",
		[CPS_TAG_SAMPLES] = "record of samples",
		[CPS_TAG_LOSS] = "record of losses",
		[CPS_TAG_END] = "end record",
		[CPS_TAG_MARK] = "mark",
		[CPS_TAG_ENGINE] = "engine record",
		[CPS_TAG_COLUMNAR_2] = "record of samples",
		[CPS_TAG_COLUMNAR] = "record of samples",
		[CPS_TAG_RESOURCE] = "resource record",
		[CPS_TAG_ATOM] = "atom record",
		[CPS_TAG_COUNTED] = "record of counts",
		[CPS_TAG_FREED] = "record of freed memory",
		[CPS_TAG_BLOCK] = "beginning of a block",
		[CPS_TAG_CALLED] = "record of called functions",
		[CPS_TAG_CALLS] = "record of counted calls",
		[CPS_TAG_CALL_TIMES] = "record of times of calls",
	};

	return tag < sizeof(names) / sizeof(names[0]) && names[tag] ? names[tag] : "record";
}

static int corrupt(struct unpacker *u, const char *what, const char *wrong)
{
	return error_set(u->s.err,
			 "%s: corrupt %s: %s at byte %llu (byte %llu of the unpacked data)",
			 u->s.name, what, wrong, (unsigned long long)file_offset(u),
			 (unsigned long long)u->unpacked);
}

/* The sink has set the error of a record that it refused; append where the record is. If the sink
 * refused the process, the offset would not help. */
static int refused(struct unpacker *u, uint64_t tag)
{
	if (tag == CPS_TAG_PROCESS)
		return -1;
	return error_append(u->s.err, " at byte %llu", (unsigned long long)file_offset(u));
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Note that what comes next is damaged, or that something is missing here. */
static void damage_note(struct unpacker *u)
{
	struct damage *d = &u->damage;

	if (!d->n++) {
		/* It may be in the mark before the records, too. */
		d->from = d->checked > MARK_BYTES ? d->checked - MARK_BYTES : 0;
		d->to = file_offset(u);
		d->at_block = d->block;
		d->from_us = u->s.latest_us;
	}
	d->is_open = true;
	u->s.jit_is_torn = true;
	u->s.calls.is_torn |= u->s.calls.n_functions > 0;
	u->s.calls.has_gap = true;
	u->s.is_gap = true;
}

/* ---- records --------------------------------------------------------------------------------- */

/* The bytes are not those that were written. Without a process record nothing can be read. */
static int damaged(struct unpacker *u, const char *what, const char *wrong)
{
	return u->s.has_process ? DAMAGED : corrupt(u, what, wrong);
}

/* The record at hand is whole, but something is wrong. After a damage it may build on what is lost. */
static int record_wrong(struct unpacker *u, uint64_t tag)
{
	if (!u->s.wrong)
		return refused(u, tag);
	return u->damage.n ? DAMAGED : corrupt(u, record_name(tag), u->s.wrong);
}

/* A block follows the one before it, or others that are missing. */
static int block_begin(struct unpacker *u, struct cursor c)
{
	struct damage *d = &u->damage;
	uint64_t number;

	if (u->expected != CPS_TAG_BLOCK || !cursor_varint(&c, &number) || number <= d->block)
		return DAMAGED;
	if (number > d->block + 1 && !d->is_open)
		damage_note(u);
	d->block = number;
	d->is_open = false;
	u->s.has_columnar = false;
	return 0;
}

/* Whether the batch is one of the latest ones again: a part of the file stands in it twice. */
static bool is_repeated(const struct decode_stream *s, uint64_t tag, struct cursor payload)
{
	size_t n = (size_t)(payload.end - payload.at);
	struct decode_batch_id id;

	if ((tag != CPS_TAG_SAMPLES && tag != CPS_TAG_COLUMNAR) ||
	    !decode_batch_identify(payload.at, n, &id))
		return false;
	for (size_t i = s->n_batches; i-- > 0 && s->n_batches - i <= REPEATED_MOST;)
		if (s->batches[i].buffer == id.buffer && s->batches[i].sequence == id.sequence)
			return true;
	return false;
}

/* Instead of a block the end may come. */
static bool is_expected(const struct unpacker *u, uint64_t tag)
{
	if (u->expected)
		return tag == u->expected || tag == CPS_TAG_LOSS || tag == CPS_TAG_COUNTED ||
		       tag == CPS_TAG_CALLED || tag == CPS_TAG_CALLS || tag == CPS_TAG_CALL_TIMES ||
		       tag == CPS_TAG_END;
	return true;
}

static int record_take(struct unpacker *u, uint64_t tag, struct cursor payload)
{
	int status;

	if (!is_expected(u, tag) || is_repeated(&u->s, tag, payload))
		return DAMAGED;
	if (tag == CPS_TAG_BLOCK) {
		status = block_begin(u, payload);
		u->expected = 0;
		return status;
	}
	u->expected = 0;
	if (decode_record(&u->s, tag, payload.at, (size_t)(payload.end - payload.at)))
		return record_wrong(u, tag);
	return 0;
}

/* Decode the record at the start, if it is complete. 1: done, 0: more bytes are needed, -1: error, or
 * DAMAGED. */
static int record_next(struct unpacker *u)
{
	struct cursor c = {u->bytes + u->start, u->bytes + u->end, NULL};
	uint64_t tag, length;
	int status;

	if (c.at == c.end)
		return 0;
	if (u->s.has_end)
		return corrupt(u, "file", "there is data after its end record");
	if (!decode_record_frame(&c, &tag, &length))
		return c.wrong == CURSOR_SHORT ? 0 : damaged(u, "record", c.wrong);
	if (length + CRC_BYTES > (size_t)(c.end - c.at))
		return 0;
	size_t whole = (size_t)(c.at - (u->bytes + u->start)) + length;
	if (!decode_record_crc_is_right(u->bytes + u->start, whole))
		return damaged(u, record_name(tag), "wrong checksum");
	c.end = c.at + length;
	status = record_take(u, tag, c);
	if (status)
		return status;
	u->start += whole + CRC_BYTES;
	u->unpacked += whole + CRC_BYTES;
	return 1;
}

static int records_decode(struct unpacker *u)
{
	int got;

	do
		got = record_next(u);
	while (got > 0);
	return got;
}

/* ---- zlib ------------------------------------------------------------------------------------ */

/* Make sure that there is a rest of the input. 1: there is, 0: the file ends here, -1: error. */
static int rest_fill(struct unpacker *u)
{
	if (u->n_rest)
		return 1;
	if (input_next(u->in, &u->rest, &u->n_rest, u->s.err))
		return -1;
	return u->n_rest > 0;
}

/* Check that nothing follows the zlib data. */
static int trailer_check(struct unpacker *u)
{
	uint64_t extra = u->z.avail_in, end = file_offset(u);
	int more;

	do {
		extra += u->n_rest;
		u->n_rest = 0;
		more = rest_fill(u);
	} while (more > 0);
	if (more < 0)
		return -1;
	if (!extra || (u->is_raw && extra <= CRC_BYTES)) /* then the checksum of all is left */
		return 0;
	if (u->damage.n)
		return 0;
	return error_set(u->s.err, "%s: %llu bytes after its end at byte %llu", u->s.name,
			 (unsigned long long)extra, (unsigned long long)end);
}

/* Pass the next byte of the rest. Returns whether it is the last one of a flush. */
static bool byte_pass(struct unpacker *u)
{
	u->latest = u->latest << 8 | *u->rest++;
	u->n_rest--;
	return (uint32_t)u->latest == CPS_FLUSH;
}

/* Make sure that there are packed bytes. 1: there are, 0: the file ends here, -1: error. */
static int packed_fill(struct unpacker *u)
{
	int more;

	if (u->z.avail_in)
		return 1;
	more = rest_fill(u);
	if (more <= 0)
		return more;
	u->z.next_in = (unsigned char *)u->rest; /* zlib only reads it */
	while (u->n_rest && !byte_pass(u))
		;
	u->z.avail_in = (unsigned)(u->rest - u->z.next_in);
	return 1;
}

static int inflate_step(struct unpacker *u)
{
	if (UNPACKED_BYTES - u->end < STEP_BYTES) {
		memmove(u->bytes, u->bytes + u->start, u->end - u->start);
		u->end -= u->start;
		u->start = 0;
	}
	u->z.next_out = u->bytes + u->end;
	u->z.avail_out = STEP_BYTES;
	int result = inflate(&u->z, Z_NO_FLUSH);
	u->end += STEP_BYTES - u->z.avail_out;
	switch (result) {
	case Z_STREAM_END:
		u->is_over = true;
		return 0;
	case Z_OK:
	case Z_BUF_ERROR: /* nothing to do with so few bytes */
		return 0;
	case Z_MEM_ERROR:
		return error_memory(u->s.err);
	default:
		return damaged(u, "zlib data", u->z.msg ? u->z.msg : "it needs a dictionary");
	}
}

/* Look at the next packed bytes, as many as begin a block, wherever the input's pieces end. Returns how many there are. */
static size_t look_ahead(struct unpacker *u, unsigned char bytes[AHEAD_BYTES])
{
	const unsigned char *next;
	size_t n = u->n_rest < AHEAD_BYTES ? u->n_rest : AHEAD_BYTES, more = AHEAD_BYTES - n;

	memcpy(bytes, u->rest, n);
	if (!more)
		return n;
	memcpy(u->ahead, bytes, n); /* the input's own bytes are valid only until it is asked */
	u->rest = u->ahead;
	if (input_peek(u->in, &next, &more, u->s.err)) /* who takes them is told so again */
		return n;
	memcpy(bytes + n, next, more);
	return n + more;
}

/* Whether a block begins with what comes next, which zlib can read without what is before it. */
static bool is_block(struct unpacker *u)
{
	unsigned char bytes[32], packed[AHEAD_BYTES];
	struct cursor c = {bytes, bytes, NULL};
	z_stream z = {.next_in = packed,
		      .avail_in = (unsigned)look_ahead(u, packed),
		      .next_out = bytes,
		      .avail_out = sizeof(bytes)};
	uint64_t tag, length;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return false;
	inflate(&z, Z_SYNC_FLUSH);
	c.end = z.next_out;
	inflateEnd(&z);
	if (!decode_record_frame(&c, &tag, &length) || tag != CPS_TAG_BLOCK ||
	    length + CRC_BYTES > (size_t)(c.end - c.at))
		return false;
	return decode_record_crc_is_right(bytes, (size_t)(c.at - bytes) + length);
}

/* All of a part has been decoded. Not each mark is one of a block, since zlib repeats the bytes of a flush if its room for output
 * ends with them. */
static int part_end(struct unpacker *u)
{
	if ((uint32_t)u->latest != CPS_FLUSH)
		return 0;
	if (u->start == u->end)
		u->damage.checked = file_offset(u);
	if (u->latest != CPS_BLOCK_FLUSH || rest_fill(u) <= 0 || !is_block(u))
		return 0;
	if (u->start != u->end || u->expected)
		return DAMAGED;
	u->expected = CPS_TAG_BLOCK;
	return 0;
}

/* Whether the last block begins here, which is stored: the bytes before are a flush, what tells that, and a length. */
static bool is_stored_end(uint64_t latest)
{
	return latest >> 32 == (CPS_FLUSH << 8 | 1) % (UINT64_C(1) << 32) &&
	       ((latest ^ latest >> 16) & 0xffff) == 0xffff;
}

/* Unpack anew behind `latest`, where a block begins. */
static int block_found(struct unpacker *u)
{
	u->z.avail_in = 0;
	u->expected = CPS_TAG_BLOCK;
	if (u->latest != CPS_BLOCK_FLUSH) {
		u->expected = CPS_TAG_END;
		u->stored[0] = 1;
		for (unsigned i = 1; i < STORED_BYTES; i++)
			u->stored[i] = (unsigned char)(u->latest >> (32 - 8 * i));
		u->z.next_in = u->stored;
		u->z.avail_in = STORED_BYTES;
	}
	u->damage.checked = file_offset(u);
	u->is_raw = true;
	return inflateReset2(&u->z, -MAX_WBITS) == Z_OK ? 0 : error_memory(u->s.err);
}

/* Go on at the next block, if there is one. */
static int damage_skip(struct unpacker *u)
{
	int more = 1;

	damage_note(u);
	u->start = u->end = 0;
	u->is_over = false;
	u->z.avail_in = 0;
	u->z.avail_out = 1; /* zlib holds no bytes */
	u->s.wrong = NULL;
	u->s.has_columnar = false;
	u->expected = 0;
	if (u->latest == CPS_BLOCK_FLUSH)
		return block_found(u);
	while (more > 0) {
		more = rest_fill(u);
		if (more > 0 && !byte_pass(u) && !is_stored_end(u->latest))
			continue;
		if (more > 0 && (u->latest == CPS_BLOCK_FLUSH || is_stored_end(u->latest)))
			return block_found(u);
	}
	return more;
}

/* Read and decode up to where the zlib data or the file ends. */
static int stream_decode(struct unpacker *u)
{
	while (!u->is_over) {
		/* If the last step has filled its room, zlib may hold more bytes. */
		int more = u->z.avail_out ? packed_fill(u) : 1, status;
		if (more <= 0)
			return more;
		status = inflate_step(u);
		if (!status)
			status = records_decode(u);
		/* No checksum tells whether it was written so, and the recorder writes an end record first. */
		if (!status && u->is_over && u->is_raw && !u->s.has_end)
			status = DAMAGED;
		if (!status && !u->is_over && !u->z.avail_in && u->z.avail_out)
			status = part_end(u);
		if (status == DAMAGED)
			status = damage_skip(u);
		if (status)
			return -1;
	}
	return trailer_check(u);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The payload of the batch in which the data ends, as far as it is there. False: the data does not
 * end in a batch. Nothing checks it. So it is left out of a damaged file, and of one with several blocks: their recorder
 * leaves no batch that the journal has not. */
static bool torn_batch(const struct unpacker *u, const unsigned char **payload, size_t *n)
{
	struct cursor c = {u->bytes + u->start, u->bytes + u->end, NULL};
	uint64_t tag, length;

	if (!u->s.has_process || u->damage.n || u->damage.block ||
	    !decode_record_frame(&c, &tag, &length) || tag != CPS_TAG_SAMPLES)
		return false;
	*payload = c.at;
	*n = (size_t)(c.end - c.at) < length ? (size_t)(c.end - c.at) : length;
	return true;
}

/* Decode the batch in which the data ends, and the journal. */
static int remains_decode(struct unpacker *u, const char *path,
			  struct decode_journal_outcome *journal)
{
	const unsigned char *payload;
	struct decode_batch_id id;
	size_t n;
	bool is_torn = torn_batch(u, &payload, &n);
	bool is_known = is_torn && decode_batch_identify(payload, n, &id);

	if (decode_journal(&u->s, path, is_known ? &id : NULL, journal))
		return error_append(u->s.err, " in its journal");
	if (!u->s.has_end && decode_calls_file(&u->s, path, journal->text, sizeof(journal->text)))
		return error_append(u->s.err, " in the file of its calls");
	if (is_known && !journal->torn_held && decode_batch(&u->s, payload, n, &is_torn)) {
		if (u->s.wrong)
			return corrupt(u, record_name(CPS_TAG_SAMPLES), u->s.wrong);
		return refused(u, CPS_TAG_SAMPLES);
	}
	return 0;
}

/* What is lost, if the end record tells it. */
static void damage_measure(struct unpacker *u, uint64_t *lost)
{
	struct damage *d = &u->damage;

	d->to_us = u->s.is_gap ? u->s.end.time_us : u->s.behind_us;
	*lost = u->s.has_end && u->s.end.ticks > u->s.ticks ? u->s.end.ticks - u->s.ticks : 0;
}

/* Say what is lost, and tell the sink. */
static int damage_tell(struct unpacker *u, char *text, size_t room)
{
	const struct event_sink *sink = u->s.sink;
	const struct damage *d = &u->damage;
	struct event_loss loss = {.reason = CPS_LOSS_DAMAGED};
	size_t n;

	damage_measure(u, &loss.count);
	n = (size_t)snprintf(text, room, "bytes %llu to %llu (block %llu)",
			     (unsigned long long)d->from, (unsigned long long)d->to,
			     (unsigned long long)d->at_block);
	if (d->n > 1)
		n += (size_t)snprintf(text + n, room - n, " and %u more place%s", d->n - 1,
				      d->n == 2 ? "" : "s");
	n += (size_t)snprintf(text + n, room - n, " cannot be read");
	if (!u->s.has_end)
		snprintf(text + n, room - n, "; what is lost is not known");
	else if (!loss.count)
		snprintf(text + n, room - n, "; no sample is lost");
	else
		snprintf(text + n, room - n,
			 "; %llu sample%s between %.3f s and %.3f s of %.3f s %s lost",
			 (unsigned long long)loss.count, loss.count == 1 ? "" : "s",
			 (double)d->from_us / 1e6,
			 (double)(d->to_us > d->from_us ? d->to_us : d->from_us) / 1e6,
			 (double)u->s.end.time_us / 1e6, loss.count == 1 ? "is" : "are");
	if (!loss.count || !sink->loss)
		return 0;
	return sink->loss(sink->context, &loss, u->s.err);
}

static const char *cut_reason(const struct unpacker *u,
			      const struct decode_journal_outcome *journal)
{
	if (u->s.has_end)
		return "the file ends before its last checksum";
	if (u->start != u->end && journal->use != PROCESS_LIFE_IN_USE)
		return "the file ends inside a record";
	if (u->is_over)
		return "the file has no end record";
	if (u->s.end.stop)
		return "recording stopped before the program did";
	return NULL;
}

/* What has become of the process, if the file says nothing of its end. */
static enum event_unended unended(const struct unpacker *u,
				  const struct decode_journal_outcome *journal)
{
	const struct decode_stream *s = &u->s;
	const struct event_text host = {s->host, strlen(s->host)};
	bool goes_on =
		s->life ? s->life != PACK_OVER : process_life_goes_on(s->pid, s->start_ns, host);

	if (journal->use == PROCESS_LIFE_IN_USE || s->life == PACK_RUNNING ||
	    (goes_on && journal->use == PROCESS_LIFE_NOT_KNOWN))
		return EVENT_RUNNING;
	if (goes_on)
		return EVENT_BECAME;
	return s->is_go && journal->is_whole ? EVENT_LEFT : EVENT_KILLED;
}

static int stream_cut(struct unpacker *u, const char *reason,
		      const struct decode_journal_outcome *journal)
{
	static const char *const reasons[] = {
		[EVENT_RUNNING] = "the program is still running",
		[EVENT_BECAME] = EVENT_BECAME_TEXT,
		[EVENT_KILLED] = EVENT_KILLED_TEXT,
		[EVENT_LEFT] = EVENT_LEFT_TEXT,
	};
	const struct event_sink *sink = u->s.sink;
	enum event_unended how = u->damage.n ? EVENT_DAMAGED
				 : reason    ? EVENT_CUT
					     : unended(u, journal);
	char why[512];
	const struct event_cut cut = {
		.how = how,
		.offset = u->damage.n ? u->damage.from : input_offset(u->in),
		.why = why,
		.stop = u->s.end.stop,
		.error = u->s.end.error,
		.children_ns = u->s.end.children_ns,
		.calls_us = u->s.has_end ? 0 : u->s.calls.until_us,
		.hooks_ns = u->s.has_end ? u->s.end.hooks_ns : u->s.calls.hooks_ns,
		.has_lost_calls = u->s.calls.is_torn,
	};

	snprintf(why, sizeof(why), "%s%s", reason ? reason : reasons[how], journal->text);
	return sink->cut ? sink->cut(sink->context, &cut, u->s.err) : 0;
}

static int stream_finish(struct unpacker *u, const char *path)
{
	struct decode_journal_outcome journal = {0};
	const struct event_sink *sink;
	char lost[300];

	if (!u->s.has_process && decode_record_push_unknown_process(&u->s))
		return -1;
	if ((!u->s.has_end || u->s.end.stop) && remains_decode(u, path, &journal))
		return -1;
	if (u->s.resources && (!u->s.resources->is_taken || u->s.resources->live))
		return live_heap_offer(&u->s, path);
	if (decode_map(&u->s, path))
		return -1;
	if (u->s.resources && (decode_calls_end(&u->s) || decode_resources_end(&u->s)))
		return u->s.wrong ? corrupt(u, "recording", u->s.wrong) : -1;
	if (u->damage.n)
		return damage_tell(u, lost, sizeof(lost)) ? -1 : stream_cut(u, lost, &journal);
	if (!u->s.has_end || !u->is_over)
		return stream_cut(u, cut_reason(u, &journal), &journal);
	/* The text begins with "; " because it continues a sentence elsewhere. */
	u->s.end.has_lost_calls = u->s.calls.is_torn;
	u->s.end.note = journal.is_wrong ? journal.text + 2 : NULL;
	sink = u->s.sink;
	return sink->end ? sink->end(sink->context, &u->s.end, u->s.err) : 0;
}

/* Finish a file that ends before its zlib data begins. */
static int head_cut(struct unpacker *u, const char *path)
{
	struct decode_journal_outcome journal = {0};

	if (decode_record_push_unknown_process(&u->s) || remains_decode(u, path, &journal))
		return -1;
	return stream_cut(u, "the file ends inside its head", &journal);
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* Read the head, which is not packed. 1: done, 0: the file ends inside it, -1: error. */
static int head_take(struct unpacker *u)
{
	const unsigned char *bytes;
	size_t n, taken = 0;
	unsigned version = CPS_VERSION;

	while (taken < CPS_HEAD_BYTES) {
		if (input_next(u->in, &bytes, &n, u->s.err))
			return -1;
		if (!n)
			return 0;
		size_t mine = n < CPS_HEAD_BYTES - taken ? n : CPS_HEAD_BYTES - taken;
		taken += mine;
		if (taken == CPS_HEAD_BYTES)
			version = bytes[mine - 1];
		u->rest = bytes + mine;
		u->n_rest = n - mine;
	}
	if (!version || version > CPS_VERSION)
		return error_set(u->s.err,
				 "%s: has version %u of the format at byte %d, but this program "
				 "reads versions up to %d",
				 u->s.name, version, CPS_MAGIC_BYTES, CPS_VERSION);
	u->s.version = version;
	return 1;
}

static int stream_read(struct unpacker *u, const char *path)
{
	int head = head_take(u);

	if (head < 0)
		return -1;
	if (!head)
		return head_cut(u, path);
	if (inflateInit(&u->z) != Z_OK)
		return error_memory(u->s.err);
	u->z.avail_out = 1; /* it holds no bytes yet */
	int result = stream_decode(u);
	if (!result)
		result = stream_finish(u, path);
	inflateEnd(&u->z);
	return result;
}

static int stream_run(struct input *in, const char *path, const struct event_sink *sink,
		      struct error *err)
{
	struct unpacker *u = malloc(sizeof(*u));
	struct decode_batch *batch = decode_batch_new();
	int result;

	if (!u || !batch) {
		free(u);
		decode_batch_free(batch);
		return error_memory(err);
	}
	memset(u, 0, offsetof(struct unpacker, bytes));
	u->in = in;
	u->s.sink = sink;
	u->s.err = err;
	u->s.name = input_name(in);
	u->s.life = input_life(in);
	u->s.has_owner = input_owner(in, &u->s.owner);
	u->s.scale = 1;
	u->s.batch = batch;
	result = stream_read(u, path);
	if (u->s.is_declined)
		result = 0;
	free(u->s.batches);
	decode_resources_free(&u->s);
	decode_calls_forget(&u->s.calls);
	decode_columnar_free(u->s.columnar);
	free(u);
	decode_batch_free(batch);
	return result;
}

/* Does the file begin with the head, or with as much of it as a cut file has? If a printable
 * character is in place of the version, this is a text that happens to begin with the magic. */
static int stream_detect(const unsigned char *head, size_t n)
{
	size_t length = n < CPS_MAGIC_BYTES ? n : CPS_MAGIC_BYTES;

	return !memcmp(head, CPS_MAGIC, length) &&
	       (n < CPS_HEAD_BYTES || head[CPS_MAGIC_BYTES] < ' ');
}

const struct decoder decode_stream = {
	.kind = {.name = "a recording of libcpsample",
		 .has_times = true,
		 .has_threads = true,
		 .has_pid = true,
		 .has_executable = true},
	.detect = stream_detect,
	.run = stream_run,
};
