/* SPDX-License-Identifier: MIT */
/*
 * pack_builder.c - collects and encodes the names that a pack is to hold.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "pack/pack_builder.h"

/* ---- pack builder ---------------------------------------------------------------------------- */

struct pack_builder *pack_builder_new(void)
{
	struct pack_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->texts = strings_new();
	b->keys = strings_new();
	if (b->texts && b->keys)
		return b;
	pack_builder_free(b);
	return NULL;
}

static void module_free(struct building_module *m)
{
	if (m->symbols)
		strings_free(m->symbols);
	if (m->ranges)
		strings_free(m->ranges);
	if (m->addresses)
		strings_free(m->addresses);
	if (m->extents)
		strings_free(m->extents);
	for (size_t i = 0; i < m->n_pieces; i++)
		free((char *)m->pieces[i].code.bytes);
	free(m->pieces);
	free((char *)m->path.bytes);
	free((char *)m->build_id.bytes);
	free(m->places);
}

void pack_builder_free(struct pack_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_modules; i++)
		module_free(&b->modules[i]);
	for (size_t i = 0; i < b->n_excerpts; i++)
		free(b->excerpts[i].lines);
	if (b->texts)
		strings_free(b->texts);
	if (b->keys)
		strings_free(b->keys);
	free(b->modules);
	free(b->functions);
	free(b->excerpts);
	free(b->lines);
	free(b);
}

uint32_t pack_builder_text(struct pack_builder *b, const char *text)
{
	return strings_add(b->texts, text, strlen(text));
}

const char *pack_builder_get(const struct pack_builder *b, uint32_t text)
{
	return strings_get(b->texts, text, NULL);
}

/* ---- modules ----------------------------------------------------------------------------------- */

/* NULL bytes: out of memory. */
static struct pack_text copy_text(struct pack_text from)
{
	char *copy = malloc(from.length + 1);

	if (copy && from.length)
		memcpy(copy, from.bytes, from.length);
	return (struct pack_text){copy, from.length};
}

static int add_module(struct pack_builder *b, const struct pack_module *module)
{
	struct building_module *m;

	if (!array_reserve(&b->modules, &b->modules_size, b->n_modules + 1, sizeof(*b->modules)))
		return -1;
	m = &b->modules[b->n_modules++];
	*m = (struct building_module){
		.path = copy_text(module->path),
		.build_id = copy_text(module->build_id),
		.is_vdso = module->is_vdso,
		.warning = PACK_NONE,
		.symbols = strings_new(),
		.ranges = strings_new(),
		.addresses = strings_new(),
		.extents = strings_new(),
	};
	return m->path.bytes && m->build_id.bytes && m->symbols && m->ranges && m->addresses &&
			       m->extents
		       ? 0
		       : -1;
}

/* The key of a module is its path, a NUL if the module is the vDSO, and its build id. As the path's
 * length is part of it, no two modules have the same. */
uint32_t pack_builder_module(struct pack_builder *b, const struct pack_module *module)
{
	const size_t path = module->path.length, id = module->build_id.length;
	char *key = malloc(sizeof(path) + path + 1 + id);
	uint32_t number;

	if (!key)
		return PACK_NONE;
	memcpy(key, &path, sizeof(path));
	if (path)
		memcpy(key + sizeof(path), module->path.bytes, path);
	key[sizeof(path) + path] = module->is_vdso;
	if (id)
		memcpy(key + sizeof(path) + path + 1, module->build_id.bytes, id);
	number = strings_add(b->keys, key, sizeof(path) + path + 1 + id);
	free(key);
	return number == b->n_modules && add_module(b, module) ? PACK_NONE : number;
}

void pack_builder_describe(struct pack_builder *b, uint32_t module, bool has_file, uint32_t warning)
{
	b->modules[module].has_file |= has_file;
	if (b->modules[module].warning == PACK_NONE)
		b->modules[module].warning = warning;
}

/* ---- places ------------------------------------------------------------------------------------ */

bool pack_builder_has(const struct pack_builder *b, uint32_t module, uint64_t address)
{
	return strings_find(b->modules[module].addresses, (const char *)&address,
			    sizeof(address)) != STRINGS_NONE;
}

/* The number of a thing among those that the table has. */
static bool number_of(struct strings *table, const void *bytes, size_t n, uint32_t *number)
{
	*number = PACK_NONE;
	if (!bytes)
		return true;
	*number = strings_add(table, bytes, n);
	return *number != PACK_NONE;
}

/* Without the bytes between the members, whose value is not defined. */
static bool number_of_symbol(struct building_module *m, const struct pack_symbol *symbol,
			     uint32_t *number)
{
	struct pack_symbol key;

	if (!symbol)
		return number_of(m->symbols, NULL, 0, number);
	memset(&key, 0, sizeof(key));
	key.start = symbol->start;
	key.end = symbol->end;
	key.text = symbol->text;
	key.is_stub = symbol->is_stub;
	return number_of(m->symbols, &key, sizeof(key), number);
}

int pack_builder_add(struct pack_builder *b, uint32_t module, uint64_t address,
		     const struct pack_symbol *symbol, const struct pack_range *range,
		     const struct pack_function *functions, size_t n)
{
	struct building_module *m = &b->modules[module];
	struct pack_place place = {
		.address = address, .first = b->n_functions, .n_functions = (uint32_t)n};
	uint32_t number;

	if (!number_of(m->addresses, &address, sizeof(address), &number))
		return -1;
	if (number != m->n_places)
		return 0;
	if (!number_of_symbol(m, symbol, &place.symbol) ||
	    !number_of(m->ranges, range, sizeof(*range), &place.range) ||
	    !array_reserve(&m->places, &m->places_size, m->n_places + 1, sizeof(*m->places)) ||
	    !array_reserve(&b->functions, &b->functions_size, b->n_functions + n,
			   sizeof(*b->functions)))
		return -1;
	m->places[m->n_places++] = place;
	if (n)
		memcpy(b->functions + b->n_functions, functions, n * sizeof(*functions));
	b->n_functions += n;
	return 0;
}

/* ---- code -------------------------------------------------------------------------------------- */

int pack_builder_code(struct pack_builder *b, uint32_t module, const struct pack_piece *piece)
{
	struct building_module *m = &b->modules[module];
	const uint64_t key[] = {piece->start, piece->end};
	struct pack_text copy;

	if (strings_find(m->extents, (const char *)key, sizeof(key)) != STRINGS_NONE)
		return 1;
	if (!array_reserve(&m->pieces, &m->pieces_size, m->n_pieces + 1, sizeof(*m->pieces)) ||
	    strings_add(m->extents, (const char *)key, sizeof(key)) == STRINGS_NONE)
		return -1;
	copy = copy_text(piece->code);
	if (!copy.bytes)
		return -1;
	m->pieces[m->n_pieces++] = (struct pack_piece){piece->start, piece->end, copy};
	return 0;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* The same line often comes several times in turn. */
int pack_builder_line(struct pack_builder *b, uint32_t path, uint32_t line)
{
	const struct building_line *last = b->n_lines ? &b->lines[b->n_lines - 1] : NULL;

	if (last && last->path == path && last->line == line)
		return 0;
	if (!array_reserve(&b->lines, &b->lines_size, b->n_lines + 1, sizeof(*b->lines)))
		return -1;
	b->lines[b->n_lines++] = (struct building_line){path, line};
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct building_line *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

bool pack_builder_lines(struct pack_builder *b, uint32_t context, size_t *at,
			struct pack_excerpt *excerpt)
{
	const struct building_line *first = &b->lines[*at], *last = first;

	if (*at == 0 && b->n_lines)
		qsort(b->lines, b->n_lines, sizeof(*b->lines), compare_lines);
	if (*at >= b->n_lines)
		return false;
	while (++*at < b->n_lines && b->lines[*at].path == first->path &&
	       b->lines[*at].line - last->line <= 2 * context + 1)
		last = &b->lines[*at];
	*excerpt = (struct pack_excerpt){
		.path = first->path,
		.line = first->line > context ? first->line - context : 1,
	};
	excerpt->n = last->line - excerpt->line + 1 + context;
	return true;
}

int pack_builder_excerpt(struct pack_builder *b, uint32_t path, uint32_t line,
			 const uint32_t *texts, size_t n)
{
	struct pack_excerpt e = {.path = path, .line = line, .n = (uint32_t)n};

	if (!array_reserve(&b->excerpts, &b->excerpts_size, b->n_excerpts + 1,
			   sizeof(*b->excerpts)))
		return -1;
	e.lines = calloc(n + 1, sizeof(*e.lines));
	if (!e.lines)
		return -1;
	memcpy(e.lines, texts, n * sizeof(*texts));
	b->excerpts[b->n_excerpts++] = e;
	return 0;
}

/* ---- pack encode ----------------------------------------------------------------------------- */
/*
 * Encodes the names that a pack is to hold.
 *
 * In: what a builder has collected. Out: bytes, packed with zlib.
 */

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
