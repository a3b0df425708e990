/* SPDX-License-Identifier: MIT */
/*
 * function_roots.h - which names of the tree a function's name stands for.
 *
 * In: struct tree and a name. Out: names of the tree.
 */
#ifndef FUNCTION_ROOTS_H
#define FUNCTION_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

/*
 * The function with that name. If names say places, or there is none of that name, also the places
 * in it: "NAME FILE:LINE", "NAME+0xOFFSET". Without a name (NULL) those of main; if there is none,
 * the heaviest outermost function. *n numbers in tree->strings, ascending, 0 if there is no such
 * function; free() the array. NULL on error (memory).
 */
uint32_t *function_roots_find(const struct tree *t, const char *name, size_t *n, struct error *err);

/* Does the name say a place in the function, rather than the function itself? */
bool function_roots_is_place(const char *name, size_t n, const char *function, size_t n_function);

#endif
