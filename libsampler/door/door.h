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

#include "door/config.h"

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

/* The part of the start that each file with wrapped calls does. 0 or an error number. */
int cps_wrap_thread_prepare(void);

/* To be called before what threads have used is credited: forget those that have ended without notice. */
void cps_wrap_thread_drop_gone(void);
/* In a child made by fork: other threads, which it does not have, use no key. */
void cps_wrap_thread_child(void);
int cps_wrap_process_prepare(void);

/* The signals that the recorder has blocked in this thread while it forks; none outside of fork. A handler may have
 * come in between. */
uint64_t cps_wrap_process_blocked(void);
int cps_control_prepare(int toggle_signal);
/* Set the timer that ends the recording when the time given to cps_gate_limit is over. */
void cps_control_set_deadline(void);

/* Delete it. Under a filter that was announced, calls that its signal interrupts after the end of the
 * recording are not made again. */
void cps_control_drop_deadline(void);
void cps_wrap_block_resolve(void);
void cps_wrap_syscall_resolve(void);
/* The C library's syscall(2). */
extern __attribute__((visibility("hidden"))) long (*cps_wrap_syscall_real)(long, ...);
void cps_wrap_frame_resolve(void);
void cps_wrap_lock_resolve(void);
void cps_wrap_event_resolve(void);
void cps_wrap_file_resolve(void);
/* Also watch transfers that are made by syscall(2), or do not any more. */
void cps_wrap_syscall_watch(bool on);
/* If waits are counted: watch transfers, also see waits for futexes. */
void cps_wrap_syscall_watch_waits(void);
void cps_wrap_seccomp_prepare(bool outlives_filter);

/* Whether the recording has ended because of a filter. A program that this process becomes by exec
 * inherits the filter, so this variable tells it not to record. */
bool cps_wrap_seccomp_is_confined(void);
#define CPS_CONFINED "CPSAMPLE_CONFINED=1"

/* Find out which allocator the target has, for what is said of allocations. */
void cps_wrap_alloc_look(void);

/* The system call seccomp(2), for which the C library has no function. */
long cps_wrap_seccomp(unsigned long operation, unsigned long flags, const void *filter);

/* To be called when the calling thread begins, so that there is space for the frame of a tick; and
 * when it ends. */
void cps_wrap_altstack_begin(void);
void cps_wrap_altstack_end(void);

/* In a child made by fork: those of threads that it does not have are free. */
void cps_wrap_altstack_child(void);

/* To be called in a child of vfork: handlers are to run on the alternate stack that the target has set. */
void cps_wrap_altstack_is_theirs(void);

#endif
