/* SPDX-License-Identifier: MIT */
/*
 * explore_list.c - writes a list of names in columns.
 *
 * In: names. Out: lines as wide as the terminal.
 */
#include "explore/explore_edit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

#define SHOWN 100u
#define GAP   2u

static size_t terminal_width(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/* How many columns of the terminal a name takes. If it is no text in the user's encoding, its bytes
 * are counted. */
static size_t columns_of(const char *name)
{
	wchar_t *wide = calloc(strlen(name) + 1, sizeof(*wide));
	int columns = -1;

	if (wide && mbstowcs(wide, name, strlen(name) + 1) != (size_t)-1)
		columns = wcswidth(wide, strlen(name));
	free(wide);
	return columns < 0 ? strlen(name) : (size_t)columns;
}

void explore_list(FILE *out, char *const *names, size_t n)
{
	size_t shown = n < SHOWN ? n : SHOWN, widest = 0, columns, lines, i, k;

	for (i = 0; i < shown; i++)
		if (columns_of(names[i]) > widest)
			widest = columns_of(names[i]);
	columns = (terminal_width(out) + GAP - 1) / (widest + GAP);
	if (columns == 0)
		columns = 1;
	lines = (shown + columns - 1) / columns;
	fputc('\n', out);
	for (i = 0; i < lines; i++) {
		for (k = i; k < shown; k += lines)
			fprintf(out, "%s%*s", names[k],
				k + lines < shown ? (int)(widest + GAP - columns_of(names[k])) : 0,
				"");
		fputc('\n', out);
	}
	if (shown < n)
		fprintf(out, "and %zu more\n", n - shown);
	fflush(out);
}
