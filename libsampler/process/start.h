/* SPDX-License-Identifier: MIT */
/*
 * start.h - the recorder's start.
 */
#ifndef CPS_START_H
#define CPS_START_H

/* Start recording, unless that was done or refused before. The constructor calls this, and so does
 * every wrapped call, which the constructors of other libraries may make earlier. */
void cps_start(void);

#endif
