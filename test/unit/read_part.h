/* SPDX-License-Identifier: MIT */
/* read_part.h - files become a profile, on one thread and on several: with all numbers the same. */
#ifndef READ_PART_H
#define READ_PART_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

static struct profile *read_with(struct select *s, enum profile_by by, char **files, size_t n,
				 uint64_t jobs, struct error *err)
{
	const struct sources from = {.files = files, .n = n};
	struct options opt = {.chosen = *s, .by = by, .jobs = jobs};
	struct profile **list, *p = NULL;
	int status = load_profiles(&from, &opt, LOAD_AS_ONE, &list, &n, err);

	if (!status) {
		p = list[0];
		free(list);
	}
	*s = opt.chosen;
	return p;
}

static void same_strings(const struct strings *a, const struct strings *b)
{
	cr_assert_eq(strings_count(a), strings_count(b));
	for (uint32_t i = 0; i < strings_count(a); i++)
		cr_assert_str_eq(strings_get(a, i, NULL), strings_get(b, i, NULL));
}

static void same_bytes(const void *a, const void *b, size_t n)
{
	cr_assert(n == 0 || memcmp(a, b, n) == 0);
}

static void same_profiles(const struct profile *a, const struct profile *b)
{
	same_strings(a->strings, b->strings);
	cr_assert_eq(a->resource, b->resource);
	cr_assert_eq(a->unit, b->unit);
	cr_assert_eq(a->gticks, b->gticks);
	cr_assert_eq(a->hits, b->hits);
	cr_assert_eq(a->n_modules, b->n_modules);
	for (size_t i = 0; i < a->n_modules; i++)
		cr_assert_eq(a->modules[i].path, b->modules[i].path);
	cr_assert_eq(a->n_frames, b->n_frames);
	same_bytes(a->frames, b->frames, a->n_frames * sizeof(*a->frames));
	cr_assert_eq(a->n_nodes, b->n_nodes);
	same_bytes(a->nodes, b->nodes, a->n_nodes * sizeof(*a->nodes));
	cr_assert_eq(a->n_processes, b->n_processes);
	for (size_t i = 0; i < a->n_processes; i++) {
		const struct profile_process *p = &a->processes[i], *q = &b->processes[i];

		same_bytes(p, q, offsetof(struct profile_process, args));
		cr_assert_eq(p->gticks, q->gticks);
		cr_assert_eq(p->cut_why, q->cut_why);
		cr_assert_eq(p->n_threads, q->n_threads);
		for (size_t k = 0; k < p->n_threads; k++)
			cr_assert_eq(p->threads[k].name, q->threads[k].name);
		cr_assert_eq(p->n_modules, q->n_modules);
		same_bytes(p->modules, q->modules, p->n_modules * sizeof(*p->modules));
	}
}

/* The profile of these files, NULL with the error. */
static struct profile *read_part(struct select *s, enum profile_by by, char **files, size_t n,
				 struct error *err)
{
	struct profile *alone, *together;
	struct error other = {0};
	struct select fork;

	cr_assert_eq(select_fork(&fork, s, err), 0);
	together = read_with(&fork, by, files, n, 3, &other);
	alone = read_with(s, by, files, n, 1, err);
	cr_assert_eq(fork.n_taken, s->n_taken);
	cr_assert_eq(!together, !alone);
	if (alone)
		same_profiles(alone, together);
	else
		cr_assert_str_eq(other.text, err->text);
	profile_free(together);
	free(fork.threads_text);
	select_fork_free(&fork);
	return alone;
}

#endif
