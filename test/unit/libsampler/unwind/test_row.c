/* SPDX-License-Identifier: MIT */
/*
 * test_row.c - a row in the table is the one that the call frame information gives.
 *
 * The addresses are in the C library's code, in random order. Several threads at once take the
 * lines of the table from each other.
 *
 * Seen to fail: with keys that have room for 47 bits of an address only, bit 47 was the lowest of a generation; when what
 * has more than 48 was looked up by such a key, it had the row of another address.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "libsampler/unwind/cfi.h"
#include "libsampler/unwind/row.h"
#include "own_modules.h"

#define THREADS 4

static const struct cps_module *libc;
static uintptr_t first, bytes; /* of the C library's code */
static atomic_uint wrong;

static void start(void)
{
	uint32_t number;

	own_modules_init(NULL);
	number = cps_module_find((uintptr_t)strtok);
	cr_assert_neq(number, CPS_MODULE_NONE);
	libc = cps_module_get(number);
	for (uint32_t i = 0; i < libc->n_segments; i++) {
		if (!(libc->segments[i].flags & 1))
			continue;
		first = libc->bias + libc->segments[i].vaddr;
		bytes = libc->segments[i].memory_bytes;
	}
	cr_assert_gt(bytes, 100000);
	cr_assert(cps_row_prepare());
}

static bool is_right(uintptr_t pc)
{
	uint64_t row = cps_row_of(0, pc, false);
	struct cps_row want;

	cps_cfi_row(libc, pc, false, &want);
	if ((row & CPS_ROW_KIND) != want.kind)
		return false;
	return want.kind != CPS_ROW_FAST ||
	       (cps_row_cfa(row) == want.cfa_offset && cps_row_fp(row) == want.fp_offset &&
		!!(row & CPS_ROW_FROM_FP) == want.from_fp);
}

/* All addresses come once or twice, because the step has no factor in common with their number. */
static void *look(void *seed)
{
	uintptr_t at = (uintptr_t)seed % bytes;

	for (uintptr_t i = 0; i < bytes; i++) {
		atomic_fetch_add(&wrong, !is_right(first + at));
		at = (at + 777769) % bytes; /* a prime */
	}
	return NULL;
}

/* Neighbouring addresses are looked up one after the other, so that a row may have been found by
 * another address. */
Test(row, all_of_the_c_library, .init = start)
{
	unsigned learnt = 0;

	for (uintptr_t pc = first; pc < first + bytes; pc++)
		atomic_fetch_add(&wrong, !is_right(pc));
	cr_assert_eq(wrong, 0);
	look(NULL);
	cr_assert_eq(wrong, 0);
	for (size_t i = 0; i < 1u << CPS_ROW_LINES; i++)
		for (size_t k = 0; k < CPS_ROW_ENTRIES; k++)
			learnt += cps_row_table[i].entry[k] != 0;
	cr_assert(learnt > 1000 && learnt < bytes / 4, "%u", learnt);
}

Test(row, of_several_threads, .init = start)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, look, (void *)(i * 300007)), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(wrong, 0);
}

/* After an unload an address may be another function's, and it may have 48 bits. */
Test(row, of_one_generation_is_not_that_of_another)
{
	const uint64_t highest = (UINT64_C(1) << 48) - 1;

	for (unsigned bit = 0; bit < 25; bit++)
		cr_assert_neq(cps_row_key_high(1), cps_row_key_high(1 + (1u << bit)));
	cr_assert_eq(highest >> CPS_ROW_BITS & cps_row_key_high(UINT32_MAX), 0);
}

/* What no address can be has no row, though its lower bits are those of one that has. */
Test(row, of_an_address_with_too_many_bits, .init = start)
{
	uint64_t row = cps_row_of(cps_row_key_high(1), (uintptr_t)strtok, false);

	cr_assert_eq(row & CPS_ROW_KIND, CPS_ROW_FAST);
	for (unsigned bit = CPS_ROW_ADDRESS_BITS; bit < 64; bit++) {
		uintptr_t pc = (uintptr_t)strtok | UINT64_C(1) << bit;

		cr_assert_eq(cps_row_of(cps_row_key_high(0), pc, true), CPS_ROW_NONE);
		cr_assert_eq(cps_row_of(cps_row_key_high(1), pc, true), CPS_ROW_NONE);
	}
}
