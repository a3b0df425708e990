/* SPDX-License-Identifier: MIT */
/*
 * selection_part.c - decides which threads, states and times are read.
 *
 * In: --thread, --state, --from, --to; threads of processes, states of samples. Out: the part that the builder takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/selection.h"

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

int selection_match_check_threads(const struct selection_match *m, struct error *err)
{
	if (!m->threads.n_values || patterns_matched(&m->threads))
		return 0;
	error_set(err, "no thread matches --thread %s", m->threads_text);
	return shortlist_append(&m->threads_there, SHORTLIST_FEW, err);
}
