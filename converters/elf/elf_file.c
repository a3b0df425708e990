/* SPDX-License-Identifier: MIT */
/*
 * elf_file.c - bounds-checked access to the pieces of an ELF file.
 */
#include <errno.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/regular.h"
#include "elf/elf_file.h"

/* ---- elf file -------------------------------------------------------------------------------- */
/*
 * Sections are read with pread and not mapped, for two reasons. A mapped file that is rebuilt while
 * it is read raises SIGBUS. And only the symbols and unwind tables are needed, which are a tenth of
 * a compiler's 33 MB.
 */

/* The largest piece that is loaded. The limit is needed because sizes may be forged, in sparse
 * files. */
#define LOAD_BYTES_MAX (UINT64_C(1) << 30)
/* The checksum of a larger file would take too long. */
#define CRC_BYTES_MAX (UINT64_C(1) << 33)
/* Build ids are in the first note or the second. The limits are needed because a forged file may
 * have thousands of notes. */
#define NOTES_MAX      32
#define NOTE_BYTES_MAX 65536

/* Read bytes [offset, offset + bytes) of the file. Returns 0; -ENODATA if the file does not have
 * these bytes; -EIO. */
static int elf_file_read(const struct elf_file *f, uint64_t offset, void *to, size_t bytes)
{
	unsigned char *p = to;

	if (offset > f->bytes || bytes > f->bytes - offset)
		return -ENODATA;
	if (f->image) {
		memcpy(to, f->image + offset, bytes);
		return 0;
	}
	while (bytes > 0) {
		ssize_t n = pread(f->fd, p, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -EIO;
		if (n == 0)
			return -ENODATA; /* cut since it was opened */
		p += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

int elf_file_load(const struct elf_file *f, uint64_t offset, uint64_t bytes, unsigned char **copy)
{
	unsigned char *p;
	int rc;

	*copy = NULL;
	if (bytes > LOAD_BYTES_MAX || offset > f->bytes || bytes > f->bytes - offset)
		return -ENODATA;
	p = malloc((size_t)bytes + 1);
	if (!p)
		return -ENOMEM;
	rc = elf_file_read(f, offset, p, (size_t)bytes);
	if (rc < 0) {
		free(p);
		return rc;
	}
	p[bytes] = '\0';
	*copy = p;
	return 0;
}

static int refuse(struct error *why, int rc, const char *reason)
{
	error_set(why, "%s", reason);
	return rc;
}

/* The reason why the header is refused, or NULL. Extended numbering (more than 65,279 sections or
 * 65,534 segments) is not supported, because only object files need it. */
static const char *flaw_of_head(const struct elf_file *f)
{
	const Elf64_Ehdr *h = &f->head;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a 64-bit little-endian ELF file";
	if (h->e_shoff != 0 && (h->e_shnum == 0 || h->e_shentsize != sizeof(Elf64_Shdr)))
		return "a corrupt ELF file (section headers)";
	if (h->e_phnum == PN_XNUM || (h->e_phnum > 0 && h->e_phentsize != sizeof(Elf64_Phdr)))
		return "a corrupt ELF file (program headers)";
	return NULL;
}

static int load_tables(struct elf_file *f)
{
	const Elf64_Ehdr *h = &f->head;
	unsigned char *copy;
	int rc = elf_file_load(f, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr), &copy);

	if (rc < 0)
		return rc;
	f->segments = (Elf64_Phdr *)copy;
	f->n_segments = h->e_phnum;
	if (h->e_shoff == 0)
		return 0;
	rc = elf_file_load(f, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr), &copy);
	if (rc < 0)
		return rc;
	f->sections = (Elf64_Shdr *)copy;
	f->n_sections = h->e_shnum;
	if (h->e_shstrndx >= f->n_sections)
		return 0;
	f->names_bytes = f->sections[h->e_shstrndx].sh_size;
	rc = elf_file_load(f, f->sections[h->e_shstrndx].sh_offset, f->names_bytes, &f->names);
	return rc;
}

static int open_tables(struct elf_file *f, struct error *why)
{
	const char *flaw;
	int rc = elf_file_read(f, 0, &f->head, sizeof(f->head));

	if (rc == -ENODATA)
		return refuse(why, -ENOEXEC, "not an ELF file");
	if (rc < 0)
		return refuse(why, rc, strerror(-rc));
	flaw = flaw_of_head(f);
	if (flaw)
		return refuse(why, -ENOEXEC, flaw);
	rc = load_tables(f);
	if (rc == -ENODATA)
		return refuse(why, -ENOEXEC, "an ELF file that is cut short or corrupt");
	if (rc < 0)
		return refuse(why, rc, strerror(-rc));
	return 0;
}

/* The descriptor may be -1; errno says why. */
static int take(struct elf_file *f, int fd, const char *path, struct error *why)
{
	struct stat st;
	int rc;

	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->is_open = fd >= 0;
	if (!f->is_open || fstat(f->fd, &st) < 0) {
		rc = -errno;
		elf_file_close(f);
		return refuse(why, rc, rc == -ENOEXEC ? "not a regular file" : strerror(-rc));
	}
	f->bytes = (uint64_t)st.st_size;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	f->path = strdup(path);
	rc = f->path ? open_tables(f, why) : refuse(why, -ENOMEM, strerror(ENOMEM));
	if (rc < 0)
		elf_file_close(f);
	return rc;
}

int elf_file_open_any(struct elf_file *f, const char *path, struct error *why)
{
	struct stat unused;

	return take(f, regular_open(path, &unused), path, why);
}

static int refuse_objects(struct elf_file *f, int rc, struct error *why)
{
	if (rc < 0 || f->head.e_type == ET_EXEC || f->head.e_type == ET_DYN)
		return rc;
	elf_file_close(f);
	return refuse(why, -ENOEXEC, "neither a program nor a shared library");
}

int elf_file_open(struct elf_file *f, const char *path, struct error *why)
{
	return refuse_objects(f, elf_file_open_any(f, path, why), why);
}

int elf_file_take(struct elf_file *f, int fd, const char *path, struct error *why)
{
	return refuse_objects(f, take(f, fd, path, why), why);
}

int elf_file_open_image(struct elf_file *f, const void *image, size_t bytes, struct error *why)
{
	int rc;

	memset(f, 0, sizeof(*f));
	f->image = image;
	f->bytes = bytes;
	rc = open_tables(f, why);
	if (rc < 0)
		elf_file_close(f);
	return rc;
}

void elf_file_close(struct elf_file *f)
{
	if (f->is_open)
		close(f->fd);
	free(f->path);
	free(f->sections);
	free(f->segments);
	free(f->names);
	memset(f, 0, sizeof(*f));
}

const Elf64_Shdr *elf_file_section_of_type(const struct elf_file *f, Elf64_Word type)
{
	for (size_t i = 1; i < f->n_sections; i++) {
		if (f->sections[i].sh_type == type)
			return &f->sections[i];
	}
	return NULL;
}

/* Says whether the section has this name. */
static bool elf_file_section_is(const struct elf_file *f, const Elf64_Shdr *s, const char *name)
{
	size_t bytes = strlen(name) + 1; /* with the NUL */

	return s->sh_name < f->names_bytes && bytes <= f->names_bytes - s->sh_name &&
	       memcmp(f->names + s->sh_name, name, bytes) == 0;
}

const Elf64_Shdr *elf_file_section_named(const struct elf_file *f, const char *name)
{
	for (size_t i = 1; i < f->n_sections; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type != SHT_NOBITS && !(s->sh_flags & SHF_COMPRESSED) &&
		    elf_file_section_is(f, s, name))
			return s;
	}
	return NULL;
}

/* Searches notes for the build id. A note is (name length, descriptor length, type), name,
 * descriptor, each padded to 4 bytes. */
static int build_id_in(const unsigned char *note, size_t bytes, unsigned char *id)
{
	while (bytes >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		uint64_t name_bytes, all_bytes;

		memcpy(&h, note, sizeof(h));
		name_bytes = ((uint64_t)h.n_namesz + 3) & ~UINT64_C(3);
		all_bytes = sizeof(h) + name_bytes + (((uint64_t)h.n_descsz + 3) & ~UINT64_C(3));
		if (sizeof(h) + name_bytes + h.n_descsz > bytes)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(note + sizeof(h), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    h.n_descsz <= ELF_FILE_BUILD_ID_MAX) {
			memcpy(id, note + sizeof(h) + name_bytes, h.n_descsz);
			return (int)h.n_descsz;
		}
		if (all_bytes >= bytes)
			return 0;
		note += all_bytes;
		bytes -= (size_t)all_bytes;
	}
	return 0;
}

static int build_id_at(const struct elf_file *f, uint64_t offset, uint64_t bytes, unsigned char *id)
{
	unsigned char *note;
	int rc;

	if (bytes > NOTE_BYTES_MAX)
		return 0;
	rc = elf_file_load(f, offset, bytes, &note);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	rc = build_id_in(note, (size_t)bytes, id);
	free(note);
	return rc;
}

/* Sections are searched before segments, because the segments of a separate debug file refer to
 * bytes that the file does not have. */
int elf_file_build_id(const struct elf_file *f, unsigned char id[ELF_FILE_BUILD_ID_MAX])
{
	size_t looked_at = 0;
	int n = 0;

	for (size_t i = 1; i < f->n_sections && n == 0 && looked_at < NOTES_MAX; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type != SHT_NOTE)
			continue;
		n = build_id_at(f, s->sh_offset, s->sh_size, id);
		looked_at++;
	}
	for (size_t i = 0; i < f->n_segments && n == 0 && looked_at < NOTES_MAX; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type != PT_NOTE || f->n_sections > 0)
			continue;
		n = build_id_at(f, p->p_offset, p->p_filesz, id);
		looked_at++;
	}
	return n;
}

int elf_file_crc(const struct elf_file *f, uint32_t *crc)
{
	unsigned char piece[65536];
	uLong sum = crc32(0, NULL, 0);

	if (f->bytes > CRC_BYTES_MAX)
		return -EFBIG;
	for (uint64_t at = 0; at < f->bytes; at += sizeof(piece)) {
		uint64_t n = f->bytes - at < sizeof(piece) ? f->bytes - at : sizeof(piece);
		int rc = elf_file_read(f, at, piece, (size_t)n);

		if (rc < 0)
			return rc;
		sum = crc32(sum, piece, (uInt)n);
	}
	*crc = (uint32_t)sum;
	return 0;
}

/* ---- elf section ----------------------------------------------------------------------------- */

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

/* ---- mini debug ------------------------------------------------------------------------------ */

/* Tables of symbols shrink to a fifth or a tenth. */
#define MINI_DEBUG_MAX (UINT64_C(1) << 28)
/* What the decoder itself may use; the highest preset of xz takes 65 MiB. */
#define DECODER_BYTES (UINT64_C(1) << 27)
#define STEP_BYTES    65536u

struct unpacking {
	lzma_stream z;
	unsigned char *bytes;
	size_t n, size, most;
};

/* 1: there may be more, 0: it is over, -ENODATA, -ENOMEM. */
static int unpack_step(struct unpacking *u)
{
	lzma_ret result;

	if (u->n >= u->most)
		return -ENODATA;
	if (!array_reserve(&u->bytes, &u->size, u->n + STEP_BYTES, 1))
		return -ENOMEM;
	u->z.next_out = u->bytes + u->n;
	u->z.avail_out = STEP_BYTES;
	result = lzma_code(&u->z, LZMA_FINISH);
	u->n += STEP_BYTES - u->z.avail_out;
	if (result == LZMA_MEM_ERROR)
		return -ENOMEM;
	if (result == LZMA_STREAM_END)
		return u->n <= u->most ? 0 : -ENODATA;
	return result == LZMA_OK ? 1 : -ENODATA;
}

static int unpack_mini_debug(struct unpacking *u, const unsigned char *from, size_t n)
{
	int rc = 1;

	u->z = (lzma_stream)LZMA_STREAM_INIT;
	u->most = n < MINI_DEBUG_MAX / RATIO_MAX ? n * RATIO_MAX : MINI_DEBUG_MAX;
	u->z.next_in = from;
	u->z.avail_in = n;
	switch (lzma_stream_decoder(&u->z, DECODER_BYTES, 0)) {
	case LZMA_OK:
		break;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	default:
		return -ENODATA;
	}
	while (rc > 0)
		rc = unpack_step(u);
	lzma_end(&u->z);
	return rc;
}

/* Read and unpack the section. */
static int load(struct unpacking *u, const struct elf_file *main, const Elf64_Shdr *s)
{
	uint64_t bytes = elf_section_bytes(main, s);
	unsigned char *packed;
	int rc;

	if (!bytes || bytes > MINI_DEBUG_MAX)
		return -ENODATA;
	packed = malloc(bytes);
	if (!packed)
		return -ENOMEM;
	rc = elf_section_read(main, s, packed);
	if (!rc)
		rc = unpack_mini_debug(u, packed, bytes);
	free(packed);
	return rc;
}

int mini_debug_open(struct elf_file *mini, unsigned char **image, const struct elf_file *main)
{
	const Elf64_Shdr *s = elf_section_named(main, ".gnu_debugdata");
	struct unpacking u = {.n = 0};
	struct error unused;
	int rc = s ? load(&u, main, s) : -ENODATA;

	if (!rc)
		rc = elf_file_open_image(mini, u.bytes, u.n, &unused);
	if (!rc) {
		*image = u.bytes;
		return 1;
	}
	free(u.bytes);
	return rc == -ENOMEM ? rc : 0;
}
