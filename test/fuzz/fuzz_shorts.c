/* SPDX-License-Identifier: MIT */
/*
 * fuzz_shorts.c - any file in the place of a run's list of programs without a sample gives processes whose times count once.
 *
 * The first byte chooses what the others are: 0 the file, 1 payloads of 60 bytes, before which the harness puts letters and lengths,
 * and behind which it puts checksums.
 */
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "model/processes.h"
#include "model/short_processes.h"
#include "read/short_file.h"
#include "test/fuzz/check.h"
#include "test/fuzz/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAYLOAD 60u
#define ENTRY	(CPS_MAGIC_BYTES + 2 + PAYLOAD + 4)
#define MOST	100u

static char list[64], recording[64];

static size_t wrap(uint8_t *to, const uint8_t *payload, size_t n)
{
	uint8_t *record = to + CPS_MAGIC_BYTES;
	uLong crc;

	memcpy(to, CPS_SHORT_MAGIC, CPS_MAGIC_BYTES);
	record[0] = CPS_TAG_SHORT;
	record[1] = (uint8_t)n;
	memcpy(record + 2, payload, n);
	crc = crc32(0, record, (uInt)n + 2);
	for (unsigned i = 0; i < 4; i++)
		record[2 + n + i] = (uint8_t)(crc >> 8 * i);
	return CPS_MAGIC_BYTES + 2 + n + 4;
}

static void directory_make(void)
{
	CHECK(scratch_make());
	snprintf(list, sizeof(list), "%s/.cpsample.7.8.short", scratch);
	snprintf(recording, sizeof(recording), "%s/x.cps", scratch);
	CHECK(scratch_write(recording, "", 0, "", 0));
}

/* A run of which the first process and one of its children were recorded. */
static struct profile *profile_make(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	CHECK(p);
	p->strings = strings_new();
	p->processes = calloc(2, sizeof(*p->processes));
	CHECK(p->strings && p->processes);
	p->n_processes = 2;
	p->unit = p->resource = strings_add(p->strings, "ns", 2);
	for (unsigned i = 0; i < 2; i++)
		p->processes[i] = (struct profile_process){
			.file = strings_add(p->strings, recording, strlen(recording)),
			.exe = STRINGS_NONE,
			.started_as = STRINGS_NONE,
			.launched = STRINGS_NONE,
			.host = STRINGS_NONE,
			.pid = 7 + i,
			.ppid = 6 + i,
			.start_ns = 1 + i,
			.tree_pid = 7,
			.tree_start = 8,
			.ended = true,
			.end_us = 1000 - i,
			.cpu_ns = 100,
			.children_ns = i ? 0 : 1000,
		};
	return p;
}

static void profile_check(struct profile *p)
{
	struct profile_process *all = short_processes_and_others(p);
	size_t n = p->n_processes + p->n_shorts;
	struct children c;
	struct error err;
	uint32_t *names;

	CHECK(all && p->n_shorts <= SHORT_FILE_ENTRIES);
	for (size_t i = 0; i < p->n_shorts; i++) {
		CHECK(p->shorts[i].pid && p->shorts[i].start_ns);
		CHECK(p->shorts[i].cpu_ns <= short_processes_used(p));
		for (size_t k = 0; k < p->shorts[i].n_args; k++)
			CHECK(p->shorts[i].args[k] < strings_count(p->strings));
	}
	CHECK(children_find(&c, p, &err) == 0);
	CHECK(c.missing_ns <= c.used_ns);
	for (size_t i = 0; i < p->n_processes; i++)
		CHECK(c.missing[i] <= p->processes[i].children_ns);
	children_free(&c);
	names = commands_name(p->strings, all, n);
	CHECK(names);
	free(names);
	names = commands_programs(p->strings, all, n);
	CHECK(names);
	free(names);
	free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t file[MOST * ENTRY];
	struct profile *p;
	struct error err;
	size_t n = 0;

	if (!*list)
		directory_make();
	if (!size)
		return 0;
	for (size_t at = 1; data[0] == 1 && at < size && n + ENTRY <= sizeof(file); at += PAYLOAD)
		n += wrap(file + n, data + at, size - at < PAYLOAD ? size - at : PAYLOAD);
	CHECK(n ? scratch_write(list, "", 0, file, n)
		: scratch_write(list, "", 0, data + 1, size - 1));
	p = profile_make();
	CHECK(short_processes_find(p, true, &err) == 0);
	profile_check(p);
	profile_free(p);
	return 0;
}
