/* SPDX-License-Identifier: MIT */
/*
 * copy.c - lets the kernel copy memory that may not be there.
 *
 * In: any address. Out: bytes, or the news that there are none.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>

#include "base/copy.h"
#include "base/sys.h"
#include "base/poison.h"

#define PAGE_BYTES 4096u

static atomic_bool is_confined;

void cps_copy_confine(void)
{
	atomic_store(&is_confined, true);
}

bool cps_copy_is_safe(void)
{
	return !atomic_load_explicit(&is_confined, memory_order_relaxed);
}

/* Asks about each page before it loads from it. */
static bool ask_and_load(uint8_t *to, uintptr_t from, size_t n)
{
	while (n) {
		size_t part = PAGE_BYTES - from % PAGE_BYTES;

		if (part > n)
			part = n;
		if (!cps_sys_readable(from & ~(uintptr_t)7))
			return false;
		memcpy(to, (const void *)from, part);
		to += part;
		from += part;
		n -= part;
	}
	return true;
}

bool cps_copy(void *to, uintptr_t from, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)from, n};

	if (cps_copy_is_safe()) {
		long result = cps_sys6(SYS_process_vm_readv, cps_sys_getpid(), (long)&here, 1,
				       (long)&there, 1, 0);

		if (result != -ENOSYS && result != -EPERM)
			return result == (long)n;
		cps_copy_confine(); /* the kernel was built without the call, or it is forbidden */
	}
	return ask_and_load(to, from, n);
}
