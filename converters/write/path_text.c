/* SPDX-License-Identifier: MIT */
/*
 * path_text.c - writes a call path as people read it.
 *
 * In: names. Out: text.
 */
#include "write/path_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "read/event.h"
#include "write/name_list.h"

#define DOTS   "... "
#define LEAST  16 /* columns of a name that is cut */
#define NARROW 40 /* columns of a path that has no room to say what it counts */
#define PICKED 64 /* names in a line; each takes two columns */

/* ---- names ----------------------------------------------------------------------------------- */

/* The length of a name without its file, if that is the one of the function of Python before it on the path: "f (app.py)"
 * after "<module> (app.py)". */
static size_t length_of_own(const char *name, size_t n, struct event_text *file)
{
	const char *begin = n && name[n - 1] == ')' ? memrchr(name, '(', n) : NULL, *colon, *end;

	if (!begin || begin < name + 2 || begin[-1] != ' ')
		return n;
	end = name + n - 1;
	colon = memrchr(begin, ':', (size_t)(end - begin));
	end = colon && strspn(colon + 1, "0123456789") == (size_t)(end - colon) - 1 ? colon : end;
	begin++;
	if (end - begin < 3 || memcmp(end - 3, ".py", 3) != 0)
		return n;
	if (*end == ')' && file->length == (size_t)(end - begin) &&
	    memcmp(file->bytes, begin, file->length) == 0)
		return (size_t)(begin - name) - 2;
	*file = (struct event_text){begin, (size_t)(end - begin)};
	return n;
}

/* How many columns a name takes, with the quotes that it may need, behind others on the path the last of which had this file. */
static int name_columns(const struct strings *s, uint32_t name, struct event_text *file)
{
	size_t n;
	const char *bytes = strings_shown(s, name, &n);
	int columns;

	n = length_of_own(bytes, n, file);
	columns = strcspn(bytes, " ()\"") < n || !n ? 2 : 0;
	for (size_t i = 0; i < n; i++)
		columns += out_columns(bytes + i, n - i) + (bytes[i] == '"' || bytes[i] == '\\');
	return columns;
}

/* Write a name in `most` columns at most. */
static void write_name(struct out *o, const struct strings *s, uint32_t name,
		       struct event_text *file, int most)
{
	size_t n;
	const char *bytes = strings_shown(s, name, &n);
	struct event_text before = *file;

	n = length_of_own(bytes, n, file);
	if (name_columns(s, name, &before) > most)
		out_name_cut(o, bytes, n, most);
	else
		name_list_write(o, bytes, n);
}

/* ---- what a line has ------------------------------------------------------------------------- */

/* The names that a line has, in the order of the path. */
struct picks {
	const struct strings *strings;
	const struct path_text *path;
	struct pick {
		uint32_t index;
		int most; /* columns: a longer name is cut */
	} list[PICKED];
	int n;
	int room; /* columns */
};

/* The columns of all that is picked, and of what stands for the rest. The last name is always one of them. Fills of_each
 * with the columns of each name. */
static int columns_of(const struct picks *p, int of_each[PICKED])
{
	struct event_text file = {"", 0};
	int columns = p->n - 1;

	for (int i = 0; i < p->n; i++) {
		const struct pick *one = &p->list[i];
		int whole = name_columns(p->strings, p->path->names[one->index], &file);
		int shown = whole < one->most ? whole : one->most;

		columns += shown;
		if (one->index != (i ? p->list[i - 1].index + 1 : 0))
			columns += (int)strlen(DOTS);
		of_each[i] = shown;
	}
	return columns;
}

/* Pick a name if it fits, or if it may be cut, the part of it that fits. */
static bool pick(struct picks *p, uint32_t index, bool may_cut)
{
	const struct pick new = {index, INT_MAX};
	int at = 0, too_many, columns[PICKED];

	if (p->n == PICKED)
		return false;
	while (at < p->n && p->list[at].index < index)
		at++;
	if (at < p->n && p->list[at].index == index)
		return true;
	memmove(&p->list[at + 1], &p->list[at], (size_t)(p->n - at) * sizeof(new));
	p->list[at] = new;
	p->n++;
	too_many = columns_of(p, columns) - p->room;
	if (too_many <= 0)
		return true;
	if (may_cut && columns[at] - too_many >= LEAST) {
		p->list[at].most = columns[at] - too_many;
		return true;
	}
	p->n--;
	memmove(&p->list[at], &p->list[at + 1], (size_t)(p->n - at) * sizeof(new));
	return false;
}

/* The name of this kind that is next to the last one, or in an upward path the outermost; the last one: there is none. */
static uint32_t find_kept(const struct path_text *path, enum path_text_keep kind)
{
	uint32_t n = path->n;

	for (uint32_t i = 0; path->keep && i + 1 < n; i++) {
		uint32_t index = path->is_up ? i : n - 2 - i;

		if (path->keep[index] == kind)
			return index;
	}
	return n - 1;
}

/* The name that the line needs beside its last one. */
static uint32_t partner(const struct path_text *path)
{
	static const enum path_text_keep kinds[] = {PATH_TEXT_NEEDED, PATH_TEXT_TELLING,
						    PATH_TEXT_OWN};
	uint32_t last = path->n - 1;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (find_kept(path, kinds[i]) != last)
			return find_kept(path, kinds[i]);
	return path->is_up ? last - 1 : 0;
}

/* The last name and its partner; if there is no room for both, both are cut, if each can have some columns. */
static void pick_two(struct picks *p, uint32_t other)
{
	uint32_t last = p->path->n - 1;
	int both, columns[PICKED];

	p->list[0] = (struct pick){other, INT_MAX};
	p->list[1] = (struct pick){last, INT_MAX};
	p->n = 2;
	both = p->room - columns_of(p, columns);
	both += columns[0] + columns[1];
	if (columns[0] + columns[1] <= both || both < 2 * LEAST) {
		p->n = 0;
		pick(p, last, true);
		pick(p, other, false);
		return;
	}
	if (columns[0] <= both / 2)
		columns[1] = both - columns[0];
	else if (columns[1] <= both / 2)
		columns[0] = both - columns[1];
	else
		columns[1] = both - (columns[0] = both / 2);
	p->list[0].most = columns[0];
	p->list[1].most = columns[1];
}

/* Pick those of a kind, from the last one on or in an upward path from the first, as long as they fit. */
static void pick_kept(struct picks *p, enum path_text_keep kind, bool may_cut)
{
	const struct path_text *path = p->path;
	uint32_t n = path->n;

	for (uint32_t i = 0; path->keep && i + 1 < n && p->n < PICKED; i++) {
		uint32_t index = path->is_up ? i : n - 2 - i;

		if (path->keep[index] == kind && !pick(p, index, may_cut))
			return;
	}
}

/* What there is room for, in the order of what tells most. */
static void pick_others(struct picks *p, uint32_t other)
{
	const struct path_text *path = p->path;
	uint32_t n = path->n, i;

	pick_kept(p, PATH_TEXT_TELLING, true);
	if (!path->is_up) {
		pick(p, find_kept(path, PATH_TEXT_OWN), false);
		pick(p, 0, false);
	}
	pick_kept(p, PATH_TEXT_OWN, false);
	/* What is next to the end, or of an upward path what follows the name that tells it from others. */
	if (path->is_up)
		for (i = other + 1; i + 1 < n && pick(p, i, false);)
			i++;
	for (i = 1; i < n && pick(p, n - 1 - i, false);)
		i++;
	for (i = other; path->is_up && i > 0 && pick(p, i - 1, false);)
		i--;
}

/* What has become free after a name was cut it may have. */
static void widen(struct picks *p)
{
	int columns[PICKED], rest = p->room - columns_of(p, columns);

	for (int i = 0; i < p->n && rest > 0; i++)
		if (columns[i] == p->list[i].most) {
			p->list[i].most += rest;
			rest = p->room - columns_of(p, columns);
		}
}

static void write_picks(struct out *o, const struct picks *p)
{
	struct event_text file = {"", 0};

	for (int i = 0; i < p->n; i++) {
		const struct pick *one = &p->list[i];

		out_text(o, i ? " " : "");
		if (one->index != (i ? p->list[i - 1].index + 1 : 0))
			out_text(o, DOTS);
		write_name(o, p->strings, p->path->names[one->index], &file, one->most);
	}
}

static void write_all(struct out *o, const struct strings *s, const struct path_text *path)
{
	struct event_text file = {"", 0};

	for (uint32_t i = 0; i < path->n; i++) {
		out_text(o, i ? " " : "");
		write_name(o, s, path->names[i], &file, INT_MAX);
	}
}

/* ---- the path -------------------------------------------------------------------------------- */

static void write_short(struct out *o, const struct strings *s, const struct path_text *path,
			const char *end, int column)
{
	struct picks p = {s, path, .room = out_width(o) - column - (int)strlen(end) - 1};
	struct event_text file = {"", 0};
	char count[40] = "";
	int all = 0;
	uint32_t i, other;

	out_text(o, "(");
	for (i = 0; i < path->n && all <= p.room; i++)
		all += name_columns(s, path->names[i], &file) + (i ? 1 : 0);
	if (all <= p.room) {
		write_all(o, s, path);
	} else if (path->n == 1) {
		file = (struct event_text){"", 0};
		write_name(o, s, path->names[0], &file, p.room);
	} else {
		if (path->n > 2)
			p.room -= snprintf(count, sizeof(count),
					   p.room < NARROW ? " of %" PRIu32
							   : ", %" PRIu32 " functions",
					   path->n);
		other = partner(path);
		pick_two(&p, other);
		pick_others(&p, other);
		widen(&p);
		write_picks(o, &p);
	}
	out_text(o, (uint32_t)p.n < path->n ? count : "");
	out_text(o, end);
}

void path_text_write(struct out *o, const struct strings *s, const struct path_text *path,
		     const char *end, int column)
{
	struct event_text file = {"", 0};
	struct name_list words;

	if (out_width(o)) {
		write_short(o, s, path, end, column);
		return;
	}
	name_list_begin_line(&words, o, s, column);
	for (uint32_t i = 0; i < path->n; i++) {
		size_t n;
		const char *name = strings_shown(s, path->names[i], &n);

		n = length_of_own(name, n, &file);
		name_list_add_text(&words, name, n, i ? "" : "(", i + 1 < path->n ? "" : end);
	}
}
