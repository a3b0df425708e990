/* SPDX-License-Identifier: MIT */
/*
 * calls.h - what compilers call at the entry of functions: which calls are active, and the counts of all threads.
 *
 * The hooks are mcount, __fentry__, and __cyg_profile_func_enter and _exit (gcc -pg, -mfentry, -finstrument-functions).
 */
#ifndef CPS_CALLS_HOOKS_H
#define CPS_CALLS_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/machine.h"

/* An active call. */
struct cps_calls_frame {
	uintptr_t at;		 /* where its return address lies, or a place that is as deep */
	uintptr_t back;		 /* what must still be there, or the call is over; 0: see `site` */
	struct cps_state *state; /* behind it */
	/* If `back` is 0, and this is not: what must still be behind that place, in the lower 48 bits; and so many words behind. */
	uint64_t site;
};

#define CPS_CALLS_SITE ((UINT64_C(1) << 48) - 1)

/* [signal] Whether something else is where the return address was. */
CPS_HOOK_INLINE bool cps_calls_is_left(const struct cps_calls_frame *f)
{
	if (f->back)
		return *(const uintptr_t *)f->at != f->back;
	return f->site != CPS_CALLS_SITE && f->site &&
	       ((const uintptr_t *)(f->at & ~(uintptr_t)7))[f->site >> 48] !=
		       (f->site & CPS_CALLS_SITE);
}

/* The active calls on a stack that is not the thread's own: one for signals, a coroutine's. */
struct cps_calls_stack {
	struct cps_calls_frame *first, *top, *end;
	uintptr_t low, high; /* where calls were met */
};

#define CPS_CALLS_STACKS 32u

/* What belongs to a thread, and to others after it. */
struct cps_calls {
	struct cps_calls_frame *top, *end, *first; /* on the thread's own stack */
	uintptr_t low, bytes;			   /* which lies here; 0 bytes: to be asked for */
	uint64_t missed;			   /* calls that were not counted */
	struct cps_machine machine;
	uintptr_t own_bytes;
	uint32_t closed;	      /* the number of closed libraries that its tables know of */
	uint32_t room;		      /* frames from `first` on */
	bool is_in_use, is_elsewhere; /* it belongs to a thread; `stacks` are being changed */
	uint32_t n_stacks, next_stack;
	uint32_t forgiven; /* how often who was changing tables was left by longjmp */
	uint64_t *running,
		since; /* the cycles of the state that runs, or NULL; and when it went on */
	struct cps_calls_stack stacks[CPS_CALLS_STACKS];
};

/* Whether calls are counted. While they are not the hooks do what those of the C library do. */
extern unsigned char cps_calls_are_counted;
/* [signal] Where they go on then, with registers and stack as they are. */
extern void (*cps_calls_mcount_instead)(void), (*cps_calls_fentry_instead)(void);

/* [signal] The hooks themselves, which change no register. */
void mcount(void);
/* [signal] */
void __fentry__(void);
/* [signal] These two change registers as any function does. */
void __cyg_profile_func_enter(void *function, void *site);
/* [signal] */
void __cyg_profile_func_exit(void *function, void *site);

/* [signal] Count from now on, with times or without; or not any more. */
void cps_calls_begin(bool is_timed);
/* [signal] */
void cps_calls_end(void);

/* When counting has begun. */
struct cps_calls_moment {
	uint64_t cycles, ns; /* of CLOCK_MONOTONIC */
};

/* [signal] NULL: there are no times. */
const struct cps_calls_moment *cps_calls_timed_since(void);

/* [signal] The cycles that were spent in a state of these until then. */
uint64_t cps_calls_cycles(const struct cps_calls *c, uint32_t state, uint64_t now);

/* [signal] How many there are, and each of them; NULL: it is not there yet. */
uint32_t cps_calls_count(void);
/* [signal] */
const struct cps_calls *cps_calls_of(uint32_t number);

/* [signal] Calls of threads that could have none. */
uint64_t cps_calls_missed(void);

/* [signal] The calling thread ends: what it has is for others. */
void cps_calls_thread_ends(void);

/* [signal] In a child made by fork: all counts are 0, and what is active stays active. */
void cps_calls_child(void);

/* [signal] The number of the module that the function lies in; CPS_MODULE_NONE. Not for the hooks. */
uint32_t cps_calls_module(struct cps_called *called);

/* [signal] A library is about to be unloaded: the modules of all functions are looked up. Not for the hooks. */
void cps_calls_close(void);

/* [signal] It was unloaded. Another one may come to the addresses of its functions. */
void cps_calls_closed(void);

/* [signal] Whether this is the address of code that counts. */
bool cps_calls_is_hook(uintptr_t pc);

#endif
