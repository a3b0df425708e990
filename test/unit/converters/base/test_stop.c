/* SPDX-License-Identifier: MIT */
/*
 * test_stop.c - an error is one line that a terminal can be shown.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"

Test(error, one_line)
{
	struct error err;

	cr_assert_eq(error_set(&err, "%s: bad\tbyte %d", "a\nb\x1b[2J\x7f", 5), -1);
	cr_assert_str_eq(err.text, "a?b?[2J?: bad?byte 5");
	cr_assert_eq(error_append(&err, " at byte %d\r", 17), -1);
	cr_assert_str_eq(err.text, "a?b?[2J?: bad?byte 5 at byte 17?");
	cr_assert_eq(error_set(&err, "%s", "\xc3\xa4"), -1);
	cr_assert_str_eq(err.text, "\xc3\xa4", "other bytes stay");
	cr_assert_eq(error_memory(&err), -1);
	cr_assert_str_eq(err.text, "out of memory");
}

Test(error, is_cut_to_fit)
{
	struct error err;
	char name[3000];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	error_set(&err, "%s: bad", name);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
	error_append(&err, " at byte %d", 1);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
	memset(&err, 'x', sizeof(err)); /* not even terminated */
	error_append(&err, "%s", name);
	cr_assert_eq(err.text[sizeof(err.text) - 1], '\0');
}
