/* SPDX-License-Identifier: MIT */
/*
 * wrap_exec.c - ends the recording before the process becomes another program.
 *
 * In: the exec family. Out: the real call, with nothing armed that could hit the new program. If it
 * fails, the recording continues.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "door/again.h"
#include "door/door.h"
#include "door/life.h"
#include "signal/disposition.h"
#include "signal/masked.h"

#define EXPORT __attribute__((visibility("default")))

/* In a handler that has interrupted fork, or a call that is held. A program's mask of signals is the next one's, too. */
static void unblock(void)
{
	uint64_t mask = cps_wrap_process_blocked() | cps_masked_held();

	if (mask)
		CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

static bool leave(void)
{
	const struct cps_clock *clock;
	bool has_left;

	cps_door_open();
	if (!cps_again_has_ticks())
		return false;
	clock = cps_life_clock();
	has_left = cps_life_leave(CPS_STOP_EXEC);
	cps_disposition_leave(has_left && !clock->is_external ? clock->meter->signal : 0);
	unblock();
	return has_left;
}

static int come_back(bool has_left, int result, int error)
{
	if (cps_again_has_ticks())
		cps_disposition_return();
	if (has_left)
		cps_life_return();
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
	if (cps_door_real.name) {                                                                  \
		result = cps_door_real.name(__VA_ARGS__);                                          \
		error = errno;                                                                     \
	}                                                                                          \
	return come_back(has_left, result, error)

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	CALL(execve, path, argv, ENVIRONMENT(envp));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	CALL(execvpe, file, argv, ENVIRONMENT(envp));
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
	return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
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
	return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	COLLECT(argv, first, list);
	va_end(list);
	return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *envp;
	va_list list;
	COLLECT(argv, first, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}
