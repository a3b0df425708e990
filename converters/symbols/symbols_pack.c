/* SPDX-License-Identifier: MIT */
/*
 * symbols_pack.c - adds what files say of addresses to what a pack is to hold.
 *
 * In: frames of a profile, the files of its modules. Out: places.
 */
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pack/pack_builder.h"
#include "symbols/symbols_locate.h"

struct packing {
	struct symbols *s;
	struct pack_builder *b;
	bool with_lines;
	uint32_t *modules; /* in the pack, by module of the profile; PACK_NONE: not yet */
	struct pack_function *functions;
	size_t functions_size;
	struct error *err;
};

static const char *name_of(const struct packing *p, uint32_t number)
{
	return strings_get(p->s->profile->strings, number, NULL);
}

static bool add_text(struct packing *p, const char *text, uint32_t *number)
{
	*number = text ? pack_builder_text(p->b, text) : PACK_NONE;
	return !text || *number != PACK_NONE;
}

static struct pack_module key_of(const struct symbols *s, uint32_t module)
{
	const struct profile_module *of = &s->profile->modules[module];
	struct pack_module key = {
		.build_id = {(const char *)of->build_id, of->build_id_bytes},
		.is_vdso = of->is_vdso,
	};

	if (of->path != STRINGS_NONE)
		key.path.bytes = strings_get(s->profile->strings, of->path, &key.path.length);
	return key;
}

static int find_module(struct packing *p, uint32_t module)
{
	const struct pack_module key = key_of(p->s, module);

	if (p->modules[module] == PACK_NONE)
		p->modules[module] = pack_builder_module(p->b, &key);
	return p->modules[module] == PACK_NONE ? error_memory(p->err) : 0;
}

/* ---- a place ----------------------------------------------------------------------------------- */

/* The names that files give are counted, so each is asked for once, and kept as a view would keep it. */
static int symbol_of(struct packing *p, const struct symbols_location *l, struct pack_symbol *to)
{
	struct symbol *from = l->symbol;
	size_t n;

	if (from->name == STRINGS_NONE) {
		const char *text = symbols_location_text(p->s, l, &n);

		from->name = strings_add(p->s->profile->strings, text, n);
	}
	*to = (struct pack_symbol){
		.start = from->start, .end = from->end, .is_stub = from->is_stub};
	if (from->name == STRINGS_NONE || !add_text(p, name_of(p, from->name), &to->text))
		return error_memory(p->err);
	return 0;
}

static int function_name(struct packing *p, const struct symbols_location *l,
			 const struct debug_function *f, uint32_t *name)
{
	const char *text = NULL;

	*name = PACK_NONE;
	if (!f->name)
		return 0;
	if (*f->name == STRINGS_NONE) {
		if (symbols_location_function_text(p->s, l, f, &text, p->err))
			return -1;
		if (text)
			*f->name = strings_add(p->s->profile->strings, text, strlen(text));
		if (text && *f->name == STRINGS_NONE)
			return error_memory(p->err);
	}
	if (*f->name != STRINGS_NONE && !add_text(p, name_of(p, *f->name), name))
		return error_memory(p->err);
	return 0;
}

/* Paths are made as views make them. */
static int note_line(struct packing *p, const struct debug_function *f)
{
	uint32_t path;
	char *text;
	bool ok;

	if (!p->with_lines || !f->file || f->line <= 0)
		return 0;
	if (asprintf(&text, "%s%s%s", f->directory ? f->directory : "", f->directory ? "/" : "",
		     f->file) < 0)
		return error_memory(p->err);
	ok = add_text(p, text, &path);
	free(text);
	return ok && !pack_builder_line(p->b, path, (uint32_t)f->line) ? 0 : error_memory(p->err);
}

static int functions_of(struct packing *p, const struct symbols_location *l, size_t *n)
{
	const struct debug_function *list;

	if (symbols_location_functions(p->s, l, &list, n, p->err))
		return -1;
	if (!array_reserve(&p->functions, &p->functions_size, *n + 1, sizeof(*p->functions)))
		return error_memory(p->err);
	for (size_t i = 0; i < *n; i++) {
		struct pack_function *to = &p->functions[i];

		if (function_name(p, l, &list[i], &to->name) || note_line(p, &list[i]))
			return -1;
		if (!add_text(p, list[i].file, &to->file) ||
		    !add_text(p, list[i].file ? list[i].directory : NULL, &to->directory))
			return error_memory(p->err);
		to->line = list[i].file ? (uint32_t)list[i].line : 0;
		to->column = list[i].file ? (uint32_t)list[i].column : 0;
	}
	return 0;
}

static int add_place(struct packing *p, uint32_t module, const struct symbols_location *l)
{
	struct pack_symbol symbol;
	struct pack_range range;
	size_t n;

	if ((l->symbol && symbol_of(p, l, &symbol)) || functions_of(p, l, &n))
		return -1;
	if (l->range)
		range = (struct pack_range){l->range->start, l->range->end};
	if (pack_builder_add(p->b, module, l->address, l->symbol ? &symbol : NULL,
			     l->range ? &range : NULL, p->functions, n))
		return error_memory(p->err);
	return 0;
}

static int add_frame(struct packing *p, const struct profile_frame *frame)
{
	struct symbols_location l;
	const char *warning;
	uint32_t module, text, file, line;

	if (p->with_lines && profile_has_line(frame, &file, &line))
		return add_text(p, name_of(p, file), &text) && !pack_builder_line(p->b, text, line)
			       ? 0
			       : error_memory(p->err);
	if (frame->module >= p->s->profile->n_modules)
		return 0;
	if (find_module(p, frame->module))
		return -1;
	module = p->modules[frame->module];
	if (pack_builder_has(p->b, module, frame->address))
		return 0;
	if (symbols_locate(p->s, frame->module, frame->address, &l, p->err))
		return -1;
	if (!l.m->label)
		return 0;
	warning = symbols_module_warning(p->s, frame->module);
	if (!add_text(p, warning, &text))
		return error_memory(p->err);
	pack_builder_describe(p->b, module, l.has_file, text);
	return add_place(p, module, &l);
}

int symbols_pack(struct symbols *s, struct pack_builder *b, const struct profile_frame *frames,
		 size_t n, bool with_lines, struct error *err)
{
	const struct profile *profile = s->profile;
	struct packing p = {.s = s, .b = b, .with_lines = with_lines, .err = err};
	int status = 0;

	p.modules = calloc(profile->n_modules + 1, sizeof(*p.modules));
	if (!p.modules)
		return error_memory(err);
	for (size_t i = 0; i < profile->n_modules; i++)
		p.modules[i] = PACK_NONE;
	for (size_t i = 0; !status && i < n; i++)
		status = add_frame(&p, &frames[i]);
	free(p.modules);
	free(p.functions);
	return status;
}

/* ---- code -------------------------------------------------------------------------------------- */

int symbols_pack_extent(struct symbols *s, const struct profile_frame *frame, uint64_t *start,
			uint64_t *end, struct error *err)
{
	struct symbols_location l;

	*start = *end = 0;
	if (frame->module >= s->profile->n_modules)
		return 0;
	if (symbols_locate(s, frame->module, frame->address, &l, err))
		return -1;
	if (!l.m->label || !l.has_file)
		return 0;
	if (l.symbol) {
		*start = l.symbol->start;
		*end = l.symbol->end > l.symbol->start ? l.symbol->end : 0;
	} else if (l.range) {
		*start = l.range->start;
	}
	if (!*end && l.range)
		*end = l.range->end;
	return 0;
}

int symbols_pack_code(struct symbols *s, struct pack_builder *b, uint32_t module,
		      const struct pack_piece *piece, struct error *err)
{
	const struct pack_module key = key_of(s, module);
	uint32_t number = pack_builder_module(b, &key);
	int rc = number == PACK_NONE ? -1 : pack_builder_code(b, number, piece);

	return rc < 0 ? error_memory(err) : rc;
}
