/* SPDX-License-Identifier: MIT */
/*
 * libunwind.h - follows a stack by libunwind.
 */
#ifndef CPS_LIBUNWIND_H
#define CPS_LIBUNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "unwind/unwind.h"

/* ---- libunwind api --------------------------------------------------------------------------- */
/*
 * The part of libunwind's binary interface that the recorder uses.
 *
 * libunwind is opened while the program runs, and its headers are not needed to build the recorder.
 * These are the declarations of libunwind.so.8, under names of ours; test_libunwind compares them
 * with libunwind's own headers. Source: unw_create_addr_space(3), unw_init_remote(3), unw_step(3).
 */

/* What libunwind returns, negated; 0 and more are no errors. */
enum cps_libunwind_error {
	CPS_LIBUNWIND_BADREG = 3,
	CPS_LIBUNWIND_BADFRAME = 7,
	CPS_LIBUNWIND_INVAL = 8,
	CPS_LIBUNWIND_NOINFO = 10,
};

enum { CPS_LIBUNWIND_CACHE_GLOBAL = 1 }; /* for unw_set_caching_policy */
enum { CPS_LIBUNWIND_REMOTE_TABLE = 2 }; /* a table that is read by access_mem */

struct cps_libunwind_cursor {
	uint64_t opaque[CPS_LIBUNWIND_CURSOR_WORDS];
};

/* Where a table of functions lies: unw_dyn_info_t, with the third of its forms. */
struct cps_libunwind_table {
	void *next, *prev;
	uint64_t start, end; /* of the code */
	uint64_t gp;
	int32_t format, pad;
	uint64_t load_offset;
	uint64_t name;
	uint64_t base;	/* what the offsets in the table are relative to */
	uint64_t words; /* of eight bytes */
	uint64_t data;
	uint64_t other_forms[8];
};

/* The calls that libunwind makes, of which each gets the argument of unw_init_remote: unw_accessors_t.
 * They return 0 or an error. */
struct cps_libunwind_accessors {
	int (*find_proc_info)(void *space, uint64_t pc, void *info, int need_unwind_info,
			      void *argument);
	void (*put_unwind_info)(void *space, void *info, void *argument);
	int (*get_dyn_info_list_addr)(void *space, uint64_t *address, void *argument);
	int (*access_mem)(void *space, uint64_t address, uint64_t *value, int is_write,
			  void *argument);
	int (*access_reg)(void *space, int number, uint64_t *value, int is_write, void *argument);
	int (*access_fpreg)(void *space, int number, void *value, int is_write, void *argument);
	int (*resume)(void *space, void *cursor, void *argument);
	int (*get_proc_name)(void *space, uint64_t address, char *name, size_t bytes,
			     uint64_t *offset, void *argument);
	void *later[8]; /* of later versions */
};

/* The calls that are made to libunwind, by their names there. */
struct cps_libunwind_calls {
	void *(*create_addr_space)(struct cps_libunwind_accessors *accessors, int byte_order);
	int (*set_caching_policy)(void *space, int policy);
	int (*set_cache_size)(void *space, size_t entries, int flag);
	void (*flush_cache)(void *space, uint64_t low, uint64_t high);
	int (*init_remote)(struct cps_libunwind_cursor *cursor, void *space, void *argument);
	int (*step)(struct cps_libunwind_cursor *cursor);
	int (*get_reg)(struct cps_libunwind_cursor *cursor, int number, uint64_t *value);
	int (*is_signal_frame)(struct cps_libunwind_cursor *cursor);
	int (*dwarf_search_unwind_table)(void *space, uint64_t pc,
					 struct cps_libunwind_table *table, void *info,
					 int need_unwind_info, void *argument);
};

/* ---- libunwind ------------------------------------------------------------------------------- */
/*
 * Another unwinder: libunwind, a second opinion (doc/decisions/0066).
 *
 * libunwind reads the target as it would read another process: registers, memory and unwind tables
 * come from functions of ours. So it never asks the loader, reads nothing directly that the native
 * unwinder would not, and keeps nothing that a libunwind of the target's could see. What it does by
 * itself are locks of its own, which one thread at a time comes to, and mmap when its pools grow.
 */

#define CPS_UNWINDER_LIBUNWIND "libunwind"

/* [signal] */
extern const struct cps_unwinder cps_unwinder_libunwind;

/* [signal] The functions that libunwind is to call. */
extern struct cps_libunwind_accessors cps_libunwind_accessors;

/* [signal] To be called before the unwinder is used: libunwind's functions, and the address space that
 * they have made of the accessors. */
void cps_libunwind_begin(const struct cps_libunwind_calls *calls, void *space);

/* [signal] For the function sigprocmask, which is to do nothing if its return address belongs to
 * libunwind at work for us in this thread. libunwind blocks signals around its locks, and would allow
 * signal 32 in the handler when it sets the mask again. Nobody contends for the locks. */
bool cps_libunwind_calls_for(uintptr_t caller);

/* [signal] Whether that function has ever been called by libunwind. */
bool cps_libunwind_has_asked(void);

/* [signal] For a child made by fork. False: another thread of the parent was just using libunwind, whose
 * locks stay locked in the child for ever. */
bool cps_libunwind_reset(void);

#endif
