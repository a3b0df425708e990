/* SPDX-License-Identifier: MIT */
/*
 * patterns.c - finds the names that a user's text means.
 */
#include <fnmatch.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/patterns.h"

/* ---- name match ------------------------------------------------------------------------------ */

#define OF_PATTERNS    "*?["
#define OF_EXPRESSIONS "*?[].(){}+|^$\\"

/* Whether the text means a name of n bytes. Returns 1 or 0, or -1 if memory is out. */
typedef int is_meant(const char *name, size_t n, const void *text);

/* A name is meant if either it or what it is shown as is. */
static int is_one_meant(const struct strings *s, uint32_t number, is_meant *test, const void *text)
{
	size_t n;
	const char *name = strings_get(s, number, &n);
	int meant = test(name, n, text);

	if (meant || strings_other(s, number) == number)
		return meant;
	name = strings_shown(s, number, &n);
	return test(name, n, text);
}

static int mark_all(struct name_match *m, is_meant *test, const void *text)
{
	int found = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		int meant;

		if (!(m->marks[i] & NAME_MATCH_NAME))
			continue;
		meant = is_one_meant(m->strings, i, test, text);
		if (meant < 0)
			return -1;
		if (!meant)
			continue;
		m->marks[i] |= m->mark;
		found = 1;
	}
	return found;
}

/* Mark the names that are equal to the text, or shown as it. Returns whether there is one. */
static bool name_match_whole(struct name_match *m, const char *text)
{
	uint32_t name = strings_find(m->strings, text, strlen(text));
	bool found = false;

	for (uint32_t i = 0; i < m->n && name != STRINGS_NONE; i++) {
		if (!(m->marks[i] & NAME_MATCH_NAME) ||
		    (i != name && strings_other(m->strings, i) != name))
			continue;
		m->marks[i] |= m->mark;
		found = true;
	}
	return found;
}

/* Whether the name is the text and the file that an interpreter has the function from: "main (p.py)". */
static int is_name_in_file(const char *name, size_t n, const void *text)
{
	size_t n_text = strlen(text), n_file;

	if (!n_text || n < n_text + 4 || memcmp(name, text, n_text) != 0 ||
	    memcmp(name + n_text, " (", 2) != 0 || name[n - 1] != ')')
		return 0;
	name += n_text + 2;
	n_file = n - n_text - 3;
	return memchr(name, '.', n_file) && !memchr(name, '(', n_file) &&
	       !memchr(name, ')', n_file) && !memchr(name, ' ', n_file);
}

/* Several files may have a function of that name. */
static size_t count_marked(const struct name_match *m)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += (m->marks[i] & m->mark) != 0;
	return n;
}

static enum name_match_way mark_in_files(struct name_match *m, const char *text)
{
	size_t before = count_marked(m);

	if (!mark_all(m, is_name_in_file, text))
		return NAME_MATCH_NOTHING;
	return count_marked(m) - before > 1 ? NAME_MATCH_PART : NAME_MATCH_WHOLE;
}

static int fits_pattern(const char *name, size_t n, const void *text)
{
	(void)n;
	return fnmatch(text, name, 0) == 0;
}

/* A name may contain any byte, so only its length tells where it ends. */
static int has_expression(const char *name, size_t n, const void *regex)
{
	regmatch_t whole = {0, (regoff_t)n};
	int rc = regexec(regex, name, 1, &whole, REG_STARTEND);

	return rc == REG_ESPACE ? -1 : rc == 0;
}

static int has_part(const char *name, size_t n, const void *text)
{
	return memmem(name, n, text, strlen(text)) != NULL;
}

/* Whether the whole text is in one pair of brackets: "[incomplete]", but not "[ab]c" or
 * "[a][b]". */
static bool is_in_brackets(const char *text)
{
	const char *close = *text == '[' ? strchr(text, ']') : NULL;

	return close && !close[1];
}

/* Whether the text is to be a pattern only, because as an expression it would mean all names. An
 * example is z* if no name begins with z. */
static bool is_vacuous(const char *text, const regex_t *regex)
{
	return !strpbrk(text, ".(){}+|^$\\") && has_expression("", 0, regex) == 1;
}

static enum name_match_way mark_expression(struct name_match *m, const char *text)
{
	regex_t regex;
	int rc;

	if (is_in_brackets(text) || !strpbrk(text, OF_EXPRESSIONS))
		return NAME_MATCH_NOTHING;
	rc = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);
	if (rc == REG_ESPACE)
		return NAME_MATCH_NO_MEMORY;
	if (rc) {
		regerror(rc, &regex, m->why, sizeof(m->why));
		return NAME_MATCH_WRONG;
	}
	rc = is_vacuous(text, &regex) ? 0 : mark_all(m, has_expression, &regex);
	regfree(&regex);
	if (rc < 0)
		return NAME_MATCH_NO_MEMORY;
	return rc ? NAME_MATCH_EXPRESSION : NAME_MATCH_NOTHING;
}

enum name_match_way name_match(struct name_match *m, const char *text)
{
	enum name_match_way way;

	if (name_match_whole(m, text))
		return NAME_MATCH_WHOLE;
	if (!*text)
		return NAME_MATCH_NOTHING;
	way = mark_in_files(m, text);
	if (way != NAME_MATCH_NOTHING)
		return way;
	if (strpbrk(text, OF_PATTERNS) && mark_all(m, fits_pattern, text))
		return NAME_MATCH_PATTERN;
	way = mark_expression(m, text);
	if (way != NAME_MATCH_NOTHING && way != NAME_MATCH_WRONG)
		return way;
	return mark_all(m, has_part, text) ? NAME_MATCH_PART : way;
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* Whether the text between `begin` and `at` ends with the word "operator". */
static bool is_operator(const char *begin, const char *at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	return (size_t)(at - begin) >= n && !memcmp(at - n, word, n) &&
	       ((size_t)(at - begin) == n || !is_word(at[-1 - (ptrdiff_t)n]));
}

/* Go one step through a value. Returns how many bytes belong together; *depth becomes the depth of
 * brackets after them. Some characters look like brackets but are not: those after the word
 * "operator", the arrow of Rust's types, and those after a backslash. */
static size_t step(const char *begin, const char *at, unsigned *depth)
{
	if (is_operator(begin, at) && strchr(",<>=-", *at))
		return *at == ',' ? 1 : strspn(at, "<>=-");
	if (!strncmp(at, "->", 2) || (*at == '\\' && at[1]))
		return 2;
	if (strchr("(<[{", *at))
		++*depth;
	else if (strchr(")>]}", *at) && *depth)
		--*depth;
	return 1;
}

/* Returns the first comma that is not inside brackets, or the end of the value. */
static const char *part_end(const char *value)
{
	const char *at = value;
	unsigned depth = 0;

	while (*at && (*at != ',' || depth || is_operator(value, at)))
		at += step(value, at, &depth);
	return at;
}

static int add(struct patterns *p, const char *text, size_t n, struct error *err)
{
	if (!array_reserve(&p->list, &p->size, p->n + 1, sizeof(*p->list)))
		return error_memory(err);
	p->list[p->n] = (struct pattern){.text = strndup(text, n)};
	return p->list[p->n].text ? (p->n++, 0) : error_memory(err);
}

int patterns_add(struct patterns *p, const char *value, struct error *err)
{
	size_t whole = p->n;
	const char *part = value, *end = part_end(value);

	if (*end && add(p, value, strlen(value), err))
		return -1;
	for (;; part = end + 1) {
		end = part_end(part);
		if (add(p, part, (size_t)(end - part), err))
			return -1;
		if (!*end)
			break;
	}
	if (p->n - whole > 1)
		p->list[whole].n_parts = p->n - whole - 1;
	p->n_values++;
	return 0;
}

void patterns_clear(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i].text);
	free(p->list);
	p->list = NULL;
	p->n = p->size = p->n_values = 0;
}

int patterns_copy(struct patterns *to, const struct patterns *from, struct error *err)
{
	const char *value;

	to->option = from->option;
	to->numbers_are_ids = from->numbers_are_ids;
	for (size_t i = 0; (value = patterns_value(from, i)); i++) {
		if (!patterns_add(to, value, err))
			continue;
		patterns_clear(to);
		return -1;
	}
	return 0;
}

const char *patterns_value(const struct patterns *p, size_t i)
{
	for (size_t at = 0; at < p->n; at += 1 + p->list[at].n_parts)
		if (i-- == 0)
			return p->list[at].text;
	return NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

bool patterns_is_file(const char *text)
{
	return strpbrk(text, "./") || strncmp(text, "lib", 3) == 0 || is_in_brackets(text);
}

/* Returns 1 if the part means files. */
static int mark_files(const struct patterns_files *files, struct pattern *part, struct error *err)
{
	int rc = files ? files->mark(files->context, part->text, err) : 0;

	part->matched |= rc == 1;
	return rc;
}

static int mark_by_name(const struct patterns *p, struct pattern *part, struct name_match *names,
			const struct patterns_files *files, struct error *err)
{
	enum name_match_way way = NAME_MATCH_NOTHING;
	int rc = 0;

	if (!p->numbers_are_ids || !is_number(part->text))
		way = name_match(names, part->text);
	if (way == NAME_MATCH_NO_MEMORY)
		return error_memory(err);
	if (way == NAME_MATCH_NOTHING || way == NAME_MATCH_WRONG)
		rc = patterns_is_file(part->text) ? 0 : mark_files(files, part, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (way == NAME_MATCH_WRONG)
		return error_usage(err, "%s: \"%s\" is no name, and not a regular expression: %s",
				   p->option, part->text, names->why);
	part->matched |= way != NAME_MATCH_NOTHING;
	return 0;
}

/* A name in brackets such as [kernel] also means the functions of the kernel that have names. */
static int mark_part(const struct patterns *p, struct pattern *part, struct name_match *names,
		     const struct patterns_files *files, struct error *err)
{
	bool is_file = patterns_is_file(part->text), is_whole;
	int rc = 0;

	if (files && files->are_names)
		rc = mark_files(files, part, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	is_whole = name_match_whole(names, part->text);
	part->matched |= is_whole;
	if (!is_whole && !*part->text)
		return error_usage(err, "%s: a name is empty", p->option);
	if (is_whole ? is_in_brackets(part->text) : is_file)
		rc = mark_files(files, part, err);
	if (rc || is_whole)
		return rc < 0 ? -1 : 0;
	return mark_by_name(p, part, names, files, err);
}

int patterns_match(struct patterns *p, const struct strings *s, unsigned char *marks, size_t n,
		   unsigned char mark, struct error *err)
{
	return patterns_match_or(p, s, marks, n, mark, NULL, err);
}

int patterns_match_or(struct patterns *p, const struct strings *s, unsigned char *marks, size_t n,
		      unsigned char mark, const struct patterns_files *files, struct error *err)
{
	struct name_match all = {.strings = s, .marks = marks, .n = n, .mark = mark};

	for (size_t i = 0; i < p->n; i++) {
		struct pattern *pattern = &p->list[i];

		if (!pattern->n_parts) {
			if (mark_part(p, pattern, &all, files, err))
				return -1;
		} else if (name_match_whole(&all, pattern->text)) {
			pattern->matched = true;
			i += pattern->n_parts;
		}
	}
	return 0;
}

bool patterns_has_number(struct patterns *p, uint64_t number)
{
	bool has = false;

	for (size_t i = 0; i < p->n; i++) {
		struct pattern *pattern = &p->list[i];

		if (!is_number(pattern->text) || strlen(pattern->text) > 19 ||
		    strtoull(pattern->text, NULL, 10) != number)
			continue;
		pattern->matched = has = true;
	}
	return has;
}

/* ---- values that have matched ---------------------------------------------------------------- */

bool patterns_matched(const struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].matched)
			return true;
	return false;
}

const char *patterns_unmatched(const struct patterns *p, size_t i)
{
	for (size_t at = 0; at < p->n; at++) {
		const struct pattern *pattern = &p->list[at];

		if (pattern->matched)
			at += pattern->n_parts;
		else if (!pattern->n_parts && i-- == 0)
			return pattern->text;
	}
	return NULL;
}

void patterns_forget(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->list[i].matched = false;
}

void patterns_join(struct patterns *p, const struct patterns *copy)
{
	for (size_t i = 0; i < p->n; i++)
		p->list[i].matched |= copy->list[i].matched;
}
