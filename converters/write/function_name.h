/* SPDX-License-Identifier: MIT */
/*
 * function_name.h - a function's name at the end of a line.
 */
#ifndef FUNCTION_NAME_H
#define FUNCTION_NAME_H

#include <stdbool.h>

#include "write/out.h"
#include "base/strings.h"

/* Write the name, which begins in that column (0: the first), and " (inlined)" behind it if it is.
 * On a terminal both fit the line, the name cut if need be. */
void function_name_write(struct out *o, const struct strings *strings, uint32_t name,
			 bool is_inline, int column);

#endif
