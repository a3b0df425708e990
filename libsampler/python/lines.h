/* SPDX-License-Identifier: MIT */
/*
 * lines.h - finds the source line of an instruction of a Python function.
 */
#ifndef CPS_LINES_H
#define CPS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "python/functions.h"

/* Bytes of a table that are looked at: some 10,000 instructions. Lines of those behind are not known. */
#define CPS_PYTHON_LINES_MOST 32768u

/* [signal] The line of the instruction that begins `offset` bytes behind the first one, by the table, a bytes
 * object; 0: it has none, or it is not known. False: the table cannot be read. */
bool cps_python_line_find(uintptr_t table, const struct cps_python_types *types, int32_t first_line,
			  int64_t offset, bool is_alive, uint32_t *line);

/* [signal] The line of what a frame says is its instruction (layout.h), or 0. What was found is remembered. */
uint32_t cps_python_line(const struct cps_python_known *known, const struct cps_python_types *types,
			 uint64_t instruction, bool is_alive);

#endif
