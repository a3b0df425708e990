/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers that a file chose, renumbered 0, 1, 2, ... in order of arrival.
 *
 * So that an array can be indexed with what a file says, however large.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#define NUMBERS_NONE UINT32_MAX

struct numbers;

struct numbers *numbers_new(void); /* NULL: out of memory */
void numbers_free(struct numbers *s);

/* The place of the number, added if it is new; NUMBERS_NONE when memory is out. */
uint32_t numbers_add(struct numbers *s, uint32_t number);
/* The place of the number, or NUMBERS_NONE. */
uint32_t numbers_find(const struct numbers *s, uint32_t number);

uint32_t numbers_get(const struct numbers *s, uint32_t place);
size_t numbers_count(const struct numbers *s);

#endif
