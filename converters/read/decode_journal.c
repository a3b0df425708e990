/* SPDX-License-Identifier: MIT */
/*
 * decode_journal.c - decodes what a journal has that its stream lacks, and knows whether somebody
 * still writes it.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "read/decode_stream.h"
#include "read/pack_file.h"

/* ---- process life ---------------------------------------------------------------------------- */
/*
 * Looks for the process that writes a recording.
 *
 * In: what the recording says of it, its journal. Out: whether it is there.
 */

#define SECOND UINT64_C(1000000000)
/* The clock may have been set between, and ticks are coarse. */
#define SLACK_NS (2 * SECOND)

static uint64_t clock_now(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Field 22 of /proc/PID/stat in nanoseconds after boot; 0: there is no such process. Field 2 is a
 * name in parentheses, which may contain anything. */
static uint64_t started_after_boot(uint64_t pid)
{
	char path[64], text[1024], *p;
	unsigned long long ticks = 0;
	long per_second = sysconf(_SC_CLK_TCK);
	char state = 'Z';
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || per_second <= 0 ||
	    sscanf(p + 1,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %llu",
		   &state, &ticks) != 2 ||
	    state == 'Z' || state == 'X')
		return 0;
	return ticks * (SECOND / (uint64_t)per_second);
}

static bool is_this_host(struct event_text host)
{
	struct utsname here;

	return uname(&here) == 0 && strlen(here.nodename) == host.length && host.length &&
	       !memcmp(here.nodename, host.bytes, host.length);
}

bool process_life_goes_on(uint64_t pid, uint64_t start_ns, struct event_text host)
{
	uint64_t started = pid && is_this_host(host) ? started_after_boot(pid) : 0;
	uint64_t boot = clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME);

	return started && boot + started <= start_ns + SLACK_NS;
}

/* Whether a process has the open file mapped to write to it, or open for writing. Some file
 * systems, such as NFS, cannot tell, and neither can a user who does not own the file. The
 * kernel grants a lease for reading only if nobody writes. On an overlay it does not see
 * mappings, which are those of the file below. If the lease is broken in this moment, a signal
 * is sent that is ignored by default. */
static enum process_life_use process_life_use_of(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) || fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	    fcntl(fd, F_SETSIG, SIGURG) != 0)
		return PROCESS_LIFE_NOT_KNOWN;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN ? PROCESS_LIFE_IN_USE : PROCESS_LIFE_NOT_KNOWN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return PROCESS_LIFE_AT_REST;
}

/* ---- decode journal -------------------------------------------------------------------------- */
/*
 * Decodes what a journal has that its stream lacks.
 *
 * In: the journal of a stream that is not complete. Out: events. A damaged journal is no error,
 * because the stream is worth reading without it: what is damaged is left out, and the outcome says
 * so.
 */

/* No recorder counts more losses than this. */
#define LOSSES_MAX (UINT64_C(1) << 60)

_Static_assert(sizeof(struct cps_journal_head) == 64 && sizeof(struct cps_journal_buffer) == 64,
	       "the layout is the file's");

struct journal {
	struct decode_stream *s;
	int fd;
	uint64_t begin,
		size; /* of the journal in the file: 0 and its size, unless it is in a pack */
	uint32_t buffers, buffer_bytes, data_offset, page_room;
	unsigned char *bytes; /* of one buffer */
	size_t n;	      /* how many of them */
	const char *damage;   /* the first damage found, or NULL */
	const struct decode_batch_id *torn;
	bool torn_held;
	struct event_loss losses[CPS_JOURNAL_REASONS];
};

static void damaged(struct journal *j, const char *what)
{
	if (!j->damage)
		j->damage = what;
}

/* As many bytes as there are, up to n. */
static size_t journal_read(const struct journal *j, void *bytes, size_t n, uint64_t offset)
{
	size_t have = 0;

	if (offset >= j->size)
		return 0;
	if (n > j->size - offset)
		n = (size_t)(j->size - offset);
	offset += j->begin;
	while (have < n) {
		ssize_t got = pread(j->fd, (char *)bytes + have, n - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

/* ---- one buffer ------------------------------------------------------------------------------ */

static uint64_t entry_offset(uint32_t i)
{
	return sizeof(struct cps_journal_head) + (uint64_t)i * sizeof(struct cps_journal_buffer);
}

static bool entry_read(const struct journal *j, uint32_t i, struct cps_journal_buffer *b)
{
	uint64_t offset = entry_offset(i);

	return offset + sizeof(*b) <= j->size &&
	       journal_read(j, b, sizeof(*b), offset) == sizeof(*b);
}

/* The entry of buffer i in the table; false if the file ends before it. A process may be writing it, so it is read
 * until it is the same twice. */
static bool entry_load(struct journal *j, uint32_t i, struct cps_journal_buffer *b)
{
	struct cps_journal_buffer before;
	int tries = 0;

	do {
		if (!entry_read(j, i, &before) || !entry_read(j, i, b)) {
			damaged(j, "it ends too early");
			return false;
		}
	} while (memcmp(&before, b, sizeof(*b)) != 0 && ++tries < 100);
	return true;
}

/* As journal_read, from pages of which only the first bytes are used. */
static size_t pages_read(const struct journal *j, unsigned char *bytes, size_t n, uint64_t offset)
{
	size_t have = 0;

	while (have < n) {
		size_t more = n - have < j->page_room ? n - have : j->page_room;
		size_t got = journal_read(j, bytes + have, more, offset);
		have += got;
		offset += CPS_JOURNAL_ALIGN;
		if (got < more)
			break;
	}
	return have;
}

/* Read the bytes that count of buffer i; false if there are none. */
static bool buffer_load(struct journal *j, uint32_t i, const struct cps_journal_buffer *b)
{
	uint32_t committed = le32toh(b->committed) & CPS_JOURNAL_COMMITTED;
	uint32_t latest = le32toh(b->committed) >> 24;

	if (committed > j->buffer_bytes / CPS_JOURNAL_ALIGN * j->page_room || latest > committed ||
	    latest > CPS_JOURNAL_LATEST) {
		damaged(j, "a buffer holds more than it can");
		return false;
	}
	j->n = pages_read(j, j->bytes, committed - latest,
			  j->data_offset + (uint64_t)i * j->buffer_bytes);
	if (j->n == committed - latest) {
		memcpy(j->bytes + j->n, b->latest, latest);
		j->n = committed;
	}
	if (j->n < committed)
		damaged(j, "it ends too early");
	return j->n > 0;
}

/* Buffer 0: modules, threads, losses. */
static int records_decode(struct journal *j)
{
	struct cursor c = {j->bytes, j->bytes + j->n, NULL};
	uint64_t tag, length;

	while (c.at != c.end) {
		const unsigned char *record = c.at;

		if (!decode_record_frame(&c, &tag, &length) ||
		    length + 4 > (size_t)(c.end - c.at) ||
		    !decode_record_crc_is_right(record, (size_t)(c.at - record) + length)) {
			damaged(j, "a record in it is corrupt");
			return 0;
		}
		if (tag == CPS_TAG_SAMPLES || tag == CPS_TAG_PROCESS || tag == CPS_TAG_END)
			damaged(j, "a record in it is out of place");
		else if (decode_record(j->s, tag, c.at, length) && !j->s->wrong)
			return -1;
		if (j->s->wrong)
			damaged(j, j->s->wrong);
		j->s->wrong = NULL;
		c.at += length + 4;
	}
	return 0;
}

static int id_compare(const void *a, const void *b)
{
	const struct decode_batch_id *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static bool stream_has(const struct decode_stream *s, const struct decode_batch_id *id)
{
	return s->n_batches &&
	       bsearch(id, s->batches, s->n_batches, sizeof(*s->batches), id_compare);
}

/* Buffer i > 0: a batch, unless the stream has it. */
static int samples_decode(struct journal *j, uint32_t i, uint32_t sequence)
{
	struct decode_batch_id id;
	bool torn;

	if (!decode_batch_identify(j->bytes, j->n, &id) || id.buffer != i ||
	    id.sequence != sequence) {
		damaged(j, "a buffer holds another batch");
		return 0;
	}
	if (stream_has(j->s, &id))
		return 0;
	if (j->torn && !id_compare(j->torn, &id))
		j->torn_held = true;
	if (decode_batch(j->s, j->bytes, j->n, &torn) && !j->s->wrong)
		return -1;
	if (j->s->wrong)
		damaged(j, j->s->wrong);
	else if (torn)
		damaged(j, "a batch in it ends inside a sample");
	j->s->wrong = NULL;
	return 0;
}

/* What the entry of buffer 0 says of losses, or the one behind the table, whose first count is none. */
static void losses_note(struct journal *j, const struct cps_journal_buffer *b, bool is_more)
{
	for (uint32_t i = is_more; i < CPS_JOURNAL_LOSSES; i++) {
		uint32_t reason = is_more ? CPS_JOURNAL_LOSSES - 1 + i : i;

		j->losses[reason] = (struct event_loss){reason, le64toh(b->losses[i])};
		if (j->losses[reason].count <= LOSSES_MAX)
			continue;
		damaged(j, "its losses are impossible");
		j->losses[reason].count = 0;
	}
}

/* The counts of the journal are used where they are larger than those of the records. */
static int losses_push(struct journal *j)
{
	const struct event_sink *sink = j->s->sink;

	for (uint32_t i = 0; i < CPS_JOURNAL_REASONS; i++)
		if (j->losses[i].count > j->s->losses[i] && sink->loss &&
		    sink->loss(sink->context, &j->losses[i], j->s->err))
			return -1;
	return 0;
}

static int buffers_decode(struct journal *j)
{
	struct cps_journal_buffer b;

	if (j->s->n_batches)
		qsort(j->s->batches, j->s->n_batches, sizeof(*j->s->batches), id_compare);
	for (uint32_t i = 0; i < j->buffers && entry_load(j, i, &b); i++) {
		if (!i)
			losses_note(j, &b, false);
		if (!buffer_load(j, i, &b))
			continue;
		if (i ? samples_decode(j, i, le32toh(b.sequence)) : records_decode(j))
			return -1;
	}
	if (entry_offset(j->buffers + 1) <= j->data_offset && entry_read(j, j->buffers, &b))
		losses_note(j, &b, true);
	return losses_push(j);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Read the head. False: this is no journal that can be read. */
static const char *head_check(struct journal *j, struct cps_journal_head *head)
{
	if (journal_read(j, head, sizeof(*head), 0) < sizeof(*head))
		return "its head is not whole";
	if (memcmp(head->magic, CPS_JOURNAL_MAGIC, sizeof(head->magic)))
		return "it has another file's head";
	if (le32toh(head->version) != CPS_JOURNAL_VERSION &&
	    le32toh(head->version) != CPS_JOURNAL_OLD_VERSION)
		return "it has an unknown version";
	j->buffers = le32toh(head->buffers);
	j->buffer_bytes = le32toh(head->buffer_bytes);
	j->data_offset = le32toh(head->data_offset);
	j->page_room = le32toh(head->page_room);
	if (!j->buffers || j->buffers > CPS_JOURNAL_BUFFERS_MAX ||
	    j->buffer_bytes > CPS_RECORD_BYTES_MAX || !j->page_room ||
	    j->page_room > CPS_JOURNAL_ALIGN ||
	    j->data_offset < sizeof(*head) + j->buffers * sizeof(struct cps_journal_buffer))
		return "its layout is impossible";
	return NULL;
}

/* Take over why recording stopped and what children used, unless the stream's end record has said
 * so. */
static void end_note(struct decode_stream *s, const struct cps_journal_head *head)
{
	int32_t error = (int32_t)le32toh((uint32_t)head->stop_error);

	if (s->has_end)
		return;
	s->end.children_ns = le64toh(head->children_ns);
	if (!head->stop)
		return;
	s->end.stop = le32toh(head->stop);
	s->end.error = error > 0 ? (uint64_t)error : 0;
}

/* The journal of a recording in a pack is another part of it. */
static void open_packed(struct journal *j, const char *path)
{
	struct pack_entry entry;
	struct pack_file pack;
	struct error unused; /* the recording was read from the same pack */

	if (pack_file_find(&pack, path, &entry, &unused) <= 0)
		return;
	if (!entry.parts[PACK_JOURNAL].bytes) {
		pack_file_close(&pack);
		return;
	}
	j->fd = pack.fd;
	j->begin = entry.parts[PACK_JOURNAL].offset;
	j->size = entry.parts[PACK_JOURNAL].bytes;
}

/* Open the journal of the stream at `path`. It must be a regular file: to open another kind of file
 * might block. */
static void journal_open(struct journal *j, const char *path)
{
	struct stat st;
	char *name;

	j->fd = -1;
	if (j->s->life) {
		open_packed(j, path);
		return;
	}
	if (!strcmp(path, "-") || asprintf(&name, "%s" CPS_JOURNAL_SUFFIX, path) < 0)
		return;
	j->fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(name);
	if (j->fd >= 0 && (fstat(j->fd, &st) || !S_ISREG(st.st_mode))) {
		close(j->fd);
		j->fd = -1;
	}
	j->size = j->fd >= 0 ? (uint64_t)st.st_size : 0;
}

/* Whether a process writes the journal. Of one in a pack that was found out when it was packed. */
static enum process_life_use use_of(const struct journal *j)
{
	if (!j->s->life)
		return process_life_use_of(j->fd);
	return j->s->life == PACK_RUNNING ? PROCESS_LIFE_IN_USE : PROCESS_LIFE_AT_REST;
}

/* While its file system is slow the journal lags behind the recorder. Only at an end in order does it
 * catch up. */
static void say_read(const struct decode_stream *s, const struct cps_journal_head *head,
		     struct decode_journal_outcome *o)
{
	uint32_t rest_ms = le32toh(head->rest_ms);

	o->is_whole = !rest_ms && !head->stop;
	if (!rest_ms || head->stop || s->has_end)
		snprintf(o->text, sizeof(o->text), "; its journal was read");
	else
		snprintf(o->text, sizeof(o->text),
			 "; its journal was read, but the disk was slow, and up to %" PRIu32
			 " ms at the end are missing",
			 rest_ms);
}

static int journal_use(struct journal *j, struct decode_journal_outcome *o)
{
	struct cps_journal_head head;
	int result = 0;

	j->damage = head_check(j, &head);
	if (!j->damage && (!j->s->has_journal || le64toh(head.id) != j->s->journal)) {
		o->is_wrong = true;
		snprintf(o->text, sizeof(o->text), "; the journal beside it %s",
			 j->s->has_journal ? "is another recording's" : "cannot be matched to it");
		return 0;
	}
	if (!j->damage) {
		o->use = use_of(j);
		end_note(j->s, &head);
		j->bytes = malloc(j->buffer_bytes ? j->buffer_bytes : 1);
		result = j->bytes ? buffers_decode(j) : error_memory(j->s->err);
		free(j->bytes);
	}
	o->is_wrong = j->damage;
	if (j->damage)
		snprintf(o->text, sizeof(o->text), "; its journal is damaged: %s", j->damage);
	else
		say_read(j->s, &head, o);
	return result;
}

int decode_journal(struct decode_stream *s, const char *path, const struct decode_batch_id *torn,
		   struct decode_journal_outcome *outcome)
{
	struct journal j = {.s = s, .torn = torn};
	int result;

	journal_open(&j, path);
	if (j.fd < 0)
		return 0;
	result = journal_use(&j, outcome);
	outcome->torn_held = j.torn_held;
	close(j.fd);
	return result;
}
