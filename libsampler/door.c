/* SPDX-License-Identifier: MIT */
/*
 * door.c - starts the recorder when the library is loaded, ends it when the process exits.
 *
 * Room: door. In: the environment. Out: an armed clock, or nothing at all: it refuses to start
 * rather than half-start.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "arena.h"
#include "clock.h"
#include "config.h"
#include "door.h"
#include "identity.h"
#include "loss.h"
#include "module.h"
#include "output.h"
#include "recording.h"
#include "sample.h"
#include "sys.h"

#define DEFAULT_STACK	(2u << 20) /* glibc's, when the limit is "unlimited" */
#define FIRST_STACK_MAX (UINT64_C(64) << 30)

extern void *__libc_stack_end; /* of the loader: where the first stack began */

struct cps_real cps_real;

static const struct cps_clock *clock_in_use;
static struct cps_config config;
static struct cps_identity identity;
static uint64_t default_stack;
static int recorded_pid;
static pthread_key_t key;
static bool is_open;
static atomic_bool is_closed;

const struct cps_clock *cps_door_clock(void)
{
	return clock_in_use;
}

pthread_key_t cps_door_key(void)
{
	return key;
}

uint64_t cps_door_default_stack(void)
{
	return default_stack;
}

static void say(const char *line)
{
	cps_sys_write(2, line, strlen(line));
}

static bool resolve(void)
{
	cps_real.pthread_create = dlsym(RTLD_NEXT, "pthread_create");
	cps_real.sigaction = dlsym(RTLD_NEXT, "sigaction");
	cps_real.thrd_create = dlsym(RTLD_NEXT, "thrd_create");
	cps_real.exit_now = dlsym(RTLD_NEXT, "_exit");
	cps_real.signal = dlsym(RTLD_NEXT, "signal");
	cps_real.sysv_signal = dlsym(RTLD_NEXT, "__sysv_signal");
	cps_real.dlclose = dlsym(RTLD_NEXT, "dlclose");
	return cps_real.pthread_create && cps_real.sigaction && cps_real.dlclose;
}

static void learn_stack(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	uintptr_t high = (uintptr_t)__libc_stack_end;
	uint64_t bytes;

	getrlimit(RLIMIT_STACK, &limit);
	default_stack = limit.rlim_cur == RLIM_INFINITY ? DEFAULT_STACK : limit.rlim_cur;
	bytes = limit.rlim_cur < FIRST_STACK_MAX ? limit.rlim_cur : FIRST_STACK_MAX;
	cps_thread_set_first_stack(high > bytes ? high - bytes : 0, high);
}

/* "dir/name.cps" -> "dir/name", ".cps": a number may have to go between. */
static int prepare_output(void)
{
	struct cps_output_names names = {.exe = identity.exe,
					 .cwd = identity.cwd,
					 .pid = (unsigned)recorded_pid,
					 .start_s = identity.start_ns / 1000000000};
	struct cps_output output = {.suffix = "", .identity = &identity};
	char path[4096];
	size_t n;

	if (cps_output_expand(config.output, &names, path, sizeof(path)) < 0)
		return -1;
	n = strlen(path);
	if (n > 4 && strcmp(path + n - 4, ".cps") == 0) {
		output.suffix = ".cps";
		n -= 4;
	}
	output.stem = cps_arena_copy(path, n);
	if (!output.stem)
		return -1;
	cps_recording_prepare(&output);
	return 0;
}

/* Our handler must not be interrupted by one that leaves with longjmp while a buffer is taken. */
static int install_handler(struct sigaction *before)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = cps_sample_handler;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigfillset(&action.sa_mask);
	sigdelset(&action.sa_mask, SIGSEGV);
	sigdelset(&action.sa_mask, SIGBUS);
	sigdelset(&action.sa_mask, SIGILL);
	sigdelset(&action.sa_mask, SIGFPE);
	sigdelset(&action.sa_mask, SIGTRAP);
	return cps_real.sigaction(SIGPROF, &action, before);
}

static void unblock_signal(void)
{
	uint64_t mask = UINT64_C(1) << (SIGPROF - 1);

	CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

static void learn_modules(void)
{
	struct cps_module_start start = {.exe = identity.exe,
					 .cwd = identity.cwd,
					 .phdr = (const void *)getauxval(AT_PHDR),
					 .phnum = getauxval(AT_PHNUM),
					 .vdso = getauxval(AT_SYSINFO_EHDR),
					 .own = &config};

	cps_module_init(&start);
}

static struct cps_thread *first_thread(void)
{
	struct cps_thread *t = cps_thread_take();

	if (!t)
		return NULL;
	learn_stack();
	cps_thread_enter(t, 0);
	t->routine = (void *(*)(void *))getauxval(AT_ENTRY);
	if (clock_in_use->meter->read)
		t->consumed = clock_in_use->meter->read();
	return t;
}

static void forget_in_child(void)
{
	struct sigaction action;

	if (!clock_in_use)
		return;
	cps_sample_stop();
	clock_in_use = NULL;
	cps_sample_get_disposition(&action);
	cps_real.sigaction(SIGPROF, &action, NULL);
}

static bool start(void)
{
	struct sigaction before;
	struct cps_thread *t;

	identity.resource = clock_in_use->resource;
	identity.unit = clock_in_use->unit;
	identity.engine = clock_in_use->name;
	identity.scale = clock_in_use->meter->scale;
	identity.interval = config.resource == CPS_RESOURCE_CPU ? config.interval_ns : 0;
	if (cps_wrap_thread_prepare(&key) != 0)
		return false;
	learn_modules();
	t = first_thread();
	if (!t || install_handler(&before) != 0)
		return false;
	cps_sample_set_disposition(&before);
	if (!cps_sample_start(clock_in_use->meter))
		return false;
	if (pthread_atfork(NULL, NULL, forget_in_child) != 0 || at_quick_exit(cps_door_close) != 0)
		return false;
	unblock_signal();
	return cps_clock_start(clock_in_use, &config) == 0 && cps_clock_arm(clock_in_use, t) == 0;
}

void cps_door_open(void)
{
	char complaint[512];

	if (is_open)
		return;
	is_open = true;
	recorded_pid = cps_sys_getpid();
	if (!resolve())
		return;
	if (cps_config_read(&config, complaint, sizeof(complaint)) < 0) {
		say(complaint);
		return;
	}
	cps_identity_read(&identity);
	if (prepare_output() < 0) {
		snprintf(complaint, sizeof(complaint),
			 "libcpsample: CPSAMPLE_OUTPUT=%.200s: after %% may stand p, e, h, t, r, "
			 "{VAR} or %%; not recording\n",
			 config.output);
		say(complaint);
		return;
	}
	clock_in_use = cps_clock_find(&config);
	if (!start()) {
		cps_sample_stop();
		cps_fuse_blow("the clock cannot be started", 0);
	}
}

static void tail_of_other(struct cps_thread *t, void *context)
{
	if (t != context) {
		cps_sample_tail_of(t);
		cps_recording_thread_ends(t);
	}
}

static void summary(void)
{
	const char *path = cps_recording_path();
	uint64_t cpu = cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - identity.cpu_before_ns;
	char line[4608], why[160] = "";
	int error, n;

	if (cps_fuse_reason(&error))
		snprintf(why, sizeof(why), " (%s%s%s)", cps_fuse_reason(NULL), error ? ": " : "",
			 error ? strerrordesc_np(-error) : "");
	n = snprintf(line, sizeof(line),
		     "cpsample: %llu samples, %llu lost, %.3f s of CPU time%s%s%s\n",
		     (unsigned long long)cps_recording_ticks(), (unsigned long long)cps_loss_sum(),
		     (double)cpu / 1e9, why, path ? ": " : ", no file ",
		     path		     ? path
		     : cps_fuse_reason(NULL) ? config.output
					     : "");
	if (n > 0)
		cps_sys_write(2, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

void cps_door_close(void)
{
	struct cps_thread *t = cps_thread_self();
	uint64_t cpu_ns;

	/* A child made by fork or vfork is not the process that is recorded. */
	if (!clock_in_use || cps_sys_getpid() != recorded_pid || atomic_exchange(&is_closed, true))
		return;
	cps_clock_stop(clock_in_use);
	cps_sample_stop();
	cpu_ns = cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - identity.cpu_before_ns;
	if (t)
		cps_sample_tail(t);
	cps_thread_each(tail_of_other, t);
	if (t)
		cps_recording_thread_ends(t);
	cps_recording_end(cpu_ns);
	if (config.verbose)
		summary();
}

static void __attribute__((constructor(101))) constructor(void)
{
	cps_door_open();
}

static void __attribute__((destructor(101))) destructor(void)
{
	cps_door_close();
}
