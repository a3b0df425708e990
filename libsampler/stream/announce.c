/* SPDX-License-Identifier: MIT */
/*
 * announce.c - puts records of threads, modules and Python functions into the journal's buffer 0.
 *
 * In: what samples mention. Out: records. If the buffer is busy the
 * announcement is made later, at the latest at the end.
 */
#include <string.h>

#include "base/arena.h"
#include "base/sys.h"
#include "format.h"
#include "python/functions.h"
#include "python/python.h"
#include "stream/announce.h"
#include "stream/drain.h"
#include "base/poison.h"

bool cps_announce_record(const uint8_t *record, size_t n)
{
	struct cps_buffer *b = cps_journal_acquire_number(0);
	bool done;

	if (!b)
		return false;
	done = cps_journal_add_record(b, record, n);
	if (!done && cps_drain(b) == 0)
		done = cps_journal_add_record(b, record, n);
	cps_journal_release(b);
	return done;
}

static bool announce(const struct cps_writer *w, const uint8_t *record)
{
	return !w->full && cps_announce_record(record, (size_t)(w->p - record));
}

void cps_announce_thread(struct cps_thread *t)
{
	uint8_t bytes[128];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	char name[CPS_THREAD_NAME_BYTES];

	cps_thread_read_name(t, name);
	if (t->announced && (!name[0] || memcmp(name, t->name, sizeof(name)) == 0))
		return;
	memcpy(t->name, name, sizeof(name));
	cps_record_thread(&w, t);
	t->announced = announce(&w, bytes);
}

/* The entry belongs to who adds a sample of the thread. If another thread does so now, that announces it. */
void cps_announce_thread_end(struct cps_thread *t)
{
	if (atomic_exchange(&t->busy, true))
		return;
	if (t->is_sampled)
		cps_announce_thread(t);
	atomic_store(&t->busy, false);
}

static void announce_module(uint32_t number, struct cps_module *m)
{
	/* A record of a module is too large for a small signal stack, so its memory is mapped for
	 * the moment. */
	size_t room = CPS_TEXT_MAX + 8192;
	uint8_t *bytes = cps_arena_pages(room);
	struct cps_writer w = {bytes, bytes, false};
	bool done = false;

	if (bytes) {
		w.end += room;
		cps_record_module(&w, number, m);
		done = announce(&w, bytes);
		cps_sys_munmap(bytes, room);
	}
	if (!done) {
		atomic_store(&m->announced, false);
		cps_module_set_news();
	}
}

static void announce_modules(void)
{
	if (!cps_module_take_news())
		return;
	for (uint32_t i = 0; i < cps_module_count(); i++) {
		struct cps_module *m = cps_module_get(i);

		if (atomic_load_explicit(&m->used, memory_order_relaxed) &&
		    !atomic_exchange(&m->announced, true))
			announce_module(i, m);
	}
}

static bool announce_function(uint32_t number, const char *name)
{
	uint8_t bytes[CPS_PYTHON_NAME_BYTES + 64];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};

	cps_record_function(&w, CPS_PYTHON_ADDRESS + number, 1, name);
	return announce(&w, bytes);
}

void cps_announce_news(void)
{
	announce_modules();
	cps_python_functions_tell(announce_function);
}
