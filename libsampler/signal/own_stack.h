/* SPDX-License-Identifier: MIT */
/*
 * own_stack.h - stacks for our handler, and for the handlers of the target that it has displaced.
 */
#ifndef CPS_OWN_STACK_H
#define CPS_OWN_STACK_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- own stack ------------------------------------------------------------------------------- */
/*
 * Stacks for the handler to work on.
 *
 * A thread of the target may have hardly any stack left. Only the kernel's signal frame is put
 * there. Unwinding and deflating are done on a stack of the recorder's (doc/decisions/0006).
 */

/* [signal] Call f(argument) on one of the stacks, if possible on the one with this number modulo
 * their count. False: all are in use, or there is no memory for it, and f was not called. */
bool cps_own_stack_call(uint32_t wish, void (*f)(void *), void *argument);

/* [signal] The same for a sample, which is counted as lost if f was not called. */
void cps_own_stack_sample(uint32_t wish, void (*f)(void *), void *argument);

/* [signal] Free all of them, in a child made by fork. */
void cps_own_stack_reset(void);

/* ---- relay ----------------------------------------------------------------------------------- */
/*
 * Lets handlers of the target run on the stacks on which they run without the recorder.
 *
 * The kernel knows only the recorder's alternate stack, because a tick must never be put on one of
 * the target's: a coroutine may live there (doc/decisions/0057). A handler of the target's that
 * asks for the alternate stack begins as a relay. The relay moves the kernel's frame to where it
 * would be without the recorder, and goes on as that handler there.
 */

#define CPS_RELAY_AUTODISARM                                                                       \
	(INT_MIN) /* the kernel's SS_AUTODISARM, which glibc does not declare */

/* [signal] The handler for the kernel instead of `handler`. It is `handler` itself if that is none, or
 * if all relays are taken. There is one relay for each handler, so the kernel's disposition says
 * all, and no other state can contradict it. */
sighandler_t cps_relay_to(sighandler_t handler);

/* [signal] The same if all relays are taken: one of those is, from now on, this handler's whose own handler is not
 * installed any more. To be called in the process that is recorded: a child of vfork has other handlers. */
sighandler_t cps_relay_instead(sighandler_t handler);

/* [signal] Whether this is the target's function, and neither SIG_DFL or its like nor a relay. */
bool cps_relay_is_function(sighandler_t handler);

/* [signal] Whether this handler has a relay already. */
bool cps_relay_is_known(sighandler_t handler);

/* [signal] The handler that this one goes on as, or `handler` itself if it is no relay. */
sighandler_t cps_relay_behind(sighandler_t handler);

/* [signal] The alternate stack of the calling thread that the kernel has, and that of the target's; with
 * all signals blocked. NULL: relays move nothing. */
void cps_relay_from(const char *ours, size_t bytes);
/* [signal] */
void cps_relay_onto(const stack_t *theirs);

#endif
