/* SPDX-License-Identifier: MIT */
/*
 * config.h - reads the settings.
 */
#ifndef CPS_CONFIG_H
#define CPS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/clock.h"
#include "resource/resource.h"

/* ---- config ---------------------------------------------------------------------------------- */
/*
 * The settings, which are read once from the environment (libcpsample.7).
 */

struct cps_config {
	struct cps_clock_settings clock;
	struct cps_wanted_resources resources;
	const char *output;	/* template, relative to the working directory at the start */
	bool makes_directories; /* its directories have names that differ, and cannot be there yet */
	bool verbose;
	bool has_args;			/* keep the arguments of the command line */
	bool counts_calls;		/* of programs that were compiled to tell them */
	bool times_calls;		/* those whose ends are told, too */
	bool names_python;		/* Python functions take the place of the interpreter's */
	const char *directory;		/* where recordings go, or NULL */
	uint64_t directory_bytes;	/* what the user's recordings there may take; 0: no limit */
	const char *off_file;		/* turns recording off when it is there */
	uint64_t delay_ns, duration_ns; /* of real time after the start; 0: no delay, no limit */
	uint64_t max_bytes;		/* of the stream; 0: no limit */
	uint64_t journal_bytes;		/* 0: as many as the buffers need */
	uint32_t budget;		/* of CPU time, in millionths; 0: no limit */
	int toggle_signal;		/* 0: none */
	uint64_t run_pid, run_start; /* of the launcher, which names the process tree; 0: unknown */
	bool is_check;		     /* read the settings and do nothing else ... */
	bool is_list;		     /* ... but list the resources */
	const char *exe;      /* a regular expression that the program's path must match, or NULL */
	bool wants_libunwind; /* follow stacks by libunwind */
	bool kernel_ticks; /* signals may come inside the kernel, also where exec may be outlived */
	bool outlives_filter; /* the recording goes on when the target installs a seccomp filter */
};

/* The process is attached to: its settings are not those of its environment, which other threads of it may be changing, but these
 * texts NAME=VALUE, one behind the other, with an empty one behind them. They are copied. False: they are too long. */
bool cps_config_attach(const char *settings);
/* It is not any more. */
void cps_config_detach(void);
/* Whether it is. */
bool cps_config_is_attached(void);
/* It has another number where the launcher is, which is how people know it; 0: it has the same. And which one. */
void cps_config_see_as(int pid);
int cps_config_seen_as(void);

/*
 * Read the variables CPSAMPLE_*. 0; or -1, with one line (newline included) in `complaint` that
 * names the setting and says what it may be.
 */
int cps_config_read(struct cps_config *config, char *complaint, size_t bytes);

/* Replace config->output by a template that needs no environment, and so can be expanded in a child
 * of fork. 0; or -1 as above. */
int cps_config_fix_output(struct cps_config *config, const char *exe, char *complaint,
			  size_t bytes);

/* ---- resource list --------------------------------------------------------------------------- */
/*
 * Tells the user which resources there are, and which of them work here.
 */

/* Call say() with each line of a table of all resources: name, unit of a gtick, default interval, engine,
 * and what is missing here if that is something. */
void cps_resource_list(void (*say)(const char *line), const struct cps_clock_settings *settings);

/* Whether all that is wanted can be counted here. -1: not, with the first that cannot, and what is missing. */
int cps_resource_list_check(const struct cps_wanted_resources *wanted, char *why, size_t bytes);

/* After the resources have begun: call say() with a line for each that is wanted and cannot be counted here.
 * Without `all` there is a line only if nothing is counted, and only for the first. */
void cps_resource_list_refused(const struct cps_wanted_resources *wanted, bool all,
			       void (*say)(const char *line));

#endif
