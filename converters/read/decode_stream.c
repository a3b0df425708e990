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

struct unpacker {
	struct decode_stream s; /* shared with the other files */
	struct input *in;
	z_stream z;
	bool is_over;	   /* the zlib data has ended */
	uint64_t unpacked; /* bytes before `start` */
	size_t start, end; /* the part of `bytes` that is not decoded yet */
	unsigned char bytes[UNPACKED_BYTES];
};

/* ---- errors ---------------------------------------------------------------------------------- */

/* How many bytes of the file have been unpacked. */
static uint64_t file_offset(const struct unpacker *u)
{
	return input_offset(u->in) - u->z.avail_in;
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

/* ---- records --------------------------------------------------------------------------------- */

/* Decode the record at the start, if it is complete. 1: done, 0: more bytes are needed, -1:
 * error. */
static int record_next(struct unpacker *u)
{
	struct cursor c = {u->bytes + u->start, u->bytes + u->end, NULL};
	uint64_t tag, length;

	if (c.at == c.end)
		return 0;
	if (u->s.has_end)
		return corrupt(u, "file", "there is data after its end record");
	if (!decode_record_frame(&c, &tag, &length))
		return c.wrong == CURSOR_SHORT ? 0 : corrupt(u, "record", c.wrong);
	if (length + CRC_BYTES > (size_t)(c.end - c.at))
		return 0;
	size_t whole = (size_t)(c.at - (u->bytes + u->start)) + length;
	if (!decode_record_crc_is_right(u->bytes + u->start, whole))
		return corrupt(u, record_name(tag), "wrong checksum");
	if (decode_record(&u->s, tag, c.at, length)) {
		if (u->s.wrong)
			return corrupt(u, record_name(tag), u->s.wrong);
		return refused(u, tag);
	}
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

/* Check that nothing follows the zlib data. */
static int trailer_check(struct unpacker *u)
{
	uint64_t extra = u->z.avail_in, end = file_offset(u);
	const unsigned char *bytes;
	size_t n;

	do {
		if (input_next(u->in, &bytes, &n, u->s.err))
			return -1;
		extra += n;
	} while (n);
	if (!extra)
		return 0;
	return error_set(u->s.err, "%s: %llu bytes after its end at byte %llu", u->s.name,
			 (unsigned long long)extra, (unsigned long long)end);
}

/* Make sure that there are packed bytes. 1: there are, 0: the file ends here, -1: error. */
static int packed_fill(struct unpacker *u)
{
	const unsigned char *bytes;
	size_t n;

	if (u->z.avail_in)
		return 1;
	if (input_next(u->in, &bytes, &n, u->s.err))
		return -1;
	u->z.next_in = (unsigned char *)bytes; /* zlib only reads it */
	u->z.avail_in = (unsigned)n;
	return n > 0;
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
		return corrupt(u, "zlib data", u->z.msg ? u->z.msg : "it needs a dictionary");
	}
}

/* Read and decode up to where the zlib data or the file ends. */
static int stream_decode(struct unpacker *u)
{
	while (!u->is_over) {
		/* If the last step has filled its room, zlib may hold more bytes. */
		int more = u->z.avail_out ? packed_fill(u) : 1;
		if (more <= 0)
			return more;
		if (inflate_step(u) || records_decode(u))
			return -1;
	}
	return trailer_check(u);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The payload of the batch in which the data ends, as far as it is there. False: the data does not
 * end in a batch. */
static bool torn_batch(const struct unpacker *u, const unsigned char **payload, size_t *n)
{
	struct cursor c = {u->bytes + u->start, u->bytes + u->end, NULL};
	uint64_t tag, length;

	if (!u->s.has_process || !decode_record_frame(&c, &tag, &length) || tag != CPS_TAG_SAMPLES)
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
	if (is_known && !journal->torn_held && decode_batch(&u->s, payload, n, &is_torn)) {
		if (u->s.wrong)
			return corrupt(u, record_name(CPS_TAG_SAMPLES), u->s.wrong);
		return refused(u, CPS_TAG_SAMPLES);
	}
	return 0;
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
	enum event_unended how = reason ? EVENT_CUT : unended(u, journal);
	char why[512];
	const struct event_cut cut = {
		.how = how,
		.offset = input_offset(u->in),
		.why = why,
		.stop = u->s.end.stop,
		.error = u->s.end.error,
		.children_ns = u->s.end.children_ns,
	};

	snprintf(why, sizeof(why), "%s%s", reason ? reason : reasons[how], journal->text);
	return sink->cut ? sink->cut(sink->context, &cut, u->s.err) : 0;
}

static int stream_finish(struct unpacker *u, const char *path)
{
	struct decode_journal_outcome journal = {0};
	const struct event_sink *sink;

	if (!u->s.has_process && decode_record_push_unknown_process(&u->s))
		return -1;
	if ((!u->s.has_end || u->s.end.stop) && remains_decode(u, path, &journal))
		return -1;
	if (u->s.resources && (!u->s.resources->is_taken || u->s.resources->live))
		return live_heap_offer(&u->s, path);
	if (decode_map(&u->s, path))
		return -1;
	if (u->s.resources && decode_resources_end(&u->s))
		return u->s.wrong ? corrupt(u, "recording", u->s.wrong) : -1;
	if (!u->s.has_end || !u->is_over)
		return stream_cut(u, cut_reason(u, &journal), &journal);
	/* The text begins with "; " because it continues a sentence elsewhere. */
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
		u->z.next_in = (unsigned char *)bytes + mine;
		u->z.avail_in = (unsigned)(n - mine);
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
