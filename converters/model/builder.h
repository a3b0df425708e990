/* SPDX-License-Identifier: MIT */
/*
 * builder.h - folds the events of an input into the profile.
 *
 * For builder.c (the sink) and its parts builder_*.c.
 */
#ifndef MODEL_BUILDER_H
#define MODEL_BUILDER_H

#include "base/hash.h"
#include "base/numbers.h"
#include "model/builder_join.h"
#include "model/perf_map.h"
#include "model/profile.h"
#include "read/event.h"

/* ---- modules --------------------------------------------------------------------------------- */
/*
 * The modules of all inputs, each once, and the numbers that the current input gave them.
 *
 * An input may mention a number before the record that says what it means, so numbers are resolved
 * when the input is over.
 */

struct modules;

struct modules *modules_new(void); /* NULL: out of memory */
void modules_free(struct modules *m);

/* A module event of the current input. -1: memory, or another event gave that number to another
 * module; `file` is for the message. */
int modules_describe(struct modules *m, struct strings *strings, const struct event_module *record,
		     const char *file, struct error *err);

/* The index, in the list of all modules, of the module that the current input calls `id`. Modules
 * are the same if path, build id and is_vdso are. A number that no event described is a module
 * without path. PROFILE_NO_MODULE: memory is out. */
uint32_t modules_resolve(struct modules *m, uint32_t id);

/* Where the current input has the module with that number: address = virtual address + *bias. False: no event
 * has described it. */
bool modules_bias(const struct modules *m, uint32_t id, uint64_t *bias);

/* The current input is over: list its modules, each once, described ones first. The caller frees
 * *list. */
int modules_close(struct modules *m, uint32_t **list, size_t *n, struct error *err);

/* Move the modules of `other`, which is of no use then, to the list of m. `strings` translates
 * the numbers of their texts. *map has the index that each module got; the caller frees it. -1:
 * memory. */
int modules_join(struct modules *m, struct modules *other, const uint32_t *strings, uint32_t **map);

/* Hand the list of all modules over to the caller. */
void modules_take(struct modules *m, struct profile_module **list, size_t *n);

/* ---- cct ------------------------------------------------------------------------------------- */
/*
 * A calling context tree (Ammons, Ball and Larus, Exploiting Hardware Performance Counters with
 * Flow and Context Sensitive Profiling, PLDI 1997): each node stands for one call path, the frames
 * from the root to the node. Samples with the same call path are counted at the same node, so that
 * the tree grows with the number of distinct call paths and not with the number of samples. Unlike
 * theirs, this tree has no back edges for recursion: each level of a recursion is a node.
 *
 * Nodes are numbered in order of arrival, so that a parent has a lower number than its children;
 * node 0 is the root. Frames are distinct and numbered, too.
 */

#define CCT_NONE UINT32_MAX

/* `recent` has the frames that were found lately, by some bits of a cheap hash value. */
#define CCT_RECENT_BITS 12

struct cct {
	struct profile_frame *frames;
	struct profile_node *nodes;
	size_t n_frames, n_nodes;
	struct squares squares; /* by node; none unless they are wanted */
	/* Private to builder_cct.c: */
	size_t frames_size, nodes_size;
	struct pair_table pairs; /* (parent, frame) -> node - 1 */
	struct hash_secret secret;
	struct index numbers;			/* of frames */
	uint32_t recent[1u << CCT_RECENT_BITS]; /* frame + 1, 0: none */
};

struct cct *cct_new(void); /* NULL: out of memory */
void cct_free(struct cct *p);

/* The number of a frame, added if it is new; CCT_NONE when memory is out. */
static inline uint32_t cct_frame(struct cct *p, struct profile_frame frame);

/* The child of `parent` for the frame of that number; it is added with weight 0 if it is new.
 * CCT_NONE: memory is out, or the frame is CCT_NONE. */
static inline uint32_t cct_step(struct cct *p, uint32_t parent, uint32_t frame);
static inline uint32_t cct_child(struct cct *p, uint32_t parent, const struct profile_frame *frame)
{
	return cct_step(p, parent, cct_frame(p, *frame));
}

/* ---- what is inlined ---- */

uint32_t cct_frame_search(struct cct *p, struct profile_frame frame);
uint32_t cct_add(struct cct *p, uint32_t parent, uint32_t frame);

static inline bool cct_frame_equal(const struct profile_frame *a, struct profile_frame b)
{
	return a->address == b.address && a->module == b.module && a->name == b.name;
}

/* The place in `recent` where a frame may be. This hash has no secret: an input whose frames all
 * collide here is slower, because each frame is searched for in the index. */
static inline size_t cct_recent(struct profile_frame frame)
{
	uint64_t x = (frame.address ^ (uint64_t)frame.name << 32) + frame.module;

	return x * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CCT_RECENT_BITS);
}

/* The frame is passed by value, so that it mostly stays in registers. */
static inline uint32_t cct_frame(struct cct *p, struct profile_frame frame)
{
	uint32_t *recent = &p->recent[cct_recent(frame)], number;

	if (*recent && cct_frame_equal(&p->frames[*recent - 1], frame))
		return *recent - 1;
	number = cct_frame_search(p, frame);
	*recent = number + 1; /* CCT_NONE becomes 0 */
	return number;
}

static inline uint32_t cct_step(struct cct *p, uint32_t parent, uint32_t frame)
{
	const struct pair_table_latest latest = pair_table_latest(&p->pairs, parent);

	if (latest.b == frame && latest.number != PAIR_TABLE_NONE)
		return latest.number + 1;
	return cct_add(p, parent, frame);
}

/* ---- builder --------------------------------------------------------------------------------- */

/* A stack that samples may repeat. The weights of its samples are added up here and credited to the
 * tree once, which is cheaper than sample by sample. */
struct known_stack {
	uint64_t weight, hits; /* not yet credited to `node` */
	unsigned __int128 squares;
	uint32_t node, thread, mark;
};

/* A machine that counted calls, in the current input. */
struct machine {
	uint32_t *nodes; /* by state: its node in recording.calls; that of the root is 0 */
	uint32_t *
		functions; /* likewise the function that runs there, as a number of a frame; of the root CCT_NONE */
	size_t n, nodes_size, functions_size;
	uint64_t transitions, missed;
};

/* Numbers of states are below this: there is one for each atom. */
#define BUILDER_STATES ((1u << CPS_ATOM_BITS_MAX) + 1)

/* The current input. Its call paths get a tree of their own, because its numbers for modules are
 * resolved only when it is over. Then the tree is merged into the tree of all inputs. */
struct recording {
	bool open, by_name;
	struct profile_process process;
	size_t args_size, threads_size, marks_size, resources_size;
	unsigned char takes_state[BUILDER_STATES]; /* by number */
	uint32_t state_names[BUILDER_STATES];	   /* likewise, in strings; set for moments */
	struct moments moments; /* of this input: threads are indices in process.threads */
	struct cct *paths;
	/* The nodes on the path of the previous sample: the base (the root, or "[incomplete]"),
	 * then one per frame. */
	uint32_t *walk;
	size_t walk_size, depth;
	size_t keep;	   /* how many of its frames the samples left out since then have kept */
	uint64_t after_ns; /* how long after the run the input began */
	uint32_t *of_ids;  /* frame + 1 by id - 1; 0: not known */
	size_t n_ids, ids_size;
	uint32_t generation;	    /* the generation of these ids */
	struct known_stack *stacks; /* by number - 1 */
	size_t n_stacks, stacks_size;
	uint32_t stacks_generation; /* the generation of these numbers */
	bool has_incomplete;	    /* the base is "[incomplete]" */
	uint32_t group;		    /* the name of the process, if stacks are grouped */
	uint32_t group_thread;	    /* the thread to whose group the base belongs */
	struct id_table *bases;	    /* ids of the threads that have a node below the root */
	uint32_t *base_nodes;	    /* these nodes, by place in `bases`; they ascend */
	size_t base_nodes_size;
	struct cct *calls; /* that were counted; NULL: none so far */
	uint32_t *called;  /* by function: its frame in `calls` */
	size_t n_called, called_size;
	struct machine *machines;
	size_t n_machines, machines_size;
	struct machine *machine; /* the latest event's */
	struct perf_map *jit;	 /* NULL: none so far */
	bool has_map;		 /* its names are to be used */
	bool has_owner;
	uint64_t owner;		  /* the id of the user who owns the input */
	struct id_table *threads; /* place -> index in process.threads */
	uint32_t last_thread;	  /* the index in process.threads of the previous sample's thread */
	struct id_table *reasons; /* reasons of losses that this version does not know */
	uint64_t *reason_counts;
	size_t reasons_size;
};

struct profile_builder {
	struct event_sink sink;
	struct profile *profile; /* nodes and modules are in `all` and `modules` until finished */
	size_t processes_size;
	struct cct *all;
	struct cct *counted; /* the calls of all inputs; NULL: none so far */
	uint64_t n_calls;    /* of them */
	struct modules *modules;
	enum profile_by by;
	bool shows_kernel;
	bool wants_squares;
	struct profile_part part;
	uint64_t weight, hits;	    /* of all samples, including those that are left out */
	uint32_t empty, incomplete; /* the strings "" and PROFILE_INCOMPLETE */
	uint32_t resource_file;	    /* the first input that said what it counts */
	struct recording current;
};

/* The name of the current input, for messages. */
const char *builder_file(const struct profile_builder *b);

/* The thread of the current input with that id, added if it is new. NULL when memory is out. */
struct profile_thread *builder_thread(struct profile_builder *b, uint32_t id);

/* builder_group.c: name the current process from its process event. */
int builder_group_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err);
/* The frame of the current input's group. */
struct profile_frame builder_group_input(const struct profile_builder *b);
/* The frame of the group of a thread, by its id, whose name is known only when the input is over.
 * -1: memory. */
int builder_group_thread(struct profile_builder *b, uint32_t thread, struct profile_frame *f);
/* All inputs are over. */
int builder_group_finish(struct profile_builder *b);

/* builder_group.c: check that the current input has the times and threads that the selection
 * needs. */
int builder_part_process(struct profile_builder *b, const struct event_process *e,
			 struct error *err);
/* The sink's `state`. */
int builder_state(void *context, const struct event_state *e, struct error *err);
/* Are the sample's time and state selected? */
bool builder_part_takes(const struct profile_builder *b, const struct event_sample *e);
/* Does each thread have a tree of its own, because threads are to be named or selected when the
 * input is over? */
bool builder_has_threads(const struct profile_builder *b);
/* Find the nodes of the current input that are to be dropped: those of threads that are not
 * selected, and those without a selected sample. *dropped has an entry for each node, or is NULL if
 * all nodes stay. The weights of dropped threads are subtracted from the totals. -1: memory, or the
 * selection failed. */
int builder_part_nodes(struct profile_builder *b, unsigned char **dropped, struct error *err);

/* perf_map.c: the sink's `jit`. */
int builder_jit(void *context, const struct event_jit *e, struct error *err);
/* When the current input is over: builder_jit_open gets the perf map of its generated code, if some
 * frames need it. builder_jit_name gives a frame without a name the name that the map has; the frame's
 * module is still the input's. -1: memory. */
int builder_jit_open(struct profile_builder *b);
int builder_jit_name(struct profile_builder *b, struct profile_frame *f);

/* given_calls.c: check that no input has stacks while another has calls without stacks. */
int builder_calls_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err);
/* The sink's `self` and `call`. */
int builder_self(void *context, const struct event_self *e, struct error *err);
int builder_call(void *context, const struct event_call *e, struct error *err);

/* builder_counted.c: the sink's `called`, `machine` and `counted`. */
int builder_called(void *context, const struct event_called *e, struct error *err);
int builder_machine(void *context, const struct event_machine *e, struct error *err);
int builder_counted(void *context, const struct event_counted *e, struct error *err);
/* The input is over: add its calls to those of all inputs, unless some of them are lost. */
int builder_counted_merge(struct profile_builder *b, struct error *err);
void builder_counted_clear(struct recording *r);
/* All inputs are over. -1: memory. */
int builder_counted_finish(struct profile_builder *b);

/* Note when a thread used what a selected sample weighs, which is credited to a node. -1: memory. */
int builder_time(struct profile_builder *b, const struct event_sample *e, uint32_t thread,
		 uint32_t node);
/* Add up the times of all threads of a column's builder. */
int builder_time_column(struct profile_column *c, const struct profile *of);

int builder_moments_state(struct profile_builder *b, const struct event_state *e);
/* The input is over. nodes[] has the numbers of its nodes in the tree of all inputs, 0 for those that are
 * dropped; NULL: they stay. */
int builder_moments_merge(struct profile_builder *b, const uint32_t *nodes);

/* builder_cct.c: the sink's `sample`. */
int builder_sample(void *context, const struct event_sample *e, struct error *err);

/* builder_cct.c: the id of the thread whose stacks are below this child of the root, if the builder
 * has threads. */
uint32_t builder_base_thread(const struct recording *r, uint32_t node);

/* builder_cct.c: merge the current input's modules and call paths into those of all inputs. */
int builder_merge(struct profile_builder *b, struct error *err);

#endif
