/* SPDX-License-Identifier: MIT */
/*
 * stack_text.h - writes what all threads of a process are in.
 */
#ifndef LAUNCHER_STACK_TEXT_H
#define LAUNCHER_STACK_TEXT_H

#include "launcher/stack_lines.h"
#include "write/out.h"

enum stack_form {
	STACK_TOGETHER, /* threads that are in the same are told of once */
	STACK_EACH,	/* each thread */
	STACK_FOLDED,	/* a line for each distinct stack, as cpconv reads it */
};

/* False: memory is out. */
bool stack_text_write(struct out *o, struct snapshot *s, struct stack_lines *l,
		      enum stack_form form);

#endif
