/* SPDX-License-Identifier: MIT */
/*
 * wrap_syscall.h - sends calls of syscall(2) to the wrappers of the same system calls.
 *
 * They end as they would have ended without a tick, like those that the C library has functions
 * for: transfers are finished (transfer_finish.h), waits are made again with what is left of their time
 * (eintr_restart.h), and what allows neither is not interrupted (signal/interruption.h).
 */
#ifndef CPS_WRAP_SYSCALL_H
#define CPS_WRAP_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "wrap/eintr_restart.h"

/* ---- by number ------------------------------------------------------------------------------- */

struct cps_by_number {
	long number, a[6];
	uint64_t kept; /* what its rest needs from before the call */
};

/* Set in a table of 512 bits those of the calls that a signal could end before their time, and those that are not known
 * here. */
void cps_by_number_list(uint64_t table[8]);

/* Make such a call, whose number is less than 512. Returns the result, or -errno. Like syscall(2) this does not end a
 * thread that is being cancelled. errno stays as it is. cps_waiting_end must follow, which tells the clock: that takes some
 * stack, and the state of the call is not there any more then. */
long cps_by_number_make(struct cps_by_number *call);

/* Whether an ioctl with this argument can neither be gone on with nor made again. */
bool cps_wrap_file_holds(long request, long argument);

/* Whether the call is one that programs may make as often as they can, so that its maker looks after it as long as no
 * tick meets it. */
static inline bool cps_by_number_is_frequent(long number)
{
	return number == SYS_read || number == SYS_write || number == SYS_readv ||
	       number == SYS_writev || number == SYS_pread64 || number == SYS_pwrite64 ||
	       number == SYS_recvfrom || number == SYS_sendto || number == SYS_recvmsg ||
	       number == SYS_sendmsg;
}

/* Such a call has begun so, by cps_eintr_restart_start and cps_transfer_cut_begin, which has returned `outer`, and has this result. A tick has met
 * it. Returns the result that the target gets, or -errno. cps_waiting_end must follow here, too. */
long cps_by_number_go_on(struct cps_by_number *call, struct cps_eintr_restart_start start,
			 uintptr_t outer, long result);

#endif
