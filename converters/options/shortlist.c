/* SPDX-License-Identifier: MIT */
/*
 * shortlist.c - collects distinct texts and lists them.
 *
 * In: texts. Out: the end of a message.
 */
#include "options/shortlist.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int shortlist_write(const struct strings *texts, size_t most, struct error *err)
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
