/* SPDX-License-Identifier: MIT */
/*
 * watched.h - what the kernel tells of all threads of a process while they run: samples, and what the process does.
 *
 * There is an event for each thread that is found and each processor, and threads that are made later inherit them. All events
 * of a processor write to one buffer. What is read from the buffers is in the order of time.
 */
#ifndef LAUNCHER_WATCHED_H
#define LAUNCHER_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libsampler/arch/arch.h"

struct watched_sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC, as all times here */
	uint64_t period_ns;
	int tid;
	struct cps_regs regs; /* in user mode; pc 0: there are none */
	const unsigned char *stack;
	size_t stack_bytes;
	bool is_cut; /* the stack may be longer */
};

struct watched_mapping {
	uint64_t begin, bytes, offset, inode;
	uint32_t major, minor;
	const char *path;
};

/* What is to be called with what was read. */
struct watched_events {
	void (*sample)(void *context, const struct watched_sample *s);
	void (*map)(void *context, const struct watched_mapping *m);
	void (*name)(void *context, int tid, const char *name, bool is_exec, uint64_t time_ns);
	void (*fork)(void *context, int tid, int parent, uint64_t time_ns);
	void (*exit)(void *context, int tid);
	void (*used)(void *context, int tid,
		     uint64_t ns); /* an inherited event of a thread that ends */
	void (*lost)(void *context);
	void *context;
};

struct watched_wish {
	int pid;
	uint64_t interval_ns; /* of CPU time of a thread */
	size_t stack_bytes;   /* to be copied at most; less if the buffers get no room */
};

/* Begin to watch a process. False: *why says in one line what forbids it. */
bool watched_begin(const struct watched_wish *wish, const char **why);

/* Whether samples are taken of what happens in the kernel, too. */
bool watched_has_kernel(void);

/* How many threads were made while others began to be watched, each time this was tried: those have some of their samples, or two
 * for one. */
size_t watched_partial(void);

/* After how many ns the buffers have to be read. */
uint64_t watched_patience_ns(void);

/* Read what there is. is_all: nothing more comes; else what is very young stays. */
void watched_read(const struct watched_events *events, bool is_all);

/* Stop. What was written before can still be read. */
void watched_stop(void);

/* CPU time of all threads while they were watched, in ns. */
uint64_t watched_used_ns(void);

/* How many records the buffers had no room for, up to now. */
uint64_t watched_lost(void);

#endif
