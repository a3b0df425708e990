/* SPDX-License-Identifier: MIT */
/*
 * waits_by_number.c - waits.c with all calls made by syscall(2), and those for which the C library has no function.
 */
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* calls that have no number */

#include "wait_by_number.h"
#include "waits.c"
