/* SPDX-License-Identifier: MIT */
/*
 * builder_kernel.c - shows that a sample was taken in the kernel, and in which of its functions.
 *
 * In: a sample, the node of its stack. Out: the node to which it is credited. The kernel's functions are innermost
 * in the stack, by their addresses. Where they are not known, or have no names, one frame stands for them.
 */
#include "model/builder.h"

void profile_builder_show_kernel(struct profile_builder *b, bool shows)
{
	b->shows_kernel = shows;
}

static bool is_kernels(const struct event_frame *f)
{
	return f->module == EVENT_NO_MODULE && f->address >= CPS_KERNEL_ADDRESS;
}

/* Only samples of the kernel may have them. */
size_t builder_kernel_depth(const struct profile_builder *b, const struct event_sample *e)
{
	size_t depth = e->depth;

	if (b->shows_kernel || b->current.by_name || !e->is_in_kernel)
		return depth;
	while (depth && is_kernels(&e->frames[depth - 1]))
		depth--;
	return depth;
}

/* Where the thread was is not known of the rest of what it has used. */
uint32_t builder_kernel_node(struct profile_builder *b, const struct event_sample *e, uint32_t node)
{
	const struct profile_frame kernel = {PROFILE_NO_MODULE, STRINGS_NONE,
					     PROFILE_KERNEL_ADDRESS};

	if (!b->shows_kernel || !e->is_in_kernel || e->mark == CPS_MARK_NOT_SAMPLED)
		return node;
	b->profile->has_kernel = true;
	if (e->depth && is_kernels(&e->frames[e->depth - 1]))
		return node;
	return cct_child(b->current.paths, node, &kernel);
}

/* Without that no frame of the kernel was asked for. */
void builder_kernel_resolve(const struct profile_builder *b, struct profile_frame *f)
{
	if (b->profile->has_kernel && f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE &&
	    f->address >= CPS_KERNEL_ADDRESS)
		f->address = PROFILE_KERNEL_ADDRESS;
}

static bool is_stand_in(const struct profile_frame *f)
{
	return f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE &&
	       f->address == PROFILE_KERNEL_ADDRESS;
}

uint32_t builder_kernel_child(struct cct *all, uint32_t parent, const struct profile_frame *f)
{
	if (parent && is_stand_in(f) && all->nodes[parent].frame != CCT_NONE &&
	    is_stand_in(&all->frames[all->nodes[parent].frame]))
		return parent;
	return cct_child(all, parent, f);
}
