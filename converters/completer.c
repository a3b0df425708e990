/* SPDX-License-Identifier: MIT */
/*
 * completer.c - a program of the build that writes what shells complete: completer SHELL PROGRAM.
 *
 * In: bash or zsh; cpconv, cpprof or another program, whose usage is read from standard input. Out:
 * the script.
 */
#include <stdio.h>
#include <string.h>

#include "completion/completion.h"

static int read_program(struct completion *c, const char *program)
{
	if (strcmp(program, "cpconv") == 0)
		return completion_cpconv(c);
	if (strcmp(program, "cpprof") == 0)
		return completion_cpprof(c);
	*c = (struct completion){.program = program, .takes_program = true};
	return completion_usage(c, stdin);
}

static int write_script(const struct completion *c, const char *shell, struct error *err)
{
	struct out *o = out_open(NULL, err);

	if (!o)
		return -1;
	if (strcmp(shell, "bash") == 0)
		completion_bash(o, c);
	else
		completion_zsh(o, c);
	return out_close(o, true, err);
}

int main(int argc, char **argv)
{
	struct completion c;
	struct error err = {0};
	int status;

	if (argc != 3) {
		fputs("usage: completer bash|zsh PROGRAM\n", stderr);
		return 2;
	}
	status = read_program(&c, argv[2]) ? error_memory(&err) : 0;
	if (!status)
		status = write_script(&c, argv[1], &err);
	if (status)
		fprintf(stderr, "completer: %s\n", err.text);
	completion_free(&c);
	return status ? 1 : 0;
}
