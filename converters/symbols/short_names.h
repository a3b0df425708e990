/* SPDX-License-Identifier: MIT */
/*
 * short_names.h - shows names of C++ and Rust shortly, and no two functions alike.
 */
#ifndef SYMBOLS_SHORT_NAMES_H
#define SYMBOLS_SHORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* ---- short text ------------------------------------------------------------------------------ */
/*
 * Shortens names of which there is only the text: those of Rust, and of other tools' files.
 *
 * In: a name of any bytes. Out: a shorter name.
 */

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

/* ---- short names ----------------------------------------------------------------------------- */
/*
 * Shows names of C++ and Rust shortly, and no two functions alike.
 *
 * In: mangled names while functions are named, then the names of a tree. Out: what each is shown
 * as.
 */

struct short_name;

/* To be zeroed. Holds the names that have a shorter form. */
struct short_names {
	struct short_name *list;
	size_t n, size;
	uint32_t *places; /* by string: its index in `list`, plus one */
	size_t n_places, places_size;
};

void short_names_clear(struct short_names *s);

/*
 * Remember the mangled name, of n bytes, of a readable one. The suffix that the readable name ends with ("@plt") is kept in
 * all forms. From now on the name is shown in its shortest form, which others may have, too. Returns -1 if
 * memory is out.
 */
int short_names_add(struct short_names *s, struct strings *strings, uint32_t readable,
		    const char *mangled, size_t n, const char *suffix);

/* Remember the name of a place in a function, such as "f(int) file.c:12". Nothing happens if the
 * function's name has no shorter form. */
int short_names_add_place(struct short_names *s, struct strings *strings, uint32_t place,
			  uint32_t function);

/*
 * Settle what n different names are shown as: each in its shortest form that no other one of them is shown
 * as. Names that were not added are shortened as text if there is `text`, else shown as they are.
 * Returns -1 if memory is out.
 */
int short_names_settle(struct short_names *s, struct strings *strings, const uint32_t *names,
		       size_t n, bool text);

#endif
