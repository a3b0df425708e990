/* SPDX-License-Identifier: MIT */
/*
 * short_names.c - shows names of C++ and Rust shortly, and no two functions alike.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/demangle.h"
#include "symbols/short_names.h"

/* ---- short text ------------------------------------------------------------------------------ */

/* Find the open bracket that a closing one belongs to. Brackets that were opened after it have no
 * partner, because "<" may be an operator. Returns n_open if there is no such bracket. */
static size_t partner_of(const char *name, size_t i, const size_t *open, size_t n_open)
{
	size_t k = n_open;

	if (name[i] == '>')
		return k > 0 && name[open[k - 1]] == '<' ? k - 1 : n_open;
	while (k > 0 && name[open[k - 1]] != '(')
		k--;
	return k > 0 ? k - 1 : n_open;
}

/* For each opening bracket in the name, find where its partner is; 0: it has none. The ">" of an
 * arrow is no bracket. */
static size_t *find_partners(const char *name, size_t n)
{
	size_t *partner = calloc(n + 1, sizeof(*partner));
	size_t *open = calloc(n + 1, sizeof(*open)), n_open = 0, i, k;

	for (i = 0; partner && open && i < n; i++) {
		if (name[i] == '(' || name[i] == '<')
			open[n_open++] = i;
		if (name[i] != ')' && (name[i] != '>' || (i > 0 && name[i - 1] == '-')))
			continue;
		k = partner_of(name, i, open, n_open);
		if (k < n_open)
			partner[open[k]] = i;
		else if (name[i] == ')')
			k = 0; /* nothing that is open can be closed beyond this */
		n_open = k;
	}
	if (!open) {
		free(partner);
		partner = NULL;
	}
	free(open);
	return partner;
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	size_t length = strlen(end);

	return n >= length && memcmp(text + n - length, end, length) == 0;
}

static bool begins_with(const char *text, size_t n, const char *begin)
{
	size_t length = strlen(begin);

	return n >= length && memcmp(text, begin, length) == 0;
}

/* Whether these brackets hold arguments or parameters of the name that has been written before
 * them. */
static bool is_of(const char *before, size_t n, char bracket)
{
	unsigned char last = n ? (unsigned char)before[n - 1] : 0;

	if (ends_with(before, n, "operator"))
		return false;
	if (bracket == '<' && ends_with(before, n, "::"))
		return n > 2; /* Rust's f::<T> */
	if (bracket == '<' && ends_with(before, n, "< "))
		return true; /* operator< <T> */
	return last && (isalnum(last) || last >= 0x80 || strchr("_)>}]~<=+-*/%^&|!,", last));
}

/* The number of bytes that qualifiers take after a function's arguments. */
static size_t qualifiers(const char *text, size_t n)
{
	static const char *const known[] = {" const", " volatile", " &&", " &", " noexcept"};
	size_t done = 0, i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (begins_with(text + done, n - done, known[i]))
			done += strlen(known[i]);
	return done;
}

static size_t strip(char *to, const char *name, size_t n, const size_t *partner)
{
	size_t i = 0, length = 0;

	while (i < n) {
		bool parenthesis = name[i] == '(';

		if (!partner[i] || !is_of(to, length, name[i])) {
			to[length++] = name[i++];
			continue;
		}
		if (ends_with(to, length, "::"))
			length -= 2;
		if (ends_with(to, length, "< "))
			length--;
		i = partner[i] + 1;
		if (parenthesis)
			i += qualifiers(name + i, n - i);
	}
	return length;
}

size_t short_text_strip(char *to, const char *name, size_t n)
{
	size_t *partner, length = n;

	memmove(to, name, n);
	if (begins_with(name, n, "py::")) /* followed by a function and its file, and no types */
		return n;
	partner = find_partners(name, n);
	if (partner)
		length = strip(to, name, n, partner);
	free(partner);
	return partner ? length : 0;
}

/* ---- short names ----------------------------------------------------------------------------- */

struct short_name {
	char *mangled; /* NULL: there is only the text */
	size_t n;      /* bytes of `mangled` */
	char *suffix;
};

/* A name that is being settled. */
struct candidate {
	uint32_t name, shown;
	int form;
};

void short_names_clear(struct short_names *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].mangled);
		free(s->list[i].suffix);
	}
	free(s->list);
	free(s->places);
	*s = (struct short_names){0};
}

static const struct short_name *find(const struct short_names *s, uint32_t name)
{
	uint32_t place = name < s->n_places ? s->places[name] : 0;

	return place ? &s->list[place - 1] : NULL;
}

/* Returns -1 if memory is out. */
static int add(struct short_names *s, uint32_t name, const char *mangled, size_t n,
	       const char *suffix)
{
	struct short_name *new;

	if (find(s, name))
		return 0;
	if (s->n >= UINT32_MAX - 1 ||
	    !array_reserve(&s->list, &s->size, s->n + 1, sizeof(*s->list)) ||
	    !array_reserve(&s->places, &s->places_size, (size_t)name + 1, sizeof(*s->places)))
		return -1;
	while (s->n_places <= name)
		s->places[s->n_places++] = 0;
	new = &s->list[s->n];
	*new = (struct short_name){strndup(mangled, n), n, strdup(suffix)};
	s->places[name] = (uint32_t)++s->n;
	return new->mangled &&new->suffix ? 0 : -1;
}

/* Returns the number of the name in this form, or of the name itself if it has none; STRINGS_NONE if memory
 * is out. */
static uint32_t form_of(const struct short_name *n, struct strings *strings, uint32_t name,
			int form)
{
	char *readable, *text = NULL;
	uint32_t made = STRINGS_NONE;

	if (form == DEMANGLE_FULL)
		return name;
	readable = demangle_to(n->mangled, n->n, (enum demangle_form)form);
	if (!readable)
		return name;
	if (asprintf(&text, "%s%s", readable, n->suffix) >= 0) {
		made = strings_add(strings, text, strlen(text));
		free(text);
	}
	free(readable);
	return made;
}

int short_names_add(struct short_names *s, struct strings *strings, uint32_t readable,
		    const char *mangled, size_t n, const char *suffix)
{
	uint32_t shown;

	if (add(s, readable, mangled, n, suffix))
		return -1;
	shown = form_of(find(s, readable), strings, readable, DEMANGLE_SHORT);
	return shown == STRINGS_NONE ? -1 : strings_show_as(strings, readable, shown);
}

int short_names_add_place(struct short_names *s, struct strings *strings, uint32_t place,
			  uint32_t function)
{
	const struct short_name *of = find(s, function);
	size_t n_place, n_function;
	const char *text = strings_get(strings, place, &n_place);
	struct short_name copy;

	strings_get(strings, function, &n_function);
	if (!of || place == function || n_place < n_function)
		return 0;
	copy = *of; /* the list may move */
	return short_names_add(s, strings, place, copy.mangled, copy.n, text + n_function);
}

/* ---- settling -------------------------------------------------------------------------------- */

static uint32_t stripped(struct strings *strings, uint32_t name)
{
	size_t n, length;
	const char *bytes = strings_get(strings, name, &n);
	uint32_t shown = name;
	char *to;

	if (!memchr(bytes, '<', n) && !memchr(bytes, '(', n))
		return name;
	to = malloc(n + 1);
	if (!to)
		return STRINGS_NONE;
	length = short_text_strip(to, bytes, n);
	if (length)
		shown = strings_add(strings, to, length);
	free(to);
	return shown;
}

static int show(const struct short_names *s, struct strings *strings, struct candidate *c,
		bool text)
{
	const struct short_name *known = find(s, c->name);

	if (known)
		c->shown = form_of(known, strings, c->name, c->form);
	else if (text && c->form == DEMANGLE_SHORT)
		c->shown = stripped(strings, c->name);
	else
		c->shown = c->name;
	return c->shown == STRINGS_NONE ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->shown > y->shown) - (x->shown < y->shown);
}

/* Give all that are shown as another one is shown their next form. Returns how many that are; -1 if memory
 * is out. */
static int tell_apart(const struct short_names *s, struct strings *strings, struct candidate *list,
		      size_t n, bool text)
{
	size_t first, end, i;
	int changed = 0;

	qsort(list, n, sizeof(*list), compare);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && list[end].shown == list[first].shown; end++)
			;
		for (i = first; i < end && end - first > 1; i++) {
			if (list[i].form == DEMANGLE_FULL)
				continue;
			list[i].form++;
			if (show(s, strings, &list[i], text))
				return -1;
			changed = 1;
		}
	}
	return changed;
}

static int settle(const struct short_names *s, struct strings *strings, struct candidate *list,
		  const uint32_t *names, size_t n, bool text)
{
	int changed = 1;

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct candidate){.name = names[i], .form = DEMANGLE_SHORT};
		if (show(s, strings, &list[i], text))
			return -1;
	}
	/* Each round gives some name a longer form. After the last one no two are equal, because a name in
	 * its full form is different from all others in theirs, or they are not in theirs. */
	while (changed > 0)
		changed = tell_apart(s, strings, list, n, text);
	for (size_t i = 0; i < n && changed == 0; i++)
		if (strings_show_as(strings, list[i].name, list[i].shown))
			return -1;
	return changed;
}

int short_names_settle(struct short_names *s, struct strings *strings, const uint32_t *names,
		       size_t n, bool text)
{
	struct candidate *list = calloc(n + 1, sizeof(*list));
	int status = list ? settle(s, strings, list, names, n, text) : -1;

	free(list);
	return status;
}
