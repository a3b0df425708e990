/* SPDX-License-Identifier: MIT */
/*
 * parquet.c - writes Parquet files.
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "export/parquet.h"

/* ---- thrift ---------------------------------------------------------------------------------- */
/*
 * Writes Thrift's compact protocol, of which the headers of Parquet are made. It is described in
 * github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
 */

#define THRIFT_DEEPEST 8

/* All zero at first. */
struct thrift {
	unsigned char *bytes;
	size_t n, size;
	bool is_out_of_memory;	  /* from then on nothing is written */
	unsigned depth;		  /* of structs */
	int last[THRIFT_DEEPEST]; /* the number of the last field of each */
};

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_TEXT = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

/* A list of fewer elements has their number in its first byte. */
#define SHORT_LIST 15u

static void put_bytes(struct thrift *t, const void *bytes, size_t n)
{
	t->is_out_of_memory |= !array_reserve(&t->bytes, &t->size, t->n + n, 1);
	if (t->is_out_of_memory || !n)
		return;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

static void put_byte(struct thrift *t, unsigned byte)
{
	const unsigned char b = (unsigned char)byte;

	put_bytes(t, &b, 1);
}

static void put_varint(struct thrift *t, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_byte(t, (unsigned)(value & 0x7f) | 0x80);
	put_byte(t, (unsigned)value);
}

static void put_zigzag(struct thrift *t, int64_t value)
{
	put_varint(t, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* A byte has the type, and how far the number is from that of the field before. All fields that Parquet has
 * are near enough. */
static void put_field(struct thrift *t, int field, enum thrift_type type)
{
	int *last = &t->last[t->depth];

	put_byte(t, (unsigned)(field - *last) << 4 | (unsigned)type);
	*last = field;
}

/* Fields of the innermost struct, in ascending order of their numbers. */
static void thrift_i32(struct thrift *t, int field, int32_t value)
{
	put_field(t, field, THRIFT_I32);
	put_zigzag(t, value);
}

static void thrift_i64(struct thrift *t, int field, int64_t value)
{
	put_field(t, field, THRIFT_I64);
	put_zigzag(t, value);
}

static void thrift_element_text(struct thrift *t, const char *text)
{
	size_t n = strlen(text);

	put_varint(t, n);
	put_bytes(t, text, n);
}

static void thrift_text(struct thrift *t, int field, const char *text)
{
	put_field(t, field, THRIFT_TEXT);
	thrift_element_text(t, text);
}

/* A list of n, which have to follow: structs, or by the two functions below. */
static void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n)
{
	put_field(t, field, THRIFT_LIST);
	put_byte(t, (unsigned)(n < SHORT_LIST ? n : SHORT_LIST) << 4 | (unsigned)of);
	if (n >= SHORT_LIST)
		put_varint(t, n);
}

static void thrift_element_i32(struct thrift *t, int32_t value)
{
	put_zigzag(t, value);
}

/* A struct begins: as a field, or as an element of a list or alone (field 0). Each has to end. */
static void thrift_begin(struct thrift *t, int field)
{
	if (field)
		put_field(t, field, THRIFT_STRUCT);
	t->last[++t->depth] = 0;
}

static void thrift_end(struct thrift *t)
{
	put_byte(t, 0);
	t->depth--;
}

static void thrift_free(struct thrift *t)
{
	free(t->bytes);
	*t = (struct thrift){0};
}

/* ---- parquet page ---------------------------------------------------------------------------- */
/*
 * Writes the pages of a column.
 *
 * In: values. Out: a page of the texts that occur, if they are texts; a page with the values. Both
 * are compressed.
 */

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

struct parquet_writer {
	struct out *out;
	uint64_t bytes; /* written so far */
	bool is_out_of_memory, is_too_large;
	unsigned char *page, *packed;
	size_t n, page_size, packed_size;
	struct libdeflate_compressor *compressor;
};

/* Where the values of a column are, for one group of rows. */
struct parquet_chunk {
	int64_t values;		  /* how many, with those that are none */
	int64_t dictionary, data; /* offsets of pages; dictionary 0: there is none */
	int64_t plain_bytes, packed_bytes;
};

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

static int parquet_values_add(struct parquet_values *c, uint64_t value)
{
	return add(c, value, false);
}

static int parquet_values_add_text(struct parquet_values *c, const char *bytes, size_t n)
{
	uint32_t number;

	if (!c->texts)
		c->texts = strings_new();
	number = c->texts ? strings_add(c->texts, bytes, n) : STRINGS_NONE;
	return number == STRINGS_NONE ? -1 : add(c, number, false);
}

static int parquet_values_add_none(struct parquet_values *c)
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

static void parquet_values_free(struct parquet_values *c)
{
	forget(c);
	free(c->name);
	free(c->values);
	free(c->is_none);
}

/* ---- bytes ------------------------------------------------------------------------------------- */

static void parquet_write(struct parquet_writer *w, const void *bytes, size_t n)
{
	if (n)
		out_bytes(w->out, bytes, n);
	w->bytes += n;
}

static void parquet_writer_free(struct parquet_writer *w)
{
	if (w->compressor)
		libdeflate_free_compressor(w->compressor);
	free(w->page);
	free(w->packed);
}

static void put_page_bytes(struct parquet_writer *w, const void *bytes, size_t n)
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
	put_page_bytes(w, bytes, n);
}

static void put_page_varint(struct parquet_writer *w, uint64_t value)
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
	put_page_varint(w, times << 1);
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
		put_page_bytes(w, bytes, n);
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

/* Write the pages of the column, and forget its values. */
static void parquet_write_chunk(struct parquet_writer *w, struct parquet_values *c,
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

/* Describe the column, and a chunk of it, in the footer. */
static void parquet_put_element(struct thrift *t, const struct parquet_values *c)
{
	thrift_begin(t, 0);
	thrift_i32(t, 1, types[c->type].type);
	thrift_i32(t, 3, c->has_none ? OPTIONAL : REQUIRED);
	thrift_text(t, 4, c->name);
	if (types[c->type].converted != CONVERTED_NONE)
		thrift_i32(t, 6, types[c->type].converted);
	thrift_end(t);
}

static void parquet_put_chunk(struct thrift *t, const struct parquet_values *c,
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

/* ---- parquet --------------------------------------------------------------------------------- */

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

bool parquet_has_column(const struct parquet *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcasecmp(p->columns[i].name, name))
			return true;
	return false;
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
