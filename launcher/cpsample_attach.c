/* SPDX-License-Identifier: MIT */
/*
 * cpsample_attach.c - records processes that run already, for cpsample -p.
 *
 * In: cpsample-attach OPTION... PID|NAME...; settings in the environment. Out: recordings, which the processes make
 * themselves; one line on standard error for each that is refused. Status 0, or 125 if one was refused.
 *
 * Each process has a child of this one, so that one that takes long keeps none of the others waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/line.h"
#include "launcher/injected.h"
#include "launcher/limits.h"
#include "launcher/outside.h"
#include "launcher/which.h"

static struct {
	const char *library, *directory, *waiter;
	int n_made;					  /* directories, for the recordings */
	double duration;				  /* seconds; 0: until a signal comes */
	bool has_tree, is_quiet, is_outside, is_anywhere; /* the last one is for a test */
} options;

static volatile sig_atomic_t has_to_end;

static void on_signal(int number)
{
	(void)number;
	has_to_end = 1;
}

static void take_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

struct one {
	int pid, child;
	bool is_found; /* below one that was named */
	bool is_to_retry;
	int n_tries;
};

/* Each some 20 ms after the one before. A process that becomes another program has no libraries for a moment. */
#define TRIES_MOST 25

/* ---- one process -------------------------------------------------------------------------------------- */

/* How often it is told that somebody wants the recording, at least. */
#define BEAT_MS 200

/* Returns how many ms there are until the end, at most a beat; hardly any if a thread has to be let go as soon as it stops. */
static int rest_ms(uint64_t end)
{
	bool is_awaited = stop_release_late();
	uint64_t now = stop_now();

	if (now >= end)
		return 0;
	if (is_awaited)
		return 1;
	return end - now < BEAT_MS * UINT64_C(1000000) ? (int)((end - now) / 1000000) + 1 : BEAT_MS;
}

static uint64_t end_of(uint64_t began_ns)
{
	return options.duration > 0 ? began_ns + (uint64_t)(options.duration * 1e9) : UINT64_MAX;
}

/* Until it is to end, or has ended. To arm many threads takes long, and is part of the duration. */
static void stay(struct injected *in, int pidfd)
{
	uint64_t end = end_of(in->began_ns);
	struct pollfd process = {.fd = pidfd, .events = POLLIN};

	while (!has_to_end && stop_now() < end) {
		if (poll(&process, 1, rest_ms(end)) > 0)
			return;
		if (!injected_beat(in))
			return;
	}
}

static void tell(int told)
{
	if (write(told, "r", 1) != 1)
		_exit(1);
	close(told);
}

static int watch_end(const struct target *t)
{
	int pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);

	if (pidfd < 0)
		target_refuse(t, "cannot be watched: %s", strerror(errno));
	return pidfd;
}

/* Until it is to end, or has ended: then true. */
static bool stay_outside(int pidfd)
{
	uint64_t end = end_of(stop_now()), t;
	struct pollfd process = {.fd = pidfd, .events = POLLIN};

	while (!has_to_end && (t = stop_now()) < end) {
		uint64_t rest = end - t, nap = outside_patience_ns();
		const struct timespec moment = {0, (long)(rest < nap ? rest : nap)};

		if (ppoll(&process, 1, &moment, NULL) > 0)
			return true;
		if (!outside_look())
			return false;
	}
	return false;
}

#define KEPT_MOST 256

/* Files of another root directory are out of reach when the process has ended, and their names are needed later. So they are
 * kept, by their build ids, while recording goes on: it may take long. Returns the process that does so, or 0. */
static int keep_files(struct target *t)
{
	const char *words[KEPT_MOST + 3] = {options.waiter, "--keep"};
	char path[4400];
	size_t n = 2;
	int child;

	if (!options.waiter || !target_has_other_root(t))
		return 0;
	target_read_mappings(t);
	for (size_t i = 0; i < t->n_mappings && n < KEPT_MOST + 2; i++) {
		const struct mapping *m = &t->mappings[i];

		if (m->allowed[2] != 'x' || m->path[0] != '/')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", t->pid, m->begin,
			 m->end);
		if (access(path, R_OK) != 0)
			snprintf(path, sizeof(path), "/proc/%d/root%s", t->pid, m->path);
		words[n++] = strdup(path);
	}
	child = fork();
	if (!child) {
		execv(options.waiter, (char **)(uintptr_t)words);
		_exit(1);
	}
	return child > 0 ? child : 0;
}

static void await_kept(int keeper)
{
	if (keeper)
		waitpid(keeper, NULL, 0);
}

static int record_outside(const struct one *one, int told)
{
	struct target t = {.is_found = one->is_found};
	bool is_written;
	int pidfd, keeper;

	target_open_outside(&t, one->pid);
	pidfd = watch_end(&t);
	outside_begin(&t);
	limits_lift_time();
	tell(told);
	keeper = keep_files(&t);
	is_written = outside_end(stay_outside(pidfd), options.directory);
	await_kept(keeper);
	return is_written ? 0 : 125;
}

/* In a child of this process. `told`: a pipe on which a byte says that it is recorded. */
static int record(const struct one *one, int told)
{
	struct injected in;
	struct target t = {.is_found = one->is_found, .may_retry = one->n_tries < TRIES_MOST};
	bool is_written;
	int pidfd, keeper;

	if (options.is_outside)
		return record_outside(one, told);
	target_open(&t, one->pid, options.library, options.directory);
	pidfd = watch_end(&t);
	injected_begin(&in, &t, options.library, options.directory, options.is_anywhere,
		       &has_to_end);
	limits_lift_time();
	tell(told);
	injected_beat(&in);
	keeper = keep_files(&t);
	stay(&in, pidfd);
	is_written = injected_end(&in);
	await_kept(keeper);
	return is_written ? 0 : 125;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static int start_child(const struct one *one, const int told[2])
{
	int parent = getpid(), child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(125);
	close(told[0]);
	limits_set();
	signal(SIGTSTP, SIG_IGN); /* Ctrl-Z stops who waits for this process, and no recording */
	_exit(record(one, told[1]));
}

/* Returns after how many seconds. */
static double since(uint64_t begin)
{
	return (double)(stop_now() - begin) / 1e9;
}

static void say_progress(const struct which *w, size_t n, uint64_t begin)
{
	char name[32];

	if (w->n == 1)
		fprintf(stderr, "\rcpsample: recording %d (%s)", w->pids[0],
			which_name(w->pids[0], name, sizeof(name)));
	else
		fprintf(stderr, "\rcpsample: recording %zu of %zu processes", n, w->n);
	fprintf(stderr, " for %.0f s%s ", since(begin),
		options.duration > 0 ? "" : "; Ctrl-C ends it");
	fflush(stderr);
}

static void end_children(const struct one *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].child > 0)
			kill(all[i].child, SIGTERM);
}

/* Waits until a child has ended, or for a moment. Returns false if there is no child any more. */
static bool reap(struct one *all, size_t n, const int told[2], bool *was_refused)
{
	static const struct timespec moment = {0, 20000000};
	size_t left = 0;
	int status;

	for (size_t i = 0; i < n; i++) {
		if (all[i].is_to_retry && !has_to_end) {
			all[i].is_to_retry = false;
			all[i].n_tries++;
			all[i].child = start_child(&all[i], told);
		}
		if (all[i].child > 0 && waitpid(all[i].child, &status, WNOHANG) == all[i].child) {
			all[i].child = 0;
			all[i].is_to_retry =
				WIFEXITED(status) && WEXITSTATUS(status) == TARGET_RETRY;
			*was_refused |= status != 0 && !all[i].is_to_retry;
			if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
				line_say("cpsample: %d: what it says of itself takes too long to "
					 "read",
					 all[i].pid);
			else if (WIFSIGNALED(status))
				line_say("cpsample: %d: what records it was ended by a signal (%s)",
					 all[i].pid, strsignal(WTERMSIG(status)));
		}
		left += all[i].child > 0 || (all[i].is_to_retry && !has_to_end);
	}
	if (left)
		nanosleep(&moment, NULL);
	return left > 0;
}

static size_t count_begun(int told)
{
	char bytes[64];
	ssize_t n = read(told, bytes, sizeof(bytes));

	return n > 0 ? (size_t)n : 0;
}

/* Sets for how long. Returns how many were recorded. */
static size_t record_all(const struct which *w, bool *was_refused, double *seconds)
{
	struct one *all = calloc(w->n, sizeof(*all));
	bool shows = isatty(2) && !options.is_quiet, was_told = false, has_shown = false;
	uint64_t begin = stop_now(), shown = 0;
	size_t n_begun = 0;
	int told[2];

	if (!all || pipe2(told, O_CLOEXEC | O_NONBLOCK) != 0) {
		line_say("cpsample: %s", strerror(errno));
		exit(125);
	}
	for (size_t i = 0; i < w->n; i++) {
		all[i] = (struct one){.pid = w->pids[i], .is_found = i >= w->n_named};
		all[i].child = start_child(&all[i], told);
	}
	while (reap(all, w->n, told, was_refused)) {
		size_t n = count_begun(told[0]);

		if (n && !n_begun)
			begin = stop_now();
		n_begun += n;
		if (has_to_end && !was_told) {
			end_children(all, w->n);
			was_told = true;
		}
		if (shows && n_begun && !was_told && stop_now() - shown > UINT64_C(1000000000)) {
			shown = stop_now();
			say_progress(w, n_begun, begin);
			has_shown = true;
		}
	}
	n_begun += count_begun(told[0]);
	if (has_shown)
		fputs("\r\033[K", stderr);
	*seconds = since(begin);
	free(all);
	return n_begun;
}

/* The kernel keeps a directory that was removed for whoever has it open, so that nothing has failed. */
static bool is_gone(void)
{
	struct stat s;

	if (stat(options.directory, &s) == 0)
		return false;
	line_say("cpsample: %s: no recording can be had from there: %s", options.directory,
		 strerror(errno));
	return true;
}

static bool has_recordings;

/* At the end: the directory of the recordings was made for them, with so many above it, and there is no recording. */
static void remove_directories(void)
{
	char *name = strdup(options.directory), *slash;

	for (int i = 0; name && i < options.n_made && !has_recordings; i++) {
		rmdir(name);
		slash = strrchr(name, '/');
		if (slash)
			*slash = '\0';
	}
	free(name);
}

/* ---- options ---------------------------------------------------------------------------------------------- */

static void read_options(int argc, char **argv)
{
	static const struct option list[] = {
		{"library", required_argument, NULL, 'l'},
		{"directory", required_argument, NULL, 'd'},
		{"made", required_argument, NULL, 'm'},
		{"duration", required_argument, NULL, 't'},
		{"waiter", required_argument, NULL, 'w'},
		{"outside", no_argument, NULL, 'o'},
		{"tree", no_argument, NULL, 'T'},
		{"quiet", no_argument, NULL, 'q'},
		{"anywhere", no_argument, NULL, 'a'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", list, NULL)) > 0)
		switch (c) {
		case 'l':
			options.library = optarg;
			break;
		case 'd':
			options.directory = optarg;
			break;
		case 'm':
			options.n_made = atoi(optarg);
			break;
		case 't':
			options.duration = duration_seconds(optarg);
			break;
		case 'w':
			options.waiter = optarg;
			break;
		case 'T':
			options.has_tree = true;
			break;
		case 'o':
			options.is_outside = true;
			break;
		case 'a':
			options.is_anywhere = true;
			break;
		case 'q':
			options.is_quiet = true;
			break;
		default:
			exit(125);
		}
}

int main(int argc, char **argv)
{
	struct which which = {0};
	bool was_refused = false;
	char seconds[32];
	double elapsed;
	size_t n;

	read_options(argc, argv);
	if (!options.library || !options.directory || optind == argc) {
		fputs("usage: cpsample-attach --library FILE --directory DIR [--duration T] "
		      "[--tree]\n"
		      "                       [--outside] [--quiet] [--made N] [--waiter FILE]\n"
		      "                       PID|NAME...\n",
		      stderr);
		return 125;
	}
	atexit(remove_directories);
	which_find(&which, argv + optind, (size_t)(argc - optind), options.has_tree);
	take_signals();
	n = record_all(&which, &was_refused, &elapsed);
	has_recordings = n;
	was_refused |= n && is_gone();
	if (n && options.waiter && !options.is_quiet && !was_refused) {
		snprintf(seconds, sizeof(seconds), "%.3f", elapsed);
		execl(options.waiter, options.waiter, "--recorded", options.directory, seconds,
		      (char *)NULL);
	}
	return was_refused ? 125 : 0;
}
