/* SPDX-License-Identifier: MIT */
/*
 * passed.h - gives descriptors of the launcher's to a process, whose file systems need not have what they are of.
 */
#ifndef LAUNCHER_PASSED_H
#define LAUNCHER_PASSED_H

#include "launcher/hijack.h"

#define PASSED_BYTES 4096 /* of the process's memory that is needed meanwhile */

/* Give it n descriptors, at most 8, close-on-exec and with high numbers, by its thread, which is entered. `memory`: an address
 * where it has room for PASSED_BYTES. False, with *why: it has none of them. */
bool passed_give(struct hijack *h, uint64_t memory, const int *fds, int *theirs, size_t n,
		 const char **why);

/* Have it close them again. */
void passed_close(struct hijack *h, const int *theirs, size_t n);

#endif
