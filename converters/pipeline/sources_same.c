/* SPDX-License-Identifier: MIT */
/*
 * sources_same.c - replaces packs by their recordings, and leaves out what is there twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "pack/pack_names.h"
#include "pipeline/sources.h"
#include "read/decode.h"

/* ---- sources packed -------------------------------------------------------------------------- */
/*
 * Replaces packs by the recordings in them.
 *
 * In: names of files. Out: names of recordings, such as "one.cps/0.cpsample.perl.77.cps".
 */

/* The names that replace s->files. */
struct expansion {
	char **files;
	size_t n, size;
};

static int add_file(struct expansion *x, char *name, struct error *err)
{
	if (!name || !array_reserve(&x->files, &x->size, x->n + 1, sizeof(*x->files))) {
		free(name);
		return error_memory(err);
	}
	x->files[x->n++] = name;
	return 0;
}

static int add_recordings(struct expansion *x, const struct pack_file *pack, struct error *err)
{
	struct pack_entry entry;
	char *name;

	for (uint64_t i = 0; i < pack->n; i++) {
		if (pack_file_entry(pack, i, &entry, err))
			return -1;
		if (asprintf(&name, "%s/%s", pack->path, entry.name) < 0)
			name = NULL;
		if (add_file(x, name, err))
			return -1;
	}
	return 0;
}

/* A name of a recording in a pack brings the pack's names along. */
static int find_pack(struct sources *s, struct pack_file *pack, const char *name, struct error *err)
{
	struct pack_entry entry;
	const char *slash;
	char *path;
	int rc = pack_file_open(pack, name, err);

	if (rc)
		return rc > 0 && pack_set_add(s->packs, name, err) ? -1 : rc;
	rc = pack_file_find(pack, name, &entry, err);
	if (rc <= 0)
		return rc;
	pack_file_close(pack);
	slash = strrchr(name, '/');
	path = strndup(name, (size_t)(slash - name));
	rc = path ? pack_set_add(s->packs, path, err) : error_memory(err);
	free(path);
	return rc;
}

static int expand(struct sources *s, struct expansion *x, size_t i, struct error *err)
{
	struct pack_file pack;
	int rc = strcmp(s->files[i], "-") ? find_pack(s, &pack, s->files[i], err) : 0;

	if (rc < 0)
		return -1;
	if (!rc) {
		char *name = s->files[i];

		s->files[i] = NULL; /* it moves, or is freed */
		return add_file(x, name, err);
	}
	rc = add_recordings(x, &pack, err);
	pack_file_close(&pack);
	return rc;
}

int sources_expand(struct sources *s, struct error *err)
{
	struct expansion x = {0};
	int status = 0;

	s->n_given = s->n;
	s->packs = calloc(1, sizeof(*s->packs));
	if (!s->packs)
		return error_memory(err);
	for (size_t i = 0; !status && i < s->n; i++)
		status = expand(s, &x, i, err);
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i]);
	free(s->files);
	s->files = x.files;
	s->n = x.n;
	s->size = x.size;
	return status;
}

/* ---- sources same ---------------------------------------------------------------------------- */
/*
 * Leaves out recordings that a pack and another file have.
 *
 * In: names of recordings. Out: those without the ones that are of the same process, and of the
 * same moment of it.
 *
 * A pack often lies in the directory whose recordings are in it. Each of them counts once. The one
 * in a pack is read, because it is whole and its perf map is there, unless its process was running
 * when it was packed.
 */

/* The order in which the same recording is taken from several files. */
enum rank { RANK_PACKED, RANK_FILE, RANK_UNFINISHED };

/* Whose recording it is, and from when on. */
struct owner {
	char *host; /* NULL: it is not known whose it is */
	uint64_t pid, start_ns;
	enum rank rank;
	size_t place; /* in the list of files */
	bool no_memory;
};

/* ---- owners ------------------------------------------------------------------------------------ */

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct owner *o = context;

	(void)next;
	(void)err;
	if (e->kind == &decode_stream.kind && e->pid && e->start_ns) {
		o->pid = e->pid;
		o->start_ns = e->start_ns;
		o->host = strndup(e->host.length ? e->host.bytes : "", e->host.length);
		o->no_memory = !o->host;
	}
	return EVENT_ENOUGH;
}

static int find_rank(struct owner *o, const char *file, struct error *err)
{
	struct pack_entry entry;
	struct pack_file pack;
	int rc = pack_file_find(&pack, file, &entry, err);

	if (rc <= 0) {
		o->rank = RANK_FILE;
		return rc;
	}
	pack_file_close(&pack);
	o->rank = entry.life == PACK_RUNNING ? RANK_UNFINISHED : RANK_PACKED;
	return 0;
}

/* What cannot be read is no error yet: it is when the file is read as a whole. Pipes are read only once. */
static int find_owner(struct owner *o, const char *file, struct error *err)
{
	const struct event_sink sink = {.context = o, .process = on_process};
	struct error unused;
	struct stat st;

	if (find_rank(o, file, err))
		return -1;
	if (o->rank == RANK_FILE && (stat(file, &st) || !S_ISREG(st.st_mode)))
		return 0;
	decode_file(file, &sink, &unused);
	return o->no_memory ? error_memory(err) : 0;
}

/* Those that are known come first. */
static int compare_owners(const struct owner *a, const struct owner *b)
{
	if (!a->host || !b->host)
		return !a->host - !b->host;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(a->host, b->host);
}

static int compare(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;
	int order = compare_owners(x, y);

	if (!order)
		order = (int)x->rank - (int)y->rank;
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* ---- the list ---------------------------------------------------------------------------------- */

/* The file is the same recording as another one. */
static int leave_out(struct sources *s, size_t place, const char *other, struct error *err)
{
	char *text;

	if (asprintf(&text, "%s: warning: the same recording as %s", s->files[place], other) < 0)
		return error_memory(err);
	if (!array_reserve(&s->same, &s->same_size, s->n_same + 1, sizeof(*s->same))) {
		free(text);
		return error_memory(err);
	}
	s->same[s->n_same++] = text;
	free(s->files[place]);
	s->files[place] = NULL;
	return 0;
}

/* Two files that are no pack may be copies of each other, which only their user knows. */
static int leave_out_same(struct sources *s, const struct owner *owners, struct error *err)
{
	const struct owner *first = owners;
	size_t n = 0;
	int status = 0;

	for (size_t i = 1; !status && i < s->n; i++) {
		const struct owner *o = &owners[i];

		if (!o->host || compare_owners(first, o))
			first = o;
		else if (first->rank != RANK_FILE || o->rank != RANK_FILE)
			status = leave_out(s, o->place, s->files[first->place], err);
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->files[i])
			s->files[n++] = s->files[i];
	s->n = n;
	return status;
}

int sources_same(struct sources *s, struct error *err)
{
	const size_t n = s->n;
	struct owner *owners;
	int status = 0;

	if (!s->packs->n || s->n_given < 2)
		return 0;
	owners = calloc(n, sizeof(*owners));
	if (!owners)
		return error_memory(err);
	for (size_t i = 0; !status && i < n; i++) {
		owners[i].place = i;
		status = find_owner(&owners[i], s->files[i], err);
	}
	if (!status) {
		qsort(owners, n, sizeof(*owners), compare);
		status = leave_out_same(s, owners, err);
	}
	for (size_t i = 0; i < n; i++)
		free(owners[i].host);
	free(owners);
	return status;
}
