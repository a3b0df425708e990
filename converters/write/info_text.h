/* SPDX-License-Identifier: MIT */
/*
 * info_text.h - writes what the profile says of one process, for people.
 *
 * In: a profile. Out: two columns of text, and tables of threads and modules.
 */
#ifndef INFO_TEXT_H
#define INFO_TEXT_H

#include "model/profile.h"
#include "write/out.h"

void info_text(struct out *o, const struct profile *p, const struct profile_process *process);

/* The names of the reasons for losses: "inside the recorder", ... The last one means that the
 * reason is not known. */
extern const char *const info_text_losses[CPS_LOSS_COUNT + 1];

#endif
