/* SPDX-License-Identifier: MIT */
/*
 * debug_cost.h - estimates how much libdw would read, before libdw is asked to read it.
 *
 * In: the sections of an image. Out: bytes, or whether they are within bounds.
 *
 * libdw reads a table of abbreviations or of lines as a whole, once for each unit that refers to
 * it, and keeps what it has read. Compilers make a table for each unit, or a table that a few units
 * share. Forged units may all refer to the same large table, or each to a part of it, so that the
 * work would be out of proportion to the size of the file.
 */
#ifndef DEBUG_COST_H
#define DEBUG_COST_H

#include <stdbool.h>

#include "dwarf/debug_image.h"

/* Says whether the sizes of all units' abbreviation tables, added up, are in proportion to the size
 * of the file. */
bool debug_cost_is_bounded(const struct debug_image *d);

/* The size in bytes of the line table at the offset; 0 if there is no line table. */
uint64_t debug_cost_lines(const struct debug_image *d, uint64_t offset);

#endif
