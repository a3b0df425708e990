/* SPDX-License-Identifier: MIT */
/*
 * test_elf_file.c - a damaged or forged file costs names, and nothing else.
 */
#include "module_fixture.h"

#include <elf.h>
#include <sys/resource.h>

#include "elf/elf_file.h"

TestSuite(elf_file, .init = enter_fixture, .fini = leave_fixture, .timeout = 100);

struct image {
	unsigned char *bytes;
	size_t n;
	Elf64_Ehdr head;
	Elf64_Shdr sections[64];
};

/* A small library with all that we read: symbols, unwind table, stubs, notes. */
static void build(struct image *image)
{
	put("l.c",
	    "int far(int); static __attribute__((noinline)) int f(int a) { return far(a) + 1; }\n"
	    "int g(int a); int g(int a) { return f(a) + 2; }\n");
	sh("gcc -O1 -shared -fPIC -nostdlib -Wl,--build-id -o l.so l.c");
	image->bytes = slurp("l.so", &image->n);
	memcpy(&image->head, image->bytes, sizeof(image->head));
	memcpy(image->sections, image->bytes + image->head.e_shoff,
	       image->head.e_shnum * sizeof(Elf64_Shdr));
}

/* Ask for names all over the damaged file; any answer will do. */
static void ask(const struct image *image, const unsigned char *bytes, size_t n)
{
	struct subject *s;

	spill("damaged.so", bytes, n);
	s = subject_new("damaged.so");
	for (uint64_t address = 0; address < 0x4000; address += 149)
		cr_assert(name_at(s, address)[0]);
	name_at(s, UINT64_MAX);
	name_at(s, image->head.e_entry);
	subject_free(s);
}

Test(elf_file, cut_anywhere)
{
	struct image image;

	build(&image);
	for (size_t n = 0; n < image.n; n += n < 1024 ? 31 : 127)
		ask(&image, image.bytes, n);
	free(image.bytes);
}

/* Each byte of the part in turn, to several values. */
static void damage(const struct image *image, size_t from, size_t bytes, size_t step)
{
	static const unsigned char values[] = {0x00, 0x7f, 0xff};
	unsigned char *copy = malloc(image->n);

	memcpy(copy, image->bytes, image->n);
	for (size_t at = from; at < from + bytes; at += step) {
		for (size_t i = 0; i < sizeof(values); i++) {
			if (copy[at] == values[i])
				continue;
			copy[at] = values[i];
			ask(image, copy, image->n);
			copy[at] = image->bytes[at];
		}
	}
	free(copy);
}

Test(elf_file, damaged_headers)
{
	struct image image;

	build(&image);
	damage(&image, 0, sizeof(Elf64_Ehdr), 1);
	damage(&image, image.head.e_phoff, image.head.e_phnum * sizeof(Elf64_Phdr), 7);
	damage(&image, image.head.e_shoff, image.head.e_shnum * sizeof(Elf64_Shdr), 3);
	free(image.bytes);
}

Test(elf_file, damaged_sections)
{
	struct image image;

	build(&image);
	for (size_t i = 1; i < image.head.e_shnum; i++) {
		const Elf64_Shdr *s = &image.sections[i];

		if (s->sh_type != SHT_NOBITS)
			damage(&image, s->sh_offset, s->sh_size, s->sh_size > 128 ? 11 : 1);
	}
	free(image.bytes);
}

Test(elf_file, damaged_at_random)
{
	struct image image;
	unsigned char *copy;

	build(&image);
	copy = malloc(image.n);
	srand(7);
	for (int round = 0; round < 500; round++) {
		memcpy(copy, image.bytes, image.n);
		for (int i = 0; i < 20; i++) {
			const Elf64_Shdr *s =
				&image.sections[1 + rand() % (image.head.e_shnum - 1)];

			if (s->sh_type != SHT_NOBITS && s->sh_size > 0)
				copy[s->sh_offset + (size_t)rand() % s->sh_size] ^= 1
										    << (rand() % 8);
		}
		ask(&image, copy, image.n);
	}
	free(copy);
	free(image.bytes);
}

/* ---- sizes forged, in a file of terabytes that takes no space ---- */

static void forge(const struct image *image, Elf64_Word type, uint64_t size)
{
	unsigned char *copy = malloc(image->n);
	bool is_done = false;

	memcpy(copy, image->bytes, image->n);
	for (size_t i = 1; i < image->head.e_shnum; i++) {
		Elf64_Shdr s = image->sections[i];

		if (s.sh_type != type)
			continue;
		s.sh_size = size;
		memcpy(copy + image->head.e_shoff + i * sizeof(s), &s, sizeof(s));
		is_done = true;
	}
	cr_assert(is_done);
	spill("forged.so", copy, image->n);
	cr_assert_eq(truncate("forged.so", (off_t)1 << 42), 0);
	free(copy);
}

static void ask_forged(void)
{
	struct subject *s = subject_new("forged.so");

	for (uint64_t address = 0; address < 0x2000; address += 64)
		cr_assert(name_at(s, address)[0]);
	subject_free(s);
}

Test(elf_file, forged_sizes)
{
	static const Elf64_Word types[] = {SHT_SYMTAB, SHT_DYNSYM, SHT_STRTAB, SHT_PROGBITS,
					   SHT_NOTE,   SHT_RELA,   SHT_DYNAMIC};
	static const uint64_t sizes[] = {1ull << 41, UINT64_MAX, UINT64_MAX - 4096, 1ull << 63};
	struct image image;

	build(&image);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		for (size_t j = 0; j < sizeof(sizes) / sizeof(*sizes); j++) {
			forge(&image, types[i], sizes[j]);
			ask_forged();
		}
	}
	free(image.bytes);
}

Test(elf_file, forged_number_of_sections)
{
	struct image image;
	Elf64_Ehdr *head;

	build(&image);
	head = (Elf64_Ehdr *)image.bytes;
	head->e_shnum = 0; /* see section 0 */
	((Elf64_Shdr *)(image.bytes + head->e_shoff))->sh_size = 1ull << 34;
	spill("forged.so", image.bytes, image.n);
	cr_assert_eq(truncate("forged.so", (off_t)1 << 42), 0);
	ask_forged();
	head->e_shnum = 0xffff;
	head->e_phnum = 0xfffe;
	spill("forged.so", image.bytes, image.n);
	cr_assert_eq(truncate("forged.so", (off_t)1 << 42), 0);
	ask_forged();
	free(image.bytes);
}

/* Thousands of symbols whose names are one endless text: the names must not fill the memory. */
Test(elf_file, forged_names)
{
	enum { SYMBOLS = 20000, TEXT = 1 << 20 };
	struct image image;
	unsigned char *bytes;
	Elf64_Shdr *sections, *code = NULL;
	struct subject *s;
	size_t total = 0, n_bytes;

	build(&image);
	bytes = calloc(1, image.n + SYMBOLS * sizeof(Elf64_Sym) + TEXT);
	memcpy(bytes, image.bytes, image.n);
	memset(bytes + image.n + SYMBOLS * sizeof(Elf64_Sym), 'n', TEXT);
	sections = (Elf64_Shdr *)(bytes + image.head.e_shoff);
	for (size_t i = 1; i < image.head.e_shnum; i++) {
		if (sections[i].sh_flags & SHF_EXECINSTR)
			code = &sections[i];
		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		sections[i].sh_offset = image.n;
		sections[i].sh_size = SYMBOLS * sizeof(Elf64_Sym);
		sections[sections[i].sh_link].sh_offset = image.n + SYMBOLS * sizeof(Elf64_Sym);
		sections[sections[i].sh_link].sh_size = TEXT;
	}
	code->sh_size = SYMBOLS;
	for (size_t i = 0; i < SYMBOLS; i++) {
		Elf64_Sym sym = {.st_name = (Elf64_Word)i,
				 .st_info = STT_FUNC,
				 .st_shndx = (Elf64_Half)(code - sections),
				 .st_value = code->sh_addr + i,
				 .st_size = i % 2};

		memcpy(bytes + image.n + i * sizeof(sym), &sym, sizeof(sym));
	}
	spill("forged.so", bytes, image.n + SYMBOLS * sizeof(Elf64_Sym) + TEXT);
	s = subject_new("forged.so");
	for (size_t i = 0; i < SYMBOLS; i++)
		name_at(s, code->sh_addr + i);
	for (uint32_t i = 0; i < strings_count(s->profile.strings); i++) {
		strings_get(s->profile.strings, i, &n_bytes);
		total += n_bytes;
	}
	cr_assert_lt(total, 20 * TEXT);
	subject_free(s);
	free(bytes);
	free(image.bytes);
}

Test(elf_file, checksum_and_pieces)
{
	struct elf_file f;
	struct error why;
	struct image image;
	unsigned char *piece;
	char line[64];
	uint32_t crc;
	FILE *p;

	build(&image);
	cr_assert_eq(elf_file_open(&f, "l.so", &why), 0);
	cr_assert_eq(elf_file_load(&f, 1, 3, &piece), 0);
	cr_assert_str_eq((char *)piece, "ELF");
	free(piece);
	cr_assert_lt(elf_file_load(&f, image.n, 1, &piece), 0);
	cr_assert_null(piece);
	cr_assert_lt(elf_file_load(&f, image.n + 1, 0, &piece), 0);
	cr_assert_lt(elf_file_load(&f, UINT64_MAX, 2, &piece), 0);
	cr_assert_eq(elf_file_load(&f, image.n, 0, &piece), 0);
	free(piece);
	/* gzip ends with the checksum, then the size. */
	p = popen("gzip -c l.so | tail -c 8 | head -c 4 | od -An -tx4", "r");
	cr_assert(p && fgets(line, sizeof(line), p));
	pclose(p);
	cr_assert_eq(elf_file_crc(&f, &crc), 0);
	cr_assert_eq(crc, strtoul(line, NULL, 16));
	elf_file_close(&f);
	elf_file_close(&f);
	free(image.bytes);
}
