/* SPDX-License-Identifier: MIT */
/*
 * plt.c - finds what each stub of a procedure linkage table jumps to.
 *
 * In: .plt, .plt.sec, .plt.got and the relocations of a module. Out: symbols.
 *
 * On x86-64 the code of a stub is the same in all these sections, whatever its length:
 *
 *	[endbr64]  f3 0f 1e fa
 *	[bnd]      f2
 *	jmp *slot(%rip)   ff 25 disp32
 *
 * The relocation of the slot names the function. Stubs of other forms (the first one of .plt, and
 * those that only push an index) get no symbol, but the unwind table covers them.
 */
#include "elf/plt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"

#define STUB_BYTES_MIN 8
/* The largest number of relocations in a section that is read. The .rela.dyn of a large library has
 * a million. It is left out, because only the few stubs of .plt.got need it. */
#define RELOCATIONS_MAX 65536

struct relocation {
	uint64_t slot;
	uint32_t symbol; /* in .dynsym */
};

struct stubs {
	struct relocation *relocations; /* sorted by slot */
	size_t n;
	unsigned char *symbols; /* .dynsym */
	size_t n_symbols;
	int source; /* number of the source in the symbol table that has the names of `symbols` */
};

static int compare_slots(const void *left, const void *right)
{
	const struct relocation *a = left, *b = right;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static int read_relocations(struct stubs *p, const struct elf_file *f, const char *section)
{
	const Elf64_Shdr *s = elf_file_section_named(f, section);
	unsigned char *bytes;
	void *grown;
	size_t n;
	int rc;

	if (!s || s->sh_type != SHT_RELA || s->sh_size / sizeof(Elf64_Rela) > RELOCATIONS_MAX)
		return 0;
	rc = elf_file_load(f, s->sh_offset, s->sh_size, &bytes);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	n = s->sh_size / sizeof(Elf64_Rela);
	grown = reallocarray(p->relocations, p->n + n + 1, sizeof(*p->relocations));
	if (!grown) {
		free(bytes);
		return -ENOMEM;
	}
	p->relocations = grown;
	for (size_t i = 0; i < n; i++) {
		Elf64_Rela r;

		memcpy(&r, bytes + i * sizeof(r), sizeof(r));
		if (ELF64_R_TYPE(r.r_info) == R_X86_64_JUMP_SLOT ||
		    ELF64_R_TYPE(r.r_info) == R_X86_64_GLOB_DAT) {
			p->relocations[p->n].slot = r.r_offset;
			p->relocations[p->n++].symbol = (uint32_t)ELF64_R_SYM(r.r_info);
		}
	}
	free(bytes);
	return 0;
}

static int read_symbols(struct stubs *p, const struct elf_file *f)
{
	const Elf64_Shdr *s = elf_file_section_of_type(f, SHT_DYNSYM);
	int rc;

	if (!s)
		return 0;
	rc = elf_file_load(f, s->sh_offset, s->sh_size, &p->symbols);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	p->n_symbols = s->sh_size / sizeof(Elf64_Sym);
	return 0;
}

/* Finds the symbol that a slot of the global offset table refers to. */
static bool target_of(const struct stubs *p, uint64_t slot, Elf64_Sym *sym)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->relocations[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->n || p->relocations[low].slot != slot ||
	    p->relocations[low].symbol >= p->n_symbols)
		return false;
	memcpy(sym, p->symbols + (size_t)p->relocations[low].symbol * sizeof(*sym), sizeof(*sym));
	return true;
}

/* Decodes the stub at `code`. *slot becomes the address of the slot that holds the stub's jump
 * target, relative to the stub. Returns false if the code is not a stub. */
static bool decode_stub(const unsigned char *code, size_t bytes, int64_t *slot)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25};
	size_t at = 0;
	int32_t displacement;

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

static int add_stub(struct symbol_table *t, const struct stubs *p, uint64_t start, uint64_t bytes,
		    int64_t slot)
{
	struct symbol s = {
		.start = start, .end = start + bytes, .name = STRINGS_NONE, .is_stub = true};
	Elf64_Sym sym;

	if (s.end <= start || !target_of(p, start + (uint64_t)slot, &sym))
		return 0;
	s.text = sym.st_name;
	s.source = (unsigned char)p->source;
	return symbol_table_add(t, &s);
}

static int add_section(struct symbol_table *t, const struct stubs *p, const struct elf_file *f,
		       const char *name)
{
	const Elf64_Shdr *s = elf_file_section_named(f, name);
	uint64_t stub_bytes;
	unsigned char *code;
	int rc;

	if (!s || s->sh_size / STUB_BYTES_MIN > RELOCATIONS_MAX)
		return 0;
	rc = elf_file_load(f, s->sh_offset, s->sh_size, &code);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	stub_bytes = s->sh_entsize == STUB_BYTES_MIN ? STUB_BYTES_MIN : 2 * STUB_BYTES_MIN;
	for (uint64_t at = 0; at + stub_bytes <= s->sh_size && rc == 0; at += stub_bytes) {
		int64_t slot;

		if (decode_stub(code + at, stub_bytes, &slot))
			rc = add_stub(t, p, s->sh_addr + at, stub_bytes, slot);
	}
	free(code);
	return rc;
}

static int add_all(struct symbol_table *t, struct stubs *p, const struct elf_file *f)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	int rc = read_relocations(p, f, ".rela.plt");

	if (rc == 0)
		rc = read_relocations(p, f, ".rela.dyn");
	if (rc == 0 && p->n > 0)
		rc = read_symbols(p, f);
	if (rc < 0 || p->n == 0 || p->n_symbols == 0)
		return rc;
	qsort(p->relocations, p->n, sizeof(*p->relocations), compare_slots);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && rc == 0; i++)
		rc = add_section(t, p, f, sections[i]);
	return rc;
}

int plt_add_symbols(struct symbol_table *t, const struct elf_file *f)
{
	struct stubs p = {.source = symbol_table_source(t, SHT_DYNSYM)};
	int rc = 0;

	if (f->head.e_machine == EM_X86_64 && p.source >= 0)
		rc = add_all(t, &p, f);
	free(p.relocations);
	free(p.symbols);
	return rc;
}
