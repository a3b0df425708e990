/* SPDX-License-Identifier: MIT */
/*
 * caption_command.c - writes the command line of a process.
 *
 * In: a process of the profile. Out: text of one line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/caption.h"

#define COMMAND_BYTES 400 /* of a command line in a heading; --info has all of it */

/* Write the bytes with a space for all of white space that has more in it than spaces. */
static void put_line(FILE *f, const char *bytes, size_t n)
{
	size_t i, end;

	for (i = 0; i < n; i = end) {
		bool has_more = false;

		for (end = i; end < n && isspace((unsigned char)bytes[end]); end++)
			has_more |= bytes[end] != ' ';
		if (end == i)
			end++;
		if (has_more)
			fputc(' ', f);
		else
			fwrite(bytes + i, 1, end - i, f);
	}
}

/* An argument is written in quotes if a shell would split or expand it. */
static void put_argument(FILE *f, const char *bytes, size_t n, bool in_a_line)
{
	bool quote = n == 0 || memchr(bytes, ' ', n) || memchr(bytes, '\'', n);

	fputs(quote ? "\"" : "", f);
	if (in_a_line)
		put_line(f, bytes, n);
	else
		fwrite(bytes, 1, n, f);
	fputs(quote ? "\"" : "", f);
}

static void put_command(FILE *f, const struct profile *p, const struct profile_process *process,
			bool in_a_line)
{
	const char *bytes;
	size_t i, n;

	for (i = 0; i < process->n_args; i++) {
		fputs(i ? " " : "", f);
		bytes = strings_get(p->strings, process->args[i], &n);
		put_argument(f, bytes, n, in_a_line);
	}
	if (process->n_args > 0)
		return;
	if (process->exe == STRINGS_NONE)
		return;
	bytes = strings_get(p->strings, process->exe, &n);
	fwrite(bytes, 1, n, f);
}

/* Cut a command line of n bytes that is too long for a heading, between two characters. Returns the length. */
static size_t shorten(char *text, size_t n)
{
	static const char mark[] = " ...";
	size_t end = COMMAND_BYTES;

	if (n < COMMAND_BYTES + sizeof(mark))
		return n;
	while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	memcpy(text + end, mark, sizeof(mark));
	return end + sizeof(mark) - 1;
}

void caption_command(struct out *o, const struct profile *p, const struct profile_process *process,
		     int column)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return;
	put_command(f, p, process, column > 0);
	if (fclose(f) == 0 && column)
		out_line_fit(o, text, shorten(text, n), column);
	else if (text)
		out_name(o, text, n);
	free(text);
}
