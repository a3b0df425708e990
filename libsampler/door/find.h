/* SPDX-License-Identifier: MIT */
/*
 * find.h - finds the C library's functions, and names those that not every C library has.
 *
 * The library is preloaded into whatever a tree of processes executes, also into programs of a
 * chroot with an older C library, or with another one. The loader ends such a program if a symbol, or
 * its version, is not there. So what came after glibc 2.17 is not referred to, and what may be
 * missing is a weak reference to the oldest version (doc/decisions/0047).
 */
#ifndef CPS_FIND_H
#define CPS_FIND_H

#include <stdbool.h>

/* In its own library before glibc 2.34, which is not loaded into every program. */
#define CPS_MAYBE(name)                                                                            \
	_Pragma(CPS_TEXT(weak name)) __asm__(".symver " #name ", " #name "@GLIBC_2.2.5")
#define CPS_TEXT(x) #x

/* The function of this name in the libraries that come after this one, or NULL. Works also where there
 * is no dlsym(3). */
void *cps_find_next(const char *name);

/* Whether the C library is one that can be recorded: glibc, with threads. */
bool cps_find_is_fit(void);

#endif
