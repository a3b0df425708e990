/* SPDX-License-Identifier: MIT */
/* test_shortlist.c - what there is, at the end of an error. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "options/selection.h"

static void add_numbers(struct shortlist *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		shortlist_add(l, "name-%02u", i);
}

/* Seen to fail: "and 1 more" instead of the eleventh. */
Test(shortlist, of_all)
{
	struct shortlist l = {0};
	struct error err;

	add_numbers(&l, 12);
	shortlist_add(&l, "name-00");
	error_set(&err, "no");
	cr_assert_eq(shortlist_append(&l, SHORTLIST_ALL, &err), -1);
	cr_assert_str_eq(err.text, "no; there are: name-00, name-01, name-02, name-03, name-04, "
				   "name-05, name-06, name-07, name-08, name-09, name-10, name-11");
	cr_assert_eq(err.list, strlen("no; there are:"));
	error_set(&err, "no");
	shortlist_append(&l, 2, &err);
	cr_assert_str_eq(err.text, "no; there are: name-00, name-01 and 10 more");
	shortlist_clear(&l);
	error_set(&err, "no");
	shortlist_append(&l, 2, &err);
	cr_assert_str_eq(err.text, "no; there are: none");
	cr_assert_eq(err.list, 0);
}

/* No name is cut, and the number of the others is right. */
Test(shortlist, that_is_too_long)
{
	struct shortlist l = {0};
	struct error err;
	const char *and;
	unsigned shown = 1;

	add_numbers(&l, 99);
	for (unsigned i = 0; i < 40; i++)
		shortlist_add(&l, "%0100u", i);
	error_set(&err, "no");
	shortlist_append(&l, SHORTLIST_ALL, &err);
	and = strstr(err.text, " and ");
	cr_assert(and, "%s", err.text);
	for (const char *c = err.text; c < and; c++)
		shown += *c == ',';
	cr_assert_eq(atoi(and+strlen(" and ")), 139 - (int)shown);
	cr_assert_str_eq(strstr(and, " more"), " more");
	shortlist_clear(&l);
}
