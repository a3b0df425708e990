/* SPDX-License-Identifier: MIT */
/*
 * looks.h - colours on a terminal: what is heavy stands out, code of libraries steps back.
 *
 * In: shares, names of functions. Out: escape sequences, on a terminal that shows colours.
 */
#ifndef LOOKS_H
#define LOOKS_H

#include "write/out.h"
#include "write/view_input.h"

/* Begin what has such a share of all, between 0 and 1. */
void looks_share(struct out *o, double share);
/* Begin the name of a function. */
void looks_name(struct out *o, const struct view_input *in, uint32_t name);
/* Go on as before. */
void looks_end(struct out *o);

/* The file name of the function's module; empty if that is not known, or if several modules have a
 * function of that name. */
struct event_text looks_module(const struct view_input *in, uint32_t name);

/* How many rows a table may have on this terminal beside its heading and its footer; 0: any. */
uint64_t looks_rows(const struct out *o, size_t n_processes);

#endif
