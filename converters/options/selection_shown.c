/* SPDX-License-Identifier: MIT */
/*
 * selection_shown.c - refuses --state and --at where nothing that is shown has states or moments.
 *
 * In: --state, --at; the profiles that were read. Out: yes, or an error that says what has them.
 */
#include <string.h>

#include "options/selection.h"

#define LIVE "alloc-live"

static const char *name_of(const struct profile *p, uint32_t resource)
{
	const char *name = resource == STRINGS_NONE ? "" : strings_get(p->strings, resource, NULL);

	return *name ? name : "the input";
}

/* ---- states ---------------------------------------------------------------------------------- */

/* The states of all resources that are shown, and the first of these that has none. */
struct shown_states {
	struct strings *all;
	const char *without; /* NULL: each of them has states */
	bool is_sure;	     /* they are all there are */
};

/* Whether a process says that it counts the resource. Columns may be of other inputs than the first
 * one, and those are not in the profile. */
static bool is_listed(const struct profile *p, uint32_t resource)
{
	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++)
			if (p->processes[i].resources[k].name == resource)
				return true;
	return false;
}

static int add_states(struct shown_states *s, const struct profile *p, uint32_t resource)
{
	struct strings *its = profile_states(p, resource);
	size_t n = its ? strings_count(its) : 0, length;
	int status = its ? 0 : -1;

	for (uint32_t i = 0; !status && i < n; i++) {
		const char *name = strings_get(its, i, &length);

		if (strings_add(s->all, name, length) == STRINGS_NONE)
			status = -1;
	}
	s->is_sure &= !p->n_columns || is_listed(p, resource);
	if (!n && !s->without)
		s->without = name_of(p, resource);
	if (its)
		strings_free(its);
	return status;
}

static int find_states(struct shown_states *s, struct profile *const *list, size_t n,
		       struct error *err)
{
	*s = (struct shown_states){.all = strings_new(), .is_sure = true};
	if (!s->all)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < profile_count_shown(list[i]); k++)
			if (add_states(s, list[i], profile_shown(list[i], k)))
				return error_memory(err);
	return 0;
}

/* Add the resources of the process that have the state. */
static void add_who_has(struct shortlist *found, const struct profile *p,
			const struct profile_process *process, const char *state)
{
	for (size_t i = 0; i < process->n_resources; i++) {
		const struct profile_resource *r = &process->resources[i];

		for (size_t k = 0; k < r->n_states; k++)
			if (strcmp(strings_get(p->strings, r->states[k].name, NULL), state) == 0)
				shortlist_add(found, "%s", name_of(p, r->name));
	}
}

static struct shortlist who_has(struct profile *const *list, size_t n, const char *state)
{
	struct shortlist found = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i]->n_processes; k++)
			add_who_has(&found, list[i], &list[i]->processes[k], state);
	return found;
}

static int refuse_stateless(const char *resource, const char *state, struct profile *const *list,
			    size_t n, struct error *err)
{
	struct shortlist others = who_has(list, n, state);

	error_usage(err, "--state: %.64s has no states; ", resource);
	if (others.seen) {
		error_append(err, "%.64s is a state of: ", state);
		shortlist_write(others.seen, SHORTLIST_FEW, err);
	} else {
		error_append(err, "real has, if it is recorded (cpsample -r real)");
	}
	shortlist_clear(&others);
	return -1;
}

/* "no sample of cpu has the state "io"; there are: running; it is a state of: real" */
static int refuse_state(const char *state, const struct shown_states *s,
			struct profile *const *list, size_t n, struct error *err)
{
	struct shortlist others = who_has(list, n, state);
	size_t shown = profile_count_shown(list[0]);

	error_usage(err, "no sample of ");
	for (size_t i = 0; n == 1 && i < shown && i < SHORTLIST_FEW; i++)
		error_append(err, "%s%.64s", i ? ", " : "",
			     name_of(list[0], profile_shown(list[0], i)));
	error_append(err, "%s has the state \"%.64s\"; there are: ", n == 1 ? "" : "any resource",
		     state);
	shortlist_write(s->all, SHORTLIST_ALL, err);
	if (others.seen) {
		error_append(err, "; it is a state of: ");
		shortlist_write(others.seen, SHORTLIST_FEW, err);
	}
	shortlist_clear(&others);
	return -1;
}

static int check_states(const struct selection *s, const struct shown_states *there,
			struct profile *const *list, size_t n, struct error *err)
{
	/* Whoever asks for several profiles at a time need not mean each of them. */
	bool is_without = there->without && (s->resource || !strings_count(there->all));
	const char *wanted = s->states;
	char name[64];

	if (!there->is_sure)
		return 0;
	for (size_t length; wanted; wanted = wanted[length] ? wanted + length + 1 : NULL) {
		length = strcspn(wanted, ",");
		*name = '\0';
		strncat(name, wanted, length < sizeof(name) ? length : sizeof(name) - 1);
		if (is_without)
			return refuse_stateless(there->without, name, list, n, err);
		if (strings_find(there->all, wanted, length) == STRINGS_NONE)
			return refuse_state(name, there, list, n, err);
	}
	return 0;
}

/* ---- moments --------------------------------------------------------------------------------- */

static int check_moment(struct profile *const *list, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < profile_count_shown(list[i]); k++)
			if (!strcmp(name_of(list[i], profile_shown(list[i], k)), LIVE))
				return 0;
	return error_usage(err, "--at: %.64s has no moments to choose from; only %s has",
			   name_of(list[0], profile_shown(list[0], 0)), LIVE);
}

int selection_check_shown(const struct selection *s, struct profile *const *list, size_t n,
			  struct error *err)
{
	struct shown_states there = {0};
	int status = 0;

	if (s->at && check_moment(list, n, err))
		return -1;
	if (!s->states)
		return 0;
	status = find_states(&there, list, n, err);
	if (!status)
		status = check_states(s, &there, list, n, err);
	if (there.all)
		strings_free(there.all);
	return status;
}
