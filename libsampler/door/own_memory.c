/* SPDX-License-Identifier: MIT */
/*
 * own_memory.c - marks the memory of the recorded process.
 *
 * The number of a process does not tell it from its child: in a new namespace a child is process 1,
 * as its parent may be that of another one. So there is also a page that the kernel clears in a child
 * with memory of its own (MADV_WIPEONFORK, since Linux 4.14).
 */
#include "door/own_memory.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "base/sys.h"

#define BYTES 4096

static int recorded_pid;
static _Atomic int *mark; /* not 0 in the recorded process; NULL: the kernel does not clear pages */

static _Atomic int *new_mark(void)
{
	void *page = cps_sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (page && CPS_SYS(madvise, page, BYTES, MADV_WIPEONFORK, 0) != 0) {
		cps_sys_munmap(page, BYTES);
		page = NULL;
	}
	return page;
}

void cps_own_memory_begin(void)
{
	recorded_pid = cps_sys_getpid();
	if (!mark)
		mark = new_mark();
	if (mark)
		atomic_store(mark, 1);
}

/* Whether this is a child of vfork, which has our memory. The C library gives each thread a list of
 * robust mutexes, of which such a child has none; nor has a thread made by a bare clone(2). */
static bool has_no_thread_of_its_own(void)
{
	void *list = NULL;
	size_t bytes;

	return CPS_SYS(get_robust_list, 0, &list, &bytes, 0) == 0 && !list;
}

bool cps_own_memory_is_here(void)
{
	if (cps_sys_getpid() != recorded_pid || (mark && !atomic_load(mark)))
		return false;
	/* A child in a new namespace is process 1, as we are. */
	return recorded_pid != 1 || !has_no_thread_of_its_own();
}

bool cps_own_memory_is_copy(void)
{
	return mark ? !atomic_load(mark) : cps_sys_getpid() != recorded_pid;
}

int cps_own_memory_pid(void)
{
	return recorded_pid;
}
