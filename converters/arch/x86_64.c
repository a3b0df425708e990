/* SPDX-License-Identifier: MIT */
/*
 * x86_64.c - instructions of x86-64 by Zydis, which knows AVX-512, and the stubs of its linkage tables.
 */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/machine.h"

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

static bool decode_operands(const unsigned char *code, size_t n, ZydisDecodedInstruction *what,
			    ZydisDecodedOperand *operands)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, what, operands));
}

static bool target_of(const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
		      uint64_t start, uint64_t *target)
{
	return what->operand_count_visible == 1 &&
	       operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative &&
	       ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(what, &operands[0], start, target));
}

static bool decode(const unsigned char *code, size_t n, uint64_t start,
		   struct machine_instruction *to)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction what;

	if (!decode_operands(code, n, &what, operands))
		return false;
	to->bytes = what.length;
	to->has_target = target_of(&what, operands, start, &to->target);
	return true;
}

/* Add up the parts of Zydis's text, with GNU's name for its own. */
static void join(const ZydisFormatterToken *token, const char *name, char text[MACHINE_TEXT_BYTES])
{
	ZyanConstCharPointer part;
	ZydisTokenType type;
	size_t used = 0;

	do {
		if (!ZYAN_SUCCESS(ZydisFormatterTokenGetValue(token, &type, &part)))
			return;
		if (type == ZYDIS_TOKEN_MNEMONIC && name)
			part = name;
		used += (size_t)snprintf(text + used, MACHINE_TEXT_BYTES - used, "%s", part);
	} while (used < MACHINE_TEXT_BYTES && ZYAN_SUCCESS(ZydisFormatterTokenNext(&token)));
}

/* An operand relative to the instruction has its address behind the text, as objdump has it. */
static void add_address(uint64_t start, const ZydisDecodedInstruction *what,
			const ZydisDecodedOperand *operands, char text[MACHINE_TEXT_BYTES])
{
	size_t n = strlen(text);
	uint64_t address;

	for (size_t i = 0; i < what->operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].mem.base == ZYDIS_REGISTER_RIP &&
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(what, &operands[i], start, &address)))
			snprintf(text + n, MACHINE_TEXT_BYTES - n, " # 0x%" PRIx64, address);
}

static void write_text(const unsigned char *code, size_t n, uint64_t start,
		       char text[MACHINE_TEXT_BYTES])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction what;
	const ZydisFormatterToken *tokens;
	char parts[4 * MACHINE_TEXT_BYTES], name[GNU_NAME_BYTES];
	ZydisFormatter formatter;
	uint64_t target;
	char *blank;

	strcpy(text, "(bad)");
	if (!decode_operands(code, n, &what, operands))
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
	if (!ZYAN_SUCCESS(ZydisFormatterTokenizeInstruction(&formatter, &what, operands,
							    what.operand_count_visible, parts,
							    sizeof(parts), start, &tokens, NULL)))
		return;
	join(tokens, gnu_names_find(&what, operands, name) ? name : NULL, text);
	add_address(start, &what, operands, text);
	blank = target_of(&what, operands, start, &target) ? strrchr(text, ' ') : NULL;
	if (blank)
		*blank = '\0';
}

/* ---- stubs ----------------------------------------------------------------------------------- */
/*
 * The code of a stub is the same in all sections, whatever its length:
 *
 *	[endbr64]  f3 0f 1e fa
 *	[bnd]      f2
 *	jmp *slot(%rip)   ff 25 disp32
 */

static bool read_stub(const unsigned char *code, size_t bytes, uint64_t address, int64_t *slot)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25};
	size_t at = 0;
	int32_t displacement;

	(void)address;
	if (bytes >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (at < bytes && code[at] == 0xf2)
		at++;
	if (bytes - at < sizeof(jump) + sizeof(displacement) ||
	    memcmp(code + at, jump, sizeof(jump)) != 0)
		return false;
	memcpy(&displacement, code + at + sizeof(jump), sizeof(displacement));
	*slot = (int64_t)(at + sizeof(jump) + sizeof(displacement)) + displacement;
	return true;
}

const struct machine machine_x86_64 = {
	.name = "x86_64",
	.elf = EM_X86_64,
	.call_relocation = R_X86_64_JUMP_SLOT,
	.data_relocation = R_X86_64_GLOB_DAT,
	.stub_bytes = 8,
	.read_stub = read_stub,
	.decode = decode,
	.write = write_text,
	.step = 1,
};
