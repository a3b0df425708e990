/* SPDX-License-Identifier: MIT */
/*
 * attach_area.h - the memory that the launcher and the recorder share in a process that is attached to.
 *
 * The launcher (launcher/) maps an area into the process, fills it, and has one thread of the process load the library
 * and call CPS_ATTACH_SYMBOL with the area's address. From then on both meet in a struct cps_attach_control, which lies
 * in the library. Both sides are of one architecture. All texts end with a NUL.
 */
#ifndef CPS_ATTACH_AREA_H
#define CPS_ATTACH_AREA_H

#include <stdint.h>

#define CPS_ATTACH_SYMBOL  "cpsample_attach"
#define CPS_ATTACH_VERSION 4u

#define CPS_ATTACH_TEXT_BYTES 600

/* The launcher writes a new number into `lease` at least every second. If none comes for so long, it is gone. */
#define CPS_ATTACH_LEASE_NS UINT64_C(5000000000)

enum cps_attach_state {
	CPS_ATTACH_BEGINS = 0,
	CPS_ATTACH_RECORDS = 1,
	CPS_ATTACH_REFUSED = 2, /* `text` says why; nothing was begun */
	CPS_ATTACH_OVER = 3,	/* all that was taken is given back */
};

/* In the library. The launcher reads it, and writes what it says of itself. */
struct cps_attach_control {
	uint64_t state; /* enum cps_attach_state */
	uint64_t stop;	/* of the launcher: not 0: the recording is to end */
	uint64_t lease; /* of the launcher */
	uint64_t
		released; /* of the launcher: no thread that it has made run there needs the area any more */
	uint64_t
		stop_function; /* of a process without a controller: void (*)(void), which ends the recording */
	uint64_t
		took_us; /* from the recording's first moment until the recorder answered: threads were armed meanwhile */
	uint64_t n_threads; /* that were there, or were found later */
	uint64_t n_slots;   /* of linkage tables that lead to wrappers */
	/* At the end: how many samples could not be written, and the errno that says why; 0: none, and not known. */
	uint64_t n_unwritten, error;
	uint64_t is_removed; /* the file of the recording was gone at the end */
	uint64_t n_samples;  /* at the end */
	uint64_t n_unkept;   /* samples and threads for which the process had no memory */
};

/* In the area. */
struct cps_attach_area {
	uint64_t version;
	uint64_t begin, bytes; /* of the whole mapping */
	uint64_t settings; /* address of texts NAME=VALUE, one behind the other, and an empty one */
	uint64_t is_threaded; /* the caller is a thread that was made for this, and may be joined */
	uint64_t
		seen_as; /* the number of the process where the launcher is, if it has another one here; else 0 */
	/* A descriptor of the directory of the recordings plus 1, which is to be closed at the end; 0: it is seen by its path. */
	uint64_t directory, device, inode;
	/* What the recorder answers. */
	uint64_t state;			  /* RECORDS or REFUSED */
	uint64_t control;		  /* address of the struct, unless it has refused */
	char text[CPS_ATTACH_TEXT_BYTES]; /* what the recorder has said */
};

#endif
