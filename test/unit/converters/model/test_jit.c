/* SPDX-License-Identifier: MIT */
/* test_jit.c - generated code gets names from its own process's perf map, and from no other. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "out_text.h"
#include "profile_fixture.h"
#include "read/decode.h"
#include "tree/tree.h"

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
