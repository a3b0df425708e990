/* SPDX-License-Identifier: MIT */
/* test_pack_file.c - parts of a pack are found, and none that belong to two recordings. Seen to fail: if follows() says
 * always that a part follows, if follow_each_other() leaves out an empty recording, and if pack_file_entry() does not
 * look at the line before or at where the names begin. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "out_text.h"
#include "write/pack_tar.h"

/* Where the content of these files begins in the pack. */
#define INDEX 8192
#define END   9728

/* Three recordings: one with a journal and a map, an empty one, and one alone. The names are there, and code. */
static void pack_make(void)
{
	struct error err;
	struct pack_tar t = {.out = open_text()};
	struct pack_entry entries[] = {
		{.name = "0.a.cps", .life = PACK_OVER},
		{.name = "1.b.cps", .life = PACK_RUNNING},
		{.name = "2.c.cps", .life = PACK_BECAME},
	};
	unsigned char bytes[] = "these are bytes";
	const struct pack_tar_part part = {bytes, sizeof(bytes)};

	cr_assert(t.out);
	pack_tar_begin(&t);
	entries[0].parts[PACK_JOURNAL] = pack_tar_write(&t, "0.a.cps.journal", bytes, 9);
	entries[0].parts[PACK_RECORDING] = pack_tar_write(&t, "0.a.cps", bytes, 10);
	entries[0].parts[PACK_MAP] = pack_tar_write(&t, "0.a.cps.map", bytes, 11);
	entries[1].parts[PACK_RECORDING] = pack_tar_write(&t, "1.b.cps", bytes, 0);
	entries[2].parts[PACK_RECORDING] = pack_tar_write(&t, "2.c.cps", bytes, 12);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(pack_tar_add(&t, &entries[i], &err), 0);
	pack_tar_end(&t, &part, &part);
	pack_tar_free(&t);
	cr_assert_eq(out_close(t.out, true, &err), 0);
}

static void bytes_write(uint64_t at, const void *bytes, size_t n)
{
	int fd = open("text", O_WRONLY);

	cr_assert_eq(pwrite(fd, bytes, n, (off_t)at), (ssize_t)n);
	close(fd);
}

/* Write over the place of a part in that line of the index. */
static void part_move(unsigned line, enum pack_part part, uint64_t offset, uint64_t bytes)
{
	char text[42];

	snprintf(text, sizeof(text), "%020" PRIu64 " %020" PRIu64, offset, bytes);
	bytes_write(INDEX + line * PACK_LINE_BYTES + PACK_NAME_BYTES + 3 + part * sizeof(text),
		    text, sizeof(text) - 1);
}

static void refuses(const char *want)
{
	struct pack_entry e;
	struct pack_file p;
	struct error err = {0};
	int rc = pack_file_open(&p, "text", &err);

	for (uint64_t i = 0; rc > 0 && i < p.n; i++)
		rc = pack_file_entry(&p, i, &e, &err) ? -1 : 1;
	pack_file_close(&p);
	cr_assert_eq(rc, want ? -1 : 1, "%s", want ? want : err.text);
	cr_assert(!want || strstr(err.text, want), "%s, not %s", err.text, want);
}

Test(pack_file, entries)
{
	struct pack_entry e;
	struct pack_file p;
	struct error err;
	char text[12];

	pack_make();
	cr_assert_eq(pack_file_find(&p, "text/2.c.cps", &e, &err), 1);
	cr_assert(p.n == 3 && p.code.bytes == p.names.bytes);
	cr_assert(e.life == PACK_BECAME && e.parts[PACK_RECORDING].bytes == 12);
	cr_assert_eq(pack_file_read(&p, &e.parts[PACK_RECORDING], text, &err), 0);
	cr_assert(!memcmp(text, "these are by", 12));
	pack_file_close(&p);
	cr_assert_eq(pack_file_find(&p, "text/2.b.cps", &e, &err), -1);
	refuses(NULL);
}

/* The content of the first journal begins at byte 1536, and that of what follows it 1024 bytes later each; but the empty
 * recording has no block: its content and that of the last one begin at 4608 and 5120, the names at 6144, the code at
 * 7168, and the index at 8192. */
Test(pack_file, parts_that_overlap)
{
	static const struct {
		unsigned line;
		enum pack_part part;
		uint64_t offset, bytes;
		const char *want;
	} moves[] = {
		{0, PACK_JOURNAL, 1536, 1024, NULL},
		{0, PACK_JOURNAL, 1536, 1025,
		 "recordings overlap, by the line of its index at byte 8192"},
		{0, PACK_JOURNAL, 2560, 9,
		 "recordings overlap, by the line of its index at byte 8192"},
		{0, PACK_JOURNAL, 1023, 9,
		 "recordings overlap, by the line of its index at byte 8192"},
		{0, PACK_JOURNAL, 9999, 0, NULL},
		{0, PACK_RECORDING, 2560, 1025,
		 "recordings overlap, by the line of its index at byte 8192"},
		{0, PACK_MAP, 3584, 1024, NULL},
		{0, PACK_MAP, 3584, 1025,
		 "recordings overlap, by the line of its index at byte 8401"},
		{0, PACK_MAP, 2560, 10,
		 "recordings overlap, by the line of its index at byte 8192"},
		{1, PACK_RECORDING, 3584, 0,
		 "recordings overlap, by the line of its index at byte 8401"},
		{1, PACK_RECORDING, 4608, 512, NULL},
		{1, PACK_RECORDING, 4608, 513,
		 "recordings overlap, by the line of its index at byte 8610"},
		{1, PACK_JOURNAL, 2560, 10,
		 "recordings overlap, by the line of its index at byte 8401"},
		{2, PACK_RECORDING, 5120, 1024, NULL},
		{2, PACK_RECORDING, 5120, 1025,
		 "reaches into its names, by the line of its index at byte 8610"},
		{2, PACK_RECORDING, 2560, 10,
		 "recordings overlap, by the line of its index at byte 8610"},
		{2, PACK_MAP, 5120, 10,
		 "recordings overlap, by the line of its index at byte 8610"},
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		pack_make();
		part_move(moves[i].line, moves[i].part, moves[i].offset, moves[i].bytes);
		refuses(moves[i].want);
	}
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* Where the lists of runs 7, 8 and 300 and what says where they are is; the recording is before them. */
#define LIST  2560
#define LISTS (LIST + 3 * 1024)

static void pack_with_lists_make(void)
{
	struct error err;
	struct pack_tar t = {.out = open_text()};
	struct pack_entry entries[] = {
		{.name = "0.a.cps", .life = PACK_OVER},
		{.name = "1.b.cps", .life = PACK_OVER},
		{.name = "2.c.cps", .life = PACK_OVER},
	};
	unsigned char bytes[] = "these are bytes";
	const struct pack_tar_part part = {bytes, sizeof(bytes)}, none = {bytes, 0};
	static const uint64_t runs[] = {7, 8, 300};

	pack_tar_begin(&t);
	entries[0].parts[PACK_RECORDING] = pack_tar_write(&t, "0.a.cps", bytes, 10);
	for (size_t i = 1; i < 3; i++)
		entries[i].parts[PACK_RECORDING] = (struct pack_span){LIST - 512, 0};
	for (size_t i = 0; i < 3; i++) {
		const struct pack_list of = {.tree_pid = runs[i], .tree_start = 9};

		cr_assert_eq(pack_tar_add(&t, &entries[i], &err), 0);
		cr_assert_eq(pack_tar_list(&t, &of, bytes, 11 + i, &err), 0);
	}
	pack_tar_end(&t, &part, &none);
	pack_tar_free(&t);
	cr_assert_eq(out_close(t.out, true, &err), 0);
}

Test(pack_file, lists)
{
	struct error err;
	struct pack_file p;
	struct pack_list l;
	char text[13];

	pack_with_lists_make();
	cr_assert_eq(pack_file_open(&p, "text", &err), 1, "%s", err.text);
	cr_assert(p.n_lists == 3 && p.lists.offset == LISTS && !p.code.bytes);
	for (uint64_t run = 0; run < 302; run++) {
		const bool is_there = run == 7 || run == 8 || run == 300;

		l = (struct pack_list){.tree_pid = run, .tree_start = 9};
		cr_assert_eq(pack_file_list_find(&p, &l, &err), is_there, "%d", (int)run);
		l = (struct pack_list){.tree_pid = run, .tree_start = 8};
		cr_assert_eq(pack_file_list_find(&p, &l, &err), 0);
	}
	l = (struct pack_list){.tree_pid = 300, .tree_start = 9};
	cr_assert_eq(pack_file_list_find(&p, &l, &err), 1);
	cr_assert(l.part.offset == LIST + 2048 && l.part.bytes == 13);
	cr_assert_eq(pack_file_read(&p, &l.part, text, &err), 0);
	cr_assert(!memcmp(text, "these are byt", 13));
	pack_file_close(&p);
}

/* Seen to fail: if pack_file_list() leaves out the line before, the recordings, or where its index is. */
Test(pack_file, lists_that_are_wrong)
{
	static const struct {
		unsigned line;
		uint64_t pid, offset, bytes;
		const char *want;
	} moves[] = {
		{0, 7, LIST - 512, 1024, NULL},
		{0, 7, LIST - 513, 8, "damaged pack: its lists overlap at byte 5632"},
		{0, 7, 1536, 8, "damaged pack: its lists overlap at byte 5632"},
		{0, 7, LIST, 1024, NULL},
		{0, 7, LIST, 1025, "its lists overlap at byte 5716"},
		{1, 8, LIST + 10, 8, "its lists overlap at byte 5716"},
		{1, 8, LIST, 0, "its lists overlap at byte 5716"},
		{2, 300, LIST + 2048, 1024, NULL},
		{2, 300, LIST + 2048, 1025, "its lists overlap at byte 5800"},
		{2, 300, LIST + 2048, UINT64_MAX, "a line of its lists is wrong at byte 5800"},
		{1, 7, LIST + 1024, 12, "its lists are not in order at byte 5716"},
		{0, 9, LIST, 12, "its lists are not in order at byte 5716"},
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		struct pack_file p;
		struct pack_list l;
		struct error err = {0};
		char line[PACK_LIST_BYTES + 1];
		int rc = 0;

		pack_with_lists_make();
		snprintf(line, sizeof(line), "%020" PRIu64 " %020d %020" PRIu64 " %020" PRIu64 "\n",
			 moves[i].pid, 9, moves[i].offset, moves[i].bytes);
		bytes_write(LISTS + moves[i].line * PACK_LIST_BYTES, line, PACK_LIST_BYTES);
		cr_assert_eq(pack_file_open(&p, "text", &err), 1, "%s", err.text);
		for (uint64_t k = 0; !rc && k < p.n_lists; k++)
			rc = pack_file_list(&p, k, &l, &err);
		pack_file_close(&p);
		cr_assert_eq(rc, moves[i].want ? -1 : 0, "%zu: %s", i, err.text);
		cr_assert(!moves[i].want || strstr(err.text, moves[i].want), "%zu: %s, not %s", i,
			  err.text, moves[i].want);
	}
}

/* The end has places and lengths of the index, the names and the code. */
Test(pack_file, end)
{
	static const struct {
		const char *end, *want;
	} ends[] = {
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000002048\n",
		 NULL},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000002049\n",
		 "overlap"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000008192 00000000000000000627\n",
		 "overlap"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "code 00000000000000006144 00000000000000000016\n",
		 "overlap"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "code 00000000000000007168 00000000000000001025\n",
		 "overlap"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000001672 "
		 "00000000000000006144 00000000000000000016\n",
		 "overlap"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000626 "
		 "00000000000000006144 00000000000000000016\n",
		 "its index has an impossible length"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "other words\nlists 00000000000000005632 00000000000000000252\n",
		 NULL},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "lists 00000000000000006144 00000000000000000252\n",
		 "overlap"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "lists 00000000000000005632 00000000000000000253\n",
		 "its lists have an impossible number"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "lists 00000000000000005632 00000000000000000336\n",
		 "its lists have an impossible number"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627 "
		 "00000000000000006144 00000000000000000016\n"
		 "lists 00000000000000005632 00000000000099999984\n",
		 "its end does not say where its lists are"},
		{"cpsample-pack 1 index 00000000000000008192 00000000000000000627\n",
		 "its end does not say where its index is"},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char text[PACK_BLOCK] = "";

		pack_make();
		strcpy(text, ends[i].end);
		bytes_write(END, text, sizeof(text));
		refuses(ends[i].want);
	}
}

/* Two recordings with files of calls, whose contents begin at bytes 1536 and 3584; those of the recordings, of 10 bytes, begin 1024
 * later each, and where calls are is said at 5632. */
static void pack_make_calls(void)
{
	struct pack_tar t = {.out = open_text()};
	struct pack_entry entries[] = {{.name = "0.a.cps", .life = PACK_OVER},
				       {.name = "1.b.cps", .life = PACK_OVER}};
	unsigned char bytes[] = "these are bytes";
	const struct pack_tar_part part = {bytes, sizeof(bytes)};
	struct error err;

	pack_tar_begin(&t);
	for (size_t i = 0; i < 2; i++) {
		entries[i].parts[PACK_CALLS] = pack_tar_write(&t, "calls", bytes, 9 + i);
		entries[i].parts[PACK_RECORDING] = pack_tar_write(&t, "recording", bytes, 10);
		cr_assert_eq(pack_tar_add(&t, &entries[i], &err), 0);
	}
	pack_tar_end(&t, &part, &part);
	pack_tar_free(&t);
	cr_assert_eq(out_close(t.out, true, &err), 0);
}

/* Seen to fail: before packs had files of calls; and without each check. */
Test(pack_file, files_of_calls)
{
	static const struct {
		unsigned line;
		const char *text, *want;
	} moves[] = {
		{0, "00000000000000000000 00000000000000001536 00000000000000001024\n", NULL},
		{0, "00000000000000000000 00000000000000001536 00000000000000001025\n",
		 "recordings overlap, by a line about calls"},
		{0, "00000000000000000000 00000000000000001023 00000000000000000001\n",
		 "recordings overlap, by a line about calls"},
		{1, "00000000000000000001 00000000000000001536 00000000000000000009\n",
		 "recordings overlap, by a line about calls"},
		{1, "00000000000000000001 00000000000000003584 00000000000000001025\n",
		 "recordings overlap, by a line about calls"},
		{1, "00000000000000000001 00000000000000003584 99999999999999999999\n",
		 "a line about its calls is wrong at byte 5695"},
		{1, "0000000000000000000x 00000000000000003584 00000000000000000009\n",
		 "a line about its calls is wrong at byte 5695"},
	};
	struct pack_entry e;
	struct pack_file p;
	struct error err;

	pack_make_calls();
	refuses(NULL);
	cr_assert_eq(pack_file_find(&p, "text/1.b.cps", &e, &err), 1);
	cr_assert(e.parts[PACK_CALLS].offset == 3584 && e.parts[PACK_CALLS].bytes == 10);
	pack_file_close(&p);
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		pack_make_calls();
		bytes_write(5632 + moves[i].line * PACK_CALLS_BYTES, moves[i].text,
			    PACK_CALLS_BYTES);
		refuses(moves[i].want);
	}
}
