/* SPDX-License-Identifier: MIT */
/*
 * demangle.c - mangled names made readable within bounds.
 *
 * In: a symbol's name. Out: the name for the user.
 *
 * The work is libiberty's. A mangled name is a little program (it refers back to parts of itself),
 * and a forged one of some hundred bytes can unfold to terabytes. libiberty limits its recursion,
 * not its output; we do that from its callback, and leave by longjmp, since it takes no answer. Its
 * C++ printer holds nothing on the heap then, its Rust part at most one identifier.
 */
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbols/demangle_cost.h"

#define MANGLED_BYTES_MAX 100000
/* libiberty's C++ parser takes at most 128 bytes of stack for each byte of the name. */
#define CPLUS_BYTES_MAX	   8192
#define READABLE_BYTES_MAX 65536
#define OPTIONS		   (DMGL_PARAMS | DMGL_ANSI)

struct readable {
	char *bytes;
	size_t n, capacity;
	void *nodes; /* of a C++ name's tree */
	jmp_buf give_up;
};

static void take_piece(const char *piece, size_t n, void *context)
{
	struct readable *r = context;

	if (n == 0) /* then the piece may be NULL */
		return;
	if (n > READABLE_BYTES_MAX - r->n)
		longjmp(r->give_up, 1);
	if (n >= r->capacity - r->n) {
		size_t capacity = (r->n + n + 1) * 2;
		char *grown = realloc(r->bytes, capacity);

		if (!grown)
			longjmp(r->give_up, 1);
		r->bytes = grown;
		r->capacity = capacity;
	}
	memcpy(r->bytes + r->n, piece, n);
	r->n += n;
	r->bytes[r->n] = '\0';
}

static bool is_mangled(const char *name, size_t bytes)
{
	return bytes >= 3 && bytes <= MANGLED_BYTES_MAX && name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R');
}

static bool unfold_rust(const char *name, struct readable *r)
{
	return rust_demangle_callback(name, OPTIONS, take_piece, r) && r->n > 0;
}

/*
 * libiberty makes trees only with its first reading of "sr" (an unresolved name); if that fails,
 * the name is left to its other door, which tries both, but lets nobody see the tree.
 */
static bool unfold_unseen(const char *name, struct readable *r)
{
	if (!strstr(name, "sr") || demangle_has_pack(name))
		return false;
	return cplus_demangle_v3_callback(name, OPTIONS, take_piece, r) && r->n > 0;
}

/* The tree has at most two nodes for each byte of the name. */
static bool unfold_cplus(const char *name, size_t bytes, struct readable *r)
{
	struct demangle_component *tree;

	r->n = 0;
	if (bytes > CPLUS_BYTES_MAX || !demangle_parses_fast(name))
		return false;
	tree = cplus_demangle_v3_components(name, OPTIONS, &r->nodes);
	if (!tree)
		return unfold_unseen(name, r);
	if (!demangle_prints_fast(tree, r->nodes, 2 * bytes))
		return false;
	return cplus_demangle_print_callback(OPTIONS, tree, take_piece, r) && r->n > 0;
}

/* Rust first: its older names are also valid in C++, with a hash at the end. */
static bool unfold(const char *name, size_t bytes, struct readable *r)
{
	if (setjmp(r->give_up))
		return false;
	return unfold_rust(name, r) || unfold_cplus(name, bytes, r);
}

static char *readable_name(const char *name, size_t bytes)
{
	struct readable r = {0};
	bool is_readable;

	if (!is_mangled(name, bytes))
		return NULL;
	is_readable = unfold(name, bytes, &r);
	free(r.nodes);
	if (is_readable)
		return r.bytes;
	free(r.bytes);
	return NULL;
}

/* The function that constructs or destroys what is global in a file has the name of something in that
 * file, its key, behind these bytes. */
#define KEY_AT 11

static bool has_key(const char *name, size_t bytes)
{
	return bytes > KEY_AT && bytes <= MANGLED_BYTES_MAX && strncmp(name, "_GLOBAL_", 8) == 0 &&
	       strchr("._$", name[8]) && strchr("ID", name[9]) && name[10] == '_';
}

/* libiberty would do that too, but only through its door that lets nobody see the tree of the key. */
static char *keyed_name(const char *name, size_t bytes)
{
	const char *key = name + KEY_AT, *what = name[9] == 'I' ? "constructors" : "destructors";
	char *readable = readable_name(key, bytes - KEY_AT), *text = NULL;

	if (asprintf(&text, "global %s keyed to %s", what, readable ? readable : key) < 0)
		text = NULL;
	free(readable);
	return text;
}

char *demangle_name(const char *name, size_t bytes)
{
	return has_key(name, bytes) ? keyed_name(name, bytes) : readable_name(name, bytes);
}
