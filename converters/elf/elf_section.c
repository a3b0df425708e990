/* SPDX-License-Identifier: MIT */
/*
 * elf_section.c - reads sections that may be compressed.
 *
 * In: an ELF file. Out: the bytes of a section.
 */
#include "elf/elf_section.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

/* The largest ratio of a section's size to its compressed size. Debug sections shrink to a third,
 * those full of zeros to less. A section beyond this ratio is forged and would fill the memory. */
#define RATIO_MAX 200u
#define BYTES_MAX (UINT64_C(1) << 30)

const Elf64_Shdr *elf_section_named(const struct elf_file *f, const char *name)
{
	for (size_t i = 1; i < f->n_sections; i++) {
		if (f->sections[i].sh_type != SHT_NOBITS && f->sections[i].sh_size > 0 &&
		    elf_file_section_is(f, &f->sections[i], name))
			return &f->sections[i];
	}
	return NULL;
}

/* Reads the header of a compressed section. Returns false if there is no such header, or if the
 * kind of compression is not supported. */
static bool read_header(const struct elf_file *f, const Elf64_Shdr *s, Elf64_Chdr *head)
{
	return s->sh_size > sizeof(*head) &&
	       elf_file_read(f, s->sh_offset, head, sizeof(*head)) == 0 &&
	       head->ch_type == ELFCOMPRESS_ZLIB;
}

bool elf_section_is_foreign(const struct elf_file *f, const Elf64_Shdr *s)
{
	Elf64_Chdr head;

	return (s->sh_flags & SHF_COMPRESSED) && s->sh_size > sizeof(head) &&
	       elf_file_read(f, s->sh_offset, &head, sizeof(head)) == 0 &&
	       head.ch_type != ELFCOMPRESS_ZLIB;
}

uint64_t elf_section_bytes(const struct elf_file *f, const Elf64_Shdr *s)
{
	Elf64_Chdr head;
	uint64_t bytes = s->sh_size;

	if (s->sh_offset > f->bytes || s->sh_size > f->bytes - s->sh_offset)
		return 0;
	if (s->sh_flags & SHF_COMPRESSED) {
		if (!read_header(f, s, &head) || head.ch_size / RATIO_MAX > s->sh_size)
			return 0;
		bytes = head.ch_size;
	}
	return bytes <= BYTES_MAX ? bytes : 0;
}

/* Decompresses a section in one call, for which libdeflate takes little more than half of zlib's
 * time. */
static int unpack(const unsigned char *from, size_t n, unsigned char *to, size_t bytes)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (!d)
		return -ENOMEM;
	result = libdeflate_zlib_decompress(d, from, n, to, bytes, NULL);
	libdeflate_free_decompressor(d);
	return result == LIBDEFLATE_SUCCESS ? 0 : -ENODATA;
}

int elf_section_read(const struct elf_file *f, const Elf64_Shdr *s, unsigned char *to)
{
	uint64_t bytes = elf_section_bytes(f, s);
	unsigned char *packed;
	int rc;

	if (bytes == 0)
		return -ENODATA;
	if (!(s->sh_flags & SHF_COMPRESSED))
		return elf_file_read(f, s->sh_offset, to, bytes);
	packed = malloc(s->sh_size);
	if (!packed)
		return -ENOMEM;
	rc = elf_file_read(f, s->sh_offset, packed, s->sh_size);
	if (rc == 0)
		rc = unpack(packed + sizeof(Elf64_Chdr), s->sh_size - sizeof(Elf64_Chdr), to,
			    bytes);
	free(packed);
	return rc;
}
