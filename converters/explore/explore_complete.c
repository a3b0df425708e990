/* SPDX-License-Identifier: MIT */
/*
 * explore_complete.c - finds the names that may continue a line that is being typed.
 */
#include "explore/explore_edit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "explore/explore_command.h"
#include "options/options_table.h"

/* The text that is to be completed. */
struct typed {
	struct explore *e;
	struct explore_completion *c;
	const struct explore_line *line;
	const char *text; /* the beginning of a name; a name may be several words of the line */
};

static void offer(struct typed *t, const char *name)
{
	struct explore_completion *c = t->c;
	const char *at;

	for (at = name; *at; at++)
		if (utf8_control_length(at, strlen(at)))
			return;
	if (!explore_begins(name, t->text, strlen(t->text)) ||
	    !array_reserve(&c->list, &c->size, c->n + 1, sizeof(*c->list)))
		return;
	c->list[c->n] = strdup(name);
	if (c->list[c->n])
		c->n++;
}

static void offer_commands(struct typed *t)
{
	const struct explore_command *command;

	for (command = explore_commands(); command->name; command++)
		offer(t, command->name);
}

static void offer_functions(struct typed *t)
{
	const struct explore_names *names;
	struct error err;
	size_t i;

	names = explore_functions(t->e, &t->e->options, &err);
	for (i = 0; names && i < names->n; i++)
		offer(t, explore_names_get(names, i));
}

static void offer_file(void *context, const char *name)
{
	struct typed *t = context;

	for (size_t i = 0; i < t->c->n; i++)
		if (strcmp(t->c->list[i], name) == 0)
			return;
	offer(t, name);
}

/* A filter takes modules and source files, too. */
static void offer_files_of_functions(struct typed *t)
{
	const struct analysis *s = &t->e->profiles[t->e->current].analysis;

	function_names_files(s->profile, s->symbols, offer_file, t);
}

static void offer_settings(struct typed *t)
{
	size_t i;

	for (i = 0; i < options_table_count; i++)
		if (options_is_setting(&options_table[i]))
			offer(t, options_table[i].name);
}

/* Offer those settings as options that the command obeys. */
static void offer_options(struct typed *t, const struct explore_command *command)
{
	const struct view *view =
		command->view && view_find(command->view->name) ? command->view : NULL;
	char name[64];
	size_t i;

	for (i = 0; i < options_table_count; i++) {
		const struct known_option *option = &options_table[i];

		if (!options_is_setting(option) || (view && !options_is_of_view(option, view)))
			continue;
		snprintf(name, sizeof(name), "--%s", option->name);
		offer(t, name);
	}
}

static void offer_values(struct typed *t, const struct known_option *option)
{
	size_t i;

	if (!option)
		return;
	for (i = 0; i < OPTION_CHOICES_MAX && option->choices[i]; i++)
		offer(t, option->choices[i]);
	if (option->kind == KIND_TEXT || option->kind == KIND_FILTER)
		offer_functions(t);
	if (option->kind == KIND_FILTER)
		offer_files_of_functions(t);
}

/* The states of the current resources. */
static void offer_states(struct typed *t)
{
	const struct profile *p = t->e->profiles[t->e->current].analysis.profile;

	for (size_t i = 0; i < profile_count_shown(p); i++) {
		struct strings *states = profile_states(p, profile_shown(p, i));

		for (uint32_t k = 0; states && k < strings_count(states); k++)
			offer(t, strings_get(states, k, NULL));
		if (states)
			strings_free(states);
	}
	offer(t, "off");
}

static void offer_words(struct typed *t, const char *const *words)
{
	for (; *words; words++)
		offer(t, *words);
}

static void offer_resources(struct typed *t)
{
	size_t i;

	for (i = 0; i < t->e->n; i++) {
		const struct profile *p = t->e->profiles[i].analysis.profile;

		if (p->resource != STRINGS_NONE)
			offer(t, strings_get(p->strings, p->resource, NULL));
	}
}

/* Letters of the name that glob() would take for a pattern get a backslash. */
static void offer_files(struct typed *t)
{
	char *pattern = malloc(2 * strlen(t->text) + 2), *to = pattern;
	const char *from;
	glob_t found;
	size_t i;

	if (!pattern)
		return;
	for (from = t->text; *from; from++) {
		if (strchr("*?[]\\", *from))
			*to++ = '\\';
		*to++ = *from;
	}
	strcpy(to, "*");
	if (glob(pattern, GLOB_MARK, NULL, &found) == 0) {
		for (i = 0; i < found.gl_pathc; i++)
			offer(t, found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}

/* The option whose value the word is. NULL: the word before is no option that takes a value. */
static const struct known_option *option_before(const struct explore_line *l, size_t word)
{
	const struct known_option *option;

	if (word < 2 || strncmp(l->words[word - 1], "--", 2) != 0)
		return NULL;
	option = options_known(l->words[word - 1] + 2);
	return option && option->argument ? option : NULL;
}

/* The first word that is neither an option nor the value of one. */
static size_t first_argument(const struct explore_line *l)
{
	size_t i;

	for (i = 1; i < l->n; i++)
		if (strncmp(l->words[i], "--", 2) != 0 && !option_before(l, i))
			break;
	return i;
}

/* Offer what may be the command's argument. A name that is not in quotes may be several words. */
static void offer_argument(struct typed *t, const struct explore_command *command, size_t word,
			   const char *line)
{
	size_t first = first_argument(t->line);

	switch (command->takes) {
	case TAKES_FUNCTION:
		if (word > first && !t->line->last_quote) {
			t->c->begin = t->line->begins[first];
			t->text = line + t->c->begin;
		}
		offer_functions(t);
		break;
	case TAKES_FILE:
		offer_files(t);
		break;
	case TAKES_RESOURCE:
		offer_resources(t);
		break;
	case TAKES_STATE:
		offer_states(t);
		break;
	case TAKES_MOMENT:
		offer_words(t, (const char *const[]){"end", "peak", NULL});
		break;
	case TAKES_SECONDS:
		offer_words(t, (const char *const[]){"off", NULL});
		break;
	case TAKES_SWITCH:
		offer_words(t, (const char *const[]){"off", "on", NULL});
		break;
	case TAKES_COMMAND:
		offer_commands(t);
		break;
	case TAKES_SETTING:
		if (word == 1)
			offer_settings(t);
		else
			offer_values(t, options_known(t->line->words[1]));
		break;
	case TAKES_VALUE:
		offer_values(t, options_known(command->name));
		break;
	case TAKES_NOTHING:
	case TAKES_COUNT:
		break;
	}
}

static void offer_all(struct typed *t, size_t word, const char *line)
{
	const struct explore_line *l = t->line;
	const struct explore_command *command;
	struct error err;

	if (l->last_is_output) {
		offer_files(t);
		return;
	}
	if (word == 0) {
		offer_commands(t);
		return;
	}
	command = explore_command_find(l->words[0], &err);
	if (!command)
		return;
	if (strncmp(t->text, "--", 2) == 0)
		offer_options(t, command);
	else if (option_before(l, word))
		offer_values(t, option_before(l, word));
	else
		offer_argument(t, command, word, line);
}

/* ---- what to write --------------------------------------------------------------------------- */

static size_t common_length(const struct explore_completion *c)
{
	size_t i, k, n = strlen(c->list[0]);

	for (i = 1; i < c->n; i++) {
		for (k = 0; k < n && c->list[i][k] == c->list[0][k];)
			k++;
		n = k;
	}
	while (n > 0 && n < strlen(c->list[0]) && (c->list[0][n] & 0xc0) == 0x80)
		n--; /* the text must not end within a UTF-8 character */
	return n;
}

/* Without quotes a name is split into words, which are joined again with one blank between them. Is
 * the result another name than this one? */
static bool needs_quotes(const char *name)
{
	const char *at;

	if (!*name || strchr("'\">", *name) || name[strlen(name) - 1] == ' ')
		return true;
	for (at = strchr(name, ' '); at; at = strchr(at + 1, ' '))
		if (strchr(" '\"->", at[1]))
			return true;
	return false;
}

static char *write_text(const struct explore_completion *c, char quote)
{
	size_t i, n = common_length(c);
	char *text = malloc(2 * n + 4), *to = text;

	if (!text)
		return NULL;
	if ((!quote && needs_quotes(c->list[0])) || (quote == '\'' && strchr(c->list[0], '\'')))
		quote = '"';
	if (quote)
		*to++ = quote;
	for (i = 0; i < n; i++) {
		if (quote == '"' && strchr("\"\\", c->list[0][i]))
			*to++ = '\\';
		*to++ = c->list[0][i];
	}
	if (c->n == 1 && quote)
		*to++ = quote;
	if (c->n == 1 && !(n > 0 && c->list[0][n - 1] == '/'))
		*to++ = ' ';
	*to = '\0';
	return text;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void explore_complete(struct explore *e, const char *line, size_t n, struct explore_completion *c)
{
	struct typed t = {.e = e, .c = c, .text = ""};
	char *copy = strndup(line, n);
	struct explore_line l;
	struct error err;
	size_t word;

	*c = (struct explore_completion){.begin = n};
	if (copy && !explore_line_split_partial(&l, copy, n, &err)) {
		word = l.last_begin < n && !l.last_is_output ? l.n - 1 : l.n;
		t.line = &l;
		c->begin = l.last_begin;
		if (l.last_begin < n)
			t.text = l.last_is_output ? l.output : l.words[word];
		offer_all(&t, word, copy);
		if (c->n > 0) {
			qsort(c->list, c->n, sizeof(*c->list), compare);
			c->text = write_text(c, l.last_quote);
		}
	}
	if (copy)
		explore_line_free(&l);
	free(copy);
}

void explore_completion_free(struct explore_completion *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		free(c->list[i]);
	free(c->list);
	free(c->text);
}
