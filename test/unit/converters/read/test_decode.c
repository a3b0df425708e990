/* SPDX-License-Identifier: MIT */
/*
 * test_decode.c - streams that are cut or damaged, and inputs that cannot be read.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "demo_stream.h"
#include "event_log.h"
#include "read/decode.h"

/* ---- cuts ------------------------------------------------------------------------------------ */

static char *samples_text(const void *bytes, size_t n)
{
	struct event_log log;
	char *samples = calloc(1, 100000), *to = samples;

	cr_assert_eq(event_log_decode_bytes(&log, bytes, n), 0, "%s", log.text);
	for (char *line = strtok(log.text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, "sample", 6))
			to += sprintf(to, "%s\n", line);
	event_log_free(&log);
	return samples;
}

/* Wherever it is cut: no error, and the samples are the first ones of the whole. */
static void cut_everywhere(size_t piece, bool finished)
{
	struct bytes file = {0};
	size_t seen = 0;

	demo_stream(&file, piece, finished);
	char *all = samples_text(file.at, file.n);
	for (size_t n = 1; n < file.n; n++) {
		struct event_log log;
		cr_assert_eq(event_log_decode_bytes(&log, file.at, n), 0, "%zu: %s", n, log.text);
		cr_assert(log.begun && log.was_cut, "at %zu", n);
		cr_assert(!strstr(log.text, "BROKEN"), "%zu: %s", n, log.text);
		event_log_free(&log);
		char *some = samples_text(file.at, n);
		cr_assert(!strncmp(some, all, strlen(some)), "at %zu", n);
		cr_assert_geq(strlen(some), seen, "at %zu", n);
		seen = strlen(some);
		free(some);
	}
	cr_assert_eq(seen, strlen(all), "the last byte is no sample's");
	free(all);
	bytes_free(&file);
}

Test(decode, cut_at_every_byte_in_pieces)
{
	cut_everywhere(50, true);
}

Test(decode, cut_at_every_byte_in_one_piece)
{
	cut_everywhere(100000, true);
}

Test(decode, cut_at_every_byte_without_end)
{
	cut_everywhere(200, false);
}

Test(decode, a_cut_says_where)
{
	struct bytes file = {0};
	struct event_log log;

	demo_stream(&file, 100, true);
	event_log_decode_bytes(&log, file.at, 5);
	cr_assert_str_eq(log.text, "process 0   1\ncut the file ends inside its head\n");
	event_log_free(&log);
	event_log_decode_bytes(&log, file.at, 9);
	cr_assert_str_eq(log.text, "process 0   1\ncut the process was killed by a signal, or "
				   "ended by a system call past the C library\n");
	event_log_free(&log);
	event_log_decode_bytes(&log, file.at, file.n - 1);
	cr_assert(strstr(log.text, "\ncut the file ends before its last checksum\n"));
	event_log_free(&log);
	event_log_decode_bytes(&log, file.at, file.n / 2);
	cr_assert(strstr(log.text, "\ncut the file ends inside a record\n"));
	event_log_free(&log);
	event_log_decode_bytes(&log, file.at, file.n);
	cr_assert(strstr(log.text, "\nend 0 0 95 0\n") && !log.was_cut &&
		  log.samples == DEMO_SAMPLES);
	event_log_free(&log);
	bytes_free(&file);
}

/* ---- flips ----------------------------------------------------------------------------------- */

/* Whatever byte is damaged: an error, or what is read is cut, or nothing changes. */
static void flip_everywhere(size_t piece)
{
	static const unsigned char flips[] = {0x01, 0x02, 0x10, 0x80, 0xff};
	struct bytes file = {0};
	struct event_log whole, log;
	unsigned found = 0, same = 0;

	demo_stream(&file, piece, true);
	event_log_decode_bytes(&whole, file.at, file.n);
	for (size_t i = 0; i < file.n * sizeof(flips); i++) {
		unsigned char *at = &file.at[i / sizeof(flips)];
		*at ^= flips[i % sizeof(flips)];
		int result = event_log_decode_bytes(&log, file.at, file.n);
		cr_assert(!strstr(log.text, "BROKEN"));
		found += result || log.was_cut;
		same += !result && !log.was_cut;
		cr_assert_leq(log.samples, whole.samples);
		cr_assert(result || log.was_cut || !strcmp(log.text, whole.text), "byte %zu",
			  i / sizeof(flips));
		event_log_free(&log);
		*at ^= flips[i % sizeof(flips)];
	}
	cr_assert_gt(found, file.n * 3);
	cr_assert_lt(same, file.n / 2);
	event_log_free(&whole);
	bytes_free(&file);
}

Test(decode, any_byte_damaged_in_pieces)
{
	flip_everywhere(50);
}

Test(decode, any_byte_damaged_in_one_piece)
{
	flip_everywhere(100000);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

#define BLOCKS	6u
#define A_BLOCK 75u /* samples */
#ifdef __SANITIZE_ADDRESS__
#define BITS_STEP 5u
#else
#define BITS_STEP 1u
#endif
#define NEAR 9u /* the mark of a block has so many bytes, some of them before it */

static struct bytes blocks_file;
static size_t starts[BLOCKS + 1], first_end; /* of blocks; where the process record ends for sure */
static struct event_log blocks_log;

static void put_blocks(void)
{
	struct bytes blocks[BLOCKS] = {{0}}, end = {0}, payload = {0};

	for (unsigned i = 0; i < BLOCKS; i++) {
		if (!i)
			demo_process(&blocks[i]);
		demo_batch(&blocks[i], 3 * i, 20);
		demo_batch(&blocks[i], 3 * i + 1, 25);
		demo_batch(&blocks[i], 3 * i + 2, 30);
	}
	bytes_field(&payload, CPS_END_TICKS, BLOCKS * A_BLOCK);
	bytes_record(&end, CPS_TAG_END, payload.at, payload.n);
	writer_blocks(&blocks_file, blocks, BLOCKS, &end, starts);
	first_end = starts[1];
	cr_assert_eq(event_log_decode_bytes(&blocks_log, blocks_file.at, blocks_file.n), 0, "%s",
		     blocks_log.text);
	cr_assert(!blocks_log.was_cut && blocks_log.samples == BLOCKS * A_BLOCK, "%s",
		  blocks_log.text);
	for (unsigned i = 0; i < BLOCKS; i++)
		bytes_free(&blocks[i]);
	bytes_free(&end);
	bytes_free(&payload);
}

/* The lines of samples of the one are among those of the other, in the same order. */
static bool is_part(const char *some, const char *all)
{
	for (const char *line = some; *line;) {
		size_t n = strcspn(line, "\n") + 1;

		if (!strncmp(line, "sample", 6)) {
			while (*all && strncmp(all, line, n) != 0)
				all += strcspn(all, "\n") + 1;
			if (!*all)
				return false;
			all += n;
		}
		line += n;
	}
	return true;
}

/* How many samples stand in blocks of which no byte from `from` to `to` is a part. */
static unsigned untouched(size_t from, size_t to)
{
	unsigned n = 0;

	for (unsigned i = 0; i < BLOCKS; i++)
		n += to + NEAR < starts[i] || from > starts[i + 1] + NEAR ? A_BLOCK : 0;
	return n;
}

/* The bytes from `from` to `to` of the file are others than they were, or missing, or come twice. */
static void damaged_well(const struct bytes *file, size_t from, size_t to, bool is_there)
{
	struct event_log log;
	int result = event_log_decode_bytes(&log, file->at, file->n);
	const char *lost = strstr(log.text, "bytes ");
	unsigned long low, high, n_lost = 0;

	cr_assert(!strstr(log.text, "BROKEN") && is_part(log.text, blocks_log.text),
		  "%zu to %zu: %s", from, to, log.text);
	if (!result)
		cr_assert_geq(log.samples, untouched(from, to), "%zu to %zu: %s", from, to,
			      log.text);
	else
		cr_assert_lt(from, first_end, "%s", log.text);
	if (!result && !lost)
		cr_assert(log.samples == BLOCKS * A_BLOCK || log.was_cut, "%zu to %zu: %s", from,
			  to, log.text);
	if (lost && is_there) {
		cr_assert_eq(sscanf(lost, "bytes %lu to %lu (block ", &low, &high), 2);
		cr_assert(low <= from && from < high && high - low < 2 * (starts[2] - starts[1]),
			  "%zu: %s", from, lost);
	}
	lost = lost ? strstr(lost, "read; ") : NULL;
	if (lost && sscanf(lost, "read; %lu", &n_lost) == 1)
		cr_assert_eq(n_lost + log.samples, BLOCKS * A_BLOCK, "%s", lost);
	event_log_free(&log);
}

/* Each bit of a recording of several blocks is flipped; each fifth, so at least one of each byte, with sanitizers, which take
 * ten times as long. What is shown is a part of the whole, with all blocks but the one at hand; where the bit is, and how many
 * samples are lost, is told. Seen to fail: with a reader that does not unpack anew
 * at the next block; without the mark of a block among the bytes that may be damaged. */
Test(decode, any_bit_of_blocks_damaged, .timeout = 300)
{
	put_blocks();
	for (size_t i = 0; i < blocks_file.n * 8; i += BITS_STEP) {
		blocks_file.at[i / 8] ^= (unsigned char)(1u << i % 8);
		damaged_well(&blocks_file, i / 8, i / 8, true);
		blocks_file.at[i / 8] ^= (unsigned char)(1u << i % 8);
	}
}

/* Parts of the file are zero, missing, or stand there twice. Blocks and batches have numbers, so that none counts twice. Seen
 * to fail: without both these checks; with the torn batch of a damaged file, which nothing checks. */
Test(decode, parts_of_blocks_damaged, .timeout = 300)
{
	uint32_t random = 1;

	put_blocks();
	for (unsigned i = 0; i < 6000; i += BITS_STEP) {
		size_t at[2], low, high;
		struct bytes file = {0};

		for (unsigned k = 0; k < 2; k++) {
			random = random * 1664525 + 1013904223;
			at[k] = (random >> 4) % blocks_file.n;
			/* Often it is the borders of blocks. */
			if (random >> 30 == 0)
				at[k] = starts[(random >> 4) % (BLOCKS + 1)] +
					(random >> 28 & 1) * 5;
		}
		low = at[0] < at[1] ? at[0] : at[1];
		high = at[0] < at[1] ? at[1] : at[0];
		/* The first block before the end would be a whole file, of which no checksum is left. */
		if (i % 3 == 1 && low < starts[1])
			continue;
		bytes_put(&file, blocks_file.at, i % 3 == 2 ? high : low);
		for (size_t k = low; i % 3 == 0 && k < high; k++)
			bytes_byte(&file, 0);
		bytes_put(&file, blocks_file.at + (i % 3 == 2 ? low : high),
			  blocks_file.n - (i % 3 == 2 ? low : high));
		damaged_well(&file, low, high, false);
		bytes_free(&file);
	}
}

/* One block is damaged, and then a bit of where the next one begins. Seen to fail: with a reader that believed a bit which said
 * that zlib's data ends there, since no checksum follows where reading has begun anew: the other blocks were not read. */
Test(decode, block_behind_a_damage_damaged)
{
	size_t first, last;

	put_blocks();
	first = (starts[1] + starts[2]) / 2;
	last = starts[2] - NEAR;
	blocks_file.at[first] ^= 1;
	for (size_t i = last * 8; i < (last + 100) * 8; i++) {
		blocks_file.at[i / 8] ^= (unsigned char)(1u << i % 8);
		damaged_well(&blocks_file, first, i / 8, false);
		blocks_file.at[i / 8] ^= (unsigned char)(1u << i % 8);
	}
}

/* Damage below the checksums, as a forger would do it: the records themselves. Nothing to compare
 * with; it must end, in order. */
Test(decode, any_unpacked_byte_damaged)
{
	struct bytes records = {0}, file = {0};
	struct event_log log;

	demo_records(&records, true);
	for (size_t i = 0; i < records.n; i++) {
		records.at[i] ^= 0x81;
		file.n = 0;
		writer_stream(&file, &records, 100000, true);
		event_log_decode_bytes(&log, file.at, file.n);
		cr_assert(!strstr(log.text, "BROKEN"));
		event_log_free(&log);
		records.at[i] ^= 0x81;
	}
	bytes_free(&records);
	bytes_free(&file);
}

/* ---- sinks and inputs ------------------------------------------------------------------------ */

static int refuse_sample(void *context, const struct event_sample *e, struct error *err)
{
	unsigned *left = context;

	(void)e;
	return (*left)-- ? 0 : error_set(err, "no more of that");
}

Test(decode, a_sink_may_refuse)
{
	unsigned left = 40;
	struct event_sink picky = {.context = &left, .sample = refuse_sample}, none = {0};
	struct bytes file = {0};
	struct error err;

	demo_stream(&file, 100, true);
	const char *path = writer_path("demo.cps");
	writer_file(path, file.at, file.n);
	cr_assert_eq(decode_file(path, &none, &err), 0, "a callback that is NULL is skipped");
	cr_assert_eq(decode_file(path, &picky, &err), -1);
	cr_assert(!strncmp(err.text, "no more of that at byte ", 24), "%s", err.text);
	bytes_free(&file);
}

Test(decode, files_that_cannot_be_read)
{
	struct event_log log;

	cr_assert_eq(event_log_decode(&log, writer_path("missing")), -1);
	cr_assert(strstr(log.text, "missing: No such file"), "%s", log.text);
	event_log_free(&log);
	cr_assert_eq(event_log_decode(&log, "/"), -1);
	cr_assert(strstr(log.text, "/: is a directory"), "%s", log.text);
	event_log_free(&log);
	cr_assert_eq(event_log_decode(&log, "/dev/null"), -1);
	cr_assert(strstr(log.text, "/dev/null: is empty"), "%s", log.text);
	event_log_free(&log);
	cr_assert_eq(event_log_decode(&log, "/proc/self/mem"), -1);
	cr_assert(strstr(log.text, "/proc/self/mem: Input/output error at byte 0"), "%s", log.text);
	event_log_free(&log);
}

/* The file of a process that was killed just when its recorder had made it */
Test(decode, an_empty_recording_was_cut)
{
	struct event_log log;

	writer_file(writer_path("empty.cps"), "", 0);
	cr_assert_eq(event_log_decode(&log, writer_path("empty.cps")), 0, "%s", log.text);
	cr_assert(strstr(log.text, "the file ends inside its head"), "%s", log.text);
	cr_assert_eq(log.samples, 0);
	event_log_free(&log);
	writer_file(writer_path(".cps"), "", 0);
	cr_assert_eq(event_log_decode(&log, writer_path(".cps")), -1);
	event_log_free(&log);
}

/* Byte by byte through a pipe, so that no read brings more than one. */
Test(decode, standard_input)
{
	struct bytes file = {0};
	struct event_log log;
	int ends[2];

	demo_stream(&file, 100, true);
	cr_assert_eq(pipe(ends), 0);
	if (fork() == 0) {
		for (size_t i = 0; i < file.n; i++)
			if (write(ends[1], file.at + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	cr_assert_eq(event_log_decode(&log, "-"), 0, "%s", log.text);
	cr_assert_eq(log.samples, DEMO_SAMPLES);
	event_log_free(&log);
	cr_assert_eq(event_log_decode(&log, "-"), -1);
	cr_assert(strstr(log.text, "(standard input): is empty"), "%s", log.text);
	event_log_free(&log);
	bytes_free(&file);
}

#define HEAD 4096u /* bytes of an input that are read at once, to find out what it is */

/* Decode standard input that comes in two packets, of which a read brings one. */
static void decode_packets(struct event_log *log, const struct bytes *file, size_t cut)
{
	int ends[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	cr_assert_eq(write(ends[1], file->at, cut), (ssize_t)cut);
	cr_assert_eq(write(ends[1], file->at + cut, file->n - cut), (ssize_t)(file->n - cut));
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	cr_assert_eq(event_log_decode(log, "-"), 0, "%zu: %s", cut, log->text);
}

/* A line of a perf map that cannot be packed to less than HEAD bytes. */
static void put_long_name(struct bytes *records)
{
	struct bytes line = {0};
	uint32_t random = 1;

	bytes_put(&line, "5000 10 ", 8);
	for (unsigned i = 0; i < 3 * HEAD; i++) {
		random = random * 1664525 + 1013904223;
		bytes_byte(&line, "abcdefghijklmnop"[random >> 28]);
	}
	bytes_byte(&line, '\n');
	bytes_record(records, CPS_TAG_JIT, line.at, line.n);
	bytes_free(&line);
}

/* A read ends at any place near the mark of a block, which is seen all the same. Seen to fail: with a reader that looks for
 * a block in the piece at hand alone; it took the file for a damaged one. */
Test(decode, blocks_in_pieces)
{
	struct bytes blocks[3] = {{0}}, end = {0}, file = {0};
	size_t borders[4];

	demo_process(&blocks[0]);
	put_long_name(&blocks[0]);
	for (unsigned i = 0; i < 9; i++)
		demo_batch(&blocks[i / 3], i, 30);
	bytes_record(&end, CPS_TAG_END, "", 0);
	writer_blocks(&file, blocks, 3, &end, borders);
	cr_assert_gt(borders[1], HEAD + NEAR);
	for (unsigned block = 1; block < 3; block++)
		for (size_t i = 0; i < 64; i++) {
			struct event_log log;

			decode_packets(&log, &file, borders[block] - NEAR + i);
			cr_assert(!log.was_cut && log.samples == 9 * 30, "%zu of block %u: %s", i,
				  block, log.text);
			event_log_free(&log);
		}
	for (unsigned i = 0; i < 3; i++)
		bytes_free(&blocks[i]);
	bytes_free(&end);
	bytes_free(&file);
}
