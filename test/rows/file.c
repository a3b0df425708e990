/* SPDX-License-Identifier: MIT */
/*
 * file.c - compares all unwind information of a file.
 *
 * In: a file. Out: counts, and a line for each difference.
 *
 * The file is mapped as the loader does it, so that the recorder's functions find what they find in
 * a process. Its addresses are walked through by the table of .eh_frame_hdr. At the first and the
 * last address of each range for which libdw has one description, the recorder must have the same.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "unwind/elf_memory.h"
#include "unwind/row.h"

#define PAGE	       4096u
#define LARGEST_IMAGE  (UINT64_C(4) << 30)
#define ROWS_A_TURN    10000u /* rows within TURN_SECONDS, or the file is given up */
#define TURN_SECONDS   120    /* of CPU time, so that nothing depends on what else runs */
#define SLOW_ADDRESSES 64u    /* of a slow row that are compared */

/* ---- the file in memory ------------------------------------------------------------------------- */

static bool is_loadable(const Elf64_Phdr *p, uint64_t file_bytes)
{
	return p->p_memsz >= p->p_filesz && p->p_offset <= file_bytes &&
	       p->p_filesz <= file_bytes - p->p_offset && p->p_offset % PAGE == p->p_vaddr % PAGE &&
	       p->p_vaddr < UINT64_C(1) << 47 && p->p_memsz <= LARGEST_IMAGE;
}

/* Find the addresses that the segments take up. False: the loader would not load this. */
static bool find_bounds(const Elf64_Phdr *p, size_t n, uint64_t file_bytes, uint64_t *low,
			uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	for (size_t i = 0; i < n; i++) {
		if (p[i].p_type != PT_LOAD)
			continue;
		if (!is_loadable(&p[i], file_bytes))
			return false;
		if (p[i].p_vaddr < *low)
			*low = p[i].p_vaddr & -(uint64_t)PAGE;
		if (p[i].p_vaddr + p[i].p_memsz > *high)
			*high = p[i].p_vaddr + p[i].p_memsz;
	}
	return *low < *high && *high - *low <= LARGEST_IMAGE;
}

static bool map_segment(int fd, char *bias, const Elf64_Phdr *p)
{
	uint64_t before = p->p_vaddr % PAGE;

	return p->p_filesz == 0 ||
	       mmap(bias + p->p_vaddr - before, p->p_filesz + before, PROT_READ,
		    MAP_PRIVATE | MAP_FIXED, fd, (off_t)(p->p_offset - before)) != MAP_FAILED;
}

/* What has no bytes in the file stays the zeros of the first mapping. */
static bool map_file(int fd, uint64_t file_bytes, const Elf64_Phdr *p, size_t n, char **bias)
{
	uint64_t low, high;
	char *image;

	if (!find_bounds(p, n, file_bytes, &low, &high))
		return false;
	image = mmap(NULL, high - low + PAGE, PROT_READ,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image == MAP_FAILED)
		return false;
	*bias = image - low;
	for (size_t i = 0; i < n; i++)
		if (p[i].p_type == PT_LOAD && !map_segment(fd, *bias, &p[i]))
			return false;
	return true;
}

/* ---- the walk through its addresses ------------------------------------------------------------- */

struct table {
	const uint8_t *header;
	uint64_t base; /* the address of the header */
	uint32_t n;
};

/* The only encodings that linkers write: a count of four bytes, and pairs of four bytes each that are
 * relative to the header. */
static bool find_table(const struct cps_module *m, struct table *t)
{
	static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};

	t->header = m->eh_frame_hdr;
	if (!t->header || m->eh_frame_hdr_bytes < 12 || memcmp(t->header, usual, sizeof(usual)))
		return false;
	t->base = (uintptr_t)t->header - m->bias;
	memcpy(&t->n, t->header + 8, sizeof(t->n));
	return t->n > 0 && t->n <= (m->eh_frame_hdr_bytes - 12) / 8;
}

static uint64_t start_of(const struct table *t, uint32_t i)
{
	int32_t distance;

	memcpy(&distance, t->header + 12 + 8 * (size_t)i, sizeof(distance));
	return t->base + (uint64_t)(int64_t)distance;
}

static bool is_sorted(const struct table *t)
{
	for (uint32_t i = 1; i < t->n; i++)
		if (start_of(t, i - 1) > start_of(t, i))
			return false;
	return true;
}

static void begin_turn(void)
{
	const struct itimerval turn = {.it_value.tv_sec = TURN_SECONDS};

	setitimer(ITIMER_PROF, &turn, NULL);
}

static void count_row(struct rows_count *c, enum cps_row_kind kind, uint64_t bytes)
{
	if (c->rows++ % ROWS_A_TURN == 0)
		begin_turn();
	c->kinds[kind]++;
	c->code_bytes += bytes;
}

/* Compare the last address of a row. The expressions of a slow row may depend on the address, as those
 * of the procedure linkage table do, so some more of its addresses are compared. */
static void walk_row(struct rows_file *f, enum cps_row_kind kind, uint64_t first, uint64_t end)
{
	uint64_t more = kind == CPS_ROW_SLOW ? SLOW_ADDRESSES : 0, ignored;

	for (uint64_t i = 1; i < more && i < end - first - 1; i++)
		compare_address(f, first, first + i, &ignored);
	if (end - first > 1)
		compare_address(f, first, end - 1, &ignored);
}

/* Compare the rows from an address on, up to an address that libdw says nothing of. That one is
 * returned; or the limit, if it comes first. */
static uint64_t walk_rows(struct rows_file *f, uint64_t address, uint64_t limit)
{
	while (address < limit) {
		uint64_t end;
		enum cps_row_kind kind = compare_address(f, address, address, &end);

		if (end <= address)
			return address;
		walk_row(f, kind, address, end);
		count_row(f->count, kind, end - address);
		address = end;
	}
	return address;
}

/* Functions are followed by padding without unwind information. Its last byte is compared, too; the
 * first one was compared when the walk ended there. */
static void walk_table(struct rows_file *f, const struct table *t)
{
	uint64_t ignored, before = start_of(t, 0) - 1;

	compare_address(f, before, before, &ignored);
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t limit = i + 1 < t->n ? start_of(t, i + 1) : UINT64_MAX;
		uint64_t end = walk_rows(f, start_of(t, i), limit);

		if (end < limit && limit != UINT64_MAX)
			compare_address(f, limit - 1, limit - 1, &ignored);
	}
}

/* ---- one file ----------------------------------------------------------------------------------- */

static enum file_result compare_elf(struct rows_file *f, Elf *elf, int fd, uint64_t file_bytes)
{
	static struct cps_elf_memory image = {.is_lasting = true};
	const Elf64_Phdr *headers;
	struct table table;
	char *bias;
	size_t n;

	headers = elf64_getphdr(elf);
	if (!headers || elf_getphdrnum(elf, &n) || !map_file(fd, file_bytes, headers, n, &bias))
		return FILE_REFUSED;
	image.bias = (uintptr_t)bias;
	*f->stage = ROWS_RECORDER;
	if (!cps_elf_memory_read(&image, headers, n) ||
	    !cps_elf_memory_describe(&image, &f->module))
		return FILE_REFUSED;
	f->module.bytes = f->module.end - f->module.start;
	*f->stage = ROWS_OPENING;
	if (!find_table(&f->module, &table))
		return FILE_HAS_NO_ROWS;
	*f->stage = ROWS_LIBDW;
	f->cfi = dwarf_getcfi_elf(elf);
	if (!f->cfi || !is_sorted(&table) || !cps_row_prepare())
		return FILE_REFUSED;
	walk_table(f, &table);
	return FILE_COMPARED;
}

enum file_result file_compare(const char *path, struct rows_count *count,
			      volatile enum rows_stage *stage)
{
	struct rows_file f = {.path = path, .count = count, .stage = stage};
	enum file_result result = FILE_REFUSED;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	Elf *elf;

	if (fd < 0 || fstat(fd, &st))
		return FILE_REFUSED;
	begin_turn();
	elf_version(EV_CURRENT);
	elf = S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (elf)
		result = compare_elf(&f, elf, fd, (uint64_t)st.st_size);
	elf_end(elf);
	close(fd);
	return result;
}
