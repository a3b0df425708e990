/* SPDX-License-Identifier: MIT */
/*
 * assertion.c - understands and checks what a user claims that a program uses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/assertion.h"
#include "compare/comparison.h"
#include "compare/welch.h"
#include "graph/function_names.h"

/* ---- assertion ------------------------------------------------------------------------------- */

/* Units of weights, and what they are in gticks. */
static const struct {
	const char *text, *gtick;
	double factor;
} units[] = {
	{"ns", "ns", 1},      {"us", "ns", 1e3},    {"ms", "ns", 1e6},
	{"s", "ns", 1e9},     {"B", "bytes", 1},    {"KB", "bytes", 1e3},
	{"MB", "bytes", 1e6}, {"GB", "bytes", 1e9}, {"", NULL, 1},
};

static int refuse(const struct assertion *a, struct error *err)
{
	return error_usage(err,
			   "--assert %s: write it as NAME<=10%%, total(NAME)<=20ms, or "
			   "total(NAME)<=1.05*base; total alone is the whole program",
			   a->text);
}

/* The last < or > begins the comparison, since a name may have some, and what follows has none. */
static const char *find_sign(const char *text)
{
	const char *less = strrchr(text, '<'), *more = strrchr(text, '>');

	return !less || (more && more > less) ? more : less;
}

/* Whether the text is WORD(...), whose inside it becomes. */
static bool take_call(const char *word, const char **text, size_t *n)
{
	size_t length = strlen(word);

	if (*n < length + 2 || memcmp(*text, word, length) != 0 || (*text)[length] != '(' ||
	    (*text)[*n - 1] != ')')
		return false;
	*text += length + 1;
	*n -= length + 2;
	return true;
}

static void trim(const char **text, size_t *n)
{
	for (; *n && **text == ' '; (*n)--)
		(*text)++;
	while (*n && (*text)[*n - 1] == ' ')
		(*n)--;
}

static int parse_left(struct assertion *a, const char *text, size_t n, struct error *err)
{
	trim(&text, &n);
	if (n == strlen("total") && memcmp(text, "total", n) == 0) {
		a->of = ASSERTION_ALL;
		return 0;
	}
	if (take_call("total", &text, &n))
		a->of = ASSERTION_TOTAL;
	else if (take_call("self", &text, &n))
		a->of = ASSERTION_SELF;
	trim(&text, &n);
	if (!n)
		return refuse(a, err);
	a->name = strndup(text, n);
	return a->name ? 0 : error_memory(err);
}

static int parse_unit(struct assertion *a, const char *text, size_t n)
{
	if (n == 1 && *text == '%') {
		a->against = ASSERTION_SHARE;
		a->limit /= 100;
		return 0;
	}
	if (n == strlen("*base") && memcmp(text, "*base", n) == 0) {
		a->against = ASSERTION_BASE;
		return 0;
	}
	a->against = ASSERTION_AMOUNT;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (n != strlen(units[i].text) || memcmp(text, units[i].text, n) != 0)
			continue;
		a->limit *= units[i].factor;
		a->unit = units[i].gtick;
		return 0;
	}
	return -1;
}

static int parse_right(struct assertion *a, const char *text, struct error *err)
{
	size_t n = strlen(text);
	char *end;

	trim(&text, &n);
	if (n == strlen("base") && memcmp(text, "base", n) == 0) {
		a->against = ASSERTION_BASE;
		a->limit = 1;
		return 0;
	}
	a->limit = strtod(text, &end);
	if (end == text || !isfinite(a->limit) || a->limit < 0)
		return refuse(a, err);
	n -= (size_t)(end - text);
	text = end;
	trim(&text, &n);
	return parse_unit(a, text, n) ? refuse(a, err) : 0;
}

int assertion_parse(struct assertion *a, const char *text, struct error *err)
{
	const char *sign = find_sign(text), *value;

	*a = (struct assertion){.text = text};
	if (!sign)
		return refuse(a, err);
	a->is_least = *sign == '>';
	a->is_strict = sign[1] != '=';
	value = sign + (a->is_strict ? 1 : 2);
	if (parse_left(a, text, (size_t)(sign - text), err))
		return -1;
	return parse_right(a, value, err);
}

void assertion_free(struct assertion *a)
{
	free(a->name);
	a->name = NULL;
}

/* ---- assertion check ------------------------------------------------------------------------- */
/*
 * Checks by runs what a user claims that a program uses.
 *
 * In: struct assertion, runs. Out: whether it holds with confidence.
 */

/* What a run has used of the functions: the totals of the outermost nodes. */
static struct comparison_use total_of(const struct tree *t, const struct function_names *names)
{
	struct comparison_use use = {0};
	size_t i = 1;

	while (i < t->n_nodes) {
		bool is_there = function_names_has(names, t->nodes[i].name);

		if (is_there) {
			use.weight += t->nodes[i].total;
			use.squares += t->squares ? t->squares[i].total : 0;
		}
		i = is_there ? t->nodes[i].end : i + 1;
	}
	return use;
}

/* The selfs that the nodes of the functions have. All runs have the same nodes. */
static struct comparison_use self_of(const struct tree *t, const struct function_names *names,
				     const uint32_t *owners)
{
	struct comparison_use use = {0};

	for (size_t i = 1; i < t->n_nodes; i++) {
		if (!function_names_has(names, t->nodes[owners ? owners[i] : i].name))
			continue;
		use.weight += t->nodes[i].self;
		use.squares += t->squares ? t->squares[i].self : 0;
	}
	return use;
}

static int find_uses(const struct assertion *a, const struct comparison *c,
		     struct comparison_use *uses, struct assertion_result *r, bool of_program,
		     struct error *err)
{
	struct function_names names = {0};
	uint32_t *owners = of_program ? tree_owners(c->tree, err) : NULL;
	struct error unclear;

	if (of_program && !owners)
		return -1;
	if (a->of != ASSERTION_ALL && function_names_if_any(&names, c->tree, a->name, &unclear)) {
		free(owners);
		return error_usage(err, "--assert %s: %s", a->text, unclear.text);
	}
	r->is_absent = a->of != ASSERTION_ALL && !names.n;
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct tree *t = comparison_run(c, i);

		if (a->of == ASSERTION_ALL)
			uses[i] = (struct comparison_use){t->total, t->total_squares};
		else
			uses[i] = a->of == ASSERTION_TOTAL ? total_of(t, &names)
							   : self_of(t, &names, owners);
	}
	if (a->of != ASSERTION_ALL)
		function_names_free(&names);
	free(owners);
	return 0;
}

/* A limit is a side without variance, and with as many runs as the other, so that it has no part in the degrees of
 * freedom. */
static struct welch compare(const struct assertion *a, const struct comparison *c,
			    const struct comparison_use *uses, struct assertion_result *r)
{
	bool is_alone = c->n_base == c->n_runs;
	struct welch_side limit = comparison_side(c, uses, 0, c->n_base), now;

	now = is_alone ? limit : comparison_side(c, uses, c->n_base, c->n_runs);
	if (a->against == ASSERTION_BASE) {
		limit.mean *= a->limit;
		limit.variance *= a->limit * a->limit;
		limit.sampling *= a->limit * a->limit;
		r->is_single = limit.n == 1 && now.n == 1;
	} else {
		limit = (struct welch_side){
			.n = now.n,
			.mean = a->against == ASSERTION_SHARE ? a->limit * c->before : a->limit,
		};
		r->is_single = now.n == 1;
	}
	r->is_blind = a->against == ASSERTION_BASE && r->is_single && comparison_is_measured(c);
	r->value = now.mean;
	r->limit = limit.mean;
	return welch_compare(&limit, &now, &c->common);
}

static void judge(const struct assertion *a, const struct welch *w, struct assertion_result *r)
{
	double above = a->is_least ? -w->change : w->change;

	/* The interval is one of 90 %, so that each of its sides is wrong in one of twenty cases. */
	r->plus_minus = w->error > 0 && !r->is_absent
				? student_quantile(2 * WELCH_LEVEL, w->freedom) * w->error
				: 0;
	r->holds = a->is_strict ? above + r->plus_minus < 0 : above + r->plus_minus <= 0;
	r->is_broken = a->is_strict ? above - r->plus_minus >= 0 : above - r->plus_minus > 0;
	if (r->is_blind)
		r->holds = r->is_broken = false;
}

/* Shares are found as amounts, of runs that are scaled to the same total. */
static void make_percent(const struct comparison *c, struct assertion_result *r)
{
	double percent = c->before > 0 ? 100 / c->before : 0;

	r->value *= percent;
	r->limit *= percent;
	r->plus_minus *= percent;
}

/* An amount of what the profile counts. Nobody means nanoseconds by 0.5, so times and bytes need a unit. */
static int check_amount(const struct assertion *a, const char *unit, struct error *err)
{
	bool is_time = strcmp(unit, "ns") == 0, is_size = strcmp(unit, "bytes") == 0;

	if (is_time && !a->unit && a->limit > 0)
		return error_usage(err,
				   "--assert %s: a time needs a unit, as in 0.5s, 500ms, 20us or "
				   "80ns; 50%% is a share of the total",
				   a->text);
	if (is_size && !a->unit && a->limit > 0)
		return error_usage(
			err,
			"--assert %s: bytes need a unit, as in 512B, 64KB, 1.5MB or 2GB; "
			"50%% is a share of the total",
			a->text);
	if (a->unit && strcmp(a->unit, unit) != 0)
		return error_usage(err, "--assert %s: the profile counts %s%s", a->text, unit,
				   is_time   ? ", which are written 0.5s, 500ms, 20us or 80ns"
				   : is_size ? ", which are written 512B, 64KB, 1.5MB or 2GB"
					     : "; write the number alone");
	return 0;
}

static int check_units(const struct assertion *a, const struct profile *p, const struct tree *t,
		       struct error *err)
{
	const char *unit = t->unit == TREE_HITS	     ? "samples"
			   : p->unit == STRINGS_NONE ? ""
						     : strings_get(p->strings, p->unit, NULL);

	if (a->against == ASSERTION_BASE && p->n_base == p->n_columns)
		return error_usage(err, "--assert %s: only with --base", a->text);
	if (a->against == ASSERTION_AMOUNT && check_amount(a, unit, err))
		return -1;
	if (a->against == ASSERTION_SHARE && a->of == ASSERTION_ALL)
		return error_usage(err, "--assert %s: the total is always 100 %%", a->text);
	return 0;
}

int assertion_check(const struct assertion *a, const struct profile *p, const struct tree *t,
		    bool normalizes, bool of_program, struct assertion_result *r, struct error *err)
{
	bool is_share = a->against == ASSERTION_SHARE;
	struct comparison_use *uses = NULL;
	struct comparison c;
	struct welch w;
	int status = check_units(a, p, t, err);

	*r = (struct assertion_result){0};
	if (status)
		return -1;
	status = comparison_begin(&c, p, t, 0, is_share || normalizes, err);
	if (!status) {
		uses = calloc(c.n_runs, sizeof(*uses));
		status = uses ? find_uses(a, &c, uses, r, of_program, err) : error_memory(err);
	}
	if (!status) {
		w = compare(a, &c, uses, r);
		judge(a, &w, r);
		if (is_share)
			make_percent(&c, r);
	}
	free(uses);
	comparison_free(&c);
	return status;
}
