/* SPDX-License-Identifier: MIT */
/*
 * id_table.h - numbers that a file chose, renumbered 0, 1, 2, ... in order of arrival.
 *
 * A file may choose large numbers. Renumbered, they can be the indices of an array.
 */
#ifndef ID_TABLE_H
#define ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define ID_TABLE_NONE UINT32_MAX

struct id_table;

struct id_table *id_table_new(void); /* NULL: out of memory */
void id_table_free(struct id_table *s);

/* The place of the number, added if it is new; ID_TABLE_NONE when memory is out. */
uint32_t id_table_add(struct id_table *s, uint32_t number);
/* The place of the number, or ID_TABLE_NONE. */
uint32_t id_table_find(const struct id_table *s, uint32_t number);

uint32_t id_table_get(const struct id_table *s, uint32_t place);
size_t id_table_count(const struct id_table *s);

#endif
