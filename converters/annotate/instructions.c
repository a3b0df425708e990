/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - reads, decodes and weighs code.
 */
#include <Zydis/Zydis.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/instructions.h"
#include "elf/module_file.h"
#include "pack/pack_names.h"

/* ---- gnu names ------------------------------------------------------------------------------- */
/*
 * What GNU's assembler and objdump call instructions.
 *
 * In: a decoded instruction. Out: its name.
 *
 * Zydis puts Intel's name and the size of the memory operand together. GNU's has names of its own
 * for extensions and conditions, sizes where nothing else tells them, and none for vectors.
 */

#define GNU_NAME_BYTES 32

struct names {
	const char *intel, *gnu;
};

static const struct names others[] = {
	{"cbw", "cbtw"}, {"cwde", "cwtl"}, {"cdqe", "cltq"},	 {"cwd", "cwtd"},
	{"cdq", "cltd"}, {"cqo", "cqto"},  {"movsxd", "movslq"},
};

static const struct names conditions[] = {
	{"z", "e"}, {"nz", "ne"}, {"nbe", "a"}, {"nb", "ae"}, {"nl", "ge"}, {"nle", "g"},
};

static const char *const with_condition[] = {"cmov", "set", "j"};

static const char *const with_size[] = {"div", "idiv", "mul", "imul", "neg", "not", "inc", "dec"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static char size_of(const ZydisDecodedOperand *operand)
{
	return operand->size == 8    ? 'b'
	       : operand->size == 16 ? 'w'
	       : operand->size == 32 ? 'l'
				     : 'q';
}

static const char *find(const struct names *list, size_t n, const char *intel)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].intel, intel))
			return list[i].gnu;
	return NULL;
}

/* cmovz is cmove, jnbe is ja. */
static bool has_condition(const char *intel, char name[GNU_NAME_BYTES])
{
	for (size_t i = 0; i < COUNT(with_condition); i++) {
		size_t n = strlen(with_condition[i]);
		const char *gnu = NULL;

		if (!strncmp(intel, with_condition[i], n))
			gnu = find(conditions, COUNT(conditions), intel + n);
		if (gnu) {
			snprintf(name, GNU_NAME_BYTES, "%s%s", with_condition[i], gnu);
			return true;
		}
	}
	return false;
}

static bool is_vector(const ZydisDecodedOperand *operand)
{
	ZydisRegisterClass class;

	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	class = ZydisRegisterGetClass(operand->reg.value);
	return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	       class == ZYDIS_REGCLASS_ZMM || class == ZYDIS_REGCLASS_MASK;
}

/* Conversions keep their sizes, of which several have the same registers. */
static bool is_of_vectors(const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
			  const char *intel)
{
	if (strstr(intel, "cvt") || !strncmp(intel, "vfpclass", 8))
		return false;
	for (size_t i = 0; i < what->operand_count_visible; i++)
		if (is_vector(&operands[i]))
			return true;
	return false;
}

static bool needs_size(const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
		       const char *intel)
{
	if (what->operand_count_visible != 1 || operands[0].type != ZYDIS_OPERAND_TYPE_MEMORY)
		return false;
	for (size_t i = 0; i < COUNT(with_size); i++)
		if (!strcmp(with_size[i], intel))
			return true;
	return false;
}

/* The name, if Zydis has another one for it in AT&T's syntax. False: that of Zydis is right. Where both know several names
 * (nop and xchg, vpcmpub and vpcmpltub), that of Zydis stays. */
static bool gnu_names_find(const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
			   char name[GNU_NAME_BYTES])
{
	const char *intel = ZydisMnemonicGetString(what->mnemonic);
	const char *gnu = intel ? find(others, COUNT(others), intel) : NULL;
	bool is_zero = what->mnemonic == ZYDIS_MNEMONIC_MOVZX;

	if (!intel)
		return false;
	if (has_condition(intel, name))
		return true;
	if (what->mnemonic == ZYDIS_MNEMONIC_MOV && what->operand_count_visible == 2 &&
	    operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[1].size == 64)
		gnu = "movabs";
	if (is_of_vectors(what, operands, intel))
		gnu = intel;
	if (gnu)
		snprintf(name, GNU_NAME_BYTES, "%s", gnu);
	else if (is_zero || what->mnemonic == ZYDIS_MNEMONIC_MOVSX)
		snprintf(name, GNU_NAME_BYTES, "mov%c%c%c", is_zero ? 'z' : 's',
			 size_of(&operands[1]), size_of(&operands[0]));
	else if (needs_size(what, operands, intel))
		snprintf(name, GNU_NAME_BYTES, "%s%c", intel, size_of(&operands[0]));
	else
		return false;
	return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */
/*
 * Reads and decodes code with Zydis, which knows AVX-512.
 *
 * In: a module's file, or a pack. Out: instructions.
 *
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

/* ---- bodies ---------------------------------------------------------------------------------- */
/*
 * Weighs the instructions of functions.
 *
 * In: the places of functions. Out: struct bodies.
 *
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
