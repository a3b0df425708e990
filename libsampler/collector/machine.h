/* SPDX-License-Identifier: MIT */
/*
 * machine.h - the states of a thread's calls, by which they are counted in their contexts.
 *
 * Spivey, Fast, accurate call graph profiling (2004): a state is a history of the functions that are active, without
 * their recursion. A call leads from one state to the next, which is found by steps B1 to B3. What is active stands in calls.h.
 *
 * A machine belongs to one thread at a time. Handlers of signals may count in the middle of counting: its tables are changed such
 * that they can be read meanwhile. Another thread may read the counts.
 *
 * This is called at the entry of functions, which have arguments in any register: the folder is compiled without vector
 * registers, and its hooks call nothing that has some.
 */
#ifndef CPS_MACHINE_H
#define CPS_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/* Code that counts, which is in a section of its own, so that a tick in it is known. */
#define CPS_HOOK	__attribute__((section("cps_hooks")))
#define CPS_HOOK_INLINE static inline CPS_HOOK
/* Called at the entry of a function: all registers stay as they are. */
#define CPS_HOOK_KEEPS __attribute__((section("cps_hooks") CPS_ENTRY_KEEPS))

/* Which state that is. */
struct cps_origin {
	uint32_t number, from; /* its own; and that of the state that it was made from */
	uint32_t
		function; /* its running one: twice its number, plus 1 if the history was not kept */
	uint32_t transitions; /* how many there are */
	uint32_t n;	      /* entries of the history */
	uint32_t history[];   /* a function's number * 2 + (1 if unmarked) */
};

/* A state takes one line of the processor's cache, with what the hooks need. */
struct cps_state {
	uint64_t entered, direct; /* calls that led to it; direct recursions in it */
	uintptr_t address;	  /* in the running function; 0: in none that can be called */
	/* Its transitions, by hashes of the called functions' addresses: where they lead, or to the state 0. One that is too small is
	 * replaced, and stays for who is reading it: `mask` is read before `next`, and stored behind it. */
	struct cps_state **next;
	uint32_t mask;
	uint16_t
		words; /* how far behind the hook's frame the latest call's return address was (calls.c) */
	/* Where calls by the running function return to: code_bytes from there on. As long as nobody knows that it is anywhere
	 * (caller.h). */
	uintptr_t code, code_bytes;
	struct cps_origin *origin;
};

#define CPS_MACHINE_ANYWHERE UINTPTR_MAX

_Static_assert(sizeof(struct cps_state) == 64, "one line of the cache");

/* A function that was called. */
struct cps_called {
	uintptr_t address;	    /* in it */
	uint32_t module;	    /* CPS_MODULE_NONE: not looked up yet */
	bool is_closed;		    /* its module is gone, and its address may be another's */
	uintptr_t code, code_bytes; /* as in struct cps_state; 0: not looked up yet */
};

struct cps_machine_slot {
	uint64_t key;
	void *value; /* NULL: free; stored last */
};

/* An open hash: a key is in the slot that its hash says, or in the other one of that pair, or in the next pair. One that is too
 * small is replaced, and stays for who is reading it. */
struct cps_machine_table {
	uint64_t mask, used;
	struct cps_machine_slot slots[];
};

/* Memory to be cut. */
struct cps_machine_piece {
	char *at;
	size_t bytes; /* that are left */
};

#define CPS_MACHINE_CHUNKS  16u
#define CPS_MACHINE_HISTORY 4096u

/* Of all 0 before cps_machine_begin. */
struct cps_machine {
	struct cps_machine_table *contexts, *functions, *foreign;
	struct cps_state *chunks[CPS_MACHINE_CHUNKS];
	uint32_t n_states, n_functions; /* those that are complete */
	struct cps_called *called;	/* the functions, by number */
	uint32_t room_called;
	uintptr_t
		busy_at; /* its tables are being changed by a function whose frame is there; 0: they are not */
	bool is_full;  /* no more histories are kept */
	bool is_timed; /* states have times; set before cps_machine_begin */
	uint64_t n_transitions;
	uint64_t memory;		       /* bytes taken */
	struct cps_state *none[1];	       /* the transitions of a state that has none yet */
	struct cps_machine_piece lines, words; /* of the cache; and of 8 bytes */
	uint32_t history[CPS_MACHINE_HISTORY]; /* scratch */
};

/* So many states have histories. Beyond that only arcs are counted, as states without, until there are as many as can be. */
#define CPS_MACHINE_HISTORIES (120u << 10)
#define CPS_MACHINE_STATES    (1u << 17)

/* [signal] Whole pages; NULL: there are none. */
void *cps_machine_pages(size_t bytes);

/* [signal] Memory that is never given back, all 0; NULL: there is none. */
void *cps_machine_take(struct cps_machine *m, size_t bytes);

/* [signal] Make the state 0, in which nothing runs. False: there is no memory. */
bool cps_machine_begin(struct cps_machine *m);

/* [signal] The state with that number, which is below n_states. */
struct cps_state *cps_machine_state(const struct cps_machine *m, uint32_t number);

/* [signal] The cycles of the processor that were spent in that state, of a machine that is timed. */
uint64_t *cps_machine_cycles(const struct cps_machine *m, uint32_t number);

/* [signal] Some functions are known by their addresses no more (is_closed). */
void cps_machine_renew(struct cps_machine *m);

/* [signal] The same for a transition that is not where its hash says: it may be behind, or steps B2 and B3 make it. NULL: it cannot be
 * made, for want of memory or because a handler has interrupted who makes one. */
CPS_HOOK_KEEPS struct cps_state *cps_machine_go_on(struct cps_machine *m, struct cps_state *from,
						   uintptr_t function);

/* [signal] Calls that return to this place, not in the running function's code, are to be taken for that function's; or whether they
 * are. Nothing is noted if a handler has interrupted who changes tables. */
CPS_HOOK void cps_machine_adopt(struct cps_machine *m, const struct cps_state *s, uintptr_t back);
/* [signal] */
CPS_HOOK bool cps_machine_has_adopted(const struct cps_machine *m, const struct cps_state *s,
				      uintptr_t back);

/* Such that the hooks multiply by it at once. */
#define CPS_MACHINE_FACTOR 0x9e3779b1u

/* [signal] */
CPS_HOOK_INLINE uint32_t cps_machine_hash(uint64_t key)
{
	return (uint32_t)key * CPS_MACHINE_FACTOR >> 16;
}

/* [signal] Where a call of another function than the running one leads in this state: step B1, and if need be the others. NULL as
 * above. */
CPS_HOOK_INLINE struct cps_state *cps_machine_call(struct cps_machine *m, struct cps_state *from,
						   uintptr_t function)
{
	uint32_t i = cps_machine_hash(function) & *(volatile uint32_t *)&from->mask;
	struct cps_state *to = (*(struct cps_state * *volatile *)&from->next)[i];

	return to->address == function ? to : cps_machine_go_on(m, from, function);
}

#endif
