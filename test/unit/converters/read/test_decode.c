/* SPDX-License-Identifier: MIT */
/*
 * test_decode.c - streams that are cut or damaged, and inputs that cannot be read.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Whatever byte is damaged: an error, or a cut, or nothing changes. */
static void flip_everywhere(size_t piece)
{
	static const unsigned char flips[] = {0x01, 0x02, 0x10, 0x80, 0xff};
	struct bytes file = {0};
	struct event_log whole, log;
	unsigned errors = 0, same = 0;

	demo_stream(&file, piece, true);
	event_log_decode_bytes(&whole, file.at, file.n);
	for (size_t i = 0; i < file.n * sizeof(flips); i++) {
		unsigned char *at = &file.at[i / sizeof(flips)];
		*at ^= flips[i % sizeof(flips)];
		int result = event_log_decode_bytes(&log, file.at, file.n);
		cr_assert(!strstr(log.text, "BROKEN"));
		if (result)
			errors++;
		else if (!log.was_cut)
			same++;
		cr_assert(result || log.was_cut || !strcmp(log.text, whole.text), "byte %zu",
			  i / sizeof(flips));
		event_log_free(&log);
		*at ^= flips[i % sizeof(flips)];
	}
	cr_assert_gt(errors, file.n * 3);
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
