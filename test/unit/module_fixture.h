/* SPDX-License-Identifier: MIT */
/*
 * module_fixture.h - programs built on the spot, and the names of their addresses.
 *
 * What binutils (readelf, nm) say of a file is the independent reading that ours is compared with.
 */
#ifndef MODULE_FIXTURE_H
#define MODULE_FIXTURE_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

#define HELPER static __attribute__((unused))

/* A module under the converter: a profile of this one module and its symbols. */
struct subject {
	struct profile profile;
	struct profile_module module;
	struct profile_process process;
	uint32_t process_module;
	struct symbols_options options;
	struct symbols *symbols;
	struct symbols_place place; /* of the last question */
	struct error error;
	unsigned char build_id[64];
	struct profile_segment segments[64];
};

static char fixture_dir[64];

/* For TestSuite(.init, .fini): a directory of one's own. */
HELPER void enter_fixture(void)
{
	strcpy(fixture_dir, "/tmp/names-XXXXXX");
	cr_assert(mkdtemp(fixture_dir));
	cr_assert_eq(chdir(fixture_dir), 0);
}

HELPER void leave_fixture(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", fixture_dir);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(system(command), 0);
}

/* Run a shell command in the fixture's directory; it must succeed. */
HELPER __attribute__((format(printf, 1, 2))) void sh(const char *format, ...)
{
	char command[4096];
	va_list list;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	cr_assert_eq(system(command), 0, "failed: %s", command);
}

HELPER void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	cr_assert(f);
	fputs(text, f);
	cr_assert_eq(fclose(f), 0);
}

HELPER unsigned char *slurp(const char *name, size_t *n)
{
	FILE *f = fopen(name, "r");
	unsigned char *bytes;

	cr_assert(f, "no %s", name);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*n + 1);
	cr_assert_eq(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

HELPER void spill(const char *name, const void *bytes, size_t n)
{
	FILE *f;

	remove(name); /* ext4 writes a file that is overwritten to disk at once */
	f = fopen(name, "w");
	cr_assert(f);
	cr_assert_eq(fwrite(bytes, 1, n, f), n);
	cr_assert_eq(fclose(f), 0);
}

/* Where a symbol is, by nm. */
HELPER uint64_t address_of(const char *file, const char *symbol)
{
	char command[512], line[512] = "";
	FILE *p;

	snprintf(command, sizeof(command), "nm %s | awk '$3 == \"%s\" { print $1 }'", file, symbol);
	p = popen(command, "r");
	cr_assert(p && fgets(line, sizeof(line), p), "no %s in %s", symbol, file);
	pclose(p);
	return strtoull(line, NULL, 16);
}

/* Record the file as it is now: build id, segments. */
HELPER void record_identity(struct subject *s, const char *file)
{
	char command[512], line[512];
	FILE *p;

	snprintf(command, sizeof(command), "LC_ALL=C readelf -nlW %s 2>/dev/null", file);
	p = popen(command, "r");
	cr_assert(p);
	while (fgets(line, sizeof(line), p)) {
		struct profile_segment *segment = &s->segments[s->module.n_segments];
		const char *id = strstr(line, "Build ID: ");
		unsigned char byte;
		char flags[4] = "";

		for (id = id ? id + 10 : ""; sscanf(id, "%2hhx", &byte) == 1; id += 2)
			s->build_id[s->module.build_id_bytes++] = byte;
		if (sscanf(line, " LOAD %" SCNx64 " %" SCNx64 " %*x %" SCNx64 " %" SCNx64 " %3c",
			   &segment->file_offset, &segment->vaddr, &segment->file_bytes,
			   &segment->memory_bytes, flags) != 5)
			continue;
		segment->flags = (flags[0] == 'R' ? 4 : 0) | (flags[1] == 'W' ? 2 : 0) |
				 (flags[2] == 'E' ? 1 : 0);
		s->module.n_segments++;
	}
	pclose(p);
	s->module.build_id = s->build_id;
	s->module.segments = s->segments;
}

/* A module whose recorded path is `path` (NULL: no record), without identity. */
HELPER struct subject *subject_new(const char *path)
{
	struct subject *s = calloc(1, sizeof(*s));

	s->profile.strings = strings_new();
	s->profile.modules = &s->module;
	s->profile.n_modules = 1;
	s->profile.processes = &s->process;
	s->profile.n_processes = 1;
	s->process.modules = &s->process_module;
	s->process.n_modules = 1;
	s->process.cwd = strings_add(s->profile.strings, fixture_dir, strlen(fixture_dir));
	s->module.path = path ? strings_add(s->profile.strings, path, strlen(path)) : STRINGS_NONE;
	s->options.demangle = true;
	s->options.debug_dir = "/nonexistent";
	return s;
}

/* A file of the fixture's directory, recorded as it is now. */
HELPER struct subject *subject_recorded(const char *file)
{
	struct subject *s = subject_new(file);

	record_identity(s, file);
	return s;
}

HELPER void subject_free(struct subject *s)
{
	symbols_free(s->symbols);
	strings_free(s->profile.strings);
	free(s);
}

/* The name of an address of the module; s->place tells more. */
HELPER const char *name_at(struct subject *s, uint64_t address)
{
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE, .address = address};

	if (!s->symbols)
		s->symbols = symbols_new(&s->profile, &s->options, &s->error);
	cr_assert(s->symbols);
	cr_assert_eq(symbols_frame(s->symbols, &frame, &s->place, &s->error), 0);
	return strings_get(s->profile.strings, s->place.function, NULL);
}

/* The warning about the module, once it was asked for; "" if none. */
HELPER const char *warning_of(struct subject *s)
{
	const char *warning;

	name_at(s, 0);
	warning = symbols_module_warning(s->symbols, 0);
	return warning ? warning : "";
}

/* "[FILE+0xADDRESS]", as code without a symbol is called; static. */
HELPER const char *bracketed(const char *file, uint64_t start)
{
	static char text[256];

	snprintf(text, sizeof(text), "[%s+0x%" PRIx64 "]", file, start);
	return text;
}

/* "f;g;h" at an address, or by line "f p.c:22;...": outermost first. */
HELPER const char *chain_at(struct subject *s, uint64_t address)
{
	struct profile_frame frame = {.module = 0, .name = STRINGS_NONE, .address = address};
	const struct symbols_place *places;
	static char text[65536];
	size_t n;

	if (!s->symbols)
		s->symbols = symbols_new(&s->profile, &s->options, &s->error);
	cr_assert_eq(symbols_expand(s->symbols, &frame, &places, &n, &s->error), 0);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(places[i].is_inline, i > 0);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? ";" : "",
			 strings_get(s->profile.strings, places[i].name, NULL));
	}
	return text;
}

#endif
