/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - reads and decodes code with Zydis, which knows AVX-512.
 *
 * In: a module's file, or a pack. Out: instructions.
 *
 * The file is not trusted: a symbol may say that its function is larger than the file. What is read
 * is what the file has, and no more than CODE_MOST.
 */
#include "annotate/instructions.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/gnu_names.h"
#include "elf/module_file.h"
#include "pack/pack_names.h"

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

static int load(struct instructions *l, const struct elf_file *f, uint64_t end, struct error *err)
{
	const Elf64_Phdr *p = segment_of(f, l->start);
	uint64_t most;
	int rc;

	if (f->head.e_machine != EM_X86_64)
		return error_set(err, "only instructions of x86-64 are known");
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
static int take(struct instructions *l, const struct pack_piece *piece, struct error *err)
{
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
		return take(l, piece, err);
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

static bool decode(const struct instructions *l, size_t offset, ZydisDecodedInstruction *what,
		   ZydisDecodedOperand *operands)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, l->code + offset, l->n_code - offset,
						   what, operands));
}

static void add(struct instructions *l, uint32_t offset)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction what;
	struct instruction *to = &l->list[l->n++];

	*to = (struct instruction){.offset = offset, .bytes = 1};
	if (!decode(l, offset, &what, operands))
		return;
	to->bytes = what.length;
	if (what.operand_count_visible == 1 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    operands[0].imm.is_relative)
		to->has_target = ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(
			&what, &operands[0], l->start + offset, &to->target));
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

/* Add up the parts of Zydis's text, with GNU's name for its own. */
static void join(const ZydisFormatterToken *token, const char *name,
		 char text[INSTRUCTION_TEXT_BYTES])
{
	ZyanConstCharPointer part;
	ZydisTokenType type;
	size_t used = 0;

	do {
		if (!ZYAN_SUCCESS(ZydisFormatterTokenGetValue(token, &type, &part)))
			return;
		if (type == ZYDIS_TOKEN_MNEMONIC && name)
			part = name;
		used += (size_t)snprintf(text + used, INSTRUCTION_TEXT_BYTES - used, "%s", part);
	} while (used < INSTRUCTION_TEXT_BYTES && ZYAN_SUCCESS(ZydisFormatterTokenNext(&token)));
}

/* An operand relative to the instruction has its address behind the text, as objdump has it. */
static void add_address(const struct instructions *l, const struct instruction *at,
			const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
			char text[INSTRUCTION_TEXT_BYTES])
{
	size_t n = strlen(text);
	uint64_t address;

	for (size_t i = 0; i < what->operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].mem.base == ZYDIS_REGISTER_RIP &&
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(what, &operands[i], l->start + at->offset,
							  &address)))
			snprintf(text + n, INSTRUCTION_TEXT_BYTES - n, " # 0x%" PRIx64, address);
}

void instructions_text(const struct instructions *l, const struct instruction *at,
		       char text[INSTRUCTION_TEXT_BYTES])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction what;
	const ZydisFormatterToken *tokens;
	char parts[4 * INSTRUCTION_TEXT_BYTES], name[GNU_NAME_BYTES];
	ZydisFormatter formatter;
	char *blank;

	strcpy(text, "(bad)");
	if (!decode(l, at->offset, &what, operands))
		return;
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL,
				  ZYAN_TRUE);
	if (!ZYAN_SUCCESS(ZydisFormatterTokenizeInstruction(
		    &formatter, &what, operands, what.operand_count_visible, parts, sizeof(parts),
		    l->start + at->offset, &tokens, NULL)))
		return;
	join(tokens, gnu_names_find(&what, operands, name) ? name : NULL, text);
	add_address(l, at, &what, operands, text);
	blank = at->has_target ? strrchr(text, ' ') : NULL;
	if (blank)
		*blank = '\0';
}
