/* SPDX-License-Identifier: MIT */
/*
 * profile.h - what was recorded, folded into a tree of call paths by address.
 *
 * Memory grows with distinct call paths, not with samples. The builder is an event sink; several
 * inputs pushed one after the other are merged. Modules with the same path and build id are one.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/calls.h"
#include "read/event.h"
#include "libsampler/format.h"
#include "base/strings.h"

#define PROFILE_NO_MODULE UINT32_MAX

/* The named frame that stands outermost in stacks whose outer part is missing. */
#define PROFILE_INCOMPLETE "[incomplete]"

struct profile_segment {
	uint64_t vaddr, memory_bytes, file_offset, file_bytes;
	uint32_t flags;
};

struct profile_module {
	uint32_t path; /* in profile.strings; STRINGS_NONE if a sample named it and no record did */
	unsigned char *build_id;
	size_t build_id_bytes;
	bool is_vdso;
	struct profile_segment *segments;
	size_t n_segments;
};

/* A distinct place of execution: an address of a module, or (module none) of the process, or a
 * name (folded text). */
struct profile_frame {
	uint32_t module; /* index in profile.modules or PROFILE_NO_MODULE */
	uint32_t name;	 /* in profile.strings when named, else STRINGS_NONE */
	uint64_t address;
};

/* Nodes are numbered so that parent < child; node 0 is the root, above every outermost frame. */
struct profile_node {
	uint32_t parent, frame;
	uint64_t self_gticks, self_hits;
};

struct profile_thread {
	uint32_t id;
	uint64_t tid, start_us, gticks, hits;
	uint32_t name; /* in profile.strings */
};

/* A moment that the program gave a name. */
struct profile_mark {
	uint64_t time_us; /* since the process's start */
	uint32_t thread;  /* index in profile_process.threads */
	uint32_t name;	  /* in profile.strings */
};

/* No more of a process are kept, so that a file of few bytes cannot fill the memory with them. */
#define PROFILE_MARKS_MAX (1u << 20)

struct profile_process {
	uint32_t file, exe, cwd, host, machine, recorder, engine, engine_why; /* strings or NONE */
	uint32_t *args;
	size_t n_args;
	uint64_t pid, ppid, start_ns, interval, scale, cpu_before_ns;
	uint64_t tree_pid, tree_start; /* 0: not known */
	uint64_t samples;	       /* ticks that became samples */
	uint64_t tails;		       /* samples that are credits at a thread's end */
	uint64_t gticks;	       /* credited, all samples */
	uint64_t gticks_complete;      /* credited to samples whose stack is whole */
	uint64_t gticks_by_mark[CPS_MARK_COUNT];
	uint64_t losses[CPS_LOSS_COUNT + 1]; /* the last one: unknown reasons */
	uint64_t deepest;		     /* frames of the deepest stack */
	struct profile_thread *threads;
	size_t n_threads;
	uint32_t *modules; /* indices in profile.modules, in order of appearance */
	size_t n_modules;
	struct profile_mark *marks; /* in order of arrival */
	size_t n_marks;
	uint64_t marks_left_out;
	uint64_t stop, stop_error;	       /* why recording stopped, and an errno */
	uint32_t note;			       /* what is wrong with the journal; NONE: nothing */
	bool ended;			       /* an end record was read */
	uint64_t end_us, cpu_ns, ticks, bytes; /* of the end record */
	uint64_t cut_offset;		       /* when not ended */
	uint32_t cut_why;
	uint64_t last_us; /* time of the last sample */
};

struct profile {
	struct strings *strings;
	uint32_t resource, unit; /* of the inputs; different ones are refused */
	bool by_name;		 /* some input gives names instead of addresses */
	bool is_grouped;	 /* each stack's outermost frame names its group */
	struct profile_process *processes;
	size_t n_processes;
	struct profile_module *modules;
	size_t n_modules;
	struct profile_frame *frames;
	size_t n_frames;
	struct profile_node *nodes; /* n_nodes >= 1 */
	size_t n_nodes;
	struct calls *calls;   /* a call graph without stacks: then there are no paths. Else NULL */
	uint64_t gticks, hits; /* totals; an overflow is an error while building */
	/* What part of the inputs nodes and totals are of; processes are always whole. */
	uint64_t from_ns, to_ns; /* of the run; to_ns 0: to its end */
	const char *threads;	 /* which ones, in strings; NULL: all */
};

/* What stacks are told apart by: a named frame, outermost, for each group. */
enum profile_by { PROFILE_BY_NOTHING, PROFILE_BY_PROCESS, PROFILE_BY_THREAD, PROFILE_BY_EXE };

/* The input is over: set wanted[i] to 1 for each thread i of the process to be taken, all 0 before.
 * -1: error. */
typedef int profile_threads(void *context, const struct strings *s, const struct profile_process *p,
			    unsigned char *wanted, struct error *err);

/* Which samples to take. All zero: all. */
struct profile_part {
	/* Those taken in [from_ns, to_ns) after the run began; to_ns 0: to its end. A sample stands
	 * for the time before it. */
	uint64_t from_ns, to_ns;
	/* When the run began, of which the inputs are parts, in the clock of start_ns; 0: when the
	 * input at hand did. */
	uint64_t run_ns;
	profile_threads *threads; /* NULL: of all threads */
	void *context;
	const char *threads_text; /* which ones, for people */
};

struct profile_builder;

struct profile_builder *profile_builder_new(struct error *err);
/* Before the first input: how to group, and which part to take. Inputs without times and threads are
 * an error if that is not all of them. */
void profile_builder_group(struct profile_builder *b, enum profile_by by);
int profile_builder_part(struct profile_builder *b, const struct profile_part *part,
			 struct error *err);
/* The sink to hand to decode_file, once per input. Valid as long as the builder. */
const struct event_sink *profile_builder_sink(struct profile_builder *b);
/*
 * Another builder, set up alike, has read inputs: to join makes it as if b had, after its own; the
 * other is of no use then, but to be freed. Can they? If not, they have something that is not just
 * added up, or not at all: to read these inputs again, into b, does the one or says the other.
 */
bool profile_builder_can_join(const struct profile_builder *b, const struct profile_builder *other);
int profile_builder_join(struct profile_builder *b, struct profile_builder *other,
			 struct error *err);
/* Done reading: the profile now belongs to the caller, the builder is freed. */
struct profile *profile_builder_finish(struct profile_builder *b, struct error *err);
void profile_builder_free(struct profile_builder *b); /* instead of finish, after an error */
void profile_free(struct profile *p);

/* What the process's program is called: the last part of its path. */
struct event_text profile_program(const struct event_process *e);

/* Sum of all losses of a process. */
uint64_t profile_process_lost(const struct profile_process *p);

#endif
