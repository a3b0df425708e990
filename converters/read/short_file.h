/* SPDX-License-Identifier: MIT */
/*
 * short_file.h - reads what processes of a run have used that left no recording.
 *
 * In: the file .cpsample.PID.START.short beside the run's recordings (CPS_SHORT of libsampler/format.h). Out: its entries.
 */
#ifndef READ_SHORT_FILE_H
#define READ_SHORT_FILE_H

#include "read/event.h"

#define SHORT_FILE_ARGS	   64	  /* of a process, more than an entry has room for */
#define SHORT_FILE_ENTRIES 100000 /* of a file; what follows is left out */

struct short_entry {
	uint64_t pid, ppid, start_ns, time_us;
	uint64_t cpu_ns,
		cpu_before_ns; /* since the process was made, also as other programs; at start_ns */
	uint64_t children_ns, children_before_ns; /* likewise */
	uint64_t stop;				  /* enum cps_stop */
	struct event_text name;			  /* of the program */
	struct event_text args[SHORT_FILE_ARGS];  /* behind the program */
	size_t n_args;
};

/* Call `each` with the entries, in the order in which they were written. What is damaged or cut is passed over. -1: `each` has
 * failed. */
int short_file_parse(const unsigned char *bytes, size_t n,
		     int (*each)(void *, const struct short_entry *, struct error *), void *context,
		     struct error *err);

/* The same of a file, if it is a regular one of this user. One that is not there, or cannot be read, has no entries. -1: as
 * above, or memory is out. */
int short_file_read(const char *path, uint64_t owner,
		    int (*each)(void *, const struct short_entry *, struct error *), void *context,
		    struct error *err);

#endif
