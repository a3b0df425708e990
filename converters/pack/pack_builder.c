/* SPDX-License-Identifier: MIT */
/*
 * pack_builder.c - collects the names that a pack is to hold.
 *
 * In: symbols, ranges and functions at addresses. Out: a list of each.
 */
#include "pack/pack_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pack/pack_building.h"

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
