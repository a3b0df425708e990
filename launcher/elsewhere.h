/* SPDX-License-Identifier: MIT */
/*
 * elsewhere.h - the process that is recorded from outside, as the recorder's code sees it.
 *
 * The recorder's code that follows and writes stacks is linked into the launcher as it is. Where it reads memory it calls
 * functions of this file (base/memory.h, base/subject.h), which have it from files that the process has mapped, from the copy
 * of a stack that the kernel has made with a sample, or from the process itself.
 */
#ifndef LAUNCHER_ELSEWHERE_H
#define LAUNCHER_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The copy of a stack, from the stack pointer on. */
struct elsewhere_stack {
	uint64_t sp;
	const unsigned char *bytes;
	size_t n;
	bool is_cut; /* the stack may go on behind it */
};

/* A part of a file that is mapped to be executed. */
struct elsewhere_mapping {
	uint64_t begin, end, offset;
	uint64_t major, minor, inode; /* all 0: not known */
	const char *path;
};

/* From here on that process is meant. */
void elsewhere_begin(int pid);

/* The process has mapped a file. */
void elsewhere_map(const struct elsewhere_mapping *mapping);

/* Look at all that it has mapped now. */
void elsewhere_read_mappings(void);

/* It has become another program: nothing is mapped. */
void elsewhere_forget(void);

/* The stack of the sample that is looked at; NULL: none. */
void elsewhere_set_stack(const struct elsewhere_stack *stack);

/* Whether the end of that copy was missed. */
bool elsewhere_missed_stack(void);

#endif
