/* SPDX-License-Identifier: MIT */
/*
 * load.c - reads files into one profile, or into a profile for each resource.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "model/short_processes.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/runs.h"
#include "pipeline/worker_pool.h"
#include "read/decode.h"

/* ---- load threads ---------------------------------------------------------------------------- */
/*
 * Divides files among threads.
 *
 * In: files. Out: how many threads, how many files at a time.
 */

/* Fewer bytes are read in less time than threads take to start. */
#define BYTES_FOR_THREADS 65536u
/* A part that a thread reads at a time has at most so many bytes and files, if files are small. */
#define BYTES_AT_A_TIME 65536u
#define FILES_AT_A_TIME 32u

/* Each thread may have two files open, and the process needs other descriptors, too. */
static size_t descriptors_suffice_for(size_t n_threads)
{
	struct rlimit limit;
	size_t most = 1;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / 4 >= n_threads + 4)
		return n_threads;
	if (limit.rlim_cur / 4 > 4)
		most = limit.rlim_cur / 4 - 4;
	return most < n_threads ? most : n_threads;
}

/* The number of threads; `jobs` is how many the user wants, 0: one for each core if that is worth it. */
static size_t load_threads(const struct sources *from, uint64_t jobs)
{
	size_t n = jobs ? jobs : worker_pool_cores();

	if (from->is_read_once_only || (!jobs && from->bytes < BYTES_FOR_THREADS))
		return 1;
	return descriptors_suffice_for(n < from->n ? n : from->n);
}

/* How many files one of several threads reads at a time. */
static size_t load_threads_files(const struct sources *from, size_t n_threads)
{
	size_t fair = from->n / (4 * n_threads), n = FILES_AT_A_TIME;

	if (from->bytes / BYTES_AT_A_TIME >= from->n / FILES_AT_A_TIME)
		n = (size_t)(BYTES_AT_A_TIME * (uint64_t)from->n / (from->bytes + 1));
	n = n < fair ? n : fair;
	return n ? n : 1;
}

/* ---- load ------------------------------------------------------------------------------------ */
/*
 * The beginning of an input says which resource it counts, and all that follows goes to that
 * resource's builder; an input that counts several is read once for each. Several threads read at
 * a time, each a part of the files into builders of its own, which the caller's thread joins in
 * the order of the files. A part that fails it reads again: the first error is always the same.
 */

/* The builder of the inputs of a run that count this resource in this unit. */
struct route {
	struct profile_builder *builder;
	char *resource, *unit;
	size_t run;
};

/* Sends the events of each input to the builder of its resource and run. */
struct router {
	struct route *routes;
	size_t n, size;
	struct selection_match *match;
	enum profile_by by;
	bool shows_kernel;
	struct profile_keeps keeps;
	bool by_resource; /* each resource has a route of its own */
	struct profile_part part;
	struct event_at at;
	size_t taken;		 /* resources of the current input that have been read */
	size_t offered;		 /* resources that this reading of the input has met so far */
	const struct runs *runs; /* each has routes of its own; NULL: there are none */
	size_t run;		 /* that the current file belongs to; 0 without runs */
	bool took_any; /* an input did not say what it counts, so that it went to any route */
};

static const struct event_text none;

/* ---- one input ------------------------------------------------------------------------------- */

static bool is_same(const char *a, struct event_text b)
{
	return strlen(a) == b.length && memcmp(a, b.length ? b.bytes : "", b.length) == 0;
}

static struct route *add_route(struct router *r, size_t run, struct event_text resource,
			       struct event_text unit, struct error *err)
{
	struct profile_part part = r->part;
	struct route *route;

	if (!array_reserve(&r->routes, &r->size, r->n + 1, sizeof(*r->routes))) {
		error_memory(err);
		return NULL;
	}
	route = &r->routes[r->n];
	*route = (struct route){
		.builder = profile_builder_new(err),
		.resource = strndup(resource.length ? resource.bytes : "", resource.length),
		.unit = strndup(unit.length ? unit.bytes : "", unit.length),
		.run = run,
	};
	r->n++;
	if (!route->builder || !route->resource || !route->unit) {
		error_memory(err);
		return NULL;
	}
	profile_builder_group(route->builder, r->by);
	profile_builder_show_kernel(route->builder, r->shows_kernel);
	if (r->runs || r->keeps.squares)
		profile_builder_want_squares(route->builder);
	if (r->runs)
		part.run_ns = r->runs->starts_ns[run];
	profile_builder_time(route->builder, r->keeps);
	return profile_builder_part(route->builder, &part, err) ? NULL : route;
}

/* An input that was cut before it said what it counts has no samples, so that any route will do. */
static struct route *find_route(struct router *r, size_t run, struct event_text resource,
				struct event_text unit, struct error *err)
{
	r->took_any |= r->by_resource && !resource.length;
	for (size_t i = 0; i < r->n; i++)
		if (r->routes[i].run == run && (!r->by_resource || !resource.length ||
						(is_same(r->routes[i].resource, resource) &&
						 is_same(r->routes[i].unit, unit))))
			return &r->routes[i];
	return add_route(r, run, resource, unit, err);
}

/* The builder of the resource becomes the sink of the events that follow. */
static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct router *r = context;
	struct route *route;
	int wanted;

	if (r->offered++ < r->taken)
		return EVENT_DECLINED;
	wanted = selection_is_set(r->match->wanted) ? selection_match_process(r->match, e, err) : 1;
	if (wanted <= 0)
		return wanted ? -1 : EVENT_DECLINED;
	route = find_route(r, r->run, e->resource, e->unit, err);
	if (!route)
		return -1;
	r->taken = r->offered;
	*next = profile_builder_sink(route->builder);
	return event_push_process(next, e, err);
}

/* Standard input can be read only once, so that only its first resource is read. */
static int read_file(struct router *r, const struct sources *from, size_t i, struct error *err)
{
	struct event_sink sink = {.context = r, .at = r->at, .process = on_process};
	const char *path = from->files[i];
	size_t taken;
	int status = 0;

	r->taken = 0;
	r->run = r->runs ? r->runs->of[i] : 0;
	if (r->runs)
		sink.at.run_ns = r->runs->starts_ns[r->run];
	do {
		taken = r->taken;
		r->offered = 0;
		status = decode_file(path, &sink, err);
	} while (!status && r->by_resource && r->taken > taken && strcmp(path, "-"));
	return status;
}

static void route_free(struct route *route)
{
	profile_builder_free(route->builder);
	free(route->resource);
	free(route->unit);
}

static void routes_free(struct router *r)
{
	for (size_t i = 0; i < r->n; i++)
		route_free(&r->routes[i]);
	free(r->routes);
}

/* ---- many inputs ----------------------------------------------------------------------------- */

struct load {
	const struct sources *from;
	struct router router;
	size_t at_a_time; /* files that a part has */
	struct error *err;
};

/* What a thread has read of one part of the files. */
struct batch {
	struct router router;
	struct selection_match match;
};

static size_t part_begin(const struct load *l, size_t part)
{
	return part * l->at_a_time;
}

static size_t part_end(const struct load *l, size_t part)
{
	size_t end = (part + 1) * l->at_a_time;

	return end < l->from->n ? end : l->from->n;
}

static void batch_free(void *result)
{
	struct batch *batch = result;

	routes_free(&batch->router);
	selection_match_free(&batch->match);
	free(batch);
}

static struct batch *batch_new(const struct router *ours, struct error *err)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->router = (struct router){
		.match = &batch->match,
		.by = ours->by,
		.shows_kernel = ours->shows_kernel,
		.keeps = ours->keeps,
		.by_resource = ours->by_resource,
		.runs = ours->runs,
		.part = ours->part,
		.at = ours->at,
	};
	batch->router.part.context = &batch->match;
	if (!selection_match_begin(&batch->match, ours->match->wanted, err))
		return batch;
	batch_free(batch);
	return NULL;
}

/* Read a part of the files on any thread. On an error there is no batch: add_part() then reads the
 * part again, and reports the error. */
static void *read_batch(void *context, size_t part)
{
	const struct load *l = context;
	struct error err;
	struct batch *batch = batch_new(&l->router, &err);

	for (size_t i = part_begin(l, part); batch && i < part_end(l, part); i++)
		if (read_file(&batch->router, l->from, i, &err)) {
			batch_free(batch);
			return NULL;
		}
	return batch;
}

/* The route on the caller's side that a route of a batch is to be joined with. */
static struct route *our_route(struct load *l, const struct route *of)
{
	const struct event_text resource = {of->resource, strlen(of->resource)};
	const struct event_text unit = {of->unit, strlen(of->unit)};

	return find_route(&l->router, of->run, resource, unit, l->err);
}

/* 1: the batch can be joined, 0: it cannot, -1: error. It cannot be joined if one of its inputs
 * went to any route, because among the caller's routes that may be another one. */
static int can_join(struct load *l, const struct batch *batch)
{
	for (size_t i = 0; i < batch->router.n; i++) {
		const struct route *theirs = &batch->router.routes[i], *ours;

		if (batch->router.took_any)
			return 0;
		ours = our_route(l, theirs);
		if (!ours || !profile_builder_can_join(ours->builder, theirs->builder))
			return ours ? 0 : -1;
	}
	return 1;
}

static int join_batch(struct load *l, const struct batch *batch)
{
	for (size_t i = 0; i < batch->router.n; i++) {
		const struct route *theirs = &batch->router.routes[i], *ours = our_route(l, theirs);

		if (!ours || profile_builder_join(ours->builder, theirs->builder, l->err))
			return -1;
	}
	selection_match_join(l->router.match, &batch->match);
	return 0;
}

static int read_part(struct load *l, size_t part)
{
	for (size_t i = part_begin(l, part); i < part_end(l, part); i++) {
		progress_file(i + 1);
		if (read_file(&l->router, l->from, i, l->err))
			return -1;
	}
	return 0;
}

static int add_part(void *context, size_t part, void *result)
{
	struct load *l = context;
	int status = result ? can_join(l, result) : 0;

	if (status > 0) {
		progress_file(part_end(l, part));
		status = join_batch(l, result);
	} else if (!status) {
		status = read_part(l, part);
	}
	if (result)
		batch_free(result);
	return status;
}

static int read_files(struct load *l, const struct options *opt)
{
	size_t n_threads = load_threads(l->from, opt->jobs);
	struct worker_pool pool;
	int status;

	l->at_a_time = n_threads > 1 ? load_threads_files(l->from, n_threads) : l->from->n;
	pool = (struct worker_pool){
		.n = l->from->n / l->at_a_time + (l->from->n % l->at_a_time != 0),
		.n_threads = n_threads,
		.context = l,
		.run = read_batch,
		.take = add_part,
		.drop = batch_free,
		.wait = progress_read,
	};
	progress_files(l->from);
	status = n_threads > 1 ? worker_pool_run(&pool) : read_part(l, 0);
	progress_end();
	return status;
}

/* ---- from files to profiles ------------------------------------------------------------------ */

#define COLUMNS_MAX UINT16_MAX /* as a tree has them */

/* How many resources are columns. */
static size_t count_resources(const struct load *l, enum load_as as)
{
	size_t n = selection_count_resources(l->router.match->wanted);

	return (as == LOAD_AS_COLUMNS || as == LOAD_AS_RUNS) && n ? n : 1;
}

static int prepare(struct load *l, const struct options *opt, enum load_as as,
		   struct selection_match *match)
{
	const struct selection *chosen = &opt->chosen;
	unsigned needs = opt->view ? view_needs(opt->view, filter_drops(&opt->filter)) : 0;
	uint64_t run_ns = 0;

	l->router.match = match;
	l->router.by = (enum profile_by)opt->by;
	l->router.shows_kernel = opt->kernel;
	l->router.keeps.times = !opt->view || needs & VIEW_NEEDS_TIMES;
	l->router.keeps.squares = needs & VIEW_NEEDS_SQUARES;
	l->router.keeps.moments = !opt->view || needs & VIEW_NEEDS_MOMENTS;
	l->router.by_resource =
		as == LOAD_BY_RESOURCE || as == LOAD_AS_COLUMNS || count_resources(l, as) > 1;
	l->router.runs = as == LOAD_AS_RUNS ? l->from->runs : NULL;
	if (selection_at(chosen, &l->router.at, l->err))
		return -1;
	if (!l->router.runs &&
	    (chosen->from_ns || chosen->to_ns || l->router.at.what == EVENT_AT_TIME) &&
	    run_start(l->from, &run_ns, l->err))
		return -1;
	l->router.at.run_ns = run_ns;
	if (count_resources(l, as) > 1 && l->from->is_read_once_only)
		return error_set(l->err, "an input that can be read only once is read for one "
					 "resource, not for several");
	if (selection_match_part(match, run_ns, &l->router.part, l->err))
		return -1;
	l->router.part.at = l->router.at;
	return as == LOAD_AS_ONE && !add_route(&l->router, 0, none, none, l->err) ? -1 : 0;
}

static void free_profiles(struct load_result *result)
{
	while (result->n)
		profile_free(result->list[--result->n]);
	free(result->list);
}

/* What left no recording is told of whole runs: not of processes that were chosen, nor where several runs are compared. */
static int add_shorts(const struct load *l, const struct options *opt, struct profile *p)
{
	if (opt->chosen.n_pids || opt->chosen.exe || l->router.runs)
		return 0;
	return short_processes_find(p, l->from->newest, l->err);
}

static int finish_profiles(struct load *l, const struct options *opt, struct load_result *result)
{
	result->n = 0;
	result->list = calloc(l->router.n + 1, sizeof(*result->list));
	if (!result->list)
		return error_memory(l->err);
	for (size_t i = 0; i < l->router.n; i++) {
		struct profile *p = profile_builder_finish(l->router.routes[i].builder, l->err);

		l->router.routes[i].builder = NULL;
		if (p) {
			p->packs = l->from->packs;
			result->list[result->n++] = p;
		}
		if (p && !add_shorts(l, opt, p))
			continue;
		free_profiles(result);
		return -1;
	}
	if (!selection_check_shown(l->router.match->wanted, l->router.part.run_ns, result->list,
				   result->n, l->err))
		return 0;
	free_profiles(result);
	return -1;
}

/* The builder of a resource that was asked for, and of a run, which has used nothing of it if no input of that run counts it.
 * Inputs may count it in different units, which cannot be added up. */
static int find_column(struct load *l, size_t resource, size_t run,
		       struct profile_builder **builder)
{
	struct router *r = &l->router;
	const struct event_text name =
		r->by_resource ? selection_resource(r->match->wanted, resource) : none;
	const struct route *found = NULL;
	bool is_counted = !r->by_resource;

	for (size_t i = 0; i < r->n; i++) {
		const struct route *route = &r->routes[i];

		if (r->by_resource && !is_same(route->resource, name))
			continue;
		is_counted = true;
		if (route->run != run)
			continue;
		if (found)
			return error_set(l->err,
					 "inputs count \"%.40s\" in \"%.40s\" and in \"%.40s\"",
					 route->resource, found->unit, route->unit);
		found = route;
	}
	if (!is_counted)
		return selection_match_no_resource(r->match, name, l->err);
	if (!found)
		found = add_route(r, run, name, none, l->err);
	*builder = found ? found->builder : NULL;
	return found ? 0 : -1;
}

/* The builders in the order in which --resource names their resources, and of each in the order of the runs; the caller frees
 * the array. NULL: error. It is one if no input counts a resource, or if some count it in another unit. */
static struct profile_builder **list_columns(struct load *l, size_t n_resources, size_t n_runs)
{
	size_t n = n_resources * n_runs;
	struct profile_builder **list;

	if (n > COLUMNS_MAX) {
		error_set(l->err,
			  "%zu resources of %zu runs are more than can be compared at a time (%u)",
			  n_resources, n_runs, (unsigned)COLUMNS_MAX);
		return NULL;
	}
	list = calloc(n, sizeof(*list));
	if (!list)
		error_memory(l->err);
	for (size_t i = 0; list && i < n; i++) {
		if (!find_column(l, i / n_runs, i % n_runs, &list[i]))
			continue;
		free(list);
		list = NULL;
	}
	return list;
}

/* One profile of all routes becomes the only route. */
static int join_columns(struct load *l, enum load_as as)
{
	const struct runs *runs = l->router.runs;
	size_t n_resources = count_resources(l, as);
	struct profile_builder **list = list_columns(l, n_resources, runs ? runs->n : 1);
	struct route *all;
	int status;

	if (!list)
		return -1;
	all = add_route(&l->router, 0, none, none, l->err);
	if (!all)
		status = -1;
	else if (runs)
		status = profile_builder_runs(all->builder, list, n_resources, runs->n,
					      runs->n_base, l->err);
	else
		status = profile_builder_columns(all->builder, list, n_resources, l->err);
	free(list);
	if (status)
		return -1;
	while (l->router.n > 1)
		route_free(&l->router.routes[--l->router.n - 1]);
	l->router.routes[0] = *all;
	return 0;
}

int load_profiles(const struct sources *from, const struct options *opt, enum load_as as,
		  struct load_result *result, struct error *err)
{
	struct load l = {.from = from, .err = err};
	int status;

	if (selection_match_begin(&result->match, &opt->chosen, err))
		return -1;
	status = prepare(&l, opt, as, &result->match) || read_files(&l, opt) ||
		 selection_match_check(&result->match, err);
	if (!status && (as == LOAD_AS_COLUMNS || as == LOAD_AS_RUNS))
		status = join_columns(&l, as);
	if (!status)
		status = finish_profiles(&l, opt, result);
	routes_free(&l.router);
	if (status)
		selection_match_free(&result->match);
	return status ? -1 : 0;
}
