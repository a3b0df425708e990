/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - names the function that an address belongs to.
 *
 * In: frames of the profile. Out: names in the profile's string table.
 *
 * Code gets a name from the files only if a symbol or debug information covers it. All other code
 * is named by its module and the start of its function, such as "[cc1+0x4f2310]". That name says
 * little, but it is not wrong, and all samples of the function share it.
 */
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf/module_file.h"
#include "elf/plt.h"
#include "symbols/symbols_module.h"

struct symbols *symbols_new(const struct profile *p, const struct symbols_options *opt,
			    struct error *err)
{
	struct symbols *s;

	if (p->by_name && opt->granularity == SYMBOLS_BY_MODULE) {
		error_set(err,
			  "%s do not say which module a function is of: --granularity module "
			  "needs recordings",
			  p->by_name->name);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->modules = calloc(p->n_modules + 1, sizeof(*s->modules));
	if (!s || !s->modules) {
		free(s);
		error_memory(err);
		return NULL;
	}
	s->profile = p;
	s->opt = *opt;
	return s;
}

struct symbols *symbols_share(struct symbols *s)
{
	s->n_others++;
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s || s->n_others-- > 0)
		return;
	for (size_t i = 0; i < s->profile->n_modules; i++) {
		struct module_names *m = &s->modules[i];

		symbol_table_free(&m->table);
		eh_frame_functions_free(&m->ranges);
		debug_info_free(m->debug);
		free(m->warning);
	}
	free(s->modules);
	free(s->places);
	free(s);
}

const char *symbols_module_warning(const struct symbols *s, uint32_t module)
{
	return module < s->profile->n_modules ? s->modules[module].warning : NULL;
}

/* ---- reading a module's files ---- */

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
	if (symbol_table_finish(&m->table) < 0)
		return -1;
	for (size_t i = 0; i < m->table.n_sources; i++)
		m->text_left += 8 * m->table.sources[i].bytes;
	if (symbols_wants_debug(opt) && debug_info_open(&m->debug, files, symbols_wants_lines(opt)))
		return -1;
	return eh_frame_functions_read(&m->ranges, &files->main);
}

static int read_module(struct symbols *s, uint32_t module, struct error *err)
{
	struct module_names *m = &s->modules[module];
	struct module_file files;
	struct error warning;
	int rc;

	if (m->is_read)
		return 0;
	m->is_read = true;
	m->label = symbols_label(s, module);
	if (!m->label)
		return 0;
	rc = module_file_open(&files, s->profile, module, &s->opt.search,
			      symbols_wants_debug(&s->opt), &warning);
	if (rc > 0) {
		m->has_file = true;
		rc = read_tables(m, &files, &s->opt);
		module_file_close(&files);
	}
	if (rc >= 0 && warning.is_set) {
		m->warning = strdup(warning.text);
		rc = m->warning ? rc : -1;
	}
	return rc < 0 ? error_memory(err) : 0;
}

/* ---- names ---- */

/*
 * Gets the name of a symbol. The names of a module together are limited to eight times the sections
 * that hold them. The names of a table are longer than their section only where some share their
 * ends; thousands of forged symbols, however, may share one very long name. Returns 1; 0 if the
 * limit is reached; -1 if memory is out.
 */
static int symbol_name(struct symbols *s, struct module_names *m, struct symbol *symbol,
		       struct error *err)
{
	const char *text;
	size_t n;
	int rc;

	if (symbol->name != STRINGS_NONE)
		return 1;
	text = symbol_table_text(&m->table, symbol, &n);
	if (n > m->text_left)
		return 0;
	m->text_left -= n;
	rc = symbols_add_readable(s, text, n, symbol->is_stub ? "@plt" : "", &symbol->name, err);
	return rc < 0 ? -1 : 1;
}

/* ---- places ---- */

static int place_at_symbol(struct symbols *s, struct module_names *m, struct symbol *symbol,
			   struct symbols_place *place, struct error *err)
{
	int rc = symbol_name(s, m, symbol, err);

	if (rc > 0) {
		place->function = symbol->name;
		place->start = symbol->start;
		place->has_start = true;
		place->has_symbol = true;
	}
	return rc;
}

/* Adds the name "[module+0x1f30]". */
static int add_offset(struct symbols *s, const struct module_names *m, uint64_t offset,
		      uint32_t *name, struct error *err)
{
	return symbols_add_format(s, name, err, "[%s+0x%" PRIx64 "]", m->label, offset);
}

/* Names code that no symbol covers but that has debug information. Returns 1; 0 if there is no
 * name; -1 if memory is out. */
static int place_in_debug(struct symbols *s, struct module_names *m, uint64_t address,
			  const struct eh_frame_function *range, struct symbols_place *place,
			  struct error *err)
{
	const struct debug_function *functions;
	size_t n;

	if (!m->debug)
		return 0;
	if (debug_info_find(m->debug, address, &functions, &n))
		return error_memory(err);
	if (n == 0)
		return 0;
	if (symbols_debug_name(s, m, &functions[0], &place->function, err))
		return -1;
	if (place->function == STRINGS_NONE)
		return 0;
	place->start = range ? range->start : address;
	place->has_start = range;
	place->has_symbol = true;
	return 1;
}

static int place_in_range(struct symbols *s, struct module_names *m,
			  struct eh_frame_function *range, struct symbols_place *place,
			  struct error *err)
{
	place->start = range->start;
	place->has_start = true;
	if (range->name == STRINGS_NONE && add_offset(s, m, range->start, &range->name, err) < 0)
		return -1;
	place->function = range->name;
	return 0;
}

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

static int place_in_module(struct symbols *s, struct module_names *m, uint64_t address,
			   struct symbols_place *place, struct error *err)
{
	struct symbol *symbol = symbol_table_covering(&m->table, address);
	struct eh_frame_function *range;
	int rc;

	if (!m->has_file)
		return add_offset(s, m, address, &place->function, err);
	range = symbol ? NULL : eh_frame_functions_find(&m->ranges, address);
	if (!symbol)
		symbol = unsized_symbol(m, address, range);
	rc = symbol ? place_at_symbol(s, m, symbol, place, err)
		    : place_in_debug(s, m, address, range, place, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (range)
		return place_in_range(s, m, range, place, err);
	return symbols_add_format(s, &place->function, err, "[%s]", m->label);
}

static int find_function(struct symbols *s, const struct profile_frame *frame,
			 struct symbols_place *place, struct error *err)
{
	if (frame->module >= s->profile->n_modules) {
		const char *label = profile_stand_in(frame);

		return symbols_add_text(s, label ? label : SYMBOLS_UNKNOWN, &place->function, err);
	}
	if (read_module(s, frame->module, err))
		return -1;
	if (!s->modules[frame->module].label)
		return symbols_add_text(s, SYMBOLS_UNKNOWN_MODULE, &place->function, err);
	return place_in_module(s, &s->modules[frame->module], frame->address, place, err);
}

int symbols_frame(struct symbols *s, const struct profile_frame *frame, struct symbols_place *place,
		  struct error *err)
{
	*place = (struct symbols_place){.function = frame->name,
					.start = frame->address,
					.has_symbol = frame->name != STRINGS_NONE,
					.file = STRINGS_NONE};
	if (!place->has_symbol && find_function(s, frame, place, err))
		return -1;
	place->name = place->function;
	return 0;
}

int symbols_set_name(struct symbols *s, const struct profile_frame *frame, const char *name,
		     struct error *err)
{
	struct symbols_place place;
	struct eh_frame_function *range;

	if (symbols_frame(s, frame, &place, err))
		return -1;
	if (place.has_symbol || frame->module >= s->profile->n_modules)
		return 0;
	range = eh_frame_functions_find(&s->modules[frame->module].ranges, frame->address);
	return range ? symbols_add_text(s, name, &range->name, err) : 0;
}
