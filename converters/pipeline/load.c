/* SPDX-License-Identifier: MIT */
/*
 * load.c - reads files into one profile, or one per resource.
 *
 * In: files. Out: profiles. An input says at its beginning what it counts; all that
 * follows goes to the builder of that resource. One that counts several is read once for each.
 *
 * On several threads, each reads some files into builders of its own, which then join ours in the
 * order of the files. What does not go that way, we read ourselves: so errors are said here only.
 */
#include "pipeline/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "pipeline/progress.h"
#include "pipeline/run_start.h"
#include "pipeline/worker_pool.h"
#include "read/decode.h"

/* Less is read before threads are there. */
#define BYTES_FOR_THREADS 65536u
/* So much of small files goes to a thread at a time. */
#define BYTES_AT_A_TIME 65536u
#define FILES_AT_A_TIME 32u

struct route {
	struct profile_builder *builder;
	char *resource, *unit;
};

/* The decoder's sink: at first its `process` is ours; that makes it the sink of a builder. */
struct router {
	struct event_sink sink;
	struct route *routes;
	size_t n, size;
	struct selection *chosen;
	enum profile_by by;
	enum load_as as;
	struct profile_part part;
	size_t taken;	/* resources of the current input that have been read */
	size_t offered; /* this time so far */
	bool took_any;	/* an input did not say what it counts */
};

/* ---- one input ------------------------------------------------------------------------------- */

static bool is_same(const char *a, struct event_text b)
{
	return strlen(a) == b.length && memcmp(a, b.length ? b.bytes : "", b.length) == 0;
}

static struct route *add_route(struct router *r, struct event_text resource, struct event_text unit,
			       struct error *err)
{
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
	};
	r->n++;
	if (!route->builder || !route->resource || !route->unit) {
		error_memory(err);
		return NULL;
	}
	profile_builder_group(route->builder, r->by);
	return profile_builder_part(route->builder, &r->part, err) ? NULL : route;
}

/* An input that was cut before it said what it counts has nothing to add: any will do. */
static struct route *find_route(struct router *r, struct event_text resource,
				struct event_text unit, struct error *err)
{
	r->took_any |= r->as == LOAD_BY_RESOURCE && !resource.length;
	for (size_t i = 0; i < r->n; i++)
		if (r->as == LOAD_AS_ONE || !resource.length ||
		    (is_same(r->routes[i].resource, resource) && is_same(r->routes[i].unit, unit)))
			return &r->routes[i];
	return add_route(r, resource, unit, err);
}

static int on_process(void *context, const struct event_process *e, struct error *err)
{
	struct router *r = context;
	struct route *route;
	int wanted;

	if (r->offered++ < r->taken)
		return EVENT_DECLINED;
	wanted = selection_is_set(r->chosen) ? selection_process(r->chosen, e, err) : 1;
	if (wanted <= 0)
		return wanted ? -1 : EVENT_DECLINED;
	route = find_route(r, e->resource, e->unit, err);
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
	} while (!status && r->as == LOAD_BY_RESOURCE && r->taken > taken && strcmp(path, "-"));
	return status;
}

static void routes_free(struct router *r)
{
	for (size_t i = 0; i < r->n; i++) {
		profile_builder_free(r->routes[i].builder);
		free(r->routes[i].resource);
		free(r->routes[i].unit);
	}
	free(r->routes);
}

/* ---- many inputs ----------------------------------------------------------------------------- */

struct load {
	const struct sources *from;
	struct router router;
	size_t at_a_time; /* files of a part */
	struct error *err;
};

/* What a thread has read. */
struct job {
	struct router router;
	struct selection chosen;
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

static void drop(void *result)
{
	struct job *job = result;

	routes_free(&job->router);
	selection_fork_free(&job->chosen);
	free(job);
}

static struct job *begin(const struct router *ours, struct error *err)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->router = (struct router){
		.chosen = &job->chosen,
		.by = ours->by,
		.as = ours->as,
		.part = ours->part,
	};
	job->router.part.context = &job->chosen;
	if (!selection_fork(&job->chosen, ours->chosen, err))
		return job;
	drop(job);
	return NULL;
}

/* On any thread. What goes wrong here is found out, and said, by who takes the result. */
static void *run(void *context, size_t part)
{
	const struct load *l = context;
	struct error err;
	struct job *job = begin(&l->router, &err);

	for (size_t i = part_begin(l, part); job && i < part_end(l, part); i++)
		if (read_file(&job->router, l->from->files[i], &err)) {
			drop(job);
			return NULL;
		}
	return job;
}

/* The route of ours that goes on with one of the job's. */
static struct route *same_route(struct load *l, const struct route *of)
{
	const struct event_text resource = {of->resource, strlen(of->resource)};
	const struct event_text unit = {of->unit, strlen(of->unit)};

	return find_route(&l->router, resource, unit, l->err);
}

/* 1: they can be joined, 0: they cannot, -1. What has gone to any route may belong to another one of
 * ours. */
static int can_join(struct load *l, const struct job *job)
{
	for (size_t i = 0; i < job->router.n; i++) {
		const struct route *theirs = &job->router.routes[i], *ours;

		if (job->router.took_any)
			return 0;
		ours = same_route(l, theirs);
		if (!ours || !profile_builder_can_join(ours->builder, theirs->builder))
			return ours ? 0 : -1;
	}
	return 1;
}

static int join(struct load *l, const struct job *job)
{
	for (size_t i = 0; i < job->router.n; i++) {
		const struct route *theirs = &job->router.routes[i], *ours = same_route(l, theirs);

		if (!ours || profile_builder_join(ours->builder, theirs->builder, l->err))
			return -1;
	}
	selection_join(l->router.chosen, &job->chosen);
	return 0;
}

static int read_part(struct load *l, size_t part)
{
	for (size_t i = part_begin(l, part); i < part_end(l, part); i++) {
		progress_file(i + 1);
		if (read_file(&l->router, l->from->files[i], l->err))
			return -1;
	}
	return 0;
}

static int take(void *context, size_t part, void *result)
{
	struct load *l = context;
	int status = result ? can_join(l, result) : 0;

	if (status > 0) {
		progress_file(part_end(l, part));
		status = join(l, result);
	} else if (!status) {
		status = read_part(l, part);
	}
	if (result)
		drop(result);
	return status;
}

/* Each may have two files open, and there are others. */
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

static size_t count_threads(const struct sources *from, const struct options *opt)
{
	size_t n = opt->jobs ? opt->jobs : worker_pool_cores();

	if (from->is_read_once_only || (!opt->jobs && from->bytes < BYTES_FOR_THREADS))
		return 1;
	return descriptors_suffice_for(n < from->n ? n : from->n);
}

static size_t count_files(const struct sources *from, size_t n_threads)
{
	size_t fair = from->n / (4 * n_threads), n = FILES_AT_A_TIME;

	if (from->bytes / BYTES_AT_A_TIME >= from->n / FILES_AT_A_TIME)
		n = (size_t)(BYTES_AT_A_TIME * (uint64_t)from->n / (from->bytes + 1));
	n = n < fair ? n : fair;
	return n ? n : 1;
}

static int read_files(struct load *l, const struct options *opt)
{
	size_t n_threads = count_threads(l->from, opt);
	struct worker_pool jobs;
	int status;

	l->at_a_time = n_threads > 1 ? count_files(l->from, n_threads) : l->from->n;
	jobs = (struct worker_pool){
		.n = l->from->n / l->at_a_time + (l->from->n % l->at_a_time != 0),
		.n_threads = n_threads,
		.context = l,
		.run = run,
		.take = take,
		.drop = drop,
		.wait = progress_read,
	};
	progress_files(l->from);
	status = n_threads > 1 ? worker_pool_run(&jobs) : read_part(l, 0);
	progress_end();
	return status;
}

/* ---- from files to profiles ------------------------------------------------------------------ */

static int choose(struct load *l, struct options *opt, enum load_as as)
{
	static const struct event_text any = {"", 0};
	struct selection *chosen = &opt->chosen;
	uint64_t run_ns = 0;

	l->router.chosen = chosen;
	l->router.by = (enum profile_by)opt->by;
	l->router.as = as;
	if ((chosen->from_ns || chosen->to_ns) && run_start(l->from, &run_ns, l->err))
		return -1;
	if (selection_part(chosen, run_ns, &l->router.part, l->err))
		return -1;
	return as == LOAD_AS_ONE && !add_route(&l->router, any, any, l->err) ? -1 : 0;
}

static int finish(struct load *l, struct profile ***list, size_t *n)
{
	*n = 0;
	*list = calloc(l->router.n + 1, sizeof(**list));
	if (!*list)
		return error_memory(l->err);
	for (size_t i = 0; i < l->router.n; i++) {
		struct profile *p = profile_builder_finish(l->router.routes[i].builder, l->err);

		l->router.routes[i].builder = NULL;
		if (p) {
			(*list)[(*n)++] = p;
			continue;
		}
		while (*n)
			profile_free((*list)[--*n]);
		free(*list);
		return -1;
	}
	return 0;
}

int load_profiles(const struct sources *from, struct options *opt, enum load_as as,
		  struct profile ***list, size_t *n, struct error *err)
{
	struct load l = {.from = from, .err = err};
	int status = choose(&l, opt, as);

	if (!status)
		status = read_files(&l, opt);
	if (!status)
		status = selection_check(&opt->chosen, err);
	if (!status)
		status = finish(&l, list, n);
	routes_free(&l.router);
	return status;
}
