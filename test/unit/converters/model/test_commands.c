/* SPDX-License-Identifier: MIT */
/*
 * test_commands.c - which argument tells a process's command from the others'.
 *
 * Seen to fail: with the first argument; with arguments of other programs counted; with the file in
 * /tmp; with the value of an option, as long as directories are; without directories that tell.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"

static struct strings *strings;

static uint32_t add(const char *text)
{
	return strings_add(strings, text, strlen(text));
}

/* A process of these words, of which the first is the program. */
static struct profile_process process(const char *line)
{
	static uint32_t args[20][16];
	static size_t used;
	struct profile_process p = {.started_as = STRINGS_NONE, .args = args[used++]};
	char *copy = strdup(line), *word, *rest;

	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		p.args[p.n_args++] = add(word);
	p.exe = p.n_args ? p.args[0] : STRINGS_NONE;
	p.file = add("x.cps");
	free(copy);
	return p;
}

Test(commands, told_apart)
{
	static const struct {
		const char *line, *want;
	} all[] = {
		{"/lib/cc1 -quiet -imultiarch x86_64-linux-gnu a.c -O2 -o /tmp/1.s", "cc1 a.c"},
		{"/lib/cc1 -quiet -imultiarch x86_64-linux-gnu b.c -O2 -o /tmp/2.s", "cc1 b.c"},
		{"/lib/cc1 -quiet -imultiarch x86_64-linux-gnu b.c -g -o /tmp/3.s", "cc1 b.c"},
		{"/lib/cc1 -MMD build/d.d -MQ build/d.o -D X lib/d.c", "cc1 d.c"},
		{"/lib/cc1 -MMD build/e.d -MQ build/e.o -D X lib/e.c", "cc1 lib/e.c"},
		{"/lib/cc1 -MMD build/f.d -MQ build/f.o -D X test/e.c", "cc1 test/e.c"},
		{"/bin/as -o a.o /tmp/1.s", "as a.o"},
		{"/bin/ld -o a.out a.o", "ld a.o"},
		{"/usr/bin/python3 -m http.server", "python3 http.server"},
		{"/bin/make -j2", "make -j2"},
		{"/bin/make", "make"},
		{"", "x.cps"},
	};
	enum { N = sizeof(all) / sizeof(*all) };
	struct profile_process list[N];
	uint32_t *names;

	strings = strings_new();
	for (size_t i = 0; i < N; i++)
		list[i] = process(all[i].line);
	names = commands_name(strings, list, N);
	cr_assert_not_null(names);
	for (size_t i = 0; i < N; i++)
		cr_expect_str_eq(strings_get(strings, names[i], NULL), all[i].want);
	free(names);
	strings_free(strings);
}
