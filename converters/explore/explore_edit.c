/* SPDX-License-Identifier: MIT */
/*
 * explore_edit.c - lets the user edit a line at the terminal.
 *
 * The terminal's text is in the user's encoding, while the rest of cpprof treats text as bytes. So
 * the user's locale is in effect only while a line is edited.
 */
#include "explore/explore_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/stop.h"

#define PROMPT	     "cpprof> "
#define HISTORY_SIZE 1000

struct explore_edit {
	struct explore *e;
	FILE *out;
	int keys; /* the terminal, opened again, so that reads never wait; if it cannot be opened,
		   * the descriptor that was given */
	EditLine *el;
	History *history;
	char *history_file; /* NULL: there is none */
	locale_t locale;
	sigset_t signals; /* the signal mask while a key is waited for */
};

static volatile sig_atomic_t is_resized, is_continued;

/* ---- signals --------------------------------------------------------------------------------- */

static void on_signal(int signal)
{
	if (signal == SIGINT)
		stop_request();
	else if (signal == SIGWINCH)
		is_resized = 1;
	else
		is_continued = 1;
}

static const int caught[] = {SIGINT, SIGWINCH, SIGCONT};

#define N_CAUGHT (sizeof(caught) / sizeof(caught[0]))

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	size_t i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < N_CAUGHT; i++)
		sigaction(caught[i], &action, NULL);
}

/* While a line is edited, signals are only delivered where a key is waited for. So none of them
 * comes between the test for a signal and the waiting. */
static void hold_signals(struct explore_edit *d)
{
	sigset_t held;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < N_CAUGHT; i++)
		sigaddset(&held, caught[i]);
	sigprocmask(SIG_BLOCK, &held, &d->signals);
}

static void release_signals(struct explore_edit *d)
{
	sigprocmask(SIG_SETMASK, &d->signals, NULL);
}

/* Do what a signal asks for that came while a key was waited for. -1: the line is given up. */
static int after_signal(EditLine *el)
{
	if (stop_is_requested()) {
		errno = EINTR;
		return -1;
	}
	if (is_continued) { /* libedit does not know that the shell has changed the mode */
		el_set(el, EL_PREP_TERM, 0);
		el_set(el, EL_PREP_TERM, 1);
	}
	if (is_resized)
		el_resize(el);
	if (is_continued || is_resized)
		el_set(el, EL_REFRESH);
	is_continued = is_resized = 0;
	return 0;
}

/* Read a byte of what is typed. Returns 0 at the end of input, and -1 if the line is given up. An
 * interrupt makes the terminal discard what was typed, so that after ppoll() there may be no
 * byte. */
static ssize_t read_byte(EditLine *el, struct explore_edit *d, char *byte)
{
	struct pollfd key = {.fd = d->keys, .events = POLLIN};
	ssize_t n;

	do {
		while (ppoll(&key, 1, NULL, &d->signals) < 0)
			if (errno != EINTR || after_signal(el))
				return -1;
		n = read(key.fd, byte, 1);
	} while (n < 0 && errno == EAGAIN);
	return n;
}

/* Replaces libedit's function, which gives the line up for any signal. */
static int read_key(EditLine *el, wchar_t *key)
{
	struct explore_edit *d;
	mbstate_t state = {0};
	size_t length;
	ssize_t n;
	char byte;

	el_get(el, EL_CLIENTDATA, &d);
	for (;;) {
		n = read_byte(el, d, &byte);
		if (n <= 0)
			return (int)n;
		length = mbrtowc(key, &byte, 1, &state);
		if (length == (size_t)-1)
			state = (mbstate_t){0}; /* a byte that is no character is ignored */
		else if (length != (size_t)-2)
			return 1;
	}
}

/* ---- completion ------------------------------------------------------------------------------ */

/* The number of characters in the text, or -1 if it is no text in the user's encoding. */
static int characters(const char *text)
{
	size_t n = mbstowcs(NULL, text, 0);

	return n > 10000 ? -1 : (int)n;
}

/* Replace what stands between the beginning of the completed word and the cursor by the completion.
 * Returns false if that is what stands there already. */
static bool replace(EditLine *el, const struct explore_completion *c, const char *line, size_t n)
{
	char *before = strndup(line + c->begin, n - c->begin);
	bool is_other = before && c->text && strcmp(before, c->text) != 0;

	if (is_other && characters(before) >= 0 && characters(c->text) >= 0) {
		if (*before)
			el_deletestr(el, characters(before));
		el_insertstr(el, c->text);
	}
	free(before);
	return is_other;
}

static unsigned char complete(EditLine *el, int key)
{
	const LineInfo *line = el_line(el);
	size_t n = (size_t)(line->cursor - line->buffer);
	struct explore_completion c;
	unsigned char what = CC_REFRESH;
	struct explore_edit *d;

	(void)key;
	el_get(el, EL_CLIENTDATA, &d);
	explore_complete(d->e, line->buffer, n, &c);
	if (c.n == 0) {
		what = CC_REFRESH_BEEP;
	} else if (!replace(el, &c, line->buffer, n)) {
		explore_list(d->out, c.list, c.n);
		what = CC_REDISPLAY;
	}
	explore_completion_free(&c);
	return what;
}

/* ---- history --------------------------------------------------------------------------------- */

/* The path $XDG_STATE_HOME/cpprof/history or ~/.cpprof_history. NULL: neither variable is set. */
static char *find_history(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;

	if (state && *state == '/') {
		if (asprintf(&path, "%s/cpprof", state) < 0)
			return NULL;
		mkdir(state, 0700);
		mkdir(path, 0700);
		free(path);
		return asprintf(&path, "%s/cpprof/history", state) < 0 ? NULL : path;
	}
	if (!home || *home != '/')
		return NULL;
	return asprintf(&path, "%s/.cpprof_history", home) < 0 ? NULL : path;
}

static void open_history(struct explore_edit *d)
{
	HistEvent event;

	d->history = history_init();
	if (!d->history)
		return;
	history(d->history, &event, H_SETSIZE, HISTORY_SIZE);
	history(d->history, &event, H_SETUNIQUE, 1);
	d->history_file = find_history();
	if (d->history_file)
		history(d->history, &event, H_LOAD, d->history_file);
	el_set(d->el, EL_HIST, history, d->history);
}

static void remember(struct explore_edit *d, const char *line)
{
	HistEvent event;

	if (d->history && line[strspn(line, " \t\n")])
		history(d->history, &event, H_ENTER, line);
}

static void close_history(struct explore_edit *d)
{
	HistEvent event;

	if (d->history && d->history_file)
		history(d->history, &event, H_SAVE, d->history_file);
	if (d->history)
		history_end(d->history);
	free(d->history_file);
}

/* ---- the editor ------------------------------------------------------------------------------ */

static char *prompt(EditLine *el)
{
	static char text[] = PROMPT;

	(void)el;
	return text;
}

/* The user's locale, or that of UTF-8 if the user's encoding is ASCII. */
static locale_t find_locale(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);

	if (locale && strcmp(nl_langinfo_l(CODESET, locale), "ANSI_X3.4-1968") != 0)
		return locale;
	if (locale)
		freelocale(locale);
	return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static void prepare(struct explore_edit *d)
{
	el_set(d->el, EL_CLIENTDATA, d);
	el_set(d->el, EL_PROMPT, prompt);
	el_set(d->el, EL_EDITOR, "emacs");
	el_set(d->el, EL_GETCFN, read_key);
	el_set(d->el, EL_ADDFN, "complete", "complete commands and names", complete);
	el_set(d->el, EL_BIND, "^I", "complete", NULL);
	el_set(d->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	open_history(d);
	el_source(d->el, NULL);
}

static int open_keys(int terminal)
{
	char name[PATH_MAX];
	int fd;

	if (ttyname_r(terminal, name, sizeof(name)))
		return dup(terminal);
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? dup(terminal) : fd;
}

struct explore_edit *explore_edit_open(struct explore *e, FILE *in, FILE *out)
{
	struct explore_edit *d = calloc(1, sizeof(*d));
	locale_t before;

	if (!d)
		return NULL;
	d->e = e;
	d->out = out;
	d->keys = open_keys(fileno(in));
	d->locale = find_locale();
	before = uselocale(d->locale);
	d->el = el_init("cpprof", in, out, stderr);
	if (d->el)
		prepare(d);
	uselocale(before);
	if (!d->el || d->keys < 0) {
		explore_edit_close(d);
		return NULL;
	}
	catch_signals();
	return d;
}

void explore_edit_close(struct explore_edit *d)
{
	close_history(d);
	if (d->el)
		el_end(d->el);
	if (d->locale)
		freelocale(d->locale);
	if (d->keys >= 0)
		close(d->keys);
	free(d);
}

const char *explore_edit_line(struct explore_edit *d, size_t *n)
{
	locale_t before = uselocale(d->locale);
	const char *line;
	int length;

	stop_forget();
	hold_signals(d);
	el_set(d->el, EL_PREP_TERM, 1); /* before the prompt, because keys may follow it at once */
	line = el_gets(d->el, &length);
	if (line)
		remember(d, line);
	release_signals(d);
	uselocale(before);
	if (!line && stop_is_requested()) {
		fputs("^C\n", d->out);
		fflush(d->out);
		*n = 0;
		return "";
	}
	if (!line) {
		fputs("\n", d->out);
		return NULL;
	}
	*n = strlen(line);
	return line;
}
