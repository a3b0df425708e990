/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what the slots of a loaded file's linkage tables are, and what they are used for.
 *
 * A slot has the address of a function. One that is only jumped through, which the linker makes for calls, may have another one.
 * One whose address the program's code also reads, to keep or compare it, must not: pointers to the function would differ from
 * file to file.
 */
#ifndef CPS_SLOTS_H
#define CPS_SLOTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"
#include "process/find.h"

#define CPS_SLOTS_PAGE ((uintptr_t)cps_sys_page())

/* A loaded file. */
struct cps_slots_file {
	const struct link_map *map;
	struct cps_loaded loaded;
	const ElfW(Phdr) * headers;
	size_t n_headers;
};

/* False: it has no tables. It holds while the file is loaded. */
bool cps_slots_read(const struct link_map *map, struct cps_slots_file *f);

/* Whether the loader makes the address read-only when it has relocated the file. */
bool cps_slots_is_sealed(const struct cps_slots_file *f, uintptr_t address);

/* Whether the loader binds the slot for the symbol, which has this address in it, when it is used for the first time: until then
 * it leads back into the linkage table. */
bool cps_slots_is_unbound(const struct cps_slots_file *f, const ElfW(Sym) * s, uintptr_t target);

/* What code does with a slot. */
struct cps_slots_use {
	uintptr_t slot;
	uint32_t which;	  /* for who asks */
	uint32_t n_jumps; /* it calls what is there */
	bool is_read;	  /* or bytes look as if it did something else with it */
};

/* To be called before slots are written, when all is stored that is needed where they will lead. False: not all threads that
 * run could be made to see that, and slots stay as they are. */
bool cps_slots_settle(void);

/* Find out what the file's code does with these, which are sorted by slot. */
void cps_slots_judge(const struct cps_slots_file *f, struct cps_slots_use *uses, size_t n);

#endif
