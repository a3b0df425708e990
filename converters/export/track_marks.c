/* SPDX-License-Identifier: MIT */
/*
 * track_marks.c - finds the track of each mark.
 *
 * In: a profile, its tracks. Out: struct track_marks.
 */
#include "export/track_marks.h"

#include <stdlib.h>

/* The tracks of threads, of the first resource. */
struct thread_track {
	uint64_t pid, start_ns, tid;
	size_t track;
};

struct finding {
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

static int list_tracks(struct finding *f, const struct tracks *t)
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

static const struct thread_track *track_of(const struct finding *f, const struct profile_process *p,
					   uint64_t tid)
{
	struct thread_track wanted = {p->pid, p->start_ns, tid, 0};
	const struct thread_track *found = look_up(f->tracks, f->n, &wanted);

	if (found || f->profile->threads)
		return found;
	wanted.tid = 0;
	return look_up(f->firsts, f->n, &wanted);
}

/* Whether the mark is in the time that was selected; *ns becomes its time. */
static bool is_selected(const struct finding *f, const struct profile_process *process,
			const struct profile_mark *mark, uint64_t *ns)
{
	const struct profile *p = f->profile;

	return !__builtin_mul_overflow(mark->time_us, 1000, ns) &&
	       !__builtin_add_overflow(*ns, process->start_ns - f->begin_ns, ns) &&
	       *ns >= p->from_ns && (!p->to_ns || *ns < p->to_ns);
}

static void add_process(struct finding *f, const struct profile_process *process)
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
	struct finding f = {.profile = p, .begin_ns = begin_ns, .marks = m};
	size_t most = 1;
	int status;

	for (size_t i = 0; i < p->n_processes; i++)
		most += p->processes[i].n_marks;
	*m = (struct track_marks){.list = calloc(most, sizeof(*m->list))};
	status = m->list ? list_tracks(&f, tracks) : -1;
	for (size_t i = 0; !status && i < p->n_processes; i++)
		add_process(&f, &p->processes[i]);
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
