/* SPDX-License-Identifier: MIT */
/*
 * demangle_short.h - leaves out of the tree of a C++ name what does not tell functions apart.
 *
 * In: the tree that libiberty made of a mangled name. Out: the tree of a shorter name.
 */
#ifndef DEMANGLE_SHORT_H
#define DEMANGLE_SHORT_H

#include <stddef.h>

#include "symbols/demangle.h"

struct demangle_component;

#define DEMANGLE_SPARE 8u

/* Components that libiberty did not make. The shorter tree may refer to them. */
struct demangle_spare {
	struct demangle_component *nodes; /* DEMANGLE_SPARE of them */
	size_t n;			  /* how many are in use */
};

/*
 * Change a tree, which lies in an array of n nodes, to that of a shorter name. DEMANGLE_SHORT has no
 * template arguments, DEMANGLE_ARGUMENTS has those of the name, and DEMANGLE_NESTED also those of
 * types. These three have neither parameters nor a return type. All forms but DEMANGLE_FULL leave out ABI tags,
 * inline namespaces of the library (std::__cxx11) and arguments that are usual ones (std::allocator), and have
 * std::string. Returns the new root. It is NULL if memory is out, or if the form cannot be printed:
 * parameters of a template refer to the template's arguments.
 */
struct demangle_component *demangle_shorten(struct demangle_component *tree,
					    struct demangle_component *nodes, size_t n,
					    enum demangle_form form, struct demangle_spare *spare);

#endif
