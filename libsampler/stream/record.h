/* SPDX-License-Identifier: MIT */
/*
 * record.h - writes all records but those of samples (doc/format.md, "Records").
 *
 * Each function appends one whole record to the writer. If it does not fit, the writer is full.
 */
#ifndef CPS_RECORD_H
#define CPS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/writer.h"
#include "format.h"
#include "stream/thread.h"
#include "unwind/module.h"

/* What is known of the process at its start. All pointers must stay valid. Texts may be NULL. */
struct cps_identity {
	const char *exe, *cwd;
	char **args; /* n_args copies */
	size_t n_args;
	const char *resource, *unit, *engine, *engine_why;
	uint64_t scale, interval; /* scale: gticks per unit of weight; interval: in gticks */
	uint64_t start_ns;	  /* CLOCK_REALTIME */
	uint64_t start_monotonic_ns;
	uint64_t cpu_before_ns;
	uint64_t journal_id;
	uint64_t ppid, tree_pid, tree_start; /* start: ticks after boot; tree_pid 0: not known */
};

struct cps_ending {
	uint64_t time_us, cpu_ns, ticks, bytes;
	uint64_t own_ns, own_kernel_ns; /* own_time.h */
	uint64_t denied;		/* denied.h */
	uint32_t denied_error;
	enum cps_stop stop; /* CPS_STOP_NONE: the process ends */
	uint32_t error;	    /* the errno that goes with it */
};

/* [signal] */
void cps_record_process(struct cps_writer *w, const struct cps_identity *identity);
/* [signal] */
void cps_record_module(struct cps_writer *w, uint32_t number, const struct cps_module *m);
/* [signal] From here on another clock ticks. */
void cps_record_engine(struct cps_writer *w, const char *engine, const char *why);
#define CPS_MARK_NAME_MAX 1000u /* bytes of a mark's name; the rest is cut off */

/* [signal] */
void cps_record_mark(struct cps_writer *w, uint64_t time_us, uint32_t thread, const char *name);
/* [signal] The name in the record is t->name. */
void cps_record_thread(struct cps_writer *w, const struct cps_thread *t);
/* [signal] The totals of loss.h. */
void cps_record_losses(struct cps_writer *w);
/* [signal] */
void cps_record_end(struct cps_writer *w, const struct cps_ending *ending);
/* [signal] What stands around a payload that exists already: the tag and the length, and the
 * checksum, which follows it. */
void cps_record_around(struct cps_writer *w, uint8_t checksum[4], unsigned tag,
		       const uint8_t *payload, size_t n);

#endif
