/* SPDX-License-Identifier: MIT */
/*
 * transfer_finish.h - finishes transfers that a tick has cut short.
 *
 * A write to a pipe or a socket, a read of /dev/zero, a recv with MSG_WAITALL and the like return
 * what they have when a signal arrives. If that was our signal alone, the rest is transferred, so
 * that the target gets what it would have got (doc/decisions/0050). A transfer that is short for
 * another reason stays so: descriptors that do not wait, reads that had no more data, errors, the
 * end of time, a handler of the target's.
 */
#ifndef CPS_TRANSFER_FINISH_H
#define CPS_TRANSFER_FINISH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "signal/interruption.h"
#include "wrap/eintr_restart.h"

/* In place of a number of buffers: one, which the target has not given as an array. What is left of it is not transferred
 * by readv, preadv and the like, which the target has not called, and which call stacks would show. */
#define CPS_WHOLE_ONE SIZE_MAX

/* Finish a call on `fd` with these buffers, of which `done` bytes were transferred; `flags` are those
 * of send or recv. Returns how many bytes were transferred in all, `done` at least. errno is as
 * before the call. */
ssize_t cps_transfer_finish_write(struct cps_eintr_restart_wait *w, int fd, const struct iovec *all,
				  size_t n, int flags, ssize_t done);
ssize_t cps_transfer_finish_read(struct cps_eintr_restart_wait *w, int fd, const struct iovec *all,
				 size_t n, int flags, ssize_t done);

/* The same for pread, pwrite and the like, which have begun at that place of the file (-1: where the file is);
 * `flags` are those of preadv2 and pwritev2. */
ssize_t cps_transfer_finish_write_at(struct cps_eintr_restart_wait *w, int fd,
				     const struct iovec *all, size_t n, off64_t at, int flags,
				     ssize_t done);
ssize_t cps_transfer_finish_read_at(struct cps_eintr_restart_wait *w, int fd,
				    const struct iovec *all, size_t n, off64_t at, int flags,
				    ssize_t done);

/* The same for recvmsg, whose message is as the kernel has left it. It had `room` for control data before (0: none, or
 * that is not known). */
ssize_t cps_transfer_finish_message(struct cps_eintr_restart_wait *w, int fd, struct msghdr *m,
				    size_t room, int flags, ssize_t done);

/* That room, to be asked for before the call, if it may be finished. */
size_t cps_transfer_finish_read_room(const struct msghdr *m);
static inline size_t cps_transfer_finish_room(const struct msghdr *m, int flags)
{
	return flags & MSG_WAITALL ? cps_transfer_finish_read_room(m) : 0;
}

/* The same for sendmmsg and recvmmsg: n messages, of which `done` were transferred, the last of them maybe in part. */
int cps_transfer_finish_sent(struct cps_eintr_restart_wait *w, int fd, struct mmsghdr *all,
			     unsigned n, int flags, int done);
int cps_transfer_finish_received(struct cps_eintr_restart_wait *w, int fd, struct mmsghdr *all,
				 unsigned n, int flags, struct timespec *timeout, uint64_t until,
				 int done);

/* When the time of a recvmmsg is over that begins now, by CLOCK_MONOTONIC; 0: it has no limit, or none that can be read. */
uint64_t cps_transfer_finish_until(const struct timespec *timeout);

/* The same for copies within the kernel. */
ssize_t cps_transfer_finish_sendfile(struct cps_eintr_restart_wait *w, int out, int in,
				     off64_t *from, size_t n, ssize_t done);
ssize_t cps_transfer_finish_splice(struct cps_eintr_restart_wait *w, int in, off64_t *from, int out,
				   off64_t *to, size_t n, unsigned flags, ssize_t done);
ssize_t cps_transfer_finish_copy(struct cps_eintr_restart_wait *w, int in, off64_t *from, int out,
				 off64_t *to, size_t n, unsigned flags, ssize_t done);

/* The same for getdents64 and getdents, whose number it is. */
ssize_t cps_transfer_finish_entries(long number, int fd, void *to, size_t n, ssize_t done);

/* The same for getrandom. */
ssize_t cps_transfer_finish_random(struct cps_eintr_restart_wait *w, void *to, size_t n,
				   unsigned flags, ssize_t done);

/* How many bytes the kernel transfers at most of those that a call asks for: of n; and of those that
 * the buffers have together. */
size_t cps_transfer_finish_most(size_t n);
size_t cps_transfer_finish_bytes(const struct iovec *all, size_t n);

/* Whether calls on a descriptor wait, which those of O_NONBLOCK do not. */
bool cps_transfer_finish_waits(int fd);

/* Whether the type of the file is `type`, such as S_IFREG. */
bool cps_transfer_finish_is(int fd, unsigned type);

/* Whether a read of this file, or a write to it, is short only after a signal, also with O_NONBLOCK: it is one of the
 * memory devices, such as /dev/zero and /dev/urandom. */
bool cps_transfer_finish_reads_all(int fd);
bool cps_transfer_finish_writes_all(int fd);

/* Make a call; *is_cut says whether a tick has met its end. */
#define CPS_CUTTABLE(is_cut, call)                                                                 \
	({                                                                                         \
		uintptr_t outer_ = cps_transfer_cut_begin((uintptr_t)__builtin_frame_address(0));  \
		__typeof__(call) cut_ = (call);                                                    \
                                                                                                   \
		*(is_cut) = cps_transfer_cut_end(outer_);                                          \
		cut_;                                                                              \
	})

/* Whether a call has ended that began by cps_eintr_restart_start and cps_transfer_cut_begin, which has returned `outer`, and no tick
 * has met it. If one has, cps_transfer_cut_end and cps_waiting_end must follow. */
static inline bool cps_transfer_finish_ends_unmet(uintptr_t outer)
{
	if (__builtin_expect(cps_transfer_cut_state.is_cut || cps_waiting_state != CPS_WAITING, 0))
		return false;
	cps_transfer_cut_state.frame = outer;
	cps_waiting_state = CPS_WAITING_NOT;
	return true;
}

#endif
