/* SPDX-License-Identifier: MIT */
/*
 * real.h - the functions behind the wrapped ones: one table, and one way to find them.
 *
 * Each is the next definition in the order of the loader, so that those of other preloaded libraries are called, too. All of
 * them are looked up at the start. A wrapper that is called before that, or before the library of its function is loaded,
 * looks them up itself.
 *
 * Order: an address is one by itself, and the same whoever finds it. It leads to code, which was there before.
 */
#ifndef CPS_REAL_H
#define CPS_REAL_H

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/gmon.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "collector/calls.h"
#include "process/wrapped.h"

/* glibc exports these as other names of its functions and for _FORTIFY_SOURCE, but does not always
 * declare them. */
int __poll(struct pollfd *fds, nfds_t n, int timeout);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t bytes);
int __select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout);
int __nanosleep(const struct timespec *request, struct timespec *remaining);
int __sigsuspend(const sigset_t *mask) __nonnull((1));
int __xpg_sigpause(int number);
int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes);
ssize_t __send(int fd, const void *from, size_t n, int flags);
ssize_t __read(int fd, void *to, size_t n);
ssize_t __write(int fd, const void *from, size_t n);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room);
ssize_t __pread64(int fd, void *to, size_t n, off64_t at);
ssize_t __pwrite64(int fd, const void *from, size_t n, off64_t at);
ssize_t getdents64(int fd, void *to, size_t n);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
		       socklen_t *bytes);

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
sighandler_t __sysv_signal(int number, sighandler_t handler);
void free_sized(void *block, size_t n);
void free_aligned_sized(void *block, size_t alignment, size_t n);

/* Of libgcc, which has no header for them. */
void __register_frame(void *begin);
void __register_frame_info(const void *begin, void *object);
void __register_frame_info_bases(const void *begin, void *object, void *text, void *data);
void __register_frame_table(void *table);
void __register_frame_info_table(void *table, void *object);
void __register_frame_info_table_bases(void *table, void *object, void *text, void *data);
void __deregister_frame(void *begin);
void *__deregister_frame_info(const void *begin);
void *__deregister_frame_info_bases(const void *begin);

/* The table. A function that the C library does not have is NULL there, or fails with ENOSYS, or as an allocator that has
 * no memory. */
/* clang-format off */
/* syscall(2) is the first one: assembly finds it there (wrap_syscall.c). */
#define CPS_REAL_PROCESS(X) \
	X(syscall) X(pthread_create) X(pthread_cancel) X(thrd_create) X(_exit) X(abort) X(_Fork) X(daemon)   \
	X(clone) X(execve) X(execvpe) X(fexecve) X(execveat) X(prctl) X(dlclose)
#define CPS_REAL_SIGNAL(X) \
	X(sigaction) X(sigaltstack) X(signal) X(__sysv_signal) X(sigset) X(sigignore)             \
	X(siginterrupt) X(setitimer) X(getitimer) X(pthread_sigmask) X(sigprocmask) X(sigblock)   \
	X(sigsetmask) X(sighold)
#define CPS_REAL_LOCK(X) \
	X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock)                 \
	X(pthread_mutex_clocklock) X(pthread_mutex_unlock) X(pthread_rwlock_rdlock)               \
	X(pthread_rwlock_tryrdlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_clockrdlock)   \
	X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_timedwrlock)        \
	X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) X(mtx_lock) X(mtx_trylock)         \
	X(mtx_timedlock) X(mtx_unlock)
/* glibc has condition variables in two versions. A search without a version finds the newer one, which all programs
 * have that were linked since glibc 2.3.2. */
#define CPS_REAL_EVENT(X) \
	X(pthread_cond_wait) X(pthread_cond_timedwait) X(pthread_cond_clockwait)                  \
	X(pthread_cond_signal) X(pthread_cond_broadcast) X(cnd_wait) X(cnd_timedwait)             \
	X(cnd_signal) X(cnd_broadcast) X(sem_wait) X(sem_trywait) X(sem_post)                     \
	X(pthread_testcancel)
#define CPS_REAL_BLOCK(X) \
	X(pthread_join) X(pthread_timedjoin_np) X(pthread_clockjoin_np) X(pthread_barrier_wait)   \
	X(thrd_join) X(sigwait) X(fsync) X(fdatasync) X(syncfs) X(msync) X(tcdrain)               \
	X(tcsendbreak) X(flock) X(lockf) X(lockf64)
#define CPS_REAL_FILE(X) \
	X(open) X(open64) X(openat) X(openat64) X(creat) X(creat64) X(__open_2) X(__open64_2)     \
	X(__openat_2) X(__openat64_2) X(fcntl) X(fcntl64) X(ioctl) X(fallocate) X(fallocate64)    \
	X(posix_fallocate) X(posix_fallocate64) X(swapoff)
#define CPS_REAL_GMON(X) \
	X(__monstartup) X(monstartup) X(_mcleanup) X(moncontrol) X(mcount) X(__fentry__)
#define CPS_REAL_OR_NULL(X) \
	CPS_REAL_PROCESS(X) CPS_REAL_SIGNAL(X) CPS_REAL_LOCK(X) CPS_REAL_EVENT(X) CPS_REAL_BLOCK(X) CPS_REAL_FILE(X) \
	CPS_REAL_GMON(X)

#define CPS_REAL_OR_ENOSYS(X) \
	X(poll) X(__poll_chk) X(ppoll) X(__ppoll_chk) X(select) X(pselect) X(epoll_wait)          \
	X(epoll_pwait) X(epoll_pwait2) X(nanosleep) X(clock_nanosleep) X(usleep) X(sleep)         \
	X(thrd_sleep) X(clock_gettime) X(pause) X(sigsuspend) X(__xpg_sigpause) X(sigwaitinfo)    \
	X(sigtimedwait) X(sem_timedwait) X(sem_clockwait) X(semop) X(semtimedop) X(msgrcv)        \
	X(msgsnd) X(aio_suspend) X(aio_suspend64) X(setsockopt) X(accept) X(accept4) X(connect)   \
	X(recv) X(__recv_chk) X(recvfrom) X(__recvfrom_chk) X(recvmsg) X(recvmmsg) X(send)        \
	X(sendto) X(sendmsg) X(sendmmsg) X(read) X(__read_chk) X(readv) X(write) X(writev)        \
	X(pread) X(pread64) X(__pread_chk) X(__pread64_chk) X(preadv) X(preadv64) X(preadv2)      \
	X(preadv64v2) X(pwrite) X(pwrite64) X(pwritev) X(pwritev64) X(pwritev2) X(pwritev64v2)    \
	X(wait) X(waitpid) X(wait3) X(wait4) X(waitid) X(sendfile) X(sendfile64) X(splice)        \
	X(copy_file_range) X(getrandom) X(getdents64) X(close) X(dup2) X(dup3)

/* The loader must not be asked for these: what it does for a name that is not there allocates. */
#define CPS_REAL_ALLOCATORS(X) \
	X(malloc) X(calloc) X(realloc) X(memalign) X(aligned_alloc) X(posix_memalign) X(valloc)   \
	X(pvalloc) X(free) X(free_sized) X(free_aligned_sized)
#define CPS_REAL_KEYS(X) \
	X(pthread_key_create) X(tss_create)
#define CPS_REAL_FRAMES(X) \
	X(__register_frame) X(__register_frame_info) X(__register_frame_info_bases)               \
	X(__register_frame_table) X(__register_frame_info_table)                                  \
	X(__register_frame_info_table_bases) X(__deregister_frame) X(__deregister_frame_info)     \
	X(__deregister_frame_info_bases)
/* clang-format on */

/* Programs still call what is deprecated. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define CPS_REAL_FIELD(name) __typeof__(name) *name;
void moncontrol(int mode); /* of <sys/gmon.h>, which has left it out since */

struct cps_real {
	CPS_REAL_OR_NULL(CPS_REAL_FIELD)
	CPS_REAL_OR_ENOSYS(CPS_REAL_FIELD)
	CPS_REAL_ALLOCATORS(CPS_REAL_FIELD)
	CPS_REAL_KEYS(CPS_REAL_FIELD)
	CPS_REAL_FRAMES(CPS_REAL_FIELD)
};
#pragma GCC diagnostic pop

extern __attribute__((visibility("hidden"))) struct cps_real cps_real;

/* Find all of them, as cps_real_find (process/wrapped.h) does, and keep errno. */
void cps_real_find_again(void);
/* The allocators, before the first call of any. */
void cps_real_find_allocators(void);
/* Those of thread-specific data, without asking the loader. errno stays as it is. */
void cps_real_find_keys(void);

/* For the beginning of a wrapper: finds the function if it was not found yet. Without it the wrapper returns `missing`. */
#define CPS_REAL_FIRST(name, missing)                                                              \
	do {                                                                                       \
		if (__builtin_expect(!cps_real.name, 0))                                           \
			cps_real_find_again();                                                     \
		if (__builtin_expect(!cps_real.name, 0))                                           \
			return missing;                                                            \
	} while (0)

/* One of those that are never NULL once they were looked up. */
#define CPS_REAL(name)                                                                             \
	(*(__builtin_expect(cps_real.name != NULL, 1) ? cps_real.name                              \
						      : (cps_real_find_again(), cps_real.name)))

#endif
