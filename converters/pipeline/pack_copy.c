/* SPDX-License-Identifier: MIT */
/*
 * pack_copy.c - copies recordings, and what belongs to them, into a pack.
 */
#include "pipeline/pack_copy.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libsampler/format.h"
#include "model/perf_map.h"
#include "model/short_processes.h"
#include "read/decode.h"
#include "read/short_file.h"

/* ---- pack journal ---------------------------------------------------------------------------- */
/*
 * Makes a journal small.
 *
 * In: the journal of a process that was killed, or is running. Out: a journal that says the same.
 *
 * A journal has a mebibyte for the buffers of sixteen threads, of which a killed process has used
 * some pages. Its head says how large buffers are, so one with smaller ones is a journal like
 * others (format.h). Buffers keep their numbers, because batches have them inside.
 */

/* No recorder makes a journal that has so much in it. */
#define JOURNAL_BYTES_MAX (UINT64_C(64) << 20)

struct journal {
	int fd;
	struct pack_span at;
	struct cps_journal_head head;
	struct cps_journal_buffer *table;
	uint32_t buffers, buffer_bytes, data_offset, page_room;
};

static bool read_at(const struct journal *j, void *bytes, size_t n, uint64_t offset)
{
	size_t have = 0;

	if (offset > j->at.bytes || n > j->at.bytes - offset)
		return false;
	while (have < n) {
		ssize_t got = pread(j->fd, (char *)bytes + have, n - have,
				    (off_t)(j->at.offset + offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

static size_t table_end(uint32_t buffers)
{
	return sizeof(struct cps_journal_head) + buffers * sizeof(struct cps_journal_buffer);
}

static bool read_head(struct journal *j)
{
	const struct cps_journal_head *h = &j->head;

	if (!read_at(j, &j->head, sizeof(j->head), 0) ||
	    memcmp(h->magic, CPS_JOURNAL_MAGIC, sizeof(h->magic)) != 0 ||
	    (le32toh(h->version) != CPS_JOURNAL_VERSION &&
	     le32toh(h->version) != CPS_JOURNAL_OLD_VERSION))
		return false;
	j->buffers = le32toh(h->buffers);
	j->buffer_bytes = le32toh(h->buffer_bytes);
	j->data_offset = le32toh(h->data_offset);
	j->page_room = le32toh(h->page_room);
	return j->buffers && j->buffers <= CPS_JOURNAL_BUFFERS_MAX && j->page_room &&
	       j->page_room <= CPS_JOURNAL_ALIGN && j->buffer_bytes <= CPS_RECORD_BYTES_MAX &&
	       j->data_offset >= table_end(j->buffers);
}

/* The pages that a buffer has in use. */
static uint32_t pages_of(const struct journal *j, uint32_t i)
{
	uint32_t committed = le32toh(j->table[i].committed) & CPS_JOURNAL_COMMITTED;

	return committed / j->page_room + (committed % j->page_room != 0);
}

/* How large the buffers have to be, and how many there are up to the last one in use. False: one has more than it can. */
static bool measure(const struct journal *j, uint32_t *pages, uint32_t *buffers)
{
	*pages = *buffers = 1;
	for (uint32_t i = 0; i < j->buffers; i++) {
		uint32_t used = pages_of(j, i);

		if (used > j->buffer_bytes / CPS_JOURNAL_ALIGN)
			return false;
		*pages = used > *pages ? used : *pages;
		*buffers = used ? i + 1 : *buffers;
	}
	return true;
}

static bool copy(const struct journal *j, unsigned char *to, uint32_t buffers, size_t data,
		 size_t buffer_bytes)
{
	struct cps_journal_head head = j->head;

	head.buffers = htole32(buffers);
	head.buffer_bytes = htole32((uint32_t)buffer_bytes);
	head.data_offset = htole32((uint32_t)data);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), j->table, table_end(buffers) - sizeof(head));
	if (j->data_offset >= table_end(j->buffers + 1) && /* more losses */
	    !read_at(j, to + table_end(buffers), sizeof(*j->table), table_end(j->buffers)))
		return false;
	for (uint32_t i = 0; i < buffers; i++)
		if (!read_at(j, to + data + i * buffer_bytes,
			     (size_t)pages_of(j, i) * CPS_JOURNAL_ALIGN,
			     j->data_offset + (uint64_t)i * j->buffer_bytes))
			return false;
	return true;
}

static int shrink(const struct journal *j, unsigned char **bytes, size_t *n)
{
	uint32_t pages, buffers;
	uint64_t all;
	size_t data;

	if (!measure(j, &pages, &buffers))
		return 0;
	data = (table_end(buffers + 1) + CPS_JOURNAL_ALIGN - 1) / CPS_JOURNAL_ALIGN *
	       CPS_JOURNAL_ALIGN;
	all = data + (uint64_t)buffers * pages * CPS_JOURNAL_ALIGN;
	if (all >= j->at.bytes || all > JOURNAL_BYTES_MAX)
		return 0;
	*n = (size_t)all;
	*bytes = calloc(1, *n);
	if (!*bytes)
		return -1;
	return copy(j, *bytes, buffers, data, (size_t)pages * CPS_JOURNAL_ALIGN);
}

/* Write the journal in a part of an open file anew, with room for no more than its buffers hold. The caller frees
 * *bytes. Returns 1; 0 if the journal is damaged or would not become smaller; -1 if memory is out. */
static int pack_journal_shrink(int fd, const struct pack_span *from, unsigned char **bytes,
			       size_t *n)
{
	struct journal j = {.fd = fd, .at = *from};
	size_t table;
	int rc = 0;

	*bytes = NULL;
	if (!read_head(&j))
		return 0;
	table = table_end(j.buffers) - sizeof(j.head);
	j.table = malloc(table);
	if (!j.table)
		return -1;
	if (read_at(&j, j.table, table, sizeof(j.head)))
		rc = shrink(&j, bytes, n);
	free(j.table);
	return rc;
}

/* ---- recordings ------------------------------------------------------------------------------- */

/* What has to be known of a recording before it is copied. */
struct looking {
	struct perf_map_process process;
	char *host;
	bool has_owner, has_map, is_foreign;
	char life;
};

/* ---- what is known ----------------------------------------------------------------------------- */

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct looking *l = context;

	(void)next;
	l->is_foreign = e->kind != &decode_stream.kind;
	if (l->is_foreign)
		return error_set(err, "%s: --pack packs recordings, and these are %s", e->file,
				 e->kind->name);
	l->process = (struct perf_map_process){
		.pid = e->pid, .start_ns = e->start_ns, .owner = e->owner};
	l->has_owner = e->has_owner;
	l->host = strndup(e->host.length ? e->host.bytes : "", e->host.length);
	if (!l->host)
		return error_memory(err);
	l->process.host = event_text_of(l->host);
	return 0;
}

static int on_jit(void *context, const struct event_jit *e, struct error *err)
{
	struct looking *l = context;

	(void)e;
	(void)err;
	l->has_map = true;
	return 0;
}

static int on_cut(void *context, const struct event_cut *e, struct error *err)
{
	struct looking *l = context;

	(void)err;
	if (e->how == EVENT_RUNNING)
		l->life = PACK_RUNNING;
	else if (e->how == EVENT_BECAME)
		l->life = PACK_BECAME;
	return 0;
}

static int look(struct looking *l, const char *path, struct error *err)
{
	const struct event_sink sink = {
		.context = l, .process = on_process, .jit = on_jit, .cut = on_cut};

	*l = (struct looking){.life = PACK_OVER};
	if (!strcmp(path, "-"))
		return error_set(err,
				 "standard input can be read only once, and --pack has to read "
				 "recordings twice");
	return decode_file(path, &sink, err);
}

/* ---- what is copied ---------------------------------------------------------------------------- */

/* An open file, and the part of it that is to be copied. */
struct origin {
	int fd; /* -1: there is none */
	struct pack_span part;
};

static struct origin open_regular(const char *path)
{
	struct origin o = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	struct stat st;

	if (o.fd >= 0 && (fstat(o.fd, &st) || !S_ISREG(st.st_mode))) {
		close(o.fd);
		o.fd = -1;
	}
	o.part.bytes = o.fd >= 0 ? (uint64_t)st.st_size : 0;
	return o;
}

static struct origin open_map(const struct looking *l)
{
	struct origin o = {.fd = l->has_map || !l->has_owner ? -1
							     : perf_map_file_open(&l->process)};
	struct stat st = {0};

	if (o.fd >= 0)
		fstat(o.fd, &st);
	o.part.bytes =
		st.st_size < (off_t)PERF_MAP_BYTES_MAX ? (uint64_t)st.st_size : PERF_MAP_BYTES_MAX;
	return o;
}

/* The names that are given to them. */
static const char *const suffixes[] = {
	[PACK_RECORDING] = "",
	[PACK_JOURNAL] = CPS_JOURNAL_SUFFIX,
	[PACK_MAP] = ".map",
	[PACK_CALLS] = CPS_CALLS_SUFFIX,
};

static struct origin open_part(const struct looking *l, const char *path, enum pack_part part)
{
	struct origin o;
	char *name;

	if (part == PACK_RECORDING)
		return open_regular(path);
	if (part == PACK_MAP)
		return open_map(l);
	if (asprintf(&name, "%s%s", path, suffixes[part]) < 0)
		return (struct origin){.fd = -1};
	o = open_regular(name);
	free(name);
	return o;
}

/* Returns 1; 0 if the journal has to be copied as it is. */
static int copy_journal(struct pack_tar *t, const char *name, const struct origin *o,
			struct pack_entry *e, struct error *err)
{
	unsigned char *bytes;
	size_t n;
	int rc = pack_journal_shrink(o->fd, &o->part, &bytes, &n);

	if (rc > 0)
		e->parts[PACK_JOURNAL] = pack_tar_write(t, name, bytes, n);
	free(bytes);
	return rc < 0 ? error_memory(err) : rc;
}

/* Nothing is written for a part that is not there, or is empty. */
static int copy_part(struct pack_tar *t, const struct origin *o, enum pack_part part,
		     const char *path, struct pack_entry *e, struct error *err)
{
	char name[PACK_NAME_BYTES + 16];
	int rc = 0;

	if (o->fd < 0 && part == PACK_RECORDING)
		return error_set(err, "%s: cannot be read again, as --pack has to", path);
	if (o->fd < 0 || (!o->part.bytes && part != PACK_RECORDING))
		return 0;
	snprintf(name, sizeof(name), "%s%s", e->name, suffixes[part]);
	if (part == PACK_JOURNAL)
		rc = copy_journal(t, name, o, e, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return pack_tar_copy(t, name, o->fd, &o->part, path, &e->parts[part], err);
}

/* What was copied of a recording that is still being written must not lack what has just moved from the
 * journal, or the file of calls, to the recording. So these come first. */
static const enum pack_part order[PACK_PARTS] = {PACK_CALLS, PACK_JOURNAL, PACK_RECORDING,
						 PACK_MAP};

static int copy_file(struct pack_tar *t, const struct looking *l, const char *path,
		     struct pack_entry *e, struct error *err)
{
	int status = 0;

	for (int i = 0; !status && i < PACK_PARTS; i++) {
		struct origin o = open_part(l, path, order[i]);

		status = copy_part(t, &o, order[i], path, e, err);
		if (o.fd >= 0)
			close(o.fd);
	}
	return status;
}

static int copy_packed(struct pack_tar *t, struct pack_file *pack, const struct pack_entry *from,
		       const char *path, struct pack_entry *e, struct error *err)
{
	int status = 0;

	for (int i = 0; !status && i < PACK_PARTS; i++) {
		const struct origin o = {pack->fd, from->parts[order[i]]};

		status = copy_part(t, &o, order[i], path, e, err);
	}
	pack_file_close(pack);
	return status;
}

/* The name in the pack: the number of the recording, and the last part of its path. */
static void name_entry(struct pack_entry *e, size_t number, const char *path, bool is_packed)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n;

	if (is_packed) /* it has a number already */
		name += strspn(name, "0123456789") + 1;
	snprintf(e->name, sizeof(e->name), "%zu.%s", number, name);
	for (char *c = e->name; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '_';
	n = strlen(e->name);
	if (e->name[n - 1] == ' ')
		e->name[n - 1] = '_';
}

int pack_copy(struct pack_tar *t, const char *path, struct error *err)
{
	struct pack_entry entry = {0}, from;
	struct pack_file pack;
	struct looking l;
	int status = look(&l, path, err), is_packed = 0;

	if (!status)
		is_packed = pack_file_find(&pack, path, &from, err);
	if (!status && is_packed >= 0) {
		name_entry(&entry, t->n, path, is_packed);
		entry.life = l.life;
		status = is_packed ? copy_packed(t, &pack, &from, path, &entry, err)
				   : copy_file(t, &l, path, &entry, err);
	}
	free(l.host);
	return status || is_packed < 0 ? -1 : pack_tar_add(t, &entry, err);
}

/* ---- programs without a recording --------------------------------------------------------------- */

static int copy_list(struct pack_tar *t, const struct short_list *l, const char *recording,
		     struct error *err)
{
	struct short_file file;
	unsigned char *bytes = NULL;
	int rc = short_file_find(&file, recording, l->tree_pid, l->tree_start, err);

	if (rc <= 0)
		return rc;
	bytes = short_file_bytes(&file, err);
	rc = bytes ? 0 : -1;
	if (bytes && file.bytes)
		rc = pack_tar_list(
			t,
			&(struct pack_list){.tree_pid = l->tree_pid, .tree_start = l->tree_start},
			bytes, file.bytes, err);
	free(bytes);
	return rc;
}

int pack_copy_lists(struct pack_tar *t, struct profile *p, bool all, struct error *err)
{
	struct short_list *lists;
	size_t n;
	int status = short_processes_lists(p, all, &lists, &n, err);

	for (size_t i = 0; !status && i < n; i++)
		if (!i || lists[i].tree_pid != lists[i - 1].tree_pid ||
		    lists[i].tree_start != lists[i - 1].tree_start)
			status = copy_list(t, &lists[i],
					   strings_get(p->strings, lists[i].file, NULL), err);
	free(lists);
	return status;
}
