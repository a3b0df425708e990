/* SPDX-License-Identifier: MIT */
/*
 * wrapped.h - what the life of the process lets the wrappers do (wrap/).
 *
 * The wrappers call what is in this folder. These are the calls in the other direction: at the start, when a recording begins
 * and ends, and in a child.
 */
#ifndef CPS_WRAPPED_H
#define CPS_WRAPPED_H

#include <stdbool.h>

#include "resource/resource.h"

/* At the start: find the functions that are wrapped. Wrappers that are called earlier do so themselves. False: there is no
 * recording without some that are missing. */
bool cps_real_find(void);

/* The part of the start that some files with wrapped calls do. 0 or an error number. */
int cps_wrap_thread_prepare(void);
int cps_wrap_process_prepare(void);
void cps_wrap_seccomp_prepare(bool outlives_filter);

/* Find out which allocator the target has, for what is said of allocations. */
void cps_wrap_alloc_look(void);

/* To be called when it is known whether the program has forbidden itself the cycle counter, which the C library's clock
 * reads: the kernel is asked for the time then. */
void cps_eintr_restart_find_clock(void);

/* Our signals may come from now on. Without them wrappers make no call but the program's own: a filter may kill for any
 * other. */
void cps_eintr_restart_expect_ticks(void);

/* Calls that transfer data are watched from now on, because our signals may come inside of them. */
void cps_eintr_restart_watch(void);

/* Also watch transfers that are made by syscall(2), or do not any more. */
void cps_wrap_syscall_watch(bool on);
/* If waits are counted: watch transfers, also see waits for futexes. */
void cps_wrap_syscall_watch_waits(void);

/* To be called when resources are counted, in a child too: let the wrappers count bytes, if read or write is asked for. */
void cps_bytes_begin(void);
/* To be called where the process ends by exit, before the recording ends. */
void cps_bytes_settle(void);
/* To be called when the recording ends: compare what was counted with the kernel's count. */
void cps_bytes_end(void);

/* Of a process that was attached to: what was replaced in the C library is as it was. */
void cps_bytes_give_back(void);

/* Lead the calls of all that is wanted to what counts them, in all files that are loaded, and from now on in those
 * that will be. To be called when the resources have begun. */
void cps_got_slots_begin(const struct cps_wanted_resources *wanted);
/* For a child made by fork: no other thread is looking at files. */
void cps_got_slots_child(void);

/* Of a process that is attached to, when its resources have begun: lead the calls that what is counted needs, and those that
 * make and end threads and processes, to the wrappers, in all files that are loaded. Returns how many entries of linkage
 * tables that were. Not from two threads at once. */
uint32_t cps_led_slots_begin(bool has_other_threads);
/* Look for files that were loaded since. To be called now and then by a thread of the recorder's. */
void cps_led_slots_look(void);
/* Put back what stood there, but not in files that are gone. Who may wait for the loader's lock does. Who may not can be anywhere,
 * and puts back only what the loader has not sealed if other threads are there (not is_alone). */
void cps_led_slots_end(bool may_wait, bool is_alone);
/* In a child made by fork, which is not recorded: entries lead to wrappers still, which do nothing. */
void cps_led_slots_child(void);

/* To be called before what threads have used is credited: forget those that have ended without notice. */
void cps_wrap_thread_drop_gone(void);
/* In a child made by fork: other threads, which it does not have, use no key. */
void cps_wrap_thread_child(void);

/* To be called when the calling thread begins, so that there is space for the frame of a tick. */
void cps_wrap_altstack_begin(void);
/* In a child made by fork: those of threads that it does not have are free. */
void cps_wrap_altstack_child(void);

#endif
