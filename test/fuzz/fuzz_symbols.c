/* SPDX-License-Identifier: MIT */
/*
 * fuzz_symbols.c - any file in the place of a module gives names or none, and no crash.
 *
 * If the first bytes are "_Z" or "_R", the input is a mangled name, else a module's file.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "annotate/instructions.h"
#include "symbols/demangle.h"
#include "symbols/symbols.h"
#include "test/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demangle(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size), *readable;

	CHECK(name);
	readable = demangle_name(name, strlen(name));
	CHECK(!readable || (readable[0] && strlen(readable) <= 65536));
	free(readable);
	free(name);
}

static void ask(struct symbols *s, const struct profile *p, uint64_t address)
{
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE, .address = address};
	const struct symbols_place *places;
	struct error err;
	size_t n, bytes;

	CHECK(symbols_expand(s, &frame, &places, &n, &err) == 0);
	CHECK(n > 0 && !places[0].is_inline);
	/* A signal trampoline's unwind entry starts a byte early. */
	CHECK(places[0].start <= address || places[0].start == address + 1);
	for (size_t i = 0; i < n; i++) {
		CHECK(places[i].function < strings_count(p->strings));
		CHECK(places[i].name < strings_count(p->strings));
		strings_get(p->strings, places[i].name, &bytes);
		CHECK(bytes > 0);
	}
}

/* The code of the function at the first address that has one is decoded, as --asm does. Together its
 * instructions are all of the code. */
static void decode(struct symbols *s)
{
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE};
	char text[INSTRUCTION_TEXT_BYTES];
	struct symbols_place place;
	struct instructions is;
	struct error err;
	size_t i, bytes = 0;

	while (frame.address < 0x3000 &&
	       (symbols_frame(s, &frame, &place, &err) || !place.has_start || !place.end))
		frame.address += 61;
	if (frame.address >= 0x3000)
		return;
	if (!instructions_read(&is, s, 0, place.start, place.end, &err)) {
		for (i = 0; i < is.n; i++) {
			CHECK(is.list[i].offset == bytes && is.list[i].bytes > 0);
			bytes += is.list[i].bytes;
			instructions_text(&is, &is.list[i], text);
			CHECK(text[0] && instructions_find(&is, is.start + bytes - 1) == i);
		}
		CHECK(bytes == is.n_code);
	}
	instructions_free(&is);
}

/* Ask for the names of addresses around the ends of all segments and sections that the file has. */
static void ask_all(struct symbols *s, const struct profile *p, const uint8_t *data, size_t size)
{
	uint64_t word;

	for (uint64_t address = 0; address < 0x3000; address += 61)
		ask(s, p, address);
	for (size_t at = 0; at + sizeof(word) <= size && at < 65536; at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		ask(s, p, word);
		ask(s, p, word - 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct symbols_options options = {.names = SYMBOLS_SHORT,
						.inlines = true,
						.granularity = SYMBOLS_BY_LINE,
						.search.debug_dir = "/nonexistent"};
	struct profile_module module = {0};
	struct profile p = {.strings = strings_new(), .modules = &module, .n_modules = 1};
	int fd = memfd_create("module", MFD_CLOEXEC);
	struct symbols *s;
	struct error err;
	char path[64];

	CHECK(p.strings && fd >= 0);
	if (size >= 2 && data[0] == '_') {
		demangle(data, size);
	} else {
		CHECK(write(fd, data, size) == (ssize_t)size);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		module.path = strings_add(p.strings, path, strlen(path));
		s = symbols_new(&p, &options, &err);
		CHECK(s);
		ask_all(s, &p, data, size);
		decode(s);
		symbols_free(s);
	}
	close(fd);
	strings_free(p.strings);
	return 0;
}
