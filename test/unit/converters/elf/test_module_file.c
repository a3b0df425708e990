/* SPDX-License-Identifier: MIT */
/*
 * test_module_file.c - names come from the build that ran, or from none.
 */
#include <limits.h>

#include "module_fixture.h"

TestSuite(module_file, .init = enter_fixture, .fini = leave_fixture);

#define BUILD "gcc -O1 -shared -fPIC -Wl,--build-id -o l.so l.c "

static const char library[] = "__attribute__((visibility(\"hidden\"))) int inner(int a);\n"
			      "int inner(int a) { return a * VALUE; }\n"
			      "int outer(int a); int outer(int a) { return inner(a) + 1; }\n";

/* l.so with a hidden function, and where that is. */
static uint64_t build_library(const char *flags)
{
	put("l.c", library);
	sh(BUILD "%s -DVALUE=7", flags);
	return address_of("l.so", "inner");
}

static void expect(struct subject *s, uint64_t address, const char *name, const char *warning)
{
	cr_assert_str_eq(name_at(s, address), name);
	if (warning[0])
		cr_assert(strstr(warning_of(s), warning), "got '%s'", warning_of(s));
	else
		cr_assert_str_eq(warning_of(s), "");
	subject_free(s);
}

Test(module_file, rebuilt)
{
	uint64_t inner = build_library("");
	struct subject *s = subject_recorded("l.so");

	sh(BUILD "-DVALUE=8");
	expect(s, inner + 1, bracketed("l.so", inner + 1), "rebuilt since the recording");
	s = subject_recorded("l.so");
	sh("objcopy --remove-section .note.gnu.build-id l.so");
	expect(s, inner + 1, bracketed("l.so", inner + 1), "build id missing");
}

Test(module_file, missing)
{
	expect(subject_new("/nowhere/libx.so.1"), 0x1234, "[libx.so.1+0x1234]",
	       "/nowhere/libx.so.1: not there any more");
	expect(subject_new("/etc/passwd/libx.so"), 0x1234, "[libx.so+0x1234]",
	       "not there any more");
}

Test(module_file, no_program)
{
	put("text.so", "#!/bin/sh\n");
	expect(subject_new("text.so"), 1, "[text.so+0x1]", "not an ELF file");
	put("empty.so", "");
	expect(subject_new("empty.so"), 1, "[empty.so+0x1]", "not an ELF file");
	sh("mkdir dir.so && mkfifo fifo.so");
	expect(subject_new("dir.so"), 1, "[dir.so+0x1]", "not a regular file");
	expect(subject_new("fifo.so"), 1, "[fifo.so+0x1]", "not a regular file");
	put("o.c", "int f(void) { return 1; }\n");
	sh("gcc -c -o o.so o.c");
	expect(subject_new("o.so"), 1, "[o.so+0x1]", "neither a program nor a shared library");
	sh("gcc -shared -o cut.so o.c && truncate -s -100 cut.so");
	expect(subject_new("cut.so"), 1, "[cut.so+0x1]", "cut short");
}

Test(module_file, deleted_and_put_back)
{
	uint64_t inner = build_library("");
	struct subject *s = subject_recorded("l.so");
	char path[128];

	snprintf(path, sizeof(path), "%s/l.so (deleted)", fixture_dir);
	s->module.path = strings_add(s->profile.strings, path, strlen(path));
	expect(s, inner, "inner", "");
	s = subject_recorded("l.so");
	s->module.path = strings_add(s->profile.strings, path, strlen(path));
	sh(BUILD "-DVALUE=8");
	expect(s, inner, bracketed("l.so (deleted)", inner), "rebuilt");
}

Test(module_file, segments_tell_where_build_ids_are_missing)
{
	uint64_t inner = build_library("-Wl,--build-id=none");
	struct subject *s = subject_recorded("l.so");

	cr_assert_eq(s->module.build_id_bytes, 0);
	cr_assert_geq(s->module.n_segments, 3);
	expect(s, inner, "inner", "");
	for (int field = 0; field < 5; field++) {
		s = subject_recorded("l.so");
		if (field == 4)
			s->segments[1].flags ^= 2;
		else
			((uint64_t *)&s->segments[1])[field] += 4096;
		expect(s, inner, bracketed("l.so", inner), "other segments");
	}
	s = subject_recorded("l.so");
	s->module.n_segments--;
	expect(s, inner, bracketed("l.so", inner), "other segments");
	s = subject_recorded("l.so");
	s->module.n_segments++;
	expect(s, inner, bracketed("l.so", inner), "other segments");
}

Test(module_file, relative_to_where_the_program_was_started)
{
	uint64_t inner = build_library("");
	struct subject *s = subject_recorded("l.so");

	sh("mkdir elsewhere");
	cr_assert_eq(chdir("elsewhere"), 0);
	expect(s, inner, "inner", "");
	cr_assert_eq(chdir(".."), 0);
}

Test(module_file, sysroot)
{
	uint64_t inner = build_library("");
	struct subject *s = subject_recorded("l.so");

	sh("mkdir -p root/opt && mv l.so root/opt");
	s->module.path = strings_add(s->profile.strings, "/opt/l.so", 9);
	s->options.search.sysroot = "root";
	expect(s, inner, "inner", "");
}

/* A program that an emulator has run with the sysroot. Seen to fail with the sysroot before each path. */
Test(module_file, path_in_the_sysroot)
{
	uint64_t inner = build_library("");
	struct subject *s = subject_recorded("l.so");
	char *here = getcwd(NULL, 0), path[PATH_MAX], sysroot[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/root/l.so", here);

	snprintf(sysroot, sizeof(sysroot), "%s/root", here);
	sh("mkdir root && mv l.so root");
	s->module.path = strings_add(s->profile.strings, path, (size_t)n);
	s->options.search.sysroot = sysroot;
	expect(s, inner, "inner", "");
	free(here);
}

/* A folder whose name only begins like the sysroot. Seen to fail without the check for the slash. */
Test(module_file, path_beside_the_sysroot)
{
	uint64_t inner = build_library("");
	struct subject *s = subject_recorded("l.so");
	char *here = getcwd(NULL, 0), path[PATH_MAX], sysroot[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/root2/l.so", here);

	snprintf(sysroot, sizeof(sysroot), "%s/root", here);
	sh("mkdir -p %s%s/root2 && mv l.so %s%s/root2", sysroot, here, sysroot, here);
	s->module.path = strings_add(s->profile.strings, path, (size_t)n);
	s->options.search.sysroot = sysroot;
	expect(s, inner, "inner", "");
	free(here);
}

/* ---- separate debug files ---- */

/* l.so, stripped, with its debug file in l.debug. */
static uint64_t build_split(const char *flags)
{
	uint64_t inner = build_library(flags);

	sh("objcopy --only-keep-debug l.so l.debug && strip l.so");
	return inner;
}

static void file_by_build_id(const char *debug)
{
	sh("id=$(LC_ALL=C readelf -n l.so | sed -n 's/.*Build ID: //p') && "
	   "mkdir -p D/.build-id/${id%%${id#??}} && cp %s "
	   "D/.build-id/${id%%${id#??}}/${id#??}.debug",
	   debug);
}

static struct subject *split_subject(const char *debug_dir)
{
	struct subject *s = subject_recorded("l.so");

	s->options.search.debug_dir = debug_dir;
	return s;
}

Test(module_file, debug_file_by_build_id)
{
	uint64_t inner = build_split("");

	file_by_build_id("l.debug");
	expect(split_subject("/nonexistent"), inner, bracketed("l.so", inner), "");
	expect(split_subject("D"), inner, "inner", "");
}

Test(module_file, debug_file_below_the_sysroot)
{
	uint64_t inner = build_split("");
	struct subject *s = split_subject(NULL);

	file_by_build_id("l.debug");
	sh("mkdir -p root/usr/lib root/opt && mv D root/usr/lib/debug && mv l.so root/opt");
	s->module.path = strings_add(s->profile.strings, "/opt/l.so", 9);
	s->options.search.sysroot = "root";
	expect(s, inner, "inner", "");
}

Test(module_file, debug_file_of_another_build)
{
	uint64_t inner = build_split("");

	sh("mv l.so keep.so && " BUILD "-DVALUE=9 && mv l.so other.debug && mv keep.so l.so");
	file_by_build_id("other.debug");
	expect(split_subject("D"), inner, bracketed("l.so", inner), "");
}

Test(module_file, broken_debug_file)
{
	uint64_t inner = build_split("");

	sh("truncate -s 2000 l.debug");
	file_by_build_id("l.debug");
	expect(split_subject("D"), inner, bracketed("l.so", inner), "ignored as a debug file");
}

static void try_link(const char *flags, const char *place)
{
	uint64_t inner = build_split(flags);

	sh("rm -rf .debug D && mkdir -p .debug D%s && objcopy --add-gnu-debuglink=l.debug l.so",
	   fixture_dir);
	sh("mkdir -p %s && [ %s -ef . ] || mv l.debug %s", place, place, place);
	expect(split_subject("D"), inner, "inner", "");
	sh("printf x >>%s/l.debug", place);
	expect(split_subject("D"), inner, bracketed("l.so", inner), "");
}

Test(module_file, debug_file_by_link)
{
	char place[128];

	snprintf(place, sizeof(place), "D%s", fixture_dir);
	try_link("", ".");
	try_link("", ".debug");
	try_link("", place);
	try_link("-Wl,--build-id=none", ".debug");
}

Test(module_file, link_to_another_build)
{
	uint64_t inner = build_split("");

	/* The checksum is right, but the build id is not. */
	sh("mv l.so keep.so && " BUILD "-DVALUE=9 && mv l.so l.debug && mv keep.so l.so && "
	   "objcopy --add-gnu-debuglink=l.debug l.so");
	expect(split_subject("D"), inner, bracketed("l.so", inner), "");
}
