/* SPDX-License-Identifier: MIT */
/*
 * info_text.h - writes what the profile says of one process, for people.
 *
 * In: a profile. Out: two columns of text, and tables of threads and modules.
 */
#ifndef INFO_TEXT_H
#define INFO_TEXT_H

#include "model/processes.h"
#include "write/out.h"

/* missing_ns: what children of the process used and no recording of the profile shows. */
void info_text(struct out *o, const struct profile *p, const struct profile_process *process,
	       uint64_t missing_ns);

/* What the children of all processes used; nothing if that is not known. */
void info_text_children(struct out *o, const struct children *c);

/* The names of the reasons for losses: "inside the recorder", ... The last one means that the
 * reason is not known. */
extern const char *const info_text_losses[CPS_LOSS_COUNT + 1];

#endif
