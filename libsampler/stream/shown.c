/* SPDX-License-Identifier: MIT */
/*
 * shown.c - finds room for a stack as it is to be recorded.
 *
 * In: a stack. Out: a path of the batch's.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "base/arena.h"
#include "stream/shown.h"
#include "base/poison.h"

#define ROOM_AT_FIRST 512u

/* A child that is forked meanwhile by another thread finds memory that is at least as large as its
 * room. */
static bool make_room(struct cps_python_path *path)
{
	uint32_t before = path->room, room = before ? 2 * before : ROOM_AT_FIRST;
	uint64_t *old = path->addresses, *fresh;

	fresh = room <= CPS_DEPTH_MAX ? cps_arena_pages(room * sizeof(*fresh)) : NULL;
	if (!fresh)
		return false;
	path->addresses = fresh;
	atomic_thread_fence(memory_order_release);
	path->room = room;
	cps_arena_unmap(old, before * sizeof(*old));
	return true;
}

const struct cps_python_path *cps_shown_path(struct cps_batch *b, const struct cps_stack *stack,
					     const struct cps_peek *bounds)
{
	enum cps_python_outcome outcome;

	if (!cps_python_is_on() || !bounds)
		return NULL;
	do
		outcome = cps_python_show(stack, bounds, &b->path);
	while (outcome == CPS_PYTHON_TOO_DEEP && make_room(&b->path));
	return outcome == CPS_PYTHON_SHOWN ? &b->path : NULL;
}
