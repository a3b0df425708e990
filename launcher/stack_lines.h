/* SPDX-License-Identifier: MIT */
/*
 * stack_lines.h - names what a thread is in: a line for each function, with those of Python among those of the machine.
 */
#ifndef LAUNCHER_STACK_LINES_H
#define LAUNCHER_STACK_LINES_H

#include "launcher/native_stacks.h"
#include "launcher/python_stacks.h"
#include "model/profile.h"

struct stack_line {
	uint32_t name;	  /* in the strings of stack_lines_strings */
	const char *file; /* that the function is in, if no line of it is known; NULL: it is */
	bool is_inline, is_guess;
};

struct stack_list {
	struct stack_line *lines; /* innermost first */
	size_t n, room;
	bool is_whole; /* its last line is where the thread began */
};

struct stack_lines;

/* Begin with what was copied of a process. NULL: that cannot be done, and *err says why. */
struct stack_lines *stack_lines_open(struct snapshot *s, const struct modules *m,
				     const struct python_stacks *p, struct error *err);

/* List what thread number i of the snapshot is in. False: memory is out. */
bool stack_lines_of(struct stack_lines *l, size_t thread, struct stack_list *list);

/* All names are there: settle how people are shown them. */
void stack_lines_shorten(struct stack_lines *l);

const struct strings *stack_lines_strings(const struct stack_lines *l);

void stack_lines_close(struct stack_lines *l);

#endif
