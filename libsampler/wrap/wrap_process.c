/* SPDX-License-Identifier: MIT */
/*
 * wrap_process.c - follows a process through fork, exec, waits for children, and to its end.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"
#include "process/process_life.h"
#include "process/start.h"
#include "signal/disposition.h"
#include "signal/interruption.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

/* ---- fork and exit --------------------------------------------------------------------------- */
/*
 * Follows a process through fork, and to an end without exit(3).
 *
 * In: fork, _Fork, clone, _exit, abort. Out: a recording for the child, the end of this process's.
 * GNU sort, for example, ends by _exit. vfork(2) is not wrapped, because its child shares our
 * memory.
 */

#define EXPORT __attribute__((visibility("default")))

/* Blocks the clock's signal. A signal that arrives while the kernel copies the process makes the
 * kernel begin again, so that it would never finish if ticks came faster than it takes to copy.
 * Recent C libraries block all signals themselves. */
static uint64_t block(void)
{
	const struct cps_clock *clock = cps_process_life_clock();
	uint64_t mask, before;

	if (!clock)
		return 0;
	mask = UINT64_C(1) << (clock->meter->signal - 1);
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, &mask, &before, sizeof(mask));
	return mask & ~before;
}

static void unblock(uint64_t mask)
{
	if (mask)
		CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

/* What before_fork has blocked: the clock may be another one, or none, afterwards. A handler of the target's that
 * comes in between may fork, too. What is blocked then is the outer call's to unblock. */
static __thread uint64_t blocked;
static __thread unsigned forks; /* calls of fork that have not returned */
static __thread bool is_daemon, left_for_daemon;

static void before_fork(void)
{
	if (!forks++)
		blocked = block();
}

/* A handler may have left a call by longjmp, after which no mask of signals is as it was. */
static void end_fork(void)
{
	uint64_t mask = blocked;

	if (forks && --forks)
		return;
	blocked = 0;
	unblock(mask);
}

static void after_fork(void)
{
	if (is_daemon)
		left_for_daemon = cps_process_life_leave(CPS_STOP_NONE);
	end_fork();
}

/* The child may never go on with an outer call, of fork or one that is held. */
static void in_child(void)
{
	cps_process_life_child();
	unblock(blocked | cps_masked_held());
	end_fork();
}

static uint64_t blocked_now(void)
{
	return blocked;
}

static void call_end(void *unused)
{
	(void)unused;
	cps_process_life_end(CPS_STOP_NONE);
}

/* What pthread_atfork and at_quick_exit call, as weak symbols (find.h). */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *dso);
extern int __cxa_at_quick_exit(void (*f)(void *), void *dso);
#pragma weak __register_atfork
#pragma weak __cxa_at_quick_exit
extern __attribute__((visibility("hidden"))) void *__dso_handle;

int cps_wrap_process_prepare(void)
{
	int error = __register_atfork(before_fork, after_fork, in_child, &__dso_handle);

	return error ? error : __cxa_at_quick_exit(call_end, &__dso_handle);
}

/* _Fork does not call the handlers of pthread_atfork. */
EXPORT pid_t _Fork(void)
{
	uint64_t mask;
	pid_t pid;

	cps_start();
	if (!cps_real._Fork)
		return fork();
	mask = block();
	pid = cps_real._Fork();
	if (pid == 0)
		cps_process_life_child();
	unblock(pid == 0 ? mask | cps_masked_held() : mask);
	return pid;
}

/* The first process of daemon ends inside the C library, without a call that is wrapped. */
EXPORT int daemon(int no_chdir, int no_close)
{
	int result, error;

	cps_start();
	if (!cps_real.daemon) {
		errno = ENOSYS;
		return -1;
	}
	is_daemon = true;
	result = cps_real.daemon(no_chdir, no_close);
	error = errno;
	is_daemon = false;
	if (left_for_daemon)
		cps_process_life_return();
	left_for_daemon = false;
	errno = error;
	return result;
}

struct start {
	int (*routine)(void *);
	void *argument;
	uint64_t mask;
};

static int begin(void *argument)
{
	const struct start *start = argument;
	int status;

	cps_process_life_child();
	unblock(start->mask | cps_masked_held());
	status = start->routine(start->argument);
	cps_process_life_end(CPS_STOP_NONE);
	return status;
}

/* A child with memory of its own is recorded like one of fork's. Its copy of our frame stays valid
 * after we return. A child that shares memory is a thread, or like one of vfork's. */
EXPORT int clone(int (*routine)(void *), void *stack, int flags, void *argument, ...)
{
	struct start start = {routine, argument, 0};
	void *more[3];
	va_list list;
	int result, error;

	va_start(list, argument);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	cps_start();
	if (!cps_real.clone) {
		errno = ENOSYS;
		return -1;
	}
	if (!routine || !cps_process_life_clock() || flags & CLONE_VM)
		return cps_real.clone(routine, stack, flags, argument, more[0], more[1], more[2]);
	start.mask = block();
	result = cps_real.clone(begin, stack, flags, &start, more[0], more[1], more[2]);
	error = errno;
	unblock(start.mask);
	errno = error;
	return result;
}

/* Wrappers do not call each other by their names: in a process that is attached to, those are the C library's. */
static __attribute__((noreturn)) void end_process(int status)
{
	cps_process_life_end(CPS_STOP_NONE);
	if (cps_real._exit)
		cps_real._exit(status);
	for (;;)
		CPS_SYS(exit_group, status, 0, 0, 0);
}

EXPORT void _exit(int status)
{
	end_process(status);
}

EXPORT void _Exit(int status)
{
	end_process(status);
}

/* A process that no tick has met has no recording yet that would outlive it, and what the thread has used since its last tick is
 * in none. A handler of the program's may leave this call by longjmp, so that nothing ends here. */
EXPORT void abort(void)
{
	cps_start();
	cps_process_life_may_end();
	if (cps_real.abort)
		cps_real.abort();
	for (;;)
		CPS_SYS(tgkill, cps_sys_getpid(), cps_sys_gettid(), SIGKILL, 0);
}

/* ---- exec ------------------------------------------------------------------------------------ */
/*
 * Ends the recording before the process becomes another program.
 *
 * In: the exec family. Out: the real call, with nothing armed that could hit the new program. If it
 * fails, the recording continues.
 */

/* In a handler that has interrupted fork, or a call that is held. A program's mask of signals is the next one's, too. */
static void unblock_for_exec(void)
{
	uint64_t mask = blocked_now() | cps_masked_held();

	if (mask)
		CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

static bool leave(void)
{
	const struct cps_clock *clock;
	bool has_left;

	cps_start();
	if (!cps_eintr_restart_has_ticks())
		return false;
	clock = cps_process_life_clock();
	has_left = cps_process_life_leave(CPS_STOP_EXEC);
	cps_disposition_leave(has_left && !clock->is_external ? clock->meter->signal : 0);
	unblock_for_exec();
	return has_left;
}

static int come_back(bool has_left, int result, int error)
{
	if (cps_eintr_restart_has_ticks())
		cps_disposition_return();
	if (has_left)
		cps_process_life_return();
	errno = error;
	return result;
}

static size_t count_texts(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static char *const *mark(char **marked, char *const *envp)
{
	static char confined[] = CPS_CONFINED;
	size_t n = count_texts(envp);

	memcpy(marked, envp, n * sizeof(*envp));
	marked[n] = confined;
	marked[n + 1] = NULL;
	return marked;
}

/* The environment for the new program. It is made on the stack, because this may be a child of
 * vfork. */
#define ENVIRONMENT(envp)                                                                          \
	(cps_wrap_seccomp_is_confined()                                                            \
		 ? mark(__builtin_alloca((count_texts(envp) + 2) * sizeof(char *)), envp)          \
		 : (envp))

/* Expands to the call, with the end of the recording before it and its continuation after it. */
#define CALL(name, ...)                                                                            \
	bool has_left = leave();                                                                   \
	int result = -1, error = ENOSYS;                                                           \
                                                                                                   \
	if (cps_real.name) {                                                                       \
		result = cps_real.name(__VA_ARGS__);                                               \
		error = errno;                                                                     \
	}                                                                                          \
	return come_back(has_left, result, error)

static int own_execve(const char *path, char *const argv[], char *const envp[])
{
	CALL(execve, path, argv, ENVIRONMENT(envp));
}

static int own_execvpe(const char *file, char *const argv[], char *const envp[])
{
	CALL(execvpe, file, argv, ENVIRONMENT(envp));
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return own_execve(path, argv, envp);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return own_execvpe(file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	CALL(fexecve, fd, argv, ENVIRONMENT(envp));
}

EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	CALL(execveat, fd, path, argv, ENVIRONMENT(envp), flags);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return own_execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return own_execvpe(file, argv, environ);
}

/* The number of arguments up to and with the NULL. */
static size_t count(va_list list)
{
	size_t n = 2;

	while (va_arg(list, char *))
		n++;
	return n;
}

static void collect(char **argv, const char *first, size_t n, va_list list)
{
	argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i < n; i++)
		argv[i] = va_arg(list, char *);
}

/* Collects the arguments on the stack, not on the heap: this may be a child of vfork or a signal
 * handler. */
#define COLLECT(argv, first, list)                                                                 \
	size_t n;                                                                                  \
	char **argv;                                                                               \
                                                                                                   \
	va_start(list, first);                                                                     \
	n = count(list);                                                                           \
	va_end(list);                                                                              \
	argv = __builtin_alloca(n * sizeof(*argv));                                                \
	va_start(list, first);                                                                     \
	collect(argv, first, n, list)

EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;
	COLLECT(argv, first, list);
	va_end(list);
	return own_execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	COLLECT(argv, first, list);
	va_end(list);
	return own_execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list list;
	COLLECT(argv, first, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return own_execve(path, argv, envp);
}

/* ---- waits for children ---------------------------------------------------------------------- */
/*
 * Tells the clock when a wait for a child is over.
 *
 * In: wait and its kin. Out: the real calls. The kernel goes on with them after a tick, so that
 * they need not be made again; but a shell hardly does anything else than to wait in them, and
 * works in between for less than a tick of the kernel (waiting.h, doc/decisions/0067).
 */

pid_t __wait(int *status);
pid_t __waitpid(pid_t pid, int *status, int options);

static inline struct cps_eintr_restart_wait begin_wait(int options)
{
	struct cps_eintr_restart_wait w = cps_eintr_restart_begin();

	if (!(options & WNOHANG))
		cps_waiting_sleep();
	return w;
}

CPS_EXPORT pid_t wait(int *status)
{
	CPS_BLOCKS(CPS_WAIT, wait);
	CPS_EINTR_RESTART_WAIT w = begin_wait(0);

	return CPS_EINTR_RESTART(w, CPS_REAL(wait)(status));
}

CPS_EXPORT pid_t __wait(int *status) __attribute__((alias("wait")));

CPS_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	CPS_BLOCKS(CPS_WAIT, waitpid);
	CPS_EINTR_RESTART_WAIT w = begin_wait(options);

	return CPS_EINTR_RESTART(w, CPS_REAL(waitpid)(pid, status, options));
}

CPS_EXPORT pid_t __waitpid(pid_t pid, int *status, int options) __attribute__((alias("waitpid")));

CPS_EXPORT pid_t wait3(int *status, int options, struct rusage *used)
{
	CPS_BLOCKS(CPS_WAIT, wait3);
	CPS_EINTR_RESTART_WAIT w = begin_wait(options);

	return CPS_EINTR_RESTART(w, CPS_REAL(wait3)(status, options, used));
}

CPS_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *used)
{
	CPS_BLOCKS(CPS_WAIT, wait4);
	CPS_EINTR_RESTART_WAIT w = begin_wait(options);

	return CPS_EINTR_RESTART(w, CPS_REAL(wait4)(pid, status, options, used));
}

CPS_EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *info, int options)
{
	CPS_BLOCKS(CPS_WAIT, waitid);
	CPS_EINTR_RESTART_WAIT w = begin_wait(options);

	return CPS_EINTR_RESTART(w, CPS_REAL(waitid)(kind, id, info, options));
}
