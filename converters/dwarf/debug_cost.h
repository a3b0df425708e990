/* SPDX-License-Identifier: MIT */
/*
 * debug_cost.h - what libdw will have to read of debug information, before it is asked to.
 *
 * Tables of abbreviations and of lines are read as a whole, once for each unit that refers to one,
 * and kept. Compilers make a table for each unit, or one that a few share; forged units may all
 * refer to the same large one, or each to a piece of it.
 */
#ifndef DEBUG_COST_H
#define DEBUG_COST_H

#include <stdbool.h>

#include "dwarf/debug_image.h"

/* Says whether the abbreviations of all units together are in proportion to the file. */
bool debug_cost_is_bounded(const struct debug_image *d);

/* Bytes of the line table that begins there; 0: it is none. */
uint64_t debug_cost_lines(const struct debug_image *d, uint64_t offset);

#endif
