/* SPDX-License-Identifier: MIT */
/*
 * tracks.c - sorts samples by thread and time.
 *
 * In: moments, or where there are none the weights of nodes. Out: struct tracks.
 */
#include "export/tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample before it is sorted. `part` is a group's node or a thread's index. */
struct entry {
	uint32_t column, part, thread;
	size_t place; /* in order of arrival */
	struct track_sample sample;
};

struct finding {
	const struct profile *profile;
	struct tracks *tracks;
	uint32_t *groups; /* by node: the node of its group, 0: none */
	struct entry *entries;
	size_t n;
	const struct moments *named; /* for which has_several is known */
	bool has_several;	     /* programs */
};

static const struct moments *moments_of(const struct profile *p, size_t column)
{
	return p->n_columns ? &p->columns[column].moments : &p->moments;
}

/* Of groups the samples of all threads are one track. */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->sample.time_ns != y->sample.time_ns)
		return x->sample.time_ns < y->sample.time_ns ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static void add(struct finding *f, uint32_t column, uint32_t thread, struct track_sample sample)
{
	struct entry *e = &f->entries[f->n];

	*e = (struct entry){.column = column, .thread = thread, .place = f->n, .sample = sample};
	e->part = f->profile->by ? f->groups[sample.node] : f->tracks->has_times ? thread : 0;
	f->n++;
}

static void add_nodes(struct finding *f)
{
	const struct profile *p = f->profile;
	uint32_t column = 0;

	for (size_t i = 1; i < p->n_nodes; i++) {
		if (!p->nodes[i].self_weight)
			continue;
		for (size_t node = p->n_columns ? i : 0; node; node = p->nodes[node].parent)
			column = (uint32_t)p->frames[p->nodes[node].frame].address;
		add(f, column, 0,
		    (struct track_sample){.weight = p->nodes[i].self_weight,
					  .node = (uint32_t)i,
					  .state = STRINGS_NONE});
	}
}

static void add_moments(struct finding *f, uint32_t column)
{
	const struct moments *m = moments_of(f->profile, column);

	for (size_t i = 0; i < m->n; i++) {
		const struct moment *from = &m->list[i];

		if (from->weight)
			add(f, column, from->thread,
			    (struct track_sample){.time_ns = from->time_ns,
						  .weight = from->weight,
						  .node = from->node,
						  .state = from->state});
	}
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static bool has_several_programs(const struct moments *m)
{
	for (size_t i = 1; i < m->n_threads; i++)
		if (m->threads[i].pid != m->threads[0].pid ||
		    m->threads[i].process_ns != m->threads[0].process_ns)
			return true;
	return false;
}

static int name_thread(char **name, struct finding *f, const struct moments *m,
		       const struct moments_thread *t)
{
	const struct profile *p = f->profile;
	const char *program = strings_get(p->strings, t->program, NULL);
	const char *own = strings_get(p->strings, t->name, NULL);
	unsigned long long pid = t->pid, tid = t->tid;

	if (f->named != m)
		f->has_several = has_several_programs(m);
	f->named = m;
	if (f->has_several)
		return asprintf(name, "%s [%llu] %s%s(tid %llu)", program, pid, own,
				*own ? " " : "", tid);
	return asprintf(name, "%s (tid %llu)", *own ? own : program, tid);
}

/* Of several resources a track's name says which one it shows. */
static int name_track(struct track *track, struct finding *f, const struct entry *e)
{
	const struct profile *p = f->profile;
	const struct moments *m = moments_of(p, e->column);
	const char *resource = strings_get(p->strings, profile_shown(p, e->column), NULL);
	char *name = NULL;
	int n;

	if (p->by)
		n = asprintf(
			&name, "%s",
			strings_get(p->strings, p->frames[p->nodes[e->part].frame].name, NULL));
	else if (track->thread)
		n = name_thread(&name, f, m, track->thread);
	else
		n = asprintf(&name, "%s", resource);
	if (n < 0)
		return -1;
	if (!p->n_columns || (!p->by && !track->thread)) {
		track->name = name;
		return 0;
	}
	n = asprintf(&track->name, "%s: %s", resource, name);
	free(name);
	return n < 0 ? -1 : 0;
}

static size_t count_tracks(const struct finding *f)
{
	size_t n = 1;

	for (size_t i = 1; i < f->n; i++)
		n += f->entries[i].column != f->entries[i - 1].column ||
		     f->entries[i].part != f->entries[i - 1].part;
	return n;
}

static int begin_track(struct finding *f, size_t i)
{
	struct tracks *t = f->tracks;
	const struct entry *e = &f->entries[i];
	const struct moments *m = moments_of(f->profile, e->column);
	struct track *track = &t->list[t->n];

	*track = (struct track){.column = e->column,
				.first = i,
				.thread = t->has_times ? &m->threads[e->thread] : NULL};
	if (name_track(track, f, e)) {
		track->name = NULL;
		return -1;
	}
	t->n++;
	return 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct moments_thread *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->process_ns > y->process_ns) - (x->process_ns < y->process_ns);
}

static int look_for_same_pids(struct tracks *t)
{
	struct moments_thread *threads = calloc(t->n, sizeof(*threads));

	if (!threads)
		return -1;
	for (size_t i = 0; i < t->n; i++)
		threads[i] = *t->list[i].thread;
	qsort(threads, t->n, sizeof(*threads), compare_processes);
	for (size_t i = 1; i < t->n; i++)
		t->has_same_pids |= threads[i].pid == threads[i - 1].pid &&
				    threads[i].process_ns != threads[i - 1].process_ns;
	free(threads);
	return 0;
}

static int divide(struct finding *f)
{
	struct tracks *t = f->tracks;

	for (size_t i = 0; i < f->n; i++) {
		if ((!i || f->entries[i].column != f->entries[i - 1].column ||
		     f->entries[i].part != f->entries[i - 1].part) &&
		    begin_track(f, i))
			return -1;
		t->samples[t->n_samples++] = f->entries[i].sample;
		t->list[t->n - 1].n++;
		t->list[t->n - 1].weight += f->entries[i].sample.weight;
	}
	for (size_t i = 1; i < t->n && !t->list[i].column; i++)
		if (t->list[i].weight > t->list[t->heaviest].weight)
			t->heaviest = i;
	if (f->n)
		return t->has_times ? look_for_same_pids(t) : 0;
	t->n = 1;
	t->list[0].name =
		strdup(strings_get(f->profile->strings, profile_shown(f->profile, 0), NULL));
	return t->list[0].name ? 0 : -1;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int allocate(struct finding *f)
{
	const struct profile *p = f->profile;
	size_t most = p->n_nodes;

	f->groups = calloc(p->n_nodes, sizeof(*f->groups));
	for (size_t i = 1; f->groups && i < p->n_nodes; i++)
		f->groups[i] = profile_is_group(p, i) ? (uint32_t)i : f->groups[p->nodes[i].parent];
	if (f->tracks->has_times) {
		most = 0;
		for (size_t i = 0; i < profile_count_shown(p); i++)
			most += moments_of(p, i)->n;
	}
	f->entries = calloc(most + 1, sizeof(*f->entries));
	f->tracks->samples = calloc(most + 1, sizeof(*f->tracks->samples));
	return f->groups && f->entries && f->tracks->samples ? 0 : -1;
}

static int find(struct finding *f)
{
	if (allocate(f))
		return -1;
	if (!f->tracks->has_times)
		add_nodes(f);
	for (uint32_t i = 0; f->tracks->has_times && i < profile_count_shown(f->profile); i++)
		add_moments(f, i);
	qsort(f->entries, f->n, sizeof(*f->entries), compare);
	f->tracks->list = calloc(count_tracks(f), sizeof(*f->tracks->list));
	return f->tracks->list ? divide(f) : -1;
}

int tracks_find(struct tracks *t, const struct profile *p, struct error *err)
{
	struct finding f = {.profile = p, .tracks = t};
	int status;

	*t = (struct tracks){.has_times = true};
	for (size_t i = 0; i < profile_count_shown(p); i++) {
		enum moments_kept kept = moments_of(p, i)->kept;

		if (kept == MOMENTS_TOO_MANY)
			return error_set(err,
					 "these are more than %u samples, of which this view would "
					 "show each: choose with --from, --to, --thread or --pid",
					 MOMENTS_MOST);
		t->has_times &= kept == MOMENTS_KEPT;
	}
	status = find(&f);
	free(f.groups);
	free(f.entries);
	return status ? error_memory(err) : 0;
}

void tracks_free(struct tracks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].name);
	free(t->list);
	free(t->samples);
}
