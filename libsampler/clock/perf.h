/* SPDX-License-Identifier: MIT */
/*
 * perf.h - makes events of the kernel's perf subsystem, which send the recorder's signal.
 *
 * An event is made, addressed, mapped and begun; then its descriptor is closed. What keeps it alive is the page
 * (doc/decisions/0011). A signal says which event it is of by the number that the descriptor had (si_fd).
 */
#ifndef CPS_PERF_H
#define CPS_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/kernel_names.h"
#include "stream/thread.h"

struct cps_perf_event {
	uint32_t type;
	uint64_t config, period;
	uint64_t config1, config2; /* some events need more bits */
	bool without_kernel;	   /* count nothing that happens in the kernel */
	bool tells_mode;	   /* cps_perf_mode is to be asked */
	bool tells_switches; /* write a record whenever the thread is put on a processor or off it */
	bool tells_chain;    /* so is cps_perf_chain, which may have nothing to say */
};

/* [signal] Whether events may strike inside the kernel, and so in exec, which the signal then outlives
 * (doc/decisions/0044). */
void cps_perf_let_strike_in_kernel(bool may);
/* [signal] */
bool cps_perf_may_strike_in_kernel(void);
#define CPS_PERF_RISK                                                                              \
	"may end a program that executes another one without the C library; "                      \
	"CPSAMPLE_KERNEL_TICKS=on (--kernel-ticks) takes that risk"

/* [outside] Another function that says whether an event of the thread has this number, whose signals bring it. */
void cps_perf_ask_too(bool (*is_taken)(const struct cps_thread *t, int fd));

/* [signal] Make an event of that thread, disabled. Returns a descriptor out of the target's way, whose number none
 * of the thread's events has had that are alive; or -errno. */
int cps_perf_open(const struct cps_perf_event *event, const struct cps_thread *t);

/* [signal] Let each overflow of the event's counter send CPS_SIGNAL_OWN to that thread. The second step is to be
 * taken only if there is a handler. 0 or -errno. */
int cps_perf_address(int fd, int tid);
/* [signal] */
int cps_perf_raise(int fd);

/* [signal] Map the event's page, and end an event by its page; NULL: there is none. 0 or -errno, which it is also if the
 * process has too many of them already. */
int cps_perf_map(int fd, void **page);
/* [signal] The same for an event that tells the mode, with a page for that behind it, if there may be another one. */
int cps_perf_map_mode(int fd, void **page);
/* [signal] Map and unmap the page of an event together with one for records, of which the latest stay. */
int cps_perf_map_records(int fd, void **pages);
/* [signal] */
void cps_perf_end_records(void *pages);
/* [signal] In which mode the event's latest signal has met the thread: 1 in the kernel, 0 outside of it; -1: the
 * event does not tell. */
int cps_perf_mode(const void *page);
/* [signal] Where in the kernel it has met the thread; nothing if the event does not tell. */
void cps_perf_chain(const void *page, struct cps_kernel_chain *chain);
/* [signal] */
void cps_perf_end(void *page);
/* [signal] In a child made by fork, which has none of these pages. */
void cps_perf_reset(void);

/* [signal] Begin to count, until the event has sent this number of signals. 0 or -errno. */
int cps_perf_begin(int fd, uint32_t signals);

/* [signal] If a user has as many signals pending as are allowed, the kernel drops an event's signal and sends SIGIO
 * instead, which ends a program by default. From now on `renew` is called then for the thread that gets it; not
 * while a sample of it is being added. 0 or -errno. */
int cps_perf_watch_loss(void (*renew)(struct cps_thread *t));
/* [signal] */
void cps_perf_ignore_loss(void (*renew)(struct cps_thread *t));

/* [signal] The event of the clock `perf` for that thread, with this period: as cps_perf_open. */
int cps_perf_open_clock(const struct cps_thread *t, uint64_t period);

#endif
