/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - names the function that an address belongs to, and those inlined there.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/module_file.h"
#include "elf/symbol_table.h"
#include "symbols/demangle.h"
#include "symbols/symbols.h"
#include "symbols/symbols_locate.h"

#define SYMBOLS_UNKNOWN_MODULE "[unknown module]"

/* ---- symbols names --------------------------------------------------------------------------- */
/*
 * Makes the names of functions and modules.
 *
 * In: a symbol's text, a module's path. Out: names in the profile's string table.
 */

#define VDSO_LABEL "vdso"

/*
 * Find the modules that are programs which all processes have executed by the same link of another
 * name, such as redis-server. The link's path goes to s->started_as, which has STRINGS_NONE
 * for all other modules.
 */
static void symbols_name_programs(struct symbols *s)
{
	const struct profile *p = s->profile;
	uint32_t no_process = STRINGS_NONE - 1;
	size_t i, k;

	for (i = 0; i < p->n_modules; i++)
		s->started_as[i] = no_process;
	for (i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		for (k = 0; k < process->n_modules; k++) {
			uint32_t module = process->modules[k], *name = &s->started_as[module];

			if (process->exe == STRINGS_NONE || p->modules[module].path != process->exe)
				continue;
			if (*name != no_process && *name != process->started_as)
				*name = STRINGS_NONE;
			else
				*name = process->started_as;
		}
	}
	for (i = 0; i < p->n_modules; i++)
		if (s->started_as[i] == no_process)
			s->started_as[i] = STRINGS_NONE;
}

const char *symbols_label(const struct symbols *s, uint32_t module)
{
	const struct profile_module *m = &s->profile->modules[module];
	const char *path, *slash;

	if (m->is_vdso)
		return VDSO_LABEL;
	if (m->path == STRINGS_NONE)
		return NULL;
	path = strings_get(s->profile->strings,
			   s->started_as[module] != STRINGS_NONE ? s->started_as[module] : m->path,
			   NULL);
	slash = strrchr(path, '/');
	if (slash && slash[1])
		return slash + 1;
	return *path ? path : NULL;
}

static int add(struct symbols *s, const char *bytes, size_t n, uint32_t *name, struct error *err)
{
	*name = strings_add(s->profile->strings, bytes, n);
	return *name == STRINGS_NONE ? error_memory(err) : 0;
}

/*
 * Add a name to the profile's string table and set *name to its number. Returns 0; -1 if memory is
 * out.
 */
static int symbols_add_text(struct symbols *s, const char *text, uint32_t *name, struct error *err)
{
	return add(s, text, strlen(text), name, err);
}

static __attribute__((format(printf, 4, 5))) int
symbols_add_format(struct symbols *s, uint32_t *name, struct error *err, const char *format, ...)
{
	va_list list;
	char *text;
	int n, rc;

	va_start(list, format);
	n = vasprintf(&text, format, list);
	va_end(list);
	if (n < 0)
		return error_memory(err);
	rc = add(s, text, (size_t)n, name, err);
	free(text);
	return rc;
}

/* The same, demangled if the options say so, with a suffix: "@plt" for a stub. */
static int symbols_add_readable(struct symbols *s, const char *text, size_t n, const char *suffix,
				uint32_t *name, struct error *err)
{
	char *terminated = strndup(text, n), *readable = NULL;
	int rc;

	if (!terminated)
		return error_memory(err);
	if (s->opt.names != SYMBOLS_LINKER)
		readable = demangle_name(terminated, n);
	rc = symbols_add_format(s, name, err, "%s%s", readable ? readable : terminated, suffix);
	if (!rc && readable && symbols_wants_short(&s->opt) &&
	    short_names_add(&s->short_names, s->profile->strings, *name, terminated, n, suffix))
		rc = error_memory(err);
	free(readable);
	free(terminated);
	return rc;
}

/*
 * Get the name of a function of the debug information, demangled if the options say so. *name is
 * STRINGS_NONE if the function has none. Returns 0; -1 if memory is out.
 */
static int symbols_debug_name(struct symbols *s, const struct symbols_location *l,
			      const struct debug_function *f, uint32_t *name, struct error *err)
{
	const char *text;

	*name = STRINGS_NONE;
	if (!f->name)
		return 0;
	if (*f->name == STRINGS_NONE) {
		if (symbols_location_function_text(s, l, f, &text, err))
			return -1;
		if (text && symbols_add_readable(s, text, strlen(text), "", f->name, err))
			return -1;
	}
	*name = *f->name;
	return 0;
}

bool symbols_exports_short(const struct symbols *s)
{
	return s && s->opt.names == SYMBOLS_SHORT;
}

uint32_t symbols_exported(const struct symbols *s, uint32_t name)
{
	return symbols_exports_short(s) ? strings_other(s->profile->strings, name) : name;
}

int symbols_shorten(struct symbols *s, const uint32_t *names, size_t n, struct error *err)
{
	if (symbols_wants_short(&s->opt) &&
	    short_names_settle(&s->short_names, s->profile->strings, names, n,
			       s->profile->by_name != NULL))
		return error_memory(err);
	return 0;
}

/* ---- symbols expand -------------------------------------------------------------------------- */
/*
 * Lists the places of a frame, with names in the granularity of the options.
 *
 * In: a frame of the profile. Out: its function and the functions inlined there.
 */

bool symbols_has_places(const struct symbols *s)
{
	return s->opt.granularity == SYMBOLS_BY_LINE || s->opt.granularity == SYMBOLS_BY_ADDRESS ||
	       s->opt.granularity == SYMBOLS_BY_CODE || s->opt.granularity == SYMBOLS_BY_SOURCE;
}

bool symbols_merge_calls(const struct symbols *s)
{
	return s->opt.granularity == SYMBOLS_BY_MODULE;
}

/* A frame with a recorded name is of generated code, or stands for missing frames. */
static int expand_module(struct symbols *s, const struct profile_frame *frame,
			 struct symbols_place *place, struct error *err)
{
	const char *label = SYMBOLS_GENERATED, *name;

	*place = (struct symbols_place){.file = STRINGS_NONE};
	if (!profile_is_named(frame))
		place->start = frame->address;
	if (profile_is_named(frame)) {
		name = strings_get(s->profile->strings, frame->name, NULL);
		label = strcmp(name, PROFILE_INCOMPLETE) == 0 ? PROFILE_INCOMPLETE : label;
	} else if (frame->module >= s->profile->n_modules) {
		label = profile_stand_in(frame);
		label = label ? label : SYMBOLS_UNKNOWN;
	} else {
		label = symbols_label(s, frame->module);
		label = label ? label : SYMBOLS_UNKNOWN_MODULE;
	}
	if (symbols_add_text(s, label, &place->function, err))
		return -1;
	place->name = place->function;
	return 0;
}

/* Makes the name "f x.py:12" of a function "f (x.py)" whose path ends so. Returns 1; 0 if it has no such name; -1. */
static int name_line_in_file(struct symbols *s, struct symbols_place *place, const char *path,
			     struct error *err)
{
	size_t n, n_path = strlen(path), n_file;
	const char *name = strings_get(s->profile->strings, place->function, &n);
	const char *file = memrchr(name, '(', n);

	if (!file || file - name < 2 || file[-1] != ' ' || name[n - 1] != ')')
		return 0;
	n_file = n - (size_t)(++file - name) - 1;
	if (n_file > n_path || memcmp(path + n_path - n_file, file, n_file) != 0)
		return 0;
	return symbols_add_format(s, &place->name, err, "%.*s %.*s:%" PRIu32,
				  (int)(file - name) - 2, name, (int)n_file, file, place->line)
		       ? -1
		       : 1;
}

/* Makes the name "f file.c:12"; it stays "f" if the line is not known. */
static int name_line(struct symbols *s, const struct profile_frame *frame,
		     struct symbols_place *place, struct error *err)
{
	const char *path, *slash;
	int rc = 0;

	if (place->file == STRINGS_NONE || place->line == 0)
		return 0;
	path = strings_get(s->profile->strings, place->file, NULL);
	if (profile_is_named(frame))
		rc = name_line_in_file(s, place, path, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	slash = strrchr(path, '/');
	return symbols_add_format(s, &place->name, err, "%s %s:%" PRIu32,
				  strings_get(s->profile->strings, place->function, NULL),
				  slash ? slash + 1 : path, place->line);
}

/* Makes the name "f 1f:12", with the number of the file's path. */
static int name_source(struct symbols *s, struct symbols_place *place, struct error *err)
{
	if (place->file == STRINGS_NONE || place->line == 0)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s %" PRIx32 ":%" PRIu32,
				  strings_get(s->profile->strings, place->function, NULL),
				  place->file, place->line);
}

/* Makes the name "f+0x1f". It stays "f" if the address is below the function's start: the address
 * that a signal handler returns to may be one byte before its symbol. */
static int name_address(struct symbols *s, const struct profile_frame *frame,
			struct symbols_place *place, struct error *err)
{
	if (!place->has_start || frame->address < place->start)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s+0x%" PRIx64,
				  strings_get(s->profile->strings, place->function, NULL),
				  frame->address - place->start);
}

/* Makes the name "f+0xN", where N has the module in its upper bits and the address in the others. */
static int name_code(struct symbols *s, const struct profile_frame *frame,
		     struct symbols_place *place, struct error *err)
{
	if (!place->has_start)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s+0x%" PRIx32 "%016" PRIx64,
				  strings_get(s->profile->strings, place->function, NULL),
				  frame->module, frame->address);
}

static int name_place(struct symbols *s, const struct profile_frame *frame,
		      struct symbols_place *place, struct error *err)
{
	int status = 0;

	if (profile_is_named(frame) && !place->line)
		return 0;
	if (s->opt.granularity == SYMBOLS_BY_LINE)
		status = name_line(s, frame, place, err);
	else if (s->opt.granularity == SYMBOLS_BY_SOURCE)
		status = name_source(s, place, err);
	else if (s->opt.granularity == SYMBOLS_BY_ADDRESS)
		status = name_address(s, frame, place, err);
	else if (s->opt.granularity == SYMBOLS_BY_CODE)
		status = name_code(s, frame, place, err);
	if (!status && short_names_add_place(&s->short_names, s->profile->strings, place->name,
					     place->function))
		return error_memory(err);
	return status;
}

static int set_source(struct symbols *s, struct symbols_place *place,
		      const struct debug_function *from, struct error *err)
{
	if (!from->file)
		return 0;
	place->line = (uint32_t)from->line;
	place->column = (uint32_t)from->column;
	if (from->directory)
		return symbols_add_format(s, &place->file, err, "%s/%s", from->directory,
					  from->file);
	return symbols_add_text(s, from->file, &place->file, err);
}

/* Adds the inlined calls, except those of functions without a name. */
static int add_inlined(struct symbols *s, const struct symbols_location *l,
		       const struct debug_function *functions, size_t n, size_t *n_places,
		       struct error *err)
{
	for (size_t i = 1; i < n; i++) {
		struct symbols_place *place = &s->places[*n_places];

		*place = (struct symbols_place){.is_inline = true, .file = STRINGS_NONE};
		if (symbols_debug_name(s, l, &functions[i], &place->function, err))
			return -1;
		if (place->function == STRINGS_NONE)
			continue;
		place->name = place->function;
		if (set_source(s, place, &functions[i], err))
			return -1;
		(*n_places)++;
	}
	return 0;
}

/* Adds source lines and inlined calls from the module's debug information, if it has any. */
static int expand_inlined(struct symbols *s, const struct profile_frame *frame, bool wants_inlined,
			  size_t *n_places, struct error *err)
{
	const struct debug_function *functions;
	struct symbols_location l;
	size_t n;

	if (symbols_wants_lines(&s->opt) &&
	    profile_has_line(frame, &s->places[0].file, &s->places[0].line))
		return 0;
	if (profile_is_named(frame) || frame->module >= s->profile->n_modules)
		return 0;
	if (symbols_locate(s, frame->module, frame->address, &l, err))
		return -1;
	if (l.m->is_refused)
		return 0;
	if (symbols_location_functions(s, &l, &functions, &n, err))
		return -1;
	if (!array_reserve(&s->places, &s->places_room, n + 1, sizeof(*s->places)))
		return error_memory(err);
	if (n > 0 && set_source(s, &s->places[0], &functions[0], err))
		return -1;
	return wants_inlined ? add_inlined(s, &l, functions, n, n_places, err) : 0;
}

int symbols_expand(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err)
{
	if (!array_reserve(&s->places, &s->places_room, 1, sizeof(*s->places)))
		return error_memory(err);
	*n = 1;
	if (symbols_merge_calls(s)) {
		if (expand_module(s, frame, s->places, err))
			return -1;
	} else if (symbols_frame(s, frame, s->places, err) ||
		   expand_inlined(s, frame, symbols_wants_inlines(&s->opt), n, err)) {
		return -1;
	}
	for (size_t i = 0; i < *n; i++)
		if (name_place(s, frame, &s->places[i], err))
			return -1;
	*places = s->places;
	return 0;
}

int symbols_source(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err)
{
	*n = 1;
	if (!array_reserve(&s->places, &s->places_room, 1, sizeof(*s->places)))
		return error_memory(err);
	if (symbols_frame(s, frame, s->places, err) || expand_inlined(s, frame, true, n, err))
		return -1;
	*places = s->places;
	return 0;
}

/* ---- symbols --------------------------------------------------------------------------------- */
/*
 * Code gets a name from the files only if a symbol or debug information covers it. All other code
 * is named by its module and the start of its function, such as "[cc1+0x4f2310]". That name says
 * little, but it is not wrong, and all samples of the function share it.
 */

static int open_packs(struct symbols *s, struct error *err)
{
	struct pack_set *set = s->profile->packs;

	if (!set || !set->n)
		return 0;
	if (pack_set_read(set, err) ||
	    (symbols_wants_code(&s->opt) && pack_set_read_code(set, err)))
		return -1;
	s->n_packs = symbols_wants_code(&s->opt) ? 2 * set->n : set->n;
	s->packs = calloc(s->n_packs, sizeof(*s->packs));
	return s->packs ? 0 : error_memory(err);
}

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
	if (s) {
		s->modules = calloc(p->n_modules + 1, sizeof(*s->modules));
		s->started_as = calloc(p->n_modules + 1, sizeof(*s->started_as));
	}
	if (!s || !s->modules || !s->started_as) {
		if (s) {
			free(s->modules);
			free(s->started_as);
		}
		free(s);
		error_memory(err);
		return NULL;
	}
	s->profile = p;
	s->opt = *opt;
	symbols_name_programs(s);
	if (symbols_compared(s))
		error_memory(err);
	else if (!open_packs(s, err))
		return s;
	symbols_free(s);
	return NULL;
}

struct symbols *symbols_share(struct symbols *s)
{
	s->n_others++;
	return s;
}

const struct profile *symbols_profile(const struct symbols *s)
{
	return s->profile;
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
		symbols_packed_free(m);
		free(m->warning);
	}
	for (size_t i = 0; s->packs && i < s->n_packs; i++)
		free(s->packs[i].names);
	free(s->packs);
	free(s->functions);
	short_names_clear(&s->short_names);
	free(s->modules);
	free(s->started_as);
	free(s->programs);
	free(s->places);
	free(s);
}

const char *symbols_module_warning(const struct symbols *s, uint32_t module)
{
	return module < s->profile->n_modules ? s->modules[module].warning : NULL;
}

int symbols_open_file(struct symbols *s, uint32_t module, struct module_file *files,
		      struct error *why)
{
	return module_file_open(files, s->profile, module, &s->opt.search, false, why);
}

/* Whether a symbol's name, as it is or in one of the forms that it can be shown in, is this one. */
static bool is_symbol_of(const char *text, size_t n, const char *name)
{
	size_t part = strcspn(name, ":<( ");
	bool found = n == strlen(name) && memcmp(text, name, n) == 0;

	if (found || n < 3 || !memmem(text, n, name, part))
		return found;
	for (int form = 0; form < DEMANGLE_FORMS && !found; form++) {
		char *shown = demangle_to(text, n, (enum demangle_form)form);

		found = shown && strcmp(shown, name) == 0;
		free(shown);
	}
	return found;
}

static bool list_has(const struct symbol_table *t, const struct symbol_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t n;
		const char *text = symbol_table_text(t, &l->symbols[i], &n);

		if (is_symbol_of(text, n, name))
			return true;
	}
	return false;
}

static bool module_has(const struct module_file *files, const char *name)
{
	struct symbol_table t = {0};
	bool found;

	found = !symbol_table_add_section(&t, &files->main, SHT_SYMTAB) &&
		!symbol_table_add_section(&t, &files->main, SHT_DYNSYM) &&
		(!files->has_debug || !symbol_table_add_section(&t, &files->debug, SHT_SYMTAB)) &&
		(list_has(&t, &t.sized, name) || list_has(&t, &t.unsized, name));
	symbol_table_free(&t);
	return found;
}

bool symbols_has_function(struct symbols *s, const char *name)
{
	bool found = false;

	for (uint32_t i = 0; i < s->profile->n_modules && !found; i++) {
		struct module_file files;
		struct error why;

		if (symbols_open_file(s, i, &files, &why) != 1)
			continue;
		found = module_has(&files, name);
		module_file_close(&files);
	}
	return found;
}

/* ---- names ---- */

/*
 * Gets the name of a symbol. The names of a module together are limited to eight times the sections
 * that hold them. The names of a table are longer than their section only where some share their
 * ends; thousands of forged symbols, however, may share one very long name. Returns 1; 0 if the
 * limit is reached; -1 if memory is out.
 */
static int symbol_name(struct symbols *s, const struct symbols_location *l, struct error *err)
{
	uint64_t *left = symbols_location_text_left(s, l);
	struct symbol *symbol = l->symbol;
	const char *text;
	size_t n;
	int rc;

	if (symbol->name != STRINGS_NONE)
		return 1;
	text = symbols_location_text(s, l, &n);
	if (n > *left)
		return 0;
	*left -= n;
	rc = symbols_add_readable(s, text, n, symbol->is_stub ? "@plt" : "", &symbol->name, err);
	return rc < 0 ? -1 : 1;
}

/* ---- places ---- */

static int place_at_symbol(struct symbols *s, const struct symbols_location *l,
			   struct symbols_place *place, struct error *err)
{
	int rc = symbol_name(s, l, err);

	if (rc > 0) {
		place->function = l->symbol->name;
		place->start = l->symbol->start;
		place->end = l->symbol->end > l->symbol->start ? l->symbol->end : 0;
		place->has_start = true;
		place->has_symbol = true;
	}
	return rc;
}

/* Adds the name "[module+0x1f30]". If the module was rebuilt between the programs that are compared, the same
 * address would be another function: such functions are compared as one, "[module]". */
static int add_offset(struct symbols *s, const struct module_names *m, uint64_t offset,
		      uint32_t *name, struct error *err)
{
	if (m->is_one_of_several)
		return symbols_add_format(s, name, err, "[%s]", m->row);
	return symbols_add_format(s, name, err, "[%s+0x%" PRIx64 "]", m->label, offset);
}

/* Names code that no symbol covers but that has debug information. Returns 1; 0 if there is no
 * name; -1 if memory is out. */
static int place_in_debug(struct symbols *s, const struct symbols_location *l,
			  struct symbols_place *place, struct error *err)
{
	const struct debug_function *functions;
	size_t n;

	if (symbols_location_functions(s, l, &functions, &n, err))
		return -1;
	if (n == 0)
		return 0;
	if (symbols_debug_name(s, l, &functions[0], &place->function, err))
		return -1;
	if (place->function == STRINGS_NONE)
		return 0;
	place->start = l->range ? l->range->start : l->address;
	place->end = l->range ? l->range->end : 0;
	place->has_start = l->range;
	place->has_symbol = true;
	return 1;
}

static int place_in_range(struct symbols *s, struct module_names *m,
			  struct eh_frame_function *range, struct symbols_place *place,
			  struct error *err)
{
	place->start = range->start;
	place->end = range->end;
	place->has_start = true;
	if (range->name == STRINGS_NONE && add_offset(s, m, range->start, &range->name, err) < 0)
		return -1;
	place->function = range->name;
	return 0;
}

/* The name that the process's perf map has. A map may be out of date, so this comes after all that the file
 * says. False: there is none. */
static bool place_in_map(const struct profile_frame *frame, struct symbols_place *place)
{
	if (frame->name == STRINGS_NONE)
		return false;
	place->function = frame->name;
	place->has_symbol = true;
	return true;
}

static int place_in_module(struct symbols *s, const struct symbols_location *l,
			   const struct profile_frame *frame, struct symbols_place *place,
			   struct error *err)
{
	int rc;

	if (l->m->is_refused)
		return symbols_add_format(s, &place->function, err, "[%s]", l->m->row);
	if (!l->has_file)
		return place_in_map(frame, place)
			       ? 0
			       : add_offset(s, l->m, l->address, &place->function, err);
	rc = l->symbol ? place_at_symbol(s, l, place, err) : place_in_debug(s, l, place, err);
	if (l->symbol && !place->end && l->range)
		place->end = l->range->end;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (l->range)
		return place_in_range(s, l->m, l->range, place, err);
	if (place_in_map(frame, place))
		return 0;
	return symbols_add_format(s, &place->function, err, "[%s]", l->m->row);
}

static int find_function(struct symbols *s, const struct profile_frame *frame,
			 struct symbols_place *place, struct error *err)
{
	struct symbols_location l;

	if (frame->module >= s->profile->n_modules) {
		const char *label = profile_stand_in(frame);

		return symbols_add_text(s, label ? label : SYMBOLS_UNKNOWN, &place->function, err);
	}
	if (symbols_locate(s, frame->module, frame->address, &l, err))
		return -1;
	if (!l.m->label)
		return symbols_add_text(s, SYMBOLS_UNKNOWN_MODULE, &place->function, err);
	return place_in_module(s, &l, frame, place, err);
}

int symbols_frame(struct symbols *s, const struct profile_frame *frame, struct symbols_place *place,
		  struct error *err)
{
	*place = (struct symbols_place){.function = profile_is_named(frame) ? frame->name
									    : STRINGS_NONE,
					.start = profile_is_named(frame) ? 0 : frame->address,
					.has_symbol = profile_is_named(frame),
					.file = STRINGS_NONE};
	if (!place->has_symbol && find_function(s, frame, place, err))
		return -1;
	place->name = place->function;
	return 0;
}

int symbols_set_name(struct symbols *s, const struct profile_frame *frame, const char *name,
		     struct error *err)
{
	struct symbols_location l;
	struct symbols_place place;

	if (symbols_frame(s, frame, &place, err))
		return -1;
	if (place.has_symbol || frame->module >= s->profile->n_modules)
		return 0;
	if (symbols_locate(s, frame->module, frame->address, &l, err))
		return -1;
	return l.range ? symbols_add_text(s, name, &l.range->name, err) : 0;
}
