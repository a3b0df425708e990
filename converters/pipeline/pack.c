/* SPDX-License-Identifier: MIT */
/*
 * pack.c - packs recordings into one file.
 *
 * In: recordings, the files of their modules. Out: a pack.
 *
 * First the recordings are copied as they are, then all of them are read, for the addresses whose names are
 * wanted. One that is still being written has, when it is read, at least what was copied.
 */
#include "pipeline/pack.h"

#include <stdlib.h>

#include "pipeline/load.h"
#include "pipeline/pack_code.h"
#include "pipeline/pack_copy.h"
#include "pipeline/pack_sources.h"
#include "pipeline/progress.h"
#include "pipeline/warnings.h"
#include "symbols/symbols_pack.h"

/* What is collected for a pack. */
struct collection {
	struct pack_builder *names, *code;
	struct pack_code_room room;
};

static int add_names(struct collection *c, const struct profile *p, const struct options *opt,
		     struct error *err)
{
	const struct symbols_options all = {
		.names = SYMBOLS_LINKER,
		.inlines = true,
		.lines = true,
		.granularity = SYMBOLS_BY_FUNCTION,
		.code = true,
		.search = opt->of_symbols.search,
	};
	struct symbols *s = symbols_new(p, &all, err);
	int status =
		s ? symbols_pack(s, c->names, p->frames, p->n_frames, opt->of_view.with_source, err)
		  : -1;

	if (!status)
		status = pack_code(c->code, &c->room, p, s, err);
	if (!status)
		warnings_modules(p, s);
	if (s)
		symbols_free(s);
	return status;
}

/* The names of all addresses, whatever is counted there. */
static int find_names(struct collection *c, const struct sources *from, const struct options *opt,
		      struct error *err)
{
	struct load_result result;
	int status;

	if (load_profiles(from, opt, LOAD_BY_RESOURCE, &result, err))
		return -1;
	status = warnings_profile(result.list[0], opt->strict, err);
	progress_begin("looking up names");
	for (size_t i = 0; !status && i < result.n; i++)
		status = add_names(c, result.list[i], opt, err);
	if (!status && opt->of_view.with_source)
		status = pack_sources(c->names, from->packs, opt->of_view.source_path, err);
	progress_end();
	for (size_t i = 0; i < result.n; i++)
		profile_free(result.list[i]);
	free(result.list);
	selection_match_free(&result.match);
	return status;
}

static int encode(const struct pack_builder *b, bool has_code, struct pack_tar_part *part,
		  struct error *err)
{
	part->bytes = pack_builder_encode(b, has_code, &part->n, err);
	return part->bytes ? 0 : -1;
}

static int write_names(struct pack_tar *t, const struct sources *from, const struct options *opt,
		       struct error *err)
{
	struct collection c = {
		.names = pack_builder_new(), .code = pack_builder_new(), .room = PACK_CODE_ROOM};
	struct pack_tar_part names = {0}, code = {0};
	int status = c.names && c.code ? find_names(&c, from, opt, err) : error_memory(err);

	if (!status)
		status = encode(c.names, false, &names, err);
	if (!status && c.room.n)
		status = encode(c.code, true, &code, err);
	if (!status)
		pack_tar_end(t, &names, &code);
	free(names.bytes);
	free(code.bytes);
	pack_builder_free(c.names);
	pack_builder_free(c.code);
	return status;
}

int pack_write(const struct sources *from, const struct options *opt, struct error *err)
{
	struct pack_tar t = {.out = out_open(opt->output, err)};
	struct error unused;
	int status = 0;

	if (!t.out)
		return -1;
	pack_tar_begin(&t);
	for (size_t i = 0; !status && i < from->n; i++)
		status = pack_copy(&t, from->files[i], err);
	if (!status)
		status = write_names(&t, from, opt, err);
	pack_tar_free(&t);
	if (out_close(t.out, !status, status ? &unused : err))
		status = -1;
	return status;
}
