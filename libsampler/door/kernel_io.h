/* SPDX-License-Identifier: MIT */
/*
 * kernel_io.h - says beside the resources read and write what the kernel has counted.
 */
#ifndef CPS_KERNEL_IO_H
#define CPS_KERNEL_IO_H

#include <stdint.h>

/* Note what the kernel has counted until now: when counting begins, once in each process. */
void cps_kernel_io_begin(void);

/* At the end: let the recording say what it has counted since then, with so many bytes that exit will
 * write. Nothing is said if it cannot be known. */
void cps_kernel_io_end(uint64_t waiting);

#endif
