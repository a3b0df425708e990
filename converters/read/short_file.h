/* SPDX-License-Identifier: MIT */
/*
 * short_file.h - reads what processes of a run have used that left no recording.
 *
 * In: the file .cpsample.PID.START.short beside the run's recordings, or in their pack (CPS_SHORT of libsampler/format.h). Out: its
 * entries.
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
	struct event_text
		directory; /* with its last slash; its end, without a slash before, if it was cut; empty: not known */
	struct event_text args[SHORT_FILE_ARGS]; /* behind the program */
	size_t n_args;
};

/* Call `each` with the entries, in the order in which they were written. What is damaged or cut is passed over. -1: `each` has
 * failed. */
int short_file_parse(const unsigned char *bytes, size_t n,
		     int (*each)(void *, const struct short_entry *, struct error *), void *context,
		     struct error *err);

/* A list that was found. */
struct short_file {
	int fd;
	uint64_t offset;
	size_t bytes;
	uint64_t recordings; /* in the pack in which it is; 0: in none */
};

/* Find the list of the run with that process and start, beside a recording of it or in the same pack. Outside of packs it is a
 * regular file of the recording's owner. Returns 1, and *s is open; 0: there is none, or it cannot be opened; -1: the pack is
 * damaged, or memory is out. */
int short_file_find(struct short_file *s, const char *recording, uint64_t tree_pid,
		    uint64_t tree_start, struct error *err);
/* Its bytes, and close it; s->bytes becomes their number, which is less if it cannot be read to its end. The caller frees them.
 * NULL: memory is out. */
unsigned char *short_file_bytes(struct short_file *s, struct error *err);
void short_file_close(struct short_file *s);

#endif
