/* SPDX-License-Identifier: MIT */
/* test_perf_map.c - names of generated code: of a perf map, and of its own process's. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "model/perf_map.h"
#include "out_text.h"
#include "profile_fixture.h"
#include "read/decode.h"
#include "tree/tree.h"

/* ---- perf map -------------------------------------------------------------------------------- */
/* Names of generated code by address, also out of maps that nobody has written. */

static struct perf_map *map_of(const char *text, size_t n, size_t piece)
{
	struct perf_map *m = perf_map_new();

	for (size_t at = 0; at < n; at += piece)
		cr_assert_eq(perf_map_add(m, text + at, n - at < piece ? n - at : piece), 0);
	cr_assert_eq(perf_map_finish(m), 0);
	return m;
}

static const char *find(const struct perf_map *m, uint64_t address)
{
	size_t n;
	const char *name = perf_map_find(m, address, &n);

	cr_assert(!name || strlen(name) == n);
	return name ? name : "-";
}

static void names(const char *text, uint64_t address, const char *want)
{
	for (size_t piece = 1; piece < 40; piece += 5) {
		struct perf_map *m = map_of(text, strlen(text), piece);

		cr_assert_str_eq(find(m, address), want, "%s at %" PRIx64, text, address);
		perf_map_free(m);
	}
}

Test(perf_map, lines)
{
	const char *text = "7f00 10 LazyCompile:*fib /tmp/x.js:3\n0x7f20 0X8 JS:~main\tfile.js:1\n"
			   "7F30 1 \xc3\xa9t\xc3\xa9 ;x\n";

	names(text, 0x7eff, "-");
	names(text, 0x7f00, "LazyCompile:*fib /tmp/x.js:3");
	names(text, 0x7f0f, "LazyCompile:*fib /tmp/x.js:3");
	names(text, 0x7f10, "-");
	names(text, 0x7f20, "JS:~main\tfile.js:1");
	names(text, 0x7f27, "JS:~main\tfile.js:1");
	names(text, 0x7f28, "-");
	names(text, 0x7f30, "\xc3\xa9t\xc3\xa9 ;x");
	names("", 0, "-");
}

Test(perf_map, the_last_line_holds)
{
	names("100 10 a\n108 10 b\n", 0x107, "a");
	names("100 10 a\n108 10 b\n", 0x108, "b");
	names("108 10 b\n100 10 a\n", 0x10f, "a");
	names("108 10 b\n100 10 a\n", 0x110, "b");
	names("100 10 a\n100 10 b\n", 0x100, "b");
	names("100 100 a\n120 10 b\n", 0x12f, "b");
	names("100 100 a\n120 10 b\n", 0x130, "a");
	names("120 10 b\n100 100 a\n", 0x125, "a");
	names("100 10 a\n100 10 b\n100 10 a\n", 0x100, "a");
}

Test(perf_map, lines_that_are_none)
{
	names("100 10\n", 0x100, "-");
	names("100 10 \n", 0x100, "-");
	names("100 0 a\n", 0x100, "-");
	names("100 10 a", 0x100, "-");
	names("100 10 a\n100 10 cut", 0x100, "a");
	names("100  10 a\n", 0x100, "-");
	names(" 100 10 a\n", 0x100, "-");
	names("g00 10 a\n100 g a\n-100 10 a\n0x 10 a\n\n \n\t\n100 10 b\n", 0x100, "b");
	names("10000000000000100 10 a\n", 0x100, "-");
	names("100 10000000000000000 a\n", 0x100, "-");
	names("00000000000000000000100 00000000000000000010 a\n", 0x100, "a");
}

Test(perf_map, to_the_end_of_all_addresses)
{
	names("0 ffffffffffffffff a\n", 0, "a");
	names("0 ffffffffffffffff a\n", UINT64_MAX, "-");
	names("1 ffffffffffffffff a\n", UINT64_MAX, "a");
	names("fffffffffffffff0 ffffffffffffffff a\n", UINT64_MAX, "a");
	names("fffffffffffffff0 ffffffffffffffff a\n", 5, "-");
	names("0 ffffffffffffffff a\nffffffffffffffff 1 b\n", UINT64_MAX, "b");
	names("ffffffffffffffff 1 b\n1 ffffffffffffffff a\n", UINT64_MAX, "a");
}

Test(perf_map, any_bytes)
{
	static const char text[] = "100 10 a\0b\xff\n\0\0\0\n110 10 c\n";
	struct perf_map *m = map_of(text, sizeof(text) - 1, 3);
	size_t n;

	cr_assert_eq(memcmp(perf_map_find(m, 0x100, &n), "a\0b\xff", 4), 0);
	cr_assert_eq(n, 4);
	cr_assert_str_eq(find(m, 0x110), "c");
	perf_map_free(m);
}

/* A name may be as long as any text of the format; a longer line is none. */
Test(perf_map, long_lines)
{
	char *text = malloc(300000), *end = text;
	struct perf_map *m;

	end += sprintf(end, "100 10 ");
	memset(end, 'x', 65536);
	end += 65536;
	end += sprintf(end, "\n110 10 ");
	memset(end, 'y', 65537);
	end += 65537;
	end += sprintf(end, "\n120 10 ");
	memset(end, 'z', 100000);
	end += 100000;
	end += sprintf(end, "\n130 10 b\n");
	for (size_t piece = 1000; piece < 400000; piece *= 7) {
		m = map_of(text, (size_t)(end - text), piece);
		cr_assert_eq(strlen(find(m, 0x100)), 65536);
		cr_assert_str_eq(find(m, 0x110), "-");
		cr_assert_str_eq(find(m, 0x120), "-");
		cr_assert_str_eq(find(m, 0x130), "b");
		perf_map_free(m);
	}
	free(text);
}

/* Against a table of all addresses, filled line by line; enough lines to become pieces on the way. */
Test(perf_map, random_lines)
{
	enum { ADDRESSES = 3000, LINES = 200000 };
	static unsigned table[ADDRESSES];
	struct perf_map *m = perf_map_new();
	char line[64];

	srand(5);
	for (unsigned i = 1; i <= LINES; i++) {
		unsigned first = (unsigned)rand() % ADDRESSES, bytes = 1 + (unsigned)rand() % 40;
		int n = sprintf(line, "%x %x %u\n", first, bytes, i);

		cr_assert_eq(perf_map_add(m, line, (size_t)n), 0);
		for (unsigned k = first; k < first + bytes && k < ADDRESSES; k++)
			table[k] = i;
	}
	cr_assert_eq(perf_map_finish(m), 0);
	for (unsigned k = 0; k < ADDRESSES; k++) {
		sprintf(line, "%u", table[k]);
		cr_assert_str_eq(find(m, k), table[k] ? line : "-");
	}
	perf_map_free(m);
}

/* Nested ranges, the worst for the sweep: hours if it were quadratic. */
Test(perf_map, a_million_nested_lines)
{
	struct perf_map *m = perf_map_new();
	char line[64];

	for (unsigned i = 0; i < 1000000; i++) {
		int n = sprintf(line, "%x %x f%u\n", i, 4000000 - 2 * i, i % 7);
		cr_assert_eq(perf_map_add(m, line, (size_t)n), 0);
	}
	cr_assert_eq(perf_map_finish(m), 0);
	cr_assert_str_eq(find(m, 500000), "f4");
	cr_assert_str_eq(find(m, 3999999), "f0");
	cr_assert_str_eq(find(m, 4000000), "-");
	perf_map_free(m);
}

/* ---- jit ------------------------------------------------------------------------------------- */
/* Generated code gets names from its own process's perf map, and from no other. */

#define START_NS UINT64_C(1500000000000000000)

static struct event_text text(const char *s)
{
	return (struct event_text){s, strlen(s)};
}

/* No process has such a number. */
static uint64_t odd_pid(void)
{
	return 77000000000 + (uint64_t)getpid();
}

static void begin(struct build *b, const char *host, uint64_t start_ns)
{
	const struct event_process e = {
		.kind = &decode_stream.kind,
		.file = "x",
		.resource = text("cpu"),
		.unit = text("ns"),
		.scale = 1,
		.pid = odd_pid(),
		.host = text(host),
		.start_ns = start_ns,
		.has_owner = true,
		.owner = geteuid(),
	};

	cr_assert_eq(event_push_process(&b->sink, &e, &b->err), 0);
}

static void put(struct build *b, const char *piece)
{
	const struct event_jit e = {text(piece)};

	cr_assert_eq(b->sink->jit(b->sink->context, &e, &b->err), 0);
}

Test(jit, of_the_recording)
{
	struct build b;
	struct profile *p;

	build_begin(&b);
	begin(&b, "h", START_NS);
	build_sample(&b, 1, "0105--20--21");
	put(&b, "14 1 LazyCompile:*f");
	build_sample(&b, 2, "0105--20--30");
	put(&b, "ib /tmp/x.js:3\n15 1 g\n0 5 zero\n");
	build_sample(&b, 4, "0105--00");
	build_end(&b);
	p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "-+5 LazyCompile:*fib /tmp/x.js:3 g"), 1);
	cr_assert_eq(profile_weight(p, "-+5 LazyCompile:*fib /tmp/x.js:3 ?+30"), 2);
	cr_assert_eq(profile_weight(p, "-+5 ?+0"), 4, "the middle left out is none");
	profile_free(p);
}

/* Some compilers list code in files, too, as V8 does with its builtins: the name goes with the frame, whose
 * module stays. Without the module's bias nothing is said of it. Seen to fail: with a bias of 0. */
Test(jit, of_code_in_a_module)
{
	struct build b;
	struct profile *p;
	size_t named = 0;

	build_begin(&b);
	begin(&b, "h", START_NS);
	build_sample(&b, 1, "0105--9002060120");
	cr_assert_eq(build_module(&b, 1, "/lib/x", "", 0x100), 0);
	put(&b, "104 2 Builtin:Sort\n5 2 wrong\n90 1 g\n");
	build_end(&b);
	p = build_finish(&b);
	for (size_t i = 0; i < p->n_frames; i++) {
		const struct profile_frame *f = &p->frames[i];

		if (f->module == PROFILE_NO_MODULE || f->name == STRINGS_NONE)
			continue;
		cr_assert_str_eq(strings_get(p->strings, f->name, NULL), "Builtin:Sort");
		cr_assert_eq(f->address, 5);
		cr_assert_not(profile_is_named(f));
		named++;
	}
	cr_assert_eq(named, 1);
	profile_free(p);
}

/* Two addresses of one function become one node. */
Test(jit, of_several_processes)
{
	struct build b;
	struct profile *p;
	struct tree *t;

	build_begin(&b);
	begin(&b, "h", START_NS);
	build_sample(&b, 1, "--20");
	build_sample(&b, 2, "--21");
	put(&b, "14 2 f\n");
	build_end(&b);
	begin(&b, "h", START_NS);
	build_sample(&b, 4, "--20");
	put(&b, "14 2 g\n");
	build_end(&b);
	begin(&b, "h", START_NS);
	build_sample(&b, 8, "--20");
	build_end(&b);
	p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "f"), 3);
	cr_assert_eq(profile_weight(p, "g"), 4);
	cr_assert_eq(profile_weight(p, "?+20"), 8, "it has no map");
	const struct symbols_options options = {0};
	struct symbols *s = symbols_new(p, &options, &b.err);
	t = tree_build(p, s, &(struct tree_options){0}, &b.err);
	cr_assert_eq(t->n_nodes, 4);
	cr_assert_str_eq(profile_text(p, t->nodes[1].name), "[unknown]");
	tree_free(t);
	symbols_free(s);
	profile_free(p);
}

/* ---- the file ---------------------------------------------------------------------------------- */

static char *map_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu64 ".map", odd_pid());
	return path;
}

static void map_write(const char *path, uint64_t mtime_ns)
{
	const struct timespec times[2] = {
		{0, 0}, {(time_t)(mtime_ns / 1000000000), (long)(mtime_ns % 1000000000)}};
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, "14 1 f\n", 7), 7);
	cr_assert_eq(futimens(fd, times), 0);
	close(fd);
}

static const char *this_host(void)
{
	static struct utsname name;

	uname(&name);
	return name.nodename;
}

/* Is the file taken for a process of that host and time, whose recording has that map? */
static bool is_taken(const char *host, uint64_t start_ns, const char *own)
{
	struct build b;

	build_begin(&b);
	begin(&b, host, start_ns);
	build_sample(&b, 1, "--20");
	if (own)
		put(&b, own);
	build_end(&b);
	struct profile *p = build_finish(&b);
	bool taken = profile_weight(p, "f") == 1;
	profile_free(p);
	return taken;
}

Test(jit, file_of_this_host)
{
	map_write(map_path(), START_NS);
	cr_expect(is_taken(this_host(), START_NS, NULL));
	cr_expect(is_taken(this_host(), START_NS - 1, NULL));
	cr_expect_not(is_taken(this_host(), START_NS + 1, NULL), "older than the process");
	cr_expect_not(is_taken(this_host(), START_NS + 2000000000, NULL));
	cr_expect_not(is_taken(this_host(), 0, NULL), "nobody knows");
	cr_expect_not(is_taken("elsewhere", START_NS, NULL));
	cr_expect_not(is_taken("", START_NS, NULL));
	cr_expect_not(is_taken(this_host(), START_NS, "99 1 own\n"), "the recording has one");
	unlink(map_path());
}

Test(jit, file_that_is_none)
{
	cr_expect_not(is_taken(this_host(), START_NS, NULL));
	cr_assert_eq(mkfifo(map_path(), 0600), 0);
	cr_expect_not(is_taken(this_host(), START_NS, NULL));
	unlink(map_path());
	enter_new_directory();
	map_write("map", START_NS);
	char *target = realpath("map", NULL);
	cr_assert_eq(symlink(target, map_path()), 0);
	cr_expect_not(is_taken(this_host(), START_NS, NULL), "a link may lead anywhere");
	unlink(map_path());
	free(target);
}

Test(jit, file_of_somebody_else)
{
	map_write(map_path(), START_NS);
	if (!chown(map_path(), geteuid() + 1, (gid_t)-1)) /* root may */
		cr_expect_not(is_taken(this_host(), START_NS, NULL));
	unlink(map_path());
}
