/* SPDX-License-Identifier: MIT */
/*
 * called.c - writes the counts of calls into the recording, and beside it while the process runs.
 *
 * In: the machines of all threads. Out: records (doc/format.md). Their threads may be counting meanwhile: each count is one that
 * the thread has had.
 *
 * Order: how many states and functions there are is acquired before they are read (machine.c releases it), and who has
 * an array of functions that is too small since still finds them there. Counts are read whole, each for itself. `is_keeping` is a lock for what is kept beside the recording.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "base/text.h"
#include "collector/called.h"
#include "collector/calls.h"
#include "stream/deflate_out.h"
#include "stream/loss.h"
#include "stream/record.h"
#include "stream/recording.h"
#include "unwind/module.h"
#include "format.h"
#include "base/poison.h"

#define PAYLOAD_BYTES (256u << 10)
#define ENTRY_MOST    64u /* bytes of a function or state */
#define NAME_BYTES    8300u
#define ALL_BYTES     (PAYLOAD_BYTES + 2 * NAME_BYTES) /* with two names behind */
#define SELDOM	      100u /* it may take one in so many parts of the time */

/* Where records go. False: no more can be written. */
typedef bool put_record(void *to, const uint8_t *head, size_t n_head, const uint8_t *payload,
			size_t n, const uint8_t checksum[4]);

struct records {
	put_record *put;
	void *to;
	struct cps_writer w; /* the payload of the record that is being made */
	uint8_t *bytes;	     /* PAYLOAD_BYTES */
	bool is_done;	     /* no more can be written */
};

static void begin_record(struct records *r)
{
	r->w = (struct cps_writer){r->bytes, r->bytes + PAYLOAD_BYTES, false};
}

static void end_record(struct records *r, unsigned tag)
{
	uint8_t head[32], checksum[4];
	struct cps_writer h = {head, head + sizeof(head), false};
	size_t n = (size_t)(r->w.p - r->bytes);

	cps_record_around(&h, checksum, tag, r->bytes, n);
	r->is_done |= !r->put(r->to, head, (size_t)(h.p - head), r->bytes, n, checksum);
}

static bool is_full(const struct records *r)
{
	return r->w.end - r->w.p < ENTRY_MOST;
}

/* Functions from number i on. `base` is the number of the machine's first function among those of all machines. */
static uint32_t write_functions(struct records *r, const struct cps_calls *c, uint32_t base,
				uint32_t i, uint32_t n)
{
	begin_record(r);
	cps_put(&r->w, base + i);
	for (; i < n && !is_full(r); i++) {
		struct cps_called *f = &c->machine.called[i];
		uint32_t module = cps_calls_module(f);
		uintptr_t bias = 0;

		if (module != CPS_MODULE_NONE) {
			bias = cps_module_get(module)->bias;
			cps_module_use(cps_module_get(module));
		}
		cps_put(&r->w, module == CPS_MODULE_NONE ? 0 : module + 1);
		cps_put(&r->w, f->address - bias);
	}
	end_record(r, CPS_TAG_CALLED);
	return i;
}

static uint64_t count_of(const uint64_t *n)
{
	return __atomic_load_n(n, __ATOMIC_RELAXED);
}

static uint32_t write_states(struct records *r, const struct cps_calls *c, uint32_t number,
			     uint32_t base, uint32_t i, uint32_t n)
{
	begin_record(r);
	cps_put(&r->w, number);
	cps_put(&r->w, count_of(&c->machine.n_transitions));
	cps_put(&r->w, count_of(&c->missed) + (number == 0 ? cps_calls_missed() : 0));
	cps_put(&r->w, i);
	for (; i < n && !is_full(r); i++) {
		const struct cps_state *s = cps_machine_state(&c->machine, i);

		cps_put(&r->w, s->origin->from);
		cps_put(&r->w, s->origin->function + 2 * (uint64_t)base);
		cps_put(&r->w, count_of(&s->entered));
		cps_put(&r->w, count_of(&s->direct));
	}
	end_record(r, CPS_TAG_CALLS);
	return i;
}

/* Whether any ends of calls were told. */
static bool has_times(const struct cps_calls *c)
{
	return cps_calls_timed_since() && count_of(&c->since);
}

/* What passed in the states. */
static uint32_t write_times(struct records *r, const struct cps_calls *c, uint32_t number,
			    uint32_t i, uint32_t n)
{
	const struct cps_calls_moment *begun = cps_calls_timed_since();
	uint64_t now = cps_entry_cycles();

	begin_record(r);
	cps_put(&r->w, number);
	cps_put(&r->w, now - begun->cycles);
	cps_put(&r->w, cps_moment_ns() - begun->ns);
	cps_put(&r->w, i);
	for (; i < n && !is_full(r); i++)
		cps_put(&r->w, cps_calls_cycles(c, i, now));
	end_record(r, CPS_TAG_CALL_TIMES);
	return i;
}

/* Functions are read after states: all that states have are there. */
static void write_all(struct records *r)
{
	uint32_t base = 0;

	for (uint32_t number = 0; number < cps_calls_count(); number++) {
		const struct cps_calls *c = cps_calls_of(number);
		uint32_t states = c ? __atomic_load_n(&c->machine.n_states, __ATOMIC_ACQUIRE) : 0;
		uint32_t functions =
			c ? __atomic_load_n(&c->machine.n_functions, __ATOMIC_ACQUIRE) : 0;

		for (uint32_t i = 0; i < functions && !r->is_done;)
			i = write_functions(r, c, base, i, functions);
		for (uint32_t i = 1; i < states && !r->is_done;)
			i = write_states(r, c, number, base, i, states);
		for (uint32_t i = 1; i < states && has_times(c) && !r->is_done;)
			i = write_times(r, c, number, i, states);
		base += functions;
	}
}

bool cps_called_any(void)
{
	return cps_calls_count() > 0;
}

/* ---- the file beside it ---------------------------------------------------------------------- */

static atomic_flag is_keeping = ATOMIC_FLAG_INIT;
static _Atomic uint64_t next_us;
static bool is_there;
static atomic_bool is_written; /* the stream has all */

/* The recording's name, with this behind it. False: it is too long, or there is none. */
static bool name_beside(char name[NAME_BYTES], const char *behind)
{
	const char *path = cps_recording_path();
	size_t n = path ? strlen(path) : NAME_BYTES;

	if (n + strlen(behind) + 1 > NAME_BYTES)
		return false;
	memcpy(name, path, n);
	memcpy(name + n, behind, strlen(behind) + 1);
	return true;
}

static bool put_all(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		long written = CPS_SYS(write, fd, bytes, n, 0);

		if (written <= 0)
			return false;
		bytes += written;
		n -= (size_t)written;
	}
	return true;
}

static bool put_to_file(void *to, const uint8_t *head, size_t n_head, const uint8_t *payload,
			size_t n, const uint8_t checksum[4])
{
	int fd = *(const int *)to;

	return put_all(fd, head, n_head) && put_all(fd, payload, n) && put_all(fd, checksum, 4);
}

static void put_word(uint8_t *to, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

/* A new file takes the old one's name when it is whole. */
static void keep(uint64_t now_us, uint64_t journal_id)
{
	uint8_t head[CPS_CALLS_HEAD_BYTES] = CPS_CALLS_MAGIC;
	struct records r = {.put = put_to_file};
	char *name, *made;
	int fd;

	r.bytes = cps_arena_pages(ALL_BYTES);
	name = (char *)r.bytes + PAYLOAD_BYTES;
	made = name + NAME_BYTES;
	fd = r.bytes && name_beside(name, CPS_CALLS_SUFFIX) &&
			     name_beside(made, CPS_CALLS_SUFFIX ".new")
		     ? cps_descriptor_open(made, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666)
		     : -1;
	if (fd >= 0) {
		head[CPS_MAGIC_BYTES] = CPS_CALLS_VERSION;
		put_word(head + CPS_MAGIC_BYTES + 1, journal_id);
		put_word(head + CPS_MAGIC_BYTES + 9, now_us);
		put_word(head + CPS_MAGIC_BYTES + 17, cps_own_time_profiling());
		r.to = &fd;
		r.is_done = !put_all(fd, head, sizeof(head));
		write_all(&r);
		cps_sys_close(fd);
		if (r.is_done || CPS_SYS(renameat, AT_FDCWD, made, AT_FDCWD, name) != 0)
			CPS_SYS(unlinkat, AT_FDCWD, made, 0, 0);
		else
			is_there = true;
	}
	cps_arena_unmap(r.bytes, ALL_BYTES);
	cps_announce_news();
}

void cps_called_keep(uint64_t now_us, uint64_t journal_id)
{
	uint64_t begin;

	if (!cps_called_any() || atomic_load(&is_written) ||
	    now_us < atomic_load_explicit(&next_us, memory_order_relaxed) ||
	    atomic_flag_test_and_set(&is_keeping))
		return;
	begin = cps_moment_ns();
	keep(now_us, journal_id);
	begin = (cps_moment_ns() - begin) / 1000 * SELDOM;
	atomic_store(&next_us, now_us + (begin > CPS_CALLED_US ? begin : CPS_CALLED_US));
	atomic_flag_clear(&is_keeping);
}

static void remove_beside(char *name)
{
	if (is_there && name_beside(name, CPS_CALLS_SUFFIX))
		CPS_SYS(unlinkat, AT_FDCWD, name, 0, 0);
	is_there = false;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static bool put_to_stream(void *to, const uint8_t *head, size_t n_head, const uint8_t *payload,
			  size_t n, const uint8_t checksum[4])
{
	(void)to;
	return cps_deflate_out_append_pieces(
		       (struct cps_piece[]){{head, n_head}, {payload, n}, {checksum, 4}}, 3) == 0;
}

void cps_called_end(void)
{
	struct records r = {.put = put_to_stream};

	if (!cps_called_any() || !cps_recording_path() || atomic_load(&is_written))
		return;
	r.bytes = cps_arena_pages(ALL_BYTES);
	if (r.bytes && cps_deflate_out_wait()) {
		write_all(&r);
		cps_deflate_out_release();
		if (!r.is_done) {
			atomic_store(&is_written, true);
			remove_beside((char *)r.bytes + PAYLOAD_BYTES);
		}
	}
	cps_arena_unmap(r.bytes, ALL_BYTES);
	cps_announce_news();
}

void cps_called_again(void)
{
	atomic_store(&is_written, false);
}

void cps_called_child(void)
{
	cps_called_again();
	atomic_store(&next_us, 0);
	atomic_flag_clear(&is_keeping);
	is_there = false;
}
