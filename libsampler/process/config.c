/* SPDX-License-Identifier: MIT */
/*
 * config.c - reads the settings.
 */
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/clock.h"
#include "clock/perf.h"
#include "process/config.h"
#include "process/output.h"
#include "setup/clocks.h"
#include "setup/wanted.h"
#include "unwind/libunwind.h"

/* ---- config ---------------------------------------------------------------------------------- */
/*
 * In: the environment. Out: struct cps_config.
 */

#define SECOND	    UINT64_C(1000000000)
#define JOURNAL_MAX (UINT64_C(2) << 30)
#define TIME_MAX    (UINT64_C(4000000000) * SECOND) /* more than a century */

static int complain(char *line, size_t bytes, const char *name, const char *value,
		    const char *wanted)
{
	snprintf(line, bytes, "libcpsample: %s=%.200s: %s; not recording\n", name, value, wanted);
	return -1;
}

#define ATTACHED_BYTES 8192

static char *attached;
static atomic_bool
	is_attached; /* Order: a flag by itself. The settings are read by who has stored them. */

bool cps_config_attach(const char *settings)
{
	size_t n = 0;

	while (settings[n])
		n += strlen(settings + n) + 1;
	if (!attached)
		attached = cps_arena_pages(ATTACHED_BYTES);
	if (n >= ATTACHED_BYTES || !attached)
		return false;
	memcpy(attached, settings, n);
	attached[n] = '\0';
	atomic_store(&is_attached, true);
	return true;
}

void cps_config_detach(void)
{
	atomic_store(&is_attached, false);
}

bool cps_config_is_attached(void)
{
	return atomic_load_explicit(&is_attached, memory_order_relaxed);
}

static const char *attached_setting(const char *name)
{
	size_t n = strlen(name);

	for (const char *p = attached; *p; p += strlen(p) + 1)
		if (strncmp(p, name, n) == 0 && p[n] == '=')
			return p + n + 1;
	return NULL;
}

static int seen_as;

void cps_config_see_as(int pid)
{
	seen_as = pid;
}

int cps_config_seen_as(void)
{
	return cps_config_is_attached() ? seen_as : 0;
}

static const char *setting(const char *name)
{
	const char *value = cps_config_is_attached() ? attached_setting(name) : getenv(name);

	return value && *value ? value : NULL;
}

/* Reads the decimal number that the text begins with, and sets *end to what follows. -1 if there is
 * none, or if it does not fit 64 bits. */
static int parse_number(const char *text, const char **end, uint64_t *number)
{
	char *after;

	errno = 0;
	*number = strtoull(text, &after, 10);
	*end = after;
	return *text >= '0' && *text <= '9' && !errno ? 0 : -1;
}

static bool is_setting(const char *name, const char *wanted)
{
	const char *value = setting(name);

	return value && strcmp(value, wanted) == 0;
}

/* Says what a setting may be: "must be A, B or C". */
struct choices {
	char text[400];
	size_t last; /* where the last one begins; 0: none yet */
};

static void add_choice(struct choices *c, const char *choice)
{
	size_t n = strlen(c->text);

	if (n + strlen(choice) + 16 > sizeof(c->text))
		return;
	n += (size_t)snprintf(c->text + n, sizeof(c->text) - n, "%s", c->last ? ", " : "must be ");
	c->last = n;
	snprintf(c->text + n, sizeof(c->text) - n, "%s", choice);
}

/* The last two are joined by a conjunction such as " or ". */
static void join_choices(struct choices *c, const char *conjunction)
{
	char last[sizeof(c->text)];

	if (c->last <= strlen("must be "))
		return;
	strcpy(last, c->text + c->last);
	c->last -= strlen(", ");
	snprintf(c->text + c->last, sizeof(c->text) - c->last, "%s%s", conjunction, last);
}

static int read_resources(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_RESOURCES");
	char choices[700];

	if (!value ||
	    cps_wanted_read(value, &c->resources, &c->clock, choices, sizeof(choices)) == 0)
		return 0;
	return complain(line, bytes, "CPSAMPLE_RESOURCES", value, choices);
}

/* Whoever asks for the parts of CPU time gets the clock that knows them, whose ticks are the kernel's (sample.h). */
static const char *usual_clock(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->list[i].resource && wanted->list[i].resource->part)
			return cps_clock_timer.name;
	return cps_clocks_table[0]->name;
}

static int read_clock(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_CLOCK");
	struct choices wanted = {0};

	c->clock.name =
		cps_config_is_attached() ? cps_clock_timer.name : usual_clock(&c->resources);
	if (!value)
		return 0;
	c->clock.name = value;
	for (size_t i = 0; cps_clocks_table[i]; i++) {
		if (!cps_clocks_is_choice(cps_clocks_table[i]))
			continue;
		if (strcmp(value, cps_clocks_table[i]->name) == 0)
			return cps_clocks_table[i] != &cps_clock_perf || c->kernel_ticks
				       ? 0
				       : complain(line, bytes, "CPSAMPLE_CLOCK", value,
						  "its ticks " CPS_PERF_RISK);
		add_choice(&wanted, cps_clocks_table[i]->name);
	}
	join_choices(&wanted, " or ");
	return complain(line, bytes, "CPSAMPLE_CLOCK", value, wanted.text);
}

static int read_flag(const char *name, const char *on, const char *off, bool *flag, char *line,
		     size_t bytes)
{
	const char *value = setting(name);
	char wanted[64];

	if (!value)
		return 0;
	*flag = strcmp(value, on) == 0;
	if (*flag || strcmp(value, off) == 0)
		return 0;
	snprintf(wanted, sizeof(wanted), "must be %s or %s", on, off);
	return complain(line, bytes, name, value, wanted);
}

static int read_calls(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_CALLS");

	if (!value)
		return 0;
	c->times_calls = strcmp(value, "time") == 0;
	c->counts_calls = c->times_calls || strcmp(value, "on") == 0;
	c->resources.has_more = c->times_calls;
	if (c->counts_calls && !CPS_ENTRY_COUNTS_CALLS)
		return complain(line, bytes, "CPSAMPLE_CALLS", value,
				"must be off: calls are not counted on " CPS_MACHINE);
	if (c->counts_calls || strcmp(value, "off") == 0)
		return 0;
	return complain(line, bytes, "CPSAMPLE_CALLS", value, "must be on, off or time");
}

static int read_seed(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_SEED");
	const char *end;

	if (!value)
		return 0;
	c->clock.is_seeded = true;
	if (parse_number(value, &end, &c->clock.seed) == 0 && !*end)
		return 0;
	return complain(line, bytes, "CPSAMPLE_SEED", value,
			"must be a number from 0 to 18446744073709551615");
}

/* A time in seconds, or with a unit. */
static int read_time(const char *name, uint64_t *ns, char *line, size_t bytes)
{
	const char *value = setting(name);

	if (!value || cps_wanted_time(value, SECOND, ns) == 0)
		return 0;
	return complain(line, bytes, name, value,
			"must be a time, such as 10 or 10s, 500ms, 5min, at most 4000000000s");
}

/* A share such as "1%" or "0.5%", in millionths. */
static int read_share(const char *name, uint32_t *share, char *line, size_t bytes)
{
	const char *value = setting(name);
	double percent;
	char *end;

	if (!value)
		return 0;
	percent = strtod(value, &end);
	if (*value >= '0' && *value <= '9' && strcmp(end, "%") == 0 && percent >= 0.01 &&
	    percent <= 100) {
		*share = (uint32_t)(percent * 10000 + 0.5);
		return 0;
	}
	return complain(line, bytes, name, value,
			"must be a share, such as 1%, from 0.01% to 100%");
}

/* A number of bytes such as "1000000", "64k", "64M", "2G", by powers of 1024. */
static int read_size(const char *name, uint64_t least, uint64_t *size, char *line, size_t bytes)
{
	static const char letters[] = "kMG";
	const char *value = setting(name), *letter, *end;
	bool is_number;
	char wanted[100];
	unsigned shift = 0;

	if (!value)
		return 0;
	is_number = parse_number(value, &end, size) == 0;
	letter = *end ? strchr(letters, *end) : NULL;
	if (letter) {
		shift = 10 * (unsigned)(letter - letters + 1);
		end++;
	}
	if (is_number && !*end && *size <= UINT64_MAX >> shift >> 2) {
		*size <<= shift;
		if (*size >= least)
			return 0;
	}
	snprintf(wanted, sizeof(wanted),
		 "must be a number of bytes, such as 64M, at least %llu, at most 4294967295G",
		 (unsigned long long)least);
	return complain(line, bytes, name, value, wanted);
}

/* The number of the signal "USR2", "SIGUSR2" or "12"; 0: there is none. */
static int find_signal(const char *text)
{
	static const char names[32][8] = {
		[SIGHUP] = "HUP",	[SIGINT] = "INT",	[SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",	[SIGTRAP] = "TRAP",	[SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",	[SIGFPE] = "FPE",	[SIGKILL] = "KILL",
		[SIGUSR1] = "USR1",	[SIGSEGV] = "SEGV",	[SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE",	[SIGALRM] = "ALRM",	[SIGTERM] = "TERM",
		[SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD",	[SIGCONT] = "CONT",
		[SIGSTOP] = "STOP",	[SIGTSTP] = "TSTP",	[SIGTTIN] = "TTIN",
		[SIGTTOU] = "TTOU",	[SIGURG] = "URG",	[SIGXCPU] = "XCPU",
		[SIGXFSZ] = "XFSZ",	[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",
		[SIGWINCH] = "WINCH",	[SIGPOLL] = "POLL",	[SIGPWR] = "PWR",
		[SIGSYS] = "SYS",
	};
	const char *name = strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
	char *end;
	long number = strtol(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && number > 0 && number < NSIG)
		return (int)number;
	for (int i = 1; i < 32; i++) /* not sigabbrev_np(3), which came with glibc 2.32 */
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

/* Refuses the signals that a process cannot or must not do without. */
static int read_toggle(struct cps_config *c, char *line, size_t bytes)
{
	static const int unfit[] = {0,	     SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
				    SIGTRAP, SIGABRT, SIGPROF, SIGCONT, 32,	33};
	const char *value = setting("CPSAMPLE_TOGGLE_SIGNAL");
	int number;

	if (!value)
		return 0;
	number = find_signal(value);
	for (size_t i = 0; i < sizeof(unfit) / sizeof(unfit[0]); i++)
		if (number == unfit[i])
			return complain(
				line, bytes, "CPSAMPLE_TOGGLE_SIGNAL", value,
				"must be a signal that the program has no use for, such as USR2");
	c->toggle_signal = number;
	return 0;
}

static int read_exe(struct cps_config *c, char *line, size_t bytes)
{
	regex_t regex;

	c->exe = setting("CPSAMPLE_EXE");
	if (!c->exe)
		return 0;
	if (regcomp(&regex, c->exe, REG_EXTENDED | REG_NOSUB) != 0)
		return complain(line, bytes, "CPSAMPLE_EXE", c->exe,
				"must be an extended regular expression");
	regfree(&regex);
	return 0;
}

/* "DIR/TEMPLATE", unless the template is an absolute path. */
static int read_directory(struct cps_config *c, char *line, size_t bytes)
{
	static char joined[4096], directory[2049]; /* programs may overwrite their environment */
	const char *value = setting("CPSAMPLE_DIR");

	if (read_size("CPSAMPLE_DIR_BYTES", 65536, &c->directory_bytes, line, bytes) < 0)
		return -1;
	if (c->directory_bytes && !value)
		return complain(line, bytes, "CPSAMPLE_DIR_BYTES", setting("CPSAMPLE_DIR_BYTES"),
				"needs CPSAMPLE_DIR");
	if (!value)
		return 0;
	if (*value != '/' || strchr(value, '%') || strlen(value) > 2048)
		return complain(line, bytes, "CPSAMPLE_DIR", value,
				"must be an absolute path without %");
	c->directory = strcpy(directory, value);
	if (*c->output != '/' &&
	    (size_t)snprintf(joined, sizeof(joined), "%s/%s", value, c->output) < sizeof(joined))
		c->output = joined;
	return 0;
}

/* "PID.START": the launcher's process, and when it started, as /proc/PID/stat has it. */
static int read_run(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_RUN");
	const char *end;

	if (!value)
		return 0;
	if (parse_number(value, &end, &c->run_pid) == 0 && c->run_pid && *end == '.' &&
	    parse_number(end + 1, &end, &c->run_start) == 0 && c->run_start && !*end)
		return 0;
	return complain(line, bytes, "CPSAMPLE_RUN", setting("CPSAMPLE_RUN"),
			"must be PID.START, as cpsample sets it");
}

static int read_off_file(struct cps_config *c, char *line, size_t bytes)
{
	static char path[4096];
	const char *value = setting("CPSAMPLE_OFF_FILE");

	c->off_file = "/run/cpsample.off";
	if (!value)
		return 0;
	if (*value != '/' || strlen(value) >= sizeof(path))
		return complain(line, bytes, "CPSAMPLE_OFF_FILE", value,
				"must be an absolute path");
	c->off_file = strcpy(path, value);
	return 0;
}

static int read_limits(struct cps_config *c, char *line, size_t bytes)
{
	if (read_time("CPSAMPLE_DELAY", &c->delay_ns, line, bytes) < 0 ||
	    read_share("CPSAMPLE_BUDGET", &c->budget, line, bytes) < 0 ||
	    read_time("CPSAMPLE_DURATION", &c->duration_ns, line, bytes) < 0 ||
	    read_size("CPSAMPLE_MAX_BYTES", 65536, &c->max_bytes, line, bytes) < 0 ||
	    read_size("CPSAMPLE_JOURNAL", 0, &c->journal_bytes, line, bytes) < 0)
		return -1;
	if (c->journal_bytes > JOURNAL_MAX)
		return complain(line, bytes, "CPSAMPLE_JOURNAL", setting("CPSAMPLE_JOURNAL"),
				"must be at most 2G");
	return 0;
}

int cps_config_read(struct cps_config *c, char *line, size_t bytes)
{
	*c = (struct cps_config){.clock = {.resource = cps_clocks_table[0]->resource,
					   .name = cps_clocks_table[0]->name,
					   .jitter = true},
				 .resources = {.n = 1, .has_clock = true},
				 .has_args = true,
				 .names_python = true,
				 .counts_calls = CPS_ENTRY_COUNTS_CALLS,
				 .is_check = setting("CPSAMPLE_CHECK"),
				 .is_list = is_setting("CPSAMPLE_CHECK", "resources"),
				 .output = setting("CPSAMPLE_OUTPUT")};
	if (!c->output)
		c->output = "cpsample.%e.%p.cps";
	if (read_flag("CPSAMPLE_KERNEL_TICKS", "on", "off", &c->kernel_ticks, line, bytes) < 0 ||
	    read_resources(c, line, bytes) < 0 || read_clock(c, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_VERBOSE", "1", "0", &c->verbose, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_JITTER", "on", "off", &c->clock.jitter, line, bytes) < 0 ||
	    read_seed(c, line, bytes) < 0 || read_limits(c, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_ARGS", "on", "off", &c->has_args, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_PYTHON", "on", "off", &c->names_python, line, bytes) < 0 ||
	    read_calls(c, line, bytes) < 0 || read_directory(c, line, bytes) < 0 ||
	    read_off_file(c, line, bytes) < 0 || read_run(c, line, bytes) < 0 ||
	    read_toggle(c, line, bytes) < 0 || read_exe(c, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_UNWINDER", CPS_UNWINDER_LIBUNWIND, CPS_UNWINDER_NATIVE,
		      &c->wants_libunwind, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_SECCOMP", "all", "stop", &c->outlives_filter, line, bytes) < 0)
		return -1;
	return 0;
}

int cps_config_fix_output(struct cps_config *c, const char *exe, char *line, size_t bytes)
{
	static char fixed[4096];
	const char *slash = strrchr(c->output, '/'), *percent = strchr(c->output, '%');

	c->makes_directories = percent && slash && percent < slash;
	if (cps_output_fix(c->output, exe, fixed, sizeof(fixed)) < 0)
		return complain(
			line, bytes, "CPSAMPLE_OUTPUT", c->output,
			"after % may stand p, e, h, t, r, {VAR} or %, and the whole must be "
			"shorter than 4,000 bytes");
	c->output = fixed;
	return 0;
}

/* ---- the list of resources ------------------------------------------------------------------- */
/*
 * Lists the resources and asks each whether it can be counted here.
 *
 * In: the tables of clocks and resources. Out: lines for a person.
 */

#define LINE_BYTES 400
#define WHY_BYTES  256
#define COLUMNS	   80

/* What stands in front of the last column, which is 32 wide, and of what goes on in another line. */
#define HEAD_FORMAT "%-14s %-12s %8s %-10s "
#define ROW_FORMAT  "%-14s %-12s %7s  %-10s "
#define INDENT	    "    "

struct row {
	const char *name, *unit, *engine, *about, *why; /* why: NULL if it works here */
	enum cps_resource_kind kind;
	uint64_t interval; /* 0: it has none */
};

/* As it is written in CPSAMPLE_RESOURCES. */
static void write_interval(char *text, size_t bytes, const struct row *row)
{
	uint64_t n = row->interval, thousand = row->kind == CPS_RESOURCE_BYTES ? 1024 : 1000;
	static const char *const times[] = {"ns", "us", "ms", "s"};
	static const char *const counts[] = {"", "k", "M", "G"};
	int i = 0;

	if (!n) {
		snprintf(text, bytes, "-");
		return;
	}
	if (row->kind == CPS_RESOURCE_EVENTS && n < 10000)
		thousand = UINT64_MAX;
	for (; i < 3 && n % thousand == 0 && n >= thousand; i++)
		n /= thousand;
	snprintf(text, bytes, "%llu%s", (unsigned long long)n,
		 row->kind == CPS_RESOURCE_TIME ? times[i] : counts[i]);
}

/* Says the text in lines of 80 columns. It is broken at blanks. */
static void say_wrapped(void (*say)(const char *), char *text)
{
	char line[LINE_BYTES + WHY_BYTES + sizeof(INDENT)];
	const char *indent = "";

	while (strlen(indent) + strlen(text) > COLUMNS) {
		char *end = text + COLUMNS - strlen(indent);

		while (end > text && *end != ' ')
			end--;
		if (end == text)
			break;
		snprintf(line, sizeof(line), "%s%.*s\n", indent, (int)(end - text), text);
		say(line);
		text = end + 1;
		indent = INDENT;
	}
	snprintf(line, sizeof(line), "%s%s\n", indent, text);
	say(line);
}

static void say_row(void (*say)(const char *), const struct row *row)
{
	char interval[32], line[LINE_BYTES + WHY_BYTES];

	write_interval(interval, sizeof(interval), row);
	snprintf(line, sizeof(line), ROW_FORMAT "%s%s", row->name, row->unit, interval, row->engine,
		 row->why ? "no: " : "", row->why ? row->why : row->about);
	say_wrapped(say, line);
}

/* Returns its interval. */
static uint64_t say_clock(void (*say)(const char *), const struct cps_clock *clock,
			  const struct cps_clock_settings *settings)
{
	char why[WHY_BYTES] = "";
	const struct cps_clock *chosen =
		cps_clocks_choose(cps_clocks_choices, clock, settings, why, sizeof(why));
	struct row row = {clock->resource,
			  clock->unit,
			  chosen ? chosen->name : clock->name,
			  clock->is_external ? "SIGPROF that the program gets" : "CPU time",
			  chosen ? NULL : why,
			  CPS_RESOURCE_TIME,
			  cps_clock_interval(chosen ? chosen : clock, settings)};

	say_row(say, &row);
	return row.interval;
}

/* The one that would be used for the resource. */
static const struct cps_clock *wanted_clock(const char *resource,
					    const struct cps_clock_settings *settings)
{
	struct cps_clock_settings its = *settings;

	its.resource = resource;
	return cps_clocks_find(&its);
}

void cps_resource_list(void (*say)(const char *), const struct cps_clock_settings *settings)
{
	char head[LINE_BYTES];
	uint64_t of_clock = 0;

	snprintf(head, sizeof(head), HEAD_FORMAT "%s\n", "resource", "gtick", "interval", "engine",
		 "what it is, or no: why not here");
	say(head);
	for (size_t i = 0; cps_clocks_table[i]; i++) {
		const struct cps_clock *clock = cps_clocks_table[i];

		if (clock == cps_clocks_of_resource(clock->resource, strlen(clock->resource)))
			of_clock |= say_clock(say, wanted_clock(clock->resource, settings),
					      settings); /* `signals` has none */
	}
	for (size_t i = 0; cps_resource_table[i]; i++) {
		const struct cps_resource *r = cps_resource_table[i];
		char why[WHY_BYTES] = "";
		bool works = !r->probe || r->probe(why, sizeof(why)) == 0;
		struct row row = {r->name,
				  r->unit,
				  r->engine,
				  r->about,
				  works ? NULL : why,
				  r->kind,
				  r->interval ? r->interval
				  : r->part   ? cps_clock_interval(&cps_clock_timer, settings)
					      : of_clock};

		say_row(say, &row);
	}
}

int cps_resource_list_check(const struct cps_wanted_resources *wanted, char *why, size_t bytes)
{
	for (size_t i = 0; i < wanted->n; i++) {
		const struct cps_wanted_resource *w = &wanted->list[i];
		char missing[WHY_BYTES] = "";

		if (cps_resource_probe(w, missing, sizeof(missing)) != 0) {
			snprintf(why, bytes, "%s: %s", *w->name ? w->name : w->resource->name,
				 missing);
			return -1;
		}
	}
	return 0;
}

/* Whether anything of what is wanted is counted. */
static bool is_any_counted(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (!wanted->list[i].resource || !cps_resource_refusal(&wanted->list[i]))
			return true;
	return wanted->n == 0;
}

void cps_resource_list_refused(const struct cps_wanted_resources *wanted, bool all,
			       void (*say)(const char *))
{
	bool counts = is_any_counted(wanted);
	char line[LINE_BYTES + WHY_BYTES];

	for (size_t i = 0; i < wanted->n && (all || !counts); i++) {
		const struct cps_wanted_resource *w = &wanted->list[i];
		const char *why = w->resource ? cps_resource_refusal(w) : NULL;

		if (!why)
			continue;
		snprintf(line, sizeof(line), "libcpsample: CPSAMPLE_RESOURCES=%s: %s; not %s\n",
			 *w->name ? w->name : w->resource->name, why,
			 counts ? "counted" : "recording");
		say(line);
		if (!all)
			return;
	}
}
