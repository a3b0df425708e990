/* SPDX-License-Identifier: MIT */
/* test_out_memory.c - output that is kept in memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "write/out.h"

/* Seen to fail: with the room of the first buffer alone, what came after 65536 bytes overwrote it. */
Test(out_memory, keeps_more_than_a_buffer)
{
	struct error err;
	struct out *o = out_open_memory(&err);
	size_t n = 0;
	char *text;

	cr_assert(o);
	cr_assert_eq(out_width(o), 0);
	for (int i = 0; i < 50000; i++)
		out_format(o, "%05d ", i);
	text = out_take(o, &n, &err);
	cr_assert(text);
	cr_assert_eq(n, 300000);
	cr_assert_eq(strlen(text), n);
	for (int i = 0; i < 50000; i++)
		cr_assert_eq(atoi(text + (size_t)i * 6), i);
	free(text);
}

Test(out_memory, may_be_empty)
{
	struct error err;
	struct out *o = out_open_memory(&err);
	size_t n = 1;
	char *text = out_take(o, &n, &err);

	cr_assert(text);
	cr_assert_eq(n, 0);
	cr_assert_str_empty(text);
	free(text);
}
