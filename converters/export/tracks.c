/* SPDX-License-Identifier: MIT */
/*
 * tracks.c - samples by thread and time, and their marks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "export/tracks.h"
#include "model/profile.h"

/* ---- stack groups ---------------------------------------------------------------------------- */
/*
 * Finds the process, thread and rank that a group of stacks is of.
 *
 * In: names of groups. Out: these, as far as a name is of one only.
 */

struct stack_groups {
	const struct profile *profile;
	struct id_table *names;	  /* numbers of strings */
	struct stack_group *list; /* by place in `names` */
	size_t n, size;
	char **runs;		/* by process */
	struct stack_group all; /* what all processes have in common */
};

/* Leave of a group only what it has in common with another. */
static void meet(struct stack_group *g, const struct stack_group *other)
{
	g->thread = NULL;
	if (g->process != other->process)
		g->process = NULL;
	g->has_rank &= other->has_rank && g->rank == other->rank;
	if (!g->run || !other->run || strcmp(g->run, other->run) != 0)
		g->run = NULL;
	if (g->host != other->host)
		g->host = STRINGS_NONE;
}

/* Add what has that name, which is freed. A name that two have is of neither. */
static int add_group(struct stack_groups *g, char *name, struct stack_group group)
{
	uint32_t number, place;

	if (!name)
		return -1;
	number = strings_find(g->profile->strings, name, strlen(name));
	free(name);
	if (number == STRINGS_NONE)
		return 0;
	place = id_table_add(g->names, number);
	if (place == ID_TABLE_NONE ||
	    !array_reserve(&g->list, &g->size, (size_t)place + 1, sizeof(*g->list)))
		return -1;
	if (place == g->n) {
		g->list[g->n++] = group;
		return 0;
	}
	meet(&g->list[place], &group);
	return 0;
}

static int add_threads(struct stack_groups *g, struct stack_group group)
{
	const struct profile *p = g->profile;

	for (size_t i = 0; i < group.process->n_threads; i++) {
		group.thread = &group.process->threads[i];
		if (add_group(g,
			      group_names_thread(p->strings, group.process, group.thread,
						 p->n_processes == 1),
			      group))
			return -1;
	}
	return 0;
}

/* Programs and commands are of any number of processes, whose names are not looked up. */
static int add_process(struct stack_groups *g, size_t i)
{
	const struct profile *p = g->profile;
	const struct profile_process *process = &p->processes[i];
	const char *host =
		process->host == STRINGS_NONE ? "" : strings_get(p->strings, process->host, NULL);
	struct stack_group group = {.process = process,
				    .has_rank = process->has_rank,
				    .rank = process->rank,
				    .host = process->host};

	if (asprintf(&g->runs[i], "%s/%" PRIu64 "/%" PRIu64, host, process->tree_pid,
		     process->tree_start) < 0) {
		g->runs[i] = NULL;
		return -1;
	}
	group.run = process->tree_pid ? g->runs[i] : NULL;
	if (i)
		meet(&g->all, &group);
	else
		g->all = group;
	if (p->by == PROFILE_BY_PROCESS)
		return add_group(g, group_names_process(p->strings, process), group);
	if (p->by == PROFILE_BY_RANK)
		return add_group(g, group_names_rank(process->has_rank, process->rank), group);
	return p->by == PROFILE_BY_THREAD ? add_threads(g, group) : 0;
}

struct stack_groups *stack_groups_new(const struct profile *p)
{
	struct stack_groups *g = calloc(1, sizeof(*g));
	bool ok = g;

	if (!g)
		return NULL;
	g->profile = p;
	g->all.host = STRINGS_NONE;
	g->names = id_table_new();
	g->runs = calloc(p->n_processes + 1, sizeof(*g->runs));
	ok = g->names && g->runs;
	for (size_t i = 0; ok && i < p->n_processes; i++)
		ok = !add_process(g, i);
	if (ok)
		return g;
	stack_groups_free(g);
	return NULL;
}

void stack_groups_free(struct stack_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; g->runs && i < g->profile->n_processes; i++)
		free(g->runs[i]);
	if (g->names)
		id_table_free(g->names);
	free(g->runs);
	free(g->list);
	free(g);
}

struct stack_group stack_groups_find(const struct stack_groups *g, uint32_t name)
{
	const struct profile *p = g->profile;
	struct stack_group all = g->all;
	uint32_t place = name == STRINGS_NONE ? ID_TABLE_NONE : id_table_find(g->names, name);

	if (place != ID_TABLE_NONE)
		return g->list[place];
	if (p->n_processes == 1 && p->processes[0].n_threads == 1)
		all.thread = &p->processes[0].threads[0];
	return all;
}

/* ---- tracks ---------------------------------------------------------------------------------- */

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

/* ---- track marks ----------------------------------------------------------------------------- */

/* The tracks of threads, of the first resource. */
struct thread_track {
	uint64_t pid, start_ns, tid;
	size_t track;
};

struct mark_finding {
	const struct profile *profile;
	uint64_t begin_ns;
	struct thread_track *tracks; /* by process, thread and number */
	struct thread_track *firsts; /* the same with 0 for threads */
	size_t n;
	struct track_marks *marks;
};

static int compare_threads(const void *a, const void *b)
{
	const struct thread_track *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->track > y->track) - (x->track < y->track);
}

static int compare_marks(const void *a, const void *b)
{
	const struct track_mark *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int list_tracks(struct mark_finding *f, const struct tracks *t)
{
	f->tracks = calloc(t->n, sizeof(*f->tracks));
	f->firsts = calloc(t->n, sizeof(*f->firsts));
	if (!f->tracks || !f->firsts)
		return -1;
	for (size_t i = 0; i < t->n; i++) {
		const struct moments_thread *thread = t->list[i].thread;

		if (!thread || t->list[i].column || f->profile->by)
			continue;
		f->tracks[f->n] =
			(struct thread_track){thread->pid, thread->process_ns, thread->tid, i};
		f->firsts[f->n] = f->tracks[f->n];
		f->firsts[f->n++].tid = 0;
	}
	qsort(f->tracks, f->n, sizeof(*f->tracks), compare_threads);
	qsort(f->firsts, f->n, sizeof(*f->firsts), compare_threads);
	return 0;
}

/* The first track of this process and thread. */
static const struct thread_track *look_up(const struct thread_track *list, size_t n,
					  const struct thread_track *wanted)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_threads(&list[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || list[low].pid != wanted->pid || list[low].start_ns != wanted->start_ns ||
	    list[low].tid != wanted->tid)
		return NULL;
	return &list[low];
}

static const struct thread_track *track_of(const struct mark_finding *f,
					   const struct profile_process *p, uint64_t tid)
{
	struct thread_track wanted = {p->pid, p->start_ns, tid, 0};
	const struct thread_track *found = look_up(f->tracks, f->n, &wanted);

	if (found || f->profile->threads)
		return found;
	wanted.tid = 0;
	return look_up(f->firsts, f->n, &wanted);
}

/* Whether the mark is in the time that was selected; *ns becomes its time. */
static bool is_selected(const struct mark_finding *f, const struct profile_process *process,
			const struct profile_mark *mark, uint64_t *ns)
{
	const struct profile *p = f->profile;

	return !__builtin_mul_overflow(mark->time_us, 1000, ns) &&
	       !__builtin_add_overflow(*ns, process->start_ns - f->begin_ns, ns) &&
	       *ns >= p->from_ns && (!p->to_ns || *ns < p->to_ns);
}

static void add_process_marks(struct mark_finding *f, const struct profile_process *process)
{
	for (size_t i = 0; i < process->n_marks; i++) {
		const struct profile_mark *mark = &process->marks[i];
		const struct profile_thread *t = &process->threads[mark->thread];
		const struct thread_track *track = track_of(f, process, t->tid ? t->tid : t->id);
		uint64_t ns;

		if (!track || !is_selected(f, process, mark, &ns))
			continue;
		f->marks->list[f->marks->n] =
			(struct track_mark){track->track, ns, mark->name, f->marks->n};
		f->marks->n++;
	}
}

int track_marks_find(struct track_marks *m, const struct profile *p, const struct tracks *tracks,
		     uint64_t begin_ns, struct error *err)
{
	struct mark_finding f = {.profile = p, .begin_ns = begin_ns, .marks = m};
	size_t most = 1;
	int status;

	for (size_t i = 0; i < p->n_processes; i++)
		most += p->processes[i].n_marks;
	*m = (struct track_marks){.list = calloc(most, sizeof(*m->list))};
	status = m->list ? list_tracks(&f, tracks) : -1;
	for (size_t i = 0; !status && i < p->n_processes; i++)
		add_process_marks(&f, &p->processes[i]);
	if (!status)
		qsort(m->list, m->n, sizeof(*m->list), compare_marks);
	free(f.tracks);
	free(f.firsts);
	return status ? error_memory(err) : 0;
}

void track_marks_free(struct track_marks *m)
{
	free(m->list);
	*m = (struct track_marks){0};
}
