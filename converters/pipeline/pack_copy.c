/* SPDX-License-Identifier: MIT */
/*
 * pack_copy.c - copies a recording, and what belongs to it, into a pack.
 *
 * In: a recording, which may be in another pack. Out: files of the archive, a line of its index.
 */
#include "pipeline/pack_copy.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/perf_map_file.h"
#include "pipeline/pack_journal.h"
#include "read/decode.h"

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

static struct origin open_part(const struct looking *l, const char *path, enum pack_part part)
{
	struct origin o;
	char *name;

	if (part == PACK_RECORDING)
		return open_regular(path);
	if (part == PACK_MAP)
		return open_map(l);
	if (asprintf(&name, "%s" CPS_JOURNAL_SUFFIX, path) < 0)
		return (struct origin){.fd = -1};
	o = open_regular(name);
	free(name);
	return o;
}

/* The names that are given to them. */
static const char *const suffixes[] = {
	[PACK_RECORDING] = "",
	[PACK_JOURNAL] = CPS_JOURNAL_SUFFIX,
	[PACK_MAP] = ".map",
};

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
 * journal to the recording. So the journal comes first. */
static const enum pack_part order[PACK_PARTS] = {PACK_JOURNAL, PACK_RECORDING, PACK_MAP};

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
