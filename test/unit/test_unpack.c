/* SPDX-License-Identifier: MIT */
/* test_unpack.c - what zlib has packed is unpacked as zlib unpacks it, and what zlib refuses is
 * refused. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "unpack.h"

#define BYTES	   200000u
#define PACKED	   (BYTES + BYTES / 10 + 1000)
#define GUARD	   64u
#define GUARD_BYTE 0xa5

static unsigned char plain[BYTES], packed[PACKED + UNPACK_PADDING];
static unsigned char ours[BYTES + 1 + GUARD], theirs[BYTES + 1];

/* The same numbers in every run. */
static unsigned random_number(unsigned below)
{
	static unsigned long long state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

enum { ALIKE, NOISE, WORDS, RUNS, DISTANT, SKEWED, N_KINDS };

/* Bytes of many kinds: code words of all lengths, matches of all distances. */
static void fill(int kind, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned bit = 0;

		while (bit < 20 && random_number(2))
			bit++;
		plain[i] = kind == ALIKE     ? 0
			   : kind == NOISE   ? (unsigned char)random_number(256)
			   : kind == WORDS   ? (unsigned char)"the quick brown fox "[i % 20]
			   : kind == RUNS    ? (unsigned char)(i / (1 + i % 7) / 40)
			   : kind == DISTANT ? (unsigned char)(i < 40000 ? random_number(256)
									 : plain[i - 32768])
					     : (unsigned char)(bit * 11);
		if (kind == WORDS && random_number(50) == 0)
			plain[i] = (unsigned char)random_number(256);
	}
}

static size_t pack(size_t n, int level, int strategy)
{
	z_stream z = {
		.next_in = plain, .avail_in = (uInt)n, .next_out = packed, .avail_out = PACKED};

	cr_assert_eq(deflateInit2(&z, level, Z_DEFLATED, 15, 9, strategy), Z_OK);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static bool zlib_unpacks(size_t n, size_t bytes)
{
	z_stream z = {.next_in = packed,
		      .avail_in = (uInt)n,
		      .next_out = theirs,
		      .avail_out = (uInt)bytes};
	int rc;

	cr_assert_eq(inflateInit(&z), Z_OK);
	rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return rc == Z_STREAM_END && z.avail_out == 0;
}

/* Both do the same, and nothing is written behind the end. Returns whether it is a stream. */
static bool same(size_t n, size_t bytes)
{
	bool is_stream = zlib_unpacks(n, bytes);
	int rc;

	memset(ours, GUARD_BYTE, sizeof(ours));
	rc = unpack(packed, n, ours, bytes);
	cr_assert_eq(rc, is_stream ? 0 : -ENODATA, "%zu bytes, zlib %d, here %d", n, is_stream, rc);
	if (is_stream)
		cr_assert(!memcmp(ours, theirs, bytes));
	for (size_t i = 0; i < GUARD; i++)
		cr_assert_eq(ours[bytes + i], GUARD_BYTE, "written %zu behind the end", i);
	return is_stream;
}

static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};

Test(unpack, what_zlib_packs)
{
	static const size_t sizes[] = {0, 1, 2, 3, 7, 100, 4000, 70000, BYTES};

	for (int kind = 0; kind < N_KINDS; kind++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			for (int how = 0; how < 4 * 3; how++) {
				static const int levels[] = {0, 1, 9};
				size_t n;

				fill(kind, sizes[i]);
				n = pack(sizes[i], levels[how / 4], strategies[how % 4]);
				cr_assert(same(n, sizes[i]), "kind %d, %zu bytes", kind, sizes[i]);
				cr_assert_not(same(n, sizes[i] + 1), "it ends too early");
				if (sizes[i])
					cr_assert_not(same(n, sizes[i] - 1), "it is too long");
			}
}

/* Any byte may be wrong, any number of them missing; what stands behind the end does not matter. */
Test(unpack, what_is_damaged)
{
	size_t refused = 0;

	for (int kind = 0; kind < N_KINDS; kind++)
		for (int i = 0; i < 1000; i++) {
			size_t bytes = 1 + random_number(2000), n;

			fill(kind, bytes);
			n = pack(bytes, i % 10, strategies[i % 4]);
			memset(packed + n, (int)random_number(256), UNPACK_PADDING);
			if (i % 2)
				n = random_number((unsigned)n);
			else
				packed[random_number((unsigned)n)] ^= 1u << random_number(8);
			refused += !same(n, bytes);
		}
	cr_assert_geq(refused, N_KINDS * 960);
}

/* Headers of blocks with codes that are too many, too few, or none, which zlib would not write. */
Test(unpack, forged_codes)
{
	for (int i = 0; i < 100000; i++) {
		size_t n = 8 + random_number(60);

		packed[0] = 0x78;
		packed[1] = 0x9c;
		for (size_t k = 2; k < n + UNPACK_PADDING; k++)
			packed[k] = (unsigned char)random_number(256);
		packed[2] = (unsigned char)((packed[2] & 0xf8) | 5);
		same(n, random_number(300));
	}
}

Test(unpack, heads)
{
	size_t n;

	fill(WORDS, 1000);
	n = pack(1000, 6, Z_DEFAULT_STRATEGY);
	for (unsigned first = 0; first < 256; first++)
		for (unsigned second = 0; second < 256; second++) {
			packed[0] = (unsigned char)first;
			packed[1] = (unsigned char)second;
			same(n, 1000);
		}
	cr_assert_not(same(1, 1000));
}
