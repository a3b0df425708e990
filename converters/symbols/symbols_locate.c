/* SPDX-License-Identifier: MIT */
/*
 * symbols_locate.c - finds what is known of an address: in files, and in packs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/code_ranges.h"
#include "elf/module_file.h"
#include "symbols/symbols_locate.h"

/* ---- symbols packed -------------------------------------------------------------------------- */
/*
 * Finds what packs say of an address.
 *
 * In: the names in packs. Out: symbols, ranges and functions, as the files of modules would give
 * them.
 *
 * What is found out later, such as the name of a symbol in the string table, is kept here, because
 * the names of a pack do not change.
 */

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

/* Find what packs say of the module. Returns 0; -1 if memory is out. */
static int symbols_packed_module(struct symbols *s, uint32_t module)
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

/* Look the address up in packs. False: no pack has it. */
static bool symbols_packed_locate(struct symbols_location *l)
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

/* As symbols_location_functions, of a place in a pack. Returns -1 if memory is out. */
static int symbols_packed_functions(struct symbols *s, const struct symbols_location *l,
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

/* ---- symbols locate -------------------------------------------------------------------------- */
/*
 * Finds what is known of an address.
 *
 * In: an address of a module. Out: its symbol, its range of the unwind table, its functions in the
 * debug information. Packs are asked first. Only for an address that no pack has are the module's
 * files read.
 */

/* ---- a module's files -------------------------------------------------------------------------- */

static int read_tables(struct module_names *m, const struct module_file *files,
		       const struct symbols_options *opt)
{
	bool has_symbols = elf_file_section_of_type(&files->main, SHT_SYMTAB);

	if (symbol_table_add_section(&m->table, &files->main, SHT_SYMTAB) < 0 ||
	    symbol_table_add_section(&m->table, &files->main, SHT_DYNSYM) < 0 ||
	    plt_add_symbols(&m->table, &files->main) < 0)
		return -1;
	if (files->has_debug && !has_symbols &&
	    symbol_table_add_section(&m->table, &files->debug, SHT_SYMTAB) < 0)
		return -1;
	if (files->has_mini && symbol_table_add_section(&m->table, &files->mini, SHT_SYMTAB) < 0)
		return -1;
	if (symbol_table_finish(&m->table) < 0)
		return -1;
	for (size_t i = 0; i < m->table.n_sources; i++)
		m->text_left += 8 * m->table.sources[i].bytes;
	if (symbols_wants_debug(opt) && debug_info_open(&m->debug, files, symbols_wants_lines(opt)))
		return -1;
	return eh_frame_functions_read(&m->ranges, &files->main);
}

static int read_files(struct symbols *s, uint32_t module, struct error *err)
{
	struct module_names *m = &s->modules[module];
	struct module_file files;
	struct error warning;
	int rc;

	if (m->is_read)
		return 0;
	m->is_read = true;
	rc = module_file_open(&files, s->profile, module, &s->opt.search,
			      symbols_wants_debug(&s->opt), &warning);
	if (rc > 0) {
		m->has_file = true;
		rc = read_tables(m, &files, &s->opt);
		module_file_close(&files);
	}
	if (rc >= 0 && warning.is_set && !m->warning) {
		m->warning = strdup(warning.text);
		rc = m->warning ? rc : -1;
	}
	return rc < 0 ? error_memory(err) : 0;
}

/* ---- builds that are compared ---- */

/* The module of the only program that runs from..to-1 have executed, or PROFILE_NO_MODULE. */
static uint32_t only_program(const struct profile *p, size_t from, size_t to)
{
	uint32_t only = PROFILE_NO_MODULE;

	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < p->columns[i].n_processes; k++) {
			const struct profile_process *process =
				&p->processes[p->columns[i].first_process + k];

			for (size_t j = 0; j < process->n_modules; j++) {
				uint32_t module = process->modules[j];

				if (process->exe == STRINGS_NONE ||
				    p->modules[module].path != process->exe || module == only)
					continue;
				if (only != PROFILE_NO_MODULE)
					return PROFILE_NO_MODULE;
				only = module;
			}
		}
	return only;
}

int symbols_compared(struct symbols *s)
{
	const struct profile *p = s->profile;
	const char *before, *after;

	s->program_before = s->program_after = PROFILE_NO_MODULE;
	if (!p->n_base || p->n_runs > p->n_columns)
		return 0;
	for (size_t i = 0; i < p->n_frames; i++)
		if (p->frames[i].module < p->n_modules)
			s->modules[p->frames[i].module].has_frames = true;
	s->program_before = only_program(p, 0, p->n_base);
	s->program_after = only_program(p, p->n_base, p->n_runs);
	if (s->program_before == PROFILE_NO_MODULE || s->program_after == PROFILE_NO_MODULE)
		return 0;
	before = symbols_label(s, s->program_before);
	after = symbols_label(s, s->program_after);
	if (!before || !after || !strcmp(before, after))
		return 0;
	return asprintf(&s->programs, "%s, %s", before, after) < 0 ? -1 : 0;
}

static bool is_program(const struct symbols *s, uint32_t module)
{
	return s->programs && (module == s->program_before || module == s->program_after);
}

/* Whether another module may be the same one, built anew: it has the same name, or both are the program that is compared. */
static bool is_namesake(const struct symbols *s, uint32_t module, uint32_t other)
{
	const char *label = symbols_label(s, other);

	if (other == module || !label)
		return false;
	return (is_program(s, module) && is_program(s, other)) ||
	       !strcmp(label, symbols_label(s, module));
}

static bool has_namesake(const struct symbols *s, uint32_t module)
{
	for (size_t i = 0; i < s->profile->n_modules; i++)
		if (is_namesake(s, module, (uint32_t)i))
			return true;
	return false;
}

/* Its label, and what packs say. */
static int begin_names(struct symbols *s, uint32_t module, struct error *err)
{
	struct module_names *m = &s->modules[module];

	if (m->is_begun)
		return 0;
	m->is_begun = true;
	m->label = symbols_label(s, module);
	m->row = is_program(s, module) ? s->programs : m->label;
	m->is_one_of_several = m->label && s->profile->n_base && has_namesake(s, module);
	return m->label && symbols_packed_module(s, module) ? error_memory(err) : 0;
}

static bool has_symbols(const struct module_names *m)
{
	for (size_t i = 0; i < m->table.sized.n; i++)
		if (!m->table.sized.symbols[i].is_stub)
			return true;
	return m->debug;
}

/* Whether the file that ran is there, or was when the recording was packed, and has names. Returns 1, 0 or -1. */
static int has_names(struct symbols *s, uint32_t module, struct error *err)
{
	const struct module_names *m = &s->modules[module];

	if (begin_names(s, module, err))
		return -1;
	for (size_t i = 0; i < m->n_packed; i++)
		if (m->packed[i].of->has_file)
			return 1;
	if (read_files(s, module, err))
		return -1;
	return m->has_file && has_symbols(m);
}

/* Says of a module without names what becomes of the comparison. */
static int warn_of_refusal(struct module_names *m)
{
	struct error text;

	if (m->warning)
		error_set(&text, "%s", m->warning);
	else
		error_set(&text, "%s: has no symbols", m->label);
	error_append(
		&text,
		", so they are not compared: [%s] is all of both builds (put that build's file "
		"back, or record both anew)",
		m->row);
	free(m->warning);
	m->warning = strdup(text.text);
	return m->warning ? 0 : -1;
}

/*
 * If a module was built anew between the programs that are compared, and only one build has names,
 * all functions of the other would be gone, and all of this one new. So neither has names.
 */
static int compare_builds(struct symbols *s, uint32_t module, struct error *err)
{
	size_t n = s->profile->n_modules, known = 0, unknown = 0;

	for (size_t i = 0; i < n; i++) {
		int rc;

		if (i != module &&
		    (!s->modules[i].has_frames || !is_namesake(s, module, (uint32_t)i)))
			continue;
		rc = has_names(s, (uint32_t)i, err);
		if (rc < 0)
			return -1;
		known += rc > 0;
		unknown += rc == 0;
	}
	for (size_t i = 0; known && unknown && i < n; i++) {
		struct module_names *m = &s->modules[i];

		if (!m->is_begun || m->is_refused ||
		    (i != module && (!m->has_frames || !is_namesake(s, module, (uint32_t)i))))
			continue;
		m->is_refused = true;
		if (!has_names(s, (uint32_t)i, err) && warn_of_refusal(m))
			return error_memory(err);
	}
	return 0;
}

static int begin_module(struct symbols *s, uint32_t module, struct error *err)
{
	struct module_names *m = &s->modules[module];

	if (m->is_compared)
		return 0;
	m->is_compared = true;
	if (begin_names(s, module, err))
		return -1;
	return m->is_one_of_several ? compare_builds(s, module, err) : 0;
}

/* ---- an address -------------------------------------------------------------------------------- */

/*
 * Finds the symbol without size that names the address. Assembly code often has such symbols. A
 * symbol without size names the range of the unwind table that starts at it. Where the unwind table
 * has no range, the symbol names only the one address, because its end is not known. The range of a
 * signal trampoline starts one byte before its symbol, because unwinders look up return addresses
 * less one.
 */
static struct symbol *unsized_symbol(const struct module_names *m, uint64_t address,
				     const struct eh_frame_function *range)
{
	struct symbol *symbol = symbol_table_label(&m->table, range ? range->start : address);

	if (!symbol && range && range->is_signal)
		symbol = symbol_table_label(&m->table, range->start + 1);
	return symbol;
}

static void locate_in_files(struct symbols_location *l)
{
	struct module_names *m = l->m;

	l->has_file = m->has_file;
	if (!m->has_file)
		return;
	l->symbol = symbol_table_covering(&m->table, l->address);
	if (l->symbol)
		return;
	l->range = eh_frame_functions_find(&m->ranges, l->address);
	l->symbol = unsized_symbol(m, l->address, l->range);
}

int symbols_locate(struct symbols *s, uint32_t module, uint64_t address, struct symbols_location *l,
		   struct error *err)
{
	*l = (struct symbols_location){.m = &s->modules[module], .address = address};
	if (begin_module(s, module, err))
		return -1;
	if (!l->m->label || symbols_packed_locate(l))
		return 0;
	if (read_files(s, module, err))
		return -1;
	locate_in_files(l);
	return 0;
}

const char *symbols_location_text(const struct symbols *s, const struct symbols_location *l,
				  size_t *n)
{
	const char *text;

	if (!l->packed)
		return symbol_table_text(&l->m->table, l->symbol, n);
	text = pack_names_text(pack_set_get(s->profile->packs, l->packed->pack), l->symbol->text);
	*n = strlen(text);
	return text;
}

uint64_t *symbols_location_text_left(struct symbols *s, const struct symbols_location *l)
{
	return l->packed ? &s->packs[l->packed->pack].text_left : &l->m->text_left;
}

int symbols_location_functions(struct symbols *s, const struct symbols_location *l,
			       const struct debug_function **list, size_t *n, struct error *err)
{
	*n = 0;
	if (l->packed)
		return symbols_packed_functions(s, l, list, n) ? error_memory(err) : 0;
	if (!l->m->debug)
		return 0;
	return debug_info_find(l->m->debug, l->address, list, n) ? error_memory(err) : 0;
}

int symbols_location_function_text(struct symbols *s, const struct symbols_location *l,
				   const struct debug_function *f, const char **text,
				   struct error *err)
{
	if (!l->packed)
		return debug_info_name(l->m->debug, f, text) ? error_memory(err) : 0;
	*text = pack_names_text(pack_set_get(s->profile->packs, l->packed->pack),
				(uint32_t)(f->name - s->packs[l->packed->pack].names));
	return 0;
}

/* ---- entry points ---------------------------------------------------------------------------- */
/*
 * A stripped program has no symbol for main, although most users first ask for the call paths from
 * main. The outermost frames of a stack show both functions:
 *
 *	[prog+0x7720]  __libc_start_main  [libc.so.6+0x271d0]  [prog+0x7650]
 *	_start                            (or nothing)         main
 */

#define STARTER	  "__libc_start_main"
#define OUTERMOST 4 /* the most frames from _start to main, inclusive */

/* Lists the frames of node i's call path, outermost first. Returns their number, or 0 if there are
 * more than OUTERMOST. */
static size_t outer_frames(const struct profile *p, size_t i, const struct profile_frame **frames)
{
	/* In a grouped profile the outermost node is the group's, and above it may be a column's. */
	size_t node = i, n = 0, extra = (p->by != PROFILE_BY_NOTHING) + (p->n_columns > 0);

	while (node && n <= OUTERMOST + extra) {
		node = p->nodes[node].parent;
		n++;
	}
	if (n > OUTERMOST + extra || n <= extra)
		return 0;
	n -= extra;
	node = i;
	for (size_t k = n; k-- > 0; node = p->nodes[node].parent)
		frames[k] = &p->frames[p->nodes[node].frame];
	return n;
}

/* Returns 1 if the frame is of the C library's start-up function, 0 if it is not, -1 on error. */
static int is_starter(struct symbols *s, const struct profile *p, const struct profile_frame *frame,
		      struct error *err)
{
	struct symbols_place place;

	if (symbols_frame(s, frame, &place, err))
		return -1;
	return place.has_symbol &&
	       strcmp(strings_get(p->strings, place.function, NULL), STARTER) == 0;
}

/* Says whether the last of these frames has the position of main. */
static bool is_main(const struct profile_frame *const *frames, size_t n)
{
	uint32_t program = frames[0]->module, library = frames[1]->module;

	if (program == library || frames[n - 1]->module != program)
		return false;
	return n == 3 || (n == 4 && frames[2]->module == library);
}

int entry_points_name(struct symbols *s, const struct profile *p, struct error *err)
{
	const struct profile_frame *frames[OUTERMOST];

	for (size_t i = 1; i < p->n_nodes; i++) {
		size_t n = outer_frames(p, i, frames);
		int rc;

		if (n < 3 || !is_main(frames, n))
			continue;
		rc = is_starter(s, p, frames[1], err);
		if (rc < 0 || (rc && (symbols_set_name(s, frames[0], "_start", err) ||
				      symbols_set_name(s, frames[n - 1], "main", err))))
			return -1;
	}
	return 0;
}
