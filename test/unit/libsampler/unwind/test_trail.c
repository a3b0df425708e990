/* SPDX-License-Identifier: MIT */
/*
 * test_trail.c - a stack of which only the changed part was walked is the same as a plain walk's.
 *
 * Each stack is walked twice at the same moment, with the trail of the previous walk and without
 * it. All that is known of each frame must be the same.
 *
 * This was seen to fail without the comparison of either word; of sp, fp or pc in is_at(); of the
 * generation; without OTHER for steps that are not quick, and for the recorder's own frames;
 * without `join`; with a trail that is kept although the walk ends before it, or that does not fit;
 * if follow() leaves is_exact set, or compares although all registers are to be followed; and if a
 * batch takes frames for known that are not.
 */
/* The programs here return by longjmp from a stack of their own, which the checked longjmp of hardened builds
 * takes for an error. */
#undef _FORTIFY_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changing_stack.h"
#include "libsampler/base/sys.h"
#include "libsampler/stream/journal.h"
#include "libsampler/unwind/unwind.h"
#include "own_modules.h"
#include "recording_fixture.h"
#include "whole_samples.h"

extern void *__libc_stack_end;

static struct cps_trail trail;
static struct cps_frame *fresh, plain[CPS_DEPTH_MAX];
static uint32_t room = CPS_DEPTH_MAX;
static bool grows; /* both arrays, whenever a stack does not fit */
static uint64_t samples, all_frames, walked_frames;
static char difference[256];

TestSuite(trail, .timeout = 120);

/* Half of the walks know the bounds of the stack, if it is the first thread's. */
static struct cps_peek bounds_of(const struct cps_regs *regs)
{
	uintptr_t sp = regs->r[CPS_REG_SP], high = (uintptr_t)__libc_stack_end & ~(uintptr_t)7;

	if (samples % 2 || sp >= high || high - sp > 1 << 23)
		return (struct cps_peek){.high = 0};
	return (struct cps_peek){.low = sp - CPS_RED_ZONE, .high = high};
}

/* Slow steps must not spoil what the trail knows of quick ones. */
static bool is_equal(const struct cps_frame *a, const struct cps_frame *b)
{
	return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp &&
	       (a->fp_at == b->fp_at || needs_registers);
}

static void compare(const struct cps_stack *ours, const struct cps_stack *whole)
{
	uint32_t i = 0;

	if (*difference)
		return;
	if (ours->depth != whole->depth || ours->mark != whole->mark)
		snprintf(difference, sizeof(difference), "%lu: depth %u mark %u, not %u %u",
			 (long)samples, ours->depth, ours->mark, whole->depth, whole->mark);
	while (i < whole->depth && is_equal(&whole->frames[i], cps_trail_frame(&trail, i)))
		i++;
	if (!*difference && i < whole->depth)
		snprintf(difference, sizeof(difference), "%lu: frame %u of %u", (long)samples, i,
			 whole->depth);
}

/* As cps_batch_make_room does it. */
static void grow(uint32_t frames)
{
	struct cps_frame *larger = calloc(frames, sizeof(*larger));

	cr_assert(larger);
	free(fresh);
	fresh = calloc(frames, sizeof(*fresh));
	cr_assert(fresh);
	cps_trail_move(&trail, larger, frames);
	room = frames;
}

static void on_sample(int number, siginfo_t *info, void *context)
{
	struct cps_stack whole = {.frames = plain};
	struct cps_stack ours = {.frames = fresh, .room = room, .trail = &trail};
	struct cps_regs regs;
	struct cps_peek peek;

	(void)number;
	(void)info;
	cps_regs_of_context(&regs, context);
	peek = bounds_of(&regs);
	cps_unwind(&regs, &peek, &ours);
	if (grows && ours.seen > room) {
		grow(room * 2);
		ours = (struct cps_stack){.frames = fresh, .room = room, .trail = &trail};
		peek = bounds_of(&regs);
		cps_unwind(&regs, &peek, &ours);
	}
	peek = bounds_of(&regs);
	whole.room = room;
	cps_unwind(&regs, &peek, &whole);
	samples++;
	all_frames += whole.depth;
	walked_frames += ours.fresh;
	if (samples % 10 == 0)
		return; /* a sample that was recorded elsewhere */
	cps_trail_take(&trail, &ours);
	compare(&ours, &whole);
}

static void interrupt(void)
{
	raise(SIGUSR2);
}

static void start_without(const void *own)
{
	struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_NODEFER};

	own_modules_init(own);
	trail.frames = calloc(CPS_DEPTH_MAX, sizeof(*trail.frames));
	fresh = calloc(CPS_DEPTH_MAX, sizeof(*fresh));
	cr_assert(trail.frames && fresh);
	trail.room = CPS_DEPTH_MAX;
	sigaction(SIGUSR2, &action, NULL);
}

/* The sanitizer takes coroutines, jumps and frames of assembly for errors, because it knows one
 * stack for each thread. */
static void needs_bare_stacks(void)
{
#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("the sanitizer takes these stacks for errors");
#endif
}

static void start(void)
{
	start_without(NULL);
}

Test(trail, is_as_it_was_walked)
{
	needs_bare_stacks();
	start();
	changing_stack(20000, interrupt);
	cr_assert_str_empty(difference);
	cr_assert_lt(walked_frames * 2, all_frames, "%lu of %lu walked", (long)walked_frames,
		     (long)all_frames);
}

/* From these frames only registers lead on that quick steps do not follow. */
Test(trail, with_all_registers)
{
	needs_bare_stacks();
	start();
	needs_registers = 1;
	changing_stack(10000, interrupt);
	cr_assert_str_empty(difference);
}

/* The C library's frames are treated as the recorder's own. */
Test(trail, with_frames_left_out)
{
	needs_bare_stacks();
	start_without((const void *)(uintptr_t)qsort);
	changing_stack(20000, interrupt);
	cr_assert_str_empty(difference);
	cr_assert_lt(walked_frames * 2, all_frames);
}

/* The frames sometimes fit, and sometimes do not. */
Test(trail, of_stacks_that_are_cut)
{
	needs_bare_stacks();
	start();
	room = 100;
	changing_stack(3000, interrupt);
	cr_assert_str_empty(difference);
}

/* The trail's frames and the new ones do not fit together. */
static __attribute__((noinline)) void descend(int n)
{
	if (n)
		descend(n - 1);
	else
		interrupt();
	path_sink++;
}

Test(trail, grows_past_the_room)
{
	start();
	room = 64;
	for (int i = 0; i < 400; i++)
		descend(i % 2 ? 30 + i / 4 : 40);
	cr_assert_str_empty(difference);
	cr_assert_lt(walked_frames, all_frames);
}

Test(trail, moves_to_a_larger_array)
{
	start();
	grow(64);
	grows = true;
	for (int i = 0; i < 900; i++)
		descend(i % 2 ? 30 + i / 2 : 20 + i / 3);
	cr_assert_str_empty(difference);
	cr_assert_eq(room, 512);
	cr_assert_lt(walked_frames, all_frames);
}

/* ---- two threads, one trail ------------------------------------------------------------------ */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void interrupt_in_turn(void)
{
	pthread_mutex_lock(&turn);
	interrupt();
	pthread_mutex_unlock(&turn);
}

static __attribute__((noinline)) void some_frames(unsigned n)
{
	if (n)
		some_frames(n - 1);
	else
		interrupt_in_turn();
	path_sink++;
}

static void *in_thread(void *argument)
{
	for (unsigned i = 0; i < 2000; i++)
		some_frames(5 + (i + (unsigned)(uintptr_t)argument) % 3);
	return NULL;
}

Test(trail, of_threads_in_turn)
{
	pthread_t threads[2];

	start();
	for (uintptr_t i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, in_thread, (void *)i), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(samples, 4000);
	cr_assert_str_empty(difference);
}

/* ---- libraries that come and go -------------------------------------------------------------- */

/* A function with a frame of so many bytes, and a word of the caller's choice 24 bytes above its
 * end. */
static const char make_library[] =
	"cd %s && printf '__asm__(\".globl through\\\\nthrough:\\\\n"
	".cfi_startproc\\\\nsub $%d,%%%%rsp\\\\n.cfi_def_cfa_offset %d\\\\n"
	"mov %%%%rsi,%d(%%%%rsp)\\\\ncall *%%%%rdi\\\\n"
	"add $%d,%%%%rsp\\\\n.cfi_def_cfa_offset 8\\\\nret\\\\n.cfi_endproc\");' >l.c && "
	"${CC:-cc} -shared -fPIC -o l%d.so l.c";

static struct recording_fixture recording;

static void build_library(int bytes)
{
	char command[1024];

	snprintf(command, sizeof(command), make_library, recording.directory, bytes, bytes + 8,
		 bytes == 40 ? 24 : 8, bytes, bytes);
	cr_assert_eq(system(command), 0);
}

/* The function's return address in the last sample. */
static uint64_t return_address_of(uintptr_t function)
{
	for (uint32_t i = 0; i + 1 < trail.depth; i++)
		if (cps_trail_frame(&trail, i)->pc - function < 64)
			return cps_trail_frame(&trail, i + 1)->pc + 1;
	return 0;
}

/* The smaller function's return address is in the place where the larger one has that word. So the
 * words that were known of the smaller one's frame are found again, in the larger one's frame. */
static __attribute__((noinline)) uintptr_t visit(int bytes)
{
	static uint64_t word;
	volatile char *pad = alloca(bytes == 40 ? 16 : 32);
	char name[96];
	void (*through)(void (*f)(void), uint64_t word);
	void *library;

	pad[0] = 0;
	snprintf(name, sizeof(name), "%s/l%d.so", recording.directory, bytes);
	library = dlopen(name, RTLD_NOW);
	cr_assert(library, "%s", dlerror());
	through = (void (*)(void (*)(void), uint64_t))(uintptr_t)dlsym(library, "through");
	through(interrupt, word);
	word = return_address_of((uintptr_t)through);
	dlclose(library);
	cps_module_closed();
	return (uintptr_t)through;
}

Test(trail, of_code_that_was_replaced)
{
	uintptr_t at[2] = {0, 0};

	recording_fixture_make_directory(&recording);
	build_library(24);
	build_library(40);
	start();
	for (int i = 0; i < 40; i++)
		at[i % 2] = visit(i % 2 ? 40 : 24);
	recording_fixture_remove(&recording);
	cr_assert_eq(at[0], at[1], "the libraries do not take each other's place");
	cr_assert_str_empty(difference);
}

/* ---- what is recorded ------------------------------------------------------------------------ */

#define RECORDED 6000u
#define ROOM	 (RECORDED * 600)

/* The threads share a buffer. */
static struct cps_thread threads[2] = {{.id = 0, .announced = true},
				       {.id = CPS_BUFFERS, .announced = true}};
static uint64_t *wanted, n_wanted, n_checked, n_read; /* depth, and as many addresses */

static void record(int number, siginfo_t *info, void *context)
{
	struct cps_stack whole = {.frames = plain, .room = CPS_DEPTH_MAX};
	struct cps_thread *t = &threads[path_length % 3 == 0];
	struct cps_peek none = {.high = 0}, peek = none;
	const struct cps_credit one = {.weight = 1};
	struct cps_regs regs;

	(void)number;
	(void)info;
	cps_regs_of_context(&regs, context);
	cps_unwind(&regs, &peek, &whole);
	if (n_wanted + whole.depth + 1 > ROOM)
		return;
	wanted[n_wanted++] = whole.depth;
	for (uint32_t i = whole.depth; i-- > 0;)
		wanted[n_wanted++] = plain[i].pc;
	peek = none;
	if (!cps_recording_ready() || !cps_recording_add(t, context, &peek, NULL, &one))
		strcpy(difference, "not recorded");
}

static int on_read(void *context, const struct event_sample *sample, struct error *err)
{
	static struct whole_samples whole_samples;
	const struct event_sample whole = whole_sample(&whole_samples, sample), *s = &whole;
	uint64_t *depth = &wanted[n_checked];

	(void)context;
	(void)err;
	n_read++;
	cr_assert_eq(s->depth, *depth);
	for (uint32_t i = 0; i < s->depth; i++) {
		uint32_t number = cps_module_find(depth[1 + i]);
		uint64_t bias = number == CPS_MODULE_NONE ? 0 : cps_module_get(number)->bias;

		cr_assert_eq(s->frames[i].address, depth[1 + i] - bias);
	}
	n_checked += *depth + 1;
	return 0;
}

static void begin_recording(void)
{
	const struct cps_identity identity = {.exe = "/bin/test",
					      .resource = "signals",
					      .unit = "ticks",
					      .engine = "none",
					      .scale = 1,
					      .interval = 1,
					      .start_monotonic_ns =
						      cps_sys_clock_ns(CLOCK_MONOTONIC)};

	recording_fixture_prepare(&recording, identity, 0);
}

Test(trail, is_recorded_as_it_was_walked)
{
	needs_bare_stacks();
	struct sigaction action = {.sa_sigaction = record, .sa_flags = SA_SIGINFO | SA_NODEFER};
	const struct event_sink sink = {.sample = on_read};

	wanted = malloc(ROOM * sizeof(*wanted));
	cr_assert(wanted);
	start();
	begin_recording();
	sigaction(SIGUSR2, &action, NULL);
	changing_stack(RECORDED, interrupt);
	cr_assert(cps_recording_end(0, CPS_STOP_NONE));
	cr_assert_str_empty(difference);
	recording_fixture_read(&recording, &sink);
	cr_assert_eq(n_checked, n_wanted);
	cr_assert_geq(n_read, RECORDED);
	recording_fixture_remove(&recording);
}
