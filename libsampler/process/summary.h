/* SPDX-License-Identifier: MIT */
/*
 * summary.h - the one line that CPSAMPLE_VERBOSE=1 prints.
 */
#ifndef CPS_SUMMARY_H
#define CPS_SUMMARY_H

#include <stdint.h>

/* Remember which file standard error is, because programs may close it before they end. */
void cps_summary_prepare(void);

/* Say on standard error what was recorded of the program of that name, unless descriptor 2 has become another file. If there is no file, the one is named that was wanted, in two
 * parts. */
void cps_summary(const char *name, const char *stem, const char *suffix, uint64_t cpu_ns);

#endif
