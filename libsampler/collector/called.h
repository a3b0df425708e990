/* SPDX-License-Identifier: MIT */
/*
 * called.h - writes the counts of calls into the recording, and beside it while the process runs.
 */
#ifndef CPS_CALLED_H
#define CPS_CALLED_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Whether any call was counted. */
bool cps_called_any(void);

/* [signal] Write all counts to the file beside the recording, at most every CPS_CALLED_US, and so seldom that it takes a
 * hundredth of the time. A process that is killed leaves this file. */
void cps_called_keep(uint64_t now_us, uint64_t journal_id);
#define CPS_CALLED_US 100000u

/* [signal] Append all counts to the stream, once, before its end; and remove the file beside it. Waits for the stream, so it is not for
 * the handler. */
void cps_called_end(void);

/* [signal] The recording goes on after an exec that has failed: at its end all is appended once more. */
void cps_called_again(void);

/* [signal] The calling process, a child made by fork, has written nothing yet. */
void cps_called_child(void);

#endif
