/* SPDX-License-Identifier: MIT */
/*
 * explore_source_text.c - finds a source file and reads its lines.
 *
 * In: a path as the debug information has it. Out: text. On this machine the path may lead to
 * anything, such as a pipe or a device. So only regular files are read, and only up to the last
 * line needed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore/explore_source.h"

struct explore_source_text {
	FILE *file;
	char *path;
	uint32_t line; /* the number of the line that was read last */
	char *bytes;
	size_t size;
	ssize_t n;
};

/* Owns the path from now on. NULL if it leads to no regular file that can be read. */
static struct explore_source_text *try_path(char *path)
{
	int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	struct explore_source_text *t = calloc(1, sizeof(*t));
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
	return t;
}

/* For the path /a/b.c: try DIRECTORY/a/b.c, then DIRECTORY/b.c. */
static struct explore_source_text *try_below(const char *directory, const char *path)
{
	struct explore_source_text *t = NULL;
	char *name;

	while (!t && path) {
		path += strspn(path, "/");
		if (asprintf(&name, "%s%s%s", directory ? directory : "", directory ? "/" : "",
			     path) < 0)
			return NULL;
		t = try_path(name);
		path = strchr(path, '/');
	}
	return t;
}

struct explore_source_text *explore_source_text_open(const char *path, const char *directory)
{
	struct explore_source_text *t = directory ? try_below(directory, path) : NULL;

	if (!t)
		t = try_path(strdup(path));
	return t ? t : try_below(NULL, path);
}

void explore_source_text_close(struct explore_source_text *t)
{
	if (!t)
		return;
	fclose(t->file);
	free(t->path);
	free(t->bytes);
	free(t);
}

const char *explore_source_text_path(const struct explore_source_text *t)
{
	return t->path;
}

const char *explore_source_text_line(struct explore_source_text *t, uint32_t line, size_t *n)
{
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
