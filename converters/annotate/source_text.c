/* SPDX-License-Identifier: MIT */
/*
 * source_text.c - finds source files, and weighs their lines.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/source_text.h"

/* ---- source text ----------------------------------------------------------------------------- */
/*
 * On this machine the path may lead to anything, such as a pipe or a device. So only regular files
 * are read, and only up to the last line needed.
 */

struct source_text {
	FILE *file; /* NULL: the lines are in packs */
	const struct pack_set *packs;
	char *path;
	uint64_t
		changed_ns; /* since 1970; 0: in packs, or in a directory that the user has named */
	uint32_t line;	    /* the number of the line that was read last */
	char *bytes;
	size_t size;
	ssize_t n;
};

static uint64_t changed(const struct stat *st)
{
	uint64_t ns;

	if (st->st_mtim.tv_sec < 0 ||
	    __builtin_mul_overflow((uint64_t)st->st_mtim.tv_sec, 1000000000, &ns))
		return 0;
	return ns + (uint64_t)st->st_mtim.tv_nsec;
}

/* Owns the path from now on. NULL if it leads to no regular file that can be read. */
static struct source_text *try_path(char *path)
{
	int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	struct source_text *t = calloc(1, sizeof(*t));
	struct stat st;

	if (t && fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		t->file = fdopen(fd, "r");
	if (!t || !t->file) {
		if (fd >= 0)
			close(fd);
		free(path);
		free(t);
		return NULL;
	}
	t->path = path;
	t->changed_ns = changed(&st);
	return t;
}

/* For the path /a/b.c: try DIRECTORY/a/b.c, then DIRECTORY/b.c. The directory has n bytes; 0: it is
 * the current one. */
static struct source_text *try_below(const char *directory, size_t n, const char *path)
{
	struct source_text *t = NULL;
	char *name;

	while (!t && path) {
		path += strspn(path, "/");
		if (asprintf(&name, "%.*s%s%s", (int)n, directory, n ? "/" : "", path) < 0)
			return NULL;
		t = try_path(name);
		path = strchr(path, '/');
	}
	return t;
}

struct source_text *source_text_packed(const char *path, const struct pack_set *packs)
{
	struct source_text *t;
	size_t i = 0;

	while (packs && packs->names && i < packs->n &&
	       !pack_names_has_file(&packs->names[i], path))
		i++;
	if (!packs || !packs->names || i == packs->n)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->packs = packs;
	t->path = strdup(path);
	if (t->path)
		return t;
	free(t);
	return NULL;
}

/* Each pack has the lines that its own recordings use. */
static const char *packed_line(const struct source_text *t, uint32_t line)
{
	const char *text = NULL;

	for (size_t i = 0; !text && i < t->packs->n; i++)
		text = pack_names_line(&t->packs->names[i], t->path, line);
	return text;
}

struct source_text *source_text_open(const char *path, const char *directories,
				     const struct pack_set *packs)
{
	struct source_text *t = NULL;
	size_t n;

	while (!t && directories && *directories) {
		n = strcspn(directories, ":");
		if (n > 0 && n <= INT_MAX)
			t = try_below(directories, n, path);
		if (t)
			t->changed_ns = 0;
		directories += n + (directories[n] == ':');
	}
	if (!t)
		t = source_text_packed(path, packs);
	if (!t)
		t = try_path(strdup(path));
	return t ? t : try_below("", 0, path);
}

void source_text_close(struct source_text *t)
{
	if (!t)
		return;
	if (t->file)
		fclose(t->file);
	free(t->path);
	free(t->bytes);
	free(t);
}

const char *source_text_path(const struct source_text *t)
{
	return t->path;
}

bool source_text_is_newer(const struct source_text *t, uint64_t ns)
{
	return ns && t->changed_ns > ns;
}

const char *source_text_line(struct source_text *t, uint32_t line, size_t *n)
{
	const char *text;

	if (t->packs) {
		text = packed_line(t, line);
		*n = text ? strlen(text) : 0;
		return text;
	}
	while (t->line < line) {
		t->n = getline(&t->bytes, &t->size, t->file);
		if (t->n < 0)
			return NULL;
		t->line++;
	}
	*n = (size_t)t->n;
	while (*n > 0 && (t->bytes[*n - 1] == '\n' || t->bytes[*n - 1] == '\r'))
		--*n;
	return t->bytes;
}

/* ---- source lines ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b, void *strings)
{
	const struct source_line *x = a, *y = b;

	if (x->file != y->file) {
		if (x->file == STRINGS_NONE || y->file == STRINGS_NONE)
			return x->file == STRINGS_NONE ? 1 : -1;
		return strings_compare(strings, x->file, y->file);
	}
	return (x->line > y->line) - (x->line < y->line);
}

static void add(struct source_lines *l, const struct symbols_place *at,
		const struct tree_function *f)
{
	l->list[l->n++] = (struct source_line){
		.file = at->line ? at->file : STRINGS_NONE,
		.line = at->file == STRINGS_NONE ? 0 : at->line,
		.self = f->self,
		.total = f->total,
		.hits = f->hits,
	};
}

int source_lines_find(struct source_lines *l, const struct code_places *p, const struct tree *tree,
		      struct error *err)
{
	size_t i, n;
	struct tree_function *functions = tree_functions(tree, &n, err);

	*l = (struct source_lines){0};
	if (!functions)
		return -1;
	l->list = calloc(n + 1, sizeof(*l->list));
	for (i = 0; l->list && i < n; i++)
		if (p->by_name[functions[i].name].is_ours)
			add(l, &p->by_name[functions[i].name].is, &functions[i]);
	free(functions);
	if (!l->list)
		return error_memory(err);
	qsort_r(l->list, l->n, sizeof(*l->list), compare, (void *)(uintptr_t)tree->strings);
	return 0;
}

void source_lines_free(struct source_lines *l)
{
	free(l->list);
	*l = (struct source_lines){0};
}
