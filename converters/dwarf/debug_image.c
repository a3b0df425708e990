/* SPDX-License-Identifier: MIT */
/*
 * debug_image.c - copies debug sections into an ELF image in memory for libdw.
 *
 * In: an ELF file. Out: a Dwarf handle on copies of its sections:
 *
 * 	Elf64_Ehdr | section, zeros | section, zeros | ... | section names | Elf64_Shdr ...
 */
#include "dwarf/debug_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/debug_cost.h"
#include "elf/elf_section.h"

/* The first two sections are required. The line tables come last, because they are not always
 * wanted. */
static const char *const names[] = {
	".debug_info",	   ".debug_abbrev",	 ".debug_str",
	".debug_line_str", ".debug_ranges",	 ".debug_rnglists",
	".debug_addr",	   ".debug_str_offsets", ".debug_line",
};

#define N_NAMES	      (sizeof(names) / sizeof(names[0]))
#define N_NEEDED      2
#define ABBREVIATIONS 1 /* index in names, as LINES */
#define LINES	      (N_NAMES - 1)
#define NAME_BYTES    20 /* room for each name in the image */
/* The number of zeros behind each section: the longest number has 10 bytes, an address 8. */
#define ZEROS	  32u
#define BYTES_MAX (UINT64_C(1) << 30) /* of an image */

/* Section 0 is the empty one that ELF requires; the last section has the names. */
struct plan {
	const Elf64_Shdr *from[N_NAMES];
	size_t kinds[N_NAMES]; /* the index in names of each section in `from` */
	Elf64_Shdr sections[N_NAMES + 2];
	size_t n;
	uint64_t end; /* offset in the image behind the sections that are planned so far */
};

static void plan_section(struct plan *p, Elf64_Word type, uint64_t bytes)
{
	p->sections[p->n] = (Elf64_Shdr){
		.sh_name = (Elf64_Word)(p->n * NAME_BYTES),
		.sh_type = type,
		.sh_offset = p->end,
		.sh_size = bytes,
		.sh_addralign = 1,
	};
	p->n++;
	p->end += (bytes + ZEROS + 15) & ~UINT64_C(15);
}

/* Returns false if a required section is missing or the image would be too large. */
static bool plan_image(struct plan *p, const struct elf_file *f, bool lines)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	p->n = 1;
	p->end = sizeof(Elf64_Ehdr);
	for (i = 0; i < (lines ? N_NAMES : N_NAMES - 1); i++) {
		const Elf64_Shdr *s = elf_section_named(f, names[i]);
		uint64_t bytes = s ? elf_section_bytes(f, s) : 0;

		if (!bytes && i < N_NEEDED)
			return false;
		if (!bytes)
			continue;
		p->from[p->n - 1] = s;
		p->kinds[p->n - 1] = i;
		plan_section(p, SHT_PROGBITS, bytes);
	}
	plan_section(p, SHT_STRTAB, (p->n + 1) * NAME_BYTES);
	return p->end + sizeof(p->sections) <= BYTES_MAX;
}

static void write_head(const struct plan *p, unsigned char *image)
{
	const Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = p->end,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)p->n,
		.e_shstrndx = (Elf64_Half)(p->n - 1),
	};

	memcpy(image, &head, sizeof(head));
	memcpy(image + p->end, p->sections, p->n * sizeof(p->sections[0]));
}

/* A section that cannot be read, because it is corrupt or because the file has been cut since it
 * was opened, is filled with zeros. */
static int write_sections(const struct plan *p, const struct elf_file *f, unsigned char *image)
{
	char *name = (char *)image + p->sections[p->n - 1].sh_offset + NAME_BYTES;
	size_t i;

	for (i = 1; i + 1 < p->n; i++, name += NAME_BYTES) {
		const Elf64_Shdr *from = p->from[i - 1], *to = &p->sections[i];
		int rc = elf_section_read(f, from, image + to->sh_offset);

		if (rc == -ENOMEM)
			return rc;
		if (rc < 0)
			memset(image + to->sh_offset, 0, to->sh_size);
		strcpy(name, (const char *)f->names + from->sh_name);
	}
	return 0;
}

/* The section with this index in `names`; its bytes are NULL if the file does not have it. */
static struct debug_section section(const struct debug_image *d, const struct plan *p, size_t name)
{
	size_t i;

	for (i = 1; i + 1 < p->n; i++)
		if (p->kinds[i - 1] == name)
			return (struct debug_section){d->bytes + p->sections[i].sh_offset,
						      p->sections[i].sh_size};
	return (struct debug_section){0};
}

int debug_image_open(struct debug_image *d, const struct elf_file *f, bool lines)
{
	struct plan p;

	memset(d, 0, sizeof(*d));
	if (!plan_image(&p, f, lines))
		return 0;
	d->n_bytes = p.end + p.n * sizeof(p.sections[0]);
	d->bytes = calloc(1, d->n_bytes);
	if (!d->bytes || write_sections(&p, f, d->bytes)) {
		debug_image_close(d);
		return -1;
	}
	write_head(&p, d->bytes);
	elf_version(EV_CURRENT);
	d->elf = elf_memory((char *)d->bytes, d->n_bytes);
	d->dwarf = d->elf ? dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
	d->abbreviations = section(d, &p, ABBREVIATIONS);
	d->lines = section(d, &p, LINES);
	if (d->dwarf && debug_cost_is_bounded(d))
		return 1;
	debug_image_close(d);
	return 0;
}

void debug_image_close(struct debug_image *d)
{
	if (d->dwarf)
		dwarf_end(d->dwarf);
	if (d->elf)
		elf_end(d->elf);
	free(d->bytes);
	memset(d, 0, sizeof(*d));
}
