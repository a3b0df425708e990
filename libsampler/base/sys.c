/* SPDX-License-Identifier: MIT */
/*
 * sys.c - system calls that are made directly, and descriptors that the target does not meet.
 */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/sys.h"
#include "base/poison.h"

/* ---- sys ------------------------------------------------------------------------------------- */
/*
 * Counts the system calls that are made, and says where memory is to be mapped, and what
 * terminals wait for.
 *
 * In: sizes, descriptors. Out: a number of each thread; addresses that follow each other; numbers
 * of bytes.
 */

/* From this library downwards. The kernel maps from there downwards, too, but hardly any program maps so much. It is not
 * more, because ThreadSanitizer ends a program that has something far away from where libraries usually are. */
#define APART	   (UINT64_C(256) << 30)
#define PAGE_BYTES ((size_t)CPS_PAGE_MOST)

size_t cps_sys_page_bytes = CPS_PAGE_LEAST;

void cps_sys_learn_page(size_t page)
{
	if (page >= CPS_PAGE_LEAST && page <= CPS_PAGE_MOST)
		cps_sys_page_bytes = page;
}

uintptr_t cps_sys_self_below;

/* A C library without threads may have no name for the first one. */
void cps_sys_learn_self(uintptr_t self)
{
	enum { MOST = 1 << 20 };
	uintptr_t below = cps_regs_thread_pointer() - self;

	if (below < MOST)
		cps_sys_self_below = below;
}

__thread uint32_t cps_sys_calls;

static _Atomic uintptr_t placed; /* bytes */

/* Nobody needs to be right about this, so the order does not matter. */
uintptr_t cps_sys_place(size_t n)
{
	uintptr_t here = (uintptr_t)&placed & ~(PAGE_BYTES - 1);

	if (here < 2 * APART)
		return 0;
	n = (n + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	return here - APART +
	       atomic_fetch_add_explicit(&placed, n, memory_order_relaxed) % (APART / 2);
}

size_t cps_sys_terminal_least(int fd, uint64_t *gap)
{
	enum { PIECE = 64 }; /* since Linux 5.12 no read waits for more */
	struct termios t;

	*gap = 0;
	if (CPS_SYS(ioctl, fd, TCGETS, &t, 0) != 0 || t.c_lflag & ICANON || !t.c_cc[VMIN])
		return 1;
	*gap = t.c_cc[VTIME] * UINT64_C(100000000);
	return t.c_cc[VMIN] < PIECE ? t.c_cc[VMIN] : PIECE;
}

/* ---- descriptor ------------------------------------------------------------------------------ */
/*
 * Moves descriptors to numbers that the target's own files hardly ever get.
 *
 * In: a descriptor with the lowest free number. Out: one with a high number.
 */

int cps_descriptor_move(int fd, bool (*is_same)(int a, int b))
{
	int moved;

	if (fd < 0 || fd >= CPS_DESCRIPTOR_LEAST)
		return fd;
	moved = (int)CPS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, CPS_DESCRIPTOR_LEAST, 0);
	if (moved < 0)
		return fd;
	if (is_same(fd, moved))
		cps_sys_close(fd);
	return moved;
}

static bool is_same_file(int a, int b)
{
	struct stat s, t;

	return CPS_SYS(fstat, a, &s, 0, 0) == 0 && CPS_SYS(fstat, b, &t, 0, 0) == 0 &&
	       s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

int cps_descriptor_open(const char *path, int flags, int mode)
{
	return cps_descriptor_move(cps_sys_open(path, flags, mode), is_same_file);
}
