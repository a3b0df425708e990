/* SPDX-License-Identifier: MIT */
/*
 * demangle_cost.h - how much work a mangled C++ name would make for libiberty.
 */
#ifndef DEMANGLE_COST_H
#define DEMANGLE_COST_H

#include <stdbool.h>
#include <stddef.h>

struct demangle_component;

/* Can the name be taken apart without trying each of its parts in exponentially many ways? */
bool demangle_parses_fast(const char *name);

/* May it hold a pack expansion, the one thing that libiberty prints without printing? */
bool demangle_has_pack(const char *name);

/*
 * Can the tree, which lies in an array of n nodes, be printed in reasonable time and stack? Also
 * false when memory is out.
 */
bool demangle_prints_fast(const struct demangle_component *tree,
			  const struct demangle_component *nodes, size_t n);

#endif
