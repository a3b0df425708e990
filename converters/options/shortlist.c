/* SPDX-License-Identifier: MIT */
/*
 * shortlist.c - collects distinct texts and lists the first few of them.
 *
 * In: texts. Out: the end of a message.
 */
#include "options/shortlist.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LISTED 10u

void shortlist_add(struct shortlist *l, const char *format, ...)
{
	char text[96];
	va_list args;
	size_t before;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!l->seen)
		l->seen = strings_new();
	if (!l->seen)
		return;
	before = strings_count(l->seen);
	if (strings_add(l->seen, text, strlen(text)) != before || before >= LISTED)
		return;
	error_append(&l->text, "%s%s", before ? ", " : "", text);
}

void shortlist_join(struct shortlist *l, const struct shortlist *other)
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

int shortlist_append(const struct shortlist *l, struct error *err)
{
	size_t n = l->seen ? strings_count(l->seen) : 0;

	error_append(err, "; there are: %s", n ? l->text.text : "none");
	if (n > LISTED)
		error_append(err, " and %zu more", n - LISTED);
	return -1;
}
