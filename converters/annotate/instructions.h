/* SPDX-License-Identifier: MIT */
/*
 * instructions.h - the machine instructions of a piece of code.
 *
 * In: a module's file, or a pack. Out: instructions, and the text of each.
 */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbols/symbols.h"

struct instruction {
	uint64_t target;     /* where it jumps to or what it calls, if has_target */
	uint32_t offset;     /* from the start of the code */
	unsigned char bytes; /* its length */
	bool has_target;
	bool is_target; /* an instruction of the same code jumps here */
};

/* Code of a module, from `start` on. */
struct instructions {
	uint64_t start;
	unsigned char *code;
	size_t n_code;
	struct instruction *list; /* in order; together they are the code */
	size_t n;
};

#define INSTRUCTION_TEXT_BYTES 128

/* Read and decode the code from `start` up to `end` (exclusive) of a module. Bytes that are no
 * instruction are one of one byte. -1: neither a pack nor a file has this code. To be freed
 * in any case. */
int instructions_read(struct instructions *l, struct symbols *symbols, uint32_t module,
		      uint64_t start, uint64_t end, struct error *err);
void instructions_free(struct instructions *l);

/* The number of the instruction that has the byte at this address; n: none has it. */
size_t instructions_find(const struct instructions *l, uint64_t address);

/* The instruction in AT&T's syntax, without its target if it has one. */
void instructions_text(const struct instructions *l, const struct instruction *at,
		       char text[INSTRUCTION_TEXT_BYTES]);

#endif
