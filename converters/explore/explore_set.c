/* SPDX-License-Identifier: MIT */
/*
 * explore_set.c - shows settings and changes them.
 *
 * In: the name of a setting, a value. Out: the options that later commands start from. The settings
 * are those options of cpconv that views read. They have the same names and values here.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/explore_command.h"
#include "graph/function_names.h"
#include "options/options_table.h"
#include "pipeline/pager.h"

static void write_setting(struct out *o, const struct explore *e, const struct known_option *option)
{
	out_format(o, "%-12s ", option->name);
	options_show(o, &e->options, option);
	out_text(o, "\n");
}

static int list(struct explore *e, const char *output, struct error *err)
{
	struct out *o = explore_open(e, output, err);
	size_t i;

	if (!o)
		return -1;
	for (i = 0; i < options_table_count; i++)
		if (options_is_setting(&options_table[i]))
			write_setting(o, e, &options_table[i]);
	return explore_close(e, o, err);
}

static int show(struct explore *e, const struct known_option *option, const char *output,
		struct error *err)
{
	struct out *o = explore_open(e, output, err);

	if (!o)
		return -1;
	write_setting(o, e, option);
	return explore_close(e, o, err);
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

/* Give the setting a value in `wanted`. The value points to a copy that e keeps. */
static int apply(struct explore *e, struct options *wanted, const struct known_option *option,
		 const char *text, struct error *err)
{
	static const char *const defaults[] = {"default", "off", "-", NULL};
	static const char *const on[] = {"on", NULL};
	const char *value;

	options_reset(wanted, option);
	if (is_one_of(text, defaults))
		return 0;
	if (!option->argument && !is_one_of(text, on))
		return error_set(err, "%s is on or off", option->name);
	value = explore_keep(e, text);
	if (!value)
		return error_memory(err);
	return options_apply(wanted, option, option->argument ? value : NULL, err);
}

/* The profile is shaped at once, so that an impossible setting is an error here and not of the next
 * command. After an error all settings are as before. */
static int change(struct explore *e, const struct known_option *option, const char *text,
		  struct error *err)
{
	struct options wanted = e->options;
	struct filter before = e->options.filter;
	int status;

	wanted.filter = (struct filter){0};
	status = filter_copy(&wanted.filter, &before, err);
	if (!status)
		status = apply(e, &wanted, option, text, err);
	if (!status && options_is_shape(option))
		status = explore_reshape(e, &wanted, err);
	if (status) {
		filter_clear(&wanted.filter);
		return -1;
	}
	filter_clear(&before);
	e->options = wanted;
	return 0;
}

/* Show the setting, or if there are words from `first` on, make these its value. */
static int show_or_change(struct explore *e, const struct known_option *option,
			  const struct explore_line *l, size_t first, struct error *err)
{
	char *text;
	int status;

	if (l->n <= first)
		return show(e, option, l->output, err);
	if (l->output)
		return error_set(err, "a change of a setting has no output");
	text = explore_line_rest(l, first);
	if (!text)
		return error_memory(err);
	status = change(e, option, text, err);
	free(text);
	return status;
}

static int unknown(const char *word, struct error *err)
{
	const char *nearest = NULL;
	uint32_t least = SUGGEST_FAR;
	size_t i;

	for (i = 0; i < options_table_count; i++) {
		uint32_t distance = suggest_distance(word, options_table[i].name);

		if (!options_is_setting(&options_table[i]) || distance >= least)
			continue;
		least = distance;
		nearest = options_table[i].name;
	}
	if (explore_command_find(word, err) && options_known(word))
		return error_set(err, "no setting \"%s\"; it is a command: %s", word, word);
	return error_set(err, "no setting \"%s\"%s%s%s", word, nearest ? "; did you mean " : "",
			 nearest ? nearest : "", nearest ? "?" : "; set lists them");
}

int explore_set(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		struct error *err)
{
	const struct known_option *option;

	(void)c;
	if (l->n == 1)
		return list(e, l->output, err);
	option = options_known(l->words[1]);
	if (!option || !options_is_setting(option))
		return unknown(l->words[1], err);
	return show_or_change(e, option, l, 2, err);
}

int explore_set_value(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err)
{
	return show_or_change(e, options_known(c->name), l, 1, err);
}

int explore_show_word(struct explore *e, const char *label, const char *word, const char *output,
		      struct error *err)
{
	struct out *o = explore_open(e, output, err);

	if (!o)
		return -1;
	out_format(o, "%-12s ", label);
	out_name(o, word, strlen(word));
	out_text(o, "\n");
	return explore_close(e, o, err);
}

int explore_set_pager(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err)
{
	char *text;

	if (l->n == 1)
		return explore_show_word(e, c->name, e->pager ? e->pager : "off", l->output, err);
	if (l->n == 2 && strcmp(l->words[1], "off") == 0) {
		e->pager = NULL;
		return 0;
	}
	if (l->n == 2 && strcmp(l->words[1], "default") == 0) {
		e->pager = pager_default();
		return 0;
	}
	text = explore_line_rest(l, 1);
	e->pager = text ? explore_keep(e, text) : NULL;
	free(text);
	return e->pager ? 0 : error_memory(err);
}
