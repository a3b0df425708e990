/* SPDX-License-Identifier: MIT */
/*
 * stack_groups.c - finds the process, thread and rank that a group of stacks is of.
 *
 * In: names of groups. Out: these, as far as a name is of one only.
 */
#include "export/stack_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/id_table.h"
#include "model/group_names.h"

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
