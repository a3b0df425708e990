/* SPDX-License-Identifier: MIT */
/*
 * got_slots.h - leads calls of functions to the thunks that count them.
 */
#ifndef CPS_GOT_SLOTS_H
#define CPS_GOT_SLOTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resource/resource.h"

/* ---- where functions are called -------------------------------------------------------------- */
/*
 * Where the functions are called whose calls are counted.
 */

/* A file has been unloaded. */
void cps_got_slots_closed(void);

/* ---- slots of a file ------------------------------------------------------------------------- */
/*
 * Leads calls that go through the linkage table of a file to a thunk.
 *
 * A slot of the table has the address of a function. One that is only jumped through, which the
 * linker makes for calls, may have another one. One whose address the program's code also reads, to
 * keep or compare it, must not: pointers to the function would differ from file to file. It is left
 * as it is.
 */

enum cps_got_slots_why {
	CPS_SLOTS_READ,	     /* the file's code also reads the slot */
	CPS_SLOTS_UNBOUND,   /* where the loader will bind it cannot be told */
	CPS_SLOTS_FULL,	     /* there is no thunk left */
	CPS_SLOTS_PROTECTED, /* it may not be written */
	CPS_SLOTS_WHYS
};

/* A function whose calls are led elsewhere. */
struct cps_got_slots_function {
	const char *symbol;
	uint32_t which; /* for the two functions below */
	/* The thunk that leads to `original`, 0: there is none; and whether an address is one of these. */
	uintptr_t (*thunk)(uint32_t which, uintptr_t original);
	bool (*is_thunk)(uintptr_t address);
	uint32_t n_led; /* slots that were */
	uint32_t n_left[CPS_SLOTS_WHYS];
	char left_in[CPS_SLOTS_WHYS][48]; /* the first file that has such a one */
};

/* Lead the calls that this file makes of the functions. It must have been relocated, and stay loaded meanwhile. What
 * was led before is passed over. Not from two threads at once. */
void cps_got_slots_lead(const struct link_map *map, struct cps_got_slots_function *functions,
			size_t n);

#endif
