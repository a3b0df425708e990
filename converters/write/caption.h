/* SPDX-License-Identifier: MIT */
/*
 * caption.h - the lines above a table: which profile, of what resource, of which process.
 *
 * In: a profile. Out: text.
 */
#ifndef CAPTION_H
#define CAPTION_H

#include "model/processes.h"
#include "write/out.h"
#include "write/view_input.h"

/*
 * Write the lines above a table: "TITLE for resource: CPU Time", how much of the run was work
 * (caption_run), "2676 samples, one per 3.993 ms CPU, none lost" (rate.h), and the process or
 * processes, or how often one command was run; these only if the reader has not seen them. If only a part of the profile is shown,
 * lines for the selection and for the filter follow. If there are no samples, a line says why.
 * Lines end with LF.
 */
void caption_write(struct out *o, const char *title, const struct view_input *in);

/* Write what is the same above all views of a profile: caption_run, samples, caption_remarks, processes. */
void caption_profile(struct out *o, const struct profile *p);

/* Write "0.48 s CPU of 2.89 s elapsed (17 %): the rest was waiting", and if the resource "real" was
 * recorded, in which states threads waited. Returns false, and writes nothing, if the inputs do not
 * say that of what is shown. Fills *r in any case. */
bool caption_run(struct out *o, const struct profile *p, struct run_times *r);

/* Write "recording itself took 8.2 ms, 5.1 % of the CPU time; no row has it", if it is a twentieth or more; and what `stalled`
 * may mean, if threads were that for a tenth of their time. */
void caption_remarks(struct out *o, const struct profile *p);

/* Whether caption_remarks says what recording took. */
bool caption_says_recording(const struct profile *p);

/* Of two programs: "recording itself took 12 % of the CPU time before, 3 % after; no row has it", if it is a twentieth of one. */
void caption_cost_compared(struct out *o, const struct profile *p);

/* Write "325 processes: 258 cc1, 33 sh, 34 others". Returns false, and writes nothing, if not all
 * programs are known. */
bool caption_programs(struct out *o, const struct profile *p);

/* "TITLE, before and after, for resource: CPU Time", for a profile of two programs. */
void caption_compared(struct out *o, const char *title, const struct view_input *in);

/* If only a part of the profile is shown, lines for the selection and for the filter. */
void caption_parts(struct out *o, const struct view_input *in);

/* Write when memory is live that is shown: "at the end". */
void caption_moment(struct out *o, const struct profile *p);

/* Write "root function: TITLE"; a title of NULL: nothing. */
void caption_root(struct out *o, const char *title);

/* With --percent parent, write the text on a line of its own; it says what the percentages are
 * of. */
void caption_parent(struct out *o, const struct view_options *options, const char *text);

/* If self is not that of the innermost functions, write a line that says whose it is; or if it is, nobody has asked for that,
 * and more than half of it was used below functions that an interpreter has names for, how theirs is had. */
void caption_self(struct out *o, const struct view_input *in);

/* If functions of libraries have much of the self of a C++ program, also those that templates put into it, write a line that says
 * where their callers are. */
void caption_libraries(struct out *o, const struct view_input *in);

/* If code that the program has generated, and no perf map names, has much of the self, write a line that says how names are had. */
void caption_generated(struct out *o, const struct view_input *in);

/* If totals are propagated along calls, and not added up from stacks, write a line that says so. */
void caption_totals(struct out *o, const struct view_input *in);

/* If calls were counted, lines on what is to be known of them: until when, or why they are left out. */
void caption_calls(struct out *o, const struct view_input *in);

/* Running text, whose lines are those of 80 columns. On a terminal each paragraph is one line, which the sheet folds. */
void caption_text(struct out *o, const char *text);

/* Write a name's words, from `column` on, and further lines of 80 columns with that indent. On a terminal it is one line. */
void caption_folded(struct out *o, const char *bytes, size_t n, size_t column, size_t indent);

/* Write a line of dashes, as the papers print it. */
void caption_rule(struct out *o);

/* Write the process's arguments, separated by spaces, or its executable if they are not known. They
 * begin in `column`; on a terminal that is too narrow they are cut, unless `column` is 0. */
void caption_command(struct out *o, const struct profile *p, const struct profile_process *process,
		     int column);

#endif
