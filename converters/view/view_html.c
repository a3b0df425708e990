/* SPDX-License-Identifier: MIT */
/*
 * view_html.c - the profile as one page that any browser shows, to be looked at from all sides.
 *
 * In: struct tree. Out: HTML that needs no other file and no network (page/page.h).
 */
#include <stdlib.h>
#include <string.h>

#include "graph/call_counts.h"
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

/* As the tables have them, figures are of a run. */
static void caption_both(struct out *o, const struct view_input *in)
{
	size_t before = in->profile->n_base, after = in->profile->n_columns - before;

	caption_compared(o, "Profile", in);
	out_format(o, "%zu run%s before and %zu after%s%s\n", before, before == 1 ? "" : "s", after,
		   before + after == 2 ? "" : "; figures are means of a run",
		   in->options->normalize ? "; each run is scaled to the total before" : "");
	caption_cost_compared(o, in->profile);
}

#define RESOURCES_MOST 16 /* that a page is offered with */

/* Whether the page shows the resource. */
static bool is_shown(const struct profile *p, uint32_t resource)
{
	for (size_t i = 0; i < p->n_columns; i++)
		if (p->columns[i].resource == resource)
			return true;
	return resource == p->resource;
}

static void write_name(struct out *o, const struct profile *p, const char *before, uint32_t name)
{
	size_t n;
	const char *text = strings_get(p->strings, name, &n);

	out_text(o, before);
	out_name(o, text, n);
}

/* What was recorded, too, and is not in the page: "also recorded: real, alloc; cpconv --html --resource cpu,real,alloc has
 * all". A comparison has one resource. */
static void write_others(struct out *o, const struct profile *p)
{
	uint32_t others[RESOURCES_MOST];
	size_t n = 0;

	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources && n < RESOURCES_MOST; k++) {
			const struct profile_resource *r = &p->processes[i].resources[k];
			bool is_new = r->samples && !is_shown(p, r->name);

			for (size_t m = 0; m < n; m++)
				is_new = is_new && others[m] != r->name;
			if (is_new)
				others[n++] = r->name;
		}
	for (size_t m = 0; m < n; m++)
		write_name(o, p, m ? ", " : "also recorded: ", others[m]);
	if (!n)
		return;
	if (p->n_base) {
		out_text(o, "; cpconv --html --resource NAME compares another\n");
		return;
	}
	out_text(o, "; cpconv --html --resource ");
	for (size_t i = 0; i < p->n_columns; i++)
		write_name(o, p, i ? "," : "", p->columns[i].resource);
	if (!p->n_columns)
		write_name(o, p, "", p->resource);
	for (size_t m = 0; m < n; m++)
		write_name(o, p, ",", others[m]);
	out_text(o, " has all\n");
}

/* Functions of the calls that no sample has met are not in the page. */
static int caption_unmet(struct out *o, const struct view_input *in, struct error *err)
{
	struct call_counts counts;
	size_t n = 0;
	int status;

	if (!in->calls)
		return 0;
	status = call_counts_build(&counts, in->calls, err);
	for (size_t i = 1; !status && i < in->tree->n_nodes; i++)
		if (call_counts_knows(&counts, in->tree->nodes[i].name))
			counts.calls[in->tree->nodes[i].name] = 0;
	for (size_t i = 0; !status && i < counts.n_names; i++)
		n += counts.calls[i] > 0;
	if (n)
		out_format(o,
			   "calls were counted of %zu more function%s, which no sample has met\n",
			   n, n == 1 ? "" : "s");
	call_counts_free(&counts);
	return status;
}

static char *caption_of(const struct view_input *in, struct error *err)
{
	struct view_input as = *in;
	struct out *o = out_open_memory(err);
	struct error unused;
	size_t n;
	int status;

	if (!o)
		return NULL;
	as.is_introduced = NULL;
	if (compared(in))
		caption_both(o, &as);
	else
		caption_write(o, "Profile", &as);
	caption_calls(o, &as);
	status = caption_unmet(o, in, err);
	write_others(o, in->profile);
	if (status) {
		free(out_take(o, &n, &unused));
		return NULL;
	}
	return without_hints(out_take(o, &n, err));
}

/* The words behind the first one, of which a title has room for some. */
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

static void write_cut(struct out *o, const char *text, size_t n)
{
	out_name(o, text, n < TITLE_BYTES ? n : TITLE_BYTES);
	out_text(o, n > TITLE_BYTES ? "..." : "");
}

/* What the process is called by the timeline, or as a whole by the headings of texts. Of two programs that are compared what
 * tells one from the other is in neither's name. */
static int write_command(struct out *o, const struct profile *p,
			 const struct profile_process *process, bool is_whole, struct error *err)
{
	uint32_t *commands = commands_name(p->strings, p->processes, p->n_processes);
	const struct event_text program = profile_program_of(p->strings, process);
	size_t n;
	const char *name;

	if (!commands)
		return error_memory(err);
	name = strings_get(p->strings, commands[process - p->processes], &n);
	if ((is_whole || p->n_base) && program.length) {
		out_name(o, program.bytes, program.length);
		if (is_whole)
			write_arguments(o, p, process);
	} else {
		write_cut(o, name, n);
	}
	free(commands);
	return 0;
}

/* The command that was launched and how many processes it became; of several runs, the name of the first command and how
 * many processes there are beside it. */
static int write_title(struct out *o, const struct view_input *in, struct error *err)
{
	const struct profile *p = in->profile;
	const struct profile_process *launched = commands_launched(p->processes, p->n_processes);
	const struct event_text elsewhere =
		commands_launched_elsewhere(p->strings, p->processes, p->n_processes);
	bool is_whole = launched && p->n_processes > 1 && !compared(in);

	if (elsewhere.length)
		write_cut(o, elsewhere.bytes, elsewhere.length);
	else if (!p->n_processes)
		out_text(o, "Profile");
	else if (write_command(o, p, launched ? launched : p->processes, is_whole, err))
		return -1;
	if (compared(in))
		out_text(o, ", before and after");
	else if (is_whole)
		out_format(o, " (%zu processes)", p->n_processes);
	else if (p->n_processes > 1)
		out_format(o, " and %zu more", p->n_processes - 1);
	return 0;
}

static char *title_of(const struct view_input *in, struct error *err)
{
	struct out *o = out_open_memory(err);
	struct error unused;
	size_t n;

	if (!o)
		return NULL;
	if (!write_title(o, in, err))
		return out_take(o, &n, err);
	free(out_take(o, &n, &unused));
	return NULL;
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
	bool no = false, yes = true;
	const struct comparison_measure self = {weigh_functions, &no},
					total = {weigh_functions, &yes};

	base->is_single = comparison_is_single(c);
	if (comparison_means(c, &base->before, &base->after, &base->parts, err))
		return -1;
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
