/* SPDX-License-Identifier: MIT */
/*
 * selection.c - decides which processes are read.
 *
 * In: --pid, --exe, --resource; process records. Out: yes or no.
 */
#include "options/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int add_pid(struct selection *s, uint64_t pid, struct error *err)
{
	if (!array_reserve(&s->pids, &s->pids_size, s->n_pids + 1, sizeof(*s->pids)))
		return error_memory(err);
	s->pids[s->n_pids++] = pid;
	return 0;
}

int selection_add_pids(struct selection *s, const char *list, struct error *err)
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

int selection_set_exe(struct selection *s, const char *regex, struct error *err)
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

void selection_free(struct selection *s)
{
	if (s->exe)
		regfree(s->exe);
	free(s->exe);
	free(s->pids);
	patterns_clear(&s->threads);
	*s = (struct selection){0};
}

int selection_match_begin(struct selection_match *m, const struct selection *wanted,
			  struct error *err)
{
	*m = (struct selection_match){.wanted = wanted};
	return patterns_copy(&m->threads, &wanted->threads, err);
}

void selection_match_join(struct selection_match *m, const struct selection_match *other)
{
	m->n_taken += other->n_taken;
	shortlist_join(&m->processes, &other->processes);
	shortlist_join(&m->resources, &other->resources);
	shortlist_join(&m->threads_there, &other->threads_there);
	patterns_join(&m->threads, &other->threads);
}

void selection_match_free(struct selection_match *m)
{
	patterns_clear(&m->threads);
	free(m->threads_text);
	shortlist_clear(&m->processes);
	shortlist_clear(&m->resources);
	shortlist_clear(&m->threads_there);
	*m = (struct selection_match){0};
}

bool selection_is_set(const struct selection *s)
{
	return s->n_pids || s->exe || s->resource;
}

static bool has_pid(const struct selection *s, uint64_t pid)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (s->pids[i] == pid)
			return true;
	return !s->n_pids;
}

/* Returns 1 or 0, or -1 if memory is out. */
static int has_exe(const struct selection *s, struct event_text exe)
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

static bool has_resource(struct selection_match *m, struct event_text name)
{
	const char *wanted = m->wanted->resource;
	int length = name.length < 64 ? (int)name.length : 64;

	if (!wanted || (strlen(wanted) == name.length && !memcmp(wanted, name.bytes, name.length)))
		return true;
	shortlist_add(&m->resources, "%.*s", length, name.bytes);
	return false;
}

static void list_process(struct selection_match *m, const struct event_process *e)
{
	struct event_text name = profile_program(e);
	int length = name.length < 64 ? (int)name.length : 64;

	shortlist_add(&m->processes, "%llu %.*s", (unsigned long long)e->pid, length, name.bytes);
}

/* Whether the input does not say what the selection asks for. */
static bool is_nobodys(const struct selection *s, const struct event_process *e)
{
	bool has_pid = e->kind->has_executable || (e->kind->has_pid && e->pid);

	return (s->n_pids && !has_pid) || (s->exe && !e->kind->has_executable);
}

int selection_match_process(struct selection_match *m, const struct event_process *e,
			    struct error *err)
{
	const struct selection *s = m->wanted;
	int matches;

	if (!has_resource(m, e->resource))
		return 0;
	if (is_nobodys(s, e))
		return error_set(err,
				 "%s: does not say which process it is of: %s needs recordings",
				 e->file, s->exe ? "--exe" : "--pid");
	matches = has_exe(s, e->exe);
	if (matches < 0)
		return error_memory(err);
	matches = matches && has_pid(s, e->pid);
	if (matches)
		m->n_taken++;
	else
		list_process(m, e);
	return matches;
}

int selection_match_check(const struct selection_match *m, struct error *err)
{
	const struct selection *s = m->wanted;

	if (m->n_taken || !selection_is_set(s))
		return selection_match_check_threads(m, err);
	if (!m->processes.seen) {
		error_set(err, "no input counts the resource \"%s\"", s->resource);
		return shortlist_append(&m->resources, err);
	}
	error_set(err, "no process matches%s%s%s%s", s->n_pids ? " --pid" : "",
		  s->n_pids && s->exe ? " and" : "", s->exe ? " --exe " : "",
		  s->exe ? s->regex : "");
	return shortlist_append(&m->processes, err);
}
