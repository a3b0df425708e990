/* SPDX-License-Identifier: MIT */
/*
 * symbols_options.h - the options of naming: which names are wanted, and where files are searched.
 *
 * In: the command line. Out: which parts of the debug information are needed.
 */
#ifndef SYMBOLS_OPTIONS_H
#define SYMBOLS_OPTIONS_H

#include <stdbool.h>

#include "elf/file_search.h"

/*
 * What a name stands for. By line and by address, two calls of a function in the same caller are
 * two arcs and make two call paths, which Hall & Goldberg call desirable in section 7.1.
 */
enum symbols_granularity {
	SYMBOLS_BY_FUNCTION, /* "f" */
	SYMBOLS_BY_MODULE,   /* "libc.so.6": the last part of its path */
	SYMBOLS_BY_LINE,     /* "f file.c:12": in a caller, the line of the call; "f" if unknown */
	SYMBOLS_BY_ADDRESS,  /* "f+0x1f": bytes from the function's start */
	/* "f+0x3000000004019": the number is another one for each address of each module. For programs
	 * only: it tells places in functions of the same name apart. */
	SYMBOLS_BY_CODE,
	/* "f 1f:12": the first number is another one for each path of a source file. For programs only: it tells
	 * files of the same name apart. */
	SYMBOLS_BY_SOURCE,
};

/* What names of C++ and Rust look like. TSV and JSON always have full ones, or the linker's. */
enum symbols_names {
	SYMBOLS_ANY,	/* nobody has asked: short for people, full for other programs */
	SYMBOLS_SHORT,	/* without what does not tell functions apart */
	SYMBOLS_FULL,	/* as the demangler writes them */
	SYMBOLS_LINKER, /* mangled */
};

struct symbols_options {
	int names;		   /* enum symbols_names */
	bool inlines;		   /* list inlined functions, if the debug information has them */
	bool lines;		   /* set the source lines of places, whatever the granularity */
	int granularity;	   /* enum symbols_granularity */
	bool code;		   /* ask for code, which packs have apart from names */
	struct file_search search; /* for modules and their debug files */
};

static inline bool symbols_wants_short(const struct symbols_options *opt)
{
	return opt->names == SYMBOLS_ANY || opt->names == SYMBOLS_SHORT;
}

/* The following functions say which parts of the debug information, and of packs, are needed. */
static inline bool symbols_wants_lines(const struct symbols_options *opt)
{
	return opt->lines || opt->granularity == SYMBOLS_BY_LINE ||
	       opt->granularity == SYMBOLS_BY_SOURCE || opt->granularity == SYMBOLS_BY_CODE;
}

static inline bool symbols_wants_code(const struct symbols_options *opt)
{
	return opt->code || opt->granularity == SYMBOLS_BY_CODE;
}

static inline bool symbols_wants_inlines(const struct symbols_options *opt)
{
	return opt->inlines &&
	       (opt->granularity == SYMBOLS_BY_FUNCTION || opt->granularity == SYMBOLS_BY_LINE ||
		opt->granularity == SYMBOLS_BY_SOURCE);
}

static inline bool symbols_wants_debug(const struct symbols_options *opt)
{
	return opt->granularity != SYMBOLS_BY_MODULE &&
	       (symbols_wants_inlines(opt) || symbols_wants_lines(opt));
}

#endif
