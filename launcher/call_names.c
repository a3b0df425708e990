/* SPDX-License-Identifier: MIT */
/*
 * call_names.c - names of system calls in which threads wait.
 *
 * In: numbers. Out: names. Of the calls that there are, those in which a thread is met that is not running.
 */
#include "launcher/call_names.h"

#include <stddef.h>
#include <sys/syscall.h>

static const struct call {
	long number;
	const char *name;
} calls[] = {
#define CALL(name)                                                                                 \
	{                                                                                          \
		SYS_##name, #name                                                                  \
	}
	CALL(read),
	CALL(write),
	CALL(readv),
	CALL(writev),
	CALL(pread64),
	CALL(pwrite64),
	CALL(preadv),
	CALL(pwritev),
	CALL(sendfile),
	CALL(splice),
	CALL(vmsplice),
	CALL(tee),
	CALL(ioctl),
	CALL(fcntl),
	CALL(flock),
	CALL(fsync),
	CALL(fdatasync),
	CALL(ftruncate),
	CALL(truncate),
	CALL(openat),
	CALL(close),
	CALL(unlinkat),
	CALL(renameat2),
	CALL(mkdirat),
	CALL(fstat),
	CALL(statx),
	CALL(getdents64),
	CALL(accept),
	CALL(accept4),
	CALL(connect),
	CALL(sendto),
	CALL(recvfrom),
	CALL(sendmsg),
	CALL(recvmsg),
	CALL(sendmmsg),
	CALL(recvmmsg),
	CALL(shutdown),
	CALL(ppoll),
	CALL(pselect6),
	CALL(epoll_pwait),
	CALL(epoll_pwait2),
	CALL(nanosleep),
	CALL(clock_nanosleep),
	CALL(futex),
	CALL(futex_waitv),
	CALL(semop),
	CALL(semtimedop),
	CALL(msgsnd),
	CALL(msgrcv),
	CALL(mq_timedsend),
	CALL(mq_timedreceive),
	CALL(io_getevents),
	CALL(io_pgetevents),
	CALL(io_submit),
	CALL(io_uring_enter),
	CALL(rt_sigsuspend),
	CALL(rt_sigtimedwait),
	CALL(wait4),
	CALL(waitid),
	CALL(clone),
	CALL(clone3),
	CALL(execve),
	CALL(mmap),
	CALL(munmap),
	CALL(madvise),
	CALL(mprotect),
	CALL(mremap),
	CALL(msync),
	CALL(mlock),
	CALL(membarrier),
	CALL(sched_yield),
	CALL(ptrace),
	CALL(process_vm_readv),
	CALL(getrandom),
	CALL(userfaultfd),
	CALL(prctl),
	CALL(exit),
	CALL(exit_group),
	CALL(kill),
	CALL(tgkill),
	CALL(mount),
	CALL(umount2),
	CALL(fallocate),
	CALL(sync),
	CALL(syncfs),
	CALL(copy_file_range),
	CALL(restart_syscall),
#ifdef SYS_poll /* those that later machines have not */
	CALL(poll),
	CALL(select),
	CALL(epoll_wait),
	CALL(pause),
	CALL(open),
	CALL(stat),
	CALL(lstat),
	CALL(unlink),
	CALL(rename),
	CALL(mkdir),
	CALL(rmdir),
	CALL(fork),
	CALL(vfork),
	CALL(creat),
#endif
#undef CALL
};

const char *call_names_find(long number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}
