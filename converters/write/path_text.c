/* SPDX-License-Identifier: MIT */
/*
 * path_text.c - writes a call path as people read it.
 *
 * In: names. Out: text.
 */
#include "write/path_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "write/name_list.h"

#define DOTS  " ... "
#define LEAST 16 /* columns for the first and for the last function */

/* How many columns a name takes, with the quotes that it may need. */
static int name_columns(const struct strings *s, uint32_t name)
{
	size_t n;
	const char *bytes = strings_shown(s, name, &n);
	int columns = strcspn(bytes, " ()\"") < n || !n ? 2 : 0;

	for (size_t i = 0; i < n; i++)
		columns += out_columns(bytes + i, n - i) + (bytes[i] == '"' || bytes[i] == '\\');
	return columns;
}

static void write_name(struct out *o, const struct strings *s, uint32_t name)
{
	size_t n;
	const char *bytes = strings_shown(s, name, &n);

	name_list_write(o, bytes, n);
}

/* Write a name in that many columns at most. */
static void write_cut(struct out *o, const struct strings *s, uint32_t name, int room)
{
	size_t bytes;
	const char *text = strings_shown(s, name, &bytes);

	out_name_fit(o, text, bytes, out_width(o) - room);
}

/* Not even the last name has room beside the first: both are cut, if each can have some columns. */
static void write_ends(struct out *o, const struct strings *s, const uint32_t *names, uint32_t n,
		       int room)
{
	const char *gap = n == 2 ? " " : DOTS;
	int both = room - (int)strlen(gap);
	int first = name_columns(s, names[0]), last = name_columns(s, names[n - 1]);

	if (n == 1 || both < 2 * LEAST) {
		out_text(o, n > 1 ? "... " : "");
		write_cut(o, s, names[n - 1], room - (n > 1 ? (int)strlen("... ") : 0));
		return;
	}
	if (first > both / 2)
		first = both - last > both / 2 ? both - last : both / 2;
	write_cut(o, s, names[0], first);
	out_text(o, gap);
	write_cut(o, s, names[n - 1], both - first);
}

static void write_short(struct out *o, const struct strings *s, const uint32_t *names, uint32_t n,
			const char *end, int column)
{
	char count[40] = "";
	int room = out_width(o) - column - (int)strlen(end) - 1, all = 0, most = room;
	uint32_t i, shown = 0;

	for (i = 0; i < n; i++)
		all += name_columns(s, names[i]) + (i ? 1 : 0);
	if (all > room)
		room -= snprintf(count, sizeof(count), ", %" PRIu32 " functions", n) +
			(int)strlen(DOTS) + name_columns(s, names[0]);
	for (; all > room && *count && shown + 1 < n; shown++) {
		room -= name_columns(s, names[n - 1 - shown]) + 1;
		if (room < 0)
			break;
	}
	out_text(o, "(");
	if (!*count || shown) {
		write_name(o, s, names[0]);
		out_text(o, *count ? DOTS : "");
		for (i = *count ? n - shown : 1; i < n; i++) {
			out_text(o, *count && i == n - shown ? "" : " ");
			write_name(o, s, names[i]);
		}
	} else {
		if (n <= 2)
			*count = '\0';
		write_ends(o, s, names, n, most - (int)strlen(count));
	}
	out_text(o, count);
	out_text(o, end);
}

void path_text_write(struct out *o, const struct strings *s, const uint32_t *names, uint32_t n,
		     const char *end, int column)
{
	struct name_list words;

	if (out_width(o)) {
		write_short(o, s, names, n, end, column);
		return;
	}
	name_list_begin_line(&words, o, s, column);
	for (uint32_t i = 0; i < n; i++)
		name_list_add(&words, names[i], i ? "" : "(", i + 1 < n ? "" : end);
}
