/* SPDX-License-Identifier: MIT */
/*
 * explore_load.c - reads files into one profile per resource.
 *
 * Explore room. In: files. Out: profiles. An input says at its beginning what it counts; all that
 * follows goes to the builder of that resource. One that counts several is read once for each.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "decode.h"
#include "explore.h"
#include "progress.h"
#include "warnings.h"

struct route {
	struct profile_builder *builder;
	char *resource, *unit;
};

/* The decoder's sink: at first its `process` is ours; that makes it the sink of a builder. */
struct router {
	struct event_sink sink;
	struct route *routes;
	size_t n, size;
	struct options *options;
	struct profile_part part;
	size_t taken;	/* resources of the current input that have been read */
	size_t offered; /* this time so far */
};

static bool is_same(const char *a, struct event_text b)
{
	return strlen(a) == b.length && memcmp(a, b.length ? b.bytes : "", b.length) == 0;
}

static struct route *add_route(struct router *r, const struct event_process *e, struct error *err)
{
	struct route *route;

	if (!array_reserve(&r->routes, &r->size, r->n + 1, sizeof(*r->routes))) {
		error_memory(err);
		return NULL;
	}
	route = &r->routes[r->n];
	*route = (struct route){
		.builder = profile_builder_new(err),
		.resource =
			strndup(e->resource.length ? e->resource.bytes : "", e->resource.length),
		.unit = strndup(e->unit.length ? e->unit.bytes : "", e->unit.length),
	};
	r->n++;
	if (!route->builder || !route->resource || !route->unit) {
		error_memory(err);
		return NULL;
	}
	profile_builder_group(route->builder, (enum profile_by)r->options->by);
	if (profile_builder_part(route->builder, &r->part, err))
		return NULL;
	return route;
}

/* An input that was cut before it said what it counts has nothing to add: any will do. */
static struct route *find_route(struct router *r, const struct event_process *e, struct error *err)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!e->resource.length || (is_same(r->routes[i].resource, e->resource) &&
					    is_same(r->routes[i].unit, e->unit)))
			return &r->routes[i];
	return add_route(r, e, err);
}

static int on_process(void *context, const struct event_process *e, struct error *err)
{
	struct router *r = context;
	struct route *route;

	if (r->offered++ < r->taken)
		return EVENT_DECLINED;
	int wanted = select_is_set(&r->options->chosen)
			     ? select_process(&r->options->chosen, e, err)
			     : 1;

	if (wanted <= 0)
		return wanted ? -1 : EVENT_DECLINED;
	route = find_route(r, e, err);
	if (!route)
		return -1;
	r->taken = r->offered;
	r->sink = *profile_builder_sink(route->builder);
	return r->sink.process(r->sink.context, e, err);
}

/* Standard input can be read only once: of it, the first resource. */
static int read_file(struct router *r, const char *path, struct error *err)
{
	size_t taken;
	int status;

	r->taken = 0;
	do {
		taken = r->taken;
		r->offered = 0;
		r->sink = (struct event_sink){.context = r, .process = on_process};
		status = decode_file(path, &r->sink, err);
	} while (!status && r->taken > taken && strcmp(path, "-") != 0);
	return status;
}

static int read_files(struct router *r, const struct sources *from, struct error *err)
{
	int status = stages_part(from, r->options, &r->part, err);
	size_t i;

	progress_files(from);
	for (i = 0; !status && i < from->n; i++) {
		progress_next_file();
		status = read_file(r, from->files[i], err);
	}
	progress_end();
	return status ? -1 : select_check(&r->options->chosen, err);
}

/* The builders become profiles; those that are left after an error are freed. */
static int finish(struct explore *e, struct router *r, struct error *err)
{
	struct profile *p;
	size_t i;

	e->profiles = calloc(r->n + 1, sizeof(*e->profiles));
	if (!e->profiles)
		return error_memory(err);
	for (i = 0; i < r->n; i++) {
		p = profile_builder_finish(r->routes[i].builder, err);
		r->routes[i].builder = NULL;
		if (!p)
			return -1;
		e->profiles[e->n++].stages.profile = p;
		if (warnings_profile(p, e->options.strict, err))
			return -1;
	}
	warnings_unmatched(&e->options.chosen.threads, "thread");
	return 0;
}

int explore_load(struct explore *e, const struct sources *from, struct error *err)
{
	struct router r = {.options = &e->options};
	int status = read_files(&r, from, err);
	size_t i;

	if (!status)
		status = finish(e, &r, err);
	for (i = 0; i < r.n; i++) {
		profile_builder_free(r.routes[i].builder);
		free(r.routes[i].resource);
		free(r.routes[i].unit);
	}
	free(r.routes);
	return status;
}

void explore_free(struct explore *e)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		explore_names_free(&e->profiles[i].names);
		explore_names_free(&e->profiles[i].once_names);
		e->profiles[i].once.profile = NULL; /* it is that of stages */
		stages_free(&e->profiles[i].once);
		stages_free(&e->profiles[i].stages);
	}
	for (i = 0; i < e->n_kept; i++)
		free(e->kept[i]);
	free(e->profiles);
	free(e->kept);
}
