/* SPDX-License-Identifier: MIT */
/*
 * pack_set.c - reads the names of several packs.
 *
 * In: paths. Out: names.
 */
#include "pack/pack_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int pack_set_add(struct pack_set *s, const char *path, struct error *err)
{
	char *copy;

	for (size_t i = s->n; i > 0; i--) /* mostly it is the one that was added last */
		if (!strcmp(s->paths[i - 1], path))
			return 0;
	copy = strdup(path);
	if (!copy || !array_reserve(&s->paths, &s->size, s->n + 1, sizeof(*s->paths))) {
		free(copy);
		return error_memory(err);
	}
	s->paths[s->n++] = copy;
	return 0;
}

typedef int reader(struct pack_names *names, const struct pack_file *pack, struct error *err);

static int read_one(struct pack_names *names, const char *path, reader *read, struct error *err)
{
	struct pack_file pack;
	int rc = pack_file_open(&pack, path, err);

	if (rc <= 0)
		return rc ? -1 : error_set(err, "%s: is no pack any more", path);
	rc = read(names, &pack, err);
	pack_file_close(&pack);
	return rc;
}

static void free_list(struct pack_names **list, size_t n)
{
	for (size_t i = 0; *list && i < n; i++)
		pack_names_free(&(*list)[i]);
	free(*list);
	*list = NULL;
}

static int read_all(const struct pack_set *s, struct pack_names **list, reader *read,
		    struct error *err)
{
	int status = 0;

	if (*list || !s->n)
		return 0;
	*list = calloc(s->n, sizeof(**list));
	if (!*list)
		return error_memory(err);
	for (size_t i = 0; !status && i < s->n; i++)
		status = read_one(&(*list)[i], s->paths[i], read, err);
	if (status)
		free_list(list, s->n);
	return status;
}

int pack_set_read(struct pack_set *s, struct error *err)
{
	return read_all(s, &s->names, pack_names_read, err);
}

int pack_set_read_code(struct pack_set *s, struct error *err)
{
	return read_all(s, &s->code, pack_names_read_code, err);
}

void pack_set_clear(struct pack_set *s)
{
	free_list(&s->names, s->n);
	free_list(&s->code, s->n);
	for (size_t i = 0; i < s->n; i++)
		free(s->paths[i]);
	free(s->paths);
	*s = (struct pack_set){0};
}
