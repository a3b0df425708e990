/* SPDX-License-Identifier: MIT */
/*
 * parquet_page.c - writes the pages of a column.
 *
 * In: values. Out: a page of the texts that occur, if they are texts; a page with the values. Both are compressed.
 */
#include "export/parquet_page.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define LEVEL 6 /* of compression */

/* Numbers that the format has given to types, encodings and kinds of pages. */
enum { TYPE_BOOLEAN = 0, TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT32 = 13, CONVERTED_UINT64 = 14, CONVERTED_NONE = -1 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DICTIONARY = 8 };
enum { REQUIRED = 0, OPTIONAL = 1 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CODEC_GZIP = 2 };

static const struct {
	int32_t type, converted;
} types[] = {
	[PARQUET_NUMBER] = {TYPE_INT64, CONVERTED_UINT64},
	[PARQUET_SMALL] = {TYPE_INT32, CONVERTED_UINT32},
	[PARQUET_DOUBLE] = {TYPE_DOUBLE, CONVERTED_NONE},
	[PARQUET_BOOL] = {TYPE_BOOLEAN, CONVERTED_NONE},
	[PARQUET_TEXT] = {TYPE_BYTES, CONVERTED_UTF8},
};

/* ---- values ------------------------------------------------------------------------------------ */

static int add(struct parquet_values *c, uint64_t value, bool is_none)
{
	if (!array_reserve(&c->values, &c->size, c->n + 1, sizeof(*c->values)) ||
	    !array_reserve(&c->is_none, &c->none_size, c->n + 1, sizeof(*c->is_none)))
		return -1;
	c->values[c->n] = value;
	c->is_none[c->n++] = is_none;
	c->n_none += is_none;
	return 0;
}

int parquet_values_add(struct parquet_values *c, uint64_t value)
{
	return add(c, value, false);
}

int parquet_values_add_text(struct parquet_values *c, const char *bytes, size_t n)
{
	uint32_t number;

	if (!c->texts)
		c->texts = strings_new();
	number = c->texts ? strings_add(c->texts, bytes, n) : STRINGS_NONE;
	return number == STRINGS_NONE ? -1 : add(c, number, false);
}

int parquet_values_add_none(struct parquet_values *c)
{
	return add(c, 0, true);
}

static void forget(struct parquet_values *c)
{
	if (c->texts)
		strings_free(c->texts);
	c->texts = NULL;
	c->n = c->n_none = 0;
}

void parquet_values_free(struct parquet_values *c)
{
	forget(c);
	free(c->name);
	free(c->values);
	free(c->is_none);
}

/* ---- bytes ------------------------------------------------------------------------------------- */

void parquet_write(struct parquet_writer *w, const void *bytes, size_t n)
{
	if (n)
		out_bytes(w->out, bytes, n);
	w->bytes += n;
}

void parquet_writer_free(struct parquet_writer *w)
{
	if (w->compressor)
		libdeflate_free_compressor(w->compressor);
	free(w->page);
	free(w->packed);
}

static void put_bytes(struct parquet_writer *w, const void *bytes, size_t n)
{
	w->is_out_of_memory |= !array_reserve(&w->page, &w->page_size, w->n + n, 1);
	if (w->is_out_of_memory || !n)
		return;
	memcpy(w->page + w->n, bytes, n);
	w->n += n;
}

static void put_little(struct parquet_writer *w, uint64_t value, unsigned n)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < n; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	put_bytes(w, bytes, n);
}

static void put_varint(struct parquet_writer *w, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_little(w, (value & 0x7f) | 0x80, 1);
	put_little(w, value, 1);
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Numbers are written as runs: how many times, doubled, and the number, in as many bytes as its bits need. (The format
 * also has bit-packed groups. gzip packs what is short here.) */
static void put_run(struct parquet_writer *w, uint64_t number, uint64_t times, unsigned bits)
{
	put_varint(w, times << 1);
	put_little(w, number, (bits + 7) / 8);
}

static uint64_t level_of(const struct parquet_values *c, size_t i)
{
	return !c->is_none[i];
}

static uint64_t value_of(const struct parquet_values *c, size_t i)
{
	return c->values[i];
}

/* Write the numbers of all rows, or only of those that have a value. */
static void put_runs(struct parquet_writer *w, const struct parquet_values *c,
		     uint64_t (*number)(const struct parquet_values *, size_t), bool all,
		     unsigned bits)
{
	uint64_t last = 0, times = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!all && c->is_none[i])
			continue;
		if (times && number(c, i) != last) {
			put_run(w, last, times, bits);
			times = 0;
		}
		last = number(c, i);
		times++;
	}
	if (times)
		put_run(w, last, times, bits);
}

/* Which rows have a value: runs, with their length before them. */
static void put_levels(struct parquet_writer *w, const struct parquet_values *c)
{
	size_t at = w->n, length;

	put_little(w, 0, 4);
	put_runs(w, c, level_of, true, 1);
	if (w->is_out_of_memory)
		return;
	length = w->n - at - 4;
	for (unsigned i = 0; i < 4; i++)
		w->page[at + i] = (unsigned char)(length >> 8 * i);
}

static unsigned bits_of(size_t n)
{
	unsigned bits = 1;

	while (n > (size_t)1 << bits)
		bits++;
	return bits;
}

static void put_numbers(struct parquet_writer *w, const struct parquet_values *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->is_none[i])
			put_little(w, c->values[i], c->type == PARQUET_SMALL ? 4 : 8);
}

/* Eight to a byte, the first one in the lowest bit. */
static void put_bools(struct parquet_writer *w, const struct parquet_values *c)
{
	unsigned byte = 0, n = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (c->is_none[i])
			continue;
		byte |= (unsigned)(c->values[i] != 0) << n % 8;
		if (++n % 8)
			continue;
		put_little(w, byte, 1);
		byte = 0;
	}
	if (n % 8)
		put_little(w, byte, 1);
}

/* ---- pages ------------------------------------------------------------------------------------- */

static size_t pack(struct parquet_writer *w)
{
	size_t most;

	if (!w->compressor)
		w->compressor = libdeflate_alloc_compressor(LEVEL);
	most = w->compressor ? libdeflate_gzip_compress_bound(w->compressor, w->n) : 0;
	if (!most || !array_reserve(&w->packed, &w->packed_size, most, 1)) {
		w->is_out_of_memory = true;
		return 0;
	}
	return libdeflate_gzip_compress(w->compressor, w->page, w->n, w->packed, most);
}

static void put_header(struct thrift *t, const struct parquet_values *c, bool is_dictionary,
		       size_t plain, size_t packed)
{
	thrift_begin(t, 0);
	thrift_i32(t, 1, is_dictionary ? PAGE_DICTIONARY : PAGE_DATA);
	thrift_i32(t, 2, (int32_t)plain);
	thrift_i32(t, 3, (int32_t)packed);
	thrift_begin(t, is_dictionary ? 7 : 5);
	if (is_dictionary) {
		thrift_i32(t, 1, (int32_t)strings_count(c->texts));
		thrift_i32(t, 2, ENCODING_PLAIN);
	} else {
		thrift_i32(t, 1, (int32_t)c->n);
		thrift_i32(t, 2, c->type == PARQUET_TEXT ? ENCODING_DICTIONARY : ENCODING_PLAIN);
		thrift_i32(t, 3, ENCODING_RLE);
		thrift_i32(t, 4, ENCODING_RLE);
	}
	thrift_end(t);
	thrift_end(t);
}

/* Write the page that has been put together. Returns where it is. */
static int64_t write_page(struct parquet_writer *w, const struct parquet_values *c,
			  bool is_dictionary, struct parquet_chunk *chunk)
{
	int64_t offset = (int64_t)w->bytes;
	size_t packed = pack(w);
	struct thrift t = {0};

	w->is_too_large |= w->n > INT32_MAX || packed > INT32_MAX;
	put_header(&t, c, is_dictionary, w->n, packed);
	w->is_out_of_memory |= t.is_out_of_memory;
	chunk->plain_bytes += (int64_t)(t.n + w->n);
	chunk->packed_bytes += (int64_t)(t.n + packed);
	parquet_write(w, t.bytes, t.n);
	parquet_write(w, w->packed, packed);
	thrift_free(&t);
	w->n = 0;
	return offset;
}

static void put_texts(struct parquet_writer *w, const struct strings *texts)
{
	for (size_t i = 0; i < strings_count(texts); i++) {
		size_t n;
		const char *bytes = strings_get(texts, (uint32_t)i, &n);

		put_little(w, n, 4);
		put_bytes(w, bytes, n);
	}
}

/* A column of texts always has a dictionary, if only an empty one. */
static bool has_dictionary(struct parquet_writer *w, struct parquet_values *c)
{
	if (c->type == PARQUET_TEXT && !c->texts)
		c->texts = strings_new();
	w->is_out_of_memory |= c->type == PARQUET_TEXT && !c->texts;
	return c->texts;
}

void parquet_write_chunk(struct parquet_writer *w, struct parquet_values *c,
			 struct parquet_chunk *chunk)
{
	*chunk = (struct parquet_chunk){.values = (int64_t)c->n};
	w->n = 0;
	if (has_dictionary(w, c)) {
		put_texts(w, c->texts);
		chunk->dictionary = write_page(w, c, true, chunk);
	}
	if (c->has_none)
		put_levels(w, c);
	if (c->type == PARQUET_TEXT) {
		unsigned bits = c->texts ? bits_of(strings_count(c->texts)) : 1;

		put_little(w, bits, 1);
		put_runs(w, c, value_of, false, bits);
	} else if (c->type == PARQUET_BOOL) {
		put_bools(w, c);
	} else {
		put_numbers(w, c);
	}
	chunk->data = write_page(w, c, false, chunk);
	forget(c);
}

/* ---- the footer -------------------------------------------------------------------------------- */

void parquet_put_element(struct thrift *t, const struct parquet_values *c)
{
	thrift_begin(t, 0);
	thrift_i32(t, 1, types[c->type].type);
	thrift_i32(t, 3, c->has_none ? OPTIONAL : REQUIRED);
	thrift_text(t, 4, c->name);
	if (types[c->type].converted != CONVERTED_NONE)
		thrift_i32(t, 6, types[c->type].converted);
	thrift_end(t);
}

void parquet_put_chunk(struct thrift *t, const struct parquet_values *c,
		       const struct parquet_chunk *chunk)
{
	thrift_begin(t, 0);
	thrift_i64(t, 2, chunk->dictionary ? chunk->dictionary : chunk->data);
	thrift_begin(t, 3);
	thrift_i32(t, 1, types[c->type].type);
	thrift_list(t, 2, THRIFT_I32, chunk->dictionary ? 3 : 2);
	thrift_element_i32(t, ENCODING_PLAIN);
	thrift_element_i32(t, ENCODING_RLE);
	if (chunk->dictionary)
		thrift_element_i32(t, ENCODING_DICTIONARY);
	thrift_list(t, 3, THRIFT_TEXT, 1);
	thrift_element_text(t, c->name);
	thrift_i32(t, 4, CODEC_GZIP);
	thrift_i64(t, 5, chunk->values);
	thrift_i64(t, 6, chunk->plain_bytes);
	thrift_i64(t, 7, chunk->packed_bytes);
	thrift_i64(t, 9, chunk->data);
	if (chunk->dictionary)
		thrift_i64(t, 11, chunk->dictionary);
	thrift_end(t);
	thrift_end(t);
}
