/* SPDX-License-Identifier: MIT */
/*
 * commands.c - chooses the argument of each process that tells its command from the others'.
 *
 * In: the processes of a profile. Out: a text for each.
 */
#include "model/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/pair_table.h"

#define COMMAND_MOST 1000 /* bytes of an argument, such as a script's text */

/* ---- how many processes of a program have an argument ---------------------------------------- */

struct use {
	uint32_t count, last; /* processes that have the argument; the latest of them + 1 */
};

struct commands {
	struct strings *strings;
	struct pair_table *places; /* (program, argument) -> index of `uses` */
	struct use *uses;
	size_t size;
};

static int commands_begin(struct commands *c, struct strings *strings)
{
	*c = (struct commands){.strings = strings, .places = calloc(1, sizeof(*c->places))};
	return c->places ? 0 : -1;
}

static void commands_end(struct commands *c)
{
	if (c->places)
		pair_table_clear(c->places);
	free(c->places);
	free(c->uses);
}

static int grow(struct commands *c, size_t needed)
{
	size_t larger = c->size ? 2 * c->size : 64;
	struct use *uses;

	if (needed <= c->size)
		return 0;
	uses = reallocarray(c->uses, larger, sizeof(*uses));
	if (!uses)
		return -1;
	memset(uses + c->size, 0, (larger - c->size) * sizeof(*uses));
	c->uses = uses;
	c->size = larger;
	return 0;
}

/* The place of an argument of a program. UINT32_MAX: memory. */
static uint32_t place_of(struct commands *c, uint32_t program, uint32_t argument)
{
	uint32_t place = pair_table_number(c->places, program, argument);

	return place != PAIR_TABLE_NONE && !grow(c, (size_t)place + 1) ? place : UINT32_MAX;
}

/* A process may have the same argument twice. The program itself is counted at STRINGS_NONE. */
static int count(struct commands *c, const struct profile_process *p, uint32_t program, size_t i)
{
	for (size_t k = 0; k == 0 || k < p->n_args; k++) {
		uint32_t place = place_of(c, program, k ? p->args[k] : STRINGS_NONE);

		if (place == UINT32_MAX)
			return -1;
		if (c->uses[place].last != i + 1)
			c->uses[place].count++;
		c->uses[place].last = (uint32_t)(i + 1);
	}
	return 0;
}

/* ---- the one that tells most ----------------------------------------------------------------- */

enum looks {
	LOOKS_LIKE_A_FILE,
	LOOKS_LIKE_ANYTHING,
	LOOKS_LIKE_A_VALUE, /* of the option before */
	LOOKS_PASSING,	    /* a temporary file, or the value of -o */
	LOOKS_LIKE_AN_OPTION,
};

static enum looks looks_of(const struct commands *c, const struct profile_process *p, size_t k)
{
	size_t n;
	const char *before = strings_get(c->strings, p->args[k - 1], NULL);
	const char *text = strings_get(c->strings, p->args[k], &n);

	if (!n || *text == '-')
		return LOOKS_LIKE_AN_OPTION;
	if (strncmp(text, "/tmp/", 5) == 0 || strcmp(before, "-o") == 0)
		return LOOKS_PASSING;
	if (*before == '-')
		return LOOKS_LIKE_A_VALUE;
	return strpbrk(text, "./ ") ? LOOKS_LIKE_A_FILE : LOOKS_LIKE_ANYTHING;
}

/* The lower, the more an argument tells. One that all processes of the program have tells nothing, nor
 * does the name of a temporary file; an option only tells if nothing else does. */
static uint64_t rank_of(const struct commands *c, const struct profile_process *p, size_t k,
			uint32_t others, uint32_t all)
{
	enum looks looks = looks_of(c, p, k);
	bool tells = others < all && looks != LOOKS_PASSING;
	uint64_t kind = !tells ? 2 : looks == LOOKS_LIKE_AN_OPTION ? 1 : 0;

	return kind << 40 | (uint64_t)(tells ? others : 0) << 8 | looks;
}

/* The index of the argument; 0: there is none. `all` is how many processes the program has. */
static size_t choose(struct commands *c, const struct profile_process *p, uint32_t program,
		     uint32_t all)
{
	uint64_t best = UINT64_MAX;
	size_t chosen = 0;

	for (size_t k = 1; k < p->n_args; k++) {
		uint32_t place = place_of(c, program, p->args[k]);
		uint64_t rank = place == UINT32_MAX ? UINT64_MAX
						    : rank_of(c, p, k, c->uses[place].count, all);

		if (rank >= best)
			continue;
		chosen = k;
		best = rank;
	}
	return chosen;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* An argument and the part of it that is shown, which is all of it or a file without its directory. */
struct part {
	const char *text;
	size_t length;
	uint32_t argument, file; /* STRINGS_NONE: there is none */
};

static struct part part_of(struct commands *c, const struct profile_process *p, uint32_t program)
{
	uint32_t place = place_of(c, program, STRINGS_NONE);
	size_t k = place == UINT32_MAX ? 0 : choose(c, p, program, c->uses[place].count);
	struct part part = {.argument = k ? p->args[k] : STRINGS_NONE, .file = STRINGS_NONE};
	const char *slash;

	if (!k)
		return part;
	part.text = strings_get(c->strings, part.argument, &part.length);
	slash = memrchr(part.text, '/', part.length);
	if (slash && slash + 1 < part.text + part.length && *part.text != '-' &&
	    !memchr(part.text, ' ', part.length))
		part.file = strings_add(c->strings, slash + 1,
					part.length - (size_t)(slash + 1 - part.text));
	return part;
}

/* Count the arguments that are shown, by their files' names. */
static int count_files(struct commands *files, struct part *parts, const uint32_t *programs,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t place;

		if (parts[i].file == STRINGS_NONE)
			continue;
		place = place_of(files, programs[i], parts[i].file);
		if (place == UINT32_MAX)
			return -1;
		/* `last` is the first argument of that name, `count` is more than 1 if another one has it. */
		if (!files->uses[place].count)
			files->uses[place] = (struct use){1, parts[i].argument};
		else if (files->uses[place].last != parts[i].argument)
			files->uses[place].count = 2;
	}
	return 0;
}

/* A file's directory is left out if no other file of that name is an argument of the program. */
static void leave_out_directory(struct commands *files, struct part *part, uint32_t program)
{
	uint32_t place;

	if (part->file == STRINGS_NONE)
		return;
	place = place_of(files, program, part->file);
	if (place != UINT32_MAX && files->uses[place].count == 1)
		part->text = strings_get(files->strings, part->file, &part->length);
}

static uint32_t command_text(struct strings *strings, const struct part *part, uint32_t program)
{
	size_t n, more = part->length < COMMAND_MOST ? part->length : COMMAND_MOST;
	const char *name = strings_get(strings, program, &n);
	char *text;
	uint32_t number;

	if (part->argument == STRINGS_NONE)
		return program;
	text = malloc(n + 1 + more);
	if (!text)
		return STRINGS_NONE;
	memcpy(text, name, n);
	text[n] = ' ';
	memcpy(text + n + 1, part->text, more);
	for (char *at = text; (at = memchr(at, '\n', n + 1 + more - (size_t)(at - text)));)
		*at = ' ';
	number = strings_add(strings, text, n + 1 + more);
	free(text);
	return number;
}

/* The names of programs become those of commands. */
static int name_all(struct commands *c, const struct profile_process *processes, size_t n,
		    uint32_t *names)
{
	struct commands files;
	struct part *parts = calloc(n + 1, sizeof(*parts));
	bool ok = !commands_begin(&files, c->strings) && parts;

	for (size_t i = 0; ok && i < n; i++)
		parts[i] = part_of(c, &processes[i], names[i]);
	ok = ok && !count_files(&files, parts, names, n);
	for (size_t i = 0; ok && i < n; i++) {
		leave_out_directory(&files, &parts[i], names[i]);
		names[i] = command_text(c->strings, &parts[i], names[i]);
		ok = names[i] != STRINGS_NONE;
	}
	commands_end(&files);
	free(parts);
	return ok ? 0 : -1;
}

/* The program's name, or that of the input if no program is known. */
static uint32_t program_of(struct commands *c, const struct profile_process *p)
{
	const struct event_text name = profile_program_of(c->strings, p);

	return name.length ? strings_add(c->strings, name.bytes, name.length) : p->file;
}

uint32_t *commands_name(struct strings *strings, const struct profile_process *processes, size_t n)
{
	uint32_t *names = calloc(n + 1, sizeof(*names));
	struct commands c;
	bool ok = !commands_begin(&c, strings) && names;

	for (size_t i = 0; ok && i < n; i++) {
		names[i] = program_of(&c, &processes[i]);
		ok = names[i] != STRINGS_NONE && !count(&c, &processes[i], names[i], i);
	}
	ok = ok && !name_all(&c, processes, n, names);
	commands_end(&c);
	if (ok)
		return names;
	free(names);
	return NULL;
}
