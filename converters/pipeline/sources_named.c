/* SPDX-License-Identifier: MIT */
/*
 * sources_named.c - replaces directories and lists of names by the files that they stand for.
 *
 * In: names of files and directories, lists of names. Out: names of files.
 */
#include "pipeline/missing.h"
#include "pipeline/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/decode.h"

/* The list owns the name from now on, also after an error. A name of NULL means that there was no
 * memory to copy it. */
static int add_name(struct sources_named *g, char *name, struct error *err)
{
	if (!name || !array_reserve(&g->list, &g->size, g->n + 1, sizeof(*g->list))) {
		free(name);
		return error_memory(err);
	}
	g->list[g->n++] = name;
	return 0;
}

void sources_named_free(struct sources_named *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->list[i]);
	free(g->list);
	*g = (struct sources_named){0};
}

/* ---- directories ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Add the entry of the directory if it is a recording. */
static int add_entry(struct sources_named *g, const char *directory, const char *entry,
		     struct error *err)
{
	size_t n = strlen(directory);
	struct stat st;
	char *name;

	while (n > 1 && directory[n - 1] == '/')
		n--;
	if (asprintf(&name, "%.*s%s%s", (int)n, directory, directory[n - 1] == '/' ? "" : "/",
		     entry) < 0)
		return error_memory(err);
	if (sources_is_recording(name, &st))
		return add_name(g, name, err);
	free(name);
	return 0;
}

static int add_directory(struct sources_named *g, const char *name, DIR *directory,
			 struct error *err)
{
	size_t before = g->n;
	struct dirent *entry;
	int status = 0;

	while (!status && (entry = readdir(directory)))
		status = add_entry(g, name, entry->d_name, err);
	if (status)
		return -1;
	if (g->n == before)
		return error_set(err,
				 "%s: no *.cps file in this directory (a program that used less "
				 "than a tick leaves none)",
				 name);
	qsort(g->list + before, g->n - before, sizeof(*g->list), compare);
	return 0;
}

int sources_named_add(struct sources_named *g, const char *name, struct error *err)
{
	DIR *directory;
	struct stat st;
	bool is_there = !strcmp(name, "-") || stat(name, &st) == 0;
	int status;

	if (!is_there && errno == ENOENT)
		return missing_file(name, err);
	if (!strcmp(name, "-") || !is_there || !S_ISDIR(st.st_mode))
		return add_name(g, strdup(name), err);
	directory = opendir(name);
	if (!directory)
		return error_set(err, "%s: %s", name, strerror(errno));
	status = add_directory(g, name, directory, err);
	closedir(directory);
	return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The whole file, with a NUL byte after its last byte. NULL: out of memory, or it cannot be
 * read. */
static char *read_all(const char *name, FILE *file, size_t *n, struct error *err)
{
	size_t size = 0, got = 1;
	char *text = NULL;

	for (*n = 0; got; *n += got) {
		if (!array_reserve(&text, &size, *n + 4096, 1)) {
			free(text);
			error_memory(err);
			return NULL;
		}
		got = fread(text + *n, 1, size - *n - 1, file);
	}
	text[*n] = '\0';
	if (!ferror(file))
		return text;
	error_set(err, "%s: %s", name, strerror(errno));
	free(text);
	return NULL;
}

static int add_names(struct sources_named *g, const char *file, char *text, size_t n,
		     struct error *err)
{
	const char end = memchr(text, '\0', n) ? '\0' : '\n';
	char *stop;

	if (n && decode_stream.detect((const unsigned char *)text, n))
		return error_set(
			err, "%s: a recording, not a list of names; name it without --files-from",
			file);
	for (char *name = text; name < text + n; name = stop + 1) {
		stop = memchr(name, end, (size_t)(text + n - name));
		if (!stop)
			stop = text + n;
		*stop = '\0';
		if (*name && sources_named_add(g, name, err))
			return -1;
	}
	return g->n ? 0 : error_set(err, "%s: names no file", file);
}

int sources_named_add_list(struct sources_named *g, const char *file, struct error *err)
{
	const char *name = strcmp(file, "-") ? file : "standard input";
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	char *text;
	size_t n;
	int status = -1;

	if (!f)
		return error_set(err, "%s: %s", name, strerror(errno));
	text = read_all(name, f, &n, err);
	if (text)
		status = add_names(g, name, text, n, err);
	free(text);
	if (f != stdin)
		fclose(f);
	return status;
}
