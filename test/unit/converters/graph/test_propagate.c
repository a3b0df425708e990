/* SPDX-License-Identifier: MIT */
/* test_propagate.c - propagated totals of small graphs: the tables in test/data/propagate, and what
 * they do not have. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/propagate.h"

#define NAMES_MAX 100u
#define CALLS_MAX 1000u

static bool near(double a, double b)
{
	return isfinite(a) && isfinite(b) && fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static struct propagation result_of(const struct propagate_input *in)
{
	struct propagation p;
	struct error err;

	cr_assert_eq(propagate(&p, in, &err), 0, "%s", err.text);
	return p;
}

static int compare_calls(const void *a, const void *b)
{
	const struct propagate_call *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

struct table {
	char names[NAMES_MAX][32]; /* bytewise */
	double self[NAMES_MAX];
	struct propagate_call calls[CALLS_MAX];
	struct propagate_input in;
};

static uint32_t number_in(const struct table *t, const char *name)
{
	uint32_t i;

	for (i = 0; i < t->in.n_functions && strcmp(t->names[i], name) != 0;)
		i++;
	cr_assert_lt(i, t->in.n_functions, "%s", name);
	return i;
}

static FILE *open_table(const char *name, const char *file)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "test/data/propagate/%s/%s.tsv", name, file);
	f = fopen(path, "r");
	cr_assert(f, "%s", path);
	return f;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void read_names(struct table *t, FILE *f)
{
	char line[200];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "func\t%31s", t->names[t->in.n_functions]) == 1)
			cr_assert_lt(++t->in.n_functions, NAMES_MAX);
	qsort(t->names, t->in.n_functions, sizeof(t->names[0]), compare_names);
	rewind(f);
}

static void read_graph(struct table *t, const char *name)
{
	FILE *f = open_table(name, "graph");
	char line[200], a[32], b[32];
	double n;

	*t = (struct table){.in = {.self = t->self, .calls = t->calls}};
	read_names(t, f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "func\t%31s\t%lf", a, &n) == 2)
			t->self[number_in(t, a)] = n;
		else if (sscanf(line, "call\t%31s\t%31s\t%lf", a, b, &n) == 3)
			t->calls[t->in.n_calls++] =
				(struct propagate_call){number_in(t, a), number_in(t, b), n};
		cr_assert_lt(t->in.n_calls, CALLS_MAX);
	}
	qsort(t->calls, t->in.n_calls, sizeof(t->calls[0]), compare_calls);
	fclose(f);
}

/* "-" is none. */
static void is_number(const char *want, double got, const char *line)
{
	cr_assert(strcmp(want, "-") == 0 ? isnan(got) : near(strtod(want, NULL), got),
		  "%.17g in %s", got, line);
}

static void is_function(const struct table *t, const struct propagation *p, const char *line)
{
	char total[40], cycle[32], name[32];
	uint32_t f;

	cr_assert_eq(sscanf(line, "func\t%39s\t%*s\t%*s\t%31s\t%31s", total, cycle, name), 3);
	f = number_in(t, name);
	is_number(total, p->totals[f], line);
	cr_assert_str_eq(p->cycles[f] == PROPAGATE_NO_CYCLE ? "-" : t->names[p->cycles[f]], cycle,
			 "%s", line);
}

static void is_call(const struct table *t, const struct propagation *p, const char *line)
{
	char total[40], ratio[40], caller[32], callee[32];
	const struct propagate_call *found;
	struct propagate_call call = {0};

	cr_assert_eq(sscanf(line, "edge\t%39s\t%*s\t%39s\t%*s\t%31s\t%31s", total, ratio, caller,
			    callee),
		     4);
	call.caller = number_in(t, caller);
	call.callee = number_in(t, callee);
	found = bsearch(&call, t->calls, t->in.n_calls, sizeof(call), compare_calls);
	cr_assert(found, "%s", line);
	is_number(total, p->call_totals[found - t->calls], line);
	is_number(ratio, p->ratios[found - t->calls], line);
}

static void check_case(const char *name)
{
	static struct table t;
	struct propagation p;
	char line[300];
	size_t functions = 0, calls = 0;
	FILE *f;

	read_graph(&t, name);
	p = result_of(&t.in);
	f = open_table(name, "expected");
	while (fgets(line, sizeof(line), f)) {
		if (*line == 'f' && ++functions)
			is_function(&t, &p, line);
		else if (++calls)
			is_call(&t, &p, line);
	}
	fclose(f);
	cr_assert_eq(functions, t.in.n_functions, "%s", name);
	cr_assert_eq(calls, t.in.n_calls, "%s", name);
	propagate_free(&p);
}

Test(propagate, tables)
{
	DIR *d = opendir("test/data/propagate");
	struct dirent *entry;
	int n = 0;

	cr_assert(d, "run from the top of the tree");
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		check_case(entry->d_name);
		n++;
	}
	closedir(d);
	cr_assert_eq(n, 14);
}

/* Never called on the way in, though from elsewhere in the cycle: still all of it comes that way. */
Test(propagate, calls_that_were_not_counted)
{
	static const double self[] = {1, 2, 4}, outermost[] = {1, -1, -1};
	static const struct propagate_call calls[] = {{0, 1, 0}, {1, 2, 1}, {2, 0, 1}, {2, 1, 5}};
	struct propagate_input in = {3, self, outermost, 4, calls, false};
	struct propagation p = result_of(&in);

	cr_assert(near(p.totals[0], 7) && near(p.totals[1], 6) && near(p.totals[2], 4));
	cr_assert(near(p.call_totals[0], 6) && near(p.ratios[0], 0));
	propagate_free(&p);
}

/* An entry without weight keeps calls all the same, with a total of 0. */
Test(propagate, entry_without_weight)
{
	static const double self[] = {1, 2}, outermost[] = {3, 0};
	static const struct propagate_call calls[] = {{0, 1, 1}, {1, 0, 1}};
	struct propagate_input in = {2, self, outermost, 2, calls, false};
	struct propagation p = result_of(&in);

	cr_assert(near(p.totals[0], 3) && near(p.totals[1], 2));
	cr_assert(near(p.call_totals[0], 2) && near(p.call_totals[1], 0));
	propagate_free(&p);
}

/* The same graph with its functions in reverse. */
Test(propagate, whatever_the_names)
{
	static struct table t, u;
	struct propagation p, q;
	struct propagate_call call;
	size_t n, i;

	read_graph(&t, "rand_60");
	n = t.in.n_functions;
	u = t;
	u.in.self = u.self;
	u.in.calls = u.calls;
	for (i = 0; i < n; i++)
		u.self[n - 1 - i] = t.self[i];
	for (i = 0; i < t.in.n_calls; i++) {
		u.calls[i].caller = (uint32_t)n - 1 - t.calls[i].caller;
		u.calls[i].callee = (uint32_t)n - 1 - t.calls[i].callee;
	}
	qsort(u.calls, u.in.n_calls, sizeof(u.calls[0]), compare_calls);
	p = result_of(&t.in);
	q = result_of(&u.in);
	for (i = 0; i < n; i++)
		cr_assert(near(p.totals[i], q.totals[n - 1 - i]), "%s", t.names[i]);
	for (i = 0; i < t.in.n_calls; i++) {
		const struct propagate_call *same;

		call.caller = (uint32_t)n - 1 - t.calls[i].caller;
		call.callee = (uint32_t)n - 1 - t.calls[i].callee;
		same = bsearch(&call, u.calls, u.in.n_calls, sizeof(call), compare_calls);
		cr_assert(isnan(p.call_totals[i])
				  ? isnan(q.call_totals[same - u.calls])
				  : near(p.call_totals[i], q.call_totals[same - u.calls]));
	}
	propagate_free(&p);
	propagate_free(&q);
}

/* Each function calls the next one, and the last one the first if it is a ring. */
static struct propagation chain(uint32_t n, bool ring)
{
	double *self = calloc(n, sizeof(*self)), *outermost = calloc(n, sizeof(*outermost));
	struct propagate_call *calls = calloc(n, sizeof(*calls));
	struct propagate_input in = {n, self, outermost, ring ? n : n - 1, calls, false};
	struct propagation p;
	uint32_t i;

	for (i = 0; i < n; i++) {
		self[i] = 9e18;
		outermost[i] = i ? -1 : 1;
		calls[i] = (struct propagate_call){i, (i + 1) % n, 9e18};
	}
	p = result_of(&in);
	free(self);
	free(outermost);
	free(calls);
	return p;
}

Test(propagate, deep)
{
	const uint32_t n = 200000;
	struct propagation p = chain(n, false);

	cr_assert(near(p.totals[0], n * 9e18) && near(p.totals[n - 1], 9e18));
	propagate_free(&p);
	p = chain(n, true);
	cr_assert(near(p.totals[0], n * 9e18) && near(p.totals[n - 1], 9e18));
	cr_assert(isnan(p.call_totals[n - 1]) && p.cycles[n - 1] == 0);
	propagate_free(&p);
}

/* A ring that is entered everywhere would take the square of its size. */
Test(propagate, too_many_entries, .timeout = 60)
{
	const uint32_t n = 110000;
	double *self = calloc(n, sizeof(*self)), *outermost = calloc(n, sizeof(*outermost));
	struct propagate_call *calls = calloc(n, sizeof(*calls));
	struct propagate_input in = {n, self, outermost, n, calls, false};
	struct propagation p;
	struct error err;
	uint32_t i;

	for (i = 0; i < n; i++)
		calls[i] = (struct propagate_call){i, (i + 1) % n, 1};
	cr_assert_eq(propagate(&p, &in, &err), -1);
	cr_assert(strstr(err.text, "a cycle of 110000 functions is entered at 110000 of them"),
		  "%s", err.text);
	free(self);
	free(outermost);
	free(calls);
}
