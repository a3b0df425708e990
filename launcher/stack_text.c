/* SPDX-License-Identifier: MIT */
/*
 * stack_text.c - writes what all threads of a process are in.
 *
 * In: a snapshot, and the lines of each thread. Out: text. Whatever the process has a say in is written by functions that let
 * no control character through.
 */
#include "launcher/stack_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/call_names.h"
#include "write/name_text.h"

/* Threads that are in the same. */
struct group {
	struct stack_list list;
	char state[160];
	bool has_all;	 /* of the stack that was copied */
	size_t first, n; /* threads; the first, and how many */
};

struct groups {
	struct group *list;
	size_t *of; /* by thread */
	size_t n;
};

/* ---- states ------------------------------------------------------------------------------------------------------ */

static const char *state_word(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "waiting, and cannot be interrupted,";
	case 'T':
	case 't':
		return "stopped";
	default:
		return "ended";
	}
}

static void describe(const struct snapshot_thread *t, char *to, size_t bytes)
{
	long number = snapshot_call(t);
	const char *name = call_names_find(number);
	int n = snprintf(to, bytes, "%s", state_word(t->state));

	if (name)
		n += snprintf(to + n, bytes - (size_t)n, " in %s", name);
	else if (number >= 0)
		n += snprintf(to + n, bytes - (size_t)n, " in system call %ld", number);
	if (t->place[0] && t->state != 'R')
		n += snprintf(to + n, bytes - (size_t)n, " (%s)", t->place);
	if (!t->has_stopped)
		snprintf(to + n, bytes - (size_t)n, "; it did not stop%s",
			 t->has_place ? "" : ", and its stack is not known");
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

static bool is_same(const struct group *a, const struct group *b)
{
	if (a->list.n != b->list.n || a->list.is_whole != b->list.is_whole ||
	    strcmp(a->state, b->state) != 0)
		return false;
	for (size_t i = 0; i < a->list.n; i++)
		if (a->list.lines[i].name != b->list.lines[i].name ||
		    a->list.lines[i].file != b->list.lines[i].file)
			return false;
	return true;
}

static bool make_groups(struct groups *g, const struct snapshot *s, struct stack_lines *l,
			enum stack_form form)
{
	g->list = calloc(s->n_threads + 1, sizeof(*g->list));
	g->of = calloc(s->n_threads + 1, sizeof(*g->of));
	for (size_t i = 0; g->list && g->of && i < s->n_threads; i++) {
		const struct snapshot_thread *t = &s->threads[i];
		struct group *new = &g->list[g->n];
		size_t same = 0;

		*new = (struct group){.has_all = !t->is_cut, .first = i};
		if (form != STACK_FOLDED)
			describe(t, new->state, sizeof(new->state));
		if ((t->has_stopped || t->has_place) && !stack_lines_of(l, i, &new->list))
			return false;
		while (form != STACK_EACH && same < g->n && !is_same(&g->list[same], new))
			same++;
		if (form == STACK_EACH)
			same = g->n;
		if (same < g->n)
			free(new->list.lines);
		g->n += same == g->n;
		g->of[i] = same;
		g->list[same].n++;
	}
	return g->list && g->of;
}

static void free_groups(struct groups *g)
{
	for (size_t i = 0; g->list && i < g->n; i++)
		free(g->list[i].list.lines);
	free(g->list);
	free(g->of);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------------ */

#define COLUMN 6

static void write_line(struct out *o, const struct strings *strings, const struct stack_line *line)
{
	const char *guess = line->is_guess ? " (a guess)" : "", *name;
	int n_file = line->file ? out_name_columns(line->file, strlen(line->file)) + 3 : 0;
	int n_guess = (int)strlen(guess);
	size_t n;

	if (!line->file) {
		name_text_last(o, strings, line->name, line->is_inline, COLUMN + n_guess);
	} else {
		name = strings_shown(strings, line->name, &n);
		out_name_fit(o, name, n, COLUMN + n_file + n_guess);
		out_text(o, " (");
		out_name(o, line->file, strlen(line->file));
		out_text(o, ")");
	}
	out_format(o, "%s\n", guess);
}

/* A thread begins in a function that has a name. */
static bool ends_in_code(const struct strings *strings, const struct group *g)
{
	return !g->list.is_whole && g->list.n &&
	       strings_get(strings, g->list.lines[g->list.n - 1].name, NULL)[0] == '[';
}

/* So many calls of a function by itself are told of by their number. */
#define SAME_MOST 3

static void write_stack(struct out *o, const struct strings *strings, const struct group *g)
{
	const struct stack_line *lines = g->list.lines;

	for (size_t i = 0; i < g->list.n;) {
		size_t n = 1;

		while (i + n < g->list.n && lines[i + n].name == lines[i].name)
			n++;
		out_format(o, "%4zu  ", i);
		write_line(o, strings, &lines[i]);
		if (n > SAME_MOST)
			out_format(o, "      ... and %zu more of these\n", n - 1);
		i += n > SAME_MOST ? n : 1;
	}
	if (g->list.n && !g->has_all && !g->list.is_whole)
		out_text(o, "      (the rest of the stack was not copied in time)\n");
	else if (ends_in_code(strings, g))
		out_text(o, "      (what called it is not known)\n");
}

/* "1234 (worker)", with commas, in lines of the width. */
static void write_threads(struct out *o, const struct snapshot *s, const struct groups *g,
			  size_t group)
{
	int column = 0, width = out_text_width(o);
	size_t left = g->list[group].n;

	if (left > 1)
		column = (int)strlen("99999 threads, ");
	if (left > 1)
		out_format(o, "%zu threads, ", left);
	else
		out_text(o, "thread ");
	for (size_t i = g->list[group].first; left && i < s->n_threads; i++) {
		const struct snapshot_thread *t = &s->threads[i];
		int n = out_name_columns(t->name, strlen(t->name)) + 12;

		if (g->of[i] != group)
			continue;
		if (column + n > width) {
			out_text(o, "\n  ");
			column = 2;
		}
		left--;
		column += n;
		out_format(o, "%d (", t->at.tid);
		out_name(o, t->name, strlen(t->name));
		out_text(o, left ? "), " : ")");
	}
	if (column + (int)strlen(g->list[group].state) > width)
		out_text(o, ":\n  ");
	else
		out_text(o, ": ");
	out_name(o, g->list[group].state, strlen(g->list[group].state));
	out_text(o, "\n");
}

static void write_command(struct out *o, const struct target *t)
{
	char path[64], text[4096];
	int fd, column;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	while (n > 0 && !text[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	snprintf(path, sizeof(path), "process %d: ", t->pid);
	out_text(o, path);
	column = (int)strlen(path);
	if (n > 0)
		out_name_fit(o, text, (size_t)n, column);
	out_text(o, "\n");
}

static void write_together(struct out *o, const struct snapshot *s, const struct strings *strings,
			   const struct groups *g)
{
	write_command(o, s->target);
	out_format(o, "%zu thread%s, stopped for %.1f ms\n", s->n_threads,
		   s->n_threads == 1 ? "" : "s", (double)s->stopped_ns / 1e6);
	for (size_t i = 0; i < g->n; i++) {
		out_text(o, "\n");
		write_threads(o, s, g, i);
		write_stack(o, strings, &g->list[i]);
	}
}

/* Outermost first. */
static void write_folded(struct out *o, const struct strings *strings, const struct groups *g)
{
	char *text = NULL;
	size_t n;

	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = g->list[i].list.n; k-- > 0;) {
			const char *name =
				strings_shown(strings, g->list[i].list.lines[k].name, &n);
			char *larger = realloc(text, n + 1);

			if (!larger)
				continue;
			text = larger;
			name_text_folded(text, name, n);
			out_bytes(o, text, n);
			if (k)
				out_text(o, ";");
		}
		if (g->list[i].list.n)
			out_format(o, " %zu\n", g->list[i].n);
	}
	free(text);
}

bool stack_text_write(struct out *o, struct snapshot *s, struct stack_lines *l,
		      enum stack_form form)
{
	struct groups g = {0};
	bool has_memory = make_groups(&g, s, l, form);

	if (has_memory) {
		stack_lines_shorten(l);
		if (form == STACK_FOLDED)
			write_folded(o, stack_lines_strings(l), &g);
		else
			write_together(o, s, stack_lines_strings(l), &g);
	}
	free_groups(&g);
	return has_memory;
}
