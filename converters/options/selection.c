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

/* The comma behind a name, or the end. Names of events have commas between two slashes. */
static const char *end_of_name(const char *name)
{
	const char *end = name + strcspn(name, ",/");

	if (*end == '/' && strchr(end + 1, '/'))
		end = strchr(end + 1, '/');
	return end + strcspn(end, ",");
}

size_t selection_count_resources(const struct selection *s)
{
	const char *c = s->resource;
	size_t n = c != NULL;

	for (; c && *(c = end_of_name(c)); c++)
		n++;
	return n;
}

struct event_text selection_resource(const struct selection *s, size_t i)
{
	const char *from = s->resource;

	for (; i; i--)
		from = end_of_name(from) + 1;
	return (struct event_text){from, (size_t)(end_of_name(from) - from)};
}

static bool is_same(struct event_text a, struct event_text b)
{
	return a.length == b.length && !memcmp(a.bytes, b.bytes, a.length);
}

int selection_check_resources(const struct selection *s, struct error *err)
{
	size_t i, k, n = selection_count_resources(s);

	if (n > SELECTION_RESOURCES_MAX)
		return error_set(err, "--resource: more than %d resources",
				 SELECTION_RESOURCES_MAX);
	for (i = 0; i < n; i++) {
		struct event_text name = selection_resource(s, i);

		if (!name.length)
			return error_set(err, "--resource: a name in \"%.60s\" is empty",
					 s->resource);
		for (k = 0; k < i; k++)
			if (is_same(name, selection_resource(s, k)))
				return error_set(err, "--resource: \"%.*s\" comes twice",
						 name.length < 60 ? (int)name.length : 60,
						 name.bytes);
	}
	return 0;
}

static bool has_resource(struct selection_match *m, struct event_text name)
{
	size_t i, n = selection_count_resources(m->wanted);
	int length = name.length < 128 ? (int)name.length : 128;

	shortlist_add(&m->resources, "%.*s", length, name.bytes);
	for (i = 0; i < n; i++)
		if (is_same(selection_resource(m->wanted, i), name))
			return true;
	return !n;
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
	if (matches == 0 && e->started_as.length)
		matches = has_exe(s, e->started_as);
	if (matches < 0)
		return error_memory(err);
	matches = matches && has_pid(s, e->pid);
	if (matches)
		m->n_taken++;
	else
		list_process(m, e);
	return matches;
}

/* The bytes of the name up to its last colon, if that is what an input counts; else 0. */
static size_t bytes_without_interval(const struct selection_match *m, struct event_text name)
{
	const char *colon = memrchr(name.bytes, ':', name.length);
	size_t n = colon ? (size_t)(colon - name.bytes) : 0;

	if (!n || !m->resources.seen)
		return 0;
	return strings_find(m->resources.seen, name.bytes, n) == STRINGS_NONE ? 0 : n;
}

/* Resources that are asked for before they were recorded. */
static bool is_recorded(struct event_text name)
{
	static const char *const known[] = {"real",  "alloc", "alloc-live", "faults", "read",
					    "write", "lock",  "switches",   "system", "user"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (name.length == strlen(known[i]) &&
		    memcmp(name.bytes, known[i], name.length) == 0)
			return true;
	return false;
}

int selection_match_no_resource(const struct selection_match *m, struct event_text name,
				struct error *err)
{
	int shown = name.length < 128 ? (int)name.length : 128;
	size_t n = bytes_without_interval(m, name);

	error_set(err, "no input counts the resource \"%.*s\"", shown, name.bytes);
	if (n)
		return error_append(err, "; name it without its interval: %.*s", (int)n,
				    name.bytes);
	if (is_recorded(name))
		error_append(err, " (cpsample -r %.*s PROGRAM records it)", shown, name.bytes);
	return shortlist_append(&m->resources, SHORTLIST_ALL, err);
}

int selection_match_check(const struct selection_match *m, struct error *err)
{
	const struct selection *s = m->wanted;

	if (m->n_taken || !selection_is_set(s))
		return selection_match_check_threads(m, err);
	if (!m->processes.seen)
		return selection_match_no_resource(m, selection_resource(s, 0), err);
	error_set(err, "no process matches%s%s%s%s", s->n_pids ? " --pid" : "",
		  s->n_pids && s->exe ? " and" : "", s->exe ? " --exe " : "",
		  s->exe ? s->regex : "");
	return shortlist_append(&m->processes, SHORTLIST_FEW, err);
}
