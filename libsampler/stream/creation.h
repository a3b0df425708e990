/* SPDX-License-Identifier: MIT */
/*
 * creation.h - creates the two files of a recording.
 *
 * One thread at a time does so (recording.c).
 */
#ifndef CPS_CREATION_H
#define CPS_CREATION_H

struct cps_output;

/* [signal] Create them. 0 or -errno, and nothing was created; -EBUSY: another thread is using the stream. */
int cps_creation_make(const struct cps_output *output);

/* [signal] The stream's name; NULL: there is none. And its journal's. */
const char *cps_creation_path(void);
/* [signal] */
const char *cps_creation_journal_path(void);

/* [signal] There is no stream any more, or it is another process's. */
void cps_creation_forget(void);

#endif
