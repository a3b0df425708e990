/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - demangles C++ and Rust names within bounds.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- demangle -------------------------------------------------------------------------------- */
/*
 * Demangles C++ and Rust names.
 *
 * In: a symbol's name. Out: the name as it is written in the source.
 */

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

/* ---- demangle cost --------------------------------------------------------------------------- */
/*
 * Decides whether libiberty can demangle a C++ name in reasonable time.
 *
 * In: a mangled name, or its tree. Out: yes or no.
 */

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

/* ---- demangle short -------------------------------------------------------------------------- */
/*
 * Leaves out of the tree of a C++ name what does not tell functions apart.
 *
 * In: the tree that libiberty made of a mangled name. Out: the tree of a shorter name.
 */

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
