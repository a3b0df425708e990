/* SPDX-License-Identifier: MIT */
/*
 * summary_lines.c - the source lines that were running most.
 *
 * In: a profile. Out: struct summary_lines.
 */
#include <stdlib.h>

#include "base/stop.h"
#include "view/summary.h"

/* What was running at each frame, by its number. NULL: out of memory. */
static uint64_t *weigh_frames(const struct view_input *in)
{
	const struct profile *p = in->profile;
	uint64_t *weights = calloc(p->n_frames + 1, sizeof(*weights));

	for (size_t i = 1; weights && i < p->n_nodes; i++)
		if (!profile_is_column(p, i) && !profile_is_group(p, i))
			weights[p->nodes[i].frame] += in->options->unit == TREE_HITS
							      ? p->nodes[i].self_hits
							      : p->nodes[i].self_weight;
	return weights;
}

/* The line of the innermost function at each frame that was running. */
static int list_lines(struct summary_line *list, size_t *n, const struct view_input *in,
		      const uint64_t *weights, struct error *err)
{
	const struct profile *p = in->profile;
	const struct symbols_place *places;
	size_t i, k;

	for (i = 0, *n = 0; i < p->n_frames; i++) {
		if (!weights[i] || (profile_is_named(&p->frames[i]) && !p->frames[i].address))
			continue;
		if (stop_check(err) || symbols_expand(in->symbols, &p->frames[i], &places, &k, err))
			return -1;
		if (places[k - 1].file != STRINGS_NONE && places[k - 1].line)
			list[(*n)++] = (struct summary_line){places[k - 1].file, places[k - 1].line,
							     places[k - 1].function, weights[i]};
	}
	return 0;
}

static int compare_lines(const struct summary_line *a, const struct summary_line *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static int compare_places(const void *a, const void *b)
{
	return compare_lines(a, b);
}

static void insert(struct summary_lines *l, const struct summary_line *line)
{
	size_t i = l->n < SUMMARY_LINES ? l->n++ : SUMMARY_LINES;

	for (; i > 0 && l->list[i - 1].self < line->self; i--)
		if (i < SUMMARY_LINES)
			l->list[i] = l->list[i - 1];
	if (i < SUMMARY_LINES)
		l->list[i] = *line;
}

/* Add up what is of the same line, and keep the heaviest. */
static void choose(struct summary_lines *l, struct summary_line *list, size_t n)
{
	size_t i, k;

	qsort(list, n, sizeof(*list), compare_places);
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && !compare_lines(&list[i], &list[k]); k++)
			list[i].self += list[k].self;
		insert(l, &list[i]);
	}
}

int summary_lines_find(struct summary_lines *l, const struct view_input *in, struct error *err)
{
	uint64_t *weights = weigh_frames(in);
	struct summary_line *list = calloc(in->profile->n_frames + 1, sizeof(*list));
	int status = weights && list ? 0 : error_memory(err);
	size_t n;

	*l = (struct summary_lines){0};
	if (!status)
		status = list_lines(list, &n, in, weights, err);
	if (!status)
		choose(l, list, n);
	free(weights);
	free(list);
	return status;
}
