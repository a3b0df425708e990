/* SPDX-License-Identifier: MIT */
/*
 * options_value.c - reads the values of options.
 *
 * In: an option and a text. Out: a field of struct options.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compare/assertion.h"
#include "graph/function_names.h"
#include "options/options_table.h"

int options_choose_view(struct options *opt, const struct view *view, struct error *err)
{
	if (opt->view && opt->view != view)
		return error_set(err, "one view at a time: %s or %s", opt->view->name, view->name);
	opt->view = view;
	return 0;
}

static int parse_view(struct options *opt, const char *text, struct error *err)
{
	const struct view *view = view_find(text);
	uint32_t least = SUGGEST_FAR;
	const char *nearest = NULL;

	for (size_t i = 0; !view && strlen(text) > 2 && views[i]; i++) {
		uint32_t distance = suggest_distance(text, views[i]->name);

		nearest = distance < least ? views[i]->name : nearest;
		least = distance < least ? distance : least;
	}
	if (!view)
		return error_set(err, "--format: there is no view \"%s\"%s%s%s", text,
				 nearest ? "; did you mean " : "", nearest ? nearest : "",
				 nearest ? "?" : "");
	return options_choose_view(opt, view, err);
}

static int parse_percent(double *value, const char *name, const char *text, struct error *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end > text)
		end += strspn(end, " ");
	if (end > text && *end == '%')
		end++;
	if (end == text || *end || !(*value >= 0 && *value <= 100))
		return error_set(err, "--%s: \"%s\" is not a percentage from 0 to 100", name, text);
	return 0;
}

static int parse_number(double *value, const char *name, const char *text, struct error *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value) || *value <= 0)
		return error_set(err, "--%s: \"%s\" is not a number above 0", name, text);
	return 0;
}

/* The limit is there because the nanoseconds have to fit into 64 bits. */
static int parse_seconds(uint64_t *value, bool is_end, const char *name, const char *text,
			 struct error *err)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds <= 1e10))
		return error_set(err, "--%s: \"%s\" is not a number of seconds", name, text);
	*value = (uint64_t)(seconds * 1e9 + 0.5);
	if (!*value && is_end)
		return error_set(err, "--%s: nothing is before the run begins", name);
	return 0;
}

static int parse_count(uint64_t *value, const char *name, const char *text, struct error *err)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n < 1 || n > UINT32_MAX)
		return error_set(err, "--%s: \"%s\" is not a number from 1 up", name, text);
	*value = n;
	return 0;
}

static int parse_choice(void *value, const struct known_option *option, const char *text,
			struct error *err)
{
	int i;

	for (i = 0; i < OPTION_CHOICES_MAX && option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) != 0)
			continue;
		*(int *)value = option->set + i;
		return 0;
	}
	error_set(err, "--%s: \"%s\" is not one of", option->name, text);
	for (i = 0; i < OPTION_CHOICES_MAX && option->choices[i]; i++)
		error_append(err, "%s %s", i ? "," : "", option->choices[i]);
	return -1;
}

static int add_to_list(struct options *opt, enum option_list which, const char *text,
		       struct error *err)
{
	struct assertion unused;
	bool is_base = which == OPTION_BASES;
	char ***list = is_base ? &opt->bases : &opt->asserts;
	size_t *n = is_base ? &opt->n_bases : &opt->n_asserts;
	size_t *size = is_base ? &opt->bases_size : &opt->asserts_size;
	int status = is_base ? 0 : assertion_parse(&unused, text, err);

	if (!is_base)
		assertion_free(&unused);
	if (status)
		return -1;
	if (!array_reserve(list, size, *n + 1, sizeof(**list)))
		return error_memory(err);
	(*list)[(*n)++] = (char *)(uintptr_t)text; /* it is read only */
	return 0;
}

int options_apply(struct options *opt, const struct known_option *option, const char *text,
		  struct error *err)
{
	void *value = (char *)opt + option->place;

	switch (option->kind) {
	case KIND_HELP:
		opt->action = text ? OPTIONS_HELP_ALL : OPTIONS_HELP;
		return !text || strcmp(text, "all") == 0
			       ? 0
			       : error_set(err, "--help=%s: it is --help, or --help=all", text);
	case KIND_VERSION:
		opt->action = OPTIONS_VERSION;
		return 0;
	case KIND_VIEW:
		return parse_view(opt, text, err);
	case KIND_PIDS:
		return selection_add_pids(&opt->chosen, text, err);
	case KIND_EXE:
		return selection_set_exe(&opt->chosen, text, err);
	case KIND_THREADS:
		return selection_add_threads(&opt->chosen, text, err);
	case KIND_SECONDS:
		return parse_seconds(value, option->set, option->name, text, err);
	case KIND_FILTER:
		return filter_add(&opt->filter, (enum filter_kind)option->set, text, err);
	case KIND_FLAG:
	case KIND_NO:
		*(bool *)value = option->kind == KIND_FLAG;
		return 0;
	case KIND_TEXT:
		*(const char **)value = text;
		return 0;
	case KIND_PERCENT:
		return parse_percent(value, option->name, text, err);
	case KIND_NUMBER:
		return parse_number(value, option->name, text, err);
	case KIND_COUNT:
		return parse_count(value, option->name, text, err);
	case KIND_CHOICE:
		return parse_choice(value, option, text, err);
	case KIND_SET:
		*(int *)value = option->set;
		return 0;
	case KIND_LIST:
		return add_to_list(opt, (enum option_list)option->set, text, err);
	}
	return 0;
}

/* ---- back to the default, and for people ------------------------------------------------------- */

static size_t size_of(const struct known_option *option)
{
	switch (option->kind) {
	case KIND_FLAG:
	case KIND_NO:
		return sizeof(bool);
	case KIND_TEXT:
		return sizeof(const char *);
	case KIND_PERCENT:
	case KIND_NUMBER:
		return sizeof(double);
	case KIND_COUNT:
	case KIND_SECONDS:
		return sizeof(uint64_t);
	case KIND_CHOICE:
	case KIND_SET:
		return sizeof(int);
	case KIND_HELP:
	case KIND_VERSION:
	case KIND_VIEW:
	case KIND_PIDS:
	case KIND_EXE:
	case KIND_THREADS:
	case KIND_FILTER:
	case KIND_LIST:
		return 0;
	}
	return 0;
}

static const struct patterns *patterns_of(const struct options *opt,
					  const struct known_option *option)
{
	return &opt->filter.of[option->set];
}

void options_reset(struct options *opt, const struct known_option *option)
{
	struct options fresh;

	if (option->kind == KIND_FILTER)
		patterns_clear(&opt->filter.of[option->set]);
	options_init(&fresh);
	memcpy((char *)opt + option->place, (char *)&fresh + option->place, size_of(option));
}

static bool options_is_default(const struct options *opt, const struct known_option *option)
{
	struct options fresh;

	if (option->kind == KIND_FILTER)
		return patterns_of(opt, option)->n_values == 0;
	options_init(&fresh);
	return memcmp((const char *)opt + option->place, (char *)&fresh + option->place,
		      size_of(option)) == 0;
}

static void show_values(struct out *o, const struct patterns *p)
{
	const char *value;
	size_t i;

	for (i = 0; (value = patterns_value(p, i)); i++) {
		out_text(o, i ? ", " : "");
		out_name(o, value, strlen(value));
	}
}

void options_show(struct out *o, const struct options *opt, const struct known_option *option)
{
	const void *value = (const char *)opt + option->place;

	if (options_is_default(opt, option) && (option->kind != KIND_CHOICE || option->set))
		out_text(o, "default");
	else if (option->kind == KIND_FILTER)
		show_values(o, patterns_of(opt, option));
	else if (option->kind == KIND_TEXT)
		out_name(o, *(const char *const *)value, strlen(*(const char *const *)value));
	else if (option->kind == KIND_PERCENT)
		out_format(o, "%g %%", *(const double *)value);
	else if (option->kind == KIND_NUMBER)
		out_format(o, "%g", *(const double *)value);
	else if (option->kind == KIND_COUNT)
		out_format(o, "%llu", (unsigned long long)*(const uint64_t *)value);
	else if (option->kind == KIND_CHOICE)
		out_text(o, option->choices[*(const int *)value - option->set]);
	else
		out_text(o, option->kind != KIND_SET || *(const int *)value == option->set
				    ? "on"
				    : "default");
}
