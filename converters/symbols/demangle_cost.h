/* SPDX-License-Identifier: MIT */
/*
 * demangle_cost.h - decides whether libiberty can demangle a C++ name in reasonable time.
 *
 * In: a mangled name, or its tree. Out: yes or no.
 */
#ifndef DEMANGLE_COST_H
#define DEMANGLE_COST_H

#include <stdbool.h>
#include <stddef.h>

struct demangle_component;

/* Says whether the name can be parsed without exponentially many repetitions. */
bool demangle_parses_fast(const char *name);

/* Says whether the name may contain a pack expansion. libiberty searches the whole subtree below a
 * pack expansion before it prints anything, so that a limit on the output does not stop it. */
bool demangle_has_pack(const char *name);

/*
 * Says whether the tree, which lies in an array of n nodes, can be printed in reasonable time and
 * on a stack of usual size. The answer is also no when memory is out.
 */
bool demangle_prints_fast(const struct demangle_component *tree,
			  const struct demangle_component *nodes, size_t n);

#endif
