/* SPDX-License-Identifier: MIT */
/*
 * resource.h - reads the meters of the resources, and credits what they say.
 */
#ifndef CPS_RESOURCE_H
#define CPS_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/clock.h"
#include "resource/state.h"
#include "stream/atoms.h"
#include "stream/record.h"
#include "stream/recording.h"
#include "stream/thread.h"
#include "unwind/trail.h"

/* ---- resource -------------------------------------------------------------------------------- */
/*
 * The resources that are no clocks, and those that a recording counts.
 *
 * doc/house.md says what a new resource is made of.
 *
 * Order: what is known of a resource is complete before `is_counted` is released, and used by who
 * has acquired that: the program may hand the number of a counter from thread to thread as it
 * likes.
 */

/* The table: those whose wrappers know their numbers, and those that get a number when they are wanted. */
#define CPS_RESOURCES_NUMBERED(RESOURCE)                                                           \
	RESOURCE(user)                                                                             \
	RESOURCE(system)                                                                           \
	RESOURCE(count)                                                                            \
	RESOURCE(alloc)                                                                            \
	RESOURCE(allocs)                                                                           \
	RESOURCE(alloc_live)                                                                       \
	RESOURCE(real)                                                                             \
	RESOURCE(bytes_read)                                                                       \
	RESOURCE(bytes_write)                                                                      \
	RESOURCE(lock)                                                                             \
	RESOURCE(lock_blame)                                                                       \
	RESOURCE(switches)                                                                         \
	RESOURCE(migrations)

#define CPS_RESOURCES_OTHER(RESOURCE)                                                              \
	RESOURCE(faults)                                                                           \
	RESOURCE(minor_faults)                                                                     \
	RESOURCE(major_faults)                                                                     \
	RESOURCE(cycles)                                                                           \
	RESOURCE(instructions)                                                                     \
	RESOURCE(cache_misses)                                                                     \
	RESOURCE(branch_misses)                                                                    \
	RESOURCE(syscalls)                                                                         \
	RESOURCE(trace)                                                                            \
	RESOURCE(perf)                                                                             \
	RESOURCE(pmu)                                                                              \
	RESOURCE(calls)

#define CPS_RESOURCES(RESOURCE) CPS_RESOURCES_NUMBERED(RESOURCE) CPS_RESOURCES_OTHER(RESOURCE)

#define CPS_RESOURCE_NUMBER(name) CPS_RESOURCE_OF_##name,
enum cps_resource_number { CPS_RESOURCES_NUMBERED(CPS_RESOURCE_NUMBER) CPS_RESOURCE_NUMBERS };
#undef CPS_RESOURCE_NUMBER

#define CPS_RESOURCE_SPARE    CPS_ATOMS_RESOURCES /* numbers that are given away later */
#define CPS_RESOURCE_COUNTERS 12		  /* that a program makes itself */

/* Functions whose calls are counted (got_slots.c) have the last numbers. */
#define CPS_CALLS_SYMBOLS 8
#define CPS_CALLS_FIRST	  (CPS_THREAD_POINTS - CPS_CALLS_SYMBOLS)

_Static_assert(CPS_RESOURCE_NUMBERS + CPS_RESOURCE_SPARE <= CPS_CALLS_FIRST,
	       "each has a point process in each thread");

#define CPS_RESOURCE_NAME_BYTES 128

/* What an interval is written with: 100us; 512k; 1000. */
enum cps_resource_kind { CPS_RESOURCE_TIME, CPS_RESOURCE_BYTES, CPS_RESOURCE_EVENTS };

/* What of the samples of a clock a resource has. */
enum cps_resource_part { CPS_RESOURCE_NO_PART, CPS_RESOURCE_IN_PROGRAM, CPS_RESOURCE_IN_KERNEL };

struct cps_resource {
	const char *name, *unit; /* as in CPSAMPLE_RESOURCES; what one gtick is */
	const char *engine;	 /* in the stream */
	const char *about;	 /* for --list-resources, at most 32 bytes */
	enum cps_resource_kind kind;
	uint64_t interval; /* the default, in gticks; 0: the clock's */
	const char *const
		*states;  /* of its atoms, up to NULL; NULL: it has one atom, without state */
	bool joins_clock; /* what the clock measures counts in it, too */
	enum cps_resource_part part; /* it has these samples of the clock's, and none of its own */
	bool ticks_in_calls; /* its signals may come inside of system calls, which then return early */
	struct cps_overflow_kind *overflow; /* what the kernel counts (overflow.h), or NULL */
	/* Its samples are those of another resource, for which that is counted as well; of these it has those whose
	 * blocks are not freed. NULL: it has its own. */
	const struct cps_resource *counted_by;
	const struct cps_resource *with; /* another one that is recorded with it; or NULL */
	/* Each of the functions below may be NULL. */
	/* There may be several of it, each with a name of its own: reads the text up to `end`, which begins as `name`
	 * does up to its colon, into a name. -1: it cannot be one. */
	int (*read_name)(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES]);
	/* What the kernel counts of it and lets us count, as `overflow` is for others. 0 or -errno, and why. */
	int (*find_overflow)(const char *name, struct cps_overflow_kind *kind, char *why,
			     size_t bytes);
	/* Finds out whether it can be counted here: 0, or -errno and a line that says what is missing. It
	 * changes nothing. With 0 the line, if it is not empty, says what of it is not counted. */
	int (*probe)(char *why, size_t bytes);
	/* Begin and end counting in this process. In a child made by fork it is started again. The
	 * end may come in a handler. */
	int (*start)(uint64_t interval); /* 0 or -errno */
	void (*stop)(void);
	/* [signal] Recording pauses, and goes on. Without them it goes on counting. */
	void (*pause)(void);
	void (*resume)(void);
	/* A thread begins, and ends; called in this thread. The first thread begins with start. */
	void (*arm)(struct cps_thread *t);
	void (*disarm)(struct cps_thread *t);
	/* [signal] After the end: what the process has consumed. NULL: what has passed the threads' points
	 * says so. */
	uint64_t (*counted)(uint32_t number);
	/* [signal] What was counted of the thread since this was asked for the last time, if that is not
	 * what its point process has passed. */
	uint64_t (*take_counted)(struct cps_thread *t);
	/* [signal] Credit what the thread, which may be any, is due: the recording ends, or is paused. */
	void (*credit_rest)(struct cps_thread *t);
	/* [signal] At the end: whether so much of it, and so much CPU time, is a reason for a recording. NULL: CPS_RECORDING_WORTH_NS
	 * of a time is, CPS_RESOURCE_WORTH_BYTES, and CPS_RESOURCE_WORTH intervals of events. */
	bool (*is_worth)(uint64_t counted, uint64_t cpu_ns);
	bool any_is_worth; /* the program or its user has asked for these very events */
	const char
		*unattached; /* why it is not counted in a process that ran already; NULL: it is */
};

#define CPS_RESOURCE_DECLARE(name) extern const struct cps_resource cps_resource_##name;
CPS_RESOURCES(CPS_RESOURCE_DECLARE)
#undef CPS_RESOURCE_DECLARE

/* All of them, by number; NULL ends the table. */
extern const struct cps_resource *const cps_resource_table[];

/* A resource that the user wants. */
struct cps_wanted_resource {
	const struct cps_resource *resource; /* NULL: that of the clock */
	uint64_t interval;		     /* in gticks; 0: the clock's */
	char name[CPS_RESOURCE_NAME_BYTES];  /* of one of which there are several; or "" */
	bool is_given;			     /* the interval, by the user */
};

#define CPS_RESOURCES_WANTED 16

struct cps_wanted_resources {
	struct cps_wanted_resource list[CPS_RESOURCES_WANTED];
	size_t n;
	bool has_clock; /* one of them is measured by a clock */
	bool has_more;	/* another one is made of what is beside the samples */
};

/* [signal] Whether a resource lives from the clock's samples. */
static inline bool cps_resource_has_clocks(const struct cps_resource *r)
{
	return r->joins_clock || r->part;
}

/* [signal] Whether a clock has to tick for any of them. */
bool cps_resource_needs_clock(const struct cps_wanted_resources *wanted);

/* [outside] Whether what is wanted can be counted here: as `probe` says. */
int cps_resource_probe(const struct cps_wanted_resource *wanted, char *why, size_t bytes);

/* [outside] Begin counting: number what is wanted (atoms.h), start the engines. The identity says what the clock
 * measures. *wanted must stay valid. A resource that cannot be counted stays in the recording, which says why. */
void cps_resource_begin(const struct cps_wanted_resources *wanted,
			const struct cps_identity *identity);

/* [signal] End counting. */
void cps_resource_end(void);

/* [signal] Why it has not begun although it is wanted; NULL: it has, or is not. */
const char *cps_resource_refusal(const struct cps_wanted_resource *wanted);

/* [signal] Recording pauses, and goes on. */
void cps_resource_pause(void);
/* [signal] */
void cps_resource_resume(void);

/* [outside] Begin again in a child made by fork, or after cps_resource_end. In such a child the first of these is called
 * before. */
void cps_resource_child(void);
/* [outside] */
void cps_resource_again(void);

/* [outside] Another recording begins in the process, of other resources. Whoever is in a wrapper still finds that nothing is
 * counted. */
void cps_resource_reset(void);

/* [outside] Let the recording say this of a resource that is counted. The text must stay valid. */
void cps_resource_explain(uint32_t number, const char *why);

/* [signal] Credit what a thread, or all of them, are due of each resource. The context is not used. */
void cps_resource_credit_rest_of(struct cps_thread *t, void *context);
/* [signal] */
void cps_resource_credit_rest(void);

/* What is more than a process needs anyhow, in intervals of events and in bytes: its start takes some 100 page faults and some
 * 1,000 calls of malloc, for some 100 KB. */
#define CPS_RESOURCE_WORTH	 64u
#define CPS_RESOURCE_WORTH_BYTES (1u << 20)

/* [signal] After cps_resource_settle: whether there is a reason for the recording, be it that the process has consumed
 * enough of any resource, or so much CPU time. */
bool cps_resource_is_worth(uint64_t cpu_ns);

/* [signal] Add up what all threads have consumed, for the record of what was counted; before the end. The process has
 * used so much CPU time while it was recorded, and this part of it in the kernel. */
void cps_resource_settle(uint64_t cpu_ns, uint64_t system_ns);

/* [signal] The calling thread begins, or ends. */
void cps_resource_arm(struct cps_thread *t);
/* [signal] */
void cps_resource_disarm(struct cps_thread *t);
/* [outside] Another thread has ended, and nobody has noticed when. */
void cps_resource_bury(struct cps_thread *t);

/* The first numbers are lines of the table. The others are given away: to other lines when they are wanted, and to
 * the counters that the program makes itself (cpsample.h). */

/* [outside] The number of the counter with this name, which is made if there is none yet. CPS_ATOMS_NONE: counters are not
 * recorded, or there are too many. */
uint32_t cps_resource_counter(const char *name);

/* [signal] Whether the resource is counted now. */
bool cps_resource_is_counted(uint32_t number);
/* [signal] Its line in the table, NULL: there is none with that number; and its name. */
const struct cps_resource *cps_resource_of(uint32_t number);
/* [signal] */
const char *cps_resource_name(uint32_t number);
/* [signal] Its id in the recording, and its first atom (atoms.h), which those of its other states follow.
 * Only of a resource that is counted. */
uint32_t cps_resource_id(uint32_t number);
/* [signal] */
uint32_t cps_resource_atom(uint32_t number);
/* [signal] Its mean interval in gticks, and the grain of its weights, in gticks too. */
uint64_t cps_resource_interval(uint32_t number);
/* [signal] */
uint64_t cps_resource_grain(uint32_t number);
/* [signal] Sample the calling function with this weight in gticks, which cps_point_pass has returned: a
 * credit of the resource's atom with this place in its list of states. */
void cps_resource_sample(uint32_t number, uint32_t state, uint64_t gticks);
/* [signal] The same for a block of memory with a number (alloc.h), or 0. Returns whether there is a sample. */
bool cps_resource_sample_block(uint32_t number, uint64_t gticks, uint64_t block);
/* [signal] The same for a resource without states, and the function that has called this code; or the calling function, if that is
 * NULL. */
void cps_resource_sample_outside(uint32_t number, uint64_t gticks,
				 const struct cps_code_range *code);
/* [signal] The same as a call of the function at the address `leaf`, which the caller has just made. */
void cps_resource_sample_in(uint32_t number, uint32_t state, uint64_t gticks, uint64_t leaf);
/* [signal] The credit of such a sample. */
struct cps_credit cps_resource_credit(uint32_t number, uint32_t state, uint64_t gticks);
/* [signal] It could not be recorded: it is due with the thread's next sample of the resource. */
void cps_resource_keep(struct cps_thread *t, const struct cps_credit *credit);

/* ---- left over ------------------------------------------------------------------------------- */
/*
 * What threads were due and could not be credited with before their end.
 *
 * A sample cannot be recorded while another thread creates the recording, or uses all buffers. On a
 * machine that is busy that may last for many milliseconds, which are all of a short thread's life.
 */

/* [signal] Credit a thread, which may be any, with this of a resource and with what was kept, at no place. If that
 * cannot be recorded either, all of it is kept for the next one. */
void cps_left_over_credit(struct cps_thread *t, uint32_t number, uint32_t state, uint64_t gticks);

/* [signal] Keep it for the next one; and what is kept. */
void cps_left_over_keep(uint32_t number, uint64_t gticks);
/* [signal] */
uint64_t cps_left_over_kept(uint32_t number);

#endif
