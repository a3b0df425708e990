/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - demangles C++ and Rust names within bounds.
 *
 * In: a symbol's name. Out: the name as it is written in the source.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* DEMANGLE_H is the guard of libiberty's header. */

#include <stddef.h>

/*
 * Demangle a name of `bytes` bytes, which a NUL follows. Returns a terminated string, to be freed;
 * NULL if the name is not mangled, if demangling it would cost too much, or if memory is out: the
 * name is then shown as it is.
 */
char *demangle_name(const char *name, size_t bytes);

/* What a name has. Each form tells more functions apart than the one before it. */
enum demangle_form {
	DEMANGLE_SHORT,	    /* "std::vector::push_back" */
	DEMANGLE_ARGUMENTS, /* "std::vector<std::map>::push_back" */
	DEMANGLE_NESTED,    /* "std::vector<std::map<int, char> >::push_back" */
	DEMANGLE_PARAMETERS, /* "std::vector<std::map<int, char> >::push_back(std::map<int, char>&&)" */
	DEMANGLE_FULL,	     /* what demangle_name returns */
	DEMANGLE_FORMS
};

/* Demangle a name to a form. NULL also if the name cannot be had in this form. */
char *demangle_to(const char *name, size_t bytes, enum demangle_form form);

#endif
