/* SPDX-License-Identifier: MIT */
/*
 * recording.c - the input that is being read: its name, its texts, its threads.
 *
 * All parts of the builder use these functions.
 */
#include <stdlib.h>

#include "base/array.h"
#include "model/builder.h"

const char *builder_file(const struct profile_builder *b)
{
	return strings_get(b->profile->strings, b->current.process.file, NULL);
}

void recording_close(struct recording *r)
{
	cct_free(r->paths);
	id_table_free(r->bases);
	id_table_free(r->threads);
	id_table_free(r->reasons);
	perf_map_free(r->jit);
	moments_clear(&r->moments);
	r->jit = NULL;
	r->paths = NULL;
	r->bases = NULL;
	r->threads = NULL;
	r->reasons = NULL;
	r->open = false;
}

void builder_recording_free(struct recording *r)
{
	if (r->open)
		profile_process_free(&r->process);
	recording_close(r);
	free(r->walk);
	free(r->base_nodes);
	free(r->of_ids);
	free(r->stacks);
	free(r->reason_counts);
}

/* The number of a text. STRINGS_NONE: the text is absent or, with *ok = false, memory is out. */
uint32_t builder_text(struct profile_builder *b, struct event_text text, bool *ok)
{
	if (!text.length)
		return STRINGS_NONE;
	uint32_t number = strings_add(b->profile->strings, text.bytes, text.length);
	if (number == STRINGS_NONE)
		*ok = false;
	return number;
}

struct profile_thread *builder_thread(struct profile_builder *b, uint32_t id)
{
	struct recording *r = &b->current;
	struct profile_process *p = &r->process;
	uint32_t place = id_table_add(r->threads, id);

	if (place == ID_TABLE_NONE)
		return NULL;
	if (place < p->n_threads)
		return &p->threads[place];
	if (!array_reserve(&p->threads, &r->threads_size, p->n_threads + 1, sizeof(*p->threads)))
		return NULL;
	p->threads[p->n_threads] = (struct profile_thread){.id = id, .name = b->empty};
	return &p->threads[p->n_threads++];
}
