/* SPDX-License-Identifier: MIT */
/*
 * filter.c - decides which samples of a profile are kept.
 *
 * In: the values of the options, a profile, the names of its frames. Out: marks.
 */
#include "tree/filter.h"

#include <string.h>

/* Marks of a node that are only needed while FILTER_KEPT and FILTER_NEEDED are found: it has a
 * child; its stack contains a function of --focus, or of --ignore. */
#define HAS_CHILD 32u
#define FOCUS	  (1u << FILTER_FOCUS)
#define IGNORE	  (1u << FILTER_IGNORE)

static const char *const options[FILTER_KINDS] = {
	[FILTER_FOCUS] = "--focus",
	[FILTER_IGNORE] = "--ignore",
	[FILTER_HIDE] = "--hide",
};

int filter_add(struct filter *f, enum filter_kind kind, const char *value, struct error *err)
{
	f->of[kind].option = options[kind];
	return patterns_add(&f->of[kind], value, err);
}

void filter_clear(struct filter *f)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		patterns_clear(&f->of[kind]);
}

int filter_copy(struct filter *to, const struct filter *from, struct error *err)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		if (!patterns_copy(&to->of[kind], &from->of[kind], err))
			continue;
		filter_clear(to);
		return -1;
	}
	return 0;
}

static bool patterns_equal(const struct patterns *a, const struct patterns *b)
{
	if (a->n_values != b->n_values)
		return false;
	for (size_t i = 0; i < a->n_values; i++)
		if (strcmp(patterns_value(a, i), patterns_value(b, i)) != 0)
			return false;
	return true;
}

bool filter_is_equal(const struct filter *a, const struct filter *b)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		if (!patterns_equal(&a->of[kind], &b->of[kind]))
			return false;
	return true;
}

bool filter_is_set(const struct filter *f)
{
	for (int kind = 0; f && kind < FILTER_KINDS; kind++)
		if (f->of[kind].n_values)
			return true;
	return false;
}

int filter_names(struct filter *f, const struct strings *s, unsigned char *marks, size_t n,
		 struct error *err)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		patterns_forget(&f->of[kind]);
		if (patterns_match(&f->of[kind], s, marks, n, (unsigned char)(1u << kind), err))
			return -1;
	}
	return 0;
}

/* Mark each node with the marks of all frames of its stack. Parents come before their children. */
static void mark_stacks(const struct profile *p, const unsigned char *of_frames,
			unsigned char *marks)
{
	marks[0] = 0;
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct profile_node *node = &p->nodes[i];

		marks[i] = (marks[node->parent] & (FOCUS | IGNORE)) |
			   (of_frames[node->frame] & (FOCUS | IGNORE));
		marks[node->parent] |= HAS_CHILD;
	}
}

void filter_nodes(const struct filter *f, const struct profile *p, const unsigned char *of_frames,
		  unsigned char *marks)
{
	unsigned char wanted = f->of[FILTER_FOCUS].n_values ? FOCUS : 0;

	mark_stacks(p, of_frames, marks);
	for (size_t i = p->n_nodes; i-- > 1;) {
		const struct profile_node *node = &p->nodes[i];
		bool is_stack = !(marks[i] & HAS_CHILD) || node->self_weight || node->self_hits;

		if (is_stack &&
		    (marks[i] & (FOCUS | IGNORE) & (unsigned)(wanted | IGNORE)) == wanted)
			marks[i] |= FILTER_KEPT | FILTER_NEEDED;
		marks[node->parent] |= marks[i] & FILTER_NEEDED;
	}
}
