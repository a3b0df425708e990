/* SPDX-License-Identifier: MIT */
/*
 * runs.c - tells the runs of a program apart by the process records at the heads of files.
 *
 * In: files. Out: the run of each file.
 */
#include "pipeline/runs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/process_tree.h"

/* The tree of each run; trees[i].pid is 0 if the run is one file. */
struct finding {
	struct runs *runs;
	struct process_tree_head *trees;
};

static bool is_read_once(const char *file)
{
	struct stat st;

	return !strcmp(file, "-") || (!stat(file, &st) && !S_ISREG(st.st_mode));
}

/* The run among those from `first` on that has this tree, or a new one. */
static size_t find_run(struct finding *f, size_t first, struct process_tree_head *head)
{
	struct runs *r = f->runs;
	size_t i = head->pid ? first : r->n;

	while (i < r->n && !(f->trees[i].pid && process_tree_is_same(&f->trees[i], head)))
		i++;
	if (i < r->n) {
		process_tree_head_clear(head);
		if (head->start_ns < r->starts_ns[i])
			r->starts_ns[i] = head->start_ns;
		return i;
	}
	f->trees[r->n] = *head;
	r->starts_ns[r->n] = head->start_ns;
	return r->n++;
}

static int find(struct finding *f, const struct sources *from, size_t n_base)
{
	size_t first = 0;

	for (size_t i = 0; i < from->n; i++) {
		struct process_tree_head head = {0};

		if (i == n_base)
			first = f->runs->n_base = f->runs->n;
		if (!is_read_once(from->files[i]) &&
		    process_tree_head_read(&head, from->files[i]) < 0)
			return -1;
		f->runs->of[i] = (uint32_t)find_run(f, first, &head);
	}
	if (from->n <= n_base)
		f->runs->n_base = f->runs->n;
	return 0;
}

int runs_find(struct runs *r, const struct sources *from, size_t n_base, struct error *err)
{
	struct finding f = {.runs = r};
	int status = -1;

	*r = (struct runs){
		.of = calloc(from->n + 1, sizeof(*r->of)),
		.starts_ns = calloc(from->n + 1, sizeof(*r->starts_ns)),
	};
	f.trees = calloc(from->n + 1, sizeof(*f.trees));
	if (r->of && r->starts_ns && f.trees)
		status = find(&f, from, n_base);
	for (size_t i = 0; f.trees && i < r->n; i++)
		process_tree_head_clear(&f.trees[i]);
	free(f.trees);
	if (status)
		return error_memory(err);
	if (r->n > RUNS_MAX)
		return error_set(err, "%zu runs are more than can be compared at a time (%u)", r->n,
				 (unsigned)RUNS_MAX);
	return 0;
}

int runs_compare(struct runs *r, struct sources *from, struct sources *later, struct error *err)
{
	size_t n_base = from->n;

	for (size_t i = 0; i < from->n; i++)
		for (size_t k = 0; !strcmp(from->files[i], "-") && k < later->n; k++)
			if (!strcmp(later->files[k], "-"))
				return error_usage(err,
						   "standard input can be read once, and cannot "
						   "be compared with itself");
	if (sources_append(from, later, err) || runs_find(r, from, n_base, err))
		return -1;
	from->runs = r;
	return 0;
}

void runs_free(struct runs *r)
{
	free(r->of);
	free(r->starts_ns);
	*r = (struct runs){0};
}

struct event_text runs_name(char text[RUNS_NAME_BYTES], size_t run)
{
	int n = snprintf(text, RUNS_NAME_BYTES, "%zu", run);

	return (struct event_text){text, (size_t)n};
}

uint64_t runs_start_ns(const struct runs *r, const char *name)
{
	return *name ? r->starts_ns[strtoul(name, NULL, 10)] : 0;
}
