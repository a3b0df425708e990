/* SPDX-License-Identifier: MIT */
/*
 * function_names.c - finds the functions of a profile that a user means.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/patterns.h"
#include "graph/function_names.h"

/* ---- suggest --------------------------------------------------------------------------------- */

#define SUGGESTED_MOST 3u /* names in place of one that is not there */
#define LENGTH_MAX     64u /* for a longer name, only whether it contains the given one is looked at */

struct candidate {
	uint32_t distance;
	uint64_t total;
	uint32_t name;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Count the edits that turn one text into the other: insert, delete or replace a byte, or swap two
 * neighbours. This is the optimal string alignment distance; only three rows of its matrix are
 * held. */
static uint32_t edits(const char *a, size_t n_a, const char *b, size_t n_b)
{
	uint32_t rows[3][LENGTH_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	size_t i, k;

	for (k = 0; k <= n_b; k++)
		last[k] = (uint32_t)k;
	for (i = 1; i <= n_a; i++) {
		uint32_t *oldest = before;

		row[0] = (uint32_t)i;
		for (k = 1; k <= n_b; k++) {
			row[k] = least(least(last[k], row[k - 1]) + 1,
				       last[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[n_b];
}

/* Names that differ only in case come first, then those that are a few edits away, then those that
 * contain the wanted text. */
uint32_t suggest_distance(const char *wanted, const char *name)
{
	size_t n_wanted = strlen(wanted), n = strlen(name);
	uint32_t d = SUGGEST_FAR;

	if (strcasecmp(wanted, name) == 0)
		return 0;
	if (n <= LENGTH_MAX && n_wanted <= LENGTH_MAX)
		d = edits(wanted, n_wanted, name, n);
	if (d <= 1 + n_wanted / 4)
		return d;
	return n_wanted > 0 && strcasestr(name, wanted) ? LENGTH_MAX + 1 : SUGGEST_FAR;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct candidate *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(context, x->name, y->name);
}

/* List all functions, the nearest first. */
static struct candidate *rank(const struct strings *strings, const struct tree_function *functions,
			      size_t n, const char *wanted)
{
	struct candidate *ranked = calloc(n + 1, sizeof(*ranked));
	size_t i;

	for (i = 0; ranked && i < n; i++) {
		const char *name = strings_shown(strings, functions[i].name, NULL);

		ranked[i] = (struct candidate){suggest_distance(wanted, name), functions[i].total,
					       functions[i].name};
	}
	if (ranked)
		qsort_r(ranked, n, sizeof(*ranked), compare, (void *)(uintptr_t)strings);
	return ranked;
}

static int suggest_of(const struct strings *strings, const struct tree_function *functions,
		      size_t n, const char *name, bool is_filtered, struct error *err)
{
	char similar[512] = "";
	size_t i, used = 0;
	struct candidate *found = rank(strings, functions, n, name);

	if (!found)
		return error_memory(err);
	for (i = 0; i < n && i < SUGGESTED_MOST && found[i].distance != SUGGEST_FAR; i++)
		if (used < sizeof(similar))
			used += (size_t)snprintf(similar + used, sizeof(similar) - used, "%s%s",
						 i ? ", " : "; similar: ",
						 strings_shown(strings, found[i].name, NULL));
	free(found);
	return error_set(err, "no function \"%s\" in the profile%s%s", name,
			 is_filtered ? " as filters leave it" : "",
			 *similar ? similar
			 : n	  ? "; the view functions lists all"
				  : "");
}

int suggest_functions(const struct tree *t, const char *name, struct error *err)
{
	size_t n;
	struct tree_function *functions = tree_functions(t, &n, err);

	if (functions)
		suggest_of(t->strings, functions, n, name, t->filter, err);
	free(functions);
	return -1;
}

static int suggest_of_graph(const struct graph *g, const char *name, struct error *err)
{
	return suggest_of(g->strings, g->functions, g->n_functions, name,
			  g->tree && g->tree->filter, err);
}

/* ---- files ---- */

struct near_files {
	const char *text;
	size_t n;
	struct {
		uint32_t distance;
		const char *name;
	} list[SUGGESTED_MOST]; /* the nearest first */
};

/* Libraries of another version are similar. */
static uint32_t distance_of_files(const char *wanted, const char *name)
{
	const char *end = strstr(wanted, ".so"), *end_of_name = strstr(name, ".so");
	uint32_t distance = suggest_distance(wanted, name);

	if (distance > 1 && end && end_of_name && end - wanted == end_of_name - name &&
	    strncmp(wanted, name, (size_t)(end - wanted)) == 0)
		return 1;
	return distance;
}

static const char *file_name(const struct strings *strings, uint32_t path)
{
	const char *text = strings_get(strings, path, NULL), *slash = strrchr(text, '/');

	return slash ? slash + 1 : text;
}

void function_names_files(const struct profile *p, struct symbols *s,
			  void (*take)(void *context, const char *name), void *context)
{
	const struct symbols_place *places;
	struct error unused;
	size_t n;

	for (size_t i = 0; i < p->n_frames; i++) {
		const struct profile_frame *frame = &p->frames[i];

		if (frame->module < p->n_modules && p->modules[frame->module].path != STRINGS_NONE)
			take(context, file_name(p->strings, p->modules[frame->module].path));
		if (!s || symbols_expand(s, frame, &places, &n, &unused))
			continue;
		for (size_t k = 0; k < n; k++)
			if (places[k].file != STRINGS_NONE)
				take(context, file_name(p->strings, places[k].file));
	}
}

static void take_near(void *context, const char *name)
{
	struct near_files *near = context;
	uint32_t distance = distance_of_files(near->text, name);
	size_t i = near->n;

	for (size_t k = 0; k < near->n; k++)
		if (strcmp(near->list[k].name, name) == 0)
			return;
	while (i > 0 && near->list[i - 1].distance > distance)
		i--;
	if (distance == SUGGEST_FAR || i == SUGGESTED_MOST)
		return;
	near->n += near->n < SUGGESTED_MOST;
	memmove(&near->list[i + 1], &near->list[i], (near->n - i - 1) * sizeof(near->list[0]));
	near->list[i].distance = distance;
	near->list[i].name = name;
}

const char *suggest_files(const struct profile *p, struct symbols *s, const char *text,
			  char similar[SUGGEST_BYTES])
{
	const char *slash = strrchr(text, '/');
	struct near_files near = {.text = slash ? slash + 1 : text};
	size_t used = 0;

	if (s && symbols_merge_calls(s) && !strstr(near.text, ".so") && strchr(near.text, '.'))
		return "; with --granularity module no source file is known";
	function_names_files(p, s, take_near, &near);
	for (size_t i = 0; i < near.n && used < SUGGEST_BYTES; i++)
		used += (size_t)snprintf(similar + used, SUGGEST_BYTES - used, "%s%s",
					 i ? ", " : "; similar: ", near.list[i].name);
	return near.n ? similar : "; the view info lists the modules";
}

int suggest_focus(const struct filter *f, const struct profile *p, struct symbols *s,
		  struct error *err)
{
	const struct patterns *focus = &f->of[FILTER_FOCUS];
	const char *text = patterns_unmatched(focus, 0);
	char files[SUGGEST_BYTES];
	struct error similar;
	struct tree *all;

	if (!focus->n_values || patterns_matched(focus))
		return 0;
	if (s && text && patterns_is_file(text))
		return error_set(err, "--focus: no function or file \"%s\" in the profile%s", text,
				 suggest_files(p, s, text, files));
	all = tree_build(p, s, &(struct tree_options){0}, err);
	if (!all)
		return -1;
	suggest_functions(all, text, &similar);
	tree_free(all);
	return error_set(err, "--focus: %s", similar.text);
}

/* ---- function names -------------------------------------------------------------------------- */

#define SHOWN 5u /* of the functions that an ambiguous text may mean, the error lists so many */

/* Marks of strings. */
#define IS_FUNCTION 1u /* it names a function, or a place in one, of the tree or graph */
#define IS_MEANT    2u

struct search {
	const struct strings *strings;
	unsigned char *marks; /* by string */
	size_t n_strings, n_functions;
	bool has_places;
	const char *text;
};

/* ---- places in functions ---- */

/* Whether the text is " FILE:LINE" or "+0xOFFSET". */
static bool is_place(const char *text, size_t n)
{
	size_t digits = 0;

	if (n > 3 && strncmp(text, "+0x", 3) == 0)
		return strspn(text + 3, "0123456789abcdef") == n - 3;
	while (digits < n && text[n - 1 - digits] >= '0' && text[n - 1 - digits] <= '9')
		digits++;
	return *text == ' ' && digits > 0 && digits + 2 < n && text[n - 1 - digits] == ':';
}

/* Whether the name is "f FILE:LINE", and the function "f (FILE)". */
static bool is_place_in_file(const char *name, size_t n, const char *function, size_t n_function)
{
	const char *file = memrchr(function, '(', n_function);
	size_t n_file = file ? n_function - (size_t)(++file - function) : 0, at;

	if (n_file < 2 || file - function < 3 || file[-2] != ' ' || function[n_function - 1] != ')')
		return false;
	n_file--;
	at = (size_t)(file - function) - 2;
	return n > at + 1 + n_file && memcmp(name, function, at + 1) == 0 &&
	       memcmp(name + at + 1, file, n_file) == 0 && name[at + 1 + n_file] == ':' &&
	       is_place(name + at, n - at);
}

static bool is_place_in(const char *name, size_t n, const char *function)
{
	size_t n_function = strlen(function);

	if (n > n_function && memcmp(name, function, n_function) == 0 &&
	    is_place(name + n_function, n - n_function))
		return true;
	return is_place_in_file(name, n, function, n_function);
}

/* The function "f (FILE)" that the place "f FILE:LINE" is in, whose file begins behind `at`. */
static uint32_t function_in_file(const struct search *s, const char *name, size_t n, size_t at)
{
	const char *colon = memrchr(name, ':', n);
	uint32_t function = STRINGS_NONE;
	char *text;
	int length;

	if (name[at] != ' ' || !colon || colon < name + at + 2)
		return function;
	length = asprintf(&text, "%.*s (%.*s)", (int)at, name,
			  (int)(colon - name - (ptrdiff_t)at) - 1, name + at + 1);
	if (length < 0)
		return function;
	function = strings_find(s->strings, text, (size_t)length);
	free(text);
	return function;
}

/* Returns the function that the name is a place in, or the name itself if the profile has no
 * such function. Names of functions may contain blanks, so the place begins at the last blank or
 * plus. */
static uint32_t function_of(const struct search *s, uint32_t name)
{
	size_t n, at;
	const char *bytes = strings_get(s->strings, name, &n);
	uint32_t function = STRINGS_NONE;

	for (at = n; s->has_places && at-- > 1;) {
		if (bytes[at] != ' ' && bytes[at] != '+')
			continue;
		if (is_place(bytes + at, n - at))
			function = strings_find(s->strings, bytes, at);
		if (function == STRINGS_NONE && is_place(bytes + at, n - at))
			function = function_in_file(s, bytes, n, at);
		break;
	}
	return function == STRINGS_NONE ? name : function;
}

/* ---- what a text means ---- */

/* Mark the function whose name is the text, or is shown as it, and the places in it. Returns how many names that
 * are. */
static size_t mark_name(struct search *s)
{
	uint32_t exact = strings_find(s->strings, s->text, strlen(s->text));
	bool is_there = exact != STRINGS_NONE && s->marks[exact] & IS_FUNCTION;
	size_t i, n, found = 0;

	for (i = 0; i < s->n_strings; i++) {
		const char *name = strings_get(s->strings, (uint32_t)i, &n);
		bool is_equal = i == exact || (exact != STRINGS_NONE &&
					       strings_other(s->strings, (uint32_t)i) == exact);

		if (!(s->marks[i] & IS_FUNCTION) ||
		    (!is_equal && ((is_there && !s->has_places) || !is_place_in(name, n, s->text))))
			continue;
		s->marks[i] |= IS_MEANT;
		found++;
	}
	return found;
}

/* Mark the names that match the text. A place is also marked if the function that it is in matches,
 * as with --focus. */
static enum name_match_way mark_matches(struct search *s)
{
	struct name_match match = {s->strings, s->marks, s->n_strings, IS_MEANT, ""};
	enum name_match_way way;
	size_t i;

	for (i = 0; i < s->n_strings; i++) {
		if (!(s->marks[i] & IS_FUNCTION))
			continue;
		s->marks[i] |= NAME_MATCH_NAME;
		s->marks[function_of(s, (uint32_t)i)] |= NAME_MATCH_NAME;
	}
	way = name_match(&match, s->text);
	for (i = 0; i < s->n_strings; i++)
		if (s->marks[i] & IS_FUNCTION)
			s->marks[i] |= s->marks[function_of(s, (uint32_t)i)] & IS_MEANT;
	return way;
}

/* Whether the text means the name, and the name is not a place in a function that the text
 * means. */
static bool is_meant_function(const struct search *s, uint32_t name)
{
	uint32_t function = function_of(s, name);

	return s->marks[name] & IS_MEANT && (function == name || !(s->marks[function] & IS_MEANT));
}

static int compare_names(const void *a, const void *b, void *strings)
{
	return strings_compare(strings, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* List the functions that the text means, sorted bytewise. */
static uint32_t *list_functions(const struct search *s, size_t *n)
{
	uint32_t *list = malloc((s->n_strings + 1) * sizeof(*list));

	*n = 0;
	for (uint32_t i = 0; list && i < s->n_strings; i++)
		if (is_meant_function(s, i))
			list[(*n)++] = i;
	if (list)
		qsort_r(list, *n, sizeof(*list), compare_names, (void *)(uintptr_t)s->strings);
	return list;
}

/* If the text means only one function, its name becomes the title. It is an error if the text is a
 * part of several names. */
static int choose_title(struct function_names *f, const struct search *s, bool is_part,
			struct error *err)
{
	size_t i, n;
	uint32_t *list = list_functions(s, &n);

	if (!list)
		return error_memory(err);
	if (n == 1)
		f->title = strings_shown(s->strings, list[0], NULL);
	if (is_part && n > 1) {
		error_set(err, "\"%s\" is in the names of %zu functions: ", s->text, n);
		for (i = 0; i < n && i < SHOWN; i++)
			error_append(err, "%s%.100s", i ? ", " : "",
				     strings_shown(s->strings, list[i], NULL));
		if (n > SHOWN)
			error_append(err, ", ...");
	}
	free(list);
	return is_part && n > 1 ? -1 : 0;
}

static int collect(struct function_names *f, const struct search *s, struct error *err)
{
	f->list = malloc((s->n_strings + 1) * sizeof(*f->list));
	if (!f->list)
		return error_memory(err);
	for (uint32_t i = 0; i < s->n_strings; i++)
		if (s->marks[i] & IS_MEANT && s->marks[i] & IS_FUNCTION)
			f->list[f->n++] = i;
	return 0;
}

static int find(struct function_names *f, struct search *s, struct error *err)
{
	enum name_match_way way = NAME_MATCH_WHOLE;

	*f = (struct function_names){.title = s->text};
	if (!mark_name(s)) {
		way = mark_matches(s);
		if (way == NAME_MATCH_NO_MEMORY)
			return error_memory(err);
		if (choose_title(f, s, way == NAME_MATCH_PART, err))
			return -1;
	}
	if (collect(f, s, err))
		return -1;
	if (f->n == 1 && way != NAME_MATCH_WHOLE)
		f->title = strings_shown(s->strings, f->list[0], NULL);
	return 0;
}

/* ---- where it is looked for ---- */

static int search_tree(struct search *s, const struct tree *t, struct error *err)
{
	*s = (struct search){
		.strings = t->strings,
		.n_strings = strings_count(t->strings),
		.n_functions = t->n_nodes - 1,
		.has_places = t->has_places,
	};
	s->marks = calloc(s->n_strings + 1, 1);
	if (!s->marks)
		return error_memory(err);
	for (size_t i = 1; i < t->n_nodes; i++)
		s->marks[t->nodes[i].name] = IS_FUNCTION;
	return 0;
}

/* Suggest functions, and not places in them. Each is listed once. */
static int suggest_for(const struct search *s, const struct tree *t, struct error *err)
{
	size_t i, n, kept = 0;
	struct tree_function *functions = tree_functions(t, &n, err);

	if (!functions)
		return -1;
	for (i = 0; i < n; i++) {
		uint32_t name = function_of(s, functions[i].name);

		if (s->marks[name] & IS_MEANT)
			continue;
		s->marks[name] |= IS_MEANT;
		functions[kept] = functions[i];
		functions[kept++].name = name;
	}
	suggest_of(t->strings, functions, kept, s->text, t->filter, err);
	free(functions);
	return -1;
}

static int find_in_tree(struct function_names *f, const struct tree *t, const char *text,
			bool is_there, struct error *err)
{
	struct search s;
	int status = search_tree(&s, t, err);

	s.text = text;
	if (!status)
		status = find(f, &s, err);
	if (!status && !f->n && s.n_functions && is_there) {
		function_names_free(f);
		status = suggest_for(&s, t, err);
	}
	free(s.marks);
	return status;
}

int function_names_of_tree(struct function_names *f, const struct tree *t, const char *text,
			   struct error *err)
{
	return find_in_tree(f, t, text, true, err);
}

int function_names_if_any(struct function_names *f, const struct tree *t, const char *text,
			  struct error *err)
{
	return find_in_tree(f, t, text, false, err);
}

int function_names_of_graph(struct function_names *f, const struct graph *g, const char *text,
			    struct error *err)
{
	struct search s = {
		.strings = g->strings,
		.n_strings = strings_count(g->strings),
		.n_functions = g->n_functions,
		.has_places = g->tree && g->tree->has_places,
		.text = text,
	};
	int status;

	s.marks = calloc(s.n_strings + 1, 1);
	if (!s.marks)
		return error_memory(err);
	for (size_t i = 0; i < g->n_functions; i++)
		s.marks[g->functions[i].name] = IS_FUNCTION;
	status = find(f, &s, err);
	free(s.marks);
	if (status || f->n || s.n_functions == 0)
		return status;
	function_names_free(f);
	return suggest_of_graph(g, text, err);
}

/* An interpreter's main says nothing: what it interprets is the program. */
static bool is_main_of_program(const struct search *s, const struct tree *t)
{
	bool is_lower = false;

	for (size_t i = 0; i < s->n_strings; i++)
		is_lower |=
			s->marks[i] & IS_MEANT && tree_origin(t, (uint32_t)i) != TREE_OF_PROGRAM;
	for (size_t i = 1; is_lower && i < t->n_nodes; i++)
		if (tree_is_interpreted(t, t->nodes[i].name))
			return false;
	return true;
}

/* The heaviest of the functions that are the outermost ones of the last origin in their stacks. Returns STRINGS_NONE if there
 * are none; -1: memory. */
static int find_outermost(uint32_t *found, const struct tree *t)
{
	uint64_t *totals = calloc(strings_count(t->strings) + 1, sizeof(*totals));
	enum tree_origin best = TREE_OF_SYSTEM;
	size_t i;

	*found = STRINGS_NONE;
	if (!totals)
		return -1;
	for (i = 1; i < t->n_nodes; i++)
		if (tree_origin(t, t->nodes[i].name) > best &&
		    tree_is_function(t, t->nodes[i].name))
			best = tree_origin(t, t->nodes[i].name);
	for (i = 1; i < t->n_nodes;) {
		uint32_t name = t->nodes[i].name;

		if (tree_origin(t, name) != best || !tree_is_function(t, name)) {
			i++;
			continue;
		}
		totals[name] += t->nodes[i].total;
		if (*found == STRINGS_NONE || totals[name] > totals[*found])
			*found = name;
		i = t->nodes[i].end;
	}
	free(totals);
	return 0;
}

int function_names_default(struct function_names *f, const struct tree *t, struct error *err)
{
	struct search s;
	uint32_t outermost;
	size_t n;

	*f = (struct function_names){.title = "main"};
	if (search_tree(&s, t, err))
		return -1;
	s.text = f->title;
	n = mark_name(&s);
	if (!n || !is_main_of_program(&s, t)) {
		for (size_t i = 0; i < s.n_strings; i++)
			s.marks[i] &= (unsigned char)~IS_MEANT;
		if (find_outermost(&outermost, t)) {
			free(s.marks);
			return error_memory(err);
		}
		if (outermost != STRINGS_NONE)
			s.marks[outermost] |= IS_MEANT;
	}
	collect(f, &s, err);
	free(s.marks);
	return f->list ? 0 : -1;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

bool function_names_has(const struct function_names *f, uint32_t name)
{
	return f->n && bsearch(&name, f->list, f->n, sizeof(name), compare_numbers);
}

void function_names_free(struct function_names *f)
{
	free(f->list);
	*f = (struct function_names){0};
}
