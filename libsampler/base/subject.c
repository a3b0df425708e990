/* SPDX-License-Identifier: MIT */
/*
 * subject.c - the process that is recorded: here, the one that this code runs in.
 *
 * A program that records another process from outside has these functions of its own (launcher/elsewhere.c), and all else that
 * follows and writes stacks is the same code.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/subject.h"
#include "base/sys.h"
#include "base/poison.h"

int cps_subject_pid(void)
{
	return cps_sys_getpid();
}

unsigned cps_subject_user(void)
{
	return (unsigned)CPS_SYS(geteuid, 0, 0, 0, 0);
}

const char *cps_subject_path(char *path, const char *file)
{
	static const char self[] = "/proc/self";

	memcpy(path, self, sizeof(self) - 1);
	memcpy(path + sizeof(self) - 1, file, strlen(file) + 1);
	return path;
}

/* ---- copy ------------------------------------------------------------------------------------ */
/*
 * Lets the kernel copy memory that may not be there.
 *
 * In: any address. Out: bytes, or the news that there are none.
 */

#define PAGE_BYTES 4096u

static atomic_bool is_confined; /* Order: a flag by itself */

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

/* The bytes that the kernel has copied. If it does not do that, it is not asked again. */
static size_t copied(void *to, size_t n, const struct iovec *parts, uint32_t n_parts)
{
	struct iovec here = {to, n};
	long result = cps_sys6(SYS_process_vm_readv, cps_sys_getpid(), (long)&here, 1, (long)parts,
			       n_parts, 0);

	if (result == -ENOSYS ||
	    result == -EPERM) /* the kernel was built without it, or it is forbidden */
		cps_copy_confine();
	return result > 0 ? (size_t)result : 0;
}

bool cps_copy(void *to, uintptr_t from, size_t n)
{
	struct iovec there = {(void *)from, n};

	if (cps_copy_is_safe()) {
		bool is_copied = copied(to, n, &there, 1) == n;

		if (cps_copy_is_safe())
			return is_copied;
	}
	return ask_and_load(to, from, n);
}

size_t cps_copy_parts(void *to, const struct iovec *parts, uint32_t n)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += parts[i].iov_len;
	return bytes && cps_copy_is_safe() ? copied(to, bytes, parts, n) : 0;
}

/* ---- peek ------------------------------------------------------------------------------------ */
/*
 * Reads words by copying their page.
 *
 * In: an address. Out: a word. The next words of a stack most often lie in the same page.
 */

/* Where the copy could fault, an address outside of the known stack is not tried if it was guessed:
 * that memory may belong to anything, which may be gone the next moment. A guess that lies within
 * the stack is tried, because the thread is using it. */
bool cps_peek_copied(const struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	uintptr_t page = address & ~(uintptr_t)4095;

	if (k->high && address - k->low >= k->high - k->low)
		return false;
	if (!k->high && k->is_guess && !cps_copy_is_safe())
		return false;
	if (!page) /* as is the page of a copy that could not be made */
		return false;
	if (page != k->copy->page) {
		k->copy->page = 0;
		if (!cps_copy(k->copy->word, page, sizeof(k->copy->word)))
			return false;
		k->copy->page = page;
	}
	*value = k->copy->word[(address & 4095) / 8];
	return true;
}
