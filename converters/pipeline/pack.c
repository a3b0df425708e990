/* SPDX-License-Identifier: MIT */
/*
 * pack.c - packs recordings into one file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/instructions.h"
#include "annotate/source_text.h"
#include "base/array.h"
#include "model/processes.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/pack.h"
#include "pipeline/pack_copy.h"
#include "symbols/symbols.h"

/* ---- pack code ------------------------------------------------------------------------------- */
/*
 * Puts the code of functions into a pack.
 *
 * In: a profile, the files of its modules. Out: pieces of code, places.
 *
 * A view of instructions asks what is known of each of them, and of each target of a jump.
 */

/* How much may be added yet, and how much was. */
struct pack_code_room {
	uint64_t left; /* bytes of code */
	size_t n;      /* functions */
};

/* All functions of a compiler's run have a half of it. */
#define PACK_CODE_BYTES_MAX (4u << 20)

/* Of a function. Larger ones are tables, or code that a program has generated. */
#define PACK_CODE_PIECE_MAX (1u << 20)

#define PACK_CODE_ROOM ((struct pack_code_room){.left = PACK_CODE_BYTES_MAX})

struct function {
	uint32_t module;
	uint64_t start, end, self;
};

struct functions {
	struct function *list;
	size_t n;
};

/* ---- which functions --------------------------------------------------------------------------- */

static int compare_extents(const struct function *a, const struct function *b)
{
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static int by_extent(const void *a, const void *b)
{
	return compare_extents(a, b);
}

static int by_weight(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return compare_extents(x, y);
}

static int list_functions(struct functions *f, const struct profile *p, const uint64_t *self,
			  struct symbols *s, struct error *err)
{
	for (size_t i = 0; i < p->n_frames; i++) {
		struct function *to = &f->list[f->n];

		*to = (struct function){.module = p->frames[i].module, .self = self[i]};
		if (profile_is_named(&p->frames[i]))
			continue;
		if (symbols_pack_extent(s, &p->frames[i], &to->start, &to->end, err))
			return -1;
		f->n += to->end > to->start;
	}
	return 0;
}

/* Each function once, the heaviest ones first. */
static void merge(struct functions *f)
{
	size_t n = 0;

	qsort(f->list, f->n, sizeof(*f->list), by_extent);
	for (size_t i = 0; i < f->n; i++) {
		if (n && !compare_extents(&f->list[n - 1], &f->list[i]))
			f->list[n - 1].self += f->list[i].self;
		else
			f->list[n++] = f->list[i];
	}
	f->n = n;
	qsort(f->list, f->n, sizeof(*f->list), by_weight);
}

static int find_functions(struct functions *f, const struct profile *p, struct symbols *s,
			  struct error *err)
{
	uint64_t *self = calloc(p->n_frames + 1, sizeof(*self));
	int status = 0;

	f->list = calloc(p->n_frames + 1, sizeof(*f->list));
	if (!f->list || !self)
		status = error_memory(err);
	for (size_t i = 1; !status && i < p->n_nodes; i++)
		if (p->nodes[i].frame < p->n_frames)
			self[p->nodes[i].frame] += p->nodes[i].self_weight;
	if (!status)
		status = list_functions(f, p, self, s, err);
	if (!status)
		merge(f);
	free(self);
	return status;
}

/* ---- their code -------------------------------------------------------------------------------- */

static struct profile_frame frame_at(const struct function *f, uint64_t address)
{
	return (struct profile_frame){
		.module = f->module, .name = STRINGS_NONE, .address = address};
}

/* What is known of each instruction, and of where those lead that lead elsewhere. */
static int add_places(struct pack_builder *b, const struct function *f,
		      const struct instructions *code, struct symbols *s, struct error *err)
{
	struct profile_frame *frames = calloc(2 * code->n + 1, sizeof(*frames));
	size_t n = 0;
	int status;

	if (!frames)
		return error_memory(err);
	for (size_t i = 0; i < code->n; i++) {
		const struct instruction *is = &code->list[i];

		frames[n++] = frame_at(f, code->start + is->offset);
		if (is->has_target && instructions_find(code, is->target) == code->n)
			frames[n++] = frame_at(f, is->target);
	}
	status = symbols_pack(s, b, frames, n, false, err);
	free(frames);
	return status;
}

/* Code that cannot be read is left out, and so is what another resource has brought already. */
static int add_function(struct pack_builder *b, struct pack_code_room *room,
			const struct function *f, struct symbols *s, struct error *err)
{
	struct pack_piece piece = {.start = f->start, .end = f->end};
	struct instructions code;
	struct error why;
	int status = 0;

	if (!instructions_read(&code, s, f->module, f->start, f->end, &why) && code.n_code) {
		piece.code = (struct pack_text){(const char *)code.code, code.n_code};
		status = symbols_pack_code(s, b, f->module, &piece, err);
	}
	if (!status && piece.code.length) {
		status = add_places(b, f, &code, s, err);
		room->left -= code.n_code;
		room->n++;
	}
	instructions_free(&code);
	return status < 0 ? -1 : 0;
}

/* Add the code of the functions of the profile, the heaviest ones first, as long as there is room, with what is known of each
 * instruction and of where it jumps. The options of s are those of symbols_pack(). -1: out of memory. */
static int pack_code(struct pack_builder *b, struct pack_code_room *room, const struct profile *p,
		     struct symbols *s, struct error *err)
{
	struct functions f = {0};
	int status = find_functions(&f, p, s, err);

	for (size_t i = 0; !status && i < f.n; i++) {
		const struct function *at = &f.list[i];
		uint64_t bytes = at->end - at->start;

		if (bytes > PACK_CODE_PIECE_MAX || bytes > room->left)
			continue;
		status = add_function(b, room, at, s, err);
	}
	free(f.list);
	return status;
}

/* ---- pack sources ---------------------------------------------------------------------------- */
/*
 * Puts the text of source lines into a pack.
 *
 * In: numbers of lines, source files. Out: excerpts.
 */

/* Lines around one that is used. Views show three. */
#define CONTEXT 10u

struct excerpts {
	struct pack_builder *b;
	struct source_text *file; /* NULL: it was not found */
	uint32_t path;		  /* of the file; PACK_NONE at first */
	uint32_t *lines;
	size_t size;
};

/* A line is packed as a text, and thus ends at a NUL. */
static int add_line(struct excerpts *x, size_t n, const char *text, size_t bytes)
{
	char *copy = strndup(text, bytes);
	uint32_t number = copy ? pack_builder_text(x->b, copy) : PACK_NONE;

	free(copy);
	if (number == PACK_NONE || !array_reserve(&x->lines, &x->size, n + 1, sizeof(*x->lines)))
		return -1;
	x->lines[n] = number;
	return 0;
}

/* Lines may be missing: the last ones if a file has changed, and others if it is in a pack. What is behind them is another
 * excerpt. */
static int add_excerpt(struct excerpts *x, const struct pack_excerpt *e)
{
	size_t n = 0, bytes;

	for (uint32_t i = 0; i < e->n; i++) {
		const char *text = source_text_line(x->file, e->line + i, &bytes);

		if (text && add_line(x, n, text, bytes))
			return -1;
		n += text != NULL;
		if (n && (!text || i + 1 == e->n)) {
			if (pack_builder_excerpt(x->b, e->path, e->line + i + !!text - (uint32_t)n,
						 x->lines, n))
				return -1;
			n = 0;
		}
	}
	return 0;
}

/* Where source files are looked for, and as of when. */
struct source_places {
	const struct pack_set *packs; /* NULL: none */
	const char *directories;      /* NULL: none */
	uint64_t begin_ns;	      /* of the recordings */
};

/* What was changed later would stand beside figures of other lines. Whoever names directories knows what is there. */
static struct source_text *open_source(const char *path, const struct source_places *in)
{
	struct source_text *t = source_text_open(path, in->directories, in->packs);

	if (!t || in->directories || !source_text_is_newer(t, in->begin_ns))
		return t;
	message("warning: %s: changed after it was recorded, so its lines are not packed; "
		"--source-path DIR packs them nevertheless",
		source_text_path(t));
	source_text_close(t);
	return NULL;
}

/* Add the text of all lines that the builder has noted, and of some around them, as far as the files are found. -1: out of
 * memory. */
static int pack_sources(struct pack_builder *b, const struct source_places *in, struct error *err)
{
	struct excerpts x = {.b = b, .path = PACK_NONE};
	struct pack_excerpt e;
	int status = 0;

	for (size_t at = 0; !status && pack_builder_lines(b, CONTEXT, &at, &e);) {
		if (e.path != x.path) {
			source_text_close(x.file);
			x.file = open_source(pack_builder_get(b, e.path), in);
			x.path = e.path;
		}
		if (x.file)
			status = add_excerpt(&x, &e);
	}
	source_text_close(x.file);
	free(x.lines);
	return status ? error_memory(err) : 0;
}

/* ---- pack ------------------------------------------------------------------------------------ */
/*
 * First the recordings are copied as they are, then all of them are read, for the addresses whose
 * names are wanted. One that is still being written has, when it is read, at least what was copied.
 */

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

	if (!status && p->counted)
		status = symbols_pack(s, c->names, p->counted->frames, p->counted->n_frames, false,
				      err);
	if (!status)
		status = pack_code(c->code, &c->room, p, s, err);
	if (!status)
		warnings_modules(p, s);
	if (s)
		symbols_free(s);
	return status;
}

/* The names of all addresses, whatever is counted there. The lists of programs without a recording follow the recordings. */
static int find_names(struct collection *c, struct pack_tar *t, const struct sources *from,
		      const struct options *opt, struct error *err)
{
	struct load_result result;
	int status;

	if (load_profiles(from, opt, LOAD_BY_RESOURCE, &result, err))
		return -1;
	status = warnings_profile(result.list[0], opt->strict, err);
	if (!status)
		status = pack_copy_lists(t, result.list[0], from->newest, err);
	progress_begin("looking up names");
	for (size_t i = 0; !status && i < result.n; i++)
		status = add_names(c, result.list[i], opt, err);
	if (!status && opt->of_view.with_source)
		status = pack_sources(c->names,
				      &(struct source_places){
					      .packs = from->packs,
					      .directories = opt->of_view.source_path,
					      .begin_ns = run_times_begin(result.list[0]),
				      },
				      err);
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
	int status = c.names && c.code ? find_names(&c, t, from, opt, err) : error_memory(err);

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
