/* SPDX-License-Identifier: MIT */
/*
 * view_html.c - the profile as one page that any browser shows, to be looked at from all sides.
 *
 * In: struct tree. Out: HTML that needs no other file and no network (page/page.h).
 */
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "page/page.h"
#include "view/compared.h"
#include "view/view.h"
#include "write/caption.h"

#define TITLE_BYTES 60u /* of arguments in a title */

#define PLAIN_ROWS 200 /* of the table that is seen without JavaScript */

/* Where a remark ends that names options, as " (see --info)" does; NULL: there is none. */
static const char *end_of_hint(const char *text)
{
	bool is_hint = strncmp(text, " (--", 4) == 0 || strncmp(text, " (see --", 8) == 0;
	const char *end = is_hint ? strpbrk(text + 2, ")\n") : NULL;

	return end && *end == ')' ? end + 1 : NULL;
}

/* A page has no command line: leave out what is said of options, but not within commands. */
static char *without_hints(char *text)
{
	char *to = text;
	bool is_command = false, is_first = true;

	for (const char *from = text; from && *from;) {
		const char *end;

		if (is_first)
			is_command = !strncmp(from, "process ", 8) || !strncmp(from, "command ", 8);
		end = is_command ? NULL : end_of_hint(from);
		if (end) {
			from = end;
			continue;
		}
		is_first = *from == '\n';
		*to++ = *from++;
	}
	if (to)
		*to = '\0';
	return text;
}

/* What another view writes. The caller frees it; NULL is an error. */
static char *text_of(const struct view *view, const struct view_input *in, struct error *err)
{
	struct view_options how = *in->options;
	struct view_input as = *in;
	struct out *o = out_open_memory(err);
	struct error unused;
	size_t n;

	if (!o)
		return NULL;
	how.format = VIEW_TEXT;
	how.top = PLAIN_ROWS;
	how.root = NULL;
	as.options = &how;
	as.is_introduced = NULL;
	as.numbers = NULL;
	if (view->emit(&as, o, err)) {
		free(out_take(o, &n, &unused));
		return NULL;
	}
	return without_hints(out_take(o, &n, err));
}

/* Of as many runs on both sides figures are sums, as in comparison_counts. */
static void caption_both(struct out *o, const struct view_input *in)
{
	size_t before = in->profile->n_base, after = in->profile->n_columns - before;

	caption_compared(o, "Profile", in);
	if (before == after && !in->options->normalize)
		out_format(o, "%zu run%s before and as many after%s\n", before,
			   before == 1 ? "" : "s", before == 1 ? "" : "; figures are their sums");
	else
		out_format(o, "%zu run%s before and %zu after; figures are means%s\n", before,
			   before == 1 ? "" : "s", after,
			   in->options->normalize ? ", scaled to the total before" : "");
}

static char *caption_of(const struct view_input *in, struct error *err)
{
	struct view_input as = *in;
	struct out *o = out_open_memory(err);
	size_t n;

	if (!o)
		return NULL;
	as.is_introduced = NULL;
	if (compared(in))
		caption_both(o, &as);
	else
		caption_write(o, "Profile", &as);
	return without_hints(out_take(o, &n, err));
}

/* The words behind the program's name, of which a title has room for some. */
static void write_arguments(struct out *o, const struct profile *p,
			    const struct profile_process *process)
{
	size_t left = TITLE_BYTES;

	for (size_t i = 1; i < process->n_args; i++) {
		size_t n;
		const char *text = strings_get(p->strings, process->args[i], &n);

		if (n >= left) {
			out_text(o, " ...");
			return;
		}
		left -= n + 1;
		out_text(o, " ");
		out_name(o, text, n);
	}
}

/* The command that was launched and how many processes it became; of several runs, the name of a
 * program and how many processes there are beside it. */
static char *title_of(const struct view_input *in, struct error *err)
{
	const struct profile *p = in->profile;
	struct out *o = out_open_memory(err);
	const struct profile_process *launched = commands_launched(p->processes, p->n_processes);
	const struct event_text elsewhere =
		commands_launched_elsewhere(p->strings, p->processes, p->n_processes);
	struct event_text name = elsewhere;
	size_t n;

	if (!o)
		return NULL;
	name.length = name.length < TITLE_BYTES ? name.length : TITLE_BYTES;
	if (p->n_processes && !name.length)
		name = profile_program_of(p->strings, launched ? launched : &p->processes[0]);
	if (name.length)
		out_name(o, name.bytes, name.length);
	else
		out_text(o, "Profile");
	if (compared(in))
		out_text(o, ", before and after");
	else if (launched && p->n_processes > 1) {
		if (!elsewhere.length)
			write_arguments(o, p, launched);
		else if (elsewhere.length > name.length)
			out_text(o, "...");
		out_format(o, " (%zu processes)", p->n_processes);
	} else if (p->n_processes > 1)
		out_format(o, " and %zu more", p->n_processes - 1);
	return out_take(o, &n, err);
}

static int write_page(const struct view_input *in, const struct page_base *base, struct out *o,
		      struct error *err)
{
	char *title = title_of(in, err);
	char *caption = title ? caption_of(in, err) : NULL;
	char *facts = caption ? text_of(&view_info, in, err) : NULL;
	char *plain = facts ? text_of(&view_flat, in, err) : NULL;
	const struct page_texts texts = {title, caption, facts, plain};
	int status = plain ? page_write(in, base, &texts, o, err) : -1;

	free(title);
	free(caption);
	free(facts);
	free(plain);
	return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void base_free(struct page_base *base)
{
	free(base->before);
	free(base->after);
	free(base->functions);
	free(base->by_self);
	free(base->by_total);
}

/* `context` points to whether weights are totals, not selfs. */
static int weigh_functions(void *context, const struct tree *t, uint64_t *weights,
			   struct error *err)
{
	const bool *by_total = context;
	size_t n;
	struct tree_function *f = tree_functions(t, &n, err);

	for (size_t i = 0; f && i < n; i++)
		weights[i] = *by_total ? f[i].total : f[i].self;
	free(f);
	return f ? 0 : -1;
}

static int base_fill(struct page_base *base, const struct comparison *c, struct error *err)
{
	bool sums = !c->normalizes && 2 * c->n_base == c->n_runs, no = false, yes = true;
	const struct comparison_measure self = {weigh_functions, &no},
					total = {weigh_functions, &yes};

	base->scale = sums ? (double)c->n_base : 1; /* as comparison_counts does */
	if (comparison_counts(c, &base->before, &base->after, err)) {
		base->before = base->after = NULL; /* it has freed them */
		return -1;
	}
	base->functions = tree_functions(c->tree, &base->n_functions, err);
	if (!base->functions)
		return -1;
	base->by_self = comparison_parts(c, &self, base->n_functions, err);
	base->by_total = base->by_self ? comparison_parts(c, &total, base->n_functions, err) : NULL;
	return base->by_total ? 0 : -1;
}

static int base_find(struct page_base *base, const struct view_input *in, struct error *err)
{
	struct comparison c;
	int status;

	if (!compared(in))
		return 0;
	status = comparison_begin(&c, in->profile, in->tree, 0, in->options->normalize, err);
	if (!status)
		status = base_fill(base, &c, err);
	comparison_free(&c);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct page_base base = {0};
	int status;

	if (out_width(o))
		return error_usage(err, "a page is not to be read on a terminal: say where to "
					"write it, -o page.html");
	status = base_find(&base, in, err);
	if (!status)
		status = write_page(in, &base, o, err);
	base_free(&base);
	return status;
}

const struct view view_html = {
	.name = "html",
	.help = "a page for the browser, with all of the profile",
	.needs = VIEW_NEEDS_TREE | VIEW_NEEDS_MOMENTS | VIEW_WANTS_SOURCES,
	.ignores = VIEW_OPTIONS("top"),
	.options = VIEW_OPTIONS("with-source", "source-path"),
	.has_base = true,
	.has_columns = true,
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .is_needed = true,
		      .help = "write a page for the browser to a file"}},
	.emit = emit,
};
