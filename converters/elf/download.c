/* SPDX-License-Identifier: MIT */
/*
 * download.c - gets files of modules from debuginfod servers.
 *
 * In: a build id. Out: a file in libdebuginfod's cache.
 *
 * A server that does not answer would be waited for once for each module. So the first time that nothing comes
 * for a while, no server is asked any more.
 */
#include "elf/download.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"
#define URLS	"DEBUGINFOD_URLS"
/* As libdebuginfod has it, this variable says for how many seconds nothing may come. */
#define TIMEOUT		"DEBUGINFOD_TIMEOUT"
#define TIMEOUT_SECONDS 15

typedef struct debuginfod_client client_type;
typedef int find_function(client_type *, const unsigned char *id, int bytes, char **path);
typedef int progress_function(client_type *, long done, long all);

static struct {
	bool is_begun, is_given_up;
	client_type *client; /* NULL: there are no servers, or no library */
	find_function *find_debug, *find_program;
	time_t seconds; /* for which nothing may come */
	void (*observer)(const char *text);
	/* Of the current download: */
	const char *name;
	long done;
	time_t since; /* when something came last */
	bool is_late;
} state;

void download_observe(void (*progress)(const char *text))
{
	state.observer = progress;
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* The library calls this several times a second while it waits. Another value than 0 ends the download. */
static int on_progress(client_type *client, long done, long all)
{
	char text[160];

	(void)client;
	if (done != state.done) {
		state.done = done;
		state.since = now();
	}
	state.is_late = now() - state.since >= state.seconds;
	if (state.is_late)
		return 1;
	if (!state.observer)
		return 0;
	if (all > 0 && done > 0)
		snprintf(text, sizeof(text), "downloading %s: %.1f of %.1f MB", state.name,
			 done / 1e6, all / 1e6);
	else
		snprintf(text, sizeof(text), "downloading %s", state.name);
	state.observer(text);
	return 0;
}

/* ---- the library ------------------------------------------------------------------------------- */

static bool load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	client_type *(*begin)(void);
	void (*set_progress)(client_type *, progress_function *);

	if (!library)
		return false;
	begin = (client_type * (*)(void)) dlsym(library, "debuginfod_begin");
	set_progress = (void (*)(client_type *, progress_function *))dlsym(
		library, "debuginfod_set_progressfn");
	state.find_debug = (find_function *)dlsym(library, "debuginfod_find_debuginfo");
	state.find_program = (find_function *)dlsym(library, "debuginfod_find_executable");
	if (!begin || !set_progress || !state.find_debug || !state.find_program)
		return false;
	state.client = begin();
	if (state.client)
		set_progress(state.client, on_progress);
	return state.client;
}

/* Whether there are servers that can be asked. */
static bool begin(struct error *warning)
{
	const char *urls = getenv(URLS), *timeout = getenv(TIMEOUT);

	if (state.is_begun || !urls || !*urls)
		return state.client;
	state.is_begun = true;
	state.seconds = timeout ? (time_t)strtoul(timeout, NULL, 10) : 0;
	if (state.seconds <= 0)
		state.seconds = TIMEOUT_SECONDS;
	if (load())
		return true;
	if (!warning->is_set)
		error_set(warning,
			  URLS " names servers, but " LIBRARY
			       ", which asks them, cannot be loaded (Debian: libdebuginfod1)");
	return false;
}

/* ---- a file ------------------------------------------------------------------------------------ */

static int give_up(int error, struct error *warning)
{
	state.is_given_up = true;
	if (warning->is_set)
		return 0;
	if (state.is_late || error == ETIME) /* the library has the same limit */
		error_set(warning,
			  "debuginfod: nothing came for %ld s, so no more files are asked for "
			  "(" URLS ", " TIMEOUT ")",
			  (long)state.seconds);
	else
		error_set(warning, "debuginfod: %s, so no more files are asked for (" URLS ")",
			  strerror(error));
	return 0;
}

int download_file(enum download_what what, const unsigned char *id, size_t bytes, const char *name,
		  char **path, struct error *warning)
{
	const char *slash = strrchr(name, '/');
	int fd;

	if (!bytes || state.is_given_up || !begin(warning))
		return 0;
	state.name = slash ? slash + 1 : name;
	state.done = 0;
	state.is_late = false;
	state.since = now();
	*path = NULL;
	fd = (what == DOWNLOAD_DEBUG ? state.find_debug : state.find_program)(state.client, id,
									      (int)bytes, path);
	if (fd >= 0) {
		close(fd);
		return *path ? 1 : -ENOMEM;
	}
	free(*path);
	if (fd == -ENOMEM)
		return fd;
	return fd == -ENOENT && !state.is_late ? 0 : give_up(-fd, warning);
}
