/* SPDX-License-Identifier: MIT */
/*
 * function_name.c - writes the name of a function, marked if it is inlined.
 *
 * Show room. In: a name. Out: text.
 */
#include "write/function_name.h"

#include <string.h>

#define MARK " (inlined)"

void function_name_write(struct out *o, const struct strings *strings, uint32_t name,
			 bool is_inline, int column)
{
	const char *mark = is_inline ? MARK : "";
	size_t n;
	const char *bytes = strings_get(strings, name, &n);

	out_name_fit(o, bytes, n, column + (int)strlen(mark));
	out_text(o, mark);
}
