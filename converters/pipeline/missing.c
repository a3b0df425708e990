/* SPDX-License-Identifier: MIT */
/*
 * missing.c - says what could have been meant by a file that is not there.
 *
 * In: its name. Out: text for an error message: the view of that name, or recordings beside it.
 */
#include "pipeline/missing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libsampler/format.h"
#include "view/view.h"

#define SHOWN 3

static int is_recording(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name), suffix = strlen(CPS_SUFFIX);

	return n > suffix && strcmp(entry->d_name + n - suffix, CPS_SUFFIX) == 0;
}

static void append_recordings(const char *directory, struct error *err)
{
	struct dirent **list;
	int n = scandir(directory, &list, is_recording, alphasort);

	for (int i = 0; i < n; i++) {
		if (i < SHOWN)
			error_append(err, "%s %.100s",
				     i ? "," : "; recordings there:", list[i]->d_name);
		free(list[i]);
	}
	if (n > SHOWN)
		error_append(err, ", ...");
	if (n >= 0)
		free(list);
}

int missing_file(const char *name, struct error *err)
{
	const char *slash = strrchr(name, '/');
	char *directory = slash ? strndup(name, (size_t)(slash - name + 1)) : strdup(".");

	error_set(err, "%s: %s", name, strerror(ENOENT));
	if (view_find(name))
		error_append(err, "; the view is --%s", name);
	else if (directory)
		append_recordings(directory, err);
	free(directory);
	return -1;
}
