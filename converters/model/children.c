/* SPDX-License-Identifier: MIT */
/*
 * children.c - what the children of recorded processes used, and how much of it nothing shows.
 *
 * A process that became another program has several recordings, one after the other. They are one
 * member of its process tree.
 */
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "model/short_processes.h"

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#define NO_MEMBER UINT32_MAX

/* A process with all its recordings. */
struct member {
	uint32_t first, end; /* its recordings in family.order */
	uint32_t parent;     /* the nearest ancestor that is a member and waited, or NO_MEMBER */
	uint32_t root;	     /* the first member of its process tree, or NO_MEMBER */
	uint64_t start_ns, over; /* over: when it ended, 0: not known */
	uint64_t shown, used;	 /* by itself; by its children, as it says */
	uint64_t inside;	 /* by its children, as their recordings say */
	uint64_t missing;	 /* what is in no recording, of its children and theirs */
};

struct family {
	const struct profile *profile;
	struct profile_process *processes; /* also those that left no recording */
	uint32_t n_processes;
	uint32_t *order; /* recordings, by process, and the earliest first */
	struct member *members;
	uint32_t n;
	uint32_t *latest_first; /* members */
};

static int compare_recordings(const void *a, const void *b, void *context)
{
	const struct profile_process *processes = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = processes_compare(&processes[x], &processes[y]);

	return order ? order : processes_compare_numbers(x, y);
}

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct member *members = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = processes_compare_numbers(members[k].start_ns, members[i].start_ns);

	return order ? order : processes_compare_numbers(k, i);
}

static const struct profile_process *recording(const struct family *f, uint32_t place)
{
	return &f->processes[f->order[place]];
}

/* What the recording shows of its process. One without an end does not say what the process used. */
static uint64_t shown(const struct profile *p, const struct profile_process *process)
{
	const char *unit = p->unit == STRINGS_NONE ? "" : strings_get(p->strings, p->unit, NULL);

	if (process->ended)
		return process->cpu_ns;
	return strcmp(unit, "ns") == 0 ? process->weight : 0;
}

static bool is_same(const struct profile_process *a, const struct profile_process *b)
{
	return a->tree_pid && a->pid == b->pid && processes_compare_runs(a, b) == 0;
}

/* When the process ended, 0 if that is not known. */
static uint64_t over(const struct profile_process *r)
{
	uint64_t ns;

	if (!r->ended)
		return 0;
	return __builtin_mul_overflow(r->end_us, 1000, &ns) ? UINT64_MAX : add(r->start_ns, ns);
}

static void gather(struct family *f)
{
	uint32_t i;

	for (i = 0; i < f->n_processes; i++) {
		const struct profile_process *r = recording(f, i);
		struct member *m;

		if (i == 0 || !is_same(r, recording(f, i - 1))) {
			f->latest_first[f->n] = f->n;
			f->members[f->n++] = (struct member){.first = i,
							     .parent = NO_MEMBER,
							     .root = NO_MEMBER,
							     .start_ns = r->start_ns};
		}
		m = &f->members[f->n - 1];
		m->end = i + 1;
		m->over = over(r);
		m->shown = add(m->shown, shown(f->profile, r));
		m->used = add(m->used, r->children_ns);
	}
}

/* Find the first member of each process tree, which the tree is named after, or which cpsample has started. Members of a tree
 * follow each other. */
static void find_roots(struct family *f)
{
	uint32_t i, begin, root;

	for (begin = 0; begin < f->n; begin = i) {
		const struct profile_process *first = recording(f, f->members[begin].first);

		root = NO_MEMBER;
		for (i = begin; i < f->n; i++) {
			const struct member *m = &f->members[i];
			const struct profile_process *r = recording(f, m->first);

			if (processes_compare_runs(r, first) != 0)
				break;
			if ((r->pid == r->tree_pid || r->ppid == r->tree_pid) &&
			    (root == NO_MEMBER || m->start_ns < f->members[root].start_ns))
				root = i;
		}
		for (uint32_t k = begin; k < i; k++)
			f->members[k].root = root;
	}
}

/* The member of that process tree that has the pid, or NO_MEMBER. */
static uint32_t find(const struct family *f, const struct profile_process *of, uint64_t pid)
{
	uint32_t low = 0, high = f->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct profile_process *r = recording(f, f->members[middle].first);
		int order = processes_compare_runs(r, of);

		order = order ? order : processes_compare_numbers(r->pid, pid);
		if (!order)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NO_MEMBER;
}

static bool try_parent(const struct family *f, struct member *m, uint32_t k)
{
	const struct member *parent = &f->members[k];

	if (k == NO_MEMBER || parent->start_ns >= m->start_ns)
		return false;
	if (!parent->over || m->over <= parent->over)
		m->parent = k;
	return true;
}

/* Find the nearest ancestor that has a recording and began earlier, so that there is no cycle even
 * if a file is forged. Whoever outlived it was not waited for by it. A process without a recording knows only its parent. If
 * nothing is known of that, such as of a static program, it is a process of the run's first one. */
static void find_parent(struct family *f, struct member *m)
{
	const struct profile_process *r = recording(f, m->first);
	uint64_t only[1] = {r->ppid};
	const uint64_t *pids = r->n_ancestors ? r->ancestors : only;
	size_t i, n = r->n_ancestors ? r->n_ancestors : 1;

	for (i = 0; i < n && r->tree_pid; i++)
		if (try_parent(f, m, find(f, r, pids[i])))
			return;
	if (f->order[m->first] >= f->profile->n_processes)
		try_parent(f, m, m->root);
}

/* Split what is missing among the recordings of a member: none has more than it says. */
static void split(const struct family *f, const struct member *m, struct children *c)
{
	uint64_t missing = m->missing;
	uint32_t i;

	for (i = m->first; i < m->end; i++) {
		uint64_t most = recording(f, i)->children_ns;

		c->missing[f->order[i]] = missing < most ? missing : most;
		missing -= c->missing[f->order[i]];
	}
}

/* The latest members come first, so that what is inside of each is complete. */
static void add_up(struct family *f, struct children *c)
{
	uint32_t i;

	find_roots(f);
	for (i = 0; i < f->n; i++)
		find_parent(f, &f->members[i]);
	qsort_r(f->latest_first, f->n, sizeof(*f->latest_first), compare_starts, f->members);
	for (i = 0; i < f->n; i++) {
		struct member *m = &f->members[f->latest_first[i]];
		uint64_t used = m->used > m->inside ? m->used : m->inside;
		struct member *parent = m->parent == NO_MEMBER ? NULL : &f->members[m->parent];

		m->missing = add(m->missing, used - m->inside);
		split(f, m, c);
		if (parent) {
			parent->inside = add(parent->inside, add(m->shown, used));
			parent->missing = add(parent->missing, m->missing);
		} else {
			c->used_ns = add(c->used_ns, used);
			c->missing_ns = add(c->missing_ns, m->missing);
		}
	}
}

int children_find(struct children *c, const struct profile *p, struct error *err)
{
	uint32_t n = (uint32_t)(p->n_processes + p->n_shorts), i;
	struct family f = {
		.profile = p,
		.processes = short_processes_and_others(p),
		.n_processes = n,
		.order = calloc(n + 1, sizeof(*f.order)),
		.members = calloc(n + 1, sizeof(*f.members)),
		.latest_first = calloc(n + 1, sizeof(*f.latest_first)),
	};
	int status = 0;

	*c = (struct children){.missing = calloc(n + 1, sizeof(*c->missing))};
	if (f.processes && f.order && f.members && f.latest_first && c->missing) {
		for (i = 0; i < n; i++)
			f.order[i] = i;
		qsort_r(f.order, n, sizeof(*f.order), compare_recordings, f.processes);
		gather(&f);
		add_up(&f, c);
	} else {
		children_free(c);
		status = error_memory(err);
	}
	free(f.processes);
	free(f.order);
	free(f.members);
	free(f.latest_first);
	return status;
}

void children_free(struct children *c)
{
	free(c->missing);
	*c = (struct children){0};
}
