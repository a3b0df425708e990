/* SPDX-License-Identifier: MIT */
/*
 * info_text_resources.c - writes the resources that a recording counts, for people.
 *
 * In: a process of the profile. Out: some lines for each resource.
 */
#include "write/info_text.h"

#include <inttypes.h>
#include <string.h>

#include "write/weight.h"

static const char *string_or(const struct profile *p, uint32_t number, const char *otherwise)
{
	return number == STRINGS_NONE ? otherwise : strings_get(p->strings, number, NULL);
}

static bool is_named(const struct profile *p, const struct profile_resource *r, const char *name)
{
	return strcmp(string_or(p, r->name, ""), name) == 0;
}

/* "alloc  105.540 MB credited of 105.580 MB counted, 213 samples" */
static void write_resource(struct out *o, const struct profile *p, const struct profile_resource *r)
{
	const char *unit = string_or(p, r->unit, "");
	char text[WEIGHT_BYTES];

	out_text(o, "  ");
	info_text_string(o, p, r->name);
	if (r->is_live) {
		out_text(o, ": what is not freed at a moment (--at)\n");
		return;
	}
	if (profile_nothing_of(r) == PROFILE_NOT_HAPPENED) {
		out_text(o, ": did not happen\n");
	} else {
		out_format(o, ": %s credited", weight_with_unit(text, unit, r->credited));
		if (r->has_counted)
			out_format(o, " of %s counted", weight_with_unit(text, unit, r->counted));
		out_format(o, ", %" PRIu64 " sample%s\n", r->samples, r->samples == 1 ? "" : "s");
	}
	if (r->engine != STRINGS_NONE || r->interval) {
		out_text(o, "    ");
		info_text_string(o, p, r->engine);
		if (r->interval)
			out_format(o, "%sone sample per %s", r->engine == STRINGS_NONE ? "" : ", ",
				   weight_interval(text, unit, r->interval));
		out_text(o, "\n");
	}
	if (is_named(p, r, "user") || is_named(p, r, "system"))
		out_text(o, "    credited by what samples have met, so it may be above what was "
			    "counted\n");
	if (r->why == STRINGS_NONE)
		return;
	out_text(o, "    ");
	info_text_string(o, p, r->why);
	out_text(o, "\n");
}

/* The functions of the C library that transfer bytes are wrapped. */
static void write_what_passes_by(struct out *o, const struct profile *p,
				 const struct profile_process *process)
{
	for (size_t i = 0; i < process->n_resources; i++) {
		const struct profile_resource *r = &process->resources[i];

		if (!is_named(p, r, "read") && !is_named(p, r, "write"))
			continue;
		out_text(o,
			 "  read and write are without what passes by the C library's functions: "
			 "syscall(2), a program's own\n"
			 "  system calls, aio, io_uring and mapped files\n");
		return;
	}
}

void info_text_resources(struct out *o, const struct profile *p,
			 const struct profile_process *process)
{
	size_t i;

	if (!process->n_resources)
		return;
	out_format(o, "\n%zu resource%s\n", process->n_resources,
		   process->n_resources == 1 ? "" : "s");
	for (i = 0; i < process->n_resources; i++)
		write_resource(o, p, &process->resources[i]);
	write_what_passes_by(o, p, process);
}
