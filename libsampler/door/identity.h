/* SPDX-License-Identifier: MIT */
/*
 * identity.h - finds out at the start which process this is.
 */
#ifndef CPS_IDENTITY_H
#define CPS_IDENTITY_H

#include "stream/record.h"

/* Fill in what the process itself knows: exe, cwd, args, times, journal id. The rest stays as it
 * is. */
void cps_identity_read(struct cps_identity *identity);

/* A recording begins now: set what the clocks and the counters of the kernel say at its start. */
void cps_identity_start(struct cps_identity *identity);

#endif
