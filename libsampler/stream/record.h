/* SPDX-License-Identifier: MIT */
/*
 * record.h - writes records of the stream, and those that samples need before them.
 */
#ifndef CPS_RECORD_H
#define CPS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "stream/atoms.h"
#include "stream/thread.h"
#include "unwind/module.h"
#include "format.h"

/* A longer command ends with " ...". */
#define CPS_LAUNCHED_BYTES 512

/* ---- lineage --------------------------------------------------------------------------------- */
/*
 * Finds the process tree that a process belongs to.
 */

struct cps_lineage {
	uint64_t tree_pid, tree_start; /* the root; its start is in clock ticks after boot; pid 0:
					  not known */
	uint64_t ancestors[CPS_ANCESTORS_MAX]; /* their pids, the parent's first, up to the root */
	size_t n_ancestors;
	bool is_attached;     /* the root has not made this process: it is no ancestor */
	bool is_without_args; /* of `launched` the first word is enough */
	char launched
		[CPS_LAUNCHED_BYTES]; /* the command of the root, words with spaces between; "": it is this process, or not known */
};

/*
 * [signal] Find the ancestors up to the root of the process tree. If the root is not known, it is
 * the topmost ancestor such that it and all processes below it, down to this one, were started with
 * the recorder; or the process itself. Reads /proc; if that cannot be read, nothing is found. An
 * ancestor that has ended breaks the line.
 *
 * If the root is another process, its command is read as well. It is what the user has launched, and often too short to
 * leave a recording of its own, as the driver of a compiler is. cpsample-wait stands for the program that it runs.
 */
void cps_lineage_find(struct cps_lineage *l);

/* [signal] The parent of a process, and when it was made, in clock ticks after boot. False: /proc does not say it. */
bool cps_lineage_read(uint64_t pid, uint64_t *ppid, uint64_t *start);

/* ---- record ---------------------------------------------------------------------------------- */
/*
 * Writes all records but those of samples (doc/format.md, "Records").
 *
 * Each function appends one whole record to the writer. If it does not fit, the writer is full.
 */

/* What is known of the process at its start. All pointers must stay valid. Texts may be NULL. */
struct cps_identity {
	const char *exe, *cwd;
	const char *started_as; /* path of a link to exe that was executed; NULL: none */
	char **args;		/* n_args copies */
	size_t n_args;
	const char *resource, *unit, *engine, *engine_why;
	uint64_t scale, interval; /* scale: gticks per unit of weight; interval: in gticks */
	uint64_t start_ns;	  /* CLOCK_REALTIME */
	uint64_t start_monotonic_ns;
	uint64_t
		began_ns; /* CLOCK_REALTIME when the process was made, if it was attached to; else 0 */
	uint64_t cpu_before_ns, children_before_ns; /* at the start; see cps_sys_children_ns */
	uint64_t journal_id;
	const char *runtime;		     /* "Go", or NULL */
	const char *unwinder, *unwinder_why; /* NULL: the native one; it was asked for */
	uint64_t ppid;
	uint64_t
		seen_as; /* the number of the process for others, where it has another one itself; 0: the same */
	bool has_rank;
	uint32_t rank; /* below CPS_RANKS */
	struct cps_lineage lineage;
};

struct cps_ending {
	uint64_t time_us, cpu_ns, ticks, bytes;
	uint64_t own_ns, own_kernel_ns; /* loss.h */
	uint64_t children_ns;		/* of children that were waited for, since the start */
	uint64_t denied;		/* recording.h */
	uint32_t denied_error;
	uint64_t python, python_unnamed; /* functions; evaluators that stayed as they are */
	uint64_t ready_ns;		 /* thread.h */
	uint64_t profiling_ns;		 /* loss.h */
	uint64_t interrupted;		 /* waits that failed with EINTR because of a tick */
	enum cps_stop stop;		 /* CPS_STOP_NONE: the process ends */
	uint32_t error;			 /* the errno that goes with it */
};

/* What a process that leaves no recording has used since it was made, also as other programs. */
struct cps_short_use {
	uint64_t time_us; /* since the program's start */
	uint64_t cpu_ns, children_ns;
	enum cps_stop stop; /* CPS_STOP_EXEC, or CPS_STOP_NONE */
};

/* [signal] */
void cps_record_process(struct cps_writer *w, const struct cps_identity *identity);
/* [signal] What is counted (atoms.h). */
void cps_record_resource(struct cps_writer *w, uint32_t id,
			 const struct cps_atoms_resource *resource);
/* [signal] */
void cps_record_atom(struct cps_writer *w, uint32_t id, const char *state, uint32_t resources,
		     uint32_t grain, uint32_t flags);
/* [signal] n times: the id of a resource, gticks, events. */
void cps_record_counted(struct cps_writer *w, const uint64_t (*triples)[3], uint32_t n);
/* [signal] n times: the number of a block, the time in us when it was freed; in the order of times. */
void cps_record_freed(struct cps_writer *w, const uint64_t (*pairs)[2], uint32_t n);
/* [signal] From here on another clock ticks. */
void cps_record_engine(struct cps_writer *w, const char *engine, const char *why);
#define CPS_MARK_NAME_MAX 1000u /* bytes of a mark's name; the rest is cut off */

/* [signal] */
void cps_record_mark(struct cps_writer *w, uint64_t time_us, uint32_t thread, const char *name);
/* [signal] This name belongs to n addresses without module: a line of a perf map. */
void cps_record_function(struct cps_writer *w, uint64_t address, uint64_t n, const char *name);
/* [signal] The totals of loss.h. */
void cps_record_losses(struct cps_writer *w);
/* [signal] */
void cps_record_end(struct cps_writer *w, const struct cps_ending *ending);
/* [signal] Of the program's arguments as many as fit CPS_SHORT_BYTES, of which as many are left in the writer. */
void cps_record_short(struct cps_writer *w, const struct cps_identity *identity,
		      const struct cps_short_use *use);
/* [signal] */
void cps_record_module(struct cps_writer *w, uint32_t number, const struct cps_module *m);
/* [signal] The name in the record is t->name. */
void cps_record_thread(struct cps_writer *w, const struct cps_thread *t);
/* [signal] A block of the stream begins. */
void cps_record_block(struct cps_writer *w, uint64_t number);
/* [signal] What stands around a payload that exists already: the tag and the length, and the
 * checksum, which follows it. */
void cps_record_around(struct cps_writer *w, uint8_t checksum[4], unsigned tag,
		       const uint8_t *payload, size_t n);

/* ---- announce -------------------------------------------------------------------------------- */
/*
 * Writes the record of a thread, module or Python function once samples mention it.
 */

/* [signal] Add a whole record. False: the buffer is busy, or full for ever. */
bool cps_announce_record(const uint8_t *record, size_t n);

/* [signal] Write the record of a thread, unless the stream already has one with its present
 * name. */
void cps_announce_thread(struct cps_thread *t);

/* [signal] The same for a thread that ends, which may be any, if it has a sample: its name may have changed. */
void cps_announce_thread_end(struct cps_thread *t);

/* [signal] Write the records of all modules and Python functions that are used and not announced
 * yet. */
void cps_announce_news(void);

#endif
