/* SPDX-License-Identifier: MIT */
/*
 * stdio.h - counts the bytes that the C library's streams read and write.
 */
#ifndef CPS_STDIO_H
#define CPS_STDIO_H

#include <stdbool.h>
#include <stdint.h>

/* Count from now on what streams pass to the kernel and get from it, for the resources read and write. False:
 * this C library's streams are not as they are known to be, so that they are not counted. Not for handlers. */
bool cps_stdio_begin(void);

/* To be called where the process ends by exit, when the C library has yet to write what stands in the buffers of
 * streams: count that. Returns how many bytes that are. */
uint64_t cps_stdio_settle(void);

#endif
