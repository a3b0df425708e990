/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - C++ and Rust names as they are written in the source.
 */
/* libiberty has taken DEMANGLE_H. */
#ifndef CONVERTERS_DEMANGLE_H
#define CONVERTERS_DEMANGLE_H

#include <stddef.h>

/*
 * The readable form of a name of `bytes` bytes (a NUL follows), terminated, to be freed. NULL if
 * the name is not mangled, or so mangled that it is best shown as it is.
 */
char *demangle_name(const char *name, size_t bytes);

#endif
