/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - demangles C++ and Rust names.
 *
 * In: a symbol's name. Out: the name as it is written in the source.
 */
/* DEMANGLE_H is the guard of libiberty's header. */
#ifndef CONVERTERS_DEMANGLE_H
#define CONVERTERS_DEMANGLE_H

#include <stddef.h>

/*
 * Demangle a name of `bytes` bytes, which a NUL follows. Returns a terminated string, to be freed;
 * NULL if the name is not mangled, if demangling it would cost too much, or if memory is out: the
 * name is then shown as it is.
 */
char *demangle_name(const char *name, size_t bytes);

#endif
