/* SPDX-License-Identifier: MIT */
/*
 * code_ranges.c - finds functions where symbols do not: by .eh_frame, and by the linkage table.
 */
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "arch/machine.h"
#include "elf/code_ranges.h"
#include "elf/symbol_table.h"

/* ---- eh frame functions ---------------------------------------------------------------------- */
/*
 * The whole section is walked once. The index of the section, .eh_frame_hdr, is not used: it has no
 * ends, so that each lookup would need the entry anyway; it may be missing; and it may contradict
 * the section. Walking and sorting a compiler's 45,000 entries takes five milliseconds.
 */

/* DWARF exception header encodings (LSB Core, 10.5). The low bits are the form of a number, the
 * high bits the base that it is relative to. */
enum {
	FORM_ABSOLUTE = 0x00,
	FORM_UDATA2 = 0x02,
	FORM_UDATA4 = 0x03,
	FORM_UDATA8 = 0x04,
	FORM_SDATA2 = 0x0a,
	FORM_SDATA4 = 0x0b,
	FORM_SDATA8 = 0x0c,
	FORM_MASK = 0x0f,
	RELATIVE_PC = 0x10,
	RELATIVE_MASK = 0xf0,
	ENCODING_UNKNOWN = 0xff,
};

/* The CIE that was read or looked up last is kept, because nearly all entries share a few CIEs. */
struct walk {
	Elf_Data data;
	uint64_t vaddr;	   /* of the section */
	Dwarf_Off cie;	   /* offset of the CIE that the next two fields are of */
	unsigned encoding; /* of the addresses in its FDEs */
	bool is_signal;	   /* the CIE has the mark of a signal frame */
	bool is_sorted;	   /* the ranges so far are sorted, and no two start at the same address */
	unsigned char ident[EI_NIDENT];
};

/* The encoding of addresses, which is the augmentation data of the letter 'R'. The data of the
 * letters before 'R' must be stepped over. */
static unsigned cie_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	size_t left = cie->augmentation_data_size;

	if (!cie->augmentation || cie->augmentation[0] != 'z')
		return cie->augmentation && !cie->augmentation[0] ? FORM_ABSOLUTE
								  : ENCODING_UNKNOWN;
	for (const char *a = cie->augmentation + 1; *a; a++) {
		static const unsigned char sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 8, 0, 2, 4, 8};
		size_t step = 0;

		if (*a == 'R')
			return left > 0 ? *data : ENCODING_UNKNOWN;
		if (*a == 'L')
			step = 1;
		else if (*a == 'P' && left > 0 && sizes[*data & FORM_MASK] > 0)
			step = 1u + sizes[*data & FORM_MASK];
		else if (*a != 'S' && *a != 'B')
			return ENCODING_UNKNOWN;
		if (step > left)
			return ENCODING_UNKNOWN;
		data += step;
		left -= step;
	}
	return FORM_ABSOLUTE;
}

static unsigned encoding_of(struct walk *w, Dwarf_Off cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (cie == w->cie)
		return w->encoding;
	w->cie = cie;
	w->encoding = ENCODING_UNKNOWN;
	if (cie >= w->data.d_size ||
	    dwarf_next_cfi(w->ident, &w->data, true, cie, &next, &entry) != 0 ||
	    !dwarf_cfi_cie_p(&entry))
		return ENCODING_UNKNOWN;
	w->encoding = cie_encoding(&entry.cie);
	w->is_signal = strchr(entry.cie.augmentation, 'S') != NULL;
	return w->encoding;
}

/* Reads one number of the given form. Returns the number of bytes read, 0 if it cannot be read. */
static size_t read_form(const uint8_t *p, size_t left, unsigned form, uint64_t *value)
{
	int16_t s2;
	int32_t s4;
	size_t bytes = form == FORM_UDATA2 || form == FORM_SDATA2   ? 2
		       : form == FORM_UDATA4 || form == FORM_SDATA4 ? 4
								    : 8;

	*value = 0;
	if (left < bytes ||
	    (bytes == 8 && form != FORM_ABSOLUTE && form != FORM_UDATA8 && form != FORM_SDATA8))
		return 0;
	memcpy(value, p, bytes); /* the file and this machine are both little endian */
	if (form == FORM_SDATA2) {
		memcpy(&s2, p, sizeof(s2));
		*value = (uint64_t)(int64_t)s2;
	} else if (form == FORM_SDATA4) {
		memcpy(&s4, p, sizeof(s4));
		*value = (uint64_t)(int64_t)s4;
	}
	return bytes;
}

static bool range_of(struct walk *w, const Dwarf_FDE *fde, struct eh_frame_function *range)
{
	unsigned encoding = encoding_of(w, fde->CIE_pointer);
	const uint8_t *p = fde->start;
	size_t left = (size_t)(fde->end - fde->start), n;
	uint64_t start, length, place;

	/* The bases text, data and function never occur on Linux; indirect is for data. */
	if (encoding == ENCODING_UNKNOWN || ((encoding & RELATIVE_MASK) & ~RELATIVE_PC))
		return false;
	n = read_form(p, left, encoding & FORM_MASK, &start);
	if (n == 0)
		return false;
	place = w->vaddr + (uint64_t)(p - (const uint8_t *)w->data.d_buf);
	if (encoding & RELATIVE_PC)
		start += place;
	/* The length has the same size as the start, but is unsigned and not relative. */
	if (read_form(p + n, left - n, encoding & FORM_MASK & 0x07, &length) == 0)
		return false;
	if (length == 0 || start + length < start)
		return false;
	*range = (struct eh_frame_function){.start = start,
					    .end = start + length,
					    .name = STRINGS_NONE,
					    .is_signal = w->is_signal};
	return true;
}

static int walk_entries(struct walk *w, struct eh_frame_functions *r)
{
	Dwarf_Off at = 0, next = 0;

	/* An entry that cannot be used is skipped if its length leads to the next entry. */
	for (;; at = next) {
		Dwarf_CFI_Entry entry;
		struct eh_frame_function range;
		int rc = dwarf_next_cfi(w->ident, &w->data, true, at, &next, &entry);

		if (rc > 0 || next <= at || next == (Dwarf_Off)-1)
			return 0;
		if (rc < 0 || dwarf_cfi_cie_p(&entry) || !range_of(w, &entry.fde, &range))
			continue;
		if (r->n > 0 && range.start <= r->ranges[r->n - 1].start)
			w->is_sorted = false;
		if (!array_reserve(&r->ranges, &r->capacity, r->n + 1, sizeof(*r->ranges)))
			return -ENOMEM;
		r->ranges[r->n++] = range;
	}
}

/* Of several ranges with the same start, the shortest comes first and is kept, because it covers
 * the fewest addresses that may belong to another function. */
static int compare_ranges(const void *left, const void *right, void *unused)
{
	(void)unused;
	const struct eh_frame_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static int sort(struct eh_frame_functions *r)
{
	size_t kept = 0;

	if (address_sort(r->ranges, sizeof(*r->ranges), r->n, compare_ranges, NULL))
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++) {
		if (kept == 0 || r->ranges[kept - 1].start != r->ranges[i].start)
			r->ranges[kept++] = r->ranges[i];
	}
	r->n = kept;
	return 0;
}

int eh_frame_functions_read(struct eh_frame_functions *r, const struct elf_file *f)
{
	const Elf64_Shdr *s = elf_file_section_named(f, ".eh_frame");
	struct walk w = {.cie = (Dwarf_Off)-1, .encoding = ENCODING_UNKNOWN, .is_sorted = true};
	unsigned char *bytes;
	int rc;

	memset(r, 0, sizeof(*r));
	if (!s)
		return 0;
	rc = elf_file_load(f, s->sh_offset, s->sh_size, &bytes);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	w.data.d_buf = bytes;
	w.data.d_size = (size_t)s->sh_size;
	w.data.d_type = ELF_T_BYTE;
	w.data.d_version = EV_CURRENT;
	w.vaddr = s->sh_addr;
	memcpy(w.ident, f->head.e_ident, sizeof(w.ident));
	rc = walk_entries(&w, r);
	free(bytes);
	return rc == 0 && !w.is_sorted ? sort(r) : rc;
}

void eh_frame_functions_free(struct eh_frame_functions *r)
{
	free(r->ranges);
	memset(r, 0, sizeof(*r));
}

struct eh_frame_function *eh_frame_functions_find(const struct eh_frame_functions *r,
						  uint64_t address)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < r->ranges[low - 1].end ? &r->ranges[low - 1] : NULL;
}

/* ---- plt ------------------------------------------------------------------------------------- */
/*
 * Finds what each stub of a procedure linkage table jumps to.
 *
 * In: .plt, .plt.sec, .plt.got and the relocations of a module. Out: symbols.
 *
 * The relocation of the slot that a stub jumps by names the function. Code that is no such stub (the first one of .plt, and
 * those that only push an index) gets no symbol, but the unwind table covers it.
 */

/* The largest number of relocations in a section that is read. The .rela.dyn of a large library has
 * a million. It is left out, because only the few stubs of .plt.got need it. */
#define RELOCATIONS_MAX 65536

struct relocation {
	uint64_t slot;
	uint32_t symbol; /* in .dynsym */
};

struct stubs {
	const struct machine *machine;
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
		if (ELF64_R_TYPE(r.r_info) == p->machine->call_relocation ||
		    ELF64_R_TYPE(r.r_info) == p->machine->data_relocation) {
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
	uint64_t stub_bytes = p->machine->stub_bytes;
	unsigned char *code;
	int rc;

	if (!s || s->sh_size / stub_bytes > RELOCATIONS_MAX)
		return 0;
	rc = elf_file_load(f, s->sh_offset, s->sh_size, &code);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (!p->machine->stub_step && s->sh_entsize != stub_bytes)
		stub_bytes *= 2;
	for (uint64_t at = 0, step; at + stub_bytes <= s->sh_size && rc == 0; at += step) {
		uint64_t address = s->sh_addr + at;
		int64_t slot;

		step = p->machine->stub_step;
		if (p->machine->read_stub(code + at, stub_bytes, address, &slot)) {
			rc = add_stub(t, p, address, stub_bytes, slot);
			step = stub_bytes;
		}
		step = step ? step : stub_bytes;
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
	struct stubs p = {.machine = machine_of_elf(f->head.e_machine),
			  .source = symbol_table_source(t, SHT_DYNSYM)};
	int rc = 0;

	if (p.machine && p.source >= 0)
		rc = add_all(t, &p, f);
	free(p.relocations);
	free(p.symbols);
	return rc;
}
