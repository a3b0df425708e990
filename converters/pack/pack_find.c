/* SPDX-License-Identifier: MIT */
/*
 * pack_find.c - looks something up in the names of a pack.
 *
 * In: modules, addresses, lines. Out: what the pack says of them.
 */
#include <stdlib.h>
#include <string.h>

#include "pack/pack_names.h"

static int compare_texts(struct pack_text a, struct pack_text b)
{
	size_t n = a.length < b.length ? a.length : b.length;
	int order = n ? memcmp(a.bytes, b.bytes, n) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

int pack_names_compare(const struct pack_module *a, const struct pack_module *b)
{
	int order = compare_texts(a->path, b->path);

	if (!order)
		order = compare_texts(a->build_id, b->build_id);
	return order ? order : a->is_vdso - b->is_vdso;
}

static int compare_modules(const void *a, const void *b)
{
	return pack_names_compare(a, b);
}

const struct pack_module *pack_names_module(const struct pack_names *names, struct pack_text path,
					    struct pack_text build_id, bool is_vdso)
{
	const struct pack_module key = {.path = path, .build_id = build_id, .is_vdso = is_vdso};

	if (!names->n_modules) /* a null pointer must not be searched */
		return NULL;
	return bsearch(&key, names->modules, names->n_modules, sizeof(key), compare_modules);
}

const struct pack_piece *pack_names_piece_before(const struct pack_piece *pieces, size_t n,
						 uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (pieces[middle].start <= address)
			low = middle + 1;
		else
			n = middle;
	}
	return low ? &pieces[low - 1] : NULL;
}

const struct pack_place *pack_names_place(const struct pack_module *module, uint64_t address)
{
	size_t low = 0, high = module->n_places;
	const struct pack_place *p;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module->places[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	p = low ? &module->places[low - 1] : NULL;
	if (!p || p->address == address)
		return p;
	return pack_names_joins(pack_names_piece_before(module->pieces, module->n_pieces, address),
				p->address, address)
		       ? p
		       : NULL;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct pack_piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

const struct pack_piece *pack_names_piece(const struct pack_module *module, uint64_t start,
					  uint64_t end)
{
	const struct pack_piece key = {.start = start, .end = end};

	if (!module->n_pieces)
		return NULL;
	return bsearch(&key, module->pieces, module->n_pieces, sizeof(key), compare_pieces);
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* By path and line. */
static int compare_excerpts(const void *a, const void *b, void *all)
{
	const struct pack_names *names = all;
	const struct pack_excerpt *x = a, *y = b;
	int order = strcmp(pack_names_text(names, x->path), pack_names_text(names, y->path));

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

void pack_names_sort_excerpts(struct pack_names *names)
{
	if (names->n_excerpts)
		qsort_r(names->excerpts, names->n_excerpts, sizeof(*names->excerpts),
			compare_excerpts, names);
}

/* How many excerpts are of files before this one, or begin in it at this line or before. */
static size_t count_before(const struct pack_names *names, const char *path, uint32_t line)
{
	size_t low = 0, high = names->n_excerpts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pack_excerpt *e = &names->excerpts[middle];
		int order = strcmp(pack_names_text(names, e->path), path);

		if (order < 0 || (order == 0 && e->line <= line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool pack_names_has_file(const struct pack_names *names, const char *path)
{
	size_t i = count_before(names, path, 0);

	return i < names->n_excerpts &&
	       !strcmp(pack_names_text(names, names->excerpts[i].path), path);
}

const char *pack_names_line(const struct pack_names *names, const char *path, uint32_t line)
{
	size_t n = count_before(names, path, line);
	const struct pack_excerpt *e = n ? &names->excerpts[n - 1] : NULL;

	if (!e || line < e->line || line - e->line >= e->n ||
	    strcmp(pack_names_text(names, e->path), path) != 0)
		return NULL;
	return pack_names_text(names, e->lines[line - e->line]);
}
