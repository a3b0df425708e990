/* SPDX-License-Identifier: MIT */
/*
 * builder.h - a profile that is being built: all inputs so far, and the current one.
 *
 * Shared by builder.c (the sink), builder_cct.c (its samples), builder_calls.c (its call graph)
 * and profile.c (before and after).
 */
#ifndef BUILDER_H
#define BUILDER_H

#include "base/id_table.h"
#include "model/cct.h"
#include "model/modules.h"
#include "model/perf_map.h"
#include "model/profile.h"
#include "model/profile_builder.h"

/* A stack that may come again. What its samples weigh is added up here, and credited once. */
struct known_stack {
	uint64_t weight, hits; /* not credited yet; all of them are taken */
	uint32_t node, thread, mark;
};

/* Of the current input. Its call paths get a tree of their own, with the input's module numbers;
 * when it is over, that tree is merged into the tree of all. */
struct recording {
	bool open, by_name;
	struct profile_process process;
	size_t args_size, threads_size, marks_size;
	struct cct *paths;
	/* The nodes of the previous sample: its base (the root, or "[incomplete]"), then one per
	 * frame. */
	uint32_t *walk;
	size_t walk_size, depth;
	size_t keep; /* what samples since then that were passed over have left of its frames */
	uint64_t after_ns; /* when the input began, after the run did */
	uint32_t *of_ids;  /* frame + 1 by id - 1, 0: not known */
	size_t n_ids, ids_size;
	uint32_t generation;	    /* of these ids */
	struct known_stack *stacks; /* by number - 1 */
	size_t n_stacks, stacks_size;
	uint32_t stacks_generation; /* of these numbers */
	bool has_incomplete;	    /* that base is "[incomplete]" */
	uint32_t group;		    /* what the process is called, if stacks are grouped */
	uint32_t group_thread;	    /* whose group the base belongs to */
	struct perf_map *jit;	    /* NULL: none so far */
	bool has_map;		    /* it is to be asked */
	bool has_owner;
	uint64_t owner;		  /* of the input, a user */
	struct id_table *threads; /* place -> index in process.threads */
	uint32_t last_thread;	  /* index there of the previous sample's thread */
	struct id_table *reasons; /* of losses, those without a place of their own */
	uint64_t *reason_counts;
	size_t reasons_size;
};

struct profile_builder {
	struct event_sink sink;
	struct profile *profile; /* nodes and modules are in `all` and `modules` until finished */
	size_t processes_size;
	struct cct *all;
	struct modules *modules;
	enum profile_by by;
	struct profile_part part;
	uint64_t weight, hits;	    /* of all samples, also those that are not taken */
	uint32_t empty, incomplete; /* the strings "" and PROFILE_INCOMPLETE */
	uint32_t resource_file;	    /* the input that said what is counted */
	struct recording current;
};

/* recording.c: the number of a text; STRINGS_NONE for an absent one and, with *ok = false, without
 * memory. */
uint32_t builder_text(struct profile_builder *b, struct event_text text, bool *ok);

/* The name of the current input, for messages. */
const char *builder_file(const struct profile_builder *b);

/* The thread of the current input with that id, added if it is new. NULL when memory is out. */
struct profile_thread *builder_thread(struct profile_builder *b, uint32_t id);

/* builder_group.c: what the current process is called, from its record. */
int builder_group_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err);
/* The frame of the current input's group. */
struct profile_frame builder_group_input(const struct profile_builder *b);
/* The same, or that of a thread, whose name comes when the input is over. */
struct profile_frame builder_group_frame(const struct profile_builder *b, uint32_t thread);
bool builder_group_is_unnamed(const struct profile_frame *f);
/* Name it. -1: memory. */
int builder_group_name(struct profile_builder *b, struct profile_frame *f);
/* All inputs are over. */
int builder_group_finish(struct profile_builder *b);

/* builder_selection.c: can the current input's samples be chosen among? */
int builder_part_process(struct profile_builder *b, const struct event_process *e,
			 struct error *err);
/* Is the sample's time of the part? */
bool builder_part_takes(const struct profile_builder *b, const struct event_sample *e);
/* Are call paths kept apart by thread, to be named or chosen when the input is over? */
bool builder_has_threads(const struct profile_builder *b);
/* Which nodes of the current input go, since their thread is not wanted, or none of their samples
 * was taken: *dropped has an entry for each, or is NULL if none goes. Their weight is taken off the
 * totals. -1: memory, or the choice failed. */
int builder_part_nodes(struct profile_builder *b, unsigned char **dropped, struct error *err);

/* builder_perf_map.c: the sink's `jit`. */
int builder_jit(void *context, const struct event_jit *e, struct error *err);
/* The current input is over: the map of its generated code, if it needs one; the name of a frame
 * that has none, if the map has it. -1: memory. */
int builder_jit_open(struct profile_builder *b);
int builder_jit_name(struct profile_builder *b, struct profile_frame *f);

/* builder_calls.c: the input is a call graph, or it is not; they do not mix. */
int builder_calls_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err);
/* The sink's `self` and `call`. */
int builder_self(void *context, const struct event_self *e, struct error *err);
int builder_call(void *context, const struct event_call *e, struct error *err);

/* builder_cct.c: the sink's `sample`. */
int builder_sample(void *context, const struct event_sample *e, struct error *err);

/* builder_cct.c: the current input's modules and call paths join those of all inputs. */
int builder_merge(struct profile_builder *b, struct error *err);

/* Free what the current input holds. */
void recording_close(struct recording *r);
void builder_recording_free(struct recording *r);

#endif
