/* SPDX-License-Identifier: MIT */
/*
 * profile.h - what was read: the profile.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "libsampler/format.h"
#include "model/moments.h"
#include "pack/pack_names.h"
#include "read/event.h"

/* ---- squares --------------------------------------------------------------------------------- */
/*
 * Sums of the squared weights of samples, by node of a tree.
 *
 * In: weights. Out: sums, from which follows how far chance alone may have moved a weight.
 *
 * The sums are whole numbers, so that they do not depend on the order in which they are made. One
 * that does not fit stays at the largest number.
 */

struct squares {
	unsigned __int128 *of; /* by node, n of them; nodes beyond these have 0 */
	size_t n, size;
};

/* The square of the weight that `hits` samples had together, if it is divided among them evenly. */
static inline unsigned __int128 squares_of(uint64_t weight, uint64_t hits)
{
	return (unsigned __int128)weight * weight / (hits ? hits : 1);
}

static inline unsigned __int128 squares_sum(unsigned __int128 a, unsigned __int128 b)
{
	unsigned __int128 sum;

	return __builtin_add_overflow(a, b, &sum) ? ~(unsigned __int128)0 : sum;
}

static inline unsigned __int128 squares_get(const struct squares *s, size_t node)
{
	return node < s->n ? s->of[node] : 0;
}

/* Add to the sum of a node. -1: memory. */
int squares_add(struct squares *s, size_t node, unsigned __int128 value);

void squares_free(struct squares *s);

/* ---- given calls ----------------------------------------------------------------------------- */
/*
 * Call graphs that come without stacks.
 *
 * gprof and callgrind write such profiles. The functions' totals have to be found by propagation
 * (graph/propagate.h).
 */

#define GIVEN_CALLS_NONE UINT32_MAX

/* Two functions are the same if their names, files, lines and objects are. */
struct given_calls_function {
	uint32_t name;	       /* numbers of strings; given_calls_name makes names distinct */
	uint32_t file, object; /* STRINGS_NONE: not known */
	uint32_t line;	       /* of a function of Python; 0: not known */
	uint64_t self_weight, self_hits; /* gticks, raw samples */
	uint64_t inclusive_weight;	 /* struct event_self; 0 without has_inclusive */
	uint64_t calls;			 /* beside those of arcs */
};

struct given_calls_arc {
	uint32_t caller, callee; /* indices in functions; they may be equal */
	uint64_t count;		 /* of calls */
	uint64_t weight;	 /* struct event_call; 0 without has_inclusive */
};

/* Begins as all zero; given_calls_clear frees what it holds. */
struct given_calls {
	struct given_calls_function *functions; /* in order of appearance */
	struct given_calls_arc *arcs;		/* likewise */
	size_t n_functions, n_arcs;
	bool has_inclusive; /* all inputs had inclusive weights */
	bool has_totals;    /* and those are totals: struct event_end */
	bool has_shares;    /* those of some arcs are shares: struct event_kind */
	size_t functions_size, arcs_size;
	/* (file, object), (place, line), (name, line's place), (caller, callee) */
	struct pair_table places, lines, identities, pairs;
};

void given_calls_clear(struct given_calls *c);

/* Give functions of the same name distinct names: "NAME (FILE)", "NAME (OBJECT)" or "NAME (FILE,
 * OBJECT)", whichever is the first that tells all of them apart. The last one has whole paths, the
 * others have no directories. A function of Python always has its file, and if another one has the same, the line, then the
 * directory, then the whole path: "f (a.py)", "f (a.py:12)", "f (dir/a.py:12)", "f (/x/dir/a.py:12)". -1: memory. */
int given_calls_name(struct given_calls *c, struct strings *s);

/* ---- profile --------------------------------------------------------------------------------- */
/*
 * What was recorded, as a calling context tree (model/builder.h) whose frames are addresses.
 *
 * Its memory grows with distinct call paths, not with samples. Several inputs are merged into one
 * profile, in which modules of the same path and build id are one module.
 */

#define PROFILE_NO_MODULE UINT32_MAX

/* The name of the frame that is outermost in stacks whose outer part is missing. */
#define PROFILE_INCOMPLETE "[incomplete]"
/* The frames that stand for a left out middle of a stack, and for a stack whose frames are all
 * hidden. */
#define PROFILE_CUT    "[cut]"
#define PROFILE_HIDDEN "[hidden]"
/* The frame that stands for where a thread was when no tick has seen it. */
#define PROFILE_NOT_SAMPLED "[not sampled]"
/* The frame that stands for the functions of the kernel, and the address that it has without a module. */
#define PROFILE_KERNEL	       "[kernel]"
#define PROFILE_KERNEL_ADDRESS UINT64_MAX

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
	/* In profile.strings when named, else STRINGS_NONE. With a module it is what the process's perf map
	 * says of the address, for the case that the module has no symbol there. */
	uint32_t name;
	/* Of a named frame, where in its source it is: the path's number in profile.strings times 2^32, plus the
	 * line, which is at least 1; or 0. */
	uint64_t address;
};

static inline bool profile_is_named(const struct profile_frame *f)
{
	return f->module == PROFILE_NO_MODULE && f->name != STRINGS_NONE;
}

/* Whether it is recorded where in its source a named frame is. Then *file is set to the path, in profile.strings. */
static inline bool profile_has_line(const struct profile_frame *f, uint32_t *file, uint32_t *line)
{
	if (!profile_is_named(f) || !f->address)
		return false;
	*file = (uint32_t)(f->address >> 32);
	*line = (uint32_t)f->address;
	return true;
}

/* The name of a frame that stands for others that are not known, or NULL. */
static inline const char *profile_stand_in(const struct profile_frame *f)
{
	if (f->module != PROFILE_NO_MODULE || f->name != STRINGS_NONE)
		return NULL;
	return f->address == CPS_CUT_ADDRESS	       ? PROFILE_CUT
	       : f->address == CPS_NOT_SAMPLED_ADDRESS ? PROFILE_NOT_SAMPLED
	       : f->address == PROFILE_KERNEL_ADDRESS  ? PROFILE_KERNEL
						       : NULL;
}

/* How calls of a process were counted, see event_machine. */
struct profile_calls {
	bool has_any;	   /* they were counted */
	bool has_lost;	   /* but not all that was counted is known: then none of them count */
	uint64_t until_us; /* only until then; 0: until the end */
	uint64_t hooks_ns; /* CPU time that it took */
	uint64_t functions, machines, states, cut, transitions, missed;
	uint64_t calls; /* entered and direct, of all states */
};

/* Nodes are numbered so that parent < child; node 0 is the root, above every outermost frame. */
struct profile_node {
	uint32_t parent, frame;
	uint64_t self_weight, self_hits;
};

struct profile_thread {
	uint32_t id;
	uint64_t tid, start_us, weight, hits;
	uint64_t shown_weight, shown_hits; /* of the samples that were selected */
	uint32_t name;			   /* in profile.strings */
	struct slices times; /* of the samples that were selected, if they were asked for */
};

/* A moment that the program gave a name to. */
struct profile_mark {
	uint64_t time_us; /* since the process's start */
	uint32_t thread;  /* index in profile_process.threads */
	uint32_t name;	  /* in profile.strings */
};

/* The limit of marks per process. Without it a small file could fill the memory with marks. */
#define PROFILE_MARKS_MAX (1u << 20)

/* What was credited to a resource while threads were in a state: "io", "lock". */
struct profile_state {
	uint32_t name; /* in profile.strings */
	uint64_t credited;
};

/* A resource that a recording counts, whichever one was read. See struct event_resource. */
struct profile_resource {
	uint32_t name, unit, engine, why; /* strings or NONE */
	struct profile_state *states;	  /* of its samples, each once */
	size_t n_states;
	uint64_t interval, credited, samples, counted, events;
	bool is_time, has_counted;
	bool is_live; /* a part of the samples of alloc, which depends on a moment */
};

struct profile_process {
	uint32_t file, exe, cwd, host, machine, recorder, engine, engine_why; /* strings or NONE */
	uint32_t unwinder, unwinder_why;
	uint32_t started_as; /* string: path of a link to exe that was executed, or NONE */
	uint32_t
		launched; /* string: command of the tree's first process, if that is another one, or NONE */
	uint32_t *args;
	size_t n_args;
	uint64_t pid, ppid, start_ns, interval, scale, cpu_before_ns;
	uint64_t began_ns;	       /* as in struct event_process */
	uint64_t tree_pid, tree_start; /* 0: not known */
	bool has_rank;
	uint64_t rank;	     /* among the processes of a launcher */
	uint64_t *ancestors; /* pids, the parent's first */
	size_t n_ancestors;
	uint64_t samples; /* ticks that became samples */
	uint64_t tails;	  /* samples without a tick: what a thread used after its last tick */
	uint64_t weight;  /* credited, all samples */
	uint64_t weight_complete; /* credited to samples whose stack is whole */
	uint64_t weight_by_mark[CPS_MARK_COUNT];
	uint64_t losses[CPS_LOSS_COUNT + 1]; /* the last one: unknown reasons */
	uint64_t deepest;		     /* frames of the deepest stack */
	struct profile_thread *threads;
	size_t n_threads;
	uint32_t *modules; /* indices in profile.modules, in order of appearance */
	size_t n_modules;
	struct profile_resource *resources; /* of recordings that can have several */
	size_t n_resources;
	struct profile_mark *marks; /* in order of arrival */
	size_t n_marks;
	uint64_t marks_left_out;
	uint64_t stop, stop_error;	       /* why recording stopped, and an errno */
	uint32_t note;			       /* what is wrong with the journal; NONE: nothing */
	bool ended;			       /* an end record was read */
	uint64_t end_us, cpu_ns, ticks, bytes; /* of the end record */
	uint64_t own_ns, own_kernel_ns;	       /* of recording itself; likewise */
	uint64_t children_ns; /* CPU time of children that were waited for, and of theirs */
	uint64_t ready_ns;    /* in which threads had no processor to run on; 0: not known */
	uint64_t denied, denied_error;	 /* forked processes that could not write, and an errno */
	uint64_t python, python_unnamed; /* functions by name; evaluators without */
	uint64_t interrupted;	    /* calls that a tick has ended, which nobody went on with */
	enum event_unended unended; /* when not ended: why */
	uint64_t cut_offset;
	uint32_t cut_why;
	uint64_t last_us; /* time of the last sample */
	struct profile_calls calls;
};

/*
 * Calls that were counted, as a tree of their call paths. A state of a machine (event_counted) is a node below that of the state
 * that it was created from: that path is a stack which was there, and the history of the state is the history of it. So what
 * views make of samples' stacks they can make of calls. self_weight is how many calls led to the node's states, self_hits how
 * many direct recursions were in them.
 *
 * Of some calls only the caller is known, if anything: their paths are a frame that is a stand-in for what was cut, the caller,
 * and the function. States of several machines and recordings with the same path are one node.
 */
struct profile_counted {
	struct profile_frame *frames;
	struct profile_node *nodes; /* n_nodes >= 1 */
	size_t n_frames, n_nodes;
	bool has_cut;
};

/* One of several resources that are shown side by side, or one of several runs of a comparison. */
struct profile_column {
	uint32_t resource, unit; /* strings */
	uint64_t weight, hits;	 /* totals */
	uint64_t counted;	 /* by the recorder, see profile_counted */
	bool has_counted;
	size_t first_process, n_processes; /* of a run: those in profile.processes */
	struct slices times;		   /* of all threads, if they were asked for */
	struct moments moments;		   /* likewise */
};

/* How stacks are grouped: each group has a named frame that is outermost in its stacks. */
enum profile_by {
	PROFILE_BY_NOTHING,
	PROFILE_BY_PROCESS,
	PROFILE_BY_THREAD,
	PROFILE_BY_EXE,
	PROFILE_BY_COMMAND,
	PROFILE_BY_RANK
};

struct profile {
	struct strings *strings; /* the one part that grows later: by the names that symbols find */
	uint32_t resource, unit; /* of the inputs; different ones are refused */
	const struct event_kind
		*by_name;   /* of inputs that give names, not addresses; NULL: none does */
	enum profile_by by; /* if by something, each stack's outermost frame names its group */
	struct profile_process *processes;
	size_t n_processes;
	struct profile_process *shorts; /* that ended without a recording (short_processes.h) */
	size_t n_shorts;
	bool has_shorts; /* they were looked for: the processes are not chosen ones */
	struct profile_module *modules;
	size_t n_modules;
	struct profile_frame *frames;
	size_t n_frames;
	struct profile_node *nodes; /* n_nodes >= 1 */
	size_t n_nodes;
	/* NULL unless the inputs are call graphs without stacks. Then there are no paths. */
	struct given_calls *given_calls;
	/* None unless several resources are shown. Then there is a child of the root for each, in this
	 * order, above all stacks that count it. Its frame is no function: it has neither module nor
	 * name, and as address the column's number. What the rest of this structure says is of the
	 * first resource. */
	struct profile_column *columns;
	size_t n_columns;
	struct profile_counted *counted; /* NULL: no calls were counted */
	/* Two programs are compared: each column is one of n_runs runs, and the first n_base are of the one
	 * before. Of several resources all runs of the first one come first, then all of the second one, and
	 * so on. The processes, and what else this structure says, are of all runs. 0: no comparison. */
	size_t n_base, n_runs;
	struct squares squares; /* of the samples' weights, by node; none unless they were wanted */
	bool has_kernel;	/* some stacks end in PROFILE_KERNEL */
	uint64_t weight, hits;	/* totals; an overflow is an error while building */
	/* Of the samples that they are of: the sum of the squares of weights, and the weight of the heaviest one. */
	unsigned __int128 total_squares;
	uint64_t heaviest;
	/* The part of the inputs that nodes and totals are of; processes are always whole. */
	uint64_t from_ns, to_ns; /* of the run; to_ns 0: to its end */
	struct event_at at;	 /* of memory that is live */
	const char *threads;	 /* which ones, in strings; NULL: all */
	const char *states;	 /* likewise */
	bool has_times;		 /* threads have their times */
	struct pack_set *packs;	 /* that some inputs are in; borrowed; NULL: not known */
	struct moments moments;	 /* of the samples that were selected; columns have their own */
};

void profile_free(struct profile *p);

/* The calls that were counted, which there have to be, as a profile whose nodes have numbers of calls in place of weights and samples. All
 * of it is borrowed, nothing is to be freed. */
struct profile profile_of_calls(const struct profile *p);

/* Free what a process holds. */
void profile_process_free(struct profile_process *p);
/* Free what a module holds. */
void profile_module_free(struct profile_module *m);
/* The machine that the profile's processes were recorded on, as uname(1) names it. NULL: they do not say, or say different
 * ones. */
const char *profile_machine(const struct profile *p);

/* Free n modules and the list. */
void profile_modules_free(struct profile_module *list, size_t n);

#define PROFILE_UNKNOWN_PROGRAM "[unknown program]"

/* The name of the process's program: the last part of its path, or PROFILE_UNKNOWN_PROGRAM. */
struct event_text profile_program(const struct event_process *e);
/* The same of a process of the profile; empty if no program is known. */
struct event_text profile_program_of(const struct strings *s,
				     const struct profile_process *process);
/* The path that ends with this name: that of the file, or of the link of another name by which it was executed. Empty: not known. */
struct event_text profile_program_path(const struct event_process *e);
struct event_text profile_program_path_of(const struct strings *s,
					  const struct profile_process *process);

/* Whether the string is this text. STRINGS_NONE is none. */
bool profile_text_is(const struct profile *p, uint32_t string, const char *text);

/* Whether what is shown was measured as a whole and not sampled: one "sample" is what a context has. It is as exact as it can be. */
bool profile_is_measured(const struct profile *p);

/* Whether the resource is counted by calls, such as those of malloc and read, so that the innermost function of its
 * samples is the one that called, as operator new, or the one that was called, and tells little. */
bool profile_is_of_calls(const struct profile *p, uint32_t resource);

/* How much of the profile's resource the recorder has counted in all processes, independently of
 * samples. False: that is not known. */
bool profile_counted(const struct profile *p, uint64_t *counted);

/* Why nothing was counted of a resource. */
enum profile_nothing {
	PROFILE_SOMETHING,   /* something was, or it is not known what was */
	PROFILE_NOT_COUNTED, /* a process says why */
	PROFILE_NOT_HAPPENED,
};

enum profile_nothing profile_nothing(const struct profile *p, uint32_t resource);
/* The same in one process. */
enum profile_nothing profile_nothing_of(const struct profile_resource *r);

/* The states that samples of the resource have in some process, each once. The caller frees them. NULL:
 * memory. */
struct strings *profile_states(const struct profile *p, uint32_t resource);

/* How many resources the profile shows, and number i of them, in strings. */
static inline size_t profile_count_shown(const struct profile *p)
{
	return p->n_columns ? p->n_columns : 1;
}

static inline uint32_t profile_shown(const struct profile *p, size_t i)
{
	return p->n_columns ? p->columns[i].resource : p->resource;
}

/* Whether the node stands for a column. */
static inline bool profile_is_column(const struct profile *p, size_t node)
{
	return p->n_columns && node && !p->nodes[node].parent;
}

/* Whether the node stands for a group, below the root or a column. */
static inline bool profile_is_group(const struct profile *p, size_t node)
{
	uint32_t parent = p->nodes[node].parent;

	if (!p->by || !node)
		return false;
	return p->n_columns ? profile_is_column(p, parent) : !parent;
}

/* The weight that was credited to places where ticks have seen a thread. */
static inline uint64_t profile_process_sampled(const struct profile_process *p)
{
	return p->weight - p->weight_by_mark[CPS_MARK_NOT_SAMPLED];
}

/* Sum of all losses of a process. */
uint64_t profile_process_lost(const struct profile_process *p);

/* ---- group names ----------------------------------------------------------------------------- */

/* "cc1 [1234]". The caller frees it. NULL: out of memory. */
char *group_names_process(const struct strings *s, const struct profile_process *process);

/* "cc1 [1234] worker (tid 1235)"; if there is only one process, "worker (tid 1235)". */
char *group_names_thread(const struct strings *s, const struct profile_process *process,
			 const struct profile_thread *thread, bool is_alone);

/* "rank 3", or "[no rank]". */
char *group_names_rank(bool has_rank, uint64_t rank);

#endif
