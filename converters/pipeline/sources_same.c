/* SPDX-License-Identifier: MIT */
/*
 * sources_same.c - leaves out recordings that a pack and another file have.
 *
 * In: names of recordings. Out: those without the ones that are of the same process, and of the same moment of it.
 *
 * A pack often lies in the directory whose recordings are in it. Each of them counts once. The one in a pack is
 * read, because it is whole and its perf map is there, unless its process was running when it was packed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "pack/pack_set.h"
#include "pipeline/sources.h"
#include "read/decode.h"

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
