/* SPDX-License-Identifier: MIT */
/*
 * subject.c - describes a process from outside as the recorder describes its own.
 *
 * In: /proc, settings of the environment. Out: the identity that a recording begins with, and its name.
 */
#include "launcher/subject.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "libsampler/base/sys.h"
#include "libsampler/process/output_name.h"

#define ARGS_BYTES (128u << 10)
#define SECOND	   UINT64_C(1000000000)

static const char *of(int pid, const char *file)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return path;
}

static char *read_link(int pid, const char *file)
{
	char path[4097];
	ssize_t n = readlink(of(pid, file), path, sizeof(path) - 1);

	if (n <= 0 || path[0] != '/')
		return NULL;
	path[n] = '\0';
	return strdup(path);
}

/* A program that has written its title there leaves empty arguments behind it. */
static void read_args(struct cps_identity *identity, int pid)
{
	const char *kept = getenv("CPSAMPLE_ARGS");
	char *bytes = calloc(1, ARGS_BYTES);
	FILE *f = fopen(of(pid, "cmdline"), "re");
	size_t used = bytes && f ? fread(bytes, 1, ARGS_BYTES - 1, f) : 0, n = 0;

	if (f)
		fclose(f);
	while (used > 1 && !bytes[used - 1] && !bytes[used - 2])
		used--;
	for (size_t i = 0; i < used; i += strlen(bytes + i) + 1)
		n++;
	identity->n_args = 0;
	identity->args = calloc(n + 1, sizeof(*identity->args));
	if (!identity->args || (kept && strcmp(kept, "off") == 0))
		n = n ? 1 : 0;
	for (size_t i = 0; identity->args && identity->n_args < n; i += strlen(bytes + i) + 1)
		identity->args[identity->n_args++] = bytes + i;
}

/* When it was made, on the clock that says `now`; 0: not known. */
static uint64_t read_begin(int pid, uint64_t now)
{
	uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK), up = cps_sys_clock_ns(CLOCK_BOOTTIME);
	uint64_t parent, start = 0;

	if (!cps_lineage_read((uint64_t)pid, &parent, &start))
		return 0;
	start = start / per_second * SECOND + start % per_second * SECOND / per_second;
	return start < up ? now - (up - start) : 0;
}

/* The run that cpsample has given a name: PID.START. */
static void read_run(struct cps_lineage *l)
{
	const char *run = getenv("CPSAMPLE_RUN");

	if (run && sscanf(run, "%lu.%lu", &l->tree_pid, &l->tree_start) == 2)
		l->is_attached = true;
}

static uint64_t cpu_ns(int pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 ? cps_sys_clock_ns(clock) : 0;
}

void subject_read(struct cps_identity *identity, int pid)
{
	uint64_t start;

	*identity = (struct cps_identity){.resource = "cpu", .unit = "ns", .scale = 1000};
	identity->start_ns = cps_sys_clock_ns(CLOCK_REALTIME);
	identity->start_monotonic_ns = cps_sys_clock_ns(CLOCK_MONOTONIC);
	identity->began_ns = read_begin(pid, identity->start_ns);
	identity->cpu_before_ns = cpu_ns(pid);
	cps_lineage_read((uint64_t)pid, &identity->ppid, &start);
	identity->exe = read_link(pid, "exe");
	identity->cwd = read_link(pid, "cwd");
	if (getrandom(&identity->journal_id, sizeof(identity->journal_id), 0) < 0)
		identity->journal_id = identity->start_ns;
	read_run(&identity->lineage);
	read_args(identity, pid);
}

bool subject_name(const struct cps_identity *identity, int pid, char *path, size_t bytes,
		  bool *makes_directories)
{
	const char *directory = getenv("CPSAMPLE_DIR"), *name = getenv("CPSAMPLE_OUTPUT");
	char template[4096], here[4096];
	const char *slash, *percent;
	struct cps_output_names names = {.exe = identity->exe ? identity->exe : "unknown",
					 .cwd = getcwd(here, sizeof(here)),
					 .pid = (unsigned)pid,
					 .start_s = identity->start_ns / SECOND};

	if (!name)
		name = "cpsample.%e.%p.cps";
	if ((size_t)snprintf(template, sizeof(template), "%s%s%s",
			     directory && *name != '/' ? directory : "",
			     directory && *name != '/' ? "/" : "", name) >= sizeof(template))
		return false;
	slash = strrchr(template, '/');
	percent = strchr(template, '%');
	*makes_directories = slash && percent && percent < slash;
	return cps_output_expand(template, &names, path, bytes) == 0;
}
