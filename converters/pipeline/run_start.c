/* SPDX-License-Identifier: MIT */
/*
 * run_start.c - finds the earliest start time in the process records of several files.
 *
 * In: files. Out: a time.
 */
#include "pipeline/run_start.h"

#include <string.h>
#include <sys/stat.h>

#include "read/decode.h"

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	uint64_t *start_ns = context;

	(void)next;
	(void)err;
	if (e->start_ns && (!*start_ns || e->start_ns < *start_ns))
		*start_ns = e->start_ns;
	return EVENT_ENOUGH;
}

int run_start(const struct sources *from, uint64_t *start_ns, struct error *err)
{
	const struct event_sink sink = {.context = start_ns, .process = on_process};
	struct error unused;
	struct stat st;

	*start_ns = 0;
	if (from->n < 2)
		return 0;
	for (size_t i = 0; i < from->n; i++) {
		const char *name = from->files[i];

		if (!strcmp(name, "-") || (!stat(name, &st) && !S_ISREG(st.st_mode)))
			return error_set(err,
					 "%s: cannot be read twice, which --from and --to "
					 "need when there are several inputs",
					 strcmp(name, "-") ? name : "standard input");
		decode_file(name, &sink, &unused);
	}
	return 0;
}
