/* SPDX-License-Identifier: MIT */
/*
 * gate.h - decides whether ticks become samples at this moment.
 *
 * The gate is closed before the start, after the end, and in children that have not opened their
 * own. It is paused by the program, by a signal, or by time.
 */
#ifndef CPS_GATE_H
#define CPS_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum cps_verdict {
	CPS_GATE_CLOSED, /* this process is not recorded */
	CPS_GATE_PAUSED, /* until cps_gate_resume */
	CPS_GATE_EARLY,	 /* before `from`: keep ticking */
	CPS_GATE_BEGINS, /* the first tick after `from`; what was used before does not count */
	CPS_GATE_OPEN,
	CPS_GATE_OVER /* after `until` */
};

/* [signal] Open the gate in this process, and in none of its children. False: the kernel cannot
 * guarantee that. */
bool cps_gate_open(void);
/* [signal] */
void cps_gate_close(void);
/* [signal] Open it again with its former state. False: it was never open. */
bool cps_gate_reopen(void);
/* [signal] Whether it is not closed. It may be paused. */
bool cps_gate_is_open(void);

/* [signal] Sample only from one time to another, in ns of CLOCK_MONOTONIC; 0: no such limit. */
void cps_gate_limit(uint64_t from_ns, uint64_t until_ns);
/* [signal] Whether no tick has come yet after `from`. */
bool cps_gate_is_early(void);
/* [signal] Whether `until` has passed. */
bool cps_gate_is_over(void);
/* [signal] */
uint64_t cps_gate_until(void);

/* [signal] Pause and resume. False: it was paused already, or was not paused. */
bool cps_gate_pause(void);
/* [signal] */
bool cps_gate_resume(void);
/* [signal] */
bool cps_gate_is_paused(void);

/* [signal] */
enum cps_verdict cps_gate_verdict(void);

/* [signal] CPU time in ns that the process has used while the gate was open and not paused. *system_ns is the part
 * of it in the kernel, as that counts it. */
uint64_t cps_gate_cpu_ns(uint64_t *system_ns);

#endif
