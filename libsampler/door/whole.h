/* SPDX-License-Identifier: MIT */
/*
 * whole.h - finishes transfers that a tick has cut short.
 *
 * A write to a pipe or a socket, a read of /dev/zero, a recv with MSG_WAITALL and the like return
 * what they have when a signal arrives. If that was our signal alone, the rest is transferred, so
 * that the target gets what it would have got (doc/decisions/0050). A transfer that is short for
 * another reason stays so: descriptors that do not wait, reads that had no more data, errors, the
 * end of time, a handler of the target's.
 */
#ifndef CPS_WHOLE_H
#define CPS_WHOLE_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "door/again.h"
#include "signal/cut.h"

/* Finish a call on `fd` with these buffers, of which `done` bytes were transferred; `flags` are those
 * of send or recv. Returns how many bytes were transferred in all, `done` at least. errno is as
 * before the call. */
ssize_t cps_whole_write(struct cps_again_wait *w, int fd, const struct iovec *all, size_t n,
			int flags, ssize_t done);
ssize_t cps_whole_read(struct cps_again_wait *w, int fd, const struct iovec *all, size_t n,
		       int flags, ssize_t done);

/* The same for recvmsg, whose message is as the kernel has left it. Not finished if the target has
 * asked for control data. */
ssize_t cps_whole_message(struct cps_again_wait *w, int fd, const struct msghdr *m, int flags,
			  ssize_t done);

/* The same for getrandom. */
ssize_t cps_whole_random(struct cps_again_wait *w, void *to, size_t n, unsigned flags,
			 ssize_t done);

/* How many bytes the kernel transfers at most of those that a call asks for: of n; and of those that
 * the buffers have together. */
size_t cps_whole_most(size_t n);
size_t cps_whole_bytes(const struct iovec *all, size_t n);

/* Whether calls on a descriptor wait, which those of O_NONBLOCK do not. */
bool cps_whole_waits(int fd);

/* Whether the type of the file is `type`, such as S_IFREG. */
bool cps_whole_is(int fd, unsigned type);

/* Make a call; *is_cut says whether a tick has met its end. */
#define CPS_CUTTABLE(is_cut, call)                                                                 \
	({                                                                                         \
		uintptr_t outer_ = cps_cut_begin((uintptr_t)__builtin_frame_address(0));           \
		__typeof__(call) cut_ = (call);                                                    \
                                                                                                   \
		*(is_cut) = cps_cut_end(outer_);                                                   \
		cut_;                                                                              \
	})

/* Whether a call has ended that began by cps_again_start and cps_cut_begin, which has returned `outer`, and no tick
 * has met it. If one has, cps_cut_end and cps_waiting_end must follow. */
static inline bool cps_whole_ends_unmet(uintptr_t outer)
{
	if (__builtin_expect(cps_cut_state.is_cut || cps_waiting_state != CPS_WAITING, 0))
		return false;
	cps_cut_state.frame = outer;
	cps_waiting_state = CPS_WAITING_NOT;
	return true;
}

#endif
