/* SPDX-License-Identifier: MIT */
/*
 * decode.c - finds the decoder for an input by its first bytes.
 *
 * In: a path. Out: events, from the decoder that recognises the content.
 */
#include "read/decode.h"

#include <string.h>

#include "libsampler/format.h"

static const struct decoder *const decoders[] = {
	&decode_stream,
	&decode_gprof,
	&decode_callgrind,
	&decode_folded,
};

/* Files that are often given by mistake. They are recognised by their first bytes. */
static const struct {
	const char *magic, *hint;
} mistakes[] = {
	{CPS_JOURNAL_MAGIC,
	 "is the journal of a recording; name the recording, without " CPS_JOURNAL_SUFFIX},
	{"\x1f\x8b", "is compressed with gzip; unpack it first"},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"},
	{"\3757zXZ", "is compressed with xz; unpack it first"},
	{"PERFILE2", "is a recording of perf; fold its stacks into lines \"outer;inner COUNT\""},
	{"gmon\1", "is for gprof to read; give what that prints: gprof PROGRAM gmon.out"},
	{"\177ELF", "is a program, not a recording"},
};

static int decode_foreign(const char *name, const unsigned char *head, size_t n, struct error *err)
{
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

static int decode_input(struct input *in, const char *path, const struct event_sink *sink,
			struct error *err)
{
	const unsigned char *head;
	size_t n = 4096;

	if (input_peek(in, &head, &n, err))
		return -1;
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
