/* SPDX-License-Identifier: MIT */
/*
 * streams.c - writes recordings of any size, with the recorder's own objects.
 *
 * streams STEM SAMPLES PATHS [RECORDINGS [jumps]]: STEM.cps has SAMPLES samples of at most PATHS
 * distinct call paths of 10 to 60 frames. If there are at most MAX_TABLE paths, some are much more
 * frequent than others; otherwise all are equally frequent. Two samples in a row differ in six frames,
 * as those of cc1 do at 1,000 a second. With `jumps` each path is drawn from all paths instead. If
 * RECORDINGS is not 0, so many files (STEM.0.cps, ...) are written, with SAMPLES samples each.
 *
 * The frames are addresses in the C library, so that there are names to be found.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libsampler/stream/recode.h"
#include "libsampler/unwind/module.h"
#include "libsampler/stream/recording.h"
#include "libsampler/base/sys.h"

#define DEPTH_MIN 10u
#define DEPTH_MAX 60u
#define PLACE	  30u /* paths that differ in their innermost frames only */
#define STAYS	  8u  /* samples in one place, on average */
#define ADDRESSES 2000u
#define MAX_TABLE 10000u
#define GRAIN	  16u /* as libcpsample has it at 1,000 samples a second; a step is four */

struct path {
	uint32_t depth;
	uint64_t frames[DEPTH_MAX]; /* innermost first */
};

static uint64_t code[ADDRESSES];
static uint64_t n_paths;
static bool jumps;
static struct path *table; /* NULL: made for each sample */

static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Addresses spread over the code of the C library. */
static int find_code(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size, (void)context;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (unsigned k = 0; k < ADDRESSES; k++)
			code[k] = info->dlpi_addr + p->p_vaddr + p->p_memsz / ADDRESSES * k;
	}
	return 1;
}

/* Path number n. Neighbours have the outer frames in common, as in a program. */
static void make_path(struct path *path, uint64_t n)
{
	uint64_t place = n / PLACE;
	uint32_t common = DEPTH_MIN - 2 + (uint32_t)(mix(place) % (DEPTH_MAX - DEPTH_MIN - 3));
	uint64_t key;

	path->depth = common + 2 + (uint32_t)(mix(n) % 5);
	for (uint32_t i = 0; i < path->depth; i++) { /* from the outermost on */
		if (i < 4)
			key = i;
		else if (i < common / 2)
			key = mix(n / 1000) + i;
		else if (i < common)
			key = mix(place) + i;
		else
			key = mix(n) + i;
		path->frames[path->depth - 1 - i] = code[mix(key) % ADDRESSES];
	}
}

/* The number of a path of the table for this random number. */
static uint64_t draw_from_table(uint64_t random)
{
	static uint64_t place;
	double part = (double)(random >> 11) * 0x1p-53;
	uint64_t number = (uint64_t)(part * part * part * (double)n_paths);

	if (jumps)
		return number;
	if (random % STAYS == 0)
		place = number / PLACE * PLACE;
	number = place + mix(random) % PLACE;
	return number < n_paths ? number : n_paths - 1;
}

/* The frames of sample number n, in `made` or in the table. */
static struct path *draw(uint64_t n, struct path *made)
{
	uint64_t random = mix(n);

	if (table)
		return &table[draw_from_table(random)];
	make_path(made, random % n_paths);
	return made;
}

static void prepare(const char *stem)
{
	static struct cps_identity identity;
	struct cps_module_start start = {.exe = "/proc/self/exe",
					 .cwd = "/",
					 .phdr = (const void *)getauxval(AT_PHDR),
					 .phnum = getauxval(AT_PHNUM),
					 .vdso = getauxval(AT_SYSINFO_EHDR)};
	struct cps_output output = {.stem = stem, .suffix = ".cps", .identity = &identity};

	identity = (struct cps_identity){.exe = "/bin/streams",
					 .resource = "cpu",
					 .unit = "ns",
					 .engine = "timer",
					 .scale = 1000,
					 .interval = 1000000,
					 .start_monotonic_ns = cps_sys_clock_ns(CLOCK_MONOTONIC),
					 .journal_id = 1};
	cps_columnar_set_grain(GRAIN, 4 * GRAIN);
	cps_module_init(&start);
	cps_recording_prepare(&output);
}

/* The one place that knows how a sample gets into a recording. */
static int record(const char *stem, uint64_t samples, uint64_t seed)
{
	static struct cps_thread thread = {.id = 0, .tid = 1, .name = "main", .announced = true};
	static struct cps_frame frames[DEPTH_MAX];
	struct path made;

	prepare(stem);
	if (!cps_recording_ready())
		return 1;
	for (uint64_t n = 0; n < samples; n++) {
		struct path *path = draw(seed + n, &made);
		struct cps_stack stack = {.frames = frames, .depth = path->depth};
		struct cps_credit credit = {.weight = (950 + mix(n) % 100) / GRAIN * GRAIN};

		for (uint32_t i = 0; i < path->depth; i++)
			frames[i].pc = path->frames[i];
		if (!cps_recording_add(&thread, NULL, NULL, &stack, &credit))
			return 1;
	}
	return !cps_recording_end(samples * 1000000, CPS_STOP_NONE);
}

static int record_many(const char *stem, uint64_t samples, uint64_t recordings)
{
	char name[4096];
	int status;

	for (uint64_t i = 0; i < recordings; i++) {
		pid_t pid = fork();

		snprintf(name, sizeof(name), "%s.%llu", stem, (unsigned long long)i);
		if (!pid)
			_exit(record(name, samples, i * samples));
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t samples;

	if (argc < 4)
		return 2;
	samples = strtoull(argv[2], NULL, 10);
	n_paths = strtoull(argv[3], NULL, 10);
	n_paths = n_paths ? n_paths : 1;
	jumps = argc > 5;
	dl_iterate_phdr(find_code, NULL);
	if (!code[0])
		return 1;
	if (n_paths <= MAX_TABLE) {
		table = malloc(n_paths * sizeof(*table));
		if (!table)
			return 1;
		for (uint64_t i = 0; i < n_paths; i++)
			make_path(&table[i], i);
	}
	if (argc > 4 && strtoull(argv[4], NULL, 10))
		return record_many(argv[1], samples, strtoull(argv[4], NULL, 10));
	return record(argv[1], samples, 0);
}
