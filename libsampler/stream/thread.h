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
#include <sys/resource.h>

#define CPS_THREAD_NAME_BYTES 16
#define CPS_THREAD_BASE	      6

/* The state of the clock `strata` (clock_strata.c). Times are of cps_moment_ns. */
struct cps_strata {
	uint64_t part, part_end; /* length of the parts, in ns; and where the current one ends */
	uint64_t shot_at;	 /* when the thread is to be looked at in it */
	uint64_t promise;	 /* the reading up to which the whole stratum is credited */
	uint64_t
		woken_at; /* when the thread has gone on, at which a stratum begins; 0: none does */
	uint64_t seen_at, seen_reading; /* when the thread was last known to run */
	uint32_t left;			/* parts to come, with the current one; 0: none */
	uint32_t calm;			/* strata in a row in which no shot has met a sleep */
	int64_t waste_ns; /* what shots that have missed it took beyond their share (clock_strata.h) */
	uint32_t rarer; /* how often the distance between shots was doubled for that */
	uint32_t
		blocked; /* how often lately the thread may have been blocked in the kernel, and ... */
	uint32_t
		ticks; /* ... so many ticks are samples before there is a shot again; see clock_strata.h */
	uint32_t waits;			/* how many calls that wait it had made at the last shot */
	uint64_t switches, disk_faults; /* what the kernel had counted at the last shot */
	uint64_t held_at;		/* when the shot comes that is held; 0: there is none */
};

/* Where a thread stands between two points of a resource (resource/point.h). */
struct cps_point {
	int64_t left;	  /* gticks until the interval ends */
	uint64_t current; /* the length of the interval; 0: none was drawn yet */
	uint64_t passed;  /* the sum of those that have ended */
	uint64_t since_ns;
	uint32_t n_samples; /* since then */
	uint32_t slower;    /* how often the mean interval was doubled */
	uint64_t rest;	    /* gticks that are left for the next sample */
	uint64_t random;    /* where the drawing of lengths is; 0: it has not begun */
};

/* The call in which a thread is blocked, and where that was made (resource/off_cpu.h). */
struct cps_sleep {
	_Atomic uint32_t sequence; /* odd: the thread is in the call that is described below */
	_Atomic uint32_t state;	   /* of its resource */
	_Atomic uint64_t since, leaf;
	_Atomic uint64_t regs[8]; /* of the wrapper (unwind/regs.h) */
};

/* The lock, or the like, that a thread waits for (resource/lock.h). */
struct cps_lock_wait {
	struct cps_sleep sleep;
	_Atomic(_Atomic uint64_t *) word; /* in which it is registered; NULL: it is not */
	_Atomic uint64_t from;		  /* when began what it was not credited with yet */
	_Atomic uint64_t credited; /* ns that others have credited it with, beside its points */
};

/* The time of a thread that it does not run, and where it is blocked (resource/off_cpu.h). Times are of
 * cps_moment_ns. */
struct cps_off_cpu {
	_Atomic uint64_t held_at; /* when someone began to use what follows; 0: nobody does */
	uint64_t settled_at; /* time and CPU time up to which this is settled; 0: not counted */
	uint64_t settled_cpu;
	int64_t due;	  /* ns off the CPU that are not credited yet */
	uint64_t counted; /* ns of its life so far */
	uint32_t state;	  /* what was credited last */
	struct cps_sleep sleep;
};

/* How often a thread was put off a processor, because it waited or because others wanted it; and on another one. */
struct cps_switch_counts {
	uint64_t blocked, preempted, moves;
};

#define CPS_SWITCHES_HELD UINTPTR_MAX

/* The switches of a thread (resource/switches.h). */
struct cps_switches {
	/* The frame of who is using what follows; CPS_SWITCHES_HELD: a handler of ours or another thread is; 0: nobody. */
	_Atomic uintptr_t held;
	_Atomic(void *) records; /* of the kernel's (resource/switches.h); NULL: it has none */
	uint64_t read_to;	 /* how far these were read */
	uint32_t cpu;		 /* where it was at the last of them */
	bool is_known;		 /* what follows is */
	struct cps_switch_counts usage; /* what getrusage had counted, if there are no records */
	struct rusage asked;		/* while it is asked: too large for the thread's stack */
	_Atomic uint64_t due_blocked, due_preempted, due_moves; /* without a place yet */
	struct cps_sleep sleep;
};

#define CPS_THREAD_POINTS 44

struct cps_code_range;

/* What the thread itself does outside of the handler, on a stack of the recorder's, while it is busy
 * (resource/point.h): it makes a call, or takes a sample. */
struct cps_job {
	void (*call)(void *);
	void *argument;
	bool is_done;
	uint64_t mask;		/* of signals, to be restored */
	uint32_t number, state; /* of the resource */
	uint64_t gticks, leaf, block;
	const struct cps_code_range *outside;
	uint64_t regs[8]; /* of who is credited */
};

/* An event that the kernel counts in a thread (resource/overflow.h). */
struct cps_overflow {
	_Atomic(void *) page; /* that keeps it alive; NULL: there is none */
	int fd;		      /* the number that its descriptor had, which its signals bring */
	bool is_fresh;	      /* it was made in the handler that is running */
	bool is_missing;      /* it could not be made again */
	uint64_t weight;      /* of that signal, in gticks */
	int64_t own;	      /* of these, gticks that are not to be credited */
	uint32_t calls;	      /* how many system calls the recorder had made when it began */
};

#define CPS_THREAD_OVERFLOWS 17 /* as many as resources of a recording; faults has two */

/* The points of the calling thread, also before it has entered; those count for nothing. */
extern __thread struct cps_point *cps_thread_points;

struct cps_thread {
	_Atomic uint32_t state; /* enum cps_thread_state */
	uint32_t id;		/* counts up over the life of the process */
	uint32_t chunk;		/* where its entry lies (thread.c) */
	int tid;
	uintptr_t pointer;	/* of its control block, which is what the C library calls it by */
	atomic_bool busy;	/* a sample of it is being added: a tick is counted as lost */
	atomic_uint in_handler; /* how many of our handlers run in it */
	bool is_sampled;
	bool announced; /* the stream has its record */
	bool has_timer, has_shot;
	atomic_bool is_held; /* it makes a call that no shot may come into */
	bool is_unwatched;   /* its end is not noticed */
	int rounds;	     /* rounds of thread-local destructors, at its end */
	int timer, shot;     /* of the kernel, if it has them */
	struct cps_strata strata;
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
	char name[CPS_THREAD_NAME_BYTES]; /* its name in the stream */
	struct cps_off_cpu off_cpu;
	struct cps_lock_wait lock;
	struct cps_switches switches;
	struct cps_job job;
	struct cps_point points[CPS_THREAD_POINTS];
	struct cps_overflow overflows[CPS_THREAD_OVERFLOWS];
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
