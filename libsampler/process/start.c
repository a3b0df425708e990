/* SPDX-License-Identifier: MIT */
/*
 * start.c - starts the recorder when the library is loaded, and ends it when the process exits.
 *
 * In: the environment. Out: a recording, or nothing at all: if any step fails, nothing is recorded.
 */
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "base/sys.h"
#include "base/text.h"
#include "clock/clock_timer.h"
#include "clock/perf.h"
#include "process/attach.h"
#include "process/config.h"
#include "process/find.h"
#include "process/identity.h"
#include "process/output.h"
#include "process/process_life.h"
#include "process/start.h"
#include "process/summary.h"
#include "process/unwinders.h"
#include "process/wrapped.h"
#include "setup/clocks.h"
#include "signal/gate.h"
#include "stream/thread.h"
#include "unwind/libunwind.h"
#include "unwind/module.h"

#define FIRST_STACK_MAX (UINT64_C(64) << 30)

extern void *__libc_stack_end; /* from the loader: where the first stack began */
#pragma weak __libc_stack_end

static struct cps_config config;
static struct cps_identity identity;
static bool is_open;

static void say(const char *line)
{
	if (cps_config_is_attached())
		cps_attach_say(line);
	else
		cps_sys_write(2, line, strlen(line));
}

/* A line that each process of a run may say names its program. */
static void say_of_program(const char *line)
{
	static const char begin[] = "libcpsample: ";
	char named[1200];

	snprintf(named, sizeof(named), "%s%.64s[%d]: %s", begin, cps_identity_name(&identity),
		 (int)cps_sys_getpid(), line + strlen(begin));
	say(named);
}

static void learn_stack(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	uintptr_t high = (uintptr_t)__libc_stack_end;
	uint64_t bytes;

	getrlimit(RLIMIT_STACK, &limit);
	bytes = limit.rlim_cur < FIRST_STACK_MAX ? limit.rlim_cur : FIRST_STACK_MAX;
	cps_thread_set_first_stack(high > bytes ? high - bytes : 0, high,
				   (void *(*)(void *))getauxval(AT_ENTRY));
}

/* A function of each of its files, that nobody replaces. The last two are in libc.so, too, since glibc 2.34. */
static const char *const of_c_library[] = {"gnu_get_libc_version", "pthread_getconcurrency",
					   "aio_cancel"};

static void learn_modules(void)
{
	struct cps_module_start start = {.exe = identity.exe,
					 .cwd = identity.cwd,
					 .phdr = (const void *)getauxval(AT_PHDR),
					 .phnum = getauxval(AT_PHNUM),
					 .vdso = getauxval(AT_SYSINFO_EHDR),
					 .own = &config,
					 .find = cps_find_next("_dl_find_object")};

	cps_module_init(&start);
	for (size_t i = 0; i < sizeof(of_c_library) / sizeof(of_c_library[0]); i++)
		cps_sample_trust((uintptr_t)cps_find_next(of_c_library[i]));
	cps_sample_trust(cps_find_loader_base());
	cps_moment_prepare(start.vdso);
	cps_eintr_restart_find_clock();
}

/* Whether CPSAMPLE_EXE, if it is set, matches the program. */
static bool is_wanted(void)
{
	regex_t regex;
	bool found;

	if (!config.exe)
		return true;
	if (regcomp(&regex, config.exe, REG_EXTENDED | REG_NOSUB) != 0)
		return false; /* cannot happen: config.c has checked it */
	found = regexec(&regex, identity.exe, 0, NULL, 0) == 0 ||
		(identity.started_as && regexec(&regex, identity.started_as, 0, NULL, 0) == 0);
	regfree(&regex);
	return found;
}

/* Whether the environment says that this program and all that it starts are not to be recorded. A
 * switch must not fail because of how it is spelt. */
static bool is_turned_off(void)
{
	const char *value = getenv("CPSAMPLE");

	if (!value || !*value || strcmp(value, "on") == 0)
		return false;
	value = getenv("CPSAMPLE_VERBOSE");
	if (value && strcmp(value, "1") == 0)
		say("libcpsample: CPSAMPLE turns it off; not recording\n");
	return true;
}

/* The same for the file that turns recording off everywhere. */
static bool is_turned_off_everywhere(void)
{
	char line[512];

	cps_off_switch_set(config.off_file);
	if (!cps_off_switch_is_on())
		return false;
	snprintf(line, sizeof(line), "libcpsample: there is %.400s; not recording\n",
		 config.off_file);
	if (config.verbose)
		say(line);
	return true;
}

/* Valgrind runs a program on a processor of its own making, whose time is not the program's, and
 * reports what the recorder does as mistakes of the program. */
static bool is_possible(void)
{
	if (!cps_regs_is_valgrind())
		return true;
	if (config.verbose)
		say_of_program("libcpsample: valgrind runs the program; not recording\n");
	return false;
}

static void say_unwinder(const char *why, const char *what, void (*to)(const char *))
{
	char line[512];

	snprintf(line, sizeof(line),
		 "libcpsample: CPSAMPLE_UNWINDER=" CPS_UNWINDER_LIBUNWIND ": %s; %s\n", why, what);
	to(line);
}

/* For cpsample, which asks before it starts the program. */
static void check(void)
{
	char missing[300], line[400];
	const char *why = cps_choose_unwinder_open(&config);
	const struct cps_clock *clock = cps_clocks_find(&config.clock);

	config.clock.has_go = cps_go_runtime_is_here();
	if (clock) /* some resources need to know what it measures */
		cps_sample_use(clock->meter, NULL);
	if (config.is_list)
		cps_resource_list(say, &config.clock);
	else if (why)
		say_unwinder(why, "not recording", say);
	else if (cps_resource_list_check(&config.resources, missing, sizeof(missing)) < 0) {
		snprintf(line, sizeof(line), "libcpsample: CPSAMPLE_RESOURCES=%s; not recording\n",
			 missing);
		say(line);
	}
}

/* What is done once in a process, however often it is attached to. 0 or an error number. */
static int prepare_once(void)
{
	static bool is_prepared;
	int error;

	if (is_prepared)
		return 0;
	is_prepared = true;
	learn_modules();
	error = cps_wrap_thread_prepare();
	return error ? error : cps_wrap_process_prepare();
}

/* 0 or -errno */
static int prepare(void)
{
	int error;

	/* What follows copies memory, for which a filter may kill that was not known before. */
	cps_wrap_seccomp_prepare(config.outlives_filter);
	cps_choose_unwinder_open(&config);
	error = prepare_once();
	cps_choose_unwinder(&config, &identity);
	if (identity.unwinder_why && config.verbose)
		say_unwinder(identity.unwinder_why, "following stacks by the native one",
			     say_of_program);
	if (config.names_python)
		cps_interpreter_find();
	learn_stack();
	config.clock.has_go = cps_go_runtime_is_here();
	identity.runtime = cps_go_runtime_is_program() ? "Go" : NULL;
	identity.has_rank = cps_rank_find(&identity.rank);
	if (config.resources.n > config.resources.has_clock)
		cps_wrap_alloc_look();
	return -error;
}

/* 0 or -errno */
static int begin(void)
{
	int error = prepare();

	if (!error)
		error = cps_process_life_prepare_control(config.toggle_signal);
	cps_eintr_restart_expect_ticks();
	if (!error)
		error = cps_process_life_begin(&config, &identity);
	if (!error)
		cps_got_slots_begin(&config.resources);
	return error;
}

/* Whether what is wanted can be recorded in a process that ran already. A clock is always wanted, whose ticks notice that the
 * launcher is gone. */
static bool is_attachable(void)
{
	char line[400];

	if (strcmp(config.clock.resource, cps_clock_timer.resource) != 0 ||
	    strcmp(config.clock.name, cps_clock_timer.name) != 0) {
		say("libcpsample: only timer can be the clock in a process that ran already; not "
		    "recording\n");
		return false;
	}
	for (size_t i = 0; i < config.resources.n; i++) {
		const struct cps_wanted_resource *w = &config.resources.list[i];

		if (!w->resource || !w->resource->unattached)
			continue;
		snprintf(line, sizeof(line),
			 "libcpsample: %s cannot be had in a process that ran already: %s; not "
			 "recording\n",
			 *w->name ? w->name : w->resource->name, w->resource->unattached);
		say(line);
		return false;
	}
	if (!cps_resource_needs_clock(&config.resources) &&
	    config.resources.n < CPS_RESOURCES_WANTED) {
		config.resources.list[config.resources.n++] =
			(struct cps_wanted_resource){.resource = NULL};
		config.resources.has_clock = true;
	}
	return true;
}

/* Whether recording has begun. */
static bool start_with_settings(void)
{
	char complaint[1000];
	int error;

	cps_sys_learn_page(getauxval(AT_PAGESZ));
	cps_sys_learn_self((uintptr_t)pthread_self());
	if (cps_config_read(&config, complaint, sizeof(complaint)) < 0) {
		say(complaint);
		return false;
	}
	if (cps_config_is_attached() && !is_attachable())
		return false;
	if (is_turned_off_everywhere())
		return false;
	cps_perf_let_strike_in_kernel(config.kernel_ticks && !cps_config_is_attached());
	cps_identity_read(&identity);
	if (!config.has_args && identity.n_args > 1)
		identity.n_args = 1;
	if (cps_config_fix_output(&config, identity.started_as ? identity.started_as : identity.exe,
				  complaint, sizeof(complaint)) < 0) {
		say(complaint);
		return false;
	}
	if (config.is_check)
		check();
	if (config.is_check || !is_wanted() || !is_possible())
		return false;
	identity.lineage.tree_pid = config.run_pid;
	identity.lineage.tree_start = config.run_start;
	identity.lineage.is_without_args = !config.has_args;
	identity.lineage.is_attached = cps_config_is_attached();
	if (config.verbose)
		cps_summary_prepare();
	error = begin();
	if (error) {
		snprintf(complaint, sizeof(complaint),
			 "libcpsample: the clock %s cannot be started: %s; not recording\n",
			 config.clock.name,
			 error == -ENOTSUP && identity.engine_why ? identity.engine_why
			 : error == -EAGAIN ? "no more signals may be pending (ulimit -i)"
					    : cps_error_text(-error));
		say(complaint);
	} else {
		cps_resource_list_refused(&config.resources, config.verbose,
					  config.verbose ? say_of_program : say);
	}
	return !error;
}

static bool is_complete; /* all functions were found without which there is no recording */

/* A C library that cannot be recorded is said to be so. */
static bool is_fit(void)
{
	if (!cps_find_is_fit())
		say("libcpsample: needs glibc, with threads as from 2.34 on; not recording\n");
	return cps_find_is_fit() && is_complete;
}

void cps_start(void)
{
	if (is_open)
		return;
	is_complete = cps_real_find();
	/* The C library does not know its environment yet: a sanitizer in the program calls us before all constructors. */
	if (!environ)
		return;
	is_open = true;
	/* Who opens the library in a process that runs says when it is to begin. */
	if (cps_find_is_late())
		return;
	/* A filter may kill for any system call. */
	if (getenv("CPSAMPLE_CONFINED") || is_turned_off() || !is_fit())
		return;
	start_with_settings();
}

bool cps_start_attached(void)
{
	if (!is_fit())
		return false;
	return start_with_settings();
}

static void __attribute__((constructor(101))) constructor(void)
{
	cps_start();
}

static void __attribute__((destructor(101))) destructor(void)
{
	cps_bytes_settle();
	cps_process_life_end(CPS_STOP_NONE);
}
