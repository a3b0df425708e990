/* SPDX-License-Identifier: MIT */
/*
 * warnings.c - warns the user of whatever makes the profile less than what was asked for.
 *
 * In: files, a profile, its modules. Out: messages on standard error.
 */
#include "pipeline/warnings.h"

#include "pipeline/message.h"
#include "write/stop_text.h"

/* So many warnings of one kind are shown, because there may be thousands. */
#define SHOWN 5u

void warnings_sources(const struct sources *s)
{
	size_t i;

	for (i = 0; i < s->n_again && i < SHOWN; i++)
		message("%s: warning: given twice, read once", s->again[i]);
	if (i < s->n_again)
		message("warning: and %zu more files given twice", s->n_again - i);
	for (i = 0; i < s->n_same && i < SHOWN; i++)
		message("%s, read once", s->same[i]);
	if (i < s->n_same)
		message("warning: and %zu more recordings that are also in a pack", s->n_same - i);
	if (s->newest && s->n_given == 1)
		message("reading %s", s->newest);
	else if (s->newest)
		message("reading %s and %zu more of its process tree", s->newest, s->n_given - 1);
}

struct counts {
	size_t stops, denials, journals, cuts;
};

/* Warn if the recording stopped although nobody asked for that, or if its journal is of no use. */
static void warn_of_stop(const struct profile *p, const struct profile_process *process,
			 struct counts *n)
{
	const char *file = strings_get(p->strings, process->file, NULL);
	char text[STOP_TEXT_BYTES];

	if (stop_text_is_trouble(process) && n->stops++ < SHOWN)
		message("%s: warning: recording stopped: %s", file, stop_text(text, process));
	if (process->denied && n->denials++ < SHOWN)
		message("%s: warning: not recorded: %s", file, stop_text_denied(text, process));
	if (process->note != STRINGS_NONE && n->journals++ < SHOWN)
		message("%s: warning: %s", file, strings_get(p->strings, process->note, NULL));
}

static void say_rest(size_t n, const char *what)
{
	if (n > SHOWN)
		message("warning: and %zu more %s", n - SHOWN, what);
}

/* A recording has no end if the process was killed, or is still running. What it holds is still worth
 * showing, so this is a warning, and an error only if the user asked for that. There is nothing to say
 * if nothing is missing, as of programs of Go. */
int warnings_profile(const struct profile *p, bool strict, struct error *err)
{
	struct counts n = {0};
	size_t i;

	for (i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];
		const char *file = strings_get(p->strings, process->file, NULL), *why;
		char text[STOP_TEXT_BYTES];

		warn_of_stop(p, process, &n);
		if (process->ended || process->unended == EVENT_LEFT ||
		    (n.cuts++ >= SHOWN && !strict))
			continue;
		why = process->cut_why == STRINGS_NONE
			      ? "it has no end"
			      : strings_get(p->strings, process->cut_why, NULL);
		error_set(err, "%s: %s%s: %s", file,
			  strict || process->unended == EVENT_RUNNING ? "" : "warning: ",
			  stop_text_unended(text, process), why);
		if (strict)
			return -1;
		message("%s", err->text);
	}
	say_rest(n.stops, "recordings stopped");
	say_rest(n.denials, "recordings lack processes made by fork");
	say_rest(n.journals, "journals are of no use");
	say_rest(n.cuts, "recordings have no end");
	return 0;
}

void warnings_kernel(bool has_kernel)
{
	if (!has_kernel)
		message("warning: --kernel: no sample was taken in the kernel; what is recorded "
			"with `cpsample -r cpu,system` tells such samples apart");
}

void warnings_modules(const struct profile *p, const struct symbols *s)
{
	size_t i, n = 0;

	for (i = 0; i < p->n_modules; i++) {
		const char *text = symbols_module_warning(s, (uint32_t)i);

		if (text && n++ < SHOWN)
			message("warning: %s", text);
	}
	say_rest(n, "modules");
}

void warnings_unmatched(const struct patterns *p, const char *what)
{
	const char *text;
	size_t i;

	for (i = 0; (text = patterns_unmatched(p, i)); i++)
		message("warning: %s: no %s matches \"%s\"", p->option, what, text);
}
