/* SPDX-License-Identifier: MIT */
/*
 * parquet.c - collects rows, and writes the footer of a Parquet file.
 *
 * In: values. Out: groups of rows (parquet_page.c), and behind them what a reader begins with.
 */
#include "export/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/parquet_page.h"

/* Rows of a group. Readers take a group at a time on each core. */
#define GROUP_ROWS  131072u
#define MAGIC	    "PAR1"
#define MAGIC_BYTES 4
#define CREATED_BY  "cpconv " CPS_PROJECT_VERSION

struct group {
	struct parquet_chunk *chunks; /* by column */
	uint64_t rows;
};

struct parquet {
	struct parquet_writer w;
	struct parquet_values *columns;
	size_t n, size;
	size_t next; /* column of the row */
	uint64_t rows;
	struct group *groups;
	size_t n_groups, groups_size;
};

struct parquet *parquet_new(struct out *o)
{
	struct parquet *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->w.out = o;
	parquet_write(&p->w, MAGIC, MAGIC_BYTES);
	return p;
}

int parquet_column(struct parquet *p, const char *name, enum parquet_type type, bool has_none)
{
	struct parquet_values *c;

	if (!array_reserve(&p->columns, &p->size, p->n + 1, sizeof(*p->columns)))
		return -1;
	c = &p->columns[p->n];
	*c = (struct parquet_values){.name = strdup(name), .type = type, .has_none = has_none};
	p->n += c->name != NULL;
	return c->name ? 0 : -1;
}

void parquet_free(struct parquet *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		parquet_values_free(&p->columns[i]);
	for (size_t i = 0; i < p->n_groups; i++)
		free(p->groups[i].chunks);
	parquet_writer_free(&p->w);
	free(p->columns);
	free(p->groups);
	free(p);
}

/* ---- groups of rows ---------------------------------------------------------------------------- */

static void write_group(struct parquet *p)
{
	struct group *g;

	if (!array_reserve(&p->groups, &p->groups_size, p->n_groups + 1, sizeof(*p->groups))) {
		p->w.is_out_of_memory = true;
		return;
	}
	g = &p->groups[p->n_groups];
	*g = (struct group){calloc(p->n + 1, sizeof(*g->chunks)), p->columns[0].n};
	p->n_groups++;
	p->w.is_out_of_memory |= !g->chunks;
	for (size_t i = 0; g->chunks && i < p->n; i++)
		parquet_write_chunk(&p->w, &p->columns[i], &g->chunks[i]);
}

/* The value of a column is there; after that of the last one the row is whole. */
static void step(struct parquet *p)
{
	if (++p->next < p->n)
		return;
	p->next = 0;
	p->rows++;
	if (p->columns[0].n == GROUP_ROWS)
		write_group(p);
}

void parquet_number(struct parquet *p, uint64_t value)
{
	p->w.is_out_of_memory |= parquet_values_add(&p->columns[p->next], value) != 0;
	step(p);
}

void parquet_double(struct parquet *p, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	parquet_number(p, bits);
}

void parquet_text(struct parquet *p, const char *bytes, size_t n)
{
	p->w.is_out_of_memory |= parquet_values_add_text(&p->columns[p->next], bytes, n) != 0;
	step(p);
}

void parquet_none(struct parquet *p)
{
	p->w.is_out_of_memory |= parquet_values_add_none(&p->columns[p->next]) != 0;
	step(p);
}

/* ---- the footer -------------------------------------------------------------------------------- */

/* The root of the schema has the columns as children. */
static void put_schema(struct thrift *t, const struct parquet *p)
{
	thrift_list(t, 2, THRIFT_STRUCT, p->n + 1);
	thrift_begin(t, 0);
	thrift_text(t, 4, "calls");
	thrift_i32(t, 5, (int32_t)p->n);
	thrift_end(t);
	for (size_t i = 0; i < p->n; i++)
		parquet_put_element(t, &p->columns[i]);
}

static void put_groups(struct thrift *t, const struct parquet *p)
{
	thrift_list(t, 4, THRIFT_STRUCT, p->n_groups);
	for (size_t i = 0; i < p->n_groups; i++) {
		const struct group *g = &p->groups[i];
		int64_t bytes = 0;

		thrift_begin(t, 0);
		thrift_list(t, 1, THRIFT_STRUCT, p->n);
		for (size_t k = 0; k < p->n; k++) {
			parquet_put_chunk(t, &p->columns[k], &g->chunks[k]);
			bytes += g->chunks[k].plain_bytes;
		}
		thrift_i64(t, 2, bytes);
		thrift_i64(t, 3, (int64_t)g->rows);
		thrift_end(t);
	}
}

static void write_footer(struct parquet *p)
{
	struct thrift t = {0};
	unsigned char length[4];

	thrift_begin(&t, 0);
	thrift_i32(&t, 1, 1);
	put_schema(&t, p);
	thrift_i64(&t, 3, (int64_t)p->rows);
	put_groups(&t, p);
	thrift_text(&t, 6, CREATED_BY);
	thrift_end(&t);
	p->w.is_out_of_memory |= t.is_out_of_memory;
	p->w.is_too_large |= t.n > INT32_MAX;
	parquet_write(&p->w, t.bytes, t.n);
	for (int i = 0; i < 4; i++)
		length[i] = (unsigned char)(t.n >> 8 * i);
	parquet_write(&p->w, length, sizeof(length));
	parquet_write(&p->w, MAGIC, MAGIC_BYTES);
	thrift_free(&t);
}

int parquet_end(struct parquet *p, struct error *err)
{
	if (p->n && p->columns[0].n && !p->w.is_out_of_memory)
		write_group(p);
	if (!p->w.is_out_of_memory)
		write_footer(p);
	if (p->w.is_out_of_memory)
		return error_memory(err);
	return p->w.is_too_large
		       ? error_set(err, "the names of 131072 nodes have more bytes than a page of "
					"Parquet can hold")
		       : 0;
}
