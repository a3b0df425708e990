/* SPDX-License-Identifier: MIT */
/*
 * completion_usage.c - what there is to complete for a program that is a script.
 *
 * In: the usage that it prints. Out: a list of options.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "completion/completion.h"

/* Copy a word that ends with a blank, a comma or the line. Returns what follows it. */
static const char *take_word(char *to, size_t size, const char *from)
{
	size_t n = strcspn(from, " ,\n");

	snprintf(to, size, "%.*s", (int)n, from);
	return from + n;
}

/* A help text ends with the values, if there are only a few: "what ticks: timer, itimer, perf". */
static void take_values(struct completion_option *to)
{
	const char *list = strrchr(to->help, ':');
	size_t used = 0;

	while (list && (list[1] != ' ')) /* the colon of cpu:1ms */
		list = memrchr(to->help, ':', (size_t)(list - to->help));
	for (list = list ? list + 2 : ""; *list; list += strspn(list, " ,")) {
		size_t n = strspn(list, "abcdefghijklmnopqrstuvwxyz");

		if (n > 0 && (!list[n] || strchr(", ", list[n])))
			used += (size_t)snprintf(to->words + used, sizeof(to->words) - used,
						 "%s%.*s", used ? " " : "", (int)n, list);
		list += strcspn(list, ",");
	}
}

static enum completion_value value_of(const struct completion_option *option)
{
	if (!option->label[0])
		return COMPLETION_NOTHING;
	if (strcmp(option->label, "FILE") == 0 || strcmp(option->label, "TEMPLATE") == 0)
		return COMPLETION_FILE;
	return strchr(option->words, ' ') ? COMPLETION_WORDS : COMPLETION_ANY;
}

/* "  -c, --clock C      what ticks: timer, itimer, perf" */
static void take_option(struct completion_option *to, const char *at)
{
	if (at[0] == '-' && at[1] != '-') {
		to->letter = at[1];
		at += 2;
		at += strspn(at, ", ");
	}
	if (strncmp(at, "--", 2) == 0)
		at = take_word(to->name, sizeof(to->name), at + 2);
	at += *at == ' ';
	if (isupper((unsigned char)*at))
		at = take_word(to->label, sizeof(to->label), at);
	at += strspn(at, " ");
	snprintf(to->help, sizeof(to->help), "%.*s", (int)strcspn(at, "\n"), at);
	if (to->label[0])
		take_values(to);
	to->value = value_of(to);
}

int completion_usage(struct completion *c, FILE *usage)
{
	struct completion_option *to;
	char line[256];

	while (fgets(line, sizeof(line), usage)) {
		const char *at = line + strspn(line, " ");

		if (at == line || *at != '-')
			continue;
		to = completion_add(c);
		if (!to)
			return -1;
		take_option(to, at);
	}
	return ferror(usage) ? -1 : 0;
}
