/* SPDX-License-Identifier: MIT */
/*
 * profile.h - what was recorded, as a calling context tree (model/cct.h) whose frames are
 * addresses.
 *
 * Its memory grows with distinct call paths, not with samples. Several inputs are merged into one
 * profile, in which modules of the same path and build id are one module.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "libsampler/format.h"
#include "model/calls.h"
#include "read/event.h"

#define PROFILE_NO_MODULE UINT32_MAX

/* The name of the frame that is outermost in stacks whose outer part is missing. */
#define PROFILE_INCOMPLETE "[incomplete]"
/* The frames that stand for a left out middle of a stack, and for a stack whose frames are all
 * hidden. */
#define PROFILE_CUT    "[cut]"
#define PROFILE_HIDDEN "[hidden]"
/* The frame that stands for where a thread was when no tick has seen it. */
#define PROFILE_NOT_SAMPLED "[not sampled]"

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

/* A distinct place of execution: an address of a module, an address of the process (no module), or
 * a name. */
struct profile_frame {
	uint32_t module; /* index in profile.modules or PROFILE_NO_MODULE */
	uint32_t name;	 /* in profile.strings when named, else STRINGS_NONE */
	uint64_t address;
};

/* The name of a frame that stands for others that are not known, or NULL. */
static inline const char *profile_stand_in(const struct profile_frame *f)
{
	if (f->module != PROFILE_NO_MODULE || f->name != STRINGS_NONE)
		return NULL;
	return f->address == CPS_CUT_ADDRESS	       ? PROFILE_CUT
	       : f->address == CPS_NOT_SAMPLED_ADDRESS ? PROFILE_NOT_SAMPLED
						       : NULL;
}

/* Nodes are numbered so that parent < child; node 0 is the root, above every outermost frame. */
struct profile_node {
	uint32_t parent, frame;
	uint64_t self_weight, self_hits;
};

struct profile_thread {
	uint32_t id;
	uint64_t tid, start_us, weight, hits;
	uint32_t name; /* in profile.strings */
};

/* A moment that the program gave a name to. */
struct profile_mark {
	uint64_t time_us; /* since the process's start */
	uint32_t thread;  /* index in profile_process.threads */
	uint32_t name;	  /* in profile.strings */
};

/* The limit of marks per process. Without it a small file could fill the memory with marks. */
#define PROFILE_MARKS_MAX (1u << 20)

struct profile_process {
	uint32_t file, exe, cwd, host, machine, recorder, engine, engine_why; /* strings or NONE */
	uint32_t *args;
	size_t n_args;
	uint64_t pid, ppid, start_ns, interval, scale, cpu_before_ns;
	uint64_t tree_pid, tree_start; /* 0: not known */
	uint64_t samples;	       /* ticks that became samples */
	uint64_t tails;	 /* samples without a tick: what a thread used after its last tick */
	uint64_t weight; /* credited, all samples */
	uint64_t weight_complete; /* credited to samples whose stack is whole */
	uint64_t weight_by_mark[CPS_MARK_COUNT];
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
	uint64_t own_ns, own_kernel_ns;	       /* of recording itself; likewise */
	uint64_t denied, denied_error; /* forked processes that could not write, and an errno */
	enum event_unended unended;    /* when not ended: why */
	uint64_t cut_offset;
	uint32_t cut_why;
	uint64_t last_us; /* time of the last sample */
};

struct profile {
	struct strings *strings; /* the one part that grows later: by the names that symbols find */
	uint32_t resource, unit; /* of the inputs; different ones are refused */
	const struct event_kind
		*by_name; /* of inputs that give names, not addresses; NULL: none does */
	bool is_grouped;  /* each stack's outermost frame names its group */
	struct profile_process *processes;
	size_t n_processes;
	struct profile_module *modules;
	size_t n_modules;
	struct profile_frame *frames;
	size_t n_frames;
	struct profile_node *nodes; /* n_nodes >= 1 */
	size_t n_nodes;
	/* NULL unless the inputs are call graphs without stacks. Then there are no paths. */
	struct calls *calls;
	uint64_t weight, hits; /* totals; an overflow is an error while building */
	/* The part of the inputs that nodes and totals are of; processes are always whole. */
	uint64_t from_ns, to_ns; /* of the run; to_ns 0: to its end */
	const char *threads;	 /* which ones, in strings; NULL: all */
};

/* How stacks are grouped: each group has a named frame that is outermost in its stacks. */
enum profile_by { PROFILE_BY_NOTHING, PROFILE_BY_PROCESS, PROFILE_BY_THREAD, PROFILE_BY_EXE };

void profile_free(struct profile *p);

/* Free what a process holds. */
void profile_process_free(struct profile_process *p);
/* Free what a module holds. */
void profile_module_free(struct profile_module *m);
/* Free n modules and the list. */
void profile_modules_free(struct profile_module *list, size_t n);

/* The name of the process's program: the last part of its path. */
struct event_text profile_program(const struct event_process *e);

/* The weight that was credited to places where ticks have seen a thread. */
static inline uint64_t profile_process_sampled(const struct profile_process *p)
{
	return p->weight - p->weight_by_mark[CPS_MARK_NOT_SAMPLED];
}

/* Sum of all losses of a process. */
uint64_t profile_process_lost(const struct profile_process *p);

#endif
