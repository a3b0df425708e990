/* SPDX-License-Identifier: MIT */
/*
 * sources_packed.c - replaces packs by the recordings in them.
 *
 * In: names of files. Out: names of recordings, such as "one.cps/0.cpsample.perl.77.cps".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pack/pack_set.h"
#include "pipeline/sources.h"

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
