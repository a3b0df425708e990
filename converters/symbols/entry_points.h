/* SPDX-License-Identifier: MIT */
/*
 * entry_points.h - main and _start of programs without symbols.
 */
#ifndef ENTRY_POINTS_H
#define ENTRY_POINTS_H

#include "symbols/symbols.h"

/*
 * Name the functions of a stripped program that the C library's start-up code shows to be its entry
 * and its main, wherever they stand: the outermost function, when it calls __libc_start_main, is
 * "_start"; the first of the same module beyond the C library's own is "main". Functions that have
 * a symbol keep it. To be called before any name is used. -1: out of memory.
 */
int entry_points_name(struct symbols *s, const struct profile *p, struct error *err);

#endif
