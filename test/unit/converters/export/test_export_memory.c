/* SPDX-License-Identifier: MIT */
/* test_export_memory.c - wherever memory runs out, a file for another program is an error, and none is left. Seen to
 * fail: a text of Parquet that is none, and a text of Firefox that has no number, if memory is out. */
#include "scarce_memory.h"
#include "view_text.h"

static const char stacks[] =
	"main;f;g 3\nmain;f;a function with a name that is longer than the others 4\n"
	"main;g 1\nmain;h;f;g 2\n";

static int write_file(const struct view *v, const struct view_input *in, struct error *err)
{
	struct error other;
	struct out *o = out_open("text", err);
	int status = o ? v->emit(in, o, err) : -1;

	return o && out_close(o, !status, status ? &other : err) ? -1 : status;
}

/* One allocation after the other fails, until all succeed. The C library can do without some, and then the file is
 * whole. */
static void starve(const struct view *v, const struct view_input *in)
{
	struct error err = {0};
	bool has_failed = true;

	enter_new_directory();
	cr_assert_eq(write_file(v, in, &err), 0, "--%s: %s", v->name, err.text);
	cr_assert_eq(rename("text", "whole"), 0);
	for (size_t at = 0; has_failed; at++) {
		int status;

		err.text[0] = '\0';
		scarce_begin(at);
		status = write_file(v, in, &err);
		has_failed = scarce_end();
		if (!status) {
			cr_assert_eq(system("cmp whole text"), 0, "--%s, allocation %zu", v->name,
				     at);
			unlink("text");
			continue;
		}
		cr_assert(has_failed && strstr(err.text, "emory"), "--%s, allocation %zu: %s",
			  v->name, at, err.text);
		cr_assert_neq(access("text", F_OK), 0, "--%s, allocation %zu", v->name, at);
	}
}

Test(export_memory, is_an_error_everywhere, .timeout = 60)
{
	static const char *const names[] = {"folded",  "callgrind", "speedscope",
					    "firefox", "pprof",	    "parquet"};
	const struct symbols_options by_name = {.names = SYMBOLS_SHORT, .lines = true};

	if (!MEMORY_CAN_BE_SCARCE)
		cr_skip_test("an allocator of its own");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct error err;
		struct profile *p = profile_of(stacks);
		struct symbols *s = symbols_new(p, &by_name, &err);
		struct tree *t = tree_build(p, s, &(struct tree_options){0}, &err);
		const struct view_input in = {
			.profile = p, .symbols = s, .tree = t, .options = &defaults};

		cr_assert(s && t, "%s", err.text);
		starve(view_find(names[i]), &in);
		tree_free(t);
		symbols_free(s);
		profile_free(p);
	}
}
