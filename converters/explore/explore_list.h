/* SPDX-License-Identifier: MIT */
/*
 * explore_list.h - names in columns, below the line that is being typed.
 *
 * Explore room. In: names. Out: lines as wide as the terminal.
 */
#ifndef EXPLORE_LIST_H
#define EXPLORE_LIST_H

#include <stddef.h>
#include <stdio.h>

/* The first hundred of the names, ordered downwards; how many there are beyond. */
void explore_list(FILE *out, char *const *names, size_t n);

#endif
