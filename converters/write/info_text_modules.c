/* SPDX-License-Identifier: MIT */
/*
 * info_text_modules.c - writes the modules of a process for people.
 *
 * In: a process of the profile. Out: a table of build ids and paths.
 */
#include "write/info_text.h"

static void write_module(struct out *o, const struct profile *p, const struct profile_module *m)
{
	size_t i;

	out_text(o, "  ");
	for (i = 0; i < 6; i++)
		if (i < m->build_id_bytes)
			out_format(o, "%02x", m->build_id[i]);
		else
			out_text(o, m->build_id_bytes ? "  " : "--");
	out_text(o, "  ");
	if (m->path != STRINGS_NONE) {
		size_t n;
		const char *path = strings_get(p->strings, m->path, &n);

		out_name(o, path, n);
	} else {
		out_text(o, "(no record of this module)");
	}
	out_text(o, "\n");
}

void info_text_modules(struct out *o, const struct profile *p,
		       const struct profile_process *process)
{
	size_t i;

	if (!process->n_modules)
		return;
	out_format(o, "\n%zu module%s\n", process->n_modules, process->n_modules == 1 ? "" : "s");
	out_text(o, "  build id      path\n");
	for (i = 0; i < process->n_modules; i++)
		write_module(o, p, &p->modules[process->modules[i]]);
}
