/* SPDX-License-Identifier: MIT */
/*
 * short_name.h - wraps names of functions for a picture.
 *
 * In: a name of any bytes. Out: the ends of its lines.
 */
#ifndef SHORT_NAME_H
#define SHORT_NAME_H

#include <stddef.h>
#include <stdint.h>

/* How many columns the lines of a name of n bytes should have: a few dozen, or more if the name is
 * long. */
uint32_t short_name_columns(size_t n);

/*
 * Returns the length in bytes of the first line of a name that is wrapped to so many columns. The
 * line ends at a space, or between the parts of a qualified name, or if there is none of these,
 * anywhere. The rest of the name belongs to the next lines.
 */
size_t short_name_line(const char *name, size_t n, uint32_t columns);

#endif
