/* SPDX-License-Identifier: MIT */
/*
 * symbols_packed.c - finds what packs say of an address.
 *
 * In: the names in packs. Out: symbols, ranges and functions, as the files of modules would give them.
 *
 * What is found out later, such as the name of a symbol in the string table, is kept here, because the
 * names of a pack do not change.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/symbols_module.h"

/* The tables of a pack itself, when the first module is found in it. */
static int begin_texts(struct symbols *s, size_t pack)
{
	const struct pack_names *names = pack_set_get(s->profile->packs, pack);
	struct packed_texts *t = &s->packs[pack];

	if (t->names)
		return 0;
	t->names = calloc(names->n_texts + 1, sizeof(*t->names));
	if (!t->names)
		return -1;
	for (size_t i = 0; i < names->n_texts; i++)
		t->names[i] = STRINGS_NONE;
	t->text_left = 8 * names->text_bytes;
	return 0;
}

static int fill_module(struct packed_module *p)
{
	const struct pack_module *of = p->of;

	p->symbols = calloc(of->n_symbols + 1, sizeof(*p->symbols));
	p->ranges = calloc(of->n_ranges + 1, sizeof(*p->ranges));
	if (!p->symbols || !p->ranges)
		return -1;
	for (size_t i = 0; i < of->n_symbols; i++)
		p->symbols[i] = (struct symbol){
			.start = of->symbols[i].start,
			.end = of->symbols[i].end,
			.name = STRINGS_NONE,
			.text = of->symbols[i].text,
			.is_stub = of->symbols[i].is_stub,
		};
	for (size_t i = 0; i < of->n_ranges; i++)
		p->ranges[i] = (struct eh_frame_function){
			.start = of->ranges[i].start,
			.end = of->ranges[i].end,
			.name = STRINGS_NONE,
		};
	return 0;
}

/* The module's warning is that of when it was packed. */
static int add_module(struct symbols *s, struct module_names *m, size_t pack,
		      const struct pack_module *of)
{
	const struct pack_names *names = pack_set_get(s->profile->packs, pack);
	size_t room = m->n_packed;

	if (begin_texts(s, pack) ||
	    !array_reserve(&m->packed, &room, m->n_packed + 1, sizeof(*m->packed)))
		return -1;
	m->packed[m->n_packed] = (struct packed_module){.of = of, .pack = pack};
	if (fill_module(&m->packed[m->n_packed++]))
		return -1;
	if (of->warning == PACK_NONE || m->warning)
		return 0;
	m->warning = strdup(pack_names_text(names, of->warning));
	return m->warning ? 0 : -1;
}

int symbols_packed_module(struct symbols *s, uint32_t module)
{
	const struct profile_module *pm = &s->profile->modules[module];
	const struct pack_set *set = s->profile->packs;
	struct pack_text path = {"", 0};
	const struct pack_text build_id = {(const char *)pm->build_id, pm->build_id_bytes};

	if (pm->path != STRINGS_NONE)
		path.bytes = strings_get(s->profile->strings, pm->path, &path.length);
	for (size_t i = 0; s->packs && i < s->n_packs; i++) {
		const struct pack_module *of =
			pack_names_module(pack_set_get(set, i), path, build_id, pm->is_vdso);

		if (of && add_module(s, &s->modules[module], i, of))
			return -1;
	}
	return 0;
}

const struct pack_piece *symbols_packed_code(const struct symbols *s, uint32_t module,
					     uint64_t start, uint64_t end)
{
	const struct module_names *m = &s->modules[module];
	const struct pack_piece *piece = NULL;

	for (size_t i = 0; !piece && i < m->n_packed; i++)
		piece = pack_names_piece(m->packed[i].of, start, end);
	return piece;
}

bool symbols_is_packed(const struct symbols *s, uint32_t module)
{
	return s->modules[module].n_packed > 0;
}

void symbols_packed_free(struct module_names *m)
{
	for (size_t i = 0; i < m->n_packed; i++) {
		free(m->packed[i].symbols);
		free(m->packed[i].ranges);
	}
	free(m->packed);
}

bool symbols_packed_locate(struct symbols_location *l)
{
	const struct packed_module *p = NULL;

	for (size_t i = 0; !l->place && i < l->m->n_packed; i++) {
		p = &l->m->packed[i];
		l->place = pack_names_place(p->of, l->address);
	}
	if (!l->place)
		return false;
	l->packed = p;
	l->has_file = p->of->has_file;
	l->symbol = l->place->symbol == PACK_NONE ? NULL : &p->symbols[l->place->symbol];
	l->range = l->place->range == PACK_NONE ? NULL : &p->ranges[l->place->range];
	return true;
}

/* As from the debug information: there is no source if no lines are wanted. */
static struct debug_function function_of(const struct symbols *s, size_t pack,
					 const struct pack_function *f)
{
	const struct pack_names *names = pack_set_get(s->profile->packs, pack);
	struct debug_function to = {.name = f->name == PACK_NONE ? NULL
								 : &s->packs[pack].names[f->name]};

	if (!symbols_wants_lines(&s->opt))
		return to;
	to.file = f->file == PACK_NONE ? NULL : pack_names_text(names, f->file);
	to.directory = f->directory == PACK_NONE ? NULL : pack_names_text(names, f->directory);
	to.line = (int)f->line;
	to.column = (int)f->column;
	return to;
}

int symbols_packed_functions(struct symbols *s, const struct symbols_location *l,
			     const struct debug_function **list, size_t *n)
{
	const struct pack_names *names = pack_set_get(s->profile->packs, l->packed->pack);

	if (!symbols_wants_debug(&s->opt))
		return 0;
	if (!array_reserve(&s->functions, &s->functions_room, l->place->n_functions + 1,
			   sizeof(*s->functions)))
		return -1;
	for (; *n < l->place->n_functions; ++*n)
		s->functions[*n] =
			function_of(s, l->packed->pack, &names->functions[l->place->first + *n]);
	*list = s->functions;
	return 0;
}
