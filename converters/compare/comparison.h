/* SPDX-License-Identifier: MIT */
/*
 * comparison.h - compares what the runs of two programs have used.
 */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "compare/welch.h"
#include "model/profile.h"
#include "tree/tree.h"

/* ---- discovery ------------------------------------------------------------------------------- */
/*
 * Which of many tests are significant, so that few of those are false.
 *
 * In: p values. Out: a limit (Benjamini and Hochberg, Controlling the false discovery rate, Journal
 * of the Royal Statistical Society B 57, 1995).
 */

/*
 * Those of the n tests are significant whose p value is at most what this returns; -1: none is. If nothing
 * has changed at all, the probability that any is significant is at most `level`. The values become sorted.
 */
double discovery_limit(double *p, size_t n, double level);

/* ---- comparison ------------------------------------------------------------------------------ */
/*
 * What the runs of two programs have used, and whether the difference is more than chance.
 *
 * In: a tree whose columns are runs (profile.n_base). Out: for a function, or any other part of the
 * tree, before, after, and the test of the change.
 */

struct comparison {
	const struct profile *profile;
	const struct tree *tree;
	size_t first; /* the column of the first of its runs */
	size_t n_runs, n_base;
	bool normalizes;	    /* each run is scaled to the mean total of the runs before */
	double *scales;		    /* by run; 1 unless it normalizes */
	double *values;		    /* room for a value of each run */
	double before, after;	    /* the mean totals, not scaled */
	struct welch_common common; /* how the self of functions differs between runs */
};

/* A part of the tree, in the tree's unit. Means are those of a run. */
struct comparison_row {
	unsigned __int128 sum_before, sum_after; /* of all runs, not scaled */
	double before, after;			 /* means, scaled */
	double samples; /* of all runs, as many as there are if all weigh the same */
	struct welch welch;
	bool is_significant; /* among all rows, see comparison_judge */
};

/* What one run has used of a part of the tree. */
struct comparison_use {
	uint64_t weight;
	double squares;
};

/* Prepare to compare one of the profile's resources. -1: memory. comparison_free in any case. */
int comparison_begin(struct comparison *c, const struct profile *p, const struct tree *t,
		     size_t resource, bool normalizes, struct error *err);
void comparison_free(struct comparison *c);

static inline const struct tree *comparison_run(const struct comparison *c, size_t run)
{
	return tree_column(c->tree, c->first + run);
}

/* What the runs from..to-1 have used of a part of the tree, of which uses[i] is what run i has used. */
struct welch_side comparison_side(const struct comparison *c, const struct comparison_use *uses,
				  size_t from, size_t to);

/* Compare a part of the tree, of which uses[i] is what run i has used. */
struct comparison_row comparison_row(const struct comparison *c, const struct comparison_use *uses);

/* Compare the totals of the runs, not scaled. If both sides have one run, there is nothing to test: the
 * totals were measured, and how much they vary is not known. */
struct comparison_row comparison_totals(const struct comparison *c);

/* The self of each node before and after, in whole gticks: the sums of all runs if there are as many on both sides and
 * they are not scaled, else means. The caller frees both. -1: memory. */
int comparison_counts(const struct comparison *c, uint64_t **before, uint64_t **after,
		      struct error *err);

/* The self of each node before and after, in parts of a gtick: the means of a run times *parts, which are whole numbers
 * unless runs are scaled. The caller frees both. -1: memory. */
int comparison_means(const struct comparison *c, uint64_t **before, uint64_t **after,
		     uint64_t *parts, struct error *err);

/* What parts of a tree weigh, such as its calls: `weigh` sets the weights of all parts, which are the same in all trees of
 * the same nodes. -1: error. */
struct comparison_measure {
	int (*weigh)(void *context, const struct tree *t, uint64_t *weights, struct error *err);
	void *context;
};

/* Compare and judge n parts; the caller frees the list. NULL: error. */
struct comparison_row *comparison_parts(const struct comparison *c,
					const struct comparison_measure *measure, size_t n,
					struct error *err);

/* Find which of n rows are significant: at most one in twenty of those is expected to be false. -1: memory. */
int comparison_judge(struct comparison_row *const *rows, size_t n, struct error *err);

/* Whether there is one run on each side, so that only the error of sampling is known. */
bool comparison_is_single(const struct comparison *c);

/* Whether the totals of the runs were measured and are compared as they are, so that samples do not tell how much they vary. */
bool comparison_is_measured(const struct comparison *c);

#endif
