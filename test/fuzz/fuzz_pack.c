/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pack.c - any file in the place of a pack gives a profile with names, or an error.
 *
 * The first byte chooses what the other bytes are:
 *
 *	0   the file itself
 *	1   the names of a pack, not packed; the harness puts a recording and an index around them
 *	2   the same, but they are the names of a second pack of the same recording
 *	3   the code of a pack, not packed, whose names are empty
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "annotate/instructions.h"
#include "libsampler/format.h"
#include "options/options.h"
#include "pack/pack_builder.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "symbols/symbols.h"
#include "test/fuzz/check.h"
#include "test/fuzz/scratch.h"
#include "write/pack_tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char paths[2][64], recording[64];

/* ---- a recording ------------------------------------------------------------------------------- */

/* Tag, payload: process 77 of cpu in ns; module 0, /bin/x with the build id ab cd; two samples, of the
 * stacks 0+10 0+20 and 0+10 0+24. */
static const struct {
	uint8_t tag, n;
	const char *payload;
} records[] = {
	{CPS_TAG_PROCESS, 14, "\2\115\11\3cpu\13\2ns\14\350\7"},
	{CPS_TAG_MODULE, 14, "\0\6/bin/x\2\253\315\0\0\0"},
	{CPS_TAG_SAMPLES, 22, "\1\0\62\1\7\310\1\0\2\4\1\20\4\1\40\10\0\0\1\4\1\44"},
};

static void recording_make(void)
{
	uint8_t plain[512], file[1024] = CPS_MAGIC "\3";
	size_t n = 0;
	uLongf packed = sizeof(file) - CPS_HEAD_BYTES;

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		uint8_t *record = plain + n;
		size_t bytes = records[i].n;
		uLong crc;

		plain[n++] = records[i].tag;
		plain[n++] = (uint8_t)bytes;
		memcpy(plain + n, records[i].payload, bytes);
		n += bytes;
		crc = crc32(0, record, (uInt)(plain + n - record));
		for (unsigned k = 0; k < 4; k++)
			plain[n++] = (uint8_t)(crc >> 8 * k);
	}
	CHECK(compress(file + CPS_HEAD_BYTES, &packed, plain, n) == Z_OK);
	CHECK(scratch_write(recording, file, CPS_HEAD_BYTES, file + CPS_HEAD_BYTES, packed));
}

static void directory_make(void)
{
	CHECK(scratch_make());
	snprintf(recording, sizeof(recording), "%s/x.cps", scratch);
	snprintf(paths[0], sizeof(paths[0]), "%s/one.cps", scratch);
	snprintf(paths[1], sizeof(paths[1]), "%s/two.cps", scratch);
	recording_make();
	message_mute(true);
}

/* ---- a pack ------------------------------------------------------------------------------------ */

static struct pack_tar_part part_make(const uint8_t *plain, size_t n)
{
	uLongf room = compressBound(n);
	uint8_t *packed = malloc(PACK_SIZE_BYTES + room);

	CHECK(packed);
	CHECK(compress2(packed + PACK_SIZE_BYTES, &room, plain, n, 0) == Z_OK);
	for (unsigned i = 0; i < PACK_SIZE_BYTES; i++)
		packed[i] = (uint8_t)((uint64_t)n >> 8 * i);
	return (struct pack_tar_part){packed, PACK_SIZE_BYTES + room};
}

/* NULL: without code. */
static void pack_make(const char *path, const uint8_t *names, size_t n, const uint8_t *code,
		      size_t n_code)
{
	struct error err;
	struct pack_tar t = {.out = out_open(path, &err)};
	struct pack_tar_part parts[2] = {part_make(names, n)};
	struct pack_entry entry = {.name = "0.x.cps", .life = PACK_OVER};
	FILE *f = fopen(recording, "rb");
	struct stat st;

	if (code)
		parts[1] = part_make(code, n_code);
	CHECK(t.out && f && !fstat(fileno(f), &st));
	const struct pack_span all = {0, (uint64_t)st.st_size};
	pack_tar_begin(&t);
	CHECK(!pack_tar_copy(&t, entry.name, fileno(f), &all, recording,
			     &entry.parts[PACK_RECORDING], &err));
	CHECK(!pack_tar_add(&t, &entry, &err));
	pack_tar_end(&t, &parts[0], &parts[1]);
	pack_tar_free(&t);
	CHECK(!out_close(t.out, true, &err));
	fclose(f);
	free(parts[0].bytes);
	free(parts[1].bytes);
}

/* ---- what must hold ---------------------------------------------------------------------------- */

/* The code of a function, where it is known. */
static void code_check(struct symbols *s, uint32_t module, const struct symbols_place *place)
{
	struct instructions code;
	struct error err = {0};
	size_t bytes = 0;

	if (!place->has_start || !place->end)
		return;
	if (instructions_read(&code, s, module, place->start, place->end, &err))
		CHECK(err.text[0]);
	for (size_t i = 0; i < code.n; i++)
		bytes += code.list[i].bytes;
	CHECK(bytes == code.n_code || err.text[0]);
	instructions_free(&code);
}

static void names_check(const struct profile *p, const struct symbols_options *opt)
{
	struct error err = {0};
	struct symbols *s = symbols_new(p, opt, &err);
	const struct symbols_place *places;
	size_t n, bytes;

	CHECK(s || err.text[0]);
	for (size_t i = 0; s && i < p->n_frames; i++) {
		CHECK(symbols_expand(s, &p->frames[i], &places, &n, &err) == 0);
		CHECK(n > 0 && !places[0].is_inline);
		const struct symbols_place first = places[0];
		for (size_t k = 0; k < n; k++) {
			strings_get(p->strings, places[k].name, &bytes);
			CHECK(places[k].function < strings_count(p->strings));
			CHECK(places[k].file == STRINGS_NONE ||
			      places[k].file < strings_count(p->strings));
		}
		code_check(s, p->frames[i].module, &first);
	}
	if (s)
		symbols_free(s);
}

static void profile_check(const struct load_result *result)
{
	const struct symbols_options every[] = {
		{.inlines = true, .lines = true, .names = SYMBOLS_LINKER},
		{.granularity = SYMBOLS_BY_LINE},
		{.granularity = SYMBOLS_BY_ADDRESS, .names = SYMBOLS_FULL},
		{.granularity = SYMBOLS_BY_MODULE},
		{.granularity = SYMBOLS_BY_CODE},
	};

	for (size_t i = 0; i < result->n; i++)
		for (size_t k = 0; k < sizeof(every) / sizeof(every[0]); k++)
			if (!result->list[i]->by_name)
				names_check(result->list[i], &every[k]);
}

static void read_packs(size_t n)
{
	char *names[] = {paths[0], paths[1]};
	struct load_result result = {0};
	struct sources from;
	struct options opt;
	struct error err = {0};

	options_init(&opt);
	opt.view = views[0];
	opt.jobs = 1;
	if (sources_find(&from, names, n, NULL, &err) ||
	    load_profiles(&from, &opt, LOAD_BY_RESOURCE, &result, &err)) {
		CHECK(err.text[0]);
	} else {
		profile_check(&result);
		for (size_t i = 0; i < result.n; i++)
			profile_free(result.list[i]);
		free(result.list);
		selection_match_free(&result.match);
	}
	sources_free(&from);
	options_free(&opt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[3];

	if (!paths[0][0])
		directory_make();
	if (!size || !data[0] || data[0] > 3) {
		CHECK(scratch_write(paths[0], "", 0, data + !!size, size - !!size));
		read_packs(1);
		return 0;
	}
	if (data[0] == 1)
		pack_make(paths[0], data + 1, size - 1, NULL, 0);
	else if (data[0] == 2)
		pack_make(paths[0], nothing, sizeof(nothing), NULL, 0);
	else
		pack_make(paths[0], nothing, sizeof(nothing), data + 1, size - 1);
	if (data[0] == 2)
		pack_make(paths[1], data + 1, size - 1, NULL, 0);
	read_packs(data[0] == 2 ? 2 : 1);
	return 0;
}
