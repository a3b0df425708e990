/* SPDX-License-Identifier: MIT */
/*
 * gives_up.h - a wait that fails when a signal comes, and which neither the kernel nor the C library makes again.
 *
 * For libraries that play the part of a driver or of a file system.
 */
#ifndef GIVES_UP_H
#define GIVES_UP_H

#include <errno.h>
#include <sys/syscall.h>

/* 0; or -1 with errno, if a signal has come meanwhile. */
static int gives_up(long ns)
{
	const struct {
		long s, ns;
	} t = {0, ns};
	long result;

#ifdef __aarch64__
	register long x0 __asm__("x0") = (long)&t, x1 __asm__("x1") = 0;
	register long x8 __asm__("x8") = SYS_nanosleep;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x8) : "memory");
	result = x0;
#else
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_nanosleep), "D"(&t), "S"(0)
			 : "rcx", "r11", "memory");
#endif
	errno = result ? (int)-result : errno;
	return result ? -1 : 0;
}

#endif
