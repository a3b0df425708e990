/* SPDX-License-Identifier: MIT */
/*
 * view_callgrind.c - a profile as KCachegrind and callgrind_annotate read it.
 *
 * In: a profile, and the symbols of its frames. Out: text in callgrind's format, version 1 ("Callgrind Format Specification"
 * of valgrind's manual).
 *
 * An event is a resource, in its unit. If calls were not counted, there are numbers of samples in their place.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "export/call_costs.h"
#include "view/view.h"

struct writer {
	const struct profile *profile;
	struct places places;
	struct call_costs costs;
	struct out *out;
	/* Which names were written already, so that their numbers are enough. */
	unsigned char *has_function, *has_module, *has_file;
	char **events; /* by column: its name */
};

/* Whether a name looks as if it had a level: f'2. Functions that are named so have a level also where it is the
 * first one, f'2'1, which callgrind itself never writes; so no two functions of a level are alike. */
static bool has_level(const char *name, size_t n)
{
	size_t end = n;

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return n && n < end && name[n - 1] == '\'';
}

/* Readers take blanks off the ends of a name, and no name for none: so the first and the last byte are escaped if they
 * are blanks, and one without a byte is not known. */
static void write_whole(struct out *o, const char *name, size_t n)
{
	size_t from = n && *name == ' ', to = n > 1 && name[n - 1] == ' ' ? n - 1 : n;

	if (!n)
		out_text(o, "???");
	if (from)
		out_text(o, "\\x20");
	out_name(o, name + from, to - from);
	if (to < n)
		out_text(o, "\\x20");
}

/* A name with its number: "(3) main". Whether it is written for the first time; after that "(3)" is enough. */
static bool write_name(const struct writer *w, unsigned char *written, uint32_t number,
		       uint32_t string)
{
	size_t n = 0;
	const char *name =
		string == STRINGS_NONE ? "???" : strings_get(w->profile->strings, string, &n);
	bool is_first = !written[number];

	out_format(w->out, "(%" PRIu32 ")", number + 1);
	if (is_first) {
		written[number] = 1;
		out_text(w->out, " ");
		write_whole(w->out, name, string == STRINGS_NONE ? strlen(name) : n);
	}
	return is_first;
}

/* A file is numbered as in the profile's strings, and one that is not known as none of them. */
static void write_file(const struct writer *w, const char *key, uint32_t file)
{
	out_text(w->out, key);
	write_name(w, w->has_file,
		   file == STRINGS_NONE ? (uint32_t)strings_count(w->profile->strings) : file,
		   file);
	out_text(w->out, "\n");
}

static void write_module(const struct writer *w, const char *key, uint32_t module)
{
	const struct profile *p = w->profile;

	out_text(w->out, key);
	if (module == PROFILE_NO_MODULE)
		write_name(w, w->has_module, (uint32_t)p->n_modules, STRINGS_NONE);
	else
		write_name(w, w->has_module, module, p->modules[module].path);
	out_text(w->out, "\n");
}

static uint32_t file_of(const struct writer *w, uint32_t function)
{
	return w->costs.functions[function].file;
}

static void write_owner(const struct writer *w, const struct call_costs_function *f)
{
	const char *module =
		call_costs_module_name(w->profile, f->module, f->namesakes == CALL_COSTS_BY_PATH);

	out_text(w->out, " (");
	out_name(w->out, module, strlen(module));
	out_text(w->out, ")");
}

static void write_function(const struct writer *w, const char *key, uint32_t number)
{
	const struct call_costs_function *f = &w->costs.functions[number];
	uint32_t string = w->places.names[f->function];
	size_t n;
	const char *name = strings_get(w->profile->strings, string, &n);

	out_text(w->out, key);
	if (write_name(w, w->has_function, number, string)) {
		if (f->namesakes != CALL_COSTS_ALONE)
			write_owner(w, f);
		if (f->level > 1 || (f->namesakes == CALL_COSTS_ALONE && has_level(name, n)))
			out_format(w->out, "'%" PRIu32, f->level);
	}
	out_text(w->out, "\n");
}

static void write_costs(const struct writer *w, const struct call_costs_row *row)
{
	size_t first = (size_t)row->costs * w->costs.n_columns;

	out_format(w->out, "%" PRIu32, row->line);
	for (size_t i = 0; i < w->costs.n_columns; i++)
		out_format(w->out, " %" PRIu64, w->costs.costs[first + i]);
	out_text(w->out, "\n");
}

static void write_row(const struct writer *w, const struct call_costs_row *row)
{
	if (row->callee != CALL_COSTS_SELF) {
		write_module(w, "cob=", w->costs.functions[row->callee].module);
		write_file(w, "cfi=", file_of(w, row->callee));
		write_function(w, "cfn=", row->callee);
		out_format(w->out, "calls=%" PRIu64 " 0\n", row->calls);
	}
	write_costs(w, row);
}

static int write_rows(const struct writer *w, struct error *err)
{
	const struct call_costs *c = &w->costs;
	uint32_t file = STRINGS_NONE;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct call_costs_row *row = &c->rows[i];
		uint32_t own = file_of(w, row->caller),
			 its = row->file == STRINGS_NONE ? own : row->file;

		if (stop_check(err))
			return -1;

		if (!i || row->caller != row[-1].caller) {
			out_text(w->out, "\n");
			write_module(w, "ob=", c->functions[row->caller].module);
			file = own;
			write_file(w, "fl=", file);
			write_function(w, "fn=", row->caller);
		}
		if (its != file)
			write_file(w, its == own ? "fe=" : "fi=", its);
		file = its;
		write_row(w, row);
	}
	return 0;
}

/* ---- header ---------------------------------------------------------------------------------- */

/* A name of an event is one word of letters, digits and underscores. The caller frees it; NULL: memory. */
static char *event_name(const struct writer *w, uint32_t resource)
{
	size_t n, at = 0;
	const char *name = strings_get(w->profile->strings, resource, &n);
	char *event = malloc(n + sizeof("__18446744073709551615"));

	if (!event)
		return NULL;
	if (!n || isdigit((unsigned char)*name))
		event[at++] = '_';
	for (size_t i = 0; i < n; i++)
		event[at++] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	event[at] = '\0';
	return event;
}

static bool is_known_event(const struct writer *w, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(w->events[i], name))
			return true;
	return false;
}

/* Two resources of one name, or of names that become one, are two events: the second one gets _2. -1: memory. */
static int name_events(struct writer *w)
{
	size_t n = w->costs.n_columns;

	w->events = calloc(n + 1, sizeof(*w->events));
	for (size_t i = 0; w->events && i < n; i++) {
		char *name = w->events[i] = event_name(w, profile_shown(w->profile, i));
		size_t length = name ? strlen(name) : 0;

		if (!name)
			return -1;
		for (size_t k = 2; is_known_event(w, i, name); k++)
			sprintf(name + length, "_%zu", k);
	}
	return w->events ? 0 : -1;
}

static void write_totals(const struct writer *w, const char *key)
{
	const struct profile *p = w->profile;

	out_text(w->out, key);
	for (size_t i = 0; i < w->costs.n_columns; i++)
		out_format(w->out, " %" PRIu64, p->n_columns ? p->columns[i].weight : p->weight);
	out_text(w->out, "\n");
}

static void write_header(const struct writer *w)
{
	const struct profile *p = w->profile;
	size_t n;

	out_text(w->out,
		 "# callgrind format\nversion: 1\ncreator: libcpsample " CPS_PROJECT_VERSION "\n");
	if (p->n_processes == 1 && p->processes[0].pid)
		out_format(w->out, "pid: %" PRIu64 "\n", p->processes[0].pid);
	out_text(w->out, "cmd:");
	for (size_t i = 0; p->n_processes == 1 && i < p->processes[0].n_args; i++) {
		const char *word = strings_get(p->strings, p->processes[0].args[i], &n);

		out_text(w->out, " ");
		out_name(w->out, word, n);
	}
	out_text(w->out, "\n");
	for (size_t i = 0; i < w->costs.n_columns; i++) {
		const char *unit =
			strings_get(p->strings, p->n_columns ? p->columns[i].unit : p->unit, &n);

		out_format(w->out, "desc: Unit of %s: ", w->events[i]);
		out_name(w->out, unit, n);
		out_text(w->out, "\n");
	}
	out_text(w->out, "positions: line\nevents:");
	for (size_t i = 0; i < w->costs.n_columns; i++)
		out_format(w->out, " %s", w->events[i]);
	out_text(w->out, "\n");
	write_totals(w, "summary:");
}

static int write_profile(struct writer *w, struct error *err)
{
	w->has_function = calloc(w->costs.n_functions + 1, 1);
	w->has_module = calloc(w->profile->n_modules + 1, 1);
	w->has_file = calloc(strings_count(w->profile->strings) + 1, 1);
	if (!w->has_function || !w->has_module || !w->has_file || name_events(w))
		return error_memory(err);
	write_header(w);
	if (write_rows(w, err))
		return -1;
	write_totals(w, "\ntotals:");
	return 0;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct writer w = {.profile = in->profile, .out = o};
	int status = places_find(&w.places, in, err) ||
		     call_costs_find(&w.costs, in->profile, &w.places, err) ||
		     write_profile(&w, err);

	places_free(&w.places);
	call_costs_free(&w.costs);
	free(w.has_function);
	free(w.has_module);
	free(w.has_file);
	for (size_t i = 0; w.events && i < w.costs.n_columns; i++)
		free(w.events[i]);
	free(w.events);
	return status ? -1 : 0;
}

const struct view view_callgrind = {
	.name = "callgrind",
	.help = "calls with their lines, for KCachegrind",
	.needs = VIEW_NEEDS_NAMES | VIEW_NEEDS_LINES,
	.ignores = VIEW_OPTIONS("top", "unit"),
	.has_columns = true,
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .is_needed = true,
		      .help = "write a profile for KCachegrind to a file"}},
	.emit = emit,
};
