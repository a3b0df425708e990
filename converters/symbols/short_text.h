/* SPDX-License-Identifier: MIT */
/*
 * short_text.h - shortens names of which there is only the text: those of Rust, and of other tools' files.
 *
 * In: a name of any bytes. Out: a shorter name.
 */
#ifndef SHORT_TEXT_H
#define SHORT_TEXT_H

#include <stddef.h>

/*
 * Remove the arguments and template parameters of C++ and Rust from a name of n bytes:
 * "ns::f<int>(char)::g(void) const" becomes "ns::f::g". Text that only looks like arguments is
 * kept: "operator()", "(anonymous namespace)::f", "<T as Display>::fmt", names of Python's
 * functions, and a file in parentheses after a space.
 *
 * Writes at most n bytes to `to`, which may be the name itself, and returns how many; 0 if memory is
 * out or n is 0.
 */
size_t short_text_strip(char *to, const char *name, size_t n);

#endif
