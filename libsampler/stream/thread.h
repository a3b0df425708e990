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

#include "arch/arch.h"

#define CPS_THREAD_NAME_BYTES 16
#define CPS_THREAD_BASE	      6

/* What a clock and the resources keep of a thread: their own, whose contents only they know (clock/clock_strata.h,
 * resource/state.h). */
#define CPS_THREAD_CLOCK_BYTES	  112
#define CPS_THREAD_RESOURCE_BYTES (3888 + 32 * (CPS_REGS_KEPT - 8))

/* The resources' part of the calling thread, which begins with its points, also before it has entered: those count for
 * nothing. */
struct cps_point;
extern __thread struct cps_point *cps_thread_points;

/* What that is before. */
extern unsigned char cps_thread_nobodys[CPS_THREAD_RESOURCE_BYTES];

/* [signal] Whether the calling thread has entered. */
static inline bool cps_thread_has_points(void)
{
	return __builtin_expect((const void *)cps_thread_points != cps_thread_nobodys, 1);
}

#define CPS_THREAD_HELD UINTPTR_MAX

struct cps_thread {
	_Atomic uint32_t state; /* enum cps_thread_state */
	uint32_t id;		/* counts up over the life of the process */
	uint32_t chunk;		/* where its entry lies (thread.c) */
	int tid;
	uintptr_t pointer;	/* of its control block, which is what the C library calls it by */
	atomic_bool busy;	/* a sample of it is being added: a tick is counted as lost */
	atomic_uint in_handler; /* how many of our handlers run in it */
	bool is_sampled;
	bool announced;			 /* the stream has its record */
	atomic_bool has_timer, has_shot; /* the numbers are below; who takes one out ends it */
	atomic_bool is_held;		 /* it makes a call that no shot may come into */
	atomic_bool is_unwatched;	 /* its end is not noticed */
	bool is_introduced;		 /* by another thread; it did not announce itself */
	int rounds;			 /* rounds of thread-local destructors, at its end */
	int timer, shot;		 /* of the kernel, if it has them */
	uint64_t slack;	       /* gticks that it may be credited too much or too little by chance */
	_Atomic(void *) event; /* the page that keeps its perf event alive */
	int event_fd;	       /* the number that the event's descriptor had */
	uint64_t user_ticks,
		system_ticks;  /* ns: what the kernel had counted at its last tick (sample.h) */
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
	int64_t spare_ns;      /* time that its handler may take beyond what others took (gate.h) */
	uint64_t walk_until;   /* when the walk of this sample ends, in ns of cps_moment_ns */
	uint32_t stack_room;   /* how many frames of its stacks are kept; 0: as many as can be */
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
	uint64_t taken_ns;		  /* when this entry was taken, by who creates the thread */
	_Atomic uint64_t ready_ns;	  /* what cps_ready_read has said when it was noted last */
	char name[CPS_THREAD_NAME_BYTES]; /* its name in the stream */
	/* The frame of who is using what resources keep of it; CPS_THREAD_HELD: a handler of ours or another thread is; 0: nobody. */
	_Atomic uintptr_t held;
	_Alignas(16) unsigned char clock[CPS_THREAD_CLOCK_BYTES];
	_Alignas(16) unsigned char resources[CPS_THREAD_RESOURCE_BYTES];
};

enum cps_thread_state { CPS_THREAD_FREE, CPS_THREAD_TAKEN, CPS_THREAD_LIVE };

/* [signal] Take a new entry with a new id, in state TAKEN. NULL when there is no memory. */
struct cps_thread *cps_thread_take(void);

/* [signal] Make the entry the calling thread's, which begins now. `stack_bytes` is the size of its
 * stack, 0 if not known. */
void cps_thread_enter(struct cps_thread *t, uint64_t stack_bytes);

/* [signal] Whether the entry is of a thread that has entered and not left. Who uses the part of another thread's entry that
 * can be held looks at this while holding it. */
bool cps_thread_is_live(const struct cps_thread *t);

/* [signal] Free the calling thread's entry, when nobody else is using it. */
void cps_thread_leave(struct cps_thread *t);

/* [signal] Free an entry that no thread has entered. */
void cps_thread_drop(struct cps_thread *t);

/* [signal] An entry for another thread, which lives, and whose end will not be noticed. NULL: no memory. */
struct cps_thread *cps_thread_introduce(int tid);

/* [signal] The process is recorded again: forget what an entry of an earlier recording has of that one. No tick of the thread's
 * may come meanwhile. */
void cps_thread_renew(struct cps_thread *t);

/* [signal] At a tick in a thread that has no entry of its own: the one by which it was introduced, which becomes its own. Its
 * stack is the area (below) around `sp`. NULL: it was not introduced. */
struct cps_thread *cps_thread_come(uintptr_t sp);

/* [signal] The same in a wrapper, which may be called before the first tick. The calling thread's entry, or NULL. */
struct cps_thread *cps_thread_arrive(void);

/* [signal] Whether the entry that cps_thread_self has returned is somebody's: an earlier recording may have freed it. */
bool cps_thread_is_taken(const struct cps_thread *t);

/* [signal] Note where memory lies that may be the stack of a thread that is introduced. is_first: forget all others. */
void cps_thread_note_area(uintptr_t low, uintptr_t high, bool is_first);

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

/* ---- ready ----------------------------------------------------------------------------------- */
/*
 * The time in which threads were ready to run and had no processor, as the kernel counts it for each (schedstat).
 *
 * No descriptor stays open. To open, read and close takes 14 us, and makes the end of the thread slower by as much or more,
 * since the kernel then has a directory of it to take down. So it is done when a thread begins that was not created here,
 * when one ends, and at the end of the recording; of threads that live for less than CPS_READY_SHORT_NS only for some. Samples
 * of `real` ask, too (resource/off_cpu.h).
 */

/* A thread that ends after less than this is read with the probability life / CPS_READY_SHORT_NS, and what it says counts as
 * much more: on average the sum is right, and reading costs a fiftieth of the threads' lives. */
#define CPS_READY_SHORT_NS (UINT64_C(1) << 21)

/* [signal] How long the live thread, which may be any, has been so since it was created, in ns. False: nobody says it. */
bool cps_ready_read(const struct cps_thread *t, uint64_t *ns);

/* [signal] Note it: what was until now does not count. A thread that was just created need not. */
void cps_ready_begin(struct cps_thread *t);
/* [signal] Add what is new to the sum of the process, and note it. */
void cps_ready_add(struct cps_thread *t);
/* [signal] Do so at the end of the calling thread, or leave it to others that live for as short a time. */
void cps_ready_add_last(struct cps_thread *t);
/* [signal] The sum is not known any more: recording pauses, or has not begun with the process. */
void cps_ready_forget(void);
/* [signal] The sum is of a new recording. */
void cps_ready_reset(void);
/* [signal] The sum in ns; 0 if it is not known. */
uint64_t cps_ready_ns(void);

#endif
