/* SPDX-License-Identifier: MIT */
/*
 * explore_line.c - splits a command line of cpprof into words.
 */
#include "explore/explore.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A line that is being split. */
struct splitter {
	struct explore_line *line;
	const char *begin, *at, *end;
	char *to; /* where in line->bytes the next word goes */
	bool is_partial;
	bool wants_output; /* the next word is a file's name */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Copy the text of a quoted word. *at is behind its opening quote. */
static int take_quoted(struct splitter *s, char quote, struct error *err)
{
	while (s->at < s->end && *s->at != quote) {
		if (quote == '"' && *s->at == '\\' && s->at + 1 < s->end &&
		    (s->at[1] == '"' || s->at[1] == '\\'))
			s->at++;
		*s->to++ = *s->at++;
	}
	if (s->at == s->end)
		return s->is_partial ? 0 : error_set(err, "the closing %c is missing", quote);
	s->at++;
	s->line->last_quote = '\0';
	if (s->at < s->end && !is_blank(*s->at) && !s->is_partial)
		return error_set(
			err,
			"no blank after the closing %c; a name with quotes in it may stand "
			"in \"\" with \\ before each \"",
			quote);
	return 0;
}

static int take_text(struct splitter *s, struct error *err)
{
	char quote = *s->at;

	s->line->last_begin = (size_t)(s->at - s->begin);
	s->line->last_quote = '\0';
	if (quote == '"' || quote == '\'') {
		s->line->last_quote = quote;
		s->at++;
		return take_quoted(s, quote, err);
	}
	while (s->at < s->end && !is_blank(*s->at))
		*s->to++ = *s->at++;
	return 0;
}

static void skip_blanks(struct splitter *s)
{
	while (s->at < s->end && is_blank(*s->at))
		s->at++;
}

/* Copy the word behind a >, which names the output. */
static int take_output(struct splitter *s, struct error *err)
{
	struct explore_line *l = s->line;

	if (l->output)
		return error_set(err, "there are two outputs");
	skip_blanks(s);
	l->last_begin = (size_t)(s->at - s->begin);
	l->last_quote = '\0';
	l->last_is_output = true;
	if (s->at == s->end)
		return s->is_partial ? 0 : error_set(err, "no file is named after >");
	l->output = s->to;
	return take_text(s, err);
}

static int take_word(struct splitter *s, struct error *err)
{
	struct explore_line *l = s->line;

	if (*s->at == '>') {
		s->at++;
		return take_output(s, err);
	}
	if (!array_reserve(&l->words, &l->size, l->n + 2, sizeof(*l->words)) ||
	    !array_reserve(&l->begins, &l->begins_size, l->n + 1, sizeof(*l->begins)))
		return error_memory(err);
	l->begins[l->n] = (size_t)(s->at - s->begin);
	l->words[l->n++] = s->to;
	l->words[l->n] = NULL;
	l->last_is_output = false;
	return take_text(s, err);
}

/* All words together need n + 1 bytes at most: no word is longer than its text in the line, its NUL
 * takes the place of the blank or quote behind it, and the last word's NUL needs one byte more. */
static int split(struct explore_line *l, const char *text, size_t n, bool is_partial,
		 struct error *err)
{
	struct splitter s = {.line = l, .begin = text, .at = text, .end = text + n};

	*l = (struct explore_line){.bytes = malloc(n + 1)};
	if (!l->bytes || !array_reserve(&l->words, &l->size, 1, sizeof(*l->words)))
		return error_memory(err);
	l->words[0] = NULL;
	if (memchr(text, '\0', n))
		return error_set(err, "there is a NUL byte in the line");
	s.to = l->bytes;
	s.is_partial = is_partial;
	skip_blanks(&s);
	if (s.at < s.end && *s.at == '#')
		s.at = s.end;
	while (s.at < s.end) {
		if (take_word(&s, err))
			return -1;
		*s.to++ = '\0';
		if (s.at == s.end)
			return 0;
		skip_blanks(&s);
	}
	l->last_begin = n;
	l->last_is_output = false;
	return 0;
}

int explore_line_split(struct explore_line *l, const char *text, size_t n, struct error *err)
{
	return split(l, text, n, false, err);
}

int explore_line_split_partial(struct explore_line *l, const char *text, size_t n,
			       struct error *err)
{
	return split(l, text, n, true, err);
}

void explore_line_free(struct explore_line *l)
{
	free(l->words);
	free(l->begins);
	free(l->bytes);
	*l = (struct explore_line){0};
}

char *explore_line_rest(const struct explore_line *l, size_t first)
{
	size_t i, n = 1;
	char *text, *to;

	for (i = first; i < l->n; i++)
		n += strlen(l->words[i]) + 1;
	text = malloc(n);
	if (!text)
		return NULL;
	to = text;
	*to = '\0';
	for (i = first; i < l->n; i++) {
		if (i > first)
			*to++ = ' ';
		to = stpcpy(to, l->words[i]);
	}
	return text;
}
