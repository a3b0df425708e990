/* SPDX-License-Identifier: MIT */
/*
 * decode.c - finds the decoder for an input by its first bytes.
 *
 * In: a path. Out: events, from the decoder that recognises the content.
 */
#include "read/decode.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "libsampler/format.h"
#include "read/pack_file.h"

#define HEAD_BYTES 4096u

static const struct decoder *const decoders[] = {
	&decode_stream, &decode_gprof,	    &decode_callgrind,	 &decode_gperftools,
	&decode_pprof,	&decode_speedscope, &decode_perf_script, &decode_folded,
};

#define GZIP_MAGIC "\x1f\x8b"

/* Files that are often given by mistake. They are recognised by their first bytes. */
static const struct {
	const char *magic, *hint;
} mistakes[] = {
	{CPS_JOURNAL_MAGIC,
	 "is the journal of a recording; name the recording, without " CPS_JOURNAL_SUFFIX},
	{GZIP_MAGIC, "is compressed with gzip; unpack it first"},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"},
	{"\3757zXZ", "is compressed with xz; unpack it first"},
	{"PERFILE2",
	 "is a recording of perf; give what perf script prints of it: perf script -i FILE"},
	{"gmon\1", "is for gprof to read; give what that prints: gprof PROGRAM gmon.out"},
	{PACK_MAGIC, "is a pack of recordings, which is read as a file: name it"},
	{"\177ELF", "is a program, not a recording; cpsample runs a program and makes one"},
};

/* Does a gzip file of so few bytes end too early? It may be a profile that the decoder of pprof does not know, because
 * too little of it is left. */
static bool is_cut_gzip(const unsigned char *bytes, size_t n)
{
	unsigned char unpacked[1024];
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (uInt)n};
	int status = Z_OK;

	if (n < 2 || memcmp(bytes, GZIP_MAGIC, 2) || inflateInit2(&z, 15 + 16) != Z_OK)
		return false;
	while (status == Z_OK) {
		z.next_out = unpacked;
		z.avail_out = sizeof(unpacked);
		status = inflate(&z, Z_NO_FLUSH);
	}
	inflateEnd(&z);
	return status == Z_BUF_ERROR;
}

static int decode_foreign(const char *name, const unsigned char *head, size_t n, struct error *err)
{
	if (n < HEAD_BYTES && is_cut_gzip(head, n))
		return error_set(err, "%s: it ends too early at byte %zu of the gzip file", name,
				 n);
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		size_t length = strlen(mistakes[i].magic);
		if (n >= length && !memcmp(head, mistakes[i].magic, length))
			return error_set(err, "%s: %s", name, mistakes[i].hint);
	}
	error_set(err, "%s: is not", name);
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		error_append(err, "%s %s", i ? ", nor" : "", decoders[i]->kind.name);
	return error_append(err, "; give a .cps file or lines \"outer;inner COUNT\"");
}

/* A process that is killed just when its recorder has made the file leaves a recording of no bytes. */
static bool is_unwritten_recording(const char *path)
{
	size_t n = strlen(path), suffix = strlen(CPS_SUFFIX);

	return n > suffix && path[n - suffix - 1] != '/' && !strcmp(path + n - suffix, CPS_SUFFIX);
}

static int decode_input(struct input *in, const char *path, const struct event_sink *sink,
			struct error *err)
{
	const unsigned char *head;
	size_t n = HEAD_BYTES;

	if (input_peek(in, &head, &n, err))
		return -1;
	if (!n && is_unwritten_recording(path))
		return decode_stream.run(in, path, sink, err);
	if (!n)
		return error_set(err, "%s: is empty", input_name(in));
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		if (decoders[i]->detect(head, n))
			return decoders[i]->run(in, path, sink, err);
	return decode_foreign(input_name(in), head, n, err);
}

int decode_file(const char *path, const struct event_sink *sink, struct error *err)
{
	struct input *in = input_open(path, err);

	if (!in)
		return -1;
	int result = decode_input(in, path, sink, err);
	input_close(in);
	return result;
}
