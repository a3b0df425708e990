/* SPDX-License-Identifier: MIT */
/*
 * process_tree.c - finds the recordings of a process tree by the process records at their heads.
 *
 * In: the current directory. Out: file names. Only one file is open at a time, so that the number
 * of recordings is not limited by the number of descriptors.
 */
#include "pipeline/process_tree.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "pipeline/sources.h"
#include "read/decode.h"

struct reading {
	struct process_tree_head head;
	bool no_memory;
};

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct reading *r = context;
	struct process_tree_head *h = &r->head;

	(void)next;
	(void)err;
	h->pid = e->tree_pid;
	h->start = e->tree_start;
	h->start_ns = e->start_ns;
	if (e->host.length && !h->host) {
		h->host = strndup(e->host.bytes, e->host.length);
		r->no_memory = !h->host;
	}
	return EVENT_ENOUGH;
}

void process_tree_head_clear(struct process_tree_head *h)
{
	free(h->host);
	h->host = NULL;
}

int process_tree_head_read(struct process_tree_head *h, const char *file)
{
	struct reading r = {0};
	const struct event_sink sink = {.context = &r, .process = on_process};
	struct error unused;
	int status = decode_file(file, &sink, &unused);

	*h = r.head;
	if (!r.no_memory && !status && h->pid)
		return 1;
	process_tree_head_clear(h);
	h->pid = 0;
	return r.no_memory ? -1 : 0;
}

bool process_tree_is_same(const struct process_tree_head *a, const struct process_tree_head *b)
{
	return a->pid == b->pid && a->start == b->start && !a->host == !b->host &&
	       (!a->host || !strcmp(a->host, b->host));
}

static int add_member(struct process_tree *t, const char *file, uint64_t start_ns, off_t bytes)
{
	if (!array_reserve(&t->members, &t->size, t->n + 1, sizeof(*t->members)))
		return -1;
	t->members[t->n] = (struct process_tree_member){strdup(file), start_ns, (uint64_t)bytes};
	return t->members[t->n].file ? (t->n++, 0) : -1;
}

/* Add the directory entry to the members if it is a recording of the tree. -1: out of memory. */
static int add_entry(struct process_tree *t, const struct process_tree_head *tree, const char *file)
{
	struct process_tree_head h;
	struct stat st;
	int rc;

	if (!sources_is_recording(file, &st))
		return 0;
	rc = process_tree_head_read(&h, file);
	if (rc > 0)
		rc = process_tree_is_same(tree, &h) ? add_member(t, file, h.start_ns, st.st_size)
						    : 0;
	process_tree_head_clear(&h);
	return rc;
}

static int member_compare(const void *a, const void *b)
{
	const struct process_tree_member *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->file, y->file);
}

/* Add all recordings of the tree in the current directory but the newest, which is a member
 * already. */
static int add_others(struct process_tree *t, const struct process_tree_head *tree,
		      const char *newest)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	int rc = 0;

	if (!directory)
		return 0;
	while (!rc && (entry = readdir(directory)))
		if (strcmp(entry->d_name, newest) != 0)
			rc = add_entry(t, tree, entry->d_name);
	closedir(directory);
	return rc;
}

int process_tree_find(struct process_tree *t, const char *newest, struct error *err)
{
	struct stat st = {0};
	struct process_tree_head tree;
	int is_tree = process_tree_head_read(&tree, newest), rc;

	*t = (struct process_tree){0};
	stat(newest, &st);
	rc = is_tree < 0 ? -1 : add_member(t, newest, tree.start_ns, st.st_size);
	if (!rc && is_tree)
		rc = add_others(t, &tree, newest);
	process_tree_head_clear(&tree);
	if (rc) {
		process_tree_free(t);
		return error_memory(err);
	}
	qsort(t->members, t->n, sizeof(*t->members), member_compare);
	return 0;
}

int process_tree_of(struct process_tree *t, uint64_t pid, uint64_t start, struct error *err)
{
	struct utsname host;
	const struct process_tree_head tree = {
		.host = uname(&host) ? NULL : host.nodename, .pid = pid, .start = start};

	*t = (struct process_tree){0};
	if (add_others(t, &tree, "")) {
		process_tree_free(t);
		return error_memory(err);
	}
	if (t->n)
		qsort(t->members, t->n, sizeof(*t->members), member_compare);
	return 0;
}

void process_tree_free(struct process_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->members[i].file);
	free(t->members);
	*t = (struct process_tree){0};
}
