/* SPDX-License-Identifier: MIT */
/*
 * sys.c - counts the system calls that sys.h makes.
 *
 * In: nothing. Out: a number of each thread.
 */
#include "base/sys.h"
#include "base/poison.h"

__thread uint32_t cps_sys_calls;
