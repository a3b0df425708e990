/* SPDX-License-Identifier: MIT */
/*
 * outside.c - records a process from outside: what the kernel tells becomes a recording.
 *
 * In: samples with a copy of the stack each (watched.h). Out: a recording, written by the recorder's own code, which unwinds the
 * copies by its own rows (elsewhere.h). The process is not touched, so it may be anything that the kernel runs.
 */
#include "launcher/outside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/duration.h"
#include "launcher/elsewhere.h"
#include "launcher/proc.h"
#include "launcher/subject.h"
#include "launcher/watched.h"
#include "libsampler/base/moment.h"
#include "libsampler/stream/deflate_out.h"
#include "libsampler/stream/loss.h"
#include "libsampler/stream/recode.h"
#include "libsampler/stream/recording.h"
#include "libsampler/unwind/unwind.h"

#define INTERVAL_NS UINT64_C(4000000)
#define STACK_BYTES 32768u
#define SCALE	    1000 /* ns in a unit of weight */

static const struct target *target;
static struct cps_identity identity;
static char stem[PATH_MAX];
static const struct watched_sample *now; /* the sample that is looked at */
static uint64_t told_lost, interval_ns, credited_ns, used_before_ns;
static bool has_begun;
static bool has_reread; /* all mappings, at this look */

/* ---- threads -------------------------------------------------------------------------------------------- */

/* What is credited to a thread, and what it has used. */
struct account {
	struct cps_thread *thread;
	int tid;
	uint64_t before_ns,
		after_ns; /* its CPU time when recording began, and when watching ended; 0: it was not looked at */
	uint64_t credited_ns, used_ns;
};

static struct account *accounts;
static size_t n_accounts, room_accounts;

static struct account *find(int tid)
{
	for (size_t i = n_accounts; i-- > 0;)
		if (accounts[i].tid == tid)
			return &accounts[i];
	return NULL;
}

static struct account *add_account(int tid, uint64_t time_ns)
{
	struct account *a, *more;
	struct cps_thread *t = cps_thread_introduce(tid);

	if (n_accounts == room_accounts) {
		more = realloc(accounts, (room_accounts * 2 + 64) * sizeof(*accounts));
		if (!more)
			return NULL;
		accounts = more;
		room_accounts = room_accounts * 2 + 64;
	}
	if (!t)
		return NULL;
	t->start_us = time_ns > identity.start_monotonic_ns
			      ? (time_ns - identity.start_monotonic_ns) / 1000
			      : 0;
	a = &accounts[n_accounts++];
	*a = (struct account){.thread = t, .tid = tid};
	return a;
}

static void set_name(struct account *a, const char *name)
{
	memset(a->thread->name, 0, sizeof(a->thread->name));
	memcpy(a->thread->name, name, strnlen(name, sizeof(a->thread->name) - 1));
}

/* ---- samples -------------------------------------------------------------------------------------------- */

/* A stack that has no whole end may have had one behind the end of its copy. */
static void walk(const ucontext_t *unused, const struct cps_peek *none, struct cps_stack *stack)
{
	const struct elsewhere_stack copy = {now->regs.r[CPS_REG_SP], now->stack, now->stack_bytes,
					     now->is_cut};
	const struct cps_peek bounds = {0};

	(void)unused;
	(void)none;
	elsewhere_set_stack(&copy);
	cps_unwind(&now->regs, &bounds, stack);
	if (stack->mark != CPS_MARK_COMPLETE && elsewhere_missed_stack())
		stack->mark = CPS_MARK_COPIED;
	elsewhere_set_stack(NULL);
}

static const struct cps_unwinder from_copies = {CPS_UNWINDER_NATIVE, walk};

/* Takes what is less than a unit to the next sample. */
static uint64_t weight_of(struct account *a, uint64_t ns)
{
	uint64_t gticks = ns + a->thread->remainder;

	a->thread->remainder = (uint32_t)(gticks % SCALE);
	a->credited_ns += ns;
	credited_ns += ns;
	return gticks / SCALE;
}

static void on_sample(void *context, const struct watched_sample *s)
{
	struct account *a = find(s->tid);
	struct cps_credit credit = {.at_ns = s->time_ns};

	(void)context;
	if (!a)
		a = add_account(s->tid, s->time_ns);
	if (!a || !s->regs.valid || !cps_recording_ready()) {
		cps_loss_add(a ? CPS_LOSS_STACK : CPS_LOSS_MEMORY, 1);
		return;
	}
	now = s;
	credit.weight = weight_of(a, s->period_ns);
	cps_recording_add(a->thread, NULL, NULL, NULL, &credit);
}

/* What a thread has used beyond its samples: nothing says where it was. */
static void add_rest(struct account *a, uint64_t rest_ns)
{
	struct cps_frame frame = {.pc = CPS_NOT_SAMPLED_ADDRESS};
	struct cps_stack stack = {
		.frames = &frame, .room = 1, .fresh = 1, .depth = 1, .mark = CPS_MARK_NOT_SAMPLED};
	struct cps_credit credit = {.is_tail = true};

	if (rest_ns < SCALE || !cps_recording_ready())
		return;
	credit.weight = weight_of(a, rest_ns);
	stack.generation = 0;
	cps_recording_add(a->thread, NULL, NULL, &stack, &credit);
}

static void settle(struct account *a)
{
	if (a->used_ns > a->credited_ns)
		add_rest(a, a->used_ns - a->credited_ns);
}

/* ---- what the process does -------------------------------------------------------------------------------- */

static void on_map(void *context, const struct watched_mapping *m)
{
	const struct elsewhere_mapping mapping = {.begin = m->begin,
						  .end = m->begin + m->bytes,
						  .offset = m->offset,
						  .major = m->major,
						  .minor = m->minor,
						  .inode = m->inode,
						  .path = m->path};

	(void)context;
	elsewhere_map(&mapping);
}

static void on_fork(void *context, int tid, int parent, uint64_t time_ns)
{
	struct account *from, *a;
	char name[CPS_THREAD_NAME_BYTES] = "";

	(void)context;
	if (find(tid))
		return;
	from = find(parent);
	if (from)
		memcpy(name, from->thread->name, sizeof(name));
	a = add_account(tid, time_ns);
	if (a)
		set_name(a, name);
}

static void on_used(void *context, int tid, uint64_t ns)
{
	struct account *a = find(tid);

	(void)context;
	if (a)
		a->used_ns += ns;
}

/* The place of the last one becomes free. */
static void on_exit_of(void *context, int tid)
{
	struct account *a = find(tid);

	(void)context;
	if (!a || tid == target->pid)
		return;
	settle(a);
	cps_recording_thread_ends(a->thread);
	cps_thread_drop(a->thread);
	*a = accounts[--n_accounts];
}

/* A record of a mapping may be among those that are lost. Once for all that was lost before a look is enough: it may take long. */
static void on_lost(void *context)
{
	(void)context;
	if (!has_reread)
		elsewhere_read_mappings();
	has_reread = true;
}

/* ---- begin and end ---------------------------------------------------------------------------------------- */

/* For cpconv --info; NULL: there is nothing to be said. */
static const char *explain_engine(void)
{
	static char text[256];
	size_t n = 0;

	if (!watched_has_kernel())
		n = (size_t)snprintf(text, sizeof(text),
				     "samples are of the program's own code only: "
				     "kernel.perf_event_paranoid allows no more");
	if (!has_begun && watched_partial()) /* no thread outlives exec */
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%sthreads that were made while recording began (%zu) may "
				      "have half of their samples, or twice as many",
				      n ? "; " : "", watched_partial());
	return n ? text : NULL;
}

static void prepare(const char *name)
{
	static struct cps_output output;
	size_t n;
	bool makes_directories;

	subject_read(&identity, target->pid);
	identity.engine = "outside";
	identity.engine_why = explain_engine();
	identity.interval = interval_ns;
	if (!identity.exe)
		identity.exe = strdup(name);
	if (!subject_name(&identity, target->pid, stem, sizeof(stem), &makes_directories))
		target_refuse(target, "the name of its recording is too long");
	output = (struct cps_output){.stem = stem,
				     .suffix = "",
				     .makes_directories = makes_directories,
				     .identity = &identity};
	n = strlen(stem);
	if (n > 4 && strcmp(stem + n - 4, ".cps") == 0) {
		output.suffix = ".cps";
		stem[n - 4] = '\0';
	}
	cps_columnar_set_interval(interval_ns);
	cps_recording_prepare(&output);
	cps_ready_forget();
	cps_recording_keep();
}

static void note_losses(void)
{
	uint64_t lost = watched_lost();

	if (lost > told_lost)
		cps_loss_add(CPS_LOSS_UNREAD, lost - told_lost);
	told_lost = lost;
}

/* Threads that live. Afterwards they go on, and what they use then is not recorded. */
static void note_used(void)
{
	for (size_t i = 0; i < n_accounts; i++)
		accounts[i].after_ns = proc_used_ns(target->pid, accounts[i].tid);
}

/* Threads that live have used what /proc says, but all together what the kernel has counted while it watched, which began and ended
 * at moments that are a bit different from thread to thread. The rest of that sum is the first thread's. */
static void settle_all(void)
{
	uint64_t sum = watched_used_ns() - used_before_ns;
	struct account *first = find(target->pid);

	for (size_t i = 0; i < n_accounts && credited_ns < sum; i++) {
		struct account *a = &accounts[i];
		uint64_t most = a->credited_ns + sum - credited_ns;

		if (a->after_ns <= a->before_ns || a == first)
			continue;
		a->used_ns = a->after_ns - a->before_ns;
		a->used_ns = a->used_ns < most ? a->used_ns : most;
		settle(a);
	}
	if (sum > credited_ns && first)
		add_rest(first, sum - credited_ns);
}

static void finish(enum cps_stop why)
{
	uint64_t used;

	settle_all();
	used = watched_used_ns();
	note_losses();
	if (cps_recording_path())
		cps_recording_end(used - used_before_ns, why);
	used_before_ns = used;
}

static void read_threads(void);

/* The process has become another program, of which there is another recording. */
static void begin_anew(const char *name)
{
	finish(CPS_STOP_EXEC);
	while (n_accounts)
		cps_thread_drop(accounts[--n_accounts].thread);
	elsewhere_forget();
	cps_recording_reset();
	cps_module_reset();
	credited_ns = 0;
	prepare(name);
	elsewhere_read_mappings();
	read_threads();
}

static void on_name(void *context, int tid, const char *name, bool is_exec, uint64_t time_ns)
{
	struct account *a;

	(void)context;
	(void)time_ns;
	if (is_exec)
		begin_anew(name);
	a = find(tid);
	if (!a)
		return;
	if (a->thread->announced)
		cps_announce_thread(a->thread);
	else
		set_name(a, name);
}

/* Threads that are there already. */
static void read_threads(void)
{
	DIR *threads = proc_threads(target->pid);
	int tid;

	while ((tid = proc_next(threads))) {
		struct account *a = NULL;

		if (!find(tid))
			a = add_account(tid, identity.start_monotonic_ns);
		if (a)
			a->before_ns = proc_used_ns(target->pid, tid);
	}
	proc_close(threads);
	if (!find(target->pid)) /* it has ended meanwhile */
		add_account(target->pid, identity.start_monotonic_ns);
}

/* "cpu:1ms", as the recorder has checked it. */
static uint64_t read_interval(void)
{
	const char *wanted = getenv("CPSAMPLE_RESOURCES");
	double ns;

	if (!wanted || strncmp(wanted, "cpu:", 4) != 0)
		return INTERVAL_NS;
	ns = duration_seconds(wanted + 4) * 1e9 + 0.5;
	return ns >= 100000 && ns < 1e12 ? (uint64_t)ns : ns < 100000 ? 100000 : INTERVAL_NS;
}

static const struct watched_events events = {.sample = on_sample,
					     .map = on_map,
					     .name = on_name,
					     .fork = on_fork,
					     .exit = on_exit_of,
					     .used = on_used,
					     .lost = on_lost};

void outside_begin(struct target *t)
{
	struct watched_wish wish = {.pid = t->pid, .stack_bytes = STACK_BYTES};
	const char *why;

	target = t;
	wish.interval_ns = interval_ns = read_interval();
	cps_moment_prepare(getauxval(AT_SYSINFO_EHDR));
	elsewhere_begin(t->pid);
	cps_unwinder_use(&from_copies);
	if (!watched_begin(&wish, &why))
		target_refuse(t, "%s", why);
	prepare("unknown");
	elsewhere_read_mappings();
	read_threads();
	if (!cps_recording_ready()) {
		int error = 0;

		cps_loss_stop_reason(&error);
		target_refuse(t, "%s%s cannot be made: %s", stem, ".cps",
			      strerror(error < 0 ? -error : error));
	}
	has_begun = true;
}

bool outside_look(void)
{
	has_reread = false;
	watched_read(&events, false);
	note_losses();
	return cps_loss_stop_reason(NULL) == CPS_STOP_NONE;
}

uint64_t outside_patience_ns(void)
{
	return watched_patience_ns();
}

static bool say_end(const char *directory)
{
	uint64_t n = cps_loss_get(CPS_LOSS_OUTPUT);
	int error = 0;

	if (cps_recording_is_removed())
		return target_say_removed(target, directory);
	if (!n)
		return true;
	cps_loss_stop_reason(&error);
	error = error ? error : -cps_deflate_out_error();
	return target_say_unwritten(target, n, error > 0 ? (uint64_t)error : 0);
}

bool outside_end(bool has_ended, const char *directory)
{
	if (!has_begun)
		return true;
	watched_stop();
	note_used();
	has_reread = false;
	watched_read(&events, true);
	finish(has_ended ? CPS_STOP_NONE : CPS_STOP_DETACHED);
	return say_end(directory);
}
