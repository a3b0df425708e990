/* SPDX-License-Identifier: MIT */
/*
 * python_stacks.h - the functions of a Python program that threads of a process are in, read from outside.
 *
 * As libsampler/python finds them, by the same offsets (layout.h): an evaluator on the machine's stack runs one or several.
 * Frames, code objects and names are copied while the process stands still.
 */
#ifndef LAUNCHER_PYTHON_STACKS_H
#define LAUNCHER_PYTHON_STACKS_H

#include "launcher/snapshot.h"
#include "libsampler/python/functions.h"

/* What runs code has been compiled to. */
struct python_code {
	uint64_t at;
	char *name;	      /* "NAME (FILE)"; NULL: it is not known, or no function's */
	unsigned char *lines; /* a copy of its table; NULL: none */
	bool is_own;	      /* the interpreter's own, which is no function's */
	int32_t first_line;
};

struct python_frame {
	uint32_t code; /* where in `codes` */
	uint64_t instruction;
};

/* One call of the interpreter's evaluator. */
struct python_evaluator {
	size_t thread;	 /* where in the snapshot */
	uint64_t at;	 /* it lies in the evaluator's frame on the machine's stack; 0: not known */
	size_t first, n; /* frames that it runs, innermost first */
};

struct python_stacks {
	bool is_there;
	uint32_t version; /* as Py_Version */
	struct cps_python_layout layout;
	struct cps_python_types types;
	uint64_t evaluate, evaluate_end; /* the evaluator's code */
	uint64_t interpreters[8];
	size_t n_interpreters;
	uint64_t first_state;		     /* offset in an interpreter */
	struct python_evaluator *evaluators; /* of each thread, innermost first */
	size_t n_evaluators, evaluators_room;
	struct python_frame *frames;
	size_t n_frames, frames_room;
	struct python_code *codes;
	size_t n_codes, codes_room;
};

/* Find the interpreter, if the process has one of a version that is known. */
void python_stacks_find(struct python_stacks *p, const struct target *t);

/* Copy what threads run. To be called while they stand; returns soon after `until`. */
void python_stacks_copy(struct python_stacks *p, struct snapshot *s, uint64_t until);

/* What a frame is in, "NAME FILE:LINE". NULL: it is not shown. To be freed. */
char *python_stacks_text(const struct python_stacks *p, const struct python_frame *frame);

void python_stacks_free(struct python_stacks *p);

#endif
