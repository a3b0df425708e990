/* SPDX-License-Identifier: MIT */
/* test_pack_names.c - names come out of a pack as they went in, and forged ones are refused. Seen to fail: if a
 * symbol's key has the bytes between its members, if read_reference() takes the number n, if unpack()
 * believes the size, if sort_places() leaves out all places that are as the one before, if read_piece() does not
 * compare lengths, if read_texts() does not compare the number of texts, if unpack() and pack_builder_encode() know no
 * limit, if an excerpt may be empty, and if pack_set_add() compares with the last pack only. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pack/pack_builder.h"
#include "pack/pack_names.h"

/* Read the bytes as the names of a pack, or as its code. */
static int read_bytes(struct pack_names *names, const unsigned char *bytes, size_t n, bool is_code,
		      struct error *err)
{
	FILE *file = tmpfile();
	struct pack_file pack = {.path = "one.cps", .bytes = n, .names = {0, n}, .code = {0, n}};
	int status;

	cr_assert(file);
	cr_assert_eq(fwrite(bytes, 1, n, file), n);
	fflush(file);
	pack.fd = fileno(file);
	status = is_code ? pack_names_read_code(names, &pack, err)
			 : pack_names_read(names, &pack, err);
	fclose(file);
	return status;
}

static const struct pack_module programs[] = {
	{.path = {"/bin/x", 6}, .build_id = {"\253\0\315", 3}},
	{.path = {"/bin/x", 6}, .build_id = {"\253\0\316", 3}},
	{.path = {"", 0}, .build_id = {"", 0}, .is_vdso = true},
	{.path = {"/bin/a", 6}},
};

/* The place at 0x20 of /bin/x is in two functions, and the one at 0x24 only in a range. */
static void build(struct pack_builder *b)
{
	const struct pack_symbol symbol = {0x20, 0x30, pack_builder_text(b, "_Z1fv"), true};
	const struct pack_range range = {0x20, 0x40};
	const struct pack_function functions[] = {
		{pack_builder_text(b, "_Z1fv"), pack_builder_text(b, "f.c"),
		 pack_builder_text(b, "/src"), 7, 2},
		{PACK_NONE, PACK_NONE, PACK_NONE, 0, 0},
	};
	const uint32_t lines[] = {pack_builder_text(b, "int f()"), pack_builder_text(b, "")};

	for (uint32_t i = 0; i < 4; i++)
		cr_assert_eq(pack_builder_module(b, &programs[i]), i);
	cr_assert_eq(pack_builder_module(b, &programs[1]), 1);
	pack_builder_describe(b, 0, true, pack_builder_text(b, "x: rebuilt"));
	cr_assert_eq(pack_builder_add(b, 0, 0x24, NULL, &range, NULL, 0), 0);
	cr_assert_eq(pack_builder_add(b, 0, 0x20, &symbol, NULL, functions, 2), 0);
	cr_assert_eq(pack_builder_add(b, 0, 0x20, NULL, NULL, NULL, 0), 0);
	cr_assert(pack_builder_has(b, 0, 0x20) && !pack_builder_has(b, 0, 0x21));
	cr_assert_eq(pack_builder_excerpt(b, pack_builder_text(b, "/src/f.c"), 6, lines, 2), 0);
}

Test(pack_names, round_trip)
{
	struct pack_builder *b = pack_builder_new();
	struct pack_names names;
	const struct pack_module *m;
	const struct pack_place *p;
	const struct pack_function *f;
	struct error err;
	unsigned char *bytes;
	size_t n;

	build(b);
	bytes = pack_builder_encode(b, false, &n, &err);
	cr_assert(bytes);
	cr_assert_eq(read_bytes(&names, bytes, n, false, &err), 0, "%s", err.text);
	free(bytes);
	pack_builder_free(b);
	cr_assert_eq(names.n_modules, 4);
	for (size_t i = 0; i < 4; i++)
		cr_assert(pack_names_module(&names, programs[i].path, programs[i].build_id,
					    programs[i].is_vdso));
	cr_assert(!pack_names_module(&names, programs[0].path, programs[0].build_id, true));
	m = pack_names_module(&names, programs[0].path, programs[0].build_id, false);
	cr_assert(m->has_file && m->n_places == 2 && m->n_symbols == 1 && m->n_ranges == 1);
	cr_assert_str_eq(pack_names_text(&names, m->warning), "x: rebuilt");
	p = pack_names_place(m, 0x20);
	cr_assert(p && p->symbol == 0 && p->range == PACK_NONE && p->n_functions == 2);
	cr_assert(m->symbols[0].end == 0x30 && m->symbols[0].is_stub);
	cr_assert_str_eq(pack_names_text(&names, m->symbols[0].text), "_Z1fv");
	f = &names.functions[p->first];
	cr_assert(f[0].line == 7 && f[0].column == 2 && f[1].name == PACK_NONE);
	cr_assert_str_eq(pack_names_text(&names, f[0].directory), "/src");
	p = pack_names_place(m, 0x24);
	cr_assert(p && p->symbol == PACK_NONE && p->range == 0 && p->n_functions == 0);
	cr_assert(!pack_names_place(m, 0x21));
	cr_assert_str_eq(pack_names_line(&names, "/src/f.c", 6), "int f()");
	cr_assert_str_eq(pack_names_line(&names, "/src/f.c", 7), "");
	cr_assert(!pack_names_line(&names, "/src/f.c", 8) && !pack_names_line(&names, "f.c", 6));
	pack_names_free(&names);
}

/* Bytes between the members, whose value is not defined, make no other symbol. */
Test(pack_names, symbols_once)
{
	struct pack_builder *b = pack_builder_new();
	struct pack_symbol symbol;
	struct pack_names names;
	struct error err;
	unsigned char *bytes;
	size_t n;

	cr_assert_eq(pack_builder_module(b, &programs[0]), 0);
	for (unsigned i = 0; i < 2; i++) {
		memset(&symbol, i ? 0xff : 0, sizeof(symbol));
		symbol.start = 0x20;
		symbol.end = 0x30;
		symbol.text = pack_builder_text(b, "_Z1fv");
		symbol.is_stub = true;
		cr_assert_eq(pack_builder_add(b, 0, 0x20 + i, &symbol, NULL, NULL, 0), 0);
	}
	bytes = pack_builder_encode(b, false, &n, &err);
	cr_assert_eq(read_bytes(&names, bytes, n, false, &err), 0, "%s", err.text);
	free(bytes);
	pack_builder_free(b);
	cr_assert_eq(names.modules[0].n_places, 2);
	cr_assert_eq(names.modules[0].n_symbols, 1);
	pack_names_free(&names);
}

/* Of places in code those have an entry that differ from the one before; no other address has one. */
Test(pack_names, code)
{
	static const struct pack_range ranges[] = {{0x20, 0x40}, {0x60, 0x70}};
	static const unsigned at[] = {0x28, 0x20, 0x24, 0x30, 0x60, 0x64, 0x80, 0x84};
	static const struct pack_piece pieces[] = {{0x60, 0x70, {"abcdefgh", 8}},
						   {0x20, 0x40, {"0123456789abcdefg", 17}}};
	const struct pack_function line = {PACK_NONE, PACK_NONE, PACK_NONE, 7, 2};
	struct pack_builder *b = pack_builder_new();
	const struct pack_module *m;
	const struct pack_piece *piece;
	struct pack_names names;
	struct error err;
	unsigned char *bytes;
	size_t n;

	cr_assert_eq(pack_builder_module(b, &programs[0]), 0);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		cr_assert_eq(pack_builder_add(b, 0, at[i], NULL, &ranges[at[i] >= 0x60], &line,
					      at[i] >= 0x28 && at[i] < 0x60),
			     0);
	cr_assert_eq(pack_builder_code(b, 0, &pieces[0]), 0);
	cr_assert_eq(pack_builder_code(b, 0, &pieces[1]), 0);
	cr_assert_eq(pack_builder_code(b, 0, &pieces[1]), 1);
	bytes = pack_builder_encode(b, true, &n, &err);
	cr_assert_eq(read_bytes(&names, bytes, n, true, &err), 0, "%s", err.text);
	free(bytes);
	pack_builder_free(b);
	m = pack_names_module(&names, programs[0].path, programs[0].build_id, false);
	cr_assert(m && m->n_pieces == 2 && m->n_places == 5);
	piece = pack_names_piece(m, 0x20, 0x40);
	cr_assert(piece && piece->code.length == 17 && !memcmp(piece->code.bytes, "0123", 4));
	cr_assert(!pack_names_piece(m, 0x20, 0x41));
	cr_assert_eq(pack_names_place(m, 0x24)->n_functions, 0);
	cr_assert_eq(pack_names_place(m, 0x30)->n_functions, 1);
	cr_assert_eq(pack_names_place(m, 0x64)->address, 0x60);
	cr_assert_eq(pack_names_place(m, 0x84)->address, 0x84);
	cr_assert(!pack_names_place(m, 0x1f) && !pack_names_place(m, 0x31));
	cr_assert(!pack_names_place(m, 0x68) && !pack_names_place(m, 0x82));
	pack_names_free(&names);
}

/* ---- forged names ------------------------------------------------------------------------------ */

/* Pack n bytes that claim to be `claimed`, and want that error. */
static void refuses(const char *plain, size_t n, uint64_t claimed, bool is_code, const char *want)
{
	unsigned char bytes[512];
	uLongf room = sizeof(bytes) - PACK_SIZE_BYTES;
	struct pack_names names;
	struct error err = {0};

	for (unsigned i = 0; i < PACK_SIZE_BYTES; i++)
		bytes[i] = (unsigned char)(claimed >> 8 * i);
	cr_assert_eq(compress(bytes + PACK_SIZE_BYTES, &room, (const unsigned char *)plain, n),
		     Z_OK);
	cr_assert_eq(read_bytes(&names, bytes, PACK_SIZE_BYTES + room, is_code, &err), -1, "%s",
		     want);
	pack_names_free(&names);
	cr_assert(strstr(err.text, want), "%s, not %s", err.text, want);
	cr_assert(!strncmp(err.text, "one.cps: damaged pack: ", 23), "%s", err.text);
}

#define REFUSES(plain, want)	  refuses(plain, sizeof(plain) - 1, sizeof(plain) - 1, false, want)
#define REFUSES_CODE(plain, want) refuses(plain, sizeof(plain) - 1, sizeof(plain) - 1, true, want)

Test(pack_names, forged)
{
	REFUSES("", "it ends too early");
	REFUSES("\1a", "it ends too early");
	REFUSES("\177", "a list is longer than what follows");
	REFUSES("\0\0", "it ends too early");
	REFUSES("\0\0\0x", "more than belongs");
	/* A module without path and build id, whose symbol has a text that is not there. */
	REFUSES("\1a\0\1\0\0\0\0\1\1\1\2\0\0\0\0", "a number is of nothing that came before");
	REFUSES("\1a\0\1\0\0\0\0\1\1\1\0\0\0\0\0", "a text is absent");
	/* Two places at one address; a place before its symbol. */
	REFUSES("\0\1\0\0\0\0\0\0\2\5\0\0\0\0\0\0\0\0", "addresses do not ascend");
	REFUSES("\1a\0\1\0\0\0\0\1\7\7\1\0\0\1\5\1\0\0\0", "a place is outside its function");
	/* The same module twice. */
	REFUSES("\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "modules do not ascend");
	/* An excerpt that begins with line 0. */
	REFUSES("\1a\0\0\1\1\0\1\1", "lines have impossible numbers");
	REFUSES("\1a\0\0\1\1\1\0\0", "an excerpt has no lines");
	refuses("\0\0\0", 3, 4, false, "cannot be unpacked");
	refuses("\0\0\0", 3, 2, false, "cannot be unpacked");
	refuses("\0\0\0", 3, UINT64_C(1) << 40, false, "claim");
	/* A module without pieces; pieces that are empty, or longer than their functions, or twice the same. */
	REFUSES_CODE("\0\1\0\0\0\0\0\0\0", "it ends too early");
	REFUSES_CODE("\0\1\0\0\0\0\0\0\0\1\5\2\0\0", "code is outside its function");
	REFUSES_CODE("\0\1\0\0\0\0\0\0\0\1\5\2\3abc\0", "code is outside its function");
	REFUSES_CODE("\0\1\0\0\0\0\0\0\0\1\5\2\7ab\0", "a list is longer than what follows");
	REFUSES_CODE("\0\1\0\0\0\0\0\0\0\2\5\2\1a\5\2\1a\0", "code does not ascend");
	REFUSES_CODE("\0\1\0\0\0\0\0\0\0\2\5\2\1a\4\2\1a\0", "code does not ascend");
}

/* ---- too much of it ---------------------------------------------------------------------------- */

/* n empty texts, as they are. */
static void texts_give(uint32_t n, const char *want)
{
	static unsigned char plain[200000], bytes[300000];
	uLongf room = sizeof(bytes) - PACK_SIZE_BYTES;
	const uint32_t size = n + 3;
	struct pack_names names;
	struct error err = {0};

	plain[0] = (unsigned char)(n | 0x80);
	plain[1] = (unsigned char)(n >> 7 | 0x80);
	plain[2] = (unsigned char)(n >> 14);
	memcpy(bytes, &size, sizeof(size));
	cr_assert_eq(compress2(bytes + PACK_SIZE_BYTES, &room, plain, size, 0), Z_OK);
	cr_assert_eq(read_bytes(&names, bytes, PACK_SIZE_BYTES + room, false, &err), -1);
	cr_assert(strstr(err.text, want), "%u: %s, not %s", n, err.text, want);
	pack_names_free(&names);
}

Test(pack_names, texts_that_cannot_differ)
{
	texts_give(1 + 255 + 255 * 255, "it ends too early");
	texts_give(100000, "there are more texts than can differ");
}

/* A file that may unpack to so many bytes by its own size. */
Test(pack_names, more_than_a_pack_can_have)
{
	const size_t n = PACK_BYTES_MAX / PACK_RATIO_MAX + 100;
	unsigned char *bytes = calloc(1, n);
	struct pack_names names;
	struct error err = {0};
	uint64_t claimed = PACK_BYTES_MAX;

	memcpy(bytes, &claimed, sizeof(claimed));
	cr_assert_eq(read_bytes(&names, bytes, n, true, &err), -1);
	cr_assert(strstr(err.text, "in its code: they cannot be unpacked"), "%s", err.text);
	pack_names_free(&names);
	claimed++;
	memcpy(bytes, &claimed, sizeof(claimed));
	cr_assert_eq(read_bytes(&names, bytes, n, true, &err), -1);
	cr_assert(strstr(err.text, "in its code: they claim to"), "%s", err.text);
	pack_names_free(&names);
	free(bytes);
}

Test(pack_names, more_than_is_packed)
{
	struct pack_builder *b = pack_builder_new();
	char *text = malloc(PACK_BYTES_MAX);
	struct error err = {0};
	size_t n;

	memset(text, 'x', PACK_BYTES_MAX - 1);
	text[PACK_BYTES_MAX - 1] = '\0';
	cr_assert_eq(pack_builder_text(b, text), 0);
	free(text);
	cr_assert(!pack_builder_encode(b, false, &n, &err));
	cr_assert_str_eq(err.text, "--pack: the names have 67108867 bytes, and those in a pack at "
				   "most 67108864");
	pack_builder_free(b);
}

/* ---- several packs ----------------------------------------------------------------------------- */

Test(pack_set, each_once)
{
	static const char *const paths[] = {"a.cps", "b.cps", "a.cps", "c.cps", "b.cps"};
	struct pack_set set = {0};
	struct error err;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		cr_assert_eq(pack_set_add(&set, paths[i], &err), 0);
	cr_assert_eq(set.n, 3);
	cr_assert_str_eq(set.paths[2], "c.cps");
	pack_set_clear(&set);
}
