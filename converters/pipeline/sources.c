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
#include "pack/pack_set.h"
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

/* All files that are named, and those in directories and lists. */
static int add_all(struct sources *s, char *const *names, size_t n, const char *list,
		   struct error *err)
{
	struct sources_named given = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = sources_named_add(&given, names[i], err);
	if (!rc && list)
		rc = sources_named_add_list(&given, list, err);
	if (!rc)
		rc = add_named(s, given.list, given.n, err);
	sources_named_free(&given);
	return rc;
}

int sources_find(struct sources *s, char *const *names, size_t n, const char *list,
		 struct error *err)
{
	int rc;

	*s = (struct sources){0};
	rc = n || list ? add_all(s, names, n, list, err) : add_tree(s, err);
	if (!rc)
		rc = sources_expand(s, err);
	return rc ? rc : sources_same(s, err);
}

int sources_append(struct sources *s, struct sources *other, struct error *err)
{
	if (!array_reserve(&s->files, &s->size, s->n + other->n, sizeof(*s->files)))
		return error_memory(err);
	for (size_t i = 0; i < other->n; i++)
		s->files[s->n++] = other->files[i];
	other->n = 0;
	for (size_t i = 0; other->packs && i < other->packs->n; i++)
		if (pack_set_add(s->packs, other->packs->paths[i], err))
			return -1;
	s->bytes += other->bytes;
	s->is_read_once_only |= other->is_read_once_only;
	return 0;
}

static bool is_file(const struct stat *output, const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == output->st_dev && st.st_ino == output->st_ino;
}

int sources_check_output(const struct sources *s, const char *output, struct error *err)
{
	struct stat st;
	bool is_input = false;

	if (!s || !output || stat(output, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; !is_input && i < s->n; i++)
		is_input = is_file(&st, s->files[i]);
	for (size_t i = 0; !is_input && s->packs && i < s->packs->n; i++)
		is_input = is_file(&st, s->packs->paths[i]);
	if (!is_input)
		return 0;
	return error_usage(err, "%s is what is read; write to another file", output);
}

void sources_free(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i]);
	for (size_t i = 0; i < s->n_again; i++)
		free(s->again[i]);
	for (size_t i = 0; i < s->n_same; i++)
		free(s->same[i]);
	free(s->same);
	if (s->packs)
		pack_set_clear(s->packs);
	free(s->packs);
	free(s->files);
	free(s->again);
	free(s->newest);
}
