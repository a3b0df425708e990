/* SPDX-License-Identifier: MIT */
/*
 * caption.h - the lines above a table: which profile, of what resource, of which process.
 *
 * In: a profile. Out: text.
 */
#ifndef CAPTION_H
#define CAPTION_H

#include "write/out.h"
#include "write/view_input.h"

/*
 * Write the lines above a table: "TITLE for resource: CPU Time", "2676 samples, sampled every 1
 * ms", the time that was credited, and the process or processes. If only a part of the profile is
 * shown, lines for the selection and for the filter follow. If there are no samples, a line says
 * why. Lines end with LF.
 */
void caption_write(struct out *o, const char *title, const struct view_input *in);

/* With --percent parent, write the text on a line of its own; it says what the percentages are
 * of. */
void caption_parent(struct out *o, const struct view_options *options, const char *text);

/* If totals are propagated along calls, and not added up from stacks, write a line that says so. */
void caption_totals(struct out *o, const struct view_input *in);

/* Write a line of dashes, as the papers print it. */
void caption_rule(struct out *o);

/* Write the process's arguments, separated by spaces, or its executable if they are not known. They
 * begin in `column`; on a terminal that is too narrow they are cut, unless `column` is 0. */
void caption_command(struct out *o, const struct profile *p, const struct profile_process *process,
		     int column);

#endif
