/* SPDX-License-Identifier: MIT */
/*
 * wrap_file.c - notes where threads are blocked when they open files, or lock parts of them.
 *
 * In: calls with a variable number of arguments, and those that belong to them. Out: the real calls. An open of
 * a pipe with a name waits for the other end, and any open may wait for a disk or a network. The kernel goes on
 * with them after a tick. Unless `real` or `lock` is counted, each wrapper is two loads and a jump.
 */
#undef _FORTIFY_SOURCE /* it would define these functions inline */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>

#include "door/again.h"
#include "door/door.h"
#include "door/find.h"
#include "resource/lock.h"

/* What programs call that were compiled with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

/* clang-format off */
#define CALLS(X)                                                                                   \
	X(open) X(open64) X(openat) X(openat64) X(creat) X(creat64)                                \
	X(__open_2) X(__open64_2) X(__openat_2) X(__openat64_2) X(fcntl) X(fcntl64)
/* clang-format on */

CPS_FIND_CALLS(CALLS, cps_wrap_file_resolve)

#define NO_CALL (errno = ENOSYS, -1)

/* `declaration` declares what of the real call's arguments is variable. */
#define WRAP(name, parameters, counted_parameters, arguments, declaration)                         \
	static __attribute__((noinline)) int name##_counted counted_parameters                     \
	{                                                                                          \
		CPS_BLOCKS_IN(CPS_IO, next.name);                                                  \
                                                                                                   \
		return next.name arguments;                                                        \
	}                                                                                          \
	CPS_EXPORT int name parameters                                                             \
	{                                                                                          \
		declaration;                                                                       \
		if (__builtin_expect(!next.name, 0))                                               \
			resolve_again();                                                           \
		if (__builtin_expect(!next.name, 0))                                               \
			return NO_CALL;                                                            \
		return cps_blocking_is_watched() ? name##_counted arguments : next.name arguments; \
	}

/* The mode is given only where a file may be made; otherwise this is any number, which nobody reads. */
#define MODE                                                                                       \
	va_list rest;                                                                              \
	mode_t mode;                                                                               \
                                                                                                   \
	va_start(rest, flags);                                                                     \
	mode = va_arg(rest, mode_t);                                                               \
	va_end(rest)

#define OPEN(name)                                                                                 \
	WRAP(name, (const char *path, int flags, ...), (const char *path, int flags, mode_t mode), \
	     (path, flags, mode), MODE)
#define OPEN_AT(name)                                                                              \
	WRAP(name, (int directory, const char *path, int flags, ...),                              \
	     (int directory, const char *path, int flags, mode_t mode),                            \
	     (directory, path, flags, mode), MODE)
#define PLAIN(name, parameters, arguments) WRAP(name, parameters, parameters, arguments, )

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)
PLAIN(creat, (const char *path, mode_t mode), (path, mode))
PLAIN(creat64, (const char *path, mode_t mode), (path, mode))
PLAIN(__open_2, (const char *path, int flags), (path, flags))
PLAIN(__open64_2, (const char *path, int flags), (path, flags))
PLAIN(__openat_2, (int directory, const char *path, int flags), (directory, path, flags))
PLAIN(__openat64_2, (int directory, const char *path, int flags), (directory, path, flags))

/* Of its commands these two wait for a lock; who holds it is not known. */
static bool waits(int command)
{
	return (command == F_SETLKW || command == F_OFD_SETLKW) &&
	       (cps_blocking_is_watched() || cps_lock_is_on());
}

#define CONTROL(name)                                                                              \
	static __attribute__((noinline)) int name##_counted(int fd, int command, void *argument)   \
	{                                                                                          \
		CPS_WAITS_FOR(NULL, CPS_LOCK_FILE);                                                \
		CPS_BLOCKS_IN(CPS_LOCK, next.name);                                                \
                                                                                                   \
		return next.name(fd, command, argument);                                           \
	}                                                                                          \
	CPS_EXPORT int name(int fd, int command, ...)                                              \
	{                                                                                          \
		va_list rest;                                                                      \
		void *argument;                                                                    \
                                                                                                   \
		va_start(rest, command);                                                           \
		argument = va_arg(rest, void *);                                                   \
		va_end(rest);                                                                      \
		if (__builtin_expect(!next.name, 0))                                               \
			resolve_again();                                                           \
		if (__builtin_expect(!next.name, 0))                                               \
			return NO_CALL;                                                            \
		return waits(command) ? name##_counted(fd, command, argument)                      \
				      : next.name(fd, command, argument);                          \
	}

CONTROL(fcntl)
CONTROL(fcntl64)
