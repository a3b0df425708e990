/* SPDX-License-Identifier: MIT */
/*
 * select.c - tells the processes that were asked for from the others.
 *
 * Main room. In: --pid, --exe; process records. Out: yes or no.
 */
#include "select.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "profile.h"

#define LISTED 10u

static int add_pid(struct select *s, uint64_t pid, struct error *err)
{
	if (!array_reserve(&s->pids, &s->pids_size, s->n_pids + 1, sizeof(*s->pids)))
		return error_memory(err);
	s->pids[s->n_pids++] = pid;
	return 0;
}

int select_add_pids(struct select *s, const char *list, struct error *err)
{
	const char *text = list;

	for (;;) {
		uint64_t pid = 0;
		const char *begin = text;

		for (; *text >= '0' && *text <= '9' && text - begin < 18; text++)
			pid = pid * 10 + (uint64_t)(*text - '0');
		if (text == begin || (*text && *text != ','))
			return error_set(err,
					 "--pid: \"%s\" is not a process id, or several with "
					 "commas",
					 list);
		if (add_pid(s, pid, err))
			return -1;
		if (!*text++)
			return 0;
	}
}

int select_set_exe(struct select *s, const char *regex, struct error *err)
{
	char why[128];
	int rc;

	if (s->exe)
		return error_set(err, "--exe: one expression; join several with |");
	s->exe = malloc(sizeof(*s->exe));
	if (!s->exe)
		return error_memory(err);
	rc = regcomp(s->exe, regex, REG_EXTENDED | REG_NOSUB);
	s->regex = regex;
	if (!rc)
		return 0;
	regerror(rc, s->exe, why, sizeof(why));
	free(s->exe);
	s->exe = NULL;
	return error_set(err, "--exe: \"%s\" is not a regular expression: %s", regex, why);
}

void select_free(struct select *s)
{
	if (s->exe)
		regfree(s->exe);
	free(s->exe);
	free(s->pids);
	*s = (struct select){0};
}

bool select_is_set(const struct select *s)
{
	return s->n_pids || s->exe;
}

static bool has_pid(const struct select *s, uint64_t pid)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (s->pids[i] == pid)
			return true;
	return !s->n_pids;
}

/* 1, 0, or -1 when memory is out. */
static int has_exe(const struct select *s, struct event_text exe)
{
	char *path;
	int rc;

	if (!s->exe)
		return 1;
	path = strndup(exe.length ? exe.bytes : "", exe.length);
	if (!path)
		return -1;
	rc = regexec(s->exe, path, 0, NULL, 0);
	free(path);
	return rc == REG_ESPACE ? -1 : rc == 0;
}

static void list_passed(struct select *s, const struct event_process *e)
{
	struct event_text name = profile_program(e);

	if (s->n_passed++ < LISTED)
		error_append(&s->passed, "%s%llu %.*s", s->n_passed > 1 ? ", " : "",
			     (unsigned long long)e->pid, name.length < 64 ? (int)name.length : 64,
			     name.bytes);
}

int select_process(void *context, const struct event_process *e, struct error *err)
{
	struct select *s = context;
	int matches;

	if (e->has_stacks_by_name)
		return error_set(err,
				 "%s: folded stacks do not say which process they are of: %s needs "
				 "recordings",
				 e->file, s->n_pids ? "--pid" : "--exe");
	matches = has_exe(s, e->exe);
	if (matches < 0)
		return error_memory(err);
	matches = matches && has_pid(s, e->pid);
	if (matches)
		s->n_taken++;
	else
		list_passed(s, e);
	return matches;
}

int select_check(const struct select *s, struct error *err)
{
	if (s->n_taken || !select_is_set(s))
		return 0;
	error_set(err, "no process matches%s%s%s%s; there are: %s", s->n_pids ? " --pid" : "",
		  s->n_pids && s->exe ? " and" : "", s->exe ? " --exe " : "",
		  s->exe ? s->regex : "", s->passed.text);
	if (s->n_passed > LISTED)
		error_append(err, " and %zu more", s->n_passed - LISTED);
	return -1;
}
