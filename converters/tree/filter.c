/* SPDX-License-Identifier: MIT */
/*
 * filter.c - the values of --focus, --ignore, --hide and --collapse, the files that they name, and the stacks that they
 * keep.
 */
#include <stdlib.h>
#include <string.h>

#include "tree/tree_fold.h"

static const char *const options[FILTER_KINDS] = {
	[FILTER_FOCUS] = "--focus",
	[FILTER_IGNORE] = "--ignore",
	[FILTER_HIDE] = "--hide",
	[FILTER_COLLAPSE] = "--collapse",
};

int filter_add(struct filter *f, enum filter_kind kind, const char *value, struct error *err)
{
	f->of[kind].option = options[kind];
	return patterns_add(&f->of[kind], value, err);
}

void filter_clear(struct filter *f)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		patterns_clear(&f->of[kind]);
}

int filter_copy(struct filter *to, const struct filter *from, struct error *err)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		if (!patterns_copy(&to->of[kind], &from->of[kind], err))
			continue;
		filter_clear(to);
		return -1;
	}
	return 0;
}

static bool patterns_equal(const struct patterns *a, const struct patterns *b)
{
	if (a->n_values != b->n_values)
		return false;
	for (size_t i = 0; i < a->n_values; i++)
		if (strcmp(patterns_value(a, i), patterns_value(b, i)) != 0)
			return false;
	return true;
}

bool filter_is_equal(const struct filter *a, const struct filter *b)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		if (!patterns_equal(&a->of[kind], &b->of[kind]))
			return false;
	return true;
}

bool filter_is_set(const struct filter *f)
{
	for (int kind = 0; f && kind < FILTER_KINDS; kind++)
		if (f->of[kind].n_values)
			return true;
	return false;
}

bool filter_drops(const struct filter *f)
{
	return f->of[FILTER_FOCUS].n_values || f->of[FILTER_IGNORE].n_values;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A library has such a suffix, too, or a number behind it; and a path may be that of a header without any. */
static bool may_be_source(const char *text)
{
	const char *name = last_part(text), *suffix = strrchr(name, '.');

	if (!suffix)
		return name != text;
	return suffix[1] && strcmp(suffix, ".so") != 0 && !is_digit(suffix[1]) &&
	       !strpbrk(suffix, "\\*?[](){}^$|");
}

bool filter_wants_lines(const struct filter *f)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		for (size_t i = 0; i < f->of[kind].n; i++)
			if (may_be_source(f->of[kind].list[i].text))
				return true;
	return false;
}

/* Debian and others have moved these directories below /usr, and links are where they were. */
static const char *without_usr(const char *path)
{
	bool is_moved = strncmp(path, "/usr/lib", 8) == 0 || strncmp(path, "/usr/bin", 8) == 0 ||
			strncmp(path, "/usr/sbin", 9) == 0;

	return is_moved ? path + 4 : path;
}

/* Whether n bytes of both are the same directory, or the text ends as the path does, from a slash on. */
static bool is_end_of_path(const char *path, size_t n_path, const char *text, size_t n)
{
	return n_path >= n && memcmp(path + n_path - n, text, n) == 0 &&
	       (n_path == n || !n || (*text != '/' && path[n_path - n - 1] == '/'));
}

/* Whether what follows in a file's name is its version: "libc" and ".so.6", "libc.so" and ".6", "libm" and "-2.31.so". */
static bool is_version(const char *rest)
{
	if (!*rest)
		return true;
	return (*rest == '.' && (is_digit(rest[1]) || strncmp(rest, ".so", 3) == 0)) ||
	       (*rest == '-' && is_digit(rest[1]));
}

bool filter_means_source(const char *path, const char *text)
{
	text += strncmp(text, "./", 2) == 0 ? 2 : 0;
	return *text && is_end_of_path(path, strlen(path), text, strlen(text));
}

bool filter_means_module(const char *path, const char *text)
{
	const char *file, *wanted;
	size_t n;

	text += strncmp(text, "./", 2) == 0 ? 2 : 0;
	path = without_usr(path);
	text = without_usr(text);
	file = last_part(path);
	wanted = last_part(text);
	n = strlen(wanted);
	return n && strncmp(file, wanted, n) == 0 && is_version(file + n) &&
	       is_end_of_path(path, (size_t)(file - path), text, (size_t)(wanted - text));
}

bool filter_is_start_module(const char *path)
{
	static const char *const names[] = {"libc.so",	  "libc-",     "libc.musl", "ld-",
					    "libpthread", "libstdc++", NULL};
	const char *file = last_part(path);

	for (size_t i = 0; names[i]; i++)
		if (strncmp(file, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Mark each node with the marks of all frames of its stack. Parents come before their children. What is the start of a
 * stack is known where the stack leaves it. */
static void mark_stacks(const struct profile *p, const unsigned char *of_frames,
			unsigned char *marks)
{
	marks[0] = FILTER_START;
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct profile_node *node = &p->nodes[i];
		unsigned up = marks[node->parent], own = of_frames[node->frame];
		bool starts = up & FILTER_START && (own & FILTER_START || profile_is_group(p, i) ||
						    profile_is_column(p, i));
		unsigned above = up & FILTER_START && !starts ? up >> FILTER_BY_NAME : up;

		marks[i] = (unsigned char)(((above | own) & FILTER_DROPS) |
					   ((up | own) & FILTER_DROPS << FILTER_BY_NAME) |
					   (starts ? FILTER_START : 0));
		marks[node->parent] |= FILTER_HAS_CHILD;
	}
}

void filter_nodes(const struct filter *f, const struct profile *p, const unsigned char *of_frames,
		  unsigned char *marks)
{
	unsigned wanted = f->of[FILTER_FOCUS].n_values ? 1u << FILTER_FOCUS : 0;

	mark_stacks(p, of_frames, marks);
	for (size_t i = p->n_nodes; i-- > 1;) {
		const struct profile_node *node = &p->nodes[i];
		bool is_stack =
			!(marks[i] & FILTER_HAS_CHILD) || node->self_weight || node->self_hits;

		if (is_stack && (marks[i] & (wanted | 1u << FILTER_IGNORE)) == wanted)
			marks[i] |= FILTER_KEPT | FILTER_NEEDED;
		marks[i] &= FILTER_KEPT | FILTER_NEEDED;
		marks[node->parent] |= marks[i] & FILTER_NEEDED;
	}
	marks[0] = 0;
}
