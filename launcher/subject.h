/* SPDX-License-Identifier: MIT */
/*
 * subject.h - what /proc says of a process that is recorded from outside.
 */
#ifndef LAUNCHER_SUBJECT_H
#define LAUNCHER_SUBJECT_H

#include "libsampler/stream/record.h"

/* Fill in what the recorder would say of it, at this moment. What the recording is named by is `output`, a template. */
void subject_read(struct cps_identity *identity, int pid);

/* Set the name of its recording from the settings. False: it is too long. *makes_directories: those of it are not there yet. */
bool subject_name(const struct cps_identity *identity, int pid, char *path, size_t bytes,
		  bool *makes_directories);

#endif
