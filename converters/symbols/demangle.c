/* SPDX-License-Identifier: MIT */
/*
 * demangle.c - demangles C++ and Rust names within bounds.
 *
 * In: a symbol's name. Out: the name for the user.
 *
 * libiberty does the demangling. A mangled name may refer back to parts of itself, so that a forged
 * name of some hundred bytes can unfold to terabytes. libiberty limits its recursion, but not its
 * output. The callback that takes the output limits it, and ends the work by longjmp, because the
 * callback has no return value. At that time libiberty's C++ printer holds no memory on the heap;
 * its Rust part holds at most one identifier.
 */
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbols/demangle_cost.h"
#include "symbols/demangle_short.h"
#include "symbols/short_text.h"

#define MANGLED_BYTES_MAX 100000
/* libiberty's C++ parser takes at most 128 bytes of stack for each byte of the name. */
#define CPLUS_BYTES_MAX	   8192
#define READABLE_BYTES_MAX 65536
#define OPTIONS		   (DMGL_PARAMS | DMGL_ANSI)

struct readable {
	char *bytes;
	size_t n, capacity;
	enum demangle_form form;
	void *nodes; /* the memory of a C++ name's tree */
	struct demangle_component spare[DEMANGLE_SPARE];
	jmp_buf give_up;
};

static void take_piece(const char *piece, size_t n, void *context)
{
	struct readable *r = context;

	if (n == 0) /* the piece may be NULL */
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

/* libiberty shows no tree of a name of Rust, so it is shortened as text. */
static bool unfold_rust(const char *name, struct readable *r)
{
	if (!rust_demangle_callback(name, OPTIONS, take_piece, r) || r->n == 0)
		return false;
	if (r->form == DEMANGLE_SHORT) {
		size_t n = short_text_strip(r->bytes, r->bytes, r->n);

		r->bytes[n ? n : r->n] = '\0';
	}
	return true;
}

/*
 * libiberty has two ways to parse "sr" (an unresolved name). The function that returns the tree
 * tries only the first. If that fails, the name is passed to libiberty's other function, which
 * tries both, but does not show its tree, so that the cost is not known before printing.
 */
static bool unfold_unseen(const char *name, struct readable *r)
{
	if (r->form != DEMANGLE_FULL || !strstr(name, "sr") || demangle_has_pack(name))
		return false;
	return cplus_demangle_v3_callback(name, OPTIONS, take_piece, r) && r->n > 0;
}

/* The number of nodes is not known, but a tree has at most two for each byte of the name. */
static bool unfold_cplus(const char *name, size_t bytes, struct readable *r)
{
	struct demangle_spare spare = {.nodes = r->spare};
	struct demangle_component *tree;

	r->n = 0;
	if (bytes > CPLUS_BYTES_MAX || !demangle_parses_fast(name))
		return false;
	tree = cplus_demangle_v3_components(name, OPTIONS, &r->nodes);
	if (!tree)
		return unfold_unseen(name, r);
	if (!demangle_prints_fast(tree, r->nodes, 2 * bytes))
		return false;
	tree = demangle_shorten(tree, r->nodes, 2 * bytes, r->form, &spare);
	return tree && cplus_demangle_print_callback(OPTIONS, tree, take_piece, r) && r->n > 0;
}

/* Rust is tried first, because Rust's older mangled names are also valid C++ names, which end in a
 * hash. */
static bool unfold(const char *name, size_t bytes, struct readable *r)
{
	if (setjmp(r->give_up))
		return false;
	return unfold_rust(name, r) || unfold_cplus(name, bytes, r);
}

static char *readable_name(const char *name, size_t bytes, enum demangle_form form)
{
	struct readable r = {.form = form};
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

/* The function that constructs or destroys the global objects of a source file is named after a
 * symbol of that file, its key. The key begins at this byte of the name. */
#define KEY_AT 11

static bool has_key(const char *name, size_t bytes)
{
	return bytes > KEY_AT && bytes <= MANGLED_BYTES_MAX && strncmp(name, "_GLOBAL_", 8) == 0 &&
	       strchr("._$", name[8]) && strchr("ID", name[9]) && name[10] == '_';
}

/* libiberty would also demangle this name, but only with its function that does not show the tree
 * of the key. */
static char *keyed_name(const char *name, size_t bytes, enum demangle_form form)
{
	const char *key = name + KEY_AT, *what = name[9] == 'I' ? "constructors" : "destructors";
	char *readable = readable_name(key, bytes - KEY_AT, form), *text = NULL;

	if (asprintf(&text, "global %s keyed to %s", what, readable ? readable : key) < 0)
		text = NULL;
	free(readable);
	return text;
}

char *demangle_to(const char *name, size_t bytes, enum demangle_form form)
{
	return has_key(name, bytes) ? keyed_name(name, bytes, form)
				    : readable_name(name, bytes, form);
}

char *demangle_name(const char *name, size_t bytes)
{
	return demangle_to(name, bytes, DEMANGLE_FULL);
}
