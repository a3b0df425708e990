/* SPDX-License-Identifier: MIT */
/*
 * switch_records.h - reads the records that the kernel writes of a thread's switches.
 *
 * Whenever a thread is put off a processor or on one, the kernel's perf subsystem writes a record into a page
 * of the thread's, which says whether somebody else wanted the processor, and which one it is. No signal is sent, which would wake
 * the thread. When the page is full the oldest records are written over.
 */
#ifndef CPS_SWITCH_RECORDS_H
#define CPS_SWITCH_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

/* [signal] Let records of the thread's switches be written from now on. *records is to be given to the functions
 * below. 0 or -errno, with what has failed in *what. */
int cps_switch_records_open(const struct cps_thread *t, void **records, const char **what);
/* [signal] NULL: there are none. */
void cps_switch_records_close(void *records);

/* [signal] Whether there are some that were not read yet. */
bool cps_switch_records_are_new(const struct cps_switches *s);

/* [signal] Read those, and add what they tell to *counts. Of some that were written over before, only the number is
 * known; they are taken for preemptions, because a thread that waits is looked at then. */
void cps_switch_records_read(struct cps_switches *s, struct cps_switch_counts *counts);

/* [outside] Whether the calling thread may have records, and the kernel writes any: as `probe` of a resource says. */
int cps_switch_records_probe(char *why, size_t bytes);

#endif
