/* SPDX-License-Identifier: MIT */
/*
 * message.c - tells the user what happens, how far the work is, and ends with what that means.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "elf/module_file.h"
#include "pipeline/message.h"
#include "read/input.h"
#include "write/sheet.h"
#include "write/stop_text.h"

/* ---- message --------------------------------------------------------------------------------- */

#define COLUMNS 80u

static const char *program = "cpconv";
static bool is_mute;

void message_program(const char *name)
{
	program = name;
}

void message_mute(bool mute)
{
	is_mute = mute;
}

/* The columns of the terminal that messages go to, 0: they go somewhere else, or it does not say. */
static int terminal_columns(void)
{
	struct winsize size;

	return isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col
										     : 0;
}

/* Write a text as lines that a terminal has room for; what goes on is indented. Elsewhere it is one line. */
static void write_folded(const char *text, int column)
{
	int columns = terminal_columns();

	while (*text && columns) {
		size_t n = strspn(text, " "), word = strcspn(text + n, " \n");
		int wide = (int)n + out_name_columns(text + n, word);

		if (column > 2 && column + wide > columns) {
			fputs("\n  ", stderr);
			text += n;
			column = 2;
			continue;
		}
		fwrite(text, 1, n + word, stderr);
		column += wide;
		text += n + word;
		if (*text != '\n')
			continue;
		fputc(*text++, stderr);
		column = 0;
	}
	fputs(text, stderr);
}

void message(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	if (is_mute)
		return;
	progress_end();
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		utf8_clean(text); /* it may have names of files */
		fprintf(stderr, "%s: ", program);
		write_folded(text, (int)strlen(program) + (int)strlen(": "));
		fputc('\n', stderr);
		free(text);
	}
	va_end(args);
}

/* How many bytes the next name of a list has, with the blank before it and the comma behind it. */
static size_t name_bytes(const char *list)
{
	const char *comma = strstr(list, ", ");

	return comma ? (size_t)(comma + 1 - list) : strlen(list);
}

/* Write the list with lines of 80 columns, of which the first has some text already. */
static void write_list(const char *list, size_t column)
{
	for (size_t n; *list; list += n) {
		n = name_bytes(list);
		if (column + n > COLUMNS) {
			fputs("\n ", stderr);
			column = 1;
		}
		fwrite(list, 1, n, stderr);
		column += n;
	}
}

/* Write the text of an error. The list in it, if there is one, goes on in further lines of 80 columns. */
static void message_error(const struct error *err)
{
	size_t n = err->list;

	if (!n || terminal_columns()) {
		message("%s", err->text);
		return;
	}
	progress_end();
	fprintf(stderr, "%s: %.*s", program, (int)n, err->text);
	write_list(err->text + n, strlen(program) + strlen(": ") + n);
	fputc('\n', stderr);
}

/* ---- exit status ----------------------------------------------------------------------------- */

int exit_status_report(const struct error *err)
{
	message_error(err);
	return err->is_usage ? EXIT_USAGE : EXIT_FAILURE;
}

int exit_status_print(void (*write)(struct out *o))
{
	struct error err;
	struct out *o = out_open(NULL, &err);
	struct sheet sheet = {0};

	if (!o)
		return exit_status_report(&err);
	if (out_width(o))
		sheet_begin(&sheet, o, out_width(o));
	write(o);
	if (out_width(o))
		sheet_end(&sheet, o);
	return out_close(o, true, &err) ? exit_status_report(&err) : EXIT_SUCCESS;
}

/* ---- startup --------------------------------------------------------------------------------- */

/* If a standard descriptor is closed, the next file that is opened gets its number, and output
 * would be written to that file by mistake. */
static void hold_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The signal ends the program as it would without a handler. */
static void end(int number)
{
	out_abandon();
	signal(number, SIG_DFL);
	raise(number);
}

bool startup_ends(void (*handler)(int))
{
	return handler == SIG_DFL || handler == end;
}

/* Whoever starts the program may want one of them to be ignored. */
static void end_by(int number)
{
	if (signal(number, end) == SIG_IGN)
		signal(number, SIG_IGN);
}

void startup(const char *name)
{
	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write() then fails with EPIPE, which out.c takes as the end */
	end_by(SIGINT);
	end_by(SIGTERM);
	end_by(SIGHUP);
	message_program(name);
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* So many warnings of one kind are shown, because there may be thousands. */
#define SHOWN 5u

void warnings_sources(const struct sources *s)
{
	size_t i;

	for (i = 0; i < s->n_again && i < SHOWN; i++)
		message("%s: warning: given twice, read once", s->again[i]);
	if (i < s->n_again)
		message("warning: and %zu more files given twice", s->n_again - i);
	for (i = 0; i < s->n_same && i < SHOWN; i++)
		message("%s, read once", s->same[i]);
	if (i < s->n_same)
		message("warning: and %zu more recordings that are in two files", s->n_same - i);
	if (s->alone)
		message("%s", s->alone);
	if (s->newest && s->n_given == 1)
		message("reading %s", s->newest);
	else if (s->newest)
		message("reading %s and %zu more of its process tree", s->newest, s->n_given - 1);
}

struct counts {
	size_t stops, denials, journals, cuts;
};

/* Warn if the recording stopped although nobody asked for that, or if its journal is of no use. */
static void warn_of_stop(const struct profile *p, const struct profile_process *process,
			 struct counts *n)
{
	const char *file = strings_get(p->strings, process->file, NULL);
	char text[STOP_TEXT_BYTES];

	if (stop_text_is_trouble(process) && n->stops++ < SHOWN)
		message("%s: warning: recording stopped: %s", file, stop_text(text, process));
	if (process->denied && n->denials++ < SHOWN)
		message("%s: warning: not recorded: %s", file, stop_text_denied(text, process));
	if (process->note != STRINGS_NONE && n->journals++ < SHOWN)
		message("%s: warning: %s", file, strings_get(p->strings, process->note, NULL));
}

static void say_rest(size_t n, const char *what)
{
	if (n > SHOWN)
		message("warning: and %zu more %s", n - SHOWN, what);
}

/* A recording has no end if the process was killed, or is still running. What it holds is still worth
 * showing, so this is a warning, and an error only if the user asked for that. There is nothing to say
 * if nothing is missing, as of programs of Go. */
int warnings_profile(const struct profile *p, bool strict, struct error *err)
{
	struct counts n = {0};
	size_t i;

	for (i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];
		const char *file = strings_get(p->strings, process->file, NULL), *why;
		char text[STOP_TEXT_BYTES];

		warn_of_stop(p, process, &n);
		if (process->ended || process->unended == EVENT_LEFT ||
		    (n.cuts++ >= SHOWN && !strict))
			continue;
		why = process->cut_why == STRINGS_NONE
			      ? "it has no end"
			      : strings_get(p->strings, process->cut_why, NULL);
		error_set(err, "%s: %s%s: %s", file,
			  strict || process->unended == EVENT_RUNNING ? "" : "warning: ",
			  stop_text_unended(text, process), why);
		if (strict)
			return -1;
		message("%s", err->text);
	}
	say_rest(n.stops, "recordings stopped");
	say_rest(n.denials, "recordings lack processes made by fork");
	say_rest(n.journals, "journals are of no use");
	say_rest(n.cuts, "recordings have no end");
	return 0;
}

void warnings_kernel(bool has_kernel)
{
	if (!has_kernel)
		message("warning: --kernel: no sample was taken in the kernel; what is recorded "
			"with `cpsample -r cpu,system` tells such samples apart");
}

void warnings_modules(const struct profile *p, const struct symbols *s)
{
	size_t i, n = 0;

	for (i = 0; i < p->n_modules; i++) {
		const char *text = symbols_module_warning(s, (uint32_t)i);

		if (text && n++ < SHOWN)
			message("warning: %s", text);
	}
	say_rest(n, "modules");
}

void warnings_unmatched(const struct patterns *p, const char *what)
{
	const char *text;
	size_t i;

	for (i = 0; (text = patterns_unmatched(p, i)); i++)
		message("warning: %s: no %s matches \"%s\"", p->option, what, text);
}

/* ---- progress -------------------------------------------------------------------------------- */
/*
 * Asking for the time at every step would slow the work down. So a timer sends a signal, and its
 * handler draws the line. The handler only writes a text that is complete: there are two texts, and
 * while one of them is made the other one is current.
 */

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
