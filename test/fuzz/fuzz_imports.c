/* SPDX-License-Identifier: MIT */
/*
 * fuzz_imports.c - anything that looks like another profiler's file becomes a profile, a cut one or an error.
 *
 * The low four bits of the first byte choose what the other bytes are, and the two bits above how many resources the
 * sink declines:
 *
 *	0   the file itself
 *	1   lines of perf script, behind those of a sample
 *	2   stacks of gperftools: a byte each for the count, the depth and the addresses, which the harness makes
 *	    words of; a depth of 0 is the end, and the mappings follow
 *	3   a message of pprof, behind types of values and some names
 *	4   the same, packed; the harness packs it
 *	5   profiles of speedscope, behind its frames
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "test/fuzz/profile_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char perf[] =
	"a b 1/2 [001]  7.5:     250000 cpu-clock:u: \n\t 1367 f+0x17 (/tmp/x)\n\n";

static const char pprof[] = "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04"
			    "\x32\x00\x32\x07samples\x32\x05"
			    "count\x32\x03"
			    "cpu\x32\x0bnanoseconds\x32\x01"
			    "f\x32\x06thread";

static const char speedscope[] = "{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"},{"
				 "\"name\":\"c\"}]},\"profiles\":[";

static void put(int fd, const void *bytes, size_t n)
{
	CHECK(!n || write(fd, bytes, n) == (ssize_t)n);
}

/* A byte is a word. The addresses are those of a small program, of the kernel, and 0. */
static uint64_t word_of(uint8_t byte)
{
	return byte < 128 ? byte * UINT64_C(0x100) : byte == 255 ? UINT64_MAX : byte;
}

static void put_gperftools(int fd, const uint8_t *data, size_t size)
{
	static const uint64_t head[] = {0, 3, 0, 2000, 0}, end[] = {0, 1, 0};
	size_t at = 0;

	put(fd, head, sizeof(head));
	while (size - at >= 2 && data[at + 1]) {
		const uint64_t record[] = {data[at], data[at + 1]};
		size_t depth = data[at + 1];

		put(fd, record, sizeof(record));
		for (at += 2; depth && at < size; at++, depth--) {
			const uint64_t pc = word_of(data[at]);

			put(fd, &pc, sizeof(pc));
		}
	}
	if (size - at >= 2) {
		put(fd, end, sizeof(end));
		put(fd, data + at + 2, size - at - 2);
	}
}

static void put_packed(int fd, const uint8_t *data, size_t size)
{
	z_stream z = {0};

	CHECK(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	size_t room = deflateBound(&z, sizeof(pprof) + size) + 64;
	uint8_t *plain = malloc(sizeof(pprof) + size), *packed = malloc(room);

	CHECK(plain && packed);
	memcpy(plain, pprof, sizeof(pprof) - 1);
	if (size)
		memcpy(plain + sizeof(pprof) - 1, data, size);
	z.next_in = plain;
	z.avail_in = (uInt)(sizeof(pprof) - 1 + size);
	z.next_out = packed;
	z.avail_out = (uInt)room;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	put(fd, packed, z.total_out);
	deflateEnd(&z);
	free(plain);
	free(packed);
}

static void file_make(int fd, unsigned kind, const uint8_t *data, size_t size)
{
	switch (kind) {
	case 1:
		put(fd, perf, sizeof(perf) - 1);
		break;
	case 2:
		put_gperftools(fd, data, size);
		return;
	case 3:
		put(fd, pprof, sizeof(pprof) - 1);
		break;
	case 4:
		put_packed(fd, data, size);
		return;
	case 5:
		put(fd, speedscope, sizeof(speedscope) - 1);
		put(fd, data, size);
		put(fd, "]}", 2);
		return;
	default:
		break;
	}
	put(fd, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("import", 0);
	char path[64];

	CHECK(fd >= 0);
	if (size)
		file_make(fd, data[0] & 15, data + 1, size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	profile_check_file(path, size ? data[0] >> 4 & 3 : 0, false);
	close(fd);
	return 0;
}
