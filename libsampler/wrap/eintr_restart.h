/* SPDX-License-Identifier: MIT */
/*
 * eintr_restart.h - makes calls again that a tick has interrupted, with what is left of their time.
 */
#ifndef CPS_EINTR_RESTART_H
#define CPS_EINTR_RESTART_H

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "process/wrapped.h"
#include "resource/lock.h"
#include "resource/off_cpu.h"
#include "signal/interruption.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "wrap/real.h"

/* ---- eintr restart --------------------------------------------------------------------------- */
/*
 * Makes a call again that a tick has interrupted, with what is left of its time.
 *
 * Our handler is installed with SA_RESTART. This is for the calls that the kernel never restarts
 * after a handler (signal(7)). Calls that a handler of the target's has interrupted fail with
 * EINTR, as they do without the recorder (doc/decisions/0010). transfer_finish.h is for calls that return
 * earlier than they would have.
 */

/* Order: the table of real functions (real.h) is complete before `is_plain` is released, and used without another look by who
 * has acquired that. The others are flags by themselves. */
struct cps_eintr_restart_state {
	atomic_bool is_plain;  /* the functions were looked up, and calls need not be watched */
	atomic_bool has_timed; /* the program has given a socket a timeout */
	atomic_bool has_ticks; /* our signals may come, and end calls */
	atomic_bool
		is_light; /* nothing but our signals matters: neither this, nor bytes or time off the CPU */
};

extern struct cps_eintr_restart_state cps_eintr_restart_state;

/* The real functions were found (real.h). */
void cps_eintr_restart_found(void);

/* Our signals may not come any more (process/wrapped.h). */
void cps_eintr_restart_expect_none(void);

/* Calls that transfer data are watched from now on, because more of them is to be known than whether our signals have come
 * inside of them; or because the program has given a socket a timeout. */
void cps_eintr_restart_watch_fully(void);
void cps_eintr_restart_watch_time(void);

/* If calls are watched, more of them is to be known. */
void cps_eintr_restart_look_closely(void);

/* The program is about to restrict its system calls, and what the wrappers add may not be among those
 * that it allows. Calls are not watched any more, unless sockets have timeouts. Returns whether that
 * is a change, which cps_eintr_restart_watch undoes. */
bool cps_eintr_restart_unwatch(void);

/* Whether our signals may come. */
static inline bool cps_eintr_restart_has_ticks(void)
{
	return __builtin_expect(
		atomic_load_explicit(&cps_eintr_restart_state.has_ticks, memory_order_relaxed), 1);
}

/* Whether calls that transfer data need not be looked after. */
static inline bool cps_eintr_restart_is_plain(void)
{
	return __builtin_expect(
		atomic_load_explicit(&cps_eintr_restart_state.is_plain, memory_order_acquire), 1);
}

/* Whether calls that are looked after need it for our signals alone. */
static inline bool cps_eintr_restart_is_light(void)
{
	return __builtin_expect(
		atomic_load_explicit(&cps_eintr_restart_state.is_light, memory_order_relaxed), 1);
}

/* The state of one wrapped call, until it returns to the target. */
struct cps_eintr_restart_wait {
	int error;	    /* errno before the call */
	uint32_t seen;	    /* interruptions before the call */
	uint32_t displaced; /* when it began (interruption.h) */
	clockid_t clock;    /* the clock that its times are of */
	uint64_t start, until;
	const struct timespec *timeout; /* the timeout of the next attempt */
	struct timespec left;
};

/* Declares the state of a call in its wrapper. The clock is told when the wrapper returns. */
#define CPS_EINTR_RESTART_WAIT                                                                     \
	__attribute__((cleanup(cps_eintr_restart_end))) struct cps_eintr_restart_wait

static inline void cps_eintr_restart_end(const struct cps_eintr_restart_wait *w)
{
	(void)w;
	cps_waiting_end();
}

/* Interruptions by ticks after which a wrapper has called again. They are subtracted from the
 * handler's count, because a handler of the target's may wait, too: an interruption of its call
 * must not count for the call that it has interrupted. */
extern __thread uint32_t cps_eintr_restart_settled;

/* The time of a clock, in ns. */
uint64_t cps_eintr_restart_time(clockid_t clock);

/* What is known when a call begins that only our signals matter to. Each read and write begins so, and few of them
 * need more. */
struct cps_eintr_restart_start {
	int error;
	uint32_t seen, displaced;
};

/* Where the calling thread has its errno, which is asked for once. */
extern __thread int *cps_eintr_restart_errno;
int *cps_eintr_restart_find_errno(void);

static inline __attribute__((always_inline)) struct cps_eintr_restart_start
cps_eintr_restart_start(void)
{
	int *error = cps_eintr_restart_errno;

	cps_waiting_begin();
	cps_masked_forget((uintptr_t)__builtin_frame_address(0));
	error = __builtin_expect(error != NULL, 1) ? error : cps_eintr_restart_find_errno();
	return (struct cps_eintr_restart_start){
		*error, cps_sample_interruptions() - cps_eintr_restart_settled,
		cps_displaced_now()};
}

/* The state of such a call, if more is needed; it has begun then (0: it does not matter when). Made at once in its
 * place, or the wrapper would have another one on the stack. */
static inline __attribute__((always_inline)) struct cps_eintr_restart_wait
cps_eintr_restart_wait_of(struct cps_eintr_restart_start start, uint64_t since)
{
	return (struct cps_eintr_restart_wait){.error = start.error,
					       .seen = start.seen,
					       .displaced = start.displaced,
					       .clock = CLOCK_MONOTONIC,
					       .start = since};
}

/* For a call that has begun then, by CLOCK_MONOTONIC (0: it does not matter when). */
static inline __attribute__((always_inline)) struct cps_eintr_restart_wait
cps_eintr_restart_begin_at(uint64_t start)
{
	struct cps_eintr_restart_start now = cps_eintr_restart_start();

	if (cps_lock_is_on())
		cps_lock_look((uintptr_t)__builtin_frame_address(0));
	cps_waiting_count++;
	cps_transfer_cut_number();
	return cps_eintr_restart_wait_of(now, start);
}

/* For a call that has no time limit, or an absolute one. */
static inline __attribute__((always_inline)) struct cps_eintr_restart_wait
cps_eintr_restart_begin(void)
{
	return cps_eintr_restart_begin_at(0);
}

/* For a call that may last so long from now; NULL: for ever. *timeout is not read before the kernel
 * has read it, so that an invalid one is found by the kernel. */
struct cps_eintr_restart_wait cps_eintr_restart_begin_timeout(const struct timespec *timeout);

/* The same, in milliseconds. If it is 0 or less, no time needs to be watched. */
struct cps_eintr_restart_wait cps_eintr_restart_begin_ms(int timeout);

/* For a call that was already interrupted, and of which the kernel has said how much time
 * remains. */
void cps_eintr_restart_set_remaining(struct cps_eintr_restart_wait *w,
				     const struct timespec *remaining);

/* To be called when the call has failed with errno; and when it has failed with EINTR. Returns true
 * if only a tick was the cause: errno then has its former value, and `timeout` is what is left. */
bool cps_eintr_restart(struct cps_eintr_restart_wait *w);
bool cps_eintr_restart_after_eintr(struct cps_eintr_restart_wait *w);

/* Sets `timeout`, if there is one, to what is left. */
void cps_eintr_restart_shorten(struct cps_eintr_restart_wait *w);

/* The time of its clock; and what is left of the call's time: in nanoseconds, or in milliseconds
 * rounded up. `timeout` is what the target has asked for. */
uint64_t cps_eintr_restart_now(const struct cps_eintr_restart_wait *w);
uint64_t cps_eintr_restart_ns_left(const struct cps_eintr_restart_wait *w);
int cps_eintr_restart_ms_left(const struct cps_eintr_restart_wait *w, int timeout);

/* Sleeps as clock_nanosleep does, which `sleeps` calls. Returns 0 or an error number. errno is as before. cps_waiting_end
 * must follow, when the state of the sleep is not on the stack any more. */
int cps_eintr_restart_sleep(clockid_t clock, int flags, const struct timespec *request,
			    struct timespec *remaining, __typeof__(clock_nanosleep) *sleeps);

/* Gives the target what remains of its time, in n bytes. The kernel writes there, and finds out whether it may. Returns 0
 * or -EFAULT. */
int cps_eintr_restart_give(void *to, const void *left, size_t n);

/* Make a call, and make it again as long as it fails because of a tick. The call returns a negative
 * number and sets errno when it fails. */
#define CPS_EINTR_RESTART(w, call)                                                                 \
	({                                                                                         \
		__typeof__(call) result_;                                                          \
		do                                                                                 \
			result_ = (call);                                                          \
		while (__builtin_expect(result_ < 0, 0) && cps_eintr_restart(&(w)));               \
		result_;                                                                           \
	})

/* Make a call that changes the mask of signals to *mask while it waits (interruption.h). */
#define CPS_MASKED(mask, call)                                                                     \
	({                                                                                         \
		struct cps_masked_call before_;                                                    \
		__typeof__(call) masked_;                                                          \
                                                                                                   \
		cps_masked_begin(&before_, (uintptr_t)__builtin_frame_address(0), (mask));         \
		masked_ = (call);                                                                  \
		cps_masked_end(&before_);                                                          \
		masked_;                                                                           \
	})

/* Make a call that cannot be gone on with: our signals do not come meanwhile (interruption.h). */
#define CPS_HELD(call)                                                                             \
	({                                                                                         \
		struct cps_masked_call held_ =                                                     \
			cps_masked_hold((uintptr_t)__builtin_frame_address(0));                    \
		__typeof__(call) result_ = (call);                                                 \
                                                                                                   \
		cps_masked_end(&held_);                                                            \
		result_;                                                                           \
	})

/* Declares in a wrapper that what follows may block the thread in the real function: CPS_IO, CPS_WAIT, ... */
#define CPS_BLOCKS(state, name) CPS_BLOCKS_IN(state, CPS_REAL(name))

#define CPS_EXPORT __attribute__((visibility("default")))

/* ---- socket time ----------------------------------------------------------------------------- */
/*
 * Keeps to the time that the target gives to calls on a socket.
 *
 * The kernel does not restart calls on a socket that has a timeout (SO_RCVTIMEO, SO_SNDTIMEO). Made
 * again, such a call would have the whole of the time again.
 */

/* Begin a call whose socket may have a timeout. It is looked up only after an interruption. */
static inline __attribute__((always_inline)) struct cps_eintr_restart_wait
cps_socket_time_begin(void)
{
	return cps_eintr_restart_begin_at(
		atomic_load_explicit(&cps_eintr_restart_state.has_timed, memory_order_relaxed)
			? cps_eintr_restart_time(CLOCK_MONOTONIC)
			: 0);
}

/* To be called when the call has failed. Returns whether it is to be made again: only a tick was the
 * cause, and what is left of the time was enough for the socket to become ready for `events`, which
 * is POLLIN or POLLOUT. If it was not, errno is `late`. */
bool cps_socket_time_again(struct cps_eintr_restart_wait *w, int fd, short events, int late);

/* The same for connect: makes it again if and when it is to be made again. Returns what the target gets, with errno. */
int cps_socket_time_connect(struct cps_eintr_restart_wait *w, int fd, __CONST_SOCKADDR_ARG address,
			    socklen_t bytes);

/* Wait until the descriptor is ready, for what is left of the time if it is a socket. Returns what
 * poll has found; 0 if the time is over or not known, or a handler of the target's has run. */
int cps_socket_time_wait(struct cps_eintr_restart_wait *w, int fd, short events);

/* The same, until w->until (0: for ever), whatever it is. */
int cps_socket_time_wait_until(struct cps_eintr_restart_wait *w, int fd, short events);

#endif
