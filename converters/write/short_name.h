/* SPDX-License-Identifier: MIT */
/*
 * short_name.h - makes names of functions short enough for a picture.
 *
 * In: a name of any bytes. Out: a shorter name, and the ends of its lines.
 */
#ifndef SHORT_NAME_H
#define SHORT_NAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * Remove the arguments and template parameters of C++ and Rust from a name of n bytes:
 * "ns::f<int>(char)::g(void) const" becomes "ns::f::g". Text that only looks like arguments is
 * kept: "operator()", "(anonymous namespace)::f", "<T as Display>::fmt", names of Python's
 * functions, and a file in parentheses after a space.
 *
 * Writes at most n bytes to `to` and returns how many; 0 if memory is out or n is 0.
 */
size_t short_name_strip(char *to, const char *name, size_t n);

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
