/* SPDX-License-Identifier: MIT */
/*
 * instructions.h - reads, decodes and weighs code.
 */
#ifndef ANNOTATE_INSTRUCTIONS_H
#define ANNOTATE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/code_places.h"
#include "arch/machine.h"
#include "base/stop.h"
#include "symbols/symbols.h"

/* ---- instructions ---------------------------------------------------------------------------- */
/*
 * The machine instructions of a piece of code.
 *
 * In: a module's file, or a pack. Out: instructions, and the text of each.
 */

struct instruction {
	uint64_t target;     /* where it jumps to or what it calls, if has_target */
	uint32_t offset;     /* from the start of the code */
	unsigned char bytes; /* its length */
	bool has_target;
	bool is_target; /* an instruction of the same code jumps here */
};

/* Code of a module, from `start` on. */
struct instructions {
	const struct machine *machine;
	uint64_t start;
	unsigned char *code;
	size_t n_code;
	struct instruction *list; /* in order; together they are the code */
	size_t n;
};

#define INSTRUCTION_TEXT_BYTES MACHINE_TEXT_BYTES

/* Read and decode the code from `start` up to `end` (exclusive) of a module. Bytes that are no
 * instruction are one of one byte. -1: neither a pack nor a file has this code. To be freed
 * in any case. */
int instructions_read(struct instructions *l, struct symbols *symbols, uint32_t module,
		      uint64_t start, uint64_t end, struct error *err);
void instructions_free(struct instructions *l);

/* The number of the instruction that has the byte at this address; n: none has it. */
size_t instructions_find(const struct instructions *l, uint64_t address);

/* The instruction in the syntax of GNU's assembler, without its target if it has one. */
void instructions_text(const struct instructions *l, const struct instruction *at,
		       char text[INSTRUCTION_TEXT_BYTES]);

/* ---- bodies ---------------------------------------------------------------------------------- */
/*
 * The code of functions with the weight of each instruction.
 *
 * In: the places of a tree by address (SYMBOLS_BY_CODE). Out: bodies.
 *
 * Functions of one name may have several bodies: one in each of two libraries, or of two sources.
 */

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
