/* SPDX-License-Identifier: MIT */
/*
 * stack.c - puts a stack of names together.
 *
 * In: names. Out: a sample event.
 */
#include "import/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void stack_empty(struct stack *s)
{
	s->n = s->n_bytes = 0;
	s->has_copies = false;
}

static int add(struct stack *s, struct event_text name, size_t copy, struct error *err)
{
	if (!array_reserve(&s->frames, &s->size, s->n + 1, sizeof(*s->frames)) ||
	    !array_reserve(&s->copies, &s->copies_size, s->n + 1, sizeof(*s->copies)))
		return error_memory(err);
	s->copies[s->n] = copy;
	s->frames[s->n++] = (struct event_frame){.module = EVENT_NO_MODULE, .name = name};
	return 0;
}

int stack_add(struct stack *s, struct event_text name, struct error *err)
{
	return add(s, name, 0, err);
}

int stack_add_copy(struct stack *s, const char *name, size_t n, struct error *err)
{
	size_t begin = s->n_bytes;

	if (!array_reserve(&s->bytes, &s->bytes_size, begin + n + 1, 1))
		return error_memory(err);
	memcpy(s->bytes + begin, name, n);
	s->n_bytes += n;
	s->has_copies = true;
	return add(s, (struct event_text){NULL, n}, begin + 1, err);
}

void stack_drop(struct stack *s)
{
	s->n--;
}

void stack_turn(struct stack *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		struct event_frame frame = s->frames[i];
		size_t copy = s->copies[i], other = s->n - 1 - i;

		s->frames[i] = s->frames[other];
		s->copies[i] = s->copies[other];
		s->frames[other] = frame;
		s->copies[other] = copy;
	}
}

int stack_push(struct stack *s, struct event_sample *e, const struct event_sink *sink,
	       struct error *err)
{
	if (!s->n && stack_add(s, event_text_of("[unknown]"), err))
		return -1;
	/* The bytes may have moved while they grew. */
	for (size_t i = 0; s->has_copies && i < s->n; i++)
		if (s->copies[i])
			s->frames[i].name.bytes = s->bytes + s->copies[i] - 1;
	e->frames = s->frames;
	e->depth = s->n;
	return sink->sample ? sink->sample(sink->context, e, err) : 0;
}

void stack_free(struct stack *s)
{
	free(s->frames);
	free(s->bytes);
	free(s->copies);
	*s = (struct stack){0};
}
