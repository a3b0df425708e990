/* SPDX-License-Identifier: MIT */
/*
 * output.h - says where the recording goes, and makes room for it.
 */
#ifndef CPS_OUTPUT_H
#define CPS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/config.h"
#include "process/output_name.h"
#include "stream/record.h"

/* ---- recording name -------------------------------------------------------------------------- */
/*
 * Where the recording of this process goes.
 */

/* Make the name from the template and tell it to who writes the recording. Both arguments must stay valid. 0; or
 * -1: it is too long. */
int cps_recording_name_prepare(const struct cps_config *config, struct cps_identity *identity);

/* The name, in two parts between which a number may go. */
const char *cps_recording_name_stem(void);
const char *cps_recording_name_suffix(void);

/* ---- short ----------------------------------------------------------------------------------- */
/*
 * Says what a process has used that leaves no recording (CPS_SHORT in format.h).
 */

/*
 * To be called when the process ends, or becomes another program, without a recording: add a line to the file of its run, which
 * cpsample has given a name. Nothing is added of what recording was not to begin with, nor where the file cannot be made
 * or has its size; and before an exec only if this program has used CPS_SHORT_WORTH_NS, since what follows has the process's CPU
 * time, too. May be called in a signal handler.
 */
#define CPS_SHORT_WORTH_NS 1000000

void cps_short_tell(const struct cps_config *config, const struct cps_identity *identity,
		    enum cps_stop stop);

/* ---- quota ----------------------------------------------------------------------------------- */
/*
 * Keeps the recordings in a directory below a size.
 */

/*
 * Remove the oldest recordings of this user from the directory until all of them together have at
 * most so many bytes. The recording `kept`, a path, stays. A recording is a regular file NAME.cps
 * that begins as recordings do, with its journal if it has one; a journal that has been left alone is
 * treated as one, too, and so is the file of a run's programs without a recording. What is being written stays. May be called in a signal handler.
 */
void cps_quota_keep(const char *directory, uint64_t bytes, const char *kept);

#endif
