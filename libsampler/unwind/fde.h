/* SPDX-License-Identifier: MIT */
/*
 * fde.h - finds the unwind description of a function in .eh_frame.
 *
 * Source of the layout: DWARF 4, 6.4, and the Linux Standard Base, "Exception Frames".
 */
#ifndef CPS_FDE_H
#define CPS_FDE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/module.h"

#define CPS_FDE_WINDOW 1024u

/* A copy of some bytes of a file that may be unloaded at any time. */
struct cps_fde_window {
	const uint8_t *begin; /* where they are in the file */
	size_t n;	      /* 0: none yet */
	uint8_t bytes[CPS_FDE_WINDOW];
};

/* A cursor over bytes that never passes their end. They are only read through it. */
struct cps_fde_cursor {
	const uint8_t *p, *end;
	bool bad;		       /* something did not fit; all that is read afterwards is 0 */
	struct cps_fde_window *window; /* NULL: the file is in use, and is read directly */
};

struct cps_fde {
	uintptr_t where;      /* it lies there */
	uintptr_t start, end; /* the code that it describes */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_register;
	bool is_signal_frame;
	struct cps_fde_cursor initial, program; /* the instructions of CIE and FDE */
};

/* [signal] The description of the function that holds pc; false if there is none. The cursors of
 * *fde use the window, if it is not NULL. */
bool cps_fde_find(const struct cps_module *m, uintptr_t pc, struct cps_fde_window *window,
		  struct cps_fde *fde);

/* [signal] The first description of a section that lies at *where or behind, which becomes the place after
 * it. False: the section has ended, or cannot be read. Both windows are used. */
bool cps_fde_next(const struct cps_module *m, uintptr_t *where, struct cps_fde_window window[2],
		  struct cps_fde *fde);

/* [signal] Read an unsigned number of n (1, 2, 4, 8) bytes. */
uint64_t cps_fde_read_fixed(struct cps_fde_cursor *b, unsigned n);
/* [signal] Read a LEB128 number, unsigned or signed. */
uint64_t cps_fde_read_uleb(struct cps_fde_cursor *b);
/* [signal] */
int64_t cps_fde_read_sleb(struct cps_fde_cursor *b);

#endif
