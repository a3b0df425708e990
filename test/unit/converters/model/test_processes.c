/* SPDX-License-Identifier: MIT */
/* test_processes.c - commands of processes, and what their children used. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"

/* ---- commands -------------------------------------------------------------------------------- */
/*
 * Which argument tells a process's command from the others'.
 *
 * Seen to fail: with the first argument; with arguments of other programs counted; with the file
 * in /tmp; with the value of an option, as long as directories are; without directories that tell; without the rule for
 * scripts, of which two workers had "python3 1" and "python3 2".
 */

static struct strings *strings;

static uint32_t add(const char *text)
{
	return strings_add(strings, text, strlen(text));
}

/* A process of these words, of which the first is the program. */
static struct profile_process process(const char *line)
{
	static uint32_t args[32][16];
	static size_t used;
	struct profile_process p = {
		.started_as = STRINGS_NONE, .launched = STRINGS_NONE, .args = args[used++]};
	char *copy = strdup(line), *word, *rest;

	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		p.args[p.n_args++] = add(word);
	p.exe = p.n_args ? p.args[0] : STRINGS_NONE;
	p.file = add("x.cps");
	free(copy);
	return p;
}

/* Seen to fail: with the first process of the list. */
Test(commands, launched)
{
	struct profile_process all[3] = {
		{.pid = 12, .start_ns = 5, .tree_pid = 10, .host = STRINGS_NONE},
		{.pid = 10, .start_ns = 7, .tree_pid = 10, .host = STRINGS_NONE},
		{.pid = 11, .start_ns = 3, .tree_pid = 10, .host = STRINGS_NONE},
	};

	cr_assert_eq(commands_launched(all, 3), &all[1]);
	all[1].pid = 13;
	cr_assert_eq(commands_launched(all, 3), &all[2]);
	all[1].tree_pid = 20;
	cr_assert_null(commands_launched(all, 3));
	cr_assert_eq(commands_launched(all, 1), &all[0]);
	cr_assert_null(commands_launched(all, 0));
}

/* Seen to fail: with any of the conditions left out. */
Test(commands, launched_elsewhere)
{
	static const struct {
		const char *text;
		bool is_elsewhere;
	} cut[] = {
		{"as ...", false}, {"as x...", false}, {"x.c...", false},    {"as y...", true},
		{"s x...", true},  {"...", true},      {"as x.s ...", true},
	};
	struct profile_process all[2];
	struct event_text text;

	strings = strings_new();
	all[0] = process("/lib/cc1 x.c");
	all[1] = process("as x.s");
	for (unsigned i = 0; i < 2; i++) {
		all[i].pid = 11 + i;
		all[i].start_ns = 5 - i;
		all[i].tree_pid = 10;
		all[i].host = STRINGS_NONE;
	}
	text = commands_launched_elsewhere(strings, all, 2);
	cr_assert_eq(text.length, 0, "nobody says it");
	all[0].launched = add("/usr/bin/gcc -o a/b x.c");
	text = commands_launched_elsewhere(strings, all, 2);
	cr_assert_eq(text.length, strlen("gcc -o a/b x.c"));
	cr_assert_eq(memcmp(text.bytes, "gcc -o a/b x.c", text.length), 0);
	all[1].launched = add("make all"); /* what became of it by then */
	all[1].start_ns = 6;
	text = commands_launched_elsewhere(strings, all, 2);
	cr_assert_eq(text.length, strlen("gcc -o a/b x.c"), "the first one says what it was");
	all[1].start_ns = 4;
	text = commands_launched_elsewhere(strings, all, 2);
	cr_assert_eq(text.length, strlen("make all"));
	all[1].launched = add("cc1 x.c");
	text = commands_launched_elsewhere(strings, all, 2);
	cr_assert_eq(text.length, strlen("cc1 x.c"), "it is not the end of a word");
	all[1].launched = add("x.c");
	cr_assert_eq(commands_launched_elsewhere(strings, all, 2).length, 0, "it is one of them");
	/* Of a long command the beginning is known. Seen to fail: it was another one. */
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		all[1].launched = add(cut[i].text);
		text = commands_launched_elsewhere(strings, all, 2);
		cr_assert_eq(text.length > 0, cut[i].is_elsewhere, "%s", cut[i].text);
	}
	all[1].launched = add("make all");
	all[1].pid = 10;
	cr_assert_eq(commands_launched_elsewhere(strings, all, 2).length, 0, "the first is there");
	all[1].pid = 12;
	all[1].tree_pid = 20;
	cr_assert_eq(commands_launched_elsewhere(strings, all, 2).length, 0, "two runs");
	strings_free(strings);
}

Test(commands, told_apart)
{
	static const struct {
		const char *line, *want;
	} all[] = {
		{"/lib/cc1 -quiet -imultiarch x86_64-linux-gnu a.c -O2 -o /tmp/1.s", "cc1 a.c"},
		{"/lib/cc1 -quiet -imultiarch x86_64-linux-gnu b.c -O2 -o /tmp/2.s", "cc1 b.c"},
		{"/lib/cc1 -quiet -imultiarch x86_64-linux-gnu b.c -g -o /tmp/3.s", "cc1 b.c"},
		{"/lib/cc1 -MMD build/d.d -MQ build/d.o -D X lib/d.c", "cc1 d.c"},
		{"/lib/cc1 -MMD build/e.d -MQ build/e.o -D X lib/e.c", "cc1 lib/e.c"},
		{"/lib/cc1 -MMD build/f.d -MQ build/f.o -D X test/e.c", "cc1 test/e.c"},
		{"/bin/as -o a.o /tmp/1.s", "as a.o"},
		{"/bin/ld -o a.out a.o", "ld a.o"},
		{"/usr/bin/python3 -m http.server", "python3 http.server"},
		{"/usr/bin/python3 app.py", "python3 app.py"},
		{"/usr/bin/python3 -X dev -u srv/worker.py 1", "python3 worker.py 1"},
		{"/usr/bin/python3 -X dev -u srv/worker.py 2", "python3 worker.py 2"},
		{"/bin/sh -e build.sh", "sh build.sh"},
		{"/bin/sh -c ls", "sh ls"},
		{"/usr/bin/perl x.pl --all", "perl x.pl"},
		{"/usr/bin/node-20 --require a.js server.js", "node-20 server.js"},
		{"/bin/make -j2", "make -j2"},
		{"/bin/make", "make"},
		{"", "x.cps"},
	};
	enum { N = sizeof(all) / sizeof(*all) };
	struct profile_process list[N];
	uint32_t *names;

	strings = strings_new();
	for (size_t i = 0; i < N; i++)
		list[i] = process(all[i].line);
	names = commands_name(strings, list, N);
	cr_assert_not_null(names);
	for (size_t i = 0; i < N; i++)
		cr_expect_str_eq(strings_get(strings, names[i], NULL), all[i].want);
	free(names);
	strings_free(strings);
}

/* A process that is the only one of its program. Seen to fail: "cc1plus x86_64-linux-gnu", "as ccdBYB6t.o"
 * and "python3 src". */
Test(commands, alone)
{
	static const struct {
		const char *line, *want;
	} all[] = {
		{"/lib/cc1plus -quiet -imultiarch x86_64-linux-gnu -D_GNU_SOURCE a.cpp -quiet "
		 "-dumpbase a.cpp -dumpbase-ext .cpp -O2 -o /tmp/cc36exqp.s",
		 "cc1plus a.cpp"},
		{"/bin/as -v --64 -o /tmp/ccdBYB6t.o /tmp/cc36exqp.s", "as"},
		{"/bin/as -o /tmp/ccdBYB6t.o /tmp/cc36exqp.s", "as"},
		{"/bin/as /tmp/cc36exqp.s", "as"},
		{"/bin/cat /tmp/ccc.s", "cat ccc.s"},
		{"/usr/bin/python3 -m lib2to3 src", "python3 lib2to3"},
		{"/usr/bin/python3 -m", "python3 -m"},
		{"/usr/bin/perl -mstrict x.pl", "perl x.pl"},
		{"/usr/bin/perl -m x.pl", "perl x.pl"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct profile_process one;
		uint32_t *names;

		strings = strings_new();
		one = process(all[i].line);
		names = commands_name(strings, &one, 1);
		cr_assert_not_null(names);
		cr_expect_str_eq(strings_get(strings, names[0], NULL), all[i].want);
		free(names);
		strings_free(strings);
	}
}

/*
 * Programs of one name. Seen to fail: with names alone; without the path before in the order; with a path that was cut apart from its own;
 * with names that begin within that of a folder.
 */
Test(commands, programs_of_one_name)
{
	static const struct {
		const char *path, *link, *want;
	} all[] = {
		{"/usr/bin/cc", NULL, "cc"},
		{"/usr/bin/as", NULL, "usr/bin/as"},
		{"/usr/local/bin/as", NULL, "local/bin/as"},
		{"/x/gcc/as", NULL, "gcc/as"},
		{"/usr/bin/as", NULL, "usr/bin/as"},
		{"/as", NULL, "/as"},
		{"/as/as", NULL, "as/as"},
		{"/y/tool", NULL, "y/tool"},
		{"/x/tool", NULL, "x/tool"},
		{"/x/ytool", NULL, "ytool"},
		{"/x/y/sh", NULL, "x/y/sh"},
		{"/x/zy/sh", NULL, "zy/sh"},
		{"/z/y/sh", NULL, "z/y/sh"},
		{"bin/run", NULL, "bin/run"}, /* it was cut: of /a/bin/run */
		{"/a/bin/run", NULL, "bin/run"},
		{"/a/x-bin/run", NULL, "x-bin/run"},
		{"run", NULL, "run"}, /* of one of them */
		{"of/it", NULL, "it"},
		{"/all/of/it", NULL, "it"},
		{"/lib/multi", "/usr/bin/ls", "bin/ls"},
		{"/lib/multi", "/usr/bin/cp", "cp"},
		{"/opt/ls", NULL, "opt/ls"},
		{"", NULL, PROFILE_UNKNOWN_PROGRAM},
	};
	enum { N = sizeof(all) / sizeof(*all) };
	struct profile_process list[N];
	uint32_t *names;

	strings = strings_new();
	for (size_t i = 0; i < N; i++) {
		list[i] = process(all[i].path);
		if (all[i].link)
			list[i].started_as = add(all[i].link);
	}
	names = commands_executables(strings, list, N);
	cr_assert_not_null(names);
	for (size_t i = 0; i < N; i++)
		cr_expect_str_eq(strings_get(strings, names[i], NULL), all[i].want, "%s: %s",
				 all[i].path, strings_get(strings, names[i], NULL));
	free(names);
	strings_free(strings);
}

/* ---- children -------------------------------------------------------------------------------- */
/*
 * What children used and no recording shows, of random process trees.
 *
 * Seen to fail: without the ancestors above the parent, so that grandchildren count twice; with
 * what each recording says simply added up.
 */

#define MOST 60

/* A process of a tree. Its parent has a lower number. */
struct person {
	uint32_t parent;
	uint64_t cpu, below; /* its own time, and that of its children and theirs */
	bool is_recorded, has_recorded_ancestor;
	uint64_t missing; /* the part of `below` that is in no recording */
	bool is_twice;	  /* it became another program: two recordings */
};

struct tree {
	struct person all[MOST];
	uint32_t n;
	uint64_t used, missing;
	struct profile profile;
	struct profile_process processes[2 * MOST];
	uint32_t of[2 * MOST]; /* by recording: the process */
	uint64_t ancestors[MOST][MOST];
};

static uint32_t below(uint32_t n)
{
	return (uint32_t)rand() % n;
}

static void make_people(struct tree *t)
{
	uint32_t i;

	*t = (struct tree){.n = 1 + below(MOST)};
	for (i = 0; i < t->n; i++)
		t->all[i] = (struct person){
			.parent = i ? below(i) : 0,
			.cpu = below(1000000),
			.is_recorded = below(3) > 0,
			.is_twice = below(4) == 0,
		};
	for (i = 1; i < t->n; i++) {
		const struct person *parent = &t->all[t->all[i].parent];

		t->all[i].has_recorded_ancestor =
			parent->is_recorded || parent->has_recorded_ancestor;
	}
	for (i = t->n - 1; i > 0; i--) {
		struct person *p = &t->all[i], *parent = &t->all[p->parent];

		parent->below += p->cpu + p->below;
		parent->missing += p->missing + (p->is_recorded ? 0 : p->cpu);
		if (p->has_recorded_ancestor) {
			t->used += p->cpu;
			t->missing += p->is_recorded ? 0 : p->cpu;
		}
	}
}

static struct profile_process *put(struct tree *t, uint32_t i)
{
	struct profile_process *p = &t->processes[t->profile.n_processes];
	uint64_t *list = t->ancestors[i];
	uint32_t k = i;

	*p = (struct profile_process){
		.pid = 1000 + i,
		.tree_pid = 1000,
		.tree_start = 5,
		.ended = true,
		.start_ns = 1000000 * (uint64_t)(i + 1),
		.end_us = 1000 * (uint64_t)(3 * MOST - 2 * i),
		.ancestors = list,
	};
	while (k) {
		k = t->all[k].parent;
		list[p->n_ancestors++] = 1000 + k;
	}
	t->of[t->profile.n_processes++] = i;
	return p;
}

/* A child is over before its parent. Recordings come in any order. */
static void record(struct tree *t)
{
	uint32_t i, k;

	t->profile.strings = strings_new();
	t->profile.unit = t->profile.resource = STRINGS_NONE;
	t->profile.processes = t->processes;
	for (i = 0; i < t->n; i++) {
		const struct person *p = &t->all[i];
		struct profile_process *r, *second;

		if (!p->is_recorded)
			continue;
		r = put(t, i);
		r->cpu_ns = p->cpu;
		r->children_ns = p->below;
		if (!p->is_twice)
			continue;
		second = put(t, i);
		second->start_ns += 10;
		second->cpu_ns = below((uint32_t)p->cpu + 1);
		r->cpu_ns -= second->cpu_ns;
		second->children_ns = p->below ? (uint64_t)rand() % p->below : 0;
		r->children_ns -= second->children_ns;
	}
	for (i = 1; i < t->profile.n_processes; i++) {
		struct profile_process other = t->processes[i];
		uint32_t number = t->of[i];

		k = below(i + 1);
		t->processes[i] = t->processes[k];
		t->processes[k] = other;
		t->of[i] = t->of[k];
		t->of[k] = number;
	}
}

static struct children find(const struct profile *p)
{
	struct children c;
	struct error err;

	cr_assert_eq(children_find(&c, p, &err), 0);
	return c;
}

Test(children, each_time_counts_once)
{
	static struct tree t;
	uint64_t by_process[MOST];

	srand(5);
	for (int round = 0; round < 2000; round++) {
		make_people(&t);
		record(&t);
		struct children c = find(&t.profile);

		cr_assert_eq(c.used_ns, t.used, "%lu, not %lu", c.used_ns, t.used);
		cr_assert_eq(c.missing_ns, t.missing, "%lu, not %lu", c.missing_ns, t.missing);
		memset(by_process, 0, sizeof(by_process));
		for (size_t i = 0; i < t.profile.n_processes; i++) {
			cr_assert_leq(c.missing[i], t.processes[i].children_ns);
			by_process[t.of[i]] += c.missing[i];
		}
		for (size_t i = 0; i < t.n; i++)
			if (t.all[i].is_recorded)
				cr_assert_eq(by_process[i], t.all[i].missing);
		children_free(&c);
		strings_free(t.profile.strings);
	}
}

/* ---- by hand ---- */

static struct profile_process processes[3];

/* A parent that says its children used 100, and a child of it that was recorded with 30. */
static struct profile two(void)
{
	struct profile p = {.strings = strings_new(), .processes = processes, .n_processes = 2};

	p.unit = strings_add(p.strings, "ns", 2);
	processes[0] = (struct profile_process){.pid = 7,
						.tree_pid = 7,
						.start_ns = 1,
						.ended = true,
						.end_us = 9,
						.children_ns = 100};
	processes[1] = (struct profile_process){.pid = 8,
						.ppid = 7,
						.tree_pid = 7,
						.start_ns = 2,
						.ended = true,
						.end_us = 8,
						.cpu_ns = 30};
	return p;
}

static void is(struct profile *p, uint64_t used, uint64_t missing)
{
	struct children c = find(p);

	cr_assert(c.used_ns == used && c.missing_ns == missing, "%lu, %lu", c.used_ns,
		  c.missing_ns);
	children_free(&c);
	strings_free(p->strings);
}

Test(children, who_is_whose_child)
{
	struct profile p = two();

	is(&p, 100, 70);
	p = two();
	processes[1].end_us = 10; /* it outlives its parent, which has not waited for it */
	is(&p, 100, 100);
	p = two();
	processes[1].tree_start = 1; /* of another run, though the pids are the same */
	is(&p, 100, 100);
	p = two();
	processes[1].ppid = 9; /* the parent of another */
	is(&p, 100, 100);
	p = two();
	processes[1].cpu_ns = 130; /* SIGCHLD is ignored: children are not counted */
	is(&p, 130, 0);
	p = two();
	processes[1].ended = false; /* it was killed: what it was credited with is shown */
	processes[1].weight = 20;
	is(&p, 100, 80);
	p = two();
	processes[0].tree_pid = processes[1].tree_pid = 0; /* no tree is known */
	is(&p, 100, 100);
}

/* Forged files: each is the other's parent; sums that do not fit. */
Test(children, what_cannot_be)
{
	struct profile p = two();

	processes[0].ppid = 8;
	is(&p, 100, 70);
	p = two();
	processes[1].start_ns = 1;
	processes[0].ppid = 8;
	is(&p, 100, 100);
	p = two();
	processes[1].children_ns = processes[1].cpu_ns = UINT64_MAX;
	is(&p, UINT64_MAX, UINT64_MAX);
	p = two();
	processes[0].end_us = UINT64_MAX;
	is(&p, 100, 70);
	p = two();
	p.n_processes = 0;
	is(&p, 0, 0);
}
