/* SPDX-License-Identifier: MIT */
/*
 * pack_encode.c - encodes the names that a pack is to hold.
 *
 * In: what a builder has collected. Out: bytes, packed with zlib.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "pack/pack_building.h"
#include "pack/pack_format.h"

struct writer {
	const struct pack_builder *b;
	unsigned char *bytes;
	size_t n, size;
	bool has_code; /* modules have pieces of code */
	bool is_out;   /* of memory */
};

static void put_bytes(struct writer *w, const void *bytes, size_t n)
{
	w->is_out |= !array_reserve(&w->bytes, &w->size, w->n + n, 1);
	if (w->is_out || !n)
		return;
	memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
}

static void put(struct writer *w, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	put_bytes(w, bytes, n);
}

/* A number that may be absent. */
static void put_reference(struct writer *w, uint32_t number)
{
	put(w, number == PACK_NONE ? 0 : (uint64_t)number + 1);
}

static void put_text(struct writer *w, struct pack_text text)
{
	put(w, text.length);
	put_bytes(w, text.bytes, text.length);
}

/* ---- modules ----------------------------------------------------------------------------------- */

static void put_symbols(struct writer *w, const struct strings *symbols)
{
	put(w, strings_count(symbols));
	for (size_t i = 0; i < strings_count(symbols); i++) {
		struct pack_symbol s;

		memcpy(&s, strings_get(symbols, (uint32_t)i, NULL), sizeof(s));
		put(w, s.start);
		put(w, s.end);
		put_reference(w, s.text);
		put(w, s.is_stub ? PACK_SYMBOL_IS_STUB : 0);
	}
}

static void put_ranges(struct writer *w, const struct strings *ranges)
{
	put(w, strings_count(ranges));
	for (size_t i = 0; i < strings_count(ranges); i++) {
		struct pack_range r;

		memcpy(&r, strings_get(ranges, (uint32_t)i, NULL), sizeof(r));
		put(w, r.start);
		put(w, r.end);
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct pack_place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void put_place(struct writer *w, const struct pack_place *p, uint64_t before)
{
	const struct pack_function *f = w->b->functions + p->first;

	put(w, p->address - before);
	put_reference(w, p->symbol);
	put_reference(w, p->range);
	put(w, p->n_functions);
	for (size_t i = 0; i < p->n_functions; i++) {
		put_reference(w, f[i].name);
		put_reference(w, f[i].file);
		put_reference(w, f[i].directory);
		put(w, f[i].line);
		put(w, f[i].column);
	}
}

static void put_pieces(struct writer *w, const struct building_module *m)
{
	put(w, m->n_pieces);
	for (size_t i = 0; i < m->n_pieces; i++) {
		put(w, m->pieces[i].start);
		put(w, m->pieces[i].end - m->pieces[i].start);
		put_text(w, m->pieces[i].code);
	}
}

static int compare_pieces(const void *a, const void *b)
{
	const struct pack_piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static bool is_same(const struct pack_builder *b, const struct pack_place *x,
		    const struct pack_place *y)
{
	if (x->symbol != y->symbol || x->range != y->range || x->n_functions != y->n_functions)
		return false;
	return !x->n_functions || !memcmp(b->functions + x->first, b->functions + y->first,
					  x->n_functions * sizeof(*b->functions));
}

/* In a piece of code those places are left out that are as the one before. Returns how many are left. */
static size_t sort_places(const struct pack_builder *b, const struct building_module *m)
{
	struct pack_place *p = m->places, last = {0};
	const struct pack_piece *piece;
	size_t n = 0;

	if (m->n_pieces) /* a null pointer must not be sorted */
		qsort(m->pieces, m->n_pieces, sizeof(*m->pieces), compare_pieces);
	if (m->n_places)
		qsort(p, m->n_places, sizeof(*p), compare_places);
	for (size_t i = 0; i < m->n_places; i++) {
		const struct pack_place at = p[i];

		piece = pack_names_piece_before(m->pieces, m->n_pieces, at.address);
		if (!n || !pack_names_joins(piece, last.address, at.address) ||
		    !is_same(b, &last, &at))
			p[n++] = at;
		last = at;
	}
	return n;
}

static void put_module(struct writer *w, const struct building_module *m)
{
	size_t n = sort_places(w->b, m);

	put_text(w, m->path);
	put_text(w, m->build_id);
	put(w, (m->is_vdso ? PACK_MODULE_IS_VDSO : 0) | (m->has_file ? PACK_MODULE_HAS_FILE : 0));
	put_reference(w, m->warning);
	put_symbols(w, m->symbols);
	put_ranges(w, m->ranges);
	put(w, n);
	for (size_t i = 0; i < n; i++)
		put_place(w, &m->places[i], i ? m->places[i - 1].address : 0);
	if (w->has_code)
		put_pieces(w, m);
}

static int compare_modules(const void *a, const void *b)
{
	const struct building_module *x = *(struct building_module *const *)a,
				     *y = *(struct building_module *const *)b;
	const struct pack_module p = {x->path, x->build_id, x->is_vdso, .warning = 0},
				 q = {y->path, y->build_id, y->is_vdso, .warning = 0};

	return pack_names_compare(&p, &q);
}

static void put_modules(struct writer *w)
{
	size_t n = w->b->n_modules;
	struct building_module **list = calloc(n + 1, sizeof(struct building_module *));

	w->is_out |= !list;
	put(w, n);
	for (size_t i = 0; list && i < n; i++)
		list[i] = &w->b->modules[i];
	if (list)
		qsort(list, n, sizeof(struct building_module *), compare_modules);
	for (size_t i = 0; list && i < n; i++)
		put_module(w, list[i]);
	free(list);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void put_texts(struct writer *w)
{
	size_t n = strings_count(w->b->texts), length;

	put(w, n);
	for (size_t i = 0; i < n; i++) {
		const char *text = strings_get(w->b->texts, (uint32_t)i, &length);

		put_bytes(w, text, length + 1); /* with the NUL */
	}
}

static void put_excerpts(struct writer *w)
{
	put(w, w->b->n_excerpts);
	for (size_t i = 0; i < w->b->n_excerpts; i++) {
		const struct pack_excerpt *e = &w->b->excerpts[i];

		put_reference(w, e->path);
		put(w, e->line);
		put(w, e->n);
		for (uint32_t k = 0; k < e->n; k++)
			put_reference(w, e->lines[k]);
	}
}

/* What repeats itself more than a reader allows is not made smaller at all. */
static unsigned char *pack(const unsigned char *bytes, size_t n, int level, size_t *packed)
{
	uLongf room = compressBound(n);
	unsigned char *to = malloc(PACK_SIZE_BYTES + room);

	if (!to || compress2(to + PACK_SIZE_BYTES, &room, bytes, n, level) != Z_OK) {
		free(to);
		return NULL;
	}
	for (unsigned i = 0; i < PACK_SIZE_BYTES; i++)
		to[i] = (unsigned char)(n >> 8 * i);
	*packed = PACK_SIZE_BYTES + room;
	if (n / PACK_RATIO_MAX <= room)
		return to;
	free(to);
	return pack(bytes, n, Z_NO_COMPRESSION, packed);
}

unsigned char *pack_builder_encode(const struct pack_builder *b, bool has_code, size_t *n,
				   struct error *err)
{
	struct writer w = {.b = b, .has_code = has_code};
	unsigned char *packed = NULL;

	put_texts(&w);
	put_modules(&w);
	put_excerpts(&w);
	if (w.n > PACK_BYTES_MAX)
		error_set(err, "--pack: the %s have %zu bytes, and those in a pack at most %u",
			  has_code ? "instructions" : "names", w.n, (unsigned)PACK_BYTES_MAX);
	else if (!w.is_out)
		packed = pack(w.bytes, w.n, Z_DEFAULT_COMPRESSION, n);
	if (!packed && w.n <= PACK_BYTES_MAX)
		error_memory(err);
	free(w.bytes);
	return packed;
}
