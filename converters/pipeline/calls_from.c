/* SPDX-License-Identifier: MIT */
/*
 * calls_from.c - gives a sampled profile the numbers of calls of another file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/calls_from.h"
#include "pipeline/load.h"
#include "pipeline/message.h"

#define OPTION	    "--calls-from"
#define NAMES_BYTES 160u /* of names in the line of those that do not meet */

/* ---- reading --------------------------------------------------------------------------------- */

/* What was counted of the other file's calls, as profile.counted: node 1 is what was cut, below it is a node for each function, and
 * below those one for each of its callees. */
static int fill(struct profile_counted *c, struct profile *p, const struct profile *other)
{
	const struct given_calls *g = other->given_calls;
	uint32_t first = 2;

	c->frames = calloc(g->n_functions + 1, sizeof(*c->frames));
	c->nodes = calloc(g->n_functions + g->n_arcs + 2, sizeof(*c->nodes));
	if (!c->frames || !c->nodes)
		return -1;
	c->has_cut = true;
	c->n_frames = g->n_functions + 1;
	c->n_nodes = g->n_functions + g->n_arcs + 2;
	c->frames[0] = (struct profile_frame){PROFILE_NO_MODULE, STRINGS_NONE, CPS_CUT_ADDRESS};
	for (size_t i = 0; i < g->n_functions; i++) {
		size_t n;
		const char *name = strings_get(other->strings, g->functions[i].name, &n);
		uint32_t number = strings_add(p->strings, name, n);

		if (number == STRINGS_NONE)
			return -1;
		c->frames[i + 1] = (struct profile_frame){PROFILE_NO_MODULE, number, 0};
		c->nodes[first + i] =
			(struct profile_node){1, (uint32_t)i + 1, g->functions[i].calls, 0};
	}
	for (size_t i = 0; i < g->n_arcs; i++)
		c->nodes[first + g->n_functions + i] = (struct profile_node){
			first + g->arcs[i].caller, g->arcs[i].callee + 1, g->arcs[i].count, 0};
	return 0;
}

static int check_sum(const struct given_calls *g, const char *file, struct error *err)
{
	uint64_t sum = 0;
	bool is_over = false;

	for (size_t i = 0; i < g->n_functions; i++)
		is_over |= __builtin_add_overflow(sum, g->functions[i].calls, &sum);
	for (size_t i = 0; i < g->n_arcs; i++)
		is_over |= __builtin_add_overflow(sum, g->arcs[i].count, &sum);
	if (is_over)
		return error_set(err, OPTION " %s: the number of calls does not fit 64 bits", file);
	return sum ? 0 : error_set(err, OPTION " %s: no calls were counted in it", file);
}

/* A file of ours may have numbers of samples in the place of those of calls. */
static bool is_ours(const struct profile *p)
{
	const char *ours = "libcpsample";

	for (size_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].recorder != STRINGS_NONE &&
		    !strncmp(strings_get(p->strings, p->processes[i].recorder, NULL), ours,
			     strlen(ours)))
			return true;
	return false;
}

static int join(struct profile *p, const struct profile *other, const char *file, struct error *err)
{
	if (!other->given_calls)
		return error_usage(err,
				   OPTION " %s: it has stacks; calls are counted by gprof's and "
					  "callgrind's files",
				   file);
	if (is_ours(other))
		return error_usage(err, OPTION " %s: cpconv wrote it, of samples", file);
	if (check_sum(other->given_calls, file, err))
		return -1;
	p->counted = calloc(1, sizeof(*p->counted));
	return p->counted && !fill(p->counted, p, other) ? 0 : error_memory(err);
}

static int check(const struct profile *p, const struct options *opt, struct error *err)
{
	bool has_own = p->counted || p->given_calls;

	for (size_t i = 0; i < p->n_processes; i++)
		has_own |= p->processes[i].calls.has_any;
	if (opt->n_bases)
		return error_usage(err, OPTION ": of one program, and not of a comparison");
	if (p->n_columns)
		return error_usage(err, OPTION ": with one resource, and not with several");
	if (has_own)
		return error_usage(err, OPTION ": the input has numbers of calls of its own");
	return 0;
}

int calls_from_join(struct profile *p, const struct options *opt, struct error *err)
{
	char *name = (char *)(uintptr_t)opt->calls_from;
	struct load_result result = {0};
	struct options plain;
	struct sources from;
	int status;

	if (!name)
		return 0;
	if (check(p, opt, err))
		return -1;
	options_init(&plain);
	status = sources_find(&from, &name, 1, NULL, err);
	if (!status)
		status = load_profiles(&from, &plain, LOAD_AS_ONE, &result, err);
	if (!status) {
		status = join(p, result.list[0], name, err);
		selection_match_free(&result.match);
		profile_free(result.list[0]);
		free(result.list);
	}
	sources_free(&from);
	options_free(&plain);
	return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct names {
	char text[NAMES_BYTES];
	size_t length, n;
};

static void add(struct names *list, const struct tree *t, uint32_t name)
{
	const char *text = strings_shown(t->strings, name, NULL);
	size_t n = strlen(text), left = NAMES_BYTES - list->length;

	if (list->n++ && left > 2) {
		memcpy(list->text + list->length, ", ", 3);
		list->length += 2;
		left -= 2;
	}
	if (n + sizeof(", ...") < left) {
		memcpy(list->text + list->length, text, n + 1);
		list->length += n;
	} else if (left >= sizeof("...")) {
		memcpy(list->text + list->length, "...", sizeof("..."));
		list->length = NAMES_BYTES; /* no more */
	}
}

/* By name: 1: samples have met it, 2: it is in the file. */
static unsigned char *places_of_names(const struct tree *samples, const struct tree *calls)
{
	unsigned char *in = calloc(strings_count(samples->strings) + 1, 1);

	for (size_t i = 1; in && i < samples->n_nodes; i++)
		in[samples->nodes[i].name] |= 1;
	for (size_t i = 1; in && i < calls->n_nodes; i++) {
		const struct tree_node *n = &calls->nodes[i], *caller = &calls->nodes[n->parent];

		if (!n->self && !n->self_hits)
			continue;
		in[n->name] |= 2;
		if (n->parent &&
		    strcmp(strings_get(calls->strings, caller->name, NULL), PROFILE_CUT))
			in[caller->name] |= 2;
	}
	return in;
}

/* Whether --root leaves what is below a function (view_below_root), which pairs of functions do not know. */
static bool is_below_root(const struct view *view)
{
	return view == &view_flat || view == &view_functions || view == &view_edges;
}

int calls_from_tell(const struct tree *samples, const struct tree *calls, const char *why,
		    const struct options *opt, struct error *err)
{
	struct names lists[3] = {0};
	unsigned char *in;
	size_t both = 0;

	if (!opt->calls_from)
		return 0;
	if (opt->of_view.root && is_below_root(opt->view))
		why = "--root";
	if (!calls || why)
		return error_usage(err, OPTION ": calls cannot be had of a part: %s", why);
	in = places_of_names(samples, calls);
	if (!in)
		return error_memory(err);
	for (uint32_t i = 0; i < strings_count(samples->strings); i++) {
		both += in[i] == 3;
		if (in[i] == 1 || in[i] == 2)
			add(&lists[in[i]], samples, i);
	}
	free(in);
	if (!both)
		return error_set(err, OPTION " %s: samples have met none of its functions",
				 opt->calls_from);
	if (lists[1].n || lists[2].n)
		message("note: " OPTION ": %zu functions are in both; only in samples: %zu%s%s%s; "
			"only in %s: %zu%s%s%s",
			both, lists[1].n, lists[1].n ? " (" : "", lists[1].text,
			lists[1].n ? ")" : "", opt->calls_from, lists[2].n, lists[2].n ? " (" : "",
			lists[2].text, lists[2].n ? ")" : "");
	return 0;
}
