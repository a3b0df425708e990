/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - the function that an address belongs to, by name.
 *
 * Room: names. In: frames of the profile. Out: names in the profile's string table.
 *
 * A name is given to code only by a symbol that covers it. Everything else is named by the module
 * and the start of its function: "[cc1+0x4f2310]" says little, but nothing wrong, and all samples
 * of that function share it.
 */
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "function_start.h"
#include "module_file.h"
#include "plt.h"
#include "symbol_table.h"

#define VDSO_LABEL "vdso"

struct module_names {
	bool is_read;
	bool has_file;	   /* one that may be believed */
	char *warning;	   /* NULL: none */
	const char *label; /* for names in brackets; NULL: the module's name is not known */
	struct symbol_table table;
	struct function_ranges ranges;
	uint64_t text_left; /* bytes of symbol names still to be taken, see symbol_name */
};

struct symbols {
	struct profile *profile;
	struct symbols_options opt;
	struct module_names *modules;
};

struct symbols *symbols_new(struct profile *p, const struct symbols_options *opt, struct error *err)
{
	struct symbols *s = calloc(1, sizeof(*s));

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

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->profile->n_modules; i++) {
		struct module_names *m = &s->modules[i];

		symbol_table_free(&m->table);
		function_ranges_free(&m->ranges);
		free(m->warning);
	}
	free(s->modules);
	free(s);
}

const char *symbols_module_warning(const struct symbols *s, uint32_t module)
{
	return module < s->profile->n_modules ? s->modules[module].warning : NULL;
}

/* ---- reading a module's files ---- */

static int read_tables(struct module_names *m, const struct module_file *files)
{
	if (symbol_table_add_section(&m->table, &files->main, SHT_SYMTAB) < 0 ||
	    symbol_table_add_section(&m->table, &files->main, SHT_DYNSYM) < 0 ||
	    plt_add_symbols(&m->table, &files->main) < 0)
		return -1;
	if (files->has_debug && symbol_table_add_section(&m->table, &files->debug, SHT_SYMTAB) < 0)
		return -1;
	if (symbol_table_finish(&m->table) < 0)
		return -1;
	for (size_t i = 0; i < m->table.n_sources; i++)
		m->text_left += 8 * m->table.sources[i].bytes;
	return function_ranges_read(&m->ranges, &files->main);
}

static void set_label(struct module_names *m, const struct profile *p, uint32_t module)
{
	const char *path, *slash;

	if (p->modules[module].is_vdso) {
		m->label = VDSO_LABEL;
		return;
	}
	if (p->modules[module].path == STRINGS_NONE)
		return;
	path = strings_get(p->strings, p->modules[module].path, NULL);
	slash = strrchr(path, '/');
	m->label = slash && slash[1] ? slash + 1 : path;
	if (!*m->label)
		m->label = NULL;
}

static int read_module(struct symbols *s, uint32_t module, struct error *err)
{
	struct module_names *m = &s->modules[module];
	struct module_file files;
	struct error warning;
	int rc;

	m->is_read = true;
	set_label(m, s->profile, module);
	if (!m->label)
		return 0;
	rc = module_file_open(&files, s->profile, module, &s->opt, &warning);
	if (rc > 0) {
		m->has_file = true;
		rc = read_tables(m, &files);
		module_file_close(&files);
	}
	if (rc >= 0 && warning.text[0]) {
		m->warning = strdup(warning.text);
		rc = m->warning ? rc : -1;
	}
	return rc < 0 ? error_memory(err) : 0;
}

/* ---- names ---- */

static int add_name(struct symbols *s, const char *bytes, size_t n, uint32_t *name,
		    struct error *err)
{
	*name = strings_add(s->profile->strings, bytes, n);
	return *name == STRINGS_NONE ? error_memory(err) : 0;
}

/* "[module]" */
static int module_name(struct symbols *s, const struct module_names *m, uint32_t *name,
		       struct error *err)
{
	char *text;
	int n = asprintf(&text, "[%s]", m->label), rc;

	if (n < 0)
		return error_memory(err);
	rc = add_name(s, text, (size_t)n, name, err);
	free(text);
	return rc;
}

/* "[module+0x1f30]" */
static int offset_name(struct symbols *s, const struct module_names *m, uint64_t offset,
		       uint32_t *name, struct error *err)
{
	char *text;
	int n = asprintf(&text, "[%s+0x%" PRIx64 "]", m->label, offset), rc;

	if (n < 0)
		return error_memory(err);
	rc = add_name(s, text, (size_t)n, name, err);
	free(text);
	return rc;
}

/* A stub is "memcpy@plt". */
static int readable_name(struct symbols *s, const char *text, size_t n, const char *suffix,
			 uint32_t *name, struct error *err)
{
	char *terminated = strndup(text, n), *readable = NULL, *whole;
	int bytes, rc;

	if (!terminated)
		return error_memory(err);
	if (s->opt.demangle)
		readable = demangle_name(terminated, n);
	bytes = asprintf(&whole, "%s%s", readable ? readable : terminated, suffix);
	free(readable);
	free(terminated);
	if (bytes < 0)
		return error_memory(err);
	rc = add_name(s, whole, (size_t)bytes, name, err);
	free(whole);
	return rc;
}

/*
 * A table's names together are not longer than the section that holds them, save those that share
 * their ends. Thousands of forged symbols that share an endless one run into this limit. 1; 0:
 * limit; -1: out of memory.
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
	rc = readable_name(s, text, n, symbol->is_stub ? "@plt" : "", &symbol->name, err);
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
		place->has_symbol = true;
	}
	return rc;
}

static int place_in_range(struct symbols *s, struct module_names *m, struct function_range *range,
			  struct symbols_place *place, struct error *err)
{
	place->start = range->start;
	if (range->name == STRINGS_NONE && offset_name(s, m, range->start, &range->name, err) < 0)
		return -1;
	place->function = range->name;
	return 0;
}

/*
 * A symbol without size, as assembly often has it, names the range of the unwind table that starts
 * with it; where there is none, its one address: how far it goes nobody knows. The range of a
 * signal trampoline starts a byte before it, for the sake of those who look up return addresses
 * less one.
 */
static struct symbol *unsized_symbol(const struct module_names *m, uint64_t address,
				     const struct function_range *range)
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
	struct function_range *range;
	int rc;

	if (!m->has_file)
		return offset_name(s, m, address, &place->function, err);
	range = symbol ? NULL : function_ranges_find(&m->ranges, address);
	if (!symbol)
		symbol = unsized_symbol(m, address, range);
	rc = symbol ? place_at_symbol(s, m, symbol, place, err) : 0;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (range)
		return place_in_range(s, m, range, place, err);
	return module_name(s, m, &place->function, err);
}

int symbols_frame(struct symbols *s, const struct profile_frame *frame, struct symbols_place *place,
		  struct error *err)
{
	struct module_names *m;
	const char *fixed = NULL;

	place->start = frame->address;
	place->has_symbol = frame->name != STRINGS_NONE;
	place->function = frame->name;
	if (place->has_symbol)
		return 0;
	if (frame->module >= s->profile->n_modules) {
		fixed = frame->address == CPS_CUT_ADDRESS ? SYMBOLS_CUT : SYMBOLS_UNKNOWN;
		return add_name(s, fixed, strlen(fixed), &place->function, err);
	}
	m = &s->modules[frame->module];
	if (!m->is_read && read_module(s, frame->module, err) < 0)
		return -1;
	if (!m->label)
		return add_name(s, SYMBOLS_UNKNOWN_MODULE, strlen(SYMBOLS_UNKNOWN_MODULE),
				&place->function, err);
	return place_in_module(s, m, frame->address, place, err);
}

int symbols_set_name(struct symbols *s, const struct profile_frame *frame, const char *name,
		     struct error *err)
{
	struct symbols_place place;
	struct function_range *range;

	if (symbols_frame(s, frame, &place, err))
		return -1;
	if (place.has_symbol || frame->module >= s->profile->n_modules)
		return 0;
	range = function_ranges_find(&s->modules[frame->module].ranges, frame->address);
	return range ? add_name(s, name, strlen(name), &range->name, err) : 0;
}
