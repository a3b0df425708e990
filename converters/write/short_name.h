/* SPDX-License-Identifier: MIT */
/*
 * short_name.h - names of functions, short enough for a picture.
 *
 * In: a name of any bytes. Out: less of it, and where its lines end.
 */
#ifndef SHORT_NAME_H
#define SHORT_NAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * Without the arguments and template parameters of C++ and Rust: "ns::f<int>(char)::g(void) const"
 * becomes "ns::f::g". What only looks like those stays: "operator()", "(anonymous namespace)::f",
 * "<T as Display>::fmt", names of Python's functions, a file in parentheses after a space.
 *
 * Writes at most n bytes to `to`; returns how many. 0 if memory is out, or n is 0.
 */
size_t short_name_strip(char *to, const char *name, size_t n);

/* How many columns the lines of a name of n bytes should have: a few dozen, or more if the name is
 * long. */
uint32_t short_name_columns(size_t n);

/*
 * Bytes of the first line of a name wrapped to so many columns: up to a space, or between the parts
 * of a qualified name, or where it must be. What follows is for the next line.
 */
size_t short_name_line(const char *name, size_t n, uint32_t columns);

#endif
