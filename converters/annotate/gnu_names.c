/* SPDX-License-Identifier: MIT */
/*
 * gnu_names.c - what GNU's assembler and objdump call instructions.
 *
 * In: a decoded instruction. Out: its name.
 *
 * Zydis puts Intel's name and the size of the memory operand together. GNU's has names of its own for
 * extensions and conditions, sizes where nothing else tells them, and none for vectors.
 */
#include "annotate/gnu_names.h"

#include <stdio.h>
#include <string.h>

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

bool gnu_names_find(const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
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
