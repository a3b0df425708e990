/* SPDX-License-Identifier: MIT */
/*
 * injected.c - brings the recorder into a process, keeps it there, and ends it.
 *
 * In: a process that runs. Out: a recording that it makes of itself. A thread of it does as little as can be: in a process of
 * several threads it makes one more, which does the rest; the only thread of a process loads the library itself.
 */
#include "launcher/injected.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "launcher/passed.h"
#include "launcher/place.h"
#include "launcher/proc.h"
#include "libsampler/attach_area.h"

extern char **environ;

/* ---- code that runs in the process ------------------------------------------------------------------------ */
/*
 * It is copied there as it is, so it calls only what the area has addresses of, and needs no data of its own. No part of it may
 * be a call that the compiler puts in.
 */

struct shared {
	struct cps_attach_area area;
	uint64_t done;
	uint64_t result; /* of pthread_create */
	uint64_t tid;	 /* of the thread that was made */
	uint64_t error;	 /* address of what dlerror has said */
	uint64_t thread; /* where pthread_create puts it */
	uint64_t path, symbol, routine;
	int64_t descriptor; /* of the library, which is closed when that is loaded; -1: none */
	uint64_t dlopen, dlsym, dlerror, pthread_create, pthread_self, pthread_detach,
		errno_location;
};

#define INJECTED                                                                                   \
	__attribute__((section("injected"), noinline, used, no_stack_protector,                    \
		       no_sanitize("address", "undefined")))

INJECTED static void close_there(int64_t fd)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_close), "D"(fd)
			 : "rcx", "r11", "memory");
}

INJECTED static void *load(volatile struct shared *s)
{
	void *library, *begin = NULL;
	long tid;

	__asm__ volatile("syscall" : "=a"(tid) : "a"((long)SYS_gettid) : "rcx", "r11", "memory");
	s->tid = (uint64_t)tid;
	library = ((void *(*)(uint64_t, int))s->dlopen)(s->path, 2 /* RTLD_NOW */);
	if (s->descriptor >= 0)
		close_there(s->descriptor);
	if (library)
		begin = ((void *(*)(void *, uint64_t))s->dlsym)(library, s->symbol);
	if (begin) {
		((int (*)(volatile struct cps_attach_area *))begin)(&s->area);
		return NULL;
	}
	s->error = (uint64_t)((char *(*)(void))s->dlerror)();
	if (s->area.directory)
		close_there((int64_t)s->area.directory - 1);
	if (s->area.is_threaded)
		((int (*)(uint64_t))s->pthread_detach)(((uint64_t(*)(void))s->pthread_self)());
	s->area.state = CPS_ATTACH_REFUSED;
	return NULL;
}

/* What the program finds in errno is its own. */
INJECTED static void load_here(volatile struct shared *s)
{
	int *error = ((int *(*)(void))s->errno_location)(), saved = *error;

	load(s);
	*error = saved;
	s->done = 1;
}

INJECTED static void make_thread(volatile struct shared *s)
{
	int *error = ((int *(*)(void))s->errno_location)(), saved = *error;

	s->result = (uint64_t)((int (*)(volatile uint64_t *, void *, uint64_t,
					volatile void *))s->pthread_create)(&s->thread, NULL,
									    s->routine, s);
	*error = saved;
	s->done = 1;
}

/* At the end, where there is no controller. */
INJECTED static void end_here(volatile struct shared *s)
{
	int *error = ((int *(*)(void))s->errno_location)(), saved = *error;

	((void (*)(void))s->routine)();
	*error = saved;
	s->done = 1;
}

extern const unsigned char __start_injected[], __stop_injected[];

/* ---- the area ----------------------------------------------------------------------------------------------- */
/*
 * A page of code, one of data, some of settings, and the stack.
 */

#define PAGE	      UINT64_C(4096)
#define AREA_BYTES    (UINT64_C(512) << 10)
#define DATA	      PAGE
#define TEXTS	      (DATA + 2048)
#define SETTINGS      (3 * PAGE)
#define SETTINGS_MOST 8000
#define PASSING	      (6 * PAGE) /* while descriptors are passed */
#define CODE	      256	 /* where injected functions begin, behind hijack_code */

static uint64_t injected_at(uint64_t area, const void *function)
{
	return area + CODE + (uint64_t)((const unsigned char *)function - __start_injected);
}

/* Settings that have another meaning here, or none. */
static bool is_for_process(const char *variable)
{
	static const char *const names[] = {"DURATION", "VERBOSE", "DELAY",  "EXE",
					    "CHECK",	"KEEP",	   "CLOCK",  "TOGGLE_SIGNAL",
					    "CONFINED", "CALLS",   "SECCOMP"};

	if (strncmp(variable, "CPSAMPLE_", 9) != 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(variable + 9, names[i], strlen(names[i])) == 0 &&
		    variable[9 + strlen(names[i])] == '=')
			return false;
	return true;
}

static size_t collect_settings(const struct target *t, char *to)
{
	size_t n = 0;

	for (char **e = environ; *e; e++) {
		size_t length = strlen(*e) + 1;

		if (!is_for_process(*e))
			continue;
		if (n + length + 1 > SETTINGS_MOST)
			target_refuse(t, "the settings are too long");
		memcpy(to + n, *e, length);
		n += length;
	}
	to[n++] = '\0';
	return n;
}

/* What a process gets that sees other files: descriptors, as paths that it sees. */
struct passed {
	int theirs[2]; /* the library, the directory */
	char library[32];
};

/* A mount of its own, which is nowhere: by ".." one comes to nothing that is above the directory. */
static int open_alone(const char *directory)
{
	return (int)syscall(SYS_open_tree, AT_FDCWD, directory,
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

/* By a mount that can only be read: who may write to the file where the process is, as root of a container may, cannot do it through
 * this descriptor. */
static int open_library(const char *library)
{
	struct mount_attr only_read = {.attr_set = MOUNT_ATTR_RDONLY};
	char *path = realpath(library, NULL), *slash = path ? strrchr(path, '/') : NULL;
	int tree = -1, fd = -1;

	if (slash) {
		*slash = '\0';
		tree = open_alone(*path ? path : "/");
	}
	if (tree >= 0 &&
	    syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &only_read, sizeof(only_read)) == 0)
		fd = openat(tree, slash + 1, O_RDONLY | O_CLOEXEC);
	if (tree >= 0)
		close(tree);
	free(path);
	return fd;
}

/* The setting of the directory names its descriptor. */
static bool pass(struct injected *in, struct hijack *h, const char *library, uint64_t area,
		 struct passed *p, const char **why)
{
	const struct target *t = in->target;
	int ours[2] = {open_library(library), open_alone(t->directory)};
	char directory[32];
	bool done;

	*why = "it sees other files, and cannot be given the library and the directory alone, "
	       "which takes CAP_SYS_ADMIN and Linux 5.12; --outside records it without touching it";
	done = ours[0] >= 0 && ours[1] >= 0 &&
	       passed_give(h, area + PASSING, ours, p->theirs, 2, why);
	for (int i = 0; i < 2; i++)
		if (ours[i] >= 0)
			close(ours[i]);
	if (!done)
		return false;
	snprintf(p->library, sizeof(p->library), "/proc/self/fd/%d", p->theirs[0]);
	snprintf(directory, sizeof(directory), "/proc/self/fd/%d", p->theirs[1]);
	return setenv("CPSAMPLE_DIR", directory, 1) == 0;
}

static void describe_passed(struct shared *s, const struct target *t, const struct passed *p)
{
	struct stat directory;

	s->descriptor = p->theirs[0];
	if (stat(t->directory, &directory) != 0)
		return;
	s->area.directory = (uint64_t)p->theirs[1] + 1;
	s->area.device = directory.st_dev;
	s->area.inode = directory.st_ino;
}

static bool fill(const struct injected *in, const struct hijack *h, const struct image *libc,
		 const char *library, uint64_t area, const struct passed *passed)
{
	static char settings[SETTINGS_MOST + 1];
	const struct target *t = in->target;
	size_t n = collect_settings(t, settings);
	struct shared s = {
		.descriptor = -1,
		.area = {.version = CPS_ATTACH_VERSION,
			 .begin = area,
			 .bytes = AREA_BYTES,
			 .settings = area + SETTINGS,
			 .seen_as = target_has_other_number(t) ? (uint64_t)t->pid : 0,
			 .is_threaded = in->is_threaded},
		.path = area + TEXTS + sizeof(CPS_ATTACH_SYMBOL),
		.symbol = area + TEXTS,
		.routine = injected_at(area, load),
		.dlopen = image_find(libc, "dlopen"),
		.dlsym = image_find(libc, "dlsym"),
		.dlerror = image_find(libc, "dlerror"),
		.pthread_create = image_find(libc, "pthread_create"),
		.pthread_self = image_find(libc, "pthread_self"),
		.pthread_detach = image_find(libc, "pthread_detach"),
		.errno_location = image_find(libc, "__errno_location"),
	};

	if (t->sees_other_files)
		describe_passed(&s, t, passed);
	return target_write(t, s.symbol, CPS_ATTACH_SYMBOL, sizeof(CPS_ATTACH_SYMBOL)) &&
	       target_write(t, s.path, library, strlen(library) + 1) &&
	       target_write(t, s.area.settings, settings, n) &&
	       target_write(t, area + DATA, &s, sizeof(s)) &&
	       hijack_write(h, area, hijack_code, (size_t)(hijack_code_end - hijack_code)) &&
	       hijack_write(h, area + CODE, __start_injected,
			    (size_t)(__stop_injected - __start_injected));
}

/* Maps it by the thread. 0: it cannot be had. */
static uint64_t map_area(struct hijack *h)
{
	const uint64_t map[6] = {
		0, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0};
	uint64_t protect[6] = {0, PAGE, PROT_READ | PROT_EXEC};
	long area = hijack_syscall(h, SYS_mmap, map);

	if (area <= 0 && area > -4096)
		return 0;
	protect[0] = (uint64_t)area;
	return hijack_syscall(h, SYS_mprotect, protect) == 0 ? (uint64_t)area : 0;
}

static void unmap_area(struct hijack *h, uint64_t area)
{
	const uint64_t arguments[6] = {area, AREA_BYTES};

	if (area)
		hijack_syscall(h, SYS_munmap, arguments);
}

static struct hijack_call call_of(uint64_t area, const void *function)
{
	return (struct hijack_call){.entry = area,
				    .function = injected_at(area, function),
				    .argument = area + DATA,
				    .stack = area + AREA_BYTES - 256,
				    .done = area + DATA + offsetof(struct shared, done)};
}

/* ---- a thread that is at a safe place ------------------------------------------------------------------------- */

#define SEARCH_NS UINT64_C(5000000000)
#define BY_WORDS  8 /* tries by words of the stack alone */

struct search {
	struct target *t;
	struct hijack *h;
	const char *why; /* the latest reason */
	int n_tries, error;
	bool is_anywhere; /* but in the recorder */
};

/* Tries one thread. True: it is stopped at a safe place. */
static bool try_thread(struct search *s, int tid)
{
	const char *why;
	int error;

	s->n_tries++;
	if (s->n_tries == BY_WORDS + 1 && !s->is_anywhere)
		place_unsafe_exactly(s->t, 0, "");
	error = hijack_stop(s->h, s->t, tid);
	if (error) {
		s->error = error == EPERM || error == EACCES ? error : s->error;
		s->why = s->why ? s->why : "a call that cannot be interrupted";
		return false;
	}
	why = hijack_is_on_way_back(s->t, &s->h->at.regs) ? "a call for a cpsample that was killed"
							  : place_unsafe(s->t, &s->h->at.regs);
	if (!why && place_in_sequence(s->t, tid, &s->h->at.regs))
		why = "a restartable sequence";
	if (why && s->n_tries > BY_WORDS && !s->is_anywhere)
		why = place_unsafe_exactly(s->t, tid, why);
	if (!why && place_is_in_recorder(s->t, tid))
		why = "the recorder";
	if (why)
		stop_go_on(&s->h->at);
	s->why = why;
	return !why;
}

static bool try_all(struct search *s)
{
	DIR *threads = proc_threads(s->t->pid);
	bool found = false;
	int tid;

	while (!found && (tid = proc_next(threads)))
		found = try_thread(s, tid);
	proc_close(threads);
	return found;
}

static bool find_thread(struct search *s, const volatile sig_atomic_t *stop)
{
	uint64_t until = stop_now() + SEARCH_NS;

	while (stop_now() < until && !(stop && *stop)) {
		const struct timespec nap = {0, 1000000 + s->n_tries % 7 * 300000};

		if (try_all(s))
			return true;
		if (s->error || !proc_state(s->t->pid, s->t->pid))
			return false;
		nanosleep(&nap, NULL);
	}
	return false;
}

/* ---- others that attach ------------------------------------------------------------------------------------------- */

/* The process that has locked the file, of all that this one sees; 0: it is not told. */
static int locker_of(int fd)
{
	FILE *f = fopen("/proc/locks", "re");
	unsigned major, minor;
	unsigned long inode;
	char line[256];
	struct stat s;
	int pid = 0, one;

	while (f && !pid && fstat(fd, &s) == 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &one, &major, &minor, &inode) ==
			    4 &&
		    inode == s.st_ino && makedev(major, minor) == s.st_dev && one > 0)
			pid = one;
	if (f)
		fclose(f);
	return pid;
}

/* Only who may trace the process can open its memory, and so take the lock, which goes with the launcher. */
static void keep_others_out(const struct target *t)
{
	int pid;

	if (flock(t->memory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return;
	pid = locker_of(t->memory);
	if (pid)
		target_refuse(t,
			      "is recorded already, by another cpsample -p (process %d); kill -INT "
			      "%d ends that",
			      pid, pid);
	target_refuse(t, "is recorded already, by another cpsample -p");
}

/* Looks whether any thread is on its way back. */
static bool is_any_on_way_back(struct target *t)
{
	static struct hijack h;
	DIR *threads = proc_threads(t->pid);
	bool found = false;
	int tid;

	target_read_mappings(t);
	while (!found && (tid = proc_next(threads))) {
		int error = hijack_stop(&h, t, tid);

		found = error == EBUSY;
		if (!error) {
			found = hijack_is_on_way_back(t, &h.at.regs);
			stop_go_on(&h.at);
		}
	}
	proc_close(threads);
	return found;
}

/* Those return by themselves after some seconds. */
static void wait_for_killed(struct target *t)
{
	static const struct timespec nap = {0, 200000000};
	uint64_t until = stop_now() + UINT64_C(8000000000);

	if (!hijack_was_left(t))
		return;
	while (is_any_on_way_back(t)) {
		if (stop_now() > until)
			target_refuse(t, "a thread of it is in a call for a cpsample that was "
					 "killed; try again");
		nanosleep(&nap, NULL);
	}
}

/* ---- begin ------------------------------------------------------------------------------------------------------ */

static void refuse_search(const struct search *s)
{
	if (s->error)
		target_refuse(s->t, "may not be traced by this user (%s)", strerror(s->error));
	if (!proc_state(s->t->pid, s->t->pid))
		target_refuse(s->t, "has ended meanwhile");
	target_refuse(
		s->t,
		"no thread came to a place where it can be interrupted (the last one was in %s)",
		s->why ? s->why : "nothing");
}

static bool read_shared(const struct injected *in, uint64_t area, struct shared *s)
{
	return target_read(in->target, area + DATA, s, sizeof(*s));
}

static bool read_control(const struct injected *in, struct cps_attach_control *c)
{
	return target_read(in->target, in->control, c, sizeof(*c));
}

/* What the loader or the recorder has said, in one line. */
static void say_why(const struct injected *in, const struct shared *s, char *why, size_t bytes)
{
	char said[CPS_ATTACH_TEXT_BYTES] = "";
	const char *text = said;

	memcpy(said, s->area.text, sizeof(said) - 1); /* which need not end */
	if (s->error)
		target_read(in->target, s->error, said, sizeof(said) - 1);
	if (strncmp(text, "libcpsample: ", 13) == 0)
		text += 13;
	snprintf(why, bytes, "%s", *text ? text : "the recorder refuses, and does not say why");
	why[strcspn(why, "\n")] = '\0';
}

/* The thread that was made needs the area until it has ended. It is seldom that it is unmapped from outside: in refusals. */
static void wait_for_thread(const struct target *t, int tid)
{
	static const struct timespec nap = {0, 1000000};

	for (int i = 0; i < 1000 && tid && proc_state(t->pid, tid); i++)
		nanosleep(&nap, NULL);
}

static void unmap_later(struct injected *in, uint64_t area, int tid)
{
	static struct hijack h;
	struct search s = {.t = in->target, .h = &h, .is_anywhere = true};
	const char *why;

	wait_for_thread(in->target, tid);
	place_learn_recorder(in->target);
	if (!find_thread(&s, NULL))
		return;
	if (hijack_enter(&h, &why))
		unmap_area(&h, area);
	hijack_leave(&h);
}

/* Waits for what the recorder answers. */
static void wait_for_answer(const struct injected *in, uint64_t area, struct shared *s)
{
	static const struct timespec nap = {0, 500000};
	uint64_t until = stop_now() + UINT64_C(10000000000);

	while (read_shared(in, area, s) && s->area.state == CPS_ATTACH_BEGINS &&
	       stop_now() < until) {
		stop_release_late();
		nanosleep(&nap, NULL);
	}
}

/* Takes from the process what it was given. Returns 0. */
static uint64_t undo(const struct injected *in, struct hijack *h, uint64_t area,
		     const struct passed *p)
{
	if (in->target->sees_other_files)
		passed_close(h, p->theirs, 2);
	unmap_area(h, area);
	return 0;
}

static uint64_t call_there(struct injected *in, struct hijack *h, const struct image *libc,
			   const char *library, struct shared *answer, const char **why)
{
	struct hijack_call call;
	struct passed passed;
	uint64_t area;

	if (!hijack_enter(h, why))
		return 0;
	*why = "no memory can be mapped in it";
	area = map_area(h);
	if (!area)
		return 0;
	if (in->target->sees_other_files) {
		if (!pass(in, h, library, area, &passed, why)) {
			unmap_area(h, area);
			return 0;
		}
		library = passed.library;
	}
	*why = "its memory cannot be written";
	if (in->target->name[0] && setenv("CPSAMPLE_OUTPUT", in->target->name, 1) != 0)
		return undo(in, h, area, &passed);
	if (!fill(in, h, libc, library, area, &passed))
		return undo(in, h, area, &passed);
	call = call_of(area, in->is_threaded ? (const void *)make_thread : (const void *)load_here);
	if (!hijack_call(h, &call, why) || !read_shared(in, area, answer))
		return 0; /* the area stays: something in the process may refer to it */
	*why = NULL;
	if (in->is_threaded && answer->result) /* who would close them was not made */
		undo(in, h, area, &passed);
	else if (!in->is_threaded)
		unmap_area(h, area);
	return area;
}

void injected_begin(struct injected *in, struct target *t, const char *library,
		    const char *directory, bool is_anywhere, const volatile sig_atomic_t *stop)
{
	static struct hijack h;
	struct search search = {.t = t, .h = &h, .is_anywhere = is_anywhere};
	struct shared answer = {0};
	const char *why = NULL;
	const uint64_t one = 1;
	struct cps_attach_control control;
	struct image libc;
	char text[CPS_ATTACH_TEXT_BYTES];
	uint64_t area, called_ns;

	keep_others_out(t);
	target_find_libc(t, &libc);
	if (is_anywhere)
		place_learn_recorder(t);
	else
		place_learn(t, &libc);
	if (!hijack_find_places(t))
		target_refuse_for_now(t, "there is no room for a signal frame in it");
	wait_for_killed(t);
	*in = (struct injected){.target = t,
				.directory = directory,
				.is_threaded =
					proc_status_number(t->pid, t->pid, "Threads", 10) != 1};
	if (!find_thread(&search, stop)) {
		if (stop && *stop)
			_exit(125); /* who ends it knows */
		refuse_search(&search);
	}
	if (!in->is_threaded && proc_status_number(t->pid, t->pid, "Threads", 10) != 1)
		in->is_threaded = true;
	called_ns = stop_now();
	area = call_there(in, &h, &libc, library, &answer, &why);
	hijack_leave(&h);
	image_free(&libc);
	if (!area)
		target_refuse(t, "%s", why);
	if (in->is_threaded && answer.result)
		target_refuse(t, "no thread can be made in it: %s", strerror((int)answer.result));
	if (in->is_threaded)
		wait_for_answer(in, area, &answer);
	if (answer.area.state != CPS_ATTACH_RECORDS) {
		say_why(in, &answer, text, sizeof(text));
		if (in->is_threaded && answer.area.state == CPS_ATTACH_REFUSED)
			unmap_later(in, area, (int)answer.tid);
		target_refuse(t, "%s",
			      answer.area.state
				      ? text
				      : "the library cannot be loaded: a lock is not released");
	}
	in->control = answer.area.control;
	in->began_ns = stop_now();
	if (read_control(in, &control) && control.took_us < (in->began_ns - called_ns) / 1000)
		in->began_ns -= control.took_us * 1000;
	injected_beat(in);
	target_write(t, in->control + offsetof(struct cps_attach_control, released), &one,
		     sizeof(one));
}

/* ---- afterwards --------------------------------------------------------------------------------------------------- */

bool injected_beat(struct injected *in)
{
	uint64_t now = stop_now();
	struct cps_attach_control c;

	return read_control(in, &c) && c.state == CPS_ATTACH_RECORDS &&
	       target_write(in->target, in->control + offsetof(struct cps_attach_control, lease),
			    &now, sizeof(now));
}

/* The only thread calls what ends the recording. It needs no lock of the process's, so any place will do but the recorder. */
static void end_by_thread(struct injected *in, const struct cps_attach_control *c)
{
	static struct hijack h;
	struct search search = {.t = in->target, .h = &h, .is_anywhere = true};
	struct hijack_call call;
	struct shared s = {.routine = c->stop_function};
	struct image libc;
	const char *why;
	uint64_t area;

	target_read_mappings(in->target);
	target_find_libc(in->target, &libc);
	s.errno_location = image_find(&libc, "__errno_location");
	image_free(&libc);
	place_learn_recorder(in->target);
	if (!hijack_find_places(in->target) || !find_thread(&search, NULL))
		return; /* the lease ends it */
	h.drops_ticks = true;
	area = hijack_enter(&h, &why) ? map_area(&h) : 0;
	if (area && hijack_write(&h, area, hijack_code, (size_t)(hijack_code_end - hijack_code)) &&
	    hijack_write(&h, area + CODE, __start_injected,
			 (size_t)(__stop_injected - __start_injected)) &&
	    target_write(in->target, area + DATA, &s, sizeof(s))) {
		call = call_of(area, (const void *)end_here);
		if (hijack_call(&h, &call, &why))
			unmap_area(&h, area);
	}
	hijack_leave(&h);
}

/* What the recorder has told at the end, or that there was none: no memory was to be had for the call that ends it, or no place. */
static bool say_end(const struct injected *in, const struct cps_attach_control *c)
{
	if (c->state == CPS_ATTACH_RECORDS)
		return target_say_unended(in->target);
	if (c->is_removed)
		return target_say_removed(in->target, in->directory);
	if (!target_say_unwritten(in->target, c->n_unwritten, c->error))
		return false;
	return c->n_samples || !c->n_unkept || target_say_unkept(in->target, c->n_unkept);
}

bool injected_end(struct injected *in)
{
	static const struct timespec nap = {0, 1000000};
	uint64_t until = stop_now() + CPS_ATTACH_LEASE_NS + UINT64_C(3000000000), one = 1;
	struct cps_attach_control c;

	if (!read_control(in, &c))
		return true;
	if (c.state != CPS_ATTACH_RECORDS)
		return say_end(in, &c);
	if (!in->is_threaded)
		end_by_thread(in, &c);
	else
		target_write(in->target, in->control + offsetof(struct cps_attach_control, stop),
			     &one, sizeof(one));
	while (read_control(in, &c) && c.state == CPS_ATTACH_RECORDS && stop_now() < until) {
		stop_release_late();
		nanosleep(&nap, NULL);
	}
	return !read_control(in, &c) || say_end(in, &c);
}
