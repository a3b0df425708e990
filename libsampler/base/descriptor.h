/* SPDX-License-Identifier: MIT */
/*
 * descriptor.h - keeps our descriptors away from the numbers that the target's own files get.
 *
 * A program may close descriptor 0 and rely on the next file that it opens to be 0. The kernel has no
 * call that opens a file at another number than the lowest free one. So a descriptor of ours is moved
 * as soon as it is there (doc/decisions/0058).
 */
#ifndef CPS_DESCRIPTOR_H
#define CPS_DESCRIPTOR_H

#include <stdbool.h>

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
