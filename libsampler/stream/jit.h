/* SPDX-License-Identifier: MIT */
/*
 * jit.h - names of code that the target has generated, for those who convert later.
 */
#ifndef CPS_JIT_H
#define CPS_JIT_H

/*
 * [signal] If samples lie in generated code and the target has written its names to
 * /tmp/perf-PID.map, as just-in-time compilers do for perf(1), copy them into the stream: the file
 * may be gone, or another process's, when the recording is read.
 */
void cps_jit_keep(void);

#endif
