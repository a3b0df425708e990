/* SPDX-License-Identifier: MIT */
/*
 * summary.h - the one line that CPSAMPLE_VERBOSE=1 prints.
 */
#ifndef CPS_SUMMARY_H
#define CPS_SUMMARY_H

#include <stdint.h>

/* Say on standard error what was recorded. If there is no file, `wanted` is named. */
void cps_summary(const char *wanted, uint64_t cpu_ns);

#endif
