/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - reads, decodes and weighs code.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/instructions.h"
#include "elf/module_file.h"
#include "pack/pack_names.h"

/* ---- instructions ---------------------------------------------------------------------------- */
/*
 * The file is not trusted: a symbol may say that its function is larger than the file. What is read
 * is what the file has, and no more than CODE_MOST.
 */

#define CODE_MOST                                                                                  \
	(16u << 20) /* bytes of a function; the largest that are known have a tenth of it */

/* ---- the code -------------------------------------------------------------------------------- */

static const Elf64_Phdr *segment_of(const struct elf_file *f, uint64_t address)
{
	for (size_t i = 0; i < f->n_segments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz)
			return p;
	}
	return NULL;
}

static int too_large(size_t bytes, struct error *err)
{
	return error_set(err, "a function of %zu bytes is too large", bytes);
}

static int not_known(struct error *err)
{
	return error_set(err, "only instructions of " MACHINE_ALL " are known");
}

static int load(struct instructions *l, const struct elf_file *f, uint64_t end, struct error *err)
{
	const Elf64_Phdr *p = segment_of(f, l->start);
	uint64_t most;
	int rc;

	l->machine = machine_of_elf(f->head.e_machine);
	if (!l->machine || !l->machine->decode)
		return not_known(err);
	if (!p || end <= l->start)
		return error_set(err, "the file has no code at 0x%llx",
				 (unsigned long long)l->start);
	most = p->p_filesz - (l->start - p->p_vaddr);
	l->n_code = end - l->start < most ? end - l->start : most;
	if (l->n_code > CODE_MOST)
		return too_large(l->n_code, err);
	rc = elf_file_load(f, p->p_offset + (l->start - p->p_vaddr), l->n_code, &l->code);
	if (rc == -ENOMEM)
		return error_memory(err);
	return rc ? error_set(err, "the file is cut short") : 0;
}

/* Take the code that a pack has. */
static int take(struct instructions *l, const struct symbols *symbols,
		const struct pack_piece *piece, struct error *err)
{
	const char *name = profile_machine(symbols_profile(symbols));

	/* Not all recordings name their machine: what was packed was known then. */
	l->machine = name ? machine_named(name) : &machine_x86_64;
	if (!l->machine || !l->machine->decode)
		return not_known(err);
	if (piece->code.length > CODE_MOST)
		return too_large(piece->code.length, err);
	l->code = malloc(piece->code.length);
	if (!l->code)
		return error_memory(err);
	memcpy(l->code, piece->code.bytes, piece->code.length);
	l->n_code = piece->code.length;
	return 0;
}

/* A pack has the code of many functions, but not of all. */
static int not_packed(const struct error *why, struct error *err)
{
	struct error file = *why;

	return error_set(err, "the pack does not have its code; %s",
			 file.is_set ? file.text : "it has no file");
}

static int open_and_load(struct instructions *l, struct symbols *symbols, uint32_t module,
			 uint64_t end, struct error *err)
{
	const struct pack_piece *piece = symbols_packed_code(symbols, module, l->start, end);
	struct module_file files;
	int rc;

	if (piece)
		return take(l, symbols, piece, err);
	rc = symbols_open_file(symbols, module, &files, err);
	if (rc < 0)
		return error_memory(err);
	if (!rc && symbols_is_packed(symbols, module))
		return not_packed(err, err);
	if (!rc)
		return err->is_set ? -1 : error_set(err, "it has no file");
	rc = load(l, &files.main, end, err);
	module_file_close(&files);
	return rc;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void add(struct instructions *l, uint32_t offset)
{
	struct machine_instruction is = {.bytes = (unsigned char)l->machine->step};
	size_t left = l->n_code - offset;

	if (is.bytes > left)
		is.bytes = (unsigned char)left;
	l->machine->decode(l->code + offset, left, l->start + offset, &is);
	l->list[l->n++] = (struct instruction){.offset = offset,
					       .bytes = is.bytes,
					       .has_target = is.has_target,
					       .target = is.target};
}

static int decode_all(struct instructions *l, struct error *err)
{
	uint32_t offset;
	size_t i, at;

	/* An instruction has a byte at least. */
	l->list = malloc(l->n_code * sizeof(*l->list));
	if (!l->list)
		return error_memory(err);
	for (offset = 0; offset < l->n_code; offset += l->list[l->n - 1].bytes)
		add(l, offset);
	for (i = 0; i < l->n; i++) {
		at = l->list[i].has_target ? instructions_find(l, l->list[i].target) : l->n;
		if (at < l->n && l->start + l->list[at].offset == l->list[i].target)
			l->list[at].is_target = true;
	}
	return 0;
}

int instructions_read(struct instructions *l, struct symbols *symbols, uint32_t module,
		      uint64_t start, uint64_t end, struct error *err)
{
	*l = (struct instructions){.start = start};
	*err = (struct error){0};
	if (open_and_load(l, symbols, module, end, err) || decode_all(l, err))
		return -1;
	return 0;
}

void instructions_free(struct instructions *l)
{
	free(l->code);
	free(l->list);
	*l = (struct instructions){0};
}

size_t instructions_find(const struct instructions *l, uint64_t address)
{
	size_t low = 0, high = l->n, middle;

	if (address < l->start || address - l->start >= l->n_code)
		return l->n;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (l->list[middle].offset <= address - l->start)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void instructions_text(const struct instructions *l, const struct instruction *at,
		       char text[INSTRUCTION_TEXT_BYTES])
{
	l->machine->write(l->code + at->offset, l->n_code - at->offset, l->start + at->offset,
			  text);
}

/* ---- bodies ---------------------------------------------------------------------------------- */
/*
 * Two places may be in one instruction: a call that was about to run, and the same call while it
 * runs. So the stacks are counted by instruction, and not by place.
 */

static int compare(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int list_bodies(struct bodies *b, const struct code_places *p, struct error *err)
{
	size_t i, n = 0;

	b->list = calloc(p->n_names + 1, sizeof(*b->list));
	if (!b->list)
		return error_memory(err);
	for (i = 0; i < p->n_names; i++) {
		const struct code_place *at = &p->by_name[i];

		if (at->is_ours && at->is.has_start && at->is.end)
			b->list[n++] = (struct body){.function = at->is.function,
						     .module = at->module,
						     .start = at->is.start,
						     .end = at->is.end};
	}
	qsort(b->list, n, sizeof(*b->list), compare);
	for (i = 0; i < n; i++)
		if (!b->n || compare(&b->list[b->n - 1], &b->list[i]))
			b->list[b->n++] = b->list[i];
	return 0;
}

static int read_body(struct body *to, struct symbols *symbols, struct error *err)
{
	struct error why;

	if (instructions_read(&to->is, symbols, to->module, to->start, to->end, &why)) {
		instructions_free(&to->is);
		to->why = strdup(why.text);
		return to->why ? 0 : error_memory(err);
	}
	to->weights = calloc(to->is.n + 1, sizeof(*to->weights));
	return to->weights ? 0 : error_memory(err);
}

static struct instruction_weight *weight_of(const struct bodies *b, const struct code_place *at)
{
	struct body wanted = {.module = at->module, .start = at->is.start, .end = at->is.end};
	struct body *body = bsearch(&wanted, b->list, b->n, sizeof(*b->list), compare);
	size_t i = body ? instructions_find(&body->is, at->address) : 0;

	return body && i < body->is.n ? &body->weights[i] : NULL;
}

static void weigh(struct bodies *b, const struct code_places *p, const struct tree *t)
{
	for (size_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *node = &t->nodes[i];
		const struct code_place *at = &p->by_name[node->name];
		struct instruction_weight *to = at->is_ours ? weight_of(b, at) : NULL;

		if (!to)
			continue;
		to->self += node->self;
		b->self += node->self;
		if (i < to->until)
			continue;
		to->total += node->total;
		to->hits += node->hits;
		to->until = node->end;
	}
}

int bodies_find(struct bodies *b, const struct code_places *p, struct symbols *symbols,
		const struct tree *tree, struct error *err)
{
	*b = (struct bodies){0};
	if (list_bodies(b, p, err))
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (read_body(&b->list[i], symbols, err))
			return -1;
	weigh(b, p, tree);
	return 0;
}

void bodies_free(struct bodies *b)
{
	for (size_t i = 0; b->list && i < b->n; i++) {
		instructions_free(&b->list[i].is);
		free(b->list[i].weights);
		free(b->list[i].why);
	}
	free(b->list);
	*b = (struct bodies){0};
}
