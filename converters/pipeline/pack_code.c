/* SPDX-License-Identifier: MIT */
/*
 * pack_code.c - puts the code of functions into a pack.
 *
 * In: a profile, the files of its modules. Out: pieces of code, places.
 *
 * A view of instructions asks what is known of each of them, and of each target of a jump.
 */
#include "pipeline/pack_code.h"

#include <stdlib.h>

#include "annotate/instructions.h"
#include "base/array.h"
#include "symbols/symbols_pack.h"

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

int pack_code(struct pack_builder *b, struct pack_code_room *room, const struct profile *p,
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
