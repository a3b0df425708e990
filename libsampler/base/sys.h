/* SPDX-License-Identifier: MIT */
/*
 * sys.h - system calls that are made directly, and descriptors that the target does not meet.
 */
#ifndef CPS_SYS_H
#define CPS_SYS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch/arch.h"

/* ---- sys ------------------------------------------------------------------------------------- */
/*
 * Makes system calls directly.
 *
 * The C library's wrappers are cancellation points, set errno, and can be replaced by the target or
 * by another preloaded library. The functions here are and do none of that. Each returns a value or
 * -errno and is async-signal-safe, hence [signal] throughout.
 */

/* [signal] */
static inline int cps_sys_open(const char *path, int flags, int mode)
{
	return (int)CPS_SYS(openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

/* [signal] */
static inline int cps_sys_close(int fd)
{
	return (int)CPS_SYS(close, fd, 0, 0, 0);
}

/* [signal] */
static inline long cps_sys_read(int fd, void *bytes, size_t n)
{
	return CPS_SYS(read, fd, bytes, n, 0);
}

/* [signal] */
static inline long cps_sys_write(int fd, const void *bytes, size_t n)
{
	return CPS_SYS(write, fd, bytes, n, 0);
}

/* [signal] */
static inline int cps_sys_unlink(const char *path)
{
	return (int)CPS_SYS(unlinkat, AT_FDCWD, path, 0, 0);
}

/* The size of the system's pages, on machines that have several; the least of them until it is learned. */
extern size_t cps_sys_page_bytes;
/* [outside] */
void cps_sys_learn_page(size_t page);

/* [signal] */
static inline size_t cps_sys_page(void)
{
	return CPS_PAGE_LEAST == CPS_PAGE_MOST ? CPS_PAGE_LEAST : cps_sys_page_bytes;
}

/* How far below the thread pointer its control block begins, by whose address the C library names a thread: 0 where the
 * pointer is that address; and where it is not, until one thread's name is learned. */
extern uintptr_t cps_sys_self_below;
/* [outside] Learn it of the calling thread, whose name is `self`. */
void cps_sys_learn_self(uintptr_t self);

/* [signal] The calling thread's name, as pthread_self says it. */
static inline uintptr_t cps_sys_self(void)
{
	return cps_regs_thread_pointer() - cps_sys_self_below;
}

/* [signal] Where n bytes are to be mapped: apart from what the target maps, lest they come where it has just unmapped
 * something. The kernel takes it as a wish, and maps elsewhere if something is there already. 0: anywhere. */
uintptr_t cps_sys_place(size_t n);

/* [signal] Returns NULL, not MAP_FAILED, if there is no memory. With fd -1 the memory is
 * anonymous. */
static inline void *cps_sys_mmap(size_t n, int protection, int flags, int fd)
{
	long result = cps_sys6(SYS_mmap, (long)cps_sys_place(n), (long)n, protection, flags, fd, 0);

	return result < 0 && result > -4096 ? NULL : (void *)result;
}

/* [signal] */
static inline int cps_sys_munmap(void *start, size_t n)
{
	return (int)CPS_SYS(munmap, start, n, 0, 0);
}

/* [signal] Block all signals of the calling thread. Returns the mask that was in force, to be set
 * again. A handler of the target's that leaves by longjmp must not interrupt what has acquired
 * something: it would stay acquired for ever. */
static inline uint64_t cps_sys_block_signals(void)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t mask = 0;

	CPS_SYS(rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &mask, sizeof(mask));
	return mask;
}

/* [signal] */
static inline void cps_sys_set_mask(uint64_t mask)
{
	CPS_SYS(rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, NULL, sizeof(mask));
}

/* [signal] Nanoseconds of any clock; 0 if it cannot be read. */
static inline uint64_t cps_sys_clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (CPS_SYS(clock_gettime, clock, &ts, 0, 0) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* [signal] CPU time (ns) of the process's children that have ended and were waited for, and of
 * theirs, beyond what it was `before`. */
static inline uint64_t cps_sys_children_ns(uint64_t before)
{
	struct rusage usage;
	uint64_t us, ns;

	if (CPS_SYS(getrusage, RUSAGE_CHILDREN, &usage, 0, 0) != 0)
		return 0;
	us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u;
	ns = (us + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)) * 1000u;
	return ns > before ? ns - before : 0;
}

/*
 * [signal] Let other threads run for a moment, in a loop that waits for one of them. Not for the
 * handler. Returns false when a second has passed since *until was 0.
 *
 * On a busy machine a thread that was put aside in the middle of its work comes back later than any
 * number of sched_yield takes. A thread with a real-time priority gives way only to such threads. So
 * this yields for the first millisecond, and sleeps afterwards.
 */
static inline int cps_sys_patience(uint64_t *until)
{
	static const struct timespec nap = {0, 100000};
	uint64_t now = cps_sys_clock_ns(CLOCK_MONOTONIC), most = 1000000000;

	if (!*until)
		*until = now + most;
	if (now >= *until)
		return 0;
	if (*until - now > most - most / 1000)
		CPS_SYS(sched_yield, 0, 0, 0, 0);
	else
		CPS_SYS(nanosleep, &nap, NULL, 0, 0);
	return 1;
}

/* [signal] The CPU clock of any thread of this process, as pthread_getcpuclockid builds it. */
static inline clockid_t cps_sys_thread_clock(int tid)
{
	return (clockid_t)((~(unsigned)tid << 3) | 6u);
}

/* [signal] The clock of the kernel's ticks that have met that thread in user mode, and of all that have met it. */
static inline clockid_t cps_sys_user_clock(int tid)
{
	return (clockid_t)((~(unsigned)tid << 3) | 5u);
}

/* [signal] */
static inline clockid_t cps_sys_tick_clock(int tid)
{
	return (clockid_t)((~(unsigned)tid << 3) | 4u);
}

/* [signal] */
static inline int cps_sys_gettid(void)
{
	return (int)CPS_SYS(gettid, 0, 0, 0, 0);
}

/* [signal] */
static inline int cps_sys_getpid(void)
{
	return (int)CPS_SYS(getpid, 0, 0, 0, 0);
}

/* [signal] Whether a file of so many bytes would exceed the limit of a file's size (RLIMIT_FSIZE).
 * The kernel would then not only refuse to write it but also send SIGXFSZ to the target. */
static inline int cps_sys_exceeds_file_limit(uint64_t bytes)
{
	uint64_t limit[2];

	return CPS_SYS(prlimit64, 0, 1 /* RLIMIT_FSIZE */, NULL, limit) == 0 && bytes > limit[0];
}

/* [signal] How many bytes a read of this terminal waits for (VMIN), if it is one that is not read by lines; otherwise 1.
 * *gap is after how many ns without a byte it ends nevertheless, once it has one (VTIME; 0: never). */
size_t cps_sys_terminal_least(int fd, uint64_t *gap);

/* ---- descriptor ------------------------------------------------------------------------------ */
/*
 * Keeps our descriptors away from the numbers that the target's own files get.
 *
 * A program may close descriptor 0 and rely on the next file that it opens to be 0. The kernel has
 * no call that opens a file at another number than the lowest free one. So a descriptor of ours is
 * moved as soon as it is there (doc/decisions/0058).
 */

/* Descriptors are moved to this number or above. Each process has room for 64 from the beginning, so the
 * kernel does not have to enlarge a table for this, for which it might wait. */
#define CPS_DESCRIPTOR_LEAST 48

/* [signal] Open a file as open(2) does, close-on-exec. Returns a moved descriptor, or -errno. */
int cps_descriptor_open(const char *path, int flags, int mode);

/* [signal] Move a descriptor that was just opened. `is_same` says whether two descriptors are of the same
 * file. Returns the new descriptor, or `fd` if there is no other to be had. If the target has put another
 * file at `fd` meanwhile, that is left alone. */
int cps_descriptor_move(int fd, bool (*is_same)(int a, int b));

#endif
