/* SPDX-License-Identifier: MIT */
/*
 * progress.c - draws the progress line, which says how far the work is.
 *
 * In: the files, how many bytes of them have been read, the name of a step. Out: a line on standard
 * error.
 *
 * Asking for the time at every step would slow the work down. So a timer sends a signal, and its
 * handler draws the line. The handler only writes a text that is complete: there are two texts, and
 * while one of them is made the other one is current.
 */
#include "pipeline/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "elf/download.h"
#include "read/input.h"

#define WIDTH_MAX 78
#define FIRST_MS  1000
#define LEAST_MS  300 /* a later step that takes less time gets no line */
#define NEXT_MS	  100

static struct {
	pthread_t drawer; /* the thread that makes the texts; other threads may read files, too */
	size_t files, file;
	uint64_t total; /* bytes of all files */
	uint64_t read;	/* bytes that have been read; all threads add to it atomically */
	int64_t began_ms;
	int width;
	bool is_on;
	char texts[2][WIDTH_MAX + 2]; /* all of the same length, beginning with a CR */
	volatile sig_atomic_t current, is_drawn, is_new;
} line;

/* A failure is ignored, since nobody misses the line. */
static void put(const char *text, size_t n)
{
	ssize_t written = write(STDERR_FILENO, text, n);

	(void)written;
}

static void draw(int signal)
{
	int before = errno;

	(void)signal;
	if (line.is_new)
		put(line.texts[line.current], (size_t)line.width + 1);
	line.is_drawn |= line.is_new;
	line.is_new = 0;
	errno = before;
}

static void set_text(const char *text)
{
	int other = !line.current;

	snprintf(line.texts[other], sizeof(line.texts[other]), "\r%-*.*s", line.width, line.width,
		 text);
	line.current = other;
	line.is_new = 1;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The first signal comes after so many milliseconds, the next ones every NEXT_MS. 0 stops the
 * timer. */
static void set_timer(int64_t first_ms)
{
	struct itimerval when = {
		.it_interval = {.tv_usec = NEXT_MS * 1000},
		.it_value = {first_ms / 1000, first_ms % 1000 * 1000},
	};

	setitimer(ITIMER_REAL, &when, NULL);
}

/* Returns false if standard error is no terminal, so that nobody would see the line. */
static bool find_width(void)
{
	struct winsize size;

	if (!isatty(STDERR_FILENO))
		return false;
	line.width = WIDTH_MAX;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 && size.ws_col <= WIDTH_MAX)
		line.width = size.ws_col - 1;
	return true;
}

/* The step does this now. */
static void take_step(const char *what)
{
	if (line.is_on)
		set_text(what);
}

void progress_begin(const char *what)
{
	struct sigaction action = {.sa_handler = draw, .sa_flags = SA_RESTART};
	int64_t wait_ms;

	if (!find_width())
		return;
	line.is_on = true;
	download_observe(take_step);
	set_text(what);
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	wait_ms = line.began_ms + FIRST_MS - now_ms();
	set_timer(wait_ms > LEAST_MS ? wait_ms : LEAST_MS);
}

void progress_end(void)
{
	char blank[WIDTH_MAX + 3];

	if (!line.is_on)
		return;
	set_timer(0);
	input_observe(NULL);
	download_observe(NULL);
	snprintf(blank, sizeof(blank), "\r%*s\r", line.width, "");
	if (line.is_drawn)
		put(blank, strlen(blank));
	line.is_on = false;
	line.is_drawn = line.is_new = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void say_read(void)
{
	char text[WIDTH_MAX + 1], which[48] = "";
	uint64_t read = __atomic_load_n(&line.read, __ATOMIC_RELAXED);

	if (line.files > 1)
		snprintf(which, sizeof(which), " file %zu of %zu", line.file, line.files);
	if (line.total)
		snprintf(text, sizeof(text), "reading%s: %d %%", which,
			 read < line.total ? (int)(read * 100.0 / line.total) : 100);
	else
		snprintf(text, sizeof(text), "reading%s: %" PRIu64 " MB", which, read / 1000000);
	set_text(text);
}

static void on_read(size_t bytes)
{
	__atomic_fetch_add(&line.read, bytes, __ATOMIC_RELAXED);
	if (pthread_equal(pthread_self(), line.drawer))
		say_read();
}

void progress_files(const struct sources *from)
{
	line.drawer = pthread_self();
	line.files = from->n;
	line.file = 1;
	line.read = 0;
	line.total = from->bytes;
	line.began_ms = now_ms();
	progress_begin("reading");
	if (!line.is_on)
		return;
	say_read();
	input_observe(on_read);
}

void progress_file(size_t number)
{
	line.file = number;
	progress_read();
}

void progress_read(void)
{
	if (line.is_on)
		say_read();
}
