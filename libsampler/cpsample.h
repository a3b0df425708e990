/* SPDX-License-Identifier: MIT */
/*
 * cpsample.h - lets a program say what of it is to be recorded.
 *
 * Include it and call; nothing is linked. Under LD_PRELOAD=libcpsample.so the calls reach the recorder,
 * without it they do nothing. They may be made from any thread and in signal handlers, and leave errno
 * alone.
 */
#ifndef CPSAMPLE_H
#define CPSAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Record from here on, in all threads, if recording was stopped. */
void cpsample_start(void) __attribute__((weak));

/* Do not record from here on, in any thread. What is consumed until cpsample_start is not credited to
 * anything. What was recorded so far is in the file when this returns. */
void cpsample_stop(void) __attribute__((weak));

/* Note the moment in the recording under this name, of which 1,000 bytes are kept. cpconv --info lists the marks. */
void cpsample_mark(const char *name) __attribute__((weak));

#ifdef __cplusplus
}
#endif

/* A weak symbol that nobody defines is at address 0. */
#define cpsample_start()    ((cpsample_start) ? (cpsample_start)() : (void)0)
#define cpsample_stop()	    ((cpsample_stop) ? (cpsample_stop)() : (void)0)
#define cpsample_mark(name) ((cpsample_mark) ? (cpsample_mark)(name) : (void)0)

#endif
