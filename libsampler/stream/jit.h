/* SPDX-License-Identifier: MIT */
/*
 * jit.h - keeps the names of code that the target has generated.
 */
#ifndef CPS_JIT_H
#define CPS_JIT_H

/*
 * [signal] If samples lie in generated code, copy the code's names from /tmp/perf-PID.map into the
 * stream. Just-in-time compilers write this file for perf(1). When the recording is read, it may be
 * gone, or belong to another process.
 */
void cps_jit_keep(void);

#endif
