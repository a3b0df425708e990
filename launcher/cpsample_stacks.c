/* SPDX-License-Identifier: MIT */
/*
 * cpsample_stacks.c - writes what all threads of processes are in, for cpsample --stacks.
 *
 * In: cpsample-stacks [--form FORM] [--tree] PID|NAME... Out: text on standard output; a line on standard error for each
 * process of which that cannot be had, and status 125.
 *
 * Each process is looked at by a child of this one: what a file of the process leads to ends no more than that.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/line.h"
#include "launcher/limits.h"
#include "launcher/stack_text.h"
#include "launcher/which.h"

static struct {
	enum stack_form form;
	bool has_tree;
} options;

static void copy_python(struct snapshot *s, uint64_t until, void *context)
{
	python_stacks_copy(context, s, until);
}

static int fail(int pid, const char *why)
{
	line_say("cpsample: %d: %s", pid, why);
	return 125;
}

static int write_all(struct snapshot *s, const struct python_stacks *python)
{
	struct error err = {0};
	struct modules modules;
	struct stack_lines *lines;
	struct out *o = out_open(NULL, &err);
	bool is_written;

	modules_find_all(&modules, s->target);
	lines = o ? stack_lines_open(s, &modules, python, &err) : NULL;
	if (!lines)
		return fail(s->target->pid, err.text);
	is_written = stack_text_write(o, s, lines, options.form);
	stack_lines_close(lines);
	modules_release(&modules);
	if (!is_written)
		return fail(s->target->pid, "there is no memory for its stacks");
	return out_close(o, true, &err) ? fail(s->target->pid, err.text) : 0;
}

static int look(int pid)
{
	struct python_stacks python;
	struct snapshot snapshot;
	struct target t;
	int status;

	target_look(&t, pid);
	python_stacks_find(&python, &t);
	snapshot_take(&snapshot, &t, copy_python, &python);
	status = write_all(&snapshot, &python);
	snapshot_end(&snapshot);
	snapshot_free(&snapshot);
	python_stacks_free(&python);
	return status;
}

static bool look_in_child(int pid)
{
	int child, status = 0;

	fflush(stdout);
	child = fork();
	if (!child) {
		limits_set();
		exit(look(pid));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return fail(pid, "there is no process to look at it") == 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return fail(pid,
			    "its stacks cannot be had: its memory takes more than 5 s to read") ==
		       0;
	if (WIFSIGNALED(status))
		return fail(pid, "its stacks cannot be followed: what its files say ends the "
				 "program that does") == 0;
	return WEXITSTATUS(status) == 0;
}

static bool set_form(const char *name)
{
	static const char *const names[] = {"together", "each", "folded"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0) {
			options.form = (enum stack_form)i;
			return true;
		}
	return false;
}

static bool read_options(int argc, char **argv)
{
	static const struct option list[] = {
		{"form", required_argument, NULL, 'f'},
		{"tree", no_argument, NULL, 'T'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", list, NULL)) > 0) {
		if (c == 'T')
			options.has_tree = true;
		else if (c != 'f' || !set_form(optarg))
			return false;
	}
	return optind < argc;
}

int main(int argc, char **argv)
{
	struct which which = {0};
	bool is_whole = true;

	if (!read_options(argc, argv)) {
		fputs("usage: cpsample-stacks [--form together|each|folded] [--tree] PID|NAME...\n",
		      stderr);
		return 125;
	}
	which_find(&which, argv + optind, (size_t)(argc - optind), options.has_tree);
	for (size_t i = 0; i < which.n; i++) {
		if (i && options.form != STACK_FOLDED)
			puts("");
		is_whole &= look_in_child(which.pids[i]);
	}
	free(which.pids);
	return is_whole ? 0 : 125;
}
