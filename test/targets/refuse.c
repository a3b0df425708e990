/* SPDX-License-Identifier: MIT */
/*
 * refuse.c - starts a program to which a system call is forbidden, as containers do.
 *
 * refuse ERRNO PROGRAM ARGUMENT...: a seccomp filter lets perf_event_open(2) fail with ERRNO.
 * refuse kill PROGRAM ARGUMENT...: the filter ends a program that calls process_vm_readv(2).
 * Exit status 77: no filter can be installed here.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kills = argc > 2 && !strcmp(argv[1], "kill");
	unsigned error = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 kills ? SYS_process_vm_readv : SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			 kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if ((!error && !kills) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execvp(argv[2], argv + 2);
	return 127;
}
