/* SPDX-License-Identifier: MIT */
/*
 * assertion.h - understands and checks what a user claims that a program uses.
 *
 * In: a text; a tree whose columns are runs. Out: whether it holds with confidence.
 */
#ifndef COMPARE_ASSERTION_H
#define COMPARE_ASSERTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stop.h"
#include "model/profile.h"
#include "tree/tree.h"

enum assertion_of {
	ASSERTION_SELF,	 /* NAME, self(NAME) */
	ASSERTION_TOTAL, /* total(NAME) */
	ASSERTION_ALL,	 /* total: all that the program has used */
};

enum assertion_limit {
	ASSERTION_SHARE,  /* 10%: of the total of its run */
	ASSERTION_AMOUNT, /* 20ms, 64KB, 100: in gticks, or in samples with --unit samples */
	ASSERTION_BASE,	  /* 1.05*base: of what the base has used */
};

struct assertion {
	const char *text; /* as the user wrote it; borrowed */
	enum assertion_of of;
	char *name;		  /* of the function, as patterns.h has it; NULL: none */
	bool is_least, is_strict; /* >= or >; < or > */
	enum assertion_limit against;
	double limit;	  /* a fraction, gticks, or a factor */
	const char *unit; /* of gticks that the number is of, "ns" or "bytes"; NULL: any */
};

/* Understand a text. -1: it is no assertion, or memory. assertion_free in any case. */
int assertion_parse(struct assertion *a, const char *text, struct error *err);
void assertion_free(struct assertion *a);

/* What is asserted, of a run on the average; in percent, or in the tree's unit. */
struct assertion_result {
	bool holds;	/* with a confidence of 95 % */
	bool is_broken; /* that it does not hold is as certain */
	bool is_single; /* only the error of sampling is known */
	bool is_blind; /* not even that tells anything: totals were measured, and how much they vary is not known */
	bool is_absent; /* no sample of any run has met the function */
	double value, limit;
	double plus_minus; /* the difference of both is known to so much */
};

/*
 * Check it, of several resources of the first one. With `of_program` selfs are those of tree_owners(). Of a comparison the runs after the base are checked; if all runs are of the base, those
 * (profile.n_base). A function that no sample has met has used 0. -1: the name means several functions, there is no base to compare with, the unit is another one, or memory.
 */
int assertion_check(const struct assertion *a, const struct profile *p, const struct tree *t,
		    bool normalizes, bool of_program, struct assertion_result *r,
		    struct error *err);

#endif
