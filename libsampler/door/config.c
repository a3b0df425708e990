/* SPDX-License-Identifier: MIT */
/*
 * config.c - reads the settings.
 *
 * In: the environment. Out: struct cps_config.
 */
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "door/config.h"
#include "door/output.h"

#define INTERVAL_MIN UINT64_C(10000) /* 10 us */
#define SECOND	     UINT64_C(1000000000)
#define INTERVAL_MAX (3600 * SECOND)
#define JOURNAL_MAX  (UINT64_C(2) << 30)
#define TIME_MAX     (UINT64_C(4000000000) * SECOND) /* more than a century */

static int complain(char *line, size_t bytes, const char *name, const char *value,
		    const char *wanted)
{
	snprintf(line, bytes, "libcpsample: %s=%.200s: %s; not recording\n", name, value, wanted);
	return -1;
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Reads "1ms", "250us", "0.5s", "100000ns". A unit is required, unless `unit` is the ns that a
 * plain number counts. */
static int parse_time(const char *text, uint64_t unit, uint64_t *ns)
{
	const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000},
		     {"s", SECOND},
		     {unit ? "" : "s", SECOND},
		     {"min", 60 * SECOND}};
	uint64_t whole = 0, fraction = 0, divisor = 1;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (whole > TIME_MAX / 10)
			return -1;
		whole = whole * 10 + (uint64_t)(*p - '0');
	}
	if (p == text)
		return -1;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && divisor < 1000000000; p++, divisor *= 10)
			fraction = fraction * 10 + (uint64_t)(*p - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		if (whole > TIME_MAX / units[i].ns)
			return -1;
		*ns = whole * units[i].ns + fraction * units[i].ns / divisor;
		return 0;
	}
	return -1;
}

static int parse_interval(const char *text, uint64_t *ns)
{
	return parse_time(text, 0, ns) == 0 && *ns >= INTERVAL_MIN && *ns <= INTERVAL_MAX ? 0 : -1;
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

static int refuse_resource(const char *value, char *line, size_t bytes)
{
	struct choices wanted = {0};
	char interval[128];

	for (size_t i = 0; cps_clock_table[i]; i++) {
		const struct cps_clock *clock = cps_clock_table[i];

		if (clock != cps_clock_of_resource(clock->resource, strlen(clock->resource)))
			continue;
		add_choice(&wanted, clock->resource);
		snprintf(interval, sizeof(interval),
			 "%s:INTERVAL (such as %s:1ms, from 10us to 3600s)", clock->resource,
			 clock->resource);
		if (clock->is_periodic)
			add_choice(&wanted, interval);
	}
	join_choices(&wanted, ", or ");
	return complain(line, bytes, "CPSAMPLE_RESOURCES", value, wanted.text);
}

/* "RESOURCE" or, if its clocks are periodic, "RESOURCE:INTERVAL". */
static int read_resource(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_RESOURCES");
	const struct cps_clock *clock;
	size_t length;

	if (!value)
		return 0;
	length = strcspn(value, ":");
	clock = cps_clock_of_resource(value, length);
	if (!clock)
		return refuse_resource(value, line, bytes);
	if (value[length] &&
	    (!clock->is_periodic || parse_interval(value + length + 1, &c->clock.interval_ns) < 0))
		return refuse_resource(value, line, bytes);
	c->clock.resource = clock->resource;
	return 0;
}

static int read_clock(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_CLOCK");
	struct choices wanted = {0};

	if (!value)
		return 0;
	c->clock.name = value;
	for (size_t i = 0; cps_clock_table[i]; i++) {
		if (!cps_clock_is_choice(cps_clock_table[i]))
			continue;
		if (strcmp(value, cps_clock_table[i]->name) == 0)
			return 0;
		add_choice(&wanted, cps_clock_table[i]->name);
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

static int read_seed(struct cps_config *c, char *line, size_t bytes)
{
	const char *value = setting("CPSAMPLE_SEED");
	char *end;

	if (!value)
		return 0;
	c->clock.seed = strtoull(value, &end, 10);
	c->clock.is_seeded = true;
	if (*value >= '0' && *value <= '9' && !*end)
		return 0;
	return complain(line, bytes, "CPSAMPLE_SEED", value, "must be a number");
}

/* A time in seconds, or with a unit. */
static int read_time(const char *name, uint64_t *ns, char *line, size_t bytes)
{
	const char *value = setting(name);

	if (!value || parse_time(value, SECOND, ns) == 0)
		return 0;
	return complain(line, bytes, name, value, "must be a time, such as 10 or 10s, 500ms, 5min");
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
	const char *value = setting(name), *letter;
	char *end, wanted[80];
	unsigned shift = 0;

	if (!value)
		return 0;
	errno = 0;
	*size = strtoull(value, &end, 10);
	letter = *end ? strchr(letters, *end) : NULL;
	if (letter) {
		shift = 10 * (unsigned)(letter - letters + 1);
		end++;
	}
	if (*value >= '0' && *value <= '9' && !*end && !errno &&
	    *size <= UINT64_MAX >> shift >> 2) {
		*size <<= shift;
		if (*size >= least)
			return 0;
	}
	snprintf(wanted, sizeof(wanted), "must be a number of bytes, such as 64M, at least %llu",
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
	char *end = NULL;

	if (!value)
		return 0;
	c->run_pid = strtoull(value, &end, 10);
	if (c->run_pid && *value >= '0' && *value <= '9' && *end == '.') {
		value = end + 1;
		c->run_start = strtoull(value, &end, 10);
		if (c->run_start && *value >= '0' && *value <= '9' && !*end)
			return 0;
	}
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
	*c = (struct cps_config){.clock = {.resource = cps_clock_table[0]->resource,
					   .name = cps_clock_table[0]->name,
					   .interval_ns = 1000000,
					   .jitter = true},
				 .has_args = true,
				 .is_check = setting("CPSAMPLE_CHECK"),
				 .output = setting("CPSAMPLE_OUTPUT")};
	if (!c->output)
		c->output = "cpsample.%e.%p.cps";
	if (read_resource(c, line, bytes) < 0 || read_clock(c, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_VERBOSE", "1", "0", &c->verbose, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_JITTER", "on", "off", &c->clock.jitter, line, bytes) < 0 ||
	    read_seed(c, line, bytes) < 0 || read_limits(c, line, bytes) < 0 ||
	    read_flag("CPSAMPLE_ARGS", "on", "off", &c->has_args, line, bytes) < 0 ||
	    read_directory(c, line, bytes) < 0 || read_off_file(c, line, bytes) < 0 ||
	    read_run(c, line, bytes) < 0 || read_toggle(c, line, bytes) < 0 ||
	    read_exe(c, line, bytes) < 0 ||
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
