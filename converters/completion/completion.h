/* SPDX-License-Identifier: MIT */
/*
 * completion.h - what a shell has to know of a program in order to complete its command line.
 *
 * In: the tables of options and views, or the usage that the program prints. Out: a script for bash
 * or zsh. Only the build uses this; neither cpconv nor cpprof holds it.
 */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "write/out.h"

/* What the value of an option is. */
enum completion_value {
	COMPLETION_NOTHING, /* the option takes no value */
	COMPLETION_ANY,	    /* nothing that could be offered */
	COMPLETION_WORDS,   /* one of a few words */
	COMPLETION_FILE,
	COMPLETION_DIRECTORY,
};

struct completion_option {
	char letter;	/* 0: none */
	char name[32];	/* without --; empty: none */
	char label[32]; /* of the value, as --help has it */
	char help[128];
	enum completion_value value;
	char words[256]; /* with a blank between them */
	char views[256]; /* that obey the option, with a blank between them; empty: all */
	bool is_view;	 /* the option chooses the view of that name */
};

/* Begins as all zero. */
struct completion {
	const char *program;
	struct completion_option *options;
	size_t n, size;
	bool has_views;	    /* some options choose a view */
	bool takes_program; /* what follows the options is a command line; otherwise it is files */
};

/* -1: memory. */
int completion_cpconv(struct completion *c);
int completion_cpprof(struct completion *c);
/* Of a program that prints lines such as "  -c, --clock C      what ticks: timer, perf". */
int completion_usage(struct completion *c, FILE *usage);
void completion_free(struct completion *c);

/* Another option, all zero; NULL: memory. */
struct completion_option *completion_add(struct completion *c);

void completion_bash(struct out *o, const struct completion *c);
void completion_zsh(struct out *o, const struct completion *c);

#endif
