/* SPDX-License-Identifier: MIT */
/*
 * entry_points.h - names main and _start of programs without symbols.
 *
 * In: the stacks of a profile. Out: names in struct symbols.
 */
#ifndef ENTRY_POINTS_H
#define ENTRY_POINTS_H

#include "symbols/symbols.h"

/*
 * Name the entry point and main of a stripped program, which the calls of the C library's start-up
 * code reveal. The outermost function is named "_start" if it calls __libc_start_main. The function
 * that the C library's frames then call in the same module as _start is named "main". A function
 * that has a symbol keeps its name. Call this before any name is used. Returns 0; -1 if memory is
 * out.
 */
int entry_points_name(struct symbols *s, const struct profile *p, struct error *err);

#endif
