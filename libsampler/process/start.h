/* SPDX-License-Identifier: MIT */
/*
 * start.h - the recorder's start.
 */
#ifndef CPS_START_H
#define CPS_START_H

#include <stdbool.h>

/* Start recording, unless that was done or refused before. The constructor calls this, and so does
 * every wrapped call, which the constructors of other libraries may make earlier. */
void cps_start(void);

/* Start recording in a process that ran already, with the settings of process/attach.h. False: it was refused, and the
 * reason was said there. Each time but the first cps_process_life_again comes before. */
bool cps_start_attached(void);

#endif
