/* SPDX-License-Identifier: MIT */
/*
 * id_table.h - renumbers the numbers of a file 0, 1, 2, ... in order of arrival.
 *
 * In: numbers of any size. Out: numbers 0, 1, 2, ..., which are called places.
 *
 * A file may use large numbers; places can be indices of an array.
 */
#ifndef ID_TABLE_H
#define ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define ID_TABLE_NONE UINT32_MAX

struct id_table;

struct id_table *id_table_new(void); /* NULL: out of memory */
void id_table_free(struct id_table *s);

/* Returns the place of the number, which is added if it is new; ID_TABLE_NONE if memory is out. */
uint32_t id_table_add(struct id_table *s, uint32_t number);
/* Returns the place of the number, or ID_TABLE_NONE if it has none. */
uint32_t id_table_find(const struct id_table *s, uint32_t number);

uint32_t id_table_get(const struct id_table *s, uint32_t place);
size_t id_table_count(const struct id_table *s);

#endif
