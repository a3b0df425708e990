/* SPDX-License-Identifier: MIT */
/*
 * info_text.h - what is known of one process, for people.
 *
 * In: a profile. Out: two columns of text, and tables of threads and modules.
 */
#ifndef INFO_TEXT_H
#define INFO_TEXT_H

#include "model/profile.h"
#include "write/out.h"

void info_text(struct out *o, const struct profile *p, const struct profile_process *process);

/* What the losses are called: "inside the recorder", ... The last one stands for unknown reasons. */
extern const char *const info_text_losses[CPS_LOSS_COUNT + 1];

#endif
