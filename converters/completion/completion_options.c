/* SPDX-License-Identifier: MIT */
/*
 * completion_options.c - what there is to complete for cpconv and cpprof.
 *
 * In: the tables of options and views. Out: a list of options.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "completion/completion.h"
#include "options/options_table.h"

struct completion_option *completion_add(struct completion *c)
{
	if (!array_reserve(&c->options, &c->size, c->n + 1, sizeof(*c->options)))
		return NULL;
	memset(&c->options[c->n], 0, sizeof(*c->options));
	return &c->options[c->n++];
}

void completion_free(struct completion *c)
{
	free(c->options);
	*c = (struct completion){0};
}

static void append(char *words, size_t size, const char *word)
{
	size_t n = strlen(words);

	snprintf(words + n, size - n, "%s%s", n ? " " : "", word);
}

/* Only tables can be written for programs (--tsv, --json), and only some views are tables. */
static bool is_obeyed(const struct known_option *option, const struct view *view)
{
	struct options opt;
	struct error err;

	options_init(&opt);
	if (option->kind == KIND_SET)
		options_apply(&opt, option, NULL, &err);
	return options_is_of_view(option, view) && !options_check_format(&opt, view, &err);
}

static void set_views(struct completion_option *to, const struct known_option *option)
{
	bool by_all = true;
	size_t i;

	for (i = 0; views[i]; i++) {
		if (is_obeyed(option, views[i]))
			append(to->views, sizeof(to->views), views[i]->name);
		else
			by_all = false;
	}
	if (by_all)
		to->views[0] = '\0';
}

static enum completion_value value_of(const struct known_option *option)
{
	if (!option->argument)
		return COMPLETION_NOTHING;
	if (option->kind == KIND_CHOICE || option->kind == KIND_VIEW)
		return COMPLETION_WORDS;
	if (strcmp(option->argument, "DIR") == 0)
		return COMPLETION_DIRECTORY;
	if (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "LIST") == 0)
		return COMPLETION_FILE;
	return COMPLETION_ANY;
}

static void set_words(struct completion_option *to, const struct known_option *option)
{
	size_t i;

	for (i = 0; option->kind == KIND_VIEW && views[i]; i++)
		if (!view_takes_function(views[i]))
			append(to->words, sizeof(to->words), views[i]->name);
	for (i = 0; i < OPTION_CHOICES_MAX && option->choices[i]; i++)
		append(to->words, sizeof(to->words), option->choices[i]);
}

static struct completion_option *add(struct completion *c, const char *name, const char *help)
{
	struct completion_option *to = completion_add(c);

	if (!to)
		return NULL;
	snprintf(to->name, sizeof(to->name), "%s", name);
	snprintf(to->help, sizeof(to->help), "%s", help);
	return to;
}

static struct completion_option *add_option(struct completion *c, const struct known_option *option)
{
	struct completion_option *to = add(c, option->name, option->help);

	if (!to)
		return NULL;
	to->letter = option->letter;
	to->value = value_of(option);
	set_words(to, option);
	snprintf(to->label, sizeof(to->label), "%s", option->argument ? option->argument : "");
	return to;
}

int completion_cpconv(struct completion *c)
{
	struct completion_option *to;
	size_t i;

	*c = (struct completion){.program = "cpconv", .has_views = true};
	for (i = 0; views[i]; i++) {
		to = add(c, views[i]->name, views[i]->help);
		if (!to)
			return -1;
		to->is_view = true;
		if (view_takes_function(views[i])) {
			to->value = COMPLETION_ANY;
			snprintf(to->label, sizeof(to->label), "FUNCTION");
		}
	}
	for (i = 0; i < options_table_count; i++) {
		to = add_option(c, &options_table[i]);
		if (!to)
			return -1;
		set_views(to, &options_table[i]);
	}
	return 0;
}

int completion_cpprof(struct completion *c)
{
	size_t i;

	*c = (struct completion){.program = "cpprof"};
	for (i = 0; i < options_table_count; i++)
		if (!options_is_of_cpconv(&options_table[i]) && !add_option(c, &options_table[i]))
			return -1;
	return 0;
}
