/* SPDX-License-Identifier: MIT */
/*
 * parquet_page.h - the values of a column of a Parquet file, and their pages. For parquet.c.
 */
#ifndef PARQUET_PAGE_H
#define PARQUET_PAGE_H

#include "base/strings.h"
#include "export/parquet.h"
#include "export/thrift.h"

/* The values of the current group of rows. All but the first three are zero at first. */
struct parquet_values {
	char *name;
	enum parquet_type type;
	bool has_none;
	uint64_t *values; /* n; of texts: numbers of the dictionary; of doubles: their bits */
	bool *is_none;	  /* n, if has_none */
	size_t n, size, none_size;
	size_t n_none;
	struct strings *texts; /* the dictionary; NULL: none yet */
};

int parquet_values_add(struct parquet_values *c, uint64_t value);
int parquet_values_add_text(struct parquet_values *c, const char *bytes, size_t n);
int parquet_values_add_none(struct parquet_values *c);
void parquet_values_free(struct parquet_values *c);

struct parquet_writer {
	struct out *out;
	uint64_t bytes; /* written so far */
	bool is_out_of_memory, is_too_large;
	unsigned char *page, *packed;
	size_t n, page_size, packed_size;
	struct libdeflate_compressor *compressor;
};

void parquet_write(struct parquet_writer *w, const void *bytes, size_t n);
void parquet_writer_free(struct parquet_writer *w);

/* Where the values of a column are, for one group of rows. */
struct parquet_chunk {
	int64_t values;		  /* how many, with those that are none */
	int64_t dictionary, data; /* offsets of pages; dictionary 0: there is none */
	int64_t plain_bytes, packed_bytes;
};

/* Write the pages of the column, and forget its values. */
void parquet_write_chunk(struct parquet_writer *w, struct parquet_values *c,
			 struct parquet_chunk *chunk);

/* Describe the column, and a chunk of it, in the footer. */
void parquet_put_element(struct thrift *t, const struct parquet_values *c);
void parquet_put_chunk(struct thrift *t, const struct parquet_values *c,
		       const struct parquet_chunk *chunk);

#endif
