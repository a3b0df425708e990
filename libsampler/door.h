/* SPDX-License-Identifier: MIT */
/*
 * door.h - where the target comes in contact with the recorder: start, end, wrapped calls.
 */
#ifndef CPS_DOOR_H
#define CPS_DOOR_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>

#include "clock.h"

/* The functions that are wrapped or must not be anybody else's, resolved at the start. */
struct cps_real {
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
	sighandler_t (*signal)(int, sighandler_t);
	sighandler_t (*sysv_signal)(int, sighandler_t);
	int (*dlclose)(void *);
	void (*exit_now)(int);
};

extern struct cps_real cps_real;

/* Start recording, if it has not been decided yet: the constructor does, or a wrapped call that the
 * constructors of other libraries make before it. */
void cps_door_open(void);

/* The process ends: the recording does, once. Does nothing in a child that has not its own. May
 * be called anywhere, in a signal handler too. */
void cps_door_close(void);

/* The clock, or NULL if this process is not recorded. */
const struct cps_clock *cps_door_clock(void);

/* The key whose destructor notices the end of a thread; wrap_thread.c makes it. */
pthread_key_t cps_door_key(void);
int cps_wrap_thread_prepare(pthread_key_t *key);

/* The size of a stack that pthread_create makes when it is not told one. */
uint64_t cps_door_default_stack(void);

#endif
