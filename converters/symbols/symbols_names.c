/* SPDX-License-Identifier: MIT */
/*
 * symbols_names.c - makes the names of functions and modules.
 *
 * In: a symbol's text, a module's path. Out: names in the profile's string table.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/symbols_module.h"

#define VDSO_LABEL "vdso"

void symbols_name_programs(struct symbols *s)
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

int symbols_add_text(struct symbols *s, const char *text, uint32_t *name, struct error *err)
{
	return add(s, text, strlen(text), name, err);
}

int symbols_add_format(struct symbols *s, uint32_t *name, struct error *err, const char *format,
		       ...)
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

int symbols_add_readable(struct symbols *s, const char *text, size_t n, const char *suffix,
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

int symbols_debug_name(struct symbols *s, const struct symbols_location *l,
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
