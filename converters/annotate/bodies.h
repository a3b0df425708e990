/* SPDX-License-Identifier: MIT */
/*
 * bodies.h - the code of functions with the weight of each instruction.
 *
 * In: the places of a tree by address (SYMBOLS_BY_CODE). Out: bodies.
 *
 * Functions of one name may have several bodies: one in each of two libraries, or of two sources.
 */
#ifndef BODIES_H
#define BODIES_H

#include "annotate/instructions.h"
#include "annotate/code_places.h"

/* As struct source_line. */
struct instruction_weight {
	uint64_t self, total, hits;
	size_t until; /* the first node behind the stacks that have been counted */
};

struct body {
	uint32_t function, module; /* function: in the profile's strings */
	uint64_t start, end;
	struct instructions is;		    /* empty if it could not be read: see `why` */
	struct instruction_weight *weights; /* of each */
	char *why;			    /* NULL: it could be read */
};

struct bodies {
	struct body *list; /* by module and address */
	size_t n;
	uint64_t self; /* of all instructions */
};

/* Find the code of the functions, and weigh it. -1: out of memory. To be freed in any case. */
int bodies_find(struct bodies *b, const struct code_places *p, struct symbols *symbols,
		const struct tree *tree, struct error *err);
void bodies_free(struct bodies *b);

#endif
