/* SPDX-License-Identifier: MIT */
/*
 * thread.h - what the recorder knows of each thread of the target.
 *
 * Memory grows with the number of threads that live at the same time, because an entry is used
 * again after its thread has ended. Taking an entry needs no lock and may happen in a handler.
 */
#ifndef CPS_THREAD_H
#define CPS_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CPS_THREAD_NAME_BYTES 16
#define CPS_THREAD_BASE	      6

/* The state of the clock `strata` (clock_strata.c). Times are of cps_moment_ns. */
struct cps_strata {
	uint64_t part, part_end; /* length of the parts, in ns; and where the current one ends */
	uint64_t shot_at;	 /* when the thread is to be looked at in it */
	uint64_t promise;	 /* the reading up to which the whole stratum is credited */
	uint64_t seen_at, seen_reading; /* when the thread was last known to run */
	uint32_t left;			/* parts to come, with the current one; 0: none */
	uint32_t calm;			/* strata in a row in which no shot has met a sleep */
};

struct cps_thread {
	_Atomic uint32_t state; /* enum cps_thread_state */
	uint32_t id;		/* counts up over the life of the process */
	int tid;
	atomic_bool busy;	/* a sample of it is being added: a tick is counted as lost */
	atomic_uint in_handler; /* how many of our handlers run in it */
	bool is_sampled;
	bool announced; /* the stream has its record */
	bool has_timer, has_shot;
	int rounds;	 /* rounds of thread-local destructors, at its end */
	int timer, shot; /* of the kernel, if it has them */
	struct cps_strata strata;
	uint64_t slack;	       /* gticks that it may be credited too much or too little by chance */
	_Atomic(void *) event; /* the page that keeps its perf event alive */
	uint32_t remainder;    /* gticks left over by the last weight, less than a unit */
	uint64_t consumed;     /* the meter's reading at the last sample; may be reckoned */
	uint64_t period;       /* gticks between two ticks; 0: not known */
	uint64_t reading;      /* reading at the last tick, if `period` is set; may be reckoned */
	uint64_t settled;      /* reading when the last tick had been handled */
	uint64_t began;	       /* when the last tick began; 0: none yet with this period */
	uint64_t awaited;      /* the reading for which a tick was set that tells how late it is */
	uint32_t n_awaited;    /* how many such ticks are to come; 0: `awaited` has no meaning */
	uint32_t reckoned;     /* ticks in a row for which the meter was not asked */
	uint32_t event_ticks;  /* the number of ticks that its event gives */
	uint32_t left_over;    /* ticks of its event so far that came too soon */
	uint32_t bad, good;    /* events in a row with too many such ticks, or none */
	uint32_t slower;       /* how often its period was doubled */
	int64_t spare_ns;    /* time that its handler may take beyond what others took (budget.h) */
	uint64_t walk_until; /* when the walk of this sample ends, in ns of cps_moment_ns */
	uint32_t stack_room; /* how many frames of its stacks are kept; 0: as many as can be */
	uint64_t last_reading; /* the meter's at the last tick */
	int64_t over_ns;       /* time that recording took beyond its share of the thread's time */
	uint32_t thinner;      /* how often its interval was doubled to keep that share */
	uint32_t n_settled;    /* ticks since this was last decided ... */
	uint64_t took_ns, used_ns; /* ... and what recording took and the thread used in them */
	uint64_t start_us;
	uint64_t random;
	uint64_t stack_bytes;		 /* of its stack, as it was created */
	uintptr_t stack_low, stack_high; /* 0: not known */
	void *(*routine)(void *);	 /* the function that the target wants it to run */
	void *argument;
	uint64_t base[CPS_THREAD_BASE]; /* return addresses below its routine, innermost first */
	uint32_t n_base;
	char name[CPS_THREAD_NAME_BYTES]; /* its name in the stream */
};

enum cps_thread_state { CPS_THREAD_FREE, CPS_THREAD_TAKEN, CPS_THREAD_LIVE };

/* [signal] Take a new entry with a new id, in state TAKEN. NULL when there is no memory. */
struct cps_thread *cps_thread_take(void);

/* [signal] Make the entry the calling thread's, which begins now. `stack_bytes` is the size of its
 * stack, 0 if not known. */
void cps_thread_enter(struct cps_thread *t, uint64_t stack_bytes);

/* [signal] Free the calling thread's entry. */
void cps_thread_leave(struct cps_thread *t);

/* [signal] Free an entry that no thread has entered. */
void cps_thread_drop(struct cps_thread *t);

/* [signal] The calling thread's entry, or NULL. */
struct cps_thread *cps_thread_self(void);

/* [signal] Whether this is what cps_thread_self returns after cps_thread_leave. */
bool cps_thread_is_gone(const struct cps_thread *t);

/* [signal] The live entry with this tid, or NULL. */
struct cps_thread *cps_thread_find(int tid);

/* [signal] Call f for every thread that is LIVE now. */
void cps_thread_each(void (*f)(struct cps_thread *t, void *context), void *context);

/* [signal] In our handler: it begins here, and ends with the second call, which gets what the first
 * has returned. Whether there is still a recording is asked in between, so that who ends it and then
 * waits for handlers knows that none makes system calls any more. */
struct cps_thread *cps_thread_begin_handler(void);
/* [signal] */
void cps_thread_end_handler(struct cps_thread *t);

/* [signal] Wait, a second at most, until each other thread has been seen outside of our handler,
 * where it makes system calls: a filter may be for all threads. */
void cps_thread_wait_for_handlers(void);

/* [signal] Set where the stack of the first thread lies, and what it runs. */
void cps_thread_set_first_stack(uintptr_t low, uintptr_t high, void *(*entry)(void *));

/* [signal] For a child made by fork: the calling thread, if it has an entry, becomes the first
 * thread and the only one. Returns its entry, in state TAKEN, to be entered again. */
struct cps_thread *cps_thread_reset(void);

/* [signal] Read a live thread's name as the kernel has it now, NUL-terminated. */
void cps_thread_read_name(const struct cps_thread *t, char name[CPS_THREAD_NAME_BYTES]);

#endif
