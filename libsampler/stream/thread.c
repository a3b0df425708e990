/* SPDX-License-Identifier: MIT */
/*
 * thread.c - keeps an entry for every thread that is sampled.
 *
 * In: threads that begin and end. Out: struct cps_thread. Entries lie in chunks that are never
 * given back. A free entry is taken by a compare-and-swap of its state.
 *
 * Order: an entry belongs to who has taken it by its state, then to its thread. Entering releases what others read of it
 * (LIVE), and they acquire that. What others may change or read as a whole is held: by `busy`, or by a word of the
 * part (resource/). Who holds a part looks at the state again, since the thread may have left before. An entry counts as
 * used before its thread is LIVE, so that who knows of a thread finds it. How handlers are waited for stands in gate.c.
 */
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/subject.h"
#include "base/sys.h"
#include "base/text.h"
#include "stream/thread.h"
#include "base/poison.h"

#define CHUNK  32u
#define CHUNKS 4096u
/* Bytes before the entries of a chunk: how many of them were taken once. No page of the others is touched. */
#define HEAD 64u

static _Atomic(struct cps_thread *) chunks[CHUNKS];
static _Atomic uint32_t lowest; /* no chunk before it has a free entry */
static _Atomic uint32_t
	found_in; /* the chunk of the thread that was looked for last: the next one is near */
static _Atomic uint32_t next_id;
static _Atomic uint64_t ready_sum;
static atomic_bool is_ready_unknown;
static uintptr_t first_low, first_high;
static void *(*first_entry)(void *);
static int first_tid;

static __thread struct cps_thread *self;
_Alignas(16) unsigned char cps_thread_nobodys[CPS_THREAD_RESOURCE_BYTES];
__thread struct cps_point *cps_thread_points = (void *)cps_thread_nobodys;
static __thread uint8_t n_missed;		/* times that no entry was found for the thread */
static struct cps_thread gone = {.busy = true}; /* stands for a thread whose end was noticed */

struct cps_thread *cps_thread_self(void)
{
	return self;
}

bool cps_thread_is_gone(const struct cps_thread *t)
{
	return t == &gone;
}

static _Atomic uint32_t *used_of(struct cps_thread *chunk)
{
	return (_Atomic uint32_t *)(void *)((char *)chunk - HEAD);
}

static struct cps_thread *chunk_at(uint32_t i)
{
	struct cps_thread *chunk = atomic_load(&chunks[i]), *fresh;
	char *memory;

	if (chunk)
		return chunk;
	memory = cps_arena_take(HEAD + CHUNK * sizeof(*fresh));
	if (!memory)
		return NULL;
	fresh = (struct cps_thread *)(void *)(memory + HEAD);
	if (atomic_compare_exchange_strong(&chunks[i], &chunk, fresh))
		return fresh;
	return chunk;
}

static void note_use(_Atomic uint32_t *used, uint32_t n)
{
	uint32_t before = atomic_load(used);

	while (before < n && !atomic_compare_exchange_weak(used, &before, n))
		;
}

static struct cps_thread *take_of(uint32_t chunk)
{
	struct cps_thread *first = chunk_at(chunk), *t = first;

	for (uint32_t k = 0; t && k < CHUNK; k++, t++) {
		uint32_t state = CPS_THREAD_FREE;

		if (atomic_load_explicit(&t->state, memory_order_relaxed) == state &&
		    atomic_compare_exchange_strong(&t->state, &state, CPS_THREAD_TAKEN)) {
			note_use(used_of(first), k + 1);
			return t;
		}
	}
	return NULL;
}

struct cps_thread *cps_thread_take(void)
{
	uint32_t first = atomic_load(&lowest), i = first;
	struct cps_thread *t = NULL;

	while (i < CHUNKS && !(t = take_of(i)) && atomic_load(&chunks[i]))
		i++;
	if (!t)
		return NULL;
	if (i != first) /* not if an entry before it was freed meanwhile */
		atomic_compare_exchange_strong(&lowest, &first, i);
	memset((char *)t + sizeof(t->state), 0, sizeof(*t) - sizeof(t->state));
	t->chunk = i;
	t->id = atomic_fetch_add(&next_id, 1);
	t->taken_ns = cps_moment_ns();
	return t;
}

static void set_free(struct cps_thread *t)
{
	uint32_t first = atomic_load(&lowest), chunk = t->chunk;

	atomic_store(&t->state, CPS_THREAD_FREE);
	while (chunk < first && !atomic_compare_exchange_weak(&lowest, &first, chunk))
		;
}

static void find_stack(struct cps_thread *t, uint64_t stack_bytes)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t top = cps_sys_self();

	if (t->tid == first_tid) {
		t->stack_low = first_low;
		t->stack_high = first_high;
		t->routine = t->routine ? t->routine : first_entry;
	} else if (t->stack_high) {
		return; /* a child of fork: its stack is where its parent's was */
	} else if (stack_bytes && top > here && top - here < stack_bytes) {
		t->stack_low = top - stack_bytes;
		t->stack_high = top & ~(uintptr_t)7;
	}
}

/* The thread has an entry already: a tick of a clock that the whole process shares came before the
 * thread was introduced. Its new entry takes over what was credited, so that nothing is credited
 * twice. */
static void take_over(struct cps_thread *t, struct cps_thread *adopted)
{
	t->id = adopted->id;
	t->consumed = adopted->consumed;
	t->remainder = adopted->remainder;
	t->is_sampled = adopted->is_sampled;
	t->announced = adopted->announced;
	atomic_store(&t->ready_ns, atomic_load(&adopted->ready_ns));
	memcpy(t->name, adopted->name, sizeof(t->name));
	self = t;
	set_free(adopted);
}

void cps_thread_enter(struct cps_thread *t, uint64_t stack_bytes)
{
	t->tid = cps_sys_gettid();
	t->pointer = cps_sys_self();
	atomic_store(&t->ready_ns, 0);
	if (self && self != t && self->tid == t->tid)
		take_over(t, self);
	find_stack(t, stack_bytes);
	t->random = (uint64_t)(t->id + 1) * UINT64_C(0x9e3779b97f4a7c15);
	if (!self) /* it may be shared with the creator */
		self = t;
	cps_thread_points = (void *)self->resources;
	atomic_store(&t->state, CPS_THREAD_LIVE);
}

bool cps_thread_is_live(const struct cps_thread *t)
{
	return atomic_load(&t->state) == CPS_THREAD_LIVE;
}

/* Waits for another thread that may be adding a sample of this one, or reading what it is due. */
void cps_thread_leave(struct cps_thread *t)
{
	uint64_t until = 0;

	self = &gone;
	cps_thread_points = (void *)cps_thread_nobodys;
	atomic_store(&t->state, CPS_THREAD_TAKEN);
	while ((atomic_exchange(&t->busy, true) || atomic_load(&t->held) == CPS_THREAD_HELD) &&
	       cps_sys_patience(&until))
		;
	set_free(t);
}

void cps_thread_drop(struct cps_thread *t)
{
	set_free(t);
}

static void each_of(uint32_t i, void (*f)(struct cps_thread *t, void *context), void *context)
{
	struct cps_thread *chunk = i < CHUNKS ? atomic_load(&chunks[i]) : NULL;

	for (uint32_t k = 0; chunk && k < atomic_load(used_of(chunk)); k++)
		if (atomic_load(&chunk[k].state) == CPS_THREAD_LIVE)
			f(&chunk[k], context);
}

void cps_thread_each(void (*f)(struct cps_thread *t, void *context), void *context)
{
	for (uint32_t i = 0; i < CHUNKS && atomic_load(&chunks[i]); i++)
		each_of(i, f, context);
}

struct found {
	int tid;
	struct cps_thread *thread;
};

static void compare(struct cps_thread *t, void *context)
{
	struct found *f = context;

	if (t->tid == f->tid)
		f->thread = t;
}

struct cps_thread *cps_thread_find(int tid)
{
	struct found f = {.tid = tid};
	uint32_t near = atomic_load_explicit(&found_in, memory_order_relaxed);

	for (uint32_t i = near; i < near + 2 && !f.thread; i++)
		each_of(i, compare, &f);
	if (!f.thread)
		cps_thread_each(compare, &f);
	if (f.thread)
		atomic_store_explicit(&found_in, f.thread->chunk, memory_order_relaxed);
	return f.thread;
}

/* ---- threads that were there ------------------------------------------------------------------- */

#define AREAS 4096u

static struct area {
	uintptr_t low, high;
} * areas; /* NULL: no process was attached to */
static uint32_t n_areas;
static atomic_bool has_introduced; /* any thread, ever */

void cps_thread_note_area(uintptr_t low, uintptr_t high, bool is_first)
{
	if (is_first)
		n_areas = 0;
	if (!areas)
		areas = cps_arena_pages(AREAS * sizeof(*areas));
	if (!areas || n_areas == AREAS)
		return;
	areas[n_areas].low = low;
	areas[n_areas++].high = high;
}

/* A thread's stack ends where its control block begins. */
static void find_area(struct cps_thread *t, uintptr_t sp)
{
	uintptr_t top = t->pointer;

	for (uint32_t i = 0; i < n_areas; i++) {
		if (sp < areas[i].low || sp >= areas[i].high)
			continue;
		t->stack_low = areas[i].low;
		t->stack_high =
			top > sp && top < areas[i].high ? top & ~(uintptr_t)7 : areas[i].high;
		return;
	}
}

struct cps_thread *cps_thread_introduce(int tid)
{
	struct cps_thread *t = cps_thread_take();

	if (!t)
		return NULL;
	t->tid = tid;
	t->is_introduced = t->is_unwatched = true;
	t->random = (uint64_t)(t->id + 1) * UINT64_C(0x9e3779b97f4a7c15);
	atomic_store(&has_introduced, true);
	atomic_store(&t->state, CPS_THREAD_LIVE);
	return t;
}

void cps_thread_renew(struct cps_thread *t)
{
	const struct cps_thread was = *t;

	memset((char *)t + offsetof(struct cps_thread, is_sampled), 0,
	       sizeof(*t) - offsetof(struct cps_thread, is_sampled));
	t->is_unwatched = was.is_unwatched;
	t->is_introduced = was.is_introduced;
	t->rounds = was.rounds;
	t->random = was.random;
	t->stack_bytes = was.stack_bytes;
	t->stack_low = was.stack_low;
	t->stack_high = was.stack_high;
	t->routine = was.routine;
	t->argument = was.argument;
	memcpy(t->base, was.base, sizeof(t->base));
	t->n_base = was.n_base;
	t->taken_ns = was.taken_ns;
}

bool cps_thread_is_taken(const struct cps_thread *t)
{
	return t == &gone || !atomic_load_explicit(&has_introduced, memory_order_relaxed) ||
	       atomic_load_explicit(&t->state, memory_order_relaxed) != CPS_THREAD_FREE;
}

struct cps_thread *cps_thread_come(uintptr_t sp)
{
	struct cps_thread *t;

	if (!atomic_load_explicit(&has_introduced, memory_order_relaxed))
		return NULL;
	t = cps_thread_find(cps_sys_gettid());
	if (!t || !t->is_introduced)
		return NULL;
	t->pointer = cps_sys_self();
	if (t->tid == first_tid) {
		t->stack_low = first_low;
		t->stack_high = first_high;
		t->routine = first_entry;
	} else {
		find_area(t, sp);
	}
	self = t;
	cps_thread_points = (void *)self->resources;
	return t;
}

/* To look for the entry of a thread that nobody has introduced takes longer than most calls that are wrapped. */
struct cps_thread *cps_thread_arrive(void)
{
	struct cps_thread *t = self;

	if (t && cps_thread_is_taken(t))
		return t;
	if (n_missed++)
		return NULL;
	t = cps_thread_come((uintptr_t)__builtin_frame_address(0));
	n_missed = !t;
	return t;
}

struct cps_thread *cps_thread_reset(void)
{
	struct cps_thread *t = self;

	for (uint32_t i = 0; i < CHUNKS && chunks[i]; i++)
		for (uint32_t k = 0; k < *used_of(chunks[i]); k++)
			if (&chunks[i][k] != t)
				atomic_store(&chunks[i][k].state, CPS_THREAD_FREE);
	self = NULL;
	cps_thread_points = (void *)cps_thread_nobodys;
	cps_ready_reset();
	atomic_store(&next_id, 0);
	atomic_store(&lowest, 0);
	if (!t || atomic_load(&t->state) != CPS_THREAD_LIVE)
		return NULL;
	if (t->tid == first_tid)
		first_tid = cps_sys_getpid();
	t->id = atomic_fetch_add(&next_id, 1);
	atomic_store(&t->busy, false);
	atomic_store(&t->in_handler, 0);
	t->is_sampled = t->announced = t->has_timer = t->has_shot = false;
	t->slack = 0;
	atomic_store(&t->event, NULL);
	t->period = 0;
	t->slower = 0;
	t->remainder = 0;
	t->start_us = 0;
	atomic_store(&t->held, 0);
	atomic_store(&t->state, CPS_THREAD_TAKEN);
	return t;
}

void cps_thread_set_first_stack(uintptr_t low, uintptr_t high, void *(*entry)(void *))
{
	first_entry = entry;
	first_tid = cps_sys_getpid();
	first_low = low;
	first_high = high & ~(uintptr_t)7;
}

/* A handler of another signal may interrupt this one, so they are counted. */
struct cps_thread *cps_thread_begin_handler(void)
{
	struct cps_thread *t = self;

	if (t)
		atomic_fetch_add(&t->in_handler, 1);
	return t;
}

void cps_thread_end_handler(struct cps_thread *t)
{
	if (t)
		atomic_fetch_sub(&t->in_handler, 1);
}

static void wait_for_handler(struct cps_thread *t, void *until)
{
	while ((atomic_load(&t->busy) || atomic_load(&t->in_handler)) && cps_sys_patience(until))
		;
}

void cps_thread_wait_for_handlers(void)
{
	uint64_t until = 0;

	cps_thread_each(wait_for_handler, &until);
	while (atomic_load(&gone.in_handler) && cps_sys_patience(&until))
		;
}

/* Opens a file that the kernel has for each thread. */
static int open_of(const struct cps_thread *t, const char *file)
{
	char path[CPS_SUBJECT_PATH + 48], below[48] = "/task/", number[24];
	const char *tid = cps_digits(number + sizeof(number), (unsigned)t->tid);

	memcpy(below + 6, tid, strlen(tid));
	memcpy(below + 6 + strlen(tid), file, strlen(file) + 1);
	return cps_descriptor_open(cps_subject_path(path, below), O_RDONLY, 0);
}

void cps_thread_read_name(const struct cps_thread *t, char name[CPS_THREAD_NAME_BYTES])
{
	long n = 0;
	int fd;

	memset(name, 0, CPS_THREAD_NAME_BYTES);
	if (t == self) {
		CPS_SYS(prctl, PR_GET_NAME, name, 0, 0);
		name[CPS_THREAD_NAME_BYTES - 1] = '\0';
		return;
	}
	fd = open_of(t, "/comm");
	if (fd >= 0) {
		n = cps_sys_read(fd, name, CPS_THREAD_NAME_BYTES - 1);
		cps_sys_close(fd);
	}
	if (n > 0 && name[n - 1] == '\n')
		name[n - 1] = '\0';
	if (n <= 0) /* it has ended */
		memcpy(name, t->name, CPS_THREAD_NAME_BYTES);
}

/* ---- ready ----------------------------------------------------------------------------------- */

/* Reads three numbers: ns on a processor, ns ready, how often it was put on one. A kernel that does not count them says 0. */
static bool read_three(const char *p, uint64_t numbers[3])
{
	for (int i = 0; i < 3; i++, p += *p == ' ') {
		const char *first = p;

		for (numbers[i] = 0; *p >= '0' && *p <= '9'; p++)
			numbers[i] = numbers[i] * 10 + (uint64_t)(*p - '0');
		if (p == first)
			return false;
	}
	return numbers[2] != 0;
}

bool cps_ready_read(const struct cps_thread *t, uint64_t *ns)
{
	char text[96] = "";
	uint64_t numbers[3];
	int fd = open_of(t, "/schedstat");
	long n;

	if (fd < 0)
		return false;
	n = cps_sys_read(fd, text, sizeof(text) - 1);
	cps_sys_close(fd);
	if (n <= 0 || !read_three(text, numbers))
		return false;
	*ns = numbers[1];
	return true;
}

void cps_ready_forget(void)
{
	atomic_store(&is_ready_unknown, true);
}

void cps_ready_begin(struct cps_thread *t)
{
	uint64_t now;

	if (atomic_load(&is_ready_unknown))
		return;
	if (cps_ready_read(t, &now))
		atomic_store(&t->ready_ns, now);
	else
		cps_ready_forget();
}

/* If two do so at a time, what both add is right together. What counts is multiplied by CPS_READY_SHORT_NS / life_ns. */
static void add(struct cps_thread *t, uint64_t life_ns)
{
	uint64_t now, new;

	if (!cps_ready_read(t, &now)) {
		cps_ready_forget();
		return;
	}
	new = now - atomic_exchange(&t->ready_ns, now);
	if (life_ns < CPS_READY_SHORT_NS) /* it was not ready for longer than it lived */
		new = (new < life_ns ? new : life_ns) * CPS_READY_SHORT_NS / life_ns;
	atomic_fetch_add(&ready_sum, new);
}

void cps_ready_add(struct cps_thread *t)
{
	if (!atomic_load(&is_ready_unknown))
		add(t, CPS_READY_SHORT_NS);
}

/* A number that says nothing of the thread's life, below CPS_READY_SHORT_NS. */
static uint64_t draw(const struct cps_thread *t, uint64_t now)
{
	uint64_t x = (now ^ (uint64_t)t->id << 32) * UINT64_C(0xbf58476d1ce4e5b9);

	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) % CPS_READY_SHORT_NS;
}

void cps_ready_add_last(struct cps_thread *t)
{
	uint64_t now = cps_moment_ns(), life_ns = now - t->taken_ns;

	if (!atomic_load(&is_ready_unknown) && draw(t, now) < life_ns)
		add(t, life_ns);
}

void cps_ready_reset(void)
{
	atomic_store(&ready_sum, 0);
	atomic_store(&is_ready_unknown, false);
}

uint64_t cps_ready_ns(void)
{
	return atomic_load(&is_ready_unknown) ? 0 : atomic_load(&ready_sum);
}
