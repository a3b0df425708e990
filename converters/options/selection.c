/* SPDX-License-Identifier: MIT */
/*
 * selection.c - which processes and resources are read, and which are shown.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/processes.h"
#include "options/selection.h"

/* ---- shortlist ------------------------------------------------------------------------------- */

#define REST_BYTES 32u /* for " and 3 more" */

void shortlist_add(struct shortlist *l, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!l->seen)
		l->seen = strings_new();
	if (l->seen)
		strings_add(l->seen, text, strlen(text));
}

/* Add the texts of another list, in their order. */
static void shortlist_join(struct shortlist *l, const struct shortlist *other)
{
	size_t i, n = other->seen ? strings_count(other->seen) : 0;

	for (i = 0; i < n; i++)
		shortlist_add(l, "%s", strings_get(other->seen, (uint32_t)i, NULL));
}

void shortlist_clear(struct shortlist *l)
{
	if (l->seen)
		strings_free(l->seen);
	*l = (struct shortlist){0};
}

/* Append "A, B and 3 more" to the error: at most so many texts, and no more than it has room for.
 * Returns -1. */
static int shortlist_write(const struct strings *texts, size_t most, struct error *err)
{
	size_t n = texts ? strings_count(texts) : 0, i, length;

	if (!n)
		return error_append(err, "none");
	error_list(err);
	for (i = 0; i < n && i < most; i++) {
		const char *text = strings_get(texts, (uint32_t)i, &length);

		if (strlen(err->text) + length + REST_BYTES > sizeof(err->text))
			break;
		error_append(err, "%s%s", i ? ", " : "", text);
	}
	return i < n ? error_append(err, " and %zu more", n - i) : -1;
}

int shortlist_append(const struct shortlist *l, size_t most, struct error *err)
{
	error_append(err, "; there are: ");
	return shortlist_write(l->seen, most, err);
}

/* ---- selection part -------------------------------------------------------------------------- */
/*
 * Decides which threads, states and times are read.
 *
 * In: --thread, --state, --from, --to; threads of processes, states of samples. Out: the part that
 * the builder takes.
 */

#define WANTED 1u

int selection_add_threads(struct selection *s, const char *value, struct error *err)
{
	s->threads.option = "--thread";
	s->threads.numbers_are_ids = true;
	return patterns_add(&s->threads, value, err);
}

/* Add each name of a thread to `names` once. numbers[i] becomes the number of thread i's name. */
static int name_threads(struct selection_match *s, const struct strings *strings,
			const struct profile_process *p, struct strings *names,
			unsigned char *marks, uint32_t *numbers)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct profile_thread *t = &p->threads[i];
		size_t length;
		const char *name = strings_get(strings, t->name, &length);

		numbers[i] = strings_add(names, name, length);
		if (numbers[i] == STRINGS_NONE)
			return -1;
		if (length)
			marks[numbers[i]] = NAME_MATCH_NAME;
		shortlist_add(&s->threads_there, "%s%s%llu", name, length ? " " : "",
			      (unsigned long long)t->tid);
	}
	return 0;
}

/* A profile_threads. What a name means is decided for each process separately: in a process with a
 * thread that is called "worker", the value "worker" means no other thread. */
static int choose_threads(void *context, const struct strings *strings,
			  const struct profile_process *p, unsigned char *wanted, struct error *err)
{
	struct selection_match *m = context;
	struct strings *names = strings_new();
	unsigned char *marks = calloc(p->n_threads + 1, 1);
	uint32_t *numbers = calloc(p->n_threads + 1, sizeof(*numbers));
	int status;

	if (!names || !marks || !numbers || name_threads(m, strings, p, names, marks, numbers))
		status = error_memory(err);
	else
		status = patterns_match(&m->threads, names, marks, strings_count(names), WANTED,
					err);
	for (size_t i = 0; !status && i < p->n_threads; i++) {
		const struct profile_thread *t = &p->threads[i];
		bool has_id = t->tid && patterns_has_number(&m->threads, t->tid);

		wanted[i] = has_id || marks[numbers[i]] & WANTED;
	}
	strings_free(names);
	free(marks);
	free(numbers);
	return status;
}

/* Returns the values in one text, "A, B"; NULL if memory is out. */
static char *join(const struct patterns *p)
{
	const char *value;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	for (size_t i = 0; (value = patterns_value(p, i)); i++)
		fprintf(f, "%s%s", i ? ", " : "", value);
	return fclose(f) ? NULL : text;
}

/* Whether the name is one of a list's, between commas. */
static bool selection_list_has(const char *list, struct event_text name)
{
	for (size_t n;; list += n + 1) {
		n = strcspn(list, ",");
		if (n == name.length && !memcmp(list, name.bytes, n))
			return true;
		if (!list[n])
			return false;
	}
}

/* A profile_state. */
static bool choose_state(void *context, struct event_text name)
{
	const struct selection_match *m = context;

	return selection_list_has(m->wanted->states, name);
}

int selection_at(const struct selection *s, struct event_at *at, struct error *err)
{
	double seconds;
	char *end;

	*at = (struct event_at){.what = EVENT_AT_END};
	if (!s->at || strcmp(s->at, "end") == 0)
		return 0;
	at->what = EVENT_AT_PEAK;
	if (strcmp(s->at, "peak") == 0)
		return 0;
	at->what = EVENT_AT_TIME;
	seconds = strtod(s->at, &end);
	if (end == s->at || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds <= 1e10))
		return error_usage(err,
				   "--at: \"%.40s\" is neither end nor peak nor a number of "
				   "seconds",
				   s->at);
	at->ns = (uint64_t)(seconds * 1e9 + 0.5);
	return 0;
}

int selection_match_part(struct selection_match *m, uint64_t run_ns, struct profile_part *part,
			 struct error *err)
{
	const struct selection *s = m->wanted;

	if (s->to_ns && s->to_ns <= s->from_ns)
		return error_usage(err, "--to: must be later than --from");
	*part = (struct profile_part){
		.from_ns = s->from_ns,
		.to_ns = s->to_ns,
		.run_ns = run_ns,
	};
	if (s->states) {
		part->state = choose_state;
		part->context = m;
		part->states_text = s->states;
	}
	if (!s->threads.n_values)
		return 0;
	free(m->threads_text);
	m->threads_text = join(&s->threads);
	part->threads = choose_threads;
	part->context = m;
	part->threads_text = m->threads_text;
	return m->threads_text ? 0 : error_memory(err);
}

/* The same for threads alone. */
static int selection_match_check_threads(const struct selection_match *m, struct error *err)
{
	if (!m->threads.n_values || patterns_matched(&m->threads))
		return 0;
	error_set(err, "no thread matches --thread %s", m->threads_text);
	return shortlist_append(&m->threads_there, SHORTLIST_FEW, err);
}

/* ---- selection shown ------------------------------------------------------------------------- */
/*
 * Refuses --state and --at where nothing that is shown has states or moments.
 *
 * In: --state, --at; the profiles that were read. Out: yes, or an error that says what has them.
 */

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

/* Whether the part of the run begins before the run is over. */
static int check_begin(const struct selection *s, uint64_t run_ns, const struct profile *p,
		       struct error *err)
{
	/* Runs that are compared begin with their first processes, chosen or not. */
	bool is_sure = run_ns || p->n_processes == 1 || (!s->n_pids && !s->exe);
	uint64_t lasted = is_sure ? run_times_longest(p, run_ns) : 0;

	if (!lasted || s->from_ns < lasted)
		return 0;
	return error_usage(
		err, "--from %.10g: nothing was recorded then; what is read ended after %.10g s",
		(double)s->from_ns / 1e9, (double)lasted / 1e9);
}

int selection_check_shown(const struct selection *s, uint64_t run_ns, struct profile *const *list,
			  size_t n, struct error *err)
{
	struct shown_states there = {0};
	int status = 0;

	if (s->at && check_moment(list, n, err))
		return -1;
	if (s->from_ns && n && check_begin(s, run_ns, list[0], err))
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

/* ---- selection ------------------------------------------------------------------------------- */

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
	if (name.length == strlen(EVENT_CALLS_TIME) &&
	    !memcmp(name.bytes, EVENT_CALLS_TIME, name.length))
		error_append(err, " (cpsample --calls time PROGRAM measures it, if compiled with "
				  "-finstrument-functions)");
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
