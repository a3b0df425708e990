/* SPDX-License-Identifier: MIT */
/*
 * sources.c - finds the files to be read.
 *
 * In: the names on the command line, or the current directory. Out: a list that has each file once.
 */
#include "pipeline/sources.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "pipeline/process_tree.h"

/* The list owns the name from now on, also after an error. A name of NULL means that there was no
 * memory to copy it. */
static int add_name(char ***list, size_t *n, size_t *size, char *name, struct error *err)
{
	if (!name || !array_reserve(list, size, *n + 1, sizeof(**list))) {
		free(name);
		return error_memory(err);
	}
	(*list)[(*n)++] = name;
	return 0;
}

/* ---- named files ----------------------------------------------------------------------------- */

/* The file that a name leads to. A name that leads nowhere is equal to no other one; the error is
 * reported when the file is read. */
struct identity {
	dev_t device;
	ino_t inode;
	size_t place;
	uint64_t bytes;
	bool is_known;
};

static struct identity identify(struct sources *s, const char *name, size_t place)
{
	struct stat st;
	bool is_standard = !strcmp(name, "-");
	int rc = is_standard ? fstat(0, &st) : stat(name, &st);
	bool is_regular = !rc && S_ISREG(st.st_mode);

	s->is_read_once_only |= is_standard || (!rc && !is_regular);
	if (rc || (!is_standard && !is_regular))
		return (struct identity){.place = place};
	return (struct identity){
		.device = st.st_dev,
		.inode = st.st_ino,
		.place = place,
		.bytes = is_regular ? (uint64_t)st.st_size : 0,
		.is_known = true,
	};
}

/* Sorts names of the same file next to each other, in the order in which they were given. */
static int identity_compare(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->is_known != y->is_known)
		return x->is_known - y->is_known;
	if (x->is_known && x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->is_known && x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static bool is_again(const struct identity *before, const struct identity *i)
{
	return i->is_known && before->is_known && i->device == before->device &&
	       i->inode == before->inode;
}

static int add_named(struct sources *s, char *const *names, size_t n, struct error *err)
{
	struct identity *list = calloc(n, sizeof(*list));
	bool *again = calloc(n, sizeof(*again));
	int rc = list && again ? 0 : error_memory(err);

	for (size_t i = 0; !rc && i < n; i++)
		list[i] = identify(s, names[i], i);
	if (!rc)
		qsort(list, n, sizeof(*list), identity_compare);
	for (size_t i = 0; !rc && i < n; i++) {
		again[list[i].place] = i && is_again(&list[i - 1], &list[i]);
		s->bytes += again[list[i].place] ? 0 : list[i].bytes;
	}
	for (size_t i = 0; !rc && i < n; i++)
		rc = again[i] ? add_name(&s->again, &s->n_again, &s->again_size, strdup(names[i]),
					 err)
			      : add_name(&s->files, &s->n, &s->size, strdup(names[i]), err);
	free(list);
	free(again);
	return rc;
}

/* ---- the newest process tree ----------------------------------------------------------------- */

static int add_tree(struct sources *s, struct error *err)
{
	struct process_tree tree;

	s->newest = sources_newest(err);
	if (!s->newest || process_tree_find(&tree, s->newest, err))
		return -1;
	int rc = 0;
	for (size_t i = 0; !rc && i < tree.n; i++) {
		s->bytes += tree.members[i].bytes;
		rc = add_name(&s->files, &s->n, &s->size, strdup(tree.members[i].file), err);
	}
	process_tree_free(&tree);
	return rc;
}

int sources_find(struct sources *s, char *const *names, size_t n, const char *list,
		 struct error *err)
{
	struct sources_named given = {0};
	int rc = 0;

	*s = (struct sources){0};
	if (!n && !list)
		return add_tree(s, err);
	for (size_t i = 0; !rc && i < n; i++)
		rc = sources_named_add(&given, names[i], err);
	if (!rc && list)
		rc = sources_named_add_list(&given, list, err);
	if (!rc)
		rc = add_named(s, given.list, given.n, err);
	sources_named_free(&given);
	return rc;
}

void sources_free(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i]);
	for (size_t i = 0; i < s->n_again; i++)
		free(s->again[i]);
	free(s->files);
	free(s->again);
	free(s->newest);
}
