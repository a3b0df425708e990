/* SPDX-License-Identifier: MIT */
/*
 * demangle_cost.h - how much work a mangled C++ name would make for libiberty.
 */
#ifndef DEMANGLE_COST_H
#define DEMANGLE_COST_H

#include <stdbool.h>
#include <stddef.h>

struct demangle_component;

/* Says whether the name can be parsed without trying each of its parts in exponentially many
 * ways. */
bool demangle_parses_fast(const char *name);

/* Says whether the name may hold a pack expansion. Libiberty searches all that is below one before
 * it prints anything, so a limit on the output does not stop it. */
bool demangle_has_pack(const char *name);

/*
 * Says whether the tree, which lies in an array of n nodes, can be printed in reasonable time and
 * stack. It also says no when memory is out.
 */
bool demangle_prints_fast(const struct demangle_component *tree,
			  const struct demangle_component *nodes, size_t n);

#endif
