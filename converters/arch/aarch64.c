/* SPDX-License-Identifier: MIT */
/*
 * aarch64.c - instructions of aarch64 by Capstone, which knows those of ARMv8.0, and the stubs of its linkage tables.
 */
#include <capstone/capstone.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/machine.h"

#define WORD_BYTES 4

/* ---- targets --------------------------------------------------------------------------------- */
/*
 * Every word is an instruction or none, and has 4 bytes; only branches lead elsewhere. So Capstone is asked for texts alone.
 */

static const struct branch {
	uint32_t mask, is;
	unsigned bits, at; /* where the distance is, in words */
} branches[] = {
	{0x7c000000, 0x14000000, 26, 0}, /* b, bl */
	{0xff000010, 0x54000000, 19, 5}, /* b.cond; not bc.cond of ARMv8.8, which has no text */
	{0x7e000000, 0x34000000, 19, 5}, /* cbz, cbnz */
	{0x7e000000, 0x36000000, 14, 5}, /* tbz, tbnz */
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static uint32_t word_of(const unsigned char *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

static bool target_of(uint32_t word, uint64_t address, uint64_t *target)
{
	for (size_t i = 0; i < COUNT(branches); i++) {
		const struct branch *b = &branches[i];

		if ((word & b->mask) == b->is) {
			uint64_t high = (uint64_t)(word >> b->at) << (64 - b->bits);

			*target = address + (uint64_t)((int64_t)high >> (64 - b->bits - 2) & ~3ll);
			return true;
		}
	}
	return false;
}

static bool decode(const unsigned char *code, size_t n, uint64_t address,
		   struct machine_instruction *to)
{
	if (n < WORD_BYTES)
		return false;
	to->bytes = WORD_BYTES;
	to->has_target = target_of(word_of(code), address, &to->target);
	return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* GNU's names for hints, among which are those that sign return addresses and guard branches: Capstone 4 has their numbers only. */
static const char *const hints[] = {
	[0] = "nop",	   [1] = "yield",      [2] = "wfe",	   [3] = "wfi",
	[4] = "sev",	   [5] = "sevl",       [6] = "dgh",	   [7] = "xpaclri",
	[8] = "pacia1716", [10] = "pacib1716", [12] = "autia1716", [14] = "autib1716",
	[16] = "esb",	   [17] = "psb csync", [18] = "tsb csync", [20] = "csdb",
	[24] = "paciaz",   [25] = "paciasp",   [26] = "pacibz",	   [27] = "pacibsp",
	[28] = "autiaz",   [29] = "autiasp",   [30] = "autibz",	   [31] = "autibsp",
	[32] = "bti",	   [34] = "bti c",     [36] = "bti j",	   [38] = "bti jc",
};

/* What Capstone 4 does not know, and code that signs addresses has often; the names of conditions that GNU prefers. */
static const struct {
	uint32_t word;
	const char *name;
} others[] = {{0xd65f0bff, "retaa"}, {0xd65f0fff, "retab"}};
static const struct {
	const char *capstone, *gnu;
} conditions[] = {{"b.hs", "b.cs"}, {"b.lo", "b.cc"}};

static const char *name_of(uint32_t word)
{
	uint32_t hint = word >> 5 & 0x7f;

	if ((word & 0xfffff01f) == 0xd503201f && hint < COUNT(hints))
		return hints[hint];
	for (size_t i = 0; i < COUNT(others); i++)
		if (others[i].word == word)
			return others[i].name;
	return NULL;
}

/* movz and movn are mov, as GNU has it, whose value is what the register gets. */
static bool is_move(uint32_t word)
{
	bool is_wide = word >> 31, is_inverted = !(word >> 30 & 1);
	uint32_t shifts = word >> 21 & 3, part = word >> 5 & 0xffff;

	return (word & 0x3f800000) == 0x12800000 && (is_wide || shifts < 2) && (part || !shifts) &&
	       !(is_inverted && !is_wide && part == 0xffff);
}

struct reg_name {
	char text[4];
};

static struct reg_name name_reg(bool is_wide, unsigned number)
{
	struct reg_name name;

	if (number == 31)
		snprintf(name.text, sizeof(name.text), "%czr", is_wide ? 'x' : 'w');
	else
		snprintf(name.text, sizeof(name.text), "%c%u", is_wide ? 'x' : 'w', number & 31);
	return name;
}

static void write_move(uint32_t word, char text[MACHINE_TEXT_BYTES])
{
	bool is_inverted = !(word >> 30 & 1);
	uint64_t value = (uint64_t)(word >> 5 & 0xffff) << (word >> 21 & 3) * 16;

	value += is_inverted;
	snprintf(text, MACHINE_TEXT_BYTES,
		 value < 10 ? "mov %s, #%s%" PRIu64 : "mov %s, #%s0x%" PRIx64,
		 name_reg(word >> 31, word & 31).text, is_inverted ? "-" : "", value);
}

/* The name of what reads, changes and writes a word at once; NULL: it does not. These are of ARMv8.1. */
static const char *atomic_of(uint32_t word)
{
	static const char *const names[] = {"add",  "clr",  "eor",  "set", "smax",
					    "smin", "umax", "umin", "swp"};
	uint32_t which = word >> 12 & 15;

	if ((word & 0x3fa07c00) == 0x08a07c00)
		return "cas";
	return (word & 0x3f200c00) == 0x38200000 && which < COUNT(names) ? names[which] : NULL;
}

static void write_atomic(uint32_t word, const char *name, char text[MACHINE_TEXT_BYTES])
{
	static const char *const sizes[] = {"b", "h", "", ""};
	uint32_t size = word >> 30, base = word >> 5 & 31, old = word & 31;
	bool is_cas = name[0] == 'c', has_load = !is_cas && strcmp(name, "swp") != 0;
	bool acquires = word >> (is_cas ? 22 : 23) & 1, releases = word >> (is_cas ? 15 : 22) & 1;
	bool is_store = has_load && old == 31 && !acquires;
	int n = snprintf(text, MACHINE_TEXT_BYTES, "%s%s%s%s%s %s, ",
			 !has_load  ? ""
			 : is_store ? "st"
				    : "ld",
			 name, acquires ? "a" : "", releases ? "l" : "", sizes[size],
			 name_reg(size == 3, word >> 16 & 31).text);

	if (!is_store)
		n += snprintf(text + n, MACHINE_TEXT_BYTES - (size_t)n, "%s, ",
			      name_reg(size == 3, old).text);
	snprintf(text + n, MACHINE_TEXT_BYTES - (size_t)n, "[%s]",
		 base == 31 ? "sp" : name_reg(true, base).text);
}

/* Capstone's name and operands, but the last one if that is a target. */
static void join(const cs_insn *is, bool has_target, char text[MACHINE_TEXT_BYTES])
{
	const char *name = is->mnemonic, *last = has_target ? strrchr(is->op_str, ',') : NULL;
	int n = (int)(last ? last - is->op_str : has_target ? 0 : (int)strlen(is->op_str));

	for (size_t i = 0; i < COUNT(conditions); i++)
		if (strcmp(name, conditions[i].capstone) == 0)
			name = conditions[i].gnu;
	snprintf(text, MACHINE_TEXT_BYTES, n ? "%s %.*s" : "%s", name, n, is->op_str);
}

static bool write_by_capstone(uint32_t word, uint64_t address, char text[MACHINE_TEXT_BYTES])
{
	uint64_t target;
	cs_insn *is;
	csh capstone;
	size_t n;

	if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &capstone) != CS_ERR_OK)
		return false;
	n = cs_disasm(capstone, (const uint8_t *)&word, sizeof(word), address, 1, &is);
	if (n) {
		join(is, target_of(word, address, &target), text);
		cs_free(is, n);
	}
	cs_close(&capstone);
	return n;
}

static void write_text(const unsigned char *code, size_t n, uint64_t address,
		       char text[MACHINE_TEXT_BYTES])
{
	uint32_t word;
	const char *name;

	strcpy(text, "(bad)");
	if (n < WORD_BYTES)
		return;
	word = word_of(code);
	name = name_of(word);
	if (name)
		snprintf(text, MACHINE_TEXT_BYTES, "%s", name);
	else if (is_move(word))
		write_move(word, text);
	else if (atomic_of(word))
		write_atomic(word, atomic_of(word), text);
	else if (!write_by_capstone(word, address, text))
		snprintf(text, MACHINE_TEXT_BYTES, ".inst 0x%08" PRIx32, word);
}

/* ---- stubs ----------------------------------------------------------------------------------- */
/*
 * The code of a stub is the same in all sections. Where branches are guarded there is a `bti c` before it and a nop behind it.
 *
 *	adrp x16, page of the slot
 *	ldr  x17, [x16, place in the page]
 *	add  x16, x16, place in the page
 *	br   x17
 */

enum { STUB_WORDS = 4 };

static int64_t page_of(uint32_t adrp)
{
	uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	return (int64_t)(pages << 43) >> 31;
}

static bool read_stub(const unsigned char *code, size_t bytes, uint64_t address, int64_t *slot)
{
	uint32_t word[STUB_WORDS];
	int64_t place;

	if (bytes < sizeof(word))
		return false;
	memcpy(word, code, sizeof(word));
	if ((word[0] & 0x9f00001f) != 0x90000010 || (word[1] & 0xffc003ff) != 0xf9400211 ||
	    (word[2] & 0xffc003ff) != 0x91000210 || word[3] != 0xd61f0220)
		return false;
	place = (int64_t)(word[1] >> 10 & 0xfff) * 8;
	*slot = page_of(word[0]) + place - (int64_t)(address & 0xfff);
	return true;
}

const struct machine machine_aarch64 = {
	.name = "aarch64",
	.elf = EM_AARCH64,
	.call_relocation = R_AARCH64_JUMP_SLOT,
	.data_relocation = R_AARCH64_GLOB_DAT,
	.stub_bytes = 16,
	.stub_step = 4,
	.read_stub = read_stub,
	.decode = decode,
	.write = write_text,
	.step = WORD_BYTES,
};
