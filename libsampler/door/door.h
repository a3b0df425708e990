/* SPDX-License-Identifier: MIT */
/*
 * door.h - where the target comes in contact with the recorder.
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

#include "door/config.h"

struct itimerval;

/* The functions that are wrapped, resolved at the start: never in a wrapper, which may be called
 * where the loader must not be asked. Any of them may be NULL. */
struct cps_door_real {
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*pthread_cancel)(pthread_t);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
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

/* Start recording, if it has not been decided yet: the constructor does, or a wrapped call that the
 * constructors of other libraries make before it. */
void cps_door_open(void);

/* Wrapped calls are split by purpose; each file's part of the start. 0 or an error number. */
int cps_wrap_thread_prepare(void);
int cps_wrap_process_prepare(void);
int cps_control_prepare(int toggle_signal);
/* The recording ends when the time is over that cps_gate_limit was given. */
void cps_control_set_deadline(void);
void cps_wrap_syscall_resolve(void);
void cps_wrap_seccomp_prepare(enum cps_seccomp mode);

/* Has the recording ended before a filter, which what this process becomes by exec inherits?
 * Such a program is told by this variable not to record itself. */
bool cps_wrap_seccomp_is_confined(void);
#define CPS_CONFINED "CPSAMPLE_CONFINED=1"

/* seccomp(2), which has no function of its own. Its result, or -errno. */
long cps_wrap_seccomp(unsigned long operation, unsigned long flags, const void *filter);

/* The calling thread begins: a tick finds room for its frame from now on. */
void cps_wrap_altstack_begin(void);
void cps_wrap_altstack_end(void);

#endif
