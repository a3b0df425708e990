/* SPDX-License-Identifier: MIT */
/*
 * gate.h - whether ticks become samples at this moment.
 *
 * Closed before the start, after the end and in children that have not opened theirs; paused by the
 * program, by a signal, or by time.
 */
#ifndef CPS_GATE_H
#define CPS_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum cps_verdict {
	CPS_GATE_CLOSED, /* this process is not recorded */
	CPS_GATE_PAUSED, /* until cps_gate_resume */
	CPS_GATE_EARLY,	 /* before `from`: go on ticking */
	CPS_GATE_BEGINS, /* the first after `from`: what it stands for was before */
	CPS_GATE_OPEN,
	CPS_GATE_OVER /* after `until` */
};

/* [signal] Open it, in this process and none of its children. False: the kernel cannot promise
 * that. */
bool cps_gate_open(void);
/* [signal] */
void cps_gate_close(void);
/* [signal] Open it as it was before it was closed; false: it never was. */
bool cps_gate_reopen(void);
/* [signal] Is it not closed? */
bool cps_gate_is_open(void);

/* [signal] Sample from one time to another only, in ns of CLOCK_MONOTONIC; 0: no such limit. */
void cps_gate_limit(uint64_t from_ns, uint64_t until_ns);
/* [signal] Has no tick come after `from` yet? */
bool cps_gate_is_early(void);
/* [signal] Has `until` passed? */
bool cps_gate_is_over(void);
/* [signal] */
uint64_t cps_gate_until(void);

/* [signal] False: it was paused, or not, already. */
bool cps_gate_pause(void);
/* [signal] */
bool cps_gate_resume(void);
/* [signal] */
bool cps_gate_is_paused(void);

/* [signal] */
enum cps_verdict cps_gate_verdict(void);

/* [signal] CPU time in ns that the process has used while the gate was open and not paused. */
uint64_t cps_gate_cpu_ns(void);

#endif
