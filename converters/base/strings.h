/* SPDX-License-Identifier: MIT */
/*
 * strings.h - a table of distinct byte strings, numbered in order of arrival.
 *
 * In: bytes. Out: numbers, and the bytes of a number.
 */
#ifndef STRINGS_H
#define STRINGS_H

#include <stddef.h>
#include <stdint.h>

#define STRINGS_NONE UINT32_MAX

struct strings;

struct strings *strings_new(void); /* NULL: out of memory */
void strings_free(struct strings *s);

/* Returns the number of the string, which is added if it is new; STRINGS_NONE if memory is out. */
uint32_t strings_add(struct strings *s, const char *bytes, size_t length);
/* Returns the number of the string, or STRINGS_NONE if it is not in the table. */
uint32_t strings_find(const struct strings *s, const char *bytes, size_t length);

/* Returns the bytes of the string, with a NUL after them. *length becomes the number of bytes;
 * length may be NULL. The pointer is valid as long as the table exists. */
const char *strings_get(const struct strings *s, uint32_t number, size_t *length);
size_t strings_count(const struct strings *s);

/*
 * A string may be shown as another one, such as a name of C++ without its arguments. Machines get
 * what strings_get returns, people what strings_shown returns: the string itself if nothing was
 * set. strings_show_as returns -1 if memory is out.
 */
int strings_show_as(struct strings *s, uint32_t number, uint32_t other);
uint32_t strings_other(const struct strings *s, uint32_t number);
const char *strings_shown(const struct strings *s, uint32_t number, size_t *length);
void strings_show_all(struct strings *s); /* each as itself */

/* Compare two strings byte by byte; a prefix comes before a longer string. Returns <0, 0 or >0. */
int strings_compare(const struct strings *s, uint32_t a, uint32_t b);

#endif
