/* SPDX-License-Identifier: MIT */
/*
 * container_filter.c - runs a program under the filter of system calls that containers have.
 *
 *	container_filter PROGRAM [ARGUMENT...]
 *
 * These are the calls that Docker's default profile refuses (docs.docker.com, "Seccomp security
 * profiles"), perf_event_open and io_uring among them. They fail with EPERM; clone3 fails with ENOSYS,
 * as it does there.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int refused[] = {
	SYS_acct,
	SYS_add_key,
	SYS_bpf,
	SYS_clock_adjtime,
	SYS_clock_settime,
	SYS_create_module,
	SYS_delete_module,
	SYS_finit_module,
	SYS_fanotify_init,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fsopen,
	SYS_fspick,
	SYS_get_kernel_syms,
	SYS_init_module,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_io_uring_setup,
	SYS_ioperm,
	SYS_iopl,
	SYS_kexec_file_load,
	SYS_kexec_load,
	SYS_keyctl,
	SYS_lookup_dcookie,
	SYS_mount,
	SYS_mount_setattr,
	SYS_move_mount,
	SYS_move_pages,
	SYS_nfsservctl,
	SYS_open_by_handle_at,
	SYS_open_tree,
	SYS_perf_event_open,
	SYS_pivot_root,
	SYS_query_module,
	SYS_quotactl,
	SYS_reboot,
	SYS_request_key,
	SYS_setns,
	SYS_settimeofday,
	SYS_swapoff,
	SYS_swapon,
	SYS_sysfs,
	SYS_syslog,
	SYS__sysctl,
	SYS_umount2,
	SYS_unshare,
	SYS_uselib,
	SYS_userfaultfd,
	SYS_ustat,
	SYS_vhangup,
};

#define COUNT (sizeof(refused) / sizeof(refused[0]))

int main(int count, char **arguments)
{
	struct sock_filter code[2 * COUNT + 8], *p = code;
	struct sock_fprog program = {.filter = code};

	if (count < 2)
		return 2;
	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, nr));
	*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	for (size_t i = 0; i < COUNT; i++) {
		*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused[i],
						    0, 1);
		*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)(p - code);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("container_filter");
		return 77;
	}
	execvp(arguments[1], arguments + 1);
	perror(arguments[1]);
	return 127;
}
