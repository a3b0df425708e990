/* SPDX-License-Identifier: MIT */
/*
 * unpack.c - inflates a block of memory (RFC 1950, RFC 1951).
 *
 * Room: names. In: a zlib stream. Out: its bytes. zlib's inflate can stop anywhere and go on later;
 * here all is there from the beginning, so bits are taken eight bytes at a time, and a code word,
 * its length and the bits that follow it come out of one look into a table. It refuses what zlib
 * refuses.
 */
#include "unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BITS_MAX	15u /* of a code word */
#define LENGTH_BITS	11u /* of them, those that the first look goes by */
#define DISTANCE_BITS	9u
#define SIZE_BITS	7u
#define LOOK_BITS	28u  /* the longest: a distance, and 13 bits behind it */
#define LENGTHS		286u /* symbols: literals, end of block, lengths of matches */
#define LENGTHS_FIXED	288u
#define DISTANCES	30u
#define DISTANCES_FIXED 32u
#define END_OF_BLOCK	256u

/*
 * What a table says of the bits to come: bits 0 to 7, how many go; 8 to 11, how many of them are the
 * code word; 12 to 15, what it is; the rest, a value, to which the bits behind the code word are
 * added. All zero: no code word.
 */
#define DROP_MASK   0xffu
#define CODE_SHIFT  8
#define CODE_MASK   0xfu
#define LITERAL	    0x1000u
#define BASE	    0x2000u
#define END	    0x4000u
#define LONGER	    0x8000u /* the value is where the table for the longer ones begins */
#define VALUE_SHIFT 16

/* For each beginning of longer code words there is a table of all that may follow. */
#define LENGTH_TABLE   ((1u << LENGTH_BITS) + (LENGTHS_FIXED << (BITS_MAX - LENGTH_BITS)))
#define DISTANCE_TABLE ((1u << DISTANCE_BITS) + (DISTANCES_FIXED << (BITS_MAX - DISTANCE_BITS)))

/* What was read and is not used yet. Copied to where no write into memory can change it. */
struct bits {
	const unsigned char *in, *end;
	uint64_t word; /* the next bit is the lowest */
	unsigned n;
};

struct unpacking {
	struct bits bits;
	unsigned char *start, *out, *end;
	uint32_t lengths[LENGTH_TABLE], distances[DISTANCE_TABLE];
};

/* ---- bits ---- */

/* At least 56 bits; behind the end they are anything. False: it is long past. */
static inline bool refill(struct bits *b)
{
	uint64_t word;

	if (b->in > b->end + (UNPACK_PADDING - sizeof(word)))
		return false;
	memcpy(&word, b->in, sizeof(word)); /* little endian */
	b->word |= word << b->n;
	b->in += (63 - b->n) >> 3;
	b->n |= 56;
	return true;
}

static inline void drop(struct bits *b, unsigned n)
{
	b->word >>= n;
	b->n -= n;
}

static inline unsigned take(struct bits *b, unsigned n)
{
	unsigned value = (unsigned)b->word & ((1u << n) - 1);

	drop(b, n);
	return value;
}

/* On to the next whole byte: those that were read in advance are given back. */
static bool align(struct bits *b)
{
	b->in -= b->n >> 3;
	b->word = 0;
	b->n = 0;
	return b->in <= b->end;
}

/* ---- tables ---- */

static unsigned reversed(unsigned code, unsigned n)
{
	unsigned result = 0;

	for (; n > 0; n--, code >>= 1)
		result = result << 1 | (code & 1);
	return result;
}

/* Enter a code word of n bits, with whatever may follow it. */
static void enter(uint32_t *table, unsigned bits, unsigned *used, unsigned code, unsigned n,
		  uint32_t entry)
{
	unsigned size = 1u << bits, first = code & (size - 1), step = 1u << n;

	entry += n << CODE_SHIFT | n; /* to the bits that are added to the value */
	if (n > bits) {
		size = 1u << (BITS_MAX - bits);
		if (!table[first]) {
			table[first] = LONGER | *used << VALUE_SHIFT;
			memset(table + *used, 0, sizeof(*table) * size);
			*used += size;
		}
		table += table[first] >> VALUE_SHIFT;
		code >>= bits;
		step >>= bits;
	}
	for (; code < size; code += step)
		table[code] = entry;
}

/* The first code word of each size; how many of the longest are missing. */
static int first_codes(const unsigned *count, unsigned *next)
{
	unsigned code = 0;
	int left = 1;

	for (unsigned i = 1; i <= BITS_MAX && left >= 0; i++) {
		left = left * 2 - (int)count[i];
		next[i] = code;
		code = (code + count[i]) << 1;
	}
	return left;
}

/* From the sizes of n symbols' code words. False: there are none of such sizes. `lone`: there may be
 * but one, of one bit. */
static bool make_table(uint32_t *table, unsigned bits, const unsigned char *sizes,
		       uint32_t (*meaning)(unsigned symbol), unsigned n, bool lone)
{
	unsigned count[BITS_MAX + 1] = {0}, next[BITS_MAX + 1], used = 1u << bits;
	int left;

	for (unsigned i = 0; i < n; i++)
		count[sizes[i]]++;
	left = first_codes(count, next);
	if (left < 0 || (left > 0 && count[0] < n && !(lone && count[1] && count[0] + 1 == n)))
		return false;
	memset(table, 0, sizeof(*table) << bits);
	for (unsigned i = 0; i < n; i++)
		if (sizes[i])
			enter(table, bits, &used, reversed(next[sizes[i]]++, sizes[i]), sizes[i],
			      meaning(i));
	return true;
}

static uint32_t meaning_itself(unsigned symbol)
{
	return LITERAL | symbol << VALUE_SHIFT;
}

static uint32_t meaning_length(unsigned symbol)
{
	unsigned s = symbol - END_OF_BLOCK - 1, bits = s < 8 ? 0 : s / 4 - 1;

	if (symbol <= END_OF_BLOCK)
		return symbol < END_OF_BLOCK ? meaning_itself(symbol) : END;
	if (symbol >= LENGTHS - 1)
		return symbol == LENGTHS - 1 ? BASE | 258u << VALUE_SHIFT : 0;
	return BASE | bits | (3 + (s < 8 ? s : (4 + s % 4) << bits)) << VALUE_SHIFT;
}

static uint32_t meaning_distance(unsigned symbol)
{
	unsigned bits = symbol < 4 ? 0 : symbol / 2 - 1;

	if (symbol >= DISTANCES)
		return 0;
	return BASE | bits | (1 + (symbol < 4 ? symbol : (2 + symbol % 2) << bits)) << VALUE_SHIFT;
}

static void make_fixed(struct unpacking *u)
{
	unsigned char sizes[LENGTHS_FIXED];

	memset(sizes, 8, 144);
	memset(sizes + 144, 9, 112);
	memset(sizes + 256, 7, 24);
	memset(sizes + 280, 8, 8);
	make_table(u->lengths, LENGTH_BITS, sizes, meaning_length, LENGTHS_FIXED, false);
	memset(sizes, 5, DISTANCES_FIXED);
	make_table(u->distances, DISTANCE_BITS, sizes, meaning_distance, DISTANCES_FIXED, false);
}

/* The sizes of code words, packed by a code of their own: 16 says the last one again, 17 and 18 are
 * runs of zeros. */
static bool read_sizes(struct bits *b, const uint32_t *table, unsigned char *sizes, unsigned n)
{
	for (unsigned i = 0; i < n;) {
		uint32_t e;
		unsigned what, run = 1;

		if (!refill(b))
			return false;
		e = table[b->word & ((1u << SIZE_BITS) - 1)];
		what = e >> VALUE_SHIFT;
		if (!e || (what == 16 && i == 0))
			return false;
		drop(b, e & DROP_MASK);
		if (what >= 16)
			run = what == 18 ? 11 + take(b, 7) : 3 + take(b, what - 14);
		if (run > n - i)
			return false;
		memset(sizes + i, what == 16 ? sizes[i - 1] : what > 16 ? 0 : (int)what, run);
		i += run;
	}
	return true;
}

static bool read_tables(struct unpacking *u)
{
	static const unsigned char order[] = {16, 17, 18, 0, 8,	 7, 9,	6, 10, 5,
					      11, 4,  12, 3, 13, 2, 14, 1, 15};
	unsigned char sizes[LENGTHS + DISTANCES], of_sizes[sizeof(order)] = {0};
	unsigned n_lengths = 257 + take(&u->bits, 5), n_distances = 1 + take(&u->bits, 5);
	unsigned n = 4 + take(&u->bits, 4);

	if (n_lengths > LENGTHS || n_distances > DISTANCES)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!refill(&u->bits))
			return false;
		of_sizes[order[i]] = (unsigned char)take(&u->bits, 3);
	}
	return make_table(u->lengths, SIZE_BITS, of_sizes, meaning_itself, sizeof(order), false) &&
	       read_sizes(&u->bits, u->lengths, sizes, n_lengths + n_distances) &&
	       sizes[END_OF_BLOCK] &&
	       make_table(u->lengths, LENGTH_BITS, sizes, meaning_length, n_lengths, true) &&
	       make_table(u->distances, DISTANCE_BITS, sizes + n_lengths, meaning_distance,
			  n_distances, true);
}

/* ---- blocks ---- */

static bool copy_stored(struct unpacking *u)
{
	struct bits *b = &u->bits;
	unsigned n;

	if (!align(b) || b->end - b->in < 4)
		return false;
	n = b->in[0] | (unsigned)b->in[1] << 8;
	if ((n ^ (b->in[2] | (unsigned)b->in[3] << 8)) != 0xffff)
		return false;
	b->in += 4;
	if (n > (size_t)(b->end - b->in) || n > (size_t)(u->end - u->out))
		return false;
	memcpy(u->out, b->in, n);
	b->in += n;
	u->out += n;
	return true;
}

/* What the next bits mean; they are not dropped yet. */
static inline uint32_t look(const uint32_t *table, unsigned bits, const struct bits *b)
{
	uint32_t e = table[b->word & ((1u << bits) - 1)];

	if (e & LONGER)
		e = table[(e >> VALUE_SHIFT) + (b->word >> bits & ((1u << (BITS_MAX - bits)) - 1))];
	return e;
}

/* Drop the bits of an entry; returns its value, the bits behind the code word added. */
static inline unsigned take_value(struct bits *b, uint32_t e)
{
	unsigned n = e & DROP_MASK, code = e >> CODE_SHIFT & CODE_MASK;
	unsigned more = (unsigned)(b->word >> code) & ((1u << (n - code)) - 1);

	drop(b, n);
	return (e >> VALUE_SHIFT) + more;
}

/* Of what stands `distance` back, which may be what is being written. */
static inline void copy_match(unsigned char *to, size_t distance, size_t n, size_t room)
{
	const unsigned char *from = to - distance;

	if (distance >= 8 && room >= n + 8) {
		for (size_t i = 0; i < n; i += 8)
			memcpy(to + i, from + i, 8);
		return;
	}
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

/* A block with codes, up to its end. */
static bool unpack_block(struct unpacking *u)
{
	struct bits b = u->bits;
	unsigned char *out = u->out, *const end = u->end;
	size_t n, distance;
	uint32_t e;

	for (;;) {
		if (!refill(&b))
			return false;
		while ((e = look(u->lengths, LENGTH_BITS, &b)) & LITERAL) {
			if (out == end)
				return false;
			*out++ = (unsigned char)(e >> VALUE_SHIFT);
			drop(&b, e & DROP_MASK);
			if (b.n < LOOK_BITS && !refill(&b))
				return false;
		}
		if (!(e & BASE))
			break;
		n = take_value(&b, e);
		if (b.n < LOOK_BITS && !refill(&b))
			return false;
		e = look(u->distances, DISTANCE_BITS, &b);
		distance = take_value(&b, e);
		if (!(e & BASE) || distance > (size_t)(out - u->start) || n > (size_t)(end - out))
			return false;
		copy_match(out, distance, n, (size_t)(end - out));
		out += n;
	}
	drop(&b, e & DROP_MASK);
	u->bits = b;
	u->out = out;
	return e & END;
}

/* All blocks, and the checksum behind them. */
static bool unpack_all(struct unpacking *u)
{
	bool is_last = false, ok = true;
	const unsigned char *p;

	while (ok && !is_last) {
		if (!refill(&u->bits))
			return false;
		is_last = take(&u->bits, 1);
		switch (take(&u->bits, 2)) {
		case 0: /* stored */
			ok = copy_stored(u);
			break;
		case 1: /* with fixed codes */
			make_fixed(u);
			ok = unpack_block(u);
			break;
		case 2: /* with codes of its own */
			ok = read_tables(u) && unpack_block(u);
			break;
		default:
			return false;
		}
	}
	if (!ok || u->out != u->end || !align(&u->bits) || u->bits.end - u->bits.in < 4)
		return false;
	p = u->bits.in;
	return adler32(1, u->start, (uInt)(u->end - u->start)) ==
	       ((uLong)p[0] << 24 | (uLong)p[1] << 16 | (uLong)p[2] << 8 | p[3]);
}

/* The method, which is deflate, the window, at most 32 KiB, and no dictionary. */
static bool has_head(const unsigned char *from, size_t n)
{
	return n >= 2 && (from[0] & 0xf) == Z_DEFLATED && from[0] >> 4 <= MAX_WBITS - 8 &&
	       (from[0] << 8 | from[1]) % 31 == 0 && !(from[1] & 0x20);
}

int unpack(const unsigned char *from, size_t n, unsigned char *to, size_t bytes)
{
	struct unpacking *u = malloc(sizeof(*u));
	bool ok;

	if (!u)
		return -ENOMEM;
	u->bits = (struct bits){.in = from + 2, .end = from + n};
	u->start = u->out = to;
	u->end = to + bytes;
	ok = has_head(from, n) && unpack_all(u);
	free(u);
	return ok ? 0 : -ENODATA;
}
