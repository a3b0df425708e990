/* SPDX-License-Identifier: MIT */
/*
 * strings.h - a table of distinct byte strings, numbered in order of arrival.
 */
#ifndef STRINGS_H
#define STRINGS_H

#include <stddef.h>
#include <stdint.h>

#define STRINGS_NONE UINT32_MAX

struct strings;

struct strings *strings_new(void); /* NULL: out of memory */
void strings_free(struct strings *s);

/* The number of the string, added if it is new; STRINGS_NONE when memory is out. */
uint32_t strings_add(struct strings *s, const char *bytes, size_t length);
/* The number of the string, or STRINGS_NONE if it is not in the table. */
uint32_t strings_find(const struct strings *s, const char *bytes, size_t length);

/* The string's bytes, with a NUL after them; *length becomes their number (length may be NULL). The
 * pointer stays valid as long as the table. */
const char *strings_get(const struct strings *s, uint32_t number, size_t *length);
size_t strings_count(const struct strings *s);

/* Compare two strings byte by byte; a prefix comes before a longer string. Returns <0, 0 or >0. */
int strings_compare(const struct strings *s, uint32_t a, uint32_t b);

#endif
