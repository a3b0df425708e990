/* SPDX-License-Identifier: MIT */
/*
 * symbols_locate.c - finds what is known of an address.
 *
 * In: an address of a module. Out: its symbol, its range of the unwind table, its functions in the debug
 * information. Packs are asked first. Only for an address that no pack has are the module's files
 * read.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/module_file.h"
#include "elf/plt.h"
#include "symbols/symbols_module.h"

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

static bool has_namesake(const struct symbols *s, uint32_t module)
{
	const char *label = symbols_label(s, module), *other;

	for (size_t i = 0; i < s->profile->n_modules; i++) {
		other = i == module ? NULL : symbols_label(s, (uint32_t)i);
		if (other && !strcmp(other, label))
			return true;
	}
	return false;
}

static int begin_module(struct symbols *s, uint32_t module, struct error *err)
{
	struct module_names *m = &s->modules[module];

	if (m->is_begun)
		return 0;
	m->is_begun = true;
	m->label = symbols_label(s, module);
	m->is_one_of_several = m->label && s->profile->n_base && has_namesake(s, module);
	return m->label && symbols_packed_module(s, module) ? error_memory(err) : 0;
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
