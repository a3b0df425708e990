/* SPDX-License-Identifier: MIT */
/* test_explore_line.c - cpprof's command lines, and how they can go on. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explore_edit.h"
#include "explore/explore.h"
#include "folded_text.h"
#include "profile_fixture.h"

/* The words in brackets, then > and the output. */
static const char *split(const char *text)
{
	static char shown[512];
	struct explore_line l;
	struct error err;
	char *to = shown;
	size_t i;

	if (explore_line_split(&l, text, strlen(text), &err)) {
		strcpy(shown, err.text);
	} else {
		*to = '\0';
		for (i = 0; i < l.n; i++)
			to += sprintf(to, "[%s]", l.words[i]);
		cr_assert_null(l.words[l.n]);
		if (l.output)
			sprintf(to, ">%s", l.output);
	}
	explore_line_free(&l);
	return shown;
}

Test(explore_line, blanks_separate_words)
{
	cr_assert_str_eq(split(""), "");
	cr_assert_str_eq(split(" \t\r\n"), "");
	cr_assert_str_eq(split("up  main\n"), "[up][main]");
	cr_assert_str_eq(split("\tup\tmain \r\n"), "[up][main]");
	cr_assert_str_eq(split("# up main"), "");
	cr_assert_str_eq(split("  #up"), "");
	cr_assert_str_eq(split("up #1"), "[up][#1]");
}

Test(explore_line, quotes_stand_around_words)
{
	cr_assert_str_eq(split("up \"a  b\""), "[up][a  b]");
	cr_assert_str_eq(split("up 'a \"b\" \\'"), "[up][a \"b\" \\]");
	cr_assert_str_eq(split("up \"a \\\"b\\\" \\\\ \\c\""), "[up][a \"b\" \\ \\c]");
	cr_assert_str_eq(split("\"\" ''"), "[][]");
	cr_assert_str_eq(split("up \">\" '# a'"), "[up][>][# a]");
	cr_assert_str_eq(split("up \"a"), "the closing \" is missing");
	cr_assert_str_eq(split("up 'a\\"), "the closing ' is missing");
	cr_assert_str_eq(split("up \"a\\"), "the closing \" is missing");
	cr_assert(strstr(split("up \"a\"b"), "no blank after the closing \""));
}

Test(explore_line, within_words_they_are_letters)
{
	cr_assert_str_eq(split("up operator\"\"_s it's a\\b x\"y z\""),
			 "[up][operator\"\"_s][it's][a\\b][x\"y][z\"]");
	cr_assert_str_eq(split("up vector<int> operator> a>b"),
			 "[up][vector<int>][operator>][a>b]");
}

Test(explore_line, output_is_named_behind_an_arrow)
{
	cr_assert_str_eq(split("flat > f"), "[flat]>f");
	cr_assert_str_eq(split("flat >f"), "[flat]>f");
	cr_assert_str_eq(split("flat >\"a b\"\n"), "[flat]>a b");
	cr_assert_str_eq(split("> f flat"), "[flat]>f");
	cr_assert_str_eq(split("flat >"), "no file is named after >");
	cr_assert_str_eq(split("flat >a >b"), "there are two outputs");
}

Test(explore_line, any_bytes_are_split_within_their_memory)
{
	static const char letters[] = "ab \t\"'\\>#\n";
	struct explore_line l;
	struct error err;
	char *text;
	int i, k, n;

	for (i = 0; i < 200000; i++) {
		n = rand() % 24;
		text = malloc((size_t)n + 1); /* a sanitizer sees the byte too many */
		for (k = 0; k < n; k++)
			text[k] = letters[rand() % (int)(sizeof(letters) - 1)];
		if (!explore_line_split(&l, text, (size_t)n, &err))
			for (size_t word = 0; word < l.n; word++)
				cr_assert_leq(strlen(l.words[word]), (size_t)n);
		explore_line_free(&l);
		if (!explore_line_split_partial(&l, text, (size_t)n, &err))
			cr_assert_leq(l.last_begin, (size_t)n);
		else
			cr_assert_str_eq(err.text, "there are two outputs");
		explore_line_free(&l);
		free(text);
	}
}

/* ---- completion --------------------------------------------------------------------------------- */

static struct explore e;
static struct explore_profile profile;

static void begin(void)
{
	options_init(&e.options);
	profile.analysis.profile = profile_of("main;qsort 3\n"
					      "main;quick sort 2\n"
					      "main;operator new(unsigned long) 1\n"
					      "main;say \"hi\" 1\n"
					      "main;it's 1\n"
					      "main;a  b 1\n"
					      "main;\xc3\xa9t\xc3\xa9 1\n"
					      "main;\xc3\xa8re 1\n"
					      "main;bad\x01name 1\n");
	e.profiles = &profile;
	e.n = 1;
}

static void end(void)
{
	explore_names_free(&profile.names);
	analysis_free(&profile.analysis);
}

/* The line as it is then, | and what is offered, if it is several. */
static const char *completed(const char *line)
{
	static char shown[2048];
	struct explore_completion c;
	char *to = shown;
	size_t i;

	explore_complete(&e, line, strlen(line), &c);
	to += sprintf(to, "%.*s%s", (int)c.begin, line, c.text ? c.text : "");
	for (i = 0; c.n > 1 && i < c.n; i++)
		to += sprintf(to, "|%s", c.list[i]);
	if (c.n == 0)
		strcpy(shown, "nothing");
	explore_completion_free(&c);
	return shown;
}

TestSuite(explore_complete, .init = begin, .fini = end);

Test(explore_complete, commands)
{
	cr_assert_str_eq(completed("fla"), "flat ");
	cr_assert_str_eq(completed("  fla"), "  flat ");
	cr_assert_str_eq(completed("call"), "call|callees|callers|callgraph|callgrind");
	cr_assert_str_eq(completed("help fla"), "help flat ");
	cr_assert_str_eq(completed("xyzzy"), "nothing");
	cr_assert_str_eq(completed("xyzzy m"), "nothing");
	cr_assert_str_eq(completed("flat m"), "nothing");
}

Test(explore_complete, functions)
{
	cr_assert_str_eq(completed("up ma"), "up main ");
	cr_assert_str_eq(completed("up q"), "up q|qsort|quick sort");
	cr_assert_str_eq(completed("up op"), "up operator new ");
	cr_assert_str_eq(completed("up operator n"), "up operator new ");
	cr_assert_str_eq(completed("up \"operator n"), "up \"operator new\" ");
	cr_assert_str_eq(completed("up 'operator n"), "up 'operator new' ");
	cr_assert_str_eq(completed("up --depth 3 operator n"), "up --depth 3 operator new ");
	cr_assert_str_eq(completed("callees \xc3\xa9"), "callees \xc3\xa9t\xc3\xa9 ");
	cr_assert_str_eq(completed("tree bad"), "nothing", "control characters cannot be typed");
}

Test(explore_complete, names_that_need_quotes_get_them)
{
	cr_assert_str_eq(completed("up say"), "up \"say \\\"hi\\\"\" ");
	cr_assert_str_eq(completed("up \"say \\\"h"), "up \"say \\\"hi\\\"\" ");
	cr_assert_str_eq(completed("up a"), "up \"a  b\" ");
	cr_assert_str_eq(completed("up it"), "up it's ");
	cr_assert_str_eq(completed("up 'it"), "up \"it's\" ");
}

Test(explore_complete, what_is_common_ends_with_a_character)
{
	/* Both begin with the byte c3. */
	cr_assert_str_eq(completed("up \xc3"), "up |\xc3\xa8re|\xc3\xa9t\xc3\xa9");
}

Test(explore_complete, options_and_values)
{
	cr_assert_str_eq(completed("flat --ts"), "flat --tsv ");
	cr_assert_str_eq(completed("flat --unit g"), "flat --unit gticks ");
	cr_assert_str_eq(completed("flat --pi"), "nothing", "a command cannot take it");
	cr_assert_str_eq(completed("flat --wr"), "nothing", "it has no effect on flat");
	cr_assert_str_eq(completed("dot --wr"), "dot --wrap ");
	cr_assert_str_eq(completed("down --perc"), "down --percent ");
	cr_assert_str_eq(completed("unit s"), "unit samples ");
	cr_assert_str_eq(completed("set un"), "set unit ");
	cr_assert_str_eq(completed("set unit s"), "set unit samples ");
	cr_assert_str_eq(completed("focus qs"), "focus qsort ");
	cr_assert_str_eq(completed("tree --focus qs"), "tree --focus qsort ");
	cr_assert_str_eq(completed("resources sam"), "resources samples ");
}

/* Filters take the libraries that functions are in, once each. Seen to fail: "nothing". */
Test(explore_complete, libraries)
{
	struct build b;

	end();
	profile = (struct explore_profile){0};
	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	build_module(&b, 1, "/bin/prog", "", 0);
	build_module(&b, 2, "/lib/libc.so.6", "", 0);
	build_module(&b, 3, "/lib/libunused.so", "", 0);
	build_sample(&b, 1, "011002200230");
	build_end(&b);
	profile.analysis.profile = build_finish(&b);
	cr_assert_str_eq(completed("focus lib"), "focus libc.so.6 ");
	cr_assert_str_eq(completed("collapse pr"), "collapse prog ");
	cr_assert_str_eq(completed("flat --hide lib"), "flat --hide libc.so.6 ");
	cr_assert_str_eq(completed("callers lib"), "nothing");
	cr_assert_str_eq(completed("to "), "to off ");
}

/* What is completed is understood: the function is found by what stands there. */
Test(explore_complete, gives_back_the_name)
{
	const struct explore_names *names;
	struct error err;
	size_t i;

	names = explore_functions(&e, &e.options, &err);
	cr_assert(names);
	for (i = 0; i < names->n; i++) {
		const char *name = explore_names_get(names, i);
		struct explore_completion c;
		struct explore_line l;
		char line[128], *rest;

		if (strchr(name, '\x01'))
			continue;
		snprintf(line, sizeof(line), "up %s", name);
		if (strchr(name, '"') || strstr(name, "  "))
			snprintf(line, sizeof(line), "up %.3s", name);
		explore_complete(&e, line, strlen(line), &c);
		cr_assert_eq(c.n, 1, "%s", line);
		snprintf(line + c.begin, sizeof(line) - c.begin, "%s", c.text);
		cr_assert_eq(explore_line_split(&l, line, strlen(line), &err), 0, "%s", err.text);
		rest = explore_line_rest(&l, 1);
		cr_assert_str_eq(rest, name);
		free(rest);
		explore_line_free(&l);
		explore_completion_free(&c);
	}
}
