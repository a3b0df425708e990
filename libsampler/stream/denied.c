/* SPDX-License-Identifier: MIT */
/*
 * denied.c - counts the children of fork that cannot write their recordings.
 *
 * In: what children tell. Out: a number and an errno, for the parent's end record. A page is touched
 * only by a child that has something to tell.
 *
 * Order: the error is stored before the number, and read after it.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/sys.h"
#include "stream/denied.h"
#include "base/poison.h"

#define BYTES 4096

struct word {
	_Atomic uint64_t n;
	_Atomic uint32_t error;
};

static struct word *above, *own; /* the parent's, and that for our children; NULL: none */

void cps_denied_begin(void)
{
	cps_arena_unmap(above, BYTES);
	above = own;
	own = cps_sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	if (own)
		cps_arena_unlock(own, BYTES);
}

void cps_denied_tell(uint64_t n, int error)
{
	if (!above || !n)
		return;
	atomic_store(&above->error, error < 0 ? (uint32_t)-error : 0);
	atomic_fetch_add(&above->n, n);
}

uint64_t cps_denied_count(uint32_t *error)
{
	uint64_t n = own ? atomic_load(&own->n) : 0;

	*error = n ? atomic_load(&own->error) : 0;
	return n;
}
