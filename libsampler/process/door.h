/* SPDX-License-Identifier: MIT */
/*
 * door.h - the recorder's start, and the real functions behind the wrapped ones.
 */
#ifndef CPS_DOOR_H
#define CPS_DOOR_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <threads.h>

#include "process/config.h"

struct itimerval;

/* The functions that are wrapped. They are looked up at the start and never in a wrapper, which may
 * be called where the loader must not be asked. Each of them may be NULL. */
struct cps_door_real {
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*pthread_cancel)(pthread_t);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*sigaltstack)(const stack_t *, stack_t *);
	sighandler_t (*signal)(int, sighandler_t);
	sighandler_t (*sysv_signal)(int, sighandler_t);
	sighandler_t (*sigset)(int, sighandler_t);
	int (*sigignore)(int);
	int (*siginterrupt)(int, int);
	int (*setitimer)(int, const struct itimerval *, struct itimerval *);
	int (*getitimer)(int, struct itimerval *);
	int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*sigprocmask)(int, const sigset_t *, sigset_t *);
	int (*sigblock)(int);
	int (*sigsetmask)(int);
	int (*sighold)(int);
	int (*dlclose)(void *);
	void (*exit_now)(int);
	void (*abort)(void);
	pid_t (*fork_now)(void);
	int (*daemon)(int, int);
	int (*clone)(int (*)(void *), void *, int, void *, ...);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	int (*prctl)(int, ...);
};

extern struct cps_door_real cps_door_real;

/* Start recording, unless that was done or refused before. The constructor calls this, and so does
 * every wrapped call, which the constructors of other libraries may make earlier. */
void cps_door_open(void);

#endif
