/* SPDX-License-Identifier: MIT */
/*
 * attach.c - begins a recording in a process that runs already, and ends it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "attach_area.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "process/attach.h"
#include "process/config.h"
#include "process/find.h"
#include "process/process_life.h"
#include "process/start.h"
#include "process/wrapped.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/other_signals.h"
#include "signal/sample.h"
#include "stream/deflate_out.h"
#include "stream/journal.h"
#include "stream/loss.h"
#include "stream/recording.h"

#define EXPORT __attribute__((visibility("default")))

#define CONTROLLER_STACK (256u << 10)
#define LOOK_NS		 20000000 /* between two looks of the controller's */
#define LOOKS		 50	  /* after so many it counts the threads one by one */

/* Order: all of it is set before the controller is made, or before the first tick, and belongs to that thread afterwards. What is
 * said of the end is stored before the state is released that says so. `stop`, `released` and `lease` are the launcher's words. */
static struct cps_attach_control control;
static char *text; /* of the area, while the recording begins */
static uintptr_t area_begin, area_bytes;
static bool is_threaded, was_before;
static struct {
	int fd; /* of the directory of the recordings, if it was passed; else -1 */
	uint64_t device, inode;
} passed = {.fd = -1};
static int own_tid; /* the thread that introduces the others; 0: it is one of the program's */

/* The last line is the one that says why there is no recording. */
void cps_attach_say(const char *line)
{
	size_t n = strlen(line);

	if (!text)
		return;
	n = n < CPS_ATTACH_TEXT_BYTES ? n : CPS_ATTACH_TEXT_BYTES - 1;
	memcpy(text, line, n);
	text[n] = '\0';
}

/* ---- threads that there are -------------------------------------------------------------------- */
/*
 * In: /proc/self/task. Out: an entry for each thread. A thread that the program makes now may be there before its wrapper
 * has given it one: those are introduced here that were unknown twice.
 */

#define SEEN_MAX   8192
#define ROOM_BYTES 16384u

struct directory_entry {
	uint64_t inode, offset;
	unsigned short bytes;
	unsigned char type;
	char name[];
};

static int *seen[2]; /* threads that were unknown the last time, and this time */
static char *room;   /* for what is read */
static int n_seen[2];
static int now_seen;
static uint64_t n_threads_then; /* when they were looked at last */
static int
	highest; /* the last thread that was introduced at the begin, while numbers ascend; -1: any may have an entry */

static bool was_seen(int which, int tid)
{
	for (int i = 0; i < n_seen[which]; i++)
		if (seen[which][i] == tid)
			return true;
	return false;
}

static uint64_t used_by(const struct cps_clock *clock, const struct cps_thread *t)
{
	return clock->meter->read && clock->meter->read_of ? clock->meter->read_of(t) : 0;
}

static void set_start(struct cps_thread *t, const struct cps_clock *clock)
{
	t->start_us = cps_recording_now_us();
	t->consumed = used_by(clock, t);
	cps_ready_begin(t);
	control.n_threads++;
}

struct others {
	const struct cps_thread *than;
	bool is_any;
};

static void look_for_other(struct cps_thread *t, void *context)
{
	struct others *others = context;

	if (t != others->than && t->tid == others->than->tid)
		others->is_any = true;
}

/* The thread may have announced itself meanwhile. Returns whether it had an entry, or has this one now. */
static bool introduce(int tid, const struct cps_clock *clock, bool is_late)
{
	struct cps_thread *t = cps_thread_introduce(tid);
	struct others others = {.than = t};
	int error;

	if (!t)
		return false;
	if (is_late || highest != tid)
		cps_thread_each(look_for_other, &others);
	if (others.is_any) {
		cps_thread_drop(t);
		return true;
	}
	set_start(t, clock);
	error = is_late ? cps_clock_arm(clock, t) : 0;
	if (error)
		cps_thread_drop(t);
	else if (is_late)
		cps_resource_arm(t);
	return !error || error == -EINVAL; /* it has ended since it was seen */
}

/* When the first recording begins no thread has an entry, and the kernel names them in the order of their numbers: then none has to be
 * looked for, which of thousands takes long. */
static bool is_above(int tid)
{
	if (highest < 0 || tid <= highest)
		return false;
	highest = tid;
	return true;
}

static void look_at(int tid, const struct cps_clock *clock, bool is_first)
{
	struct cps_thread *t;

	if (!tid || tid == own_tid)
		return;
	t = is_first && is_above(tid) ? NULL : cps_thread_find(tid);
	if (t && is_first) {
		cps_thread_renew(t);
		set_start(t, clock);
	}
	if (t)
		return;
	if (is_first || was_seen(!now_seen, tid)) {
		if (!introduce(tid, clock, !is_first))
			cps_loss_add(CPS_LOSS_MEMORY, 1);
	} else if (n_seen[now_seen] < SEEN_MAX) {
		seen[now_seen][n_seen[now_seen]++] = tid;
	}
}

static int number_of(const char *digits)
{
	int n = 0;

	for (; *digits >= '0' && *digits <= '9'; digits++)
		n = n * 10 + *digits - '0';
	return n;
}

/* A process that is not attached to has no memory for it. */
static bool make_room(void)
{
	for (int i = 0; i < 2; i++)
		if (!seen[i])
			seen[i] = cps_arena_pages(SEEN_MAX * sizeof(*seen[i]));
	if (!room)
		room = cps_arena_pages(ROOM_BYTES);
	return seen[0] && seen[1] && room;
}

static int scan(const struct cps_clock *clock, bool is_first)
{
	int fd = cps_descriptor_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	long n;

	if (fd < 0)
		return fd;
	now_seen = !now_seen;
	n_seen[now_seen] = 0;
	while ((n = CPS_SYS(getdents64, fd, room, ROOM_BYTES, 0)) > 0)
		for (long at = 0; at < n;) {
			const struct directory_entry *d = (const void *)(room + at);

			look_at(number_of(d->name), clock, is_first);
			at += d->bytes;
		}
	cps_sys_close(fd);
	return n < 0 ? (int)n : 0;
}

#define LINKS_ALONE 3 /* "." and ".." as well */

/* The directory has a link for each thread. */
static uint64_t count_threads(void)
{
	struct stat s;

	return CPS_SYS(newfstatat, AT_FDCWD, "/proc/self/task", &s, 0) == 0 ? s.st_nlink : 0;
}

/* The bounds of what may be stacks. The memory is private, may be written, and is no guard. */
static void note_area(const char *line, bool is_first)
{
	uintptr_t bounds[2] = {0, 0};
	const char *p = line;

	for (int i = 0; i < 2; i++, p++)
		for (; *p && *p != '-' && *p != ' '; p++)
			bounds[i] =
				bounds[i] * 16 + (uintptr_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	if (p[0] == 'r' && p[1] == 'w')
		cps_thread_note_area(bounds[0], bounds[1], is_first);
}

/* Reads /proc/self/maps, a line at a time. A path that does not fit is cut. */
static void read_areas(void)
{
	int fd = cps_descriptor_open("/proc/self/maps", O_RDONLY, 0);
	char line[64];
	size_t used = 0;
	bool is_first = true;
	long n;

	if (fd < 0)
		return;
	while ((n = cps_sys_read(fd, room, ROOM_BYTES)) > 0)
		for (long i = 0; i < n; i++) {
			if (room[i] != '\n') {
				if (used < sizeof(line) - 1)
					line[used++] = room[i];
				continue;
			}
			line[used] = '\0';
			note_area(line, is_first);
			is_first = false;
			used = 0;
		}
	cps_sys_close(fd);
}

int cps_attach_introduce(const struct cps_clock *clock)
{
	int error;

	if (!make_room())
		return -ENOMEM;
	read_areas();
	control.n_threads = 0;
	error = scan(clock, true);
	highest = -1;
	return error;
}

static void bury(struct cps_thread *t, const struct cps_clock *clock)
{
	cps_clock_disarm(clock, t);
	cps_resource_bury(t);
	cps_thread_drop(t);
}

void cps_attach_forget_self(const struct cps_clock *clock)
{
	struct cps_thread *t = cps_thread_find(cps_sys_gettid());

	if (!t || !t->is_introduced)
		return;
	bury(t, clock);
}

static void drop_if_gone(struct cps_thread *t, void *clock)
{
	if (CPS_SYS(tgkill, cps_sys_getpid(), t->tid, 0, 0) != -ESRCH)
		return;
	if (!clock)
		cps_thread_drop(t);
	else if (t->is_introduced)
		bury(t, clock);
}

/* ---- the end ------------------------------------------------------------------------------------ */

/* The program may have closed it, and have another file of this number. */
static void close_passed(void)
{
	struct stat s;

	if (passed.fd >= 0 && CPS_SYS(fstat, passed.fd, &s, 0, 0) == 0 &&
	    s.st_dev == passed.device && s.st_ino == passed.inode)
		cps_sys_close(passed.fd);
	passed.fd = -1;
}

static void say_losses(void)
{
	int error = 0;
	bool has_failed = cps_loss_stop_reason(&error) != CPS_STOP_NONE || cps_deflate_out_error();

	error = error ? error : -cps_deflate_out_error();
	/* A thread that was just taking a sample at the end loses that, too. */
	control.n_unwritten = has_failed ? cps_loss_get(CPS_LOSS_OUTPUT) : 0;
	control.error = control.n_unwritten && error > 0 ? (uint64_t)error : 0;
	control.is_removed = cps_recording_is_removed();
	control.n_samples = cps_recording_ticks();
	control.n_unkept = cps_loss_get(CPS_LOSS_MEMORY);
}

/* Threads may be in the handler still: their ticks find a closed gate. */
static void give_back(void)
{
	say_losses();
	cps_lease_begin(NULL, 0);
	cps_led_slots_end(is_threaded, count_threads() == LINKS_ALONE);
	cps_bytes_give_back();
	if (is_threaded) /* else this may be in a handler itself */
		cps_thread_wait_for_handlers();
	cps_journal_let_go();
	close_passed();
	cps_disposition_give_back(CPS_SIGNAL_OWN);
	cps_config_detach();
	__atomic_store_n(&control.state, CPS_ATTACH_OVER, __ATOMIC_RELEASE);
}

static bool is_recording(void)
{
	return __atomic_load_n(&control.state, __ATOMIC_RELAXED) == CPS_ATTACH_RECORDS;
}

/* Called by the launcher in a thread that it has stopped, and at the end of the controller. */
static void stop(void)
{
	if (!is_recording())
		return;
	if (is_threaded)
		cps_own_time_add(cps_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	cps_process_life_end(CPS_STOP_DETACHED);
	give_back();
}

void cps_attach_ended(void)
{
	if (is_recording() && !is_threaded)
		give_back();
}

void cps_attach_child(void)
{
	cps_led_slots_child();
	cps_config_detach();
	__atomic_store_n(&control.state, CPS_ATTACH_OVER, __ATOMIC_RELEASE);
}

/* ---- the controller ----------------------------------------------------------------------------- */

/* A look at all threads costs more the more there are. */
static void look(const struct cps_clock *clock, unsigned n)
{
	uint64_t now = count_threads();

	if (n % LOOKS && now == n_threads_then && !n_seen[now_seen])
		return;
	n_threads_then = now;
	cps_thread_each(drop_if_gone, (void *)(uintptr_t)clock);
	scan(clock, false);
}

static void stay(void)
{
	static const struct timespec nap = {0, LOOK_NS};
	const struct cps_clock *clock;
	bool is_unmapped = false;

	for (unsigned n = 1; !__atomic_load_n(&control.stop, __ATOMIC_ACQUIRE); n++) {
		CPS_SYS(nanosleep, &nap, NULL, 0, 0);
		clock = cps_process_life_clock();
		if (!clock || cps_lease_is_over(cps_moment_ns()))
			break;
		if (!is_unmapped && __atomic_load_n(&control.released, __ATOMIC_ACQUIRE)) {
			cps_sys_munmap((void *)area_begin, area_bytes);
			is_unmapped = true;
		}
		look(clock, n);
		cps_led_slots_look();
	}
	stop();
	/* If the launcher is gone a thread may be about to return into the area: it stays. */
	if (!is_unmapped && __atomic_load_n(&control.released, __ATOMIC_ACQUIRE))
		cps_sys_munmap((void *)area_begin, area_bytes);
}

/* The library also loads into C libraries that do not have these. */
static struct {
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*join)(pthread_t, void **);
	int (*detach)(pthread_t);
	int (*set_stack)(pthread_attr_t *, size_t);
} threads;

static bool find_threads(void)
{
	*(void **)&threads.create = cps_find_listed("pthread_create");
	*(void **)&threads.join = cps_find_listed("pthread_join");
	*(void **)&threads.detach = cps_find_listed("pthread_detach");
	*(void **)&threads.set_stack = cps_find_listed("pthread_attr_setstacksize");
	return threads.create && threads.join && threads.detach && threads.set_stack;
}

static void *control_recording(void *starter)
{
	CPS_SYS(prctl, PR_SET_NAME, "cpsample", 0, 0);
	threads.join((pthread_t)(uintptr_t)starter, NULL); /* its code is in the area */
	own_tid = cps_sys_gettid();
	stay();
	return NULL;
}

/* Makes the controller, with the mask of signals that this thread has. False: there is none. */
static bool make_controller(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	threads.set_stack(&attributes, CONTROLLER_STACK);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = threads.create(&thread, &attributes, control_recording,
			       (void *)(uintptr_t)pthread_self());
	pthread_attr_destroy(&attributes);
	return !error;
}

/* A process of one thread that waits had no tick at which it could notice that its launcher is gone. */
static void end_forsaken(void)
{
	if (is_recording() && !is_threaded && cps_lease_is_over(cps_moment_ns()))
		stop();
}

/* ---- the begin ---------------------------------------------------------------------------------- */

#define FORGONE_MOST 100

/* All signals are blocked in the launcher's call. One that waited when the thread goes on would end a call of the program's in
 * which it was taken, so those that are ours are taken before, and what has sent them is armed anew. */
static void forgo_ticks(void)
{
	static const struct timespec no_time;
	const uint64_t ours = UINT64_C(1) << (CPS_SIGNAL_OWN - 1);
	const struct cps_meter *m = cps_sample_meter();
	struct cps_thread *t = cps_thread_arrive();
	siginfo_t info;

	for (int i = 0;
	     t && i < FORGONE_MOST &&
	     CPS_SYS(rt_sigtimedwait, &ours, &info, &no_time, sizeof(ours)) == CPS_SIGNAL_OWN;
	     i++)
		if (!cps_other_signals_forgo(t, &info) && m->rearm && m->is_mine(&info))
			m->rearm(t, &info);
}

static void prepare(const struct cps_attach_area *a)
{
	is_threaded = a->is_threaded;
	area_begin = a->begin;
	area_bytes = a->bytes;
	own_tid = is_threaded ? cps_sys_gettid() : 0;
	passed.fd = (int)a->directory - 1;
	passed.device = a->device;
	passed.inode = a->inode;
	cps_config_see_as((int)a->seen_as);
	control = (struct cps_attach_control){.stop_function = (uint64_t)(uintptr_t)stop};
	if (was_before) {
		cps_thread_each(drop_if_gone, NULL);
		cps_process_life_again();
	}
	was_before = true;
	cps_lease_begin(&control.lease, CPS_ATTACH_LEASE_NS);
}

static bool begin(struct cps_attach_area *a)
{
	prepare(a);
	if (!cps_start_attached()) {
		cps_lease_begin(NULL, 0);
		cps_config_detach();
		return false;
	}
	control.n_slots = cps_led_slots_begin(is_threaded);
	control.took_us = cps_recording_now_us();
	__atomic_store_n(&control.state, CPS_ATTACH_RECORDS, __ATOMIC_RELEASE);
	if (!is_threaded)
		forgo_ticks();
	if (!is_threaded || make_controller())
		return true;
	cps_attach_say("libcpsample: no thread can be made in it; not recording\n");
	stop();
	a->directory = 0; /* is closed by that */
	return false;
}

EXPORT int cpsample_attach(struct cps_attach_area *a);
EXPORT int cpsample_attach(struct cps_attach_area *a)
{
	int saved = errno;
	bool has_begun = false;

	text = a->text;
	end_forsaken();
	if (a->version != CPS_ATTACH_VERSION)
		cps_attach_say("libcpsample: the library is of another version than cpsample; not "
			       "recording\n");
	else if (!find_threads())
		cps_attach_say("libcpsample: needs glibc 2.34 or later; not recording\n");
	else if (!cps_find_is_late())
		cps_attach_say("libcpsample: was started with the recorder, which is there once\n");
	else if (cps_process_life_clock() || is_recording())
		cps_attach_say("libcpsample: is recorded already, for a cpsample that was killed; "
			       "that ends within 5 s: try again then\n");
	else if (!cps_config_attach((const char *)(uintptr_t)a->settings))
		cps_attach_say("libcpsample: the settings are too long; not recording\n");
	else
		has_begun = begin(a);
	text = NULL;
	if (!has_begun && a->directory)
		cps_sys_close((int)a->directory - 1);
	if (a->is_threaded && !has_begun && threads.detach)
		threads.detach(pthread_self());
	if (has_begun)
		a->control = (uint64_t)(uintptr_t)&control;
	__atomic_store_n(&a->state, has_begun ? CPS_ATTACH_RECORDS : CPS_ATTACH_REFUSED,
			 __ATOMIC_RELEASE);
	errno = saved;
	return !has_begun;
}
