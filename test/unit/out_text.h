/* SPDX-License-Identifier: MIT */
/*
 * out_text.h - what a test wrote to a struct out, as a string.
 */
#ifndef OUT_TEXT_H
#define OUT_TEXT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"

static char entered[64];

static void leave_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", entered);
	if (chdir("/") || system(command))
		perror(entered);
}

/* A directory for the test's files: the current one until the test ends. */
__attribute__((unused)) static void enter_new_directory(void)
{
	if (*entered)
		return;
	strcpy(entered, "/tmp/cpconv-test.XXXXXX");
	cr_assert(mkdtemp(entered));
	cr_assert_eq(chdir(entered), 0);
	atexit(leave_directory);
}

__attribute__((unused)) static char *text_of_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &room, '\0', f) < 0)
		*text = '\0';
	fclose(f);
	return text;
}

__attribute__((unused)) static struct out *open_text(void)
{
	struct error err;
	struct out *o;

	enter_new_directory();
	o = out_open("text", &err);
	cr_assert(o, "%s", err.text);
	return o;
}

/* Close, and compare. */
__attribute__((unused)) static void text_is(struct out *o, const char *want)
{
	struct error err;
	char *text;

	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	text = text_of_file("text");
	cr_assert(text);
	cr_assert_str_eq(text, want);
	free(text);
}

#endif
