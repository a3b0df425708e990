/* SPDX-License-Identifier: MIT */
/*
 * elf_memory.c - reads the headers of a file where the loader has put it.
 *
 * In: program headers. Out: segments, build id, the place of the unwind information.
 */
#include <elf.h>
#include <string.h>

#include "base/memory.h"
#include "unwind/elf_memory.h"
#include "format.h"
#include "base/poison.h"

#define NAME_PART 256u
#define ID_MOST	  64u

static bool take(const struct cps_elf_memory *file, void *to, uintptr_t from, size_t n)
{
	if (!file->is_lasting)
		return cps_copy(to, from, n);
	memcpy(to, (const void *)from, n);
	return true;
}

const uint8_t *cps_elf_memory_note(const uint8_t *notes, size_t bytes, uint32_t type,
				   const char name[4], uint32_t *content_bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)notes;
		size_t name_bytes = ((size_t)n->n_namesz + 3) & ~(size_t)3;
		size_t whole = sizeof(*n) + name_bytes + (((size_t)n->n_descsz + 3) & ~(size_t)3);

		if (whole > bytes)
			return NULL;
		if (n->n_type == type && n->n_namesz == 4 && n->n_descsz <= *content_bytes &&
		    memcmp(notes + sizeof(*n), name, 4) == 0) {
			*content_bytes = n->n_descsz;
			return notes + sizeof(*n) + name_bytes;
		}
		notes += whole;
		bytes -= whole;
	}
	return NULL;
}

static void find_build_id(struct cps_elf_memory *file, size_t bytes)
{
	uint32_t id_bytes = ID_MOST;

	file->id = cps_elf_memory_note(file->note, bytes, NT_GNU_BUILD_ID, "GNU", &id_bytes);
	file->id_bytes = file->id ? id_bytes : 0;
}

static bool find_headers(const struct cps_elf_memory *file, uintptr_t *where, size_t *n)
{
	ElfW(Ehdr) e;

	if (!file->bias || !take(file, &e, file->bias, sizeof(e)) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	*where = file->bias + e.e_phoff;
	*n = e.e_phnum;
	return true;
}

/* What does not lie in a segment of the file is not read. */
static bool lies_in_file(const struct cps_elf_memory *file, const ElfW(Phdr) * p)
{
	for (size_t i = 0; i < file->n; i++) {
		const ElfW(Phdr) *s = &file->headers[i];

		if (s->p_type == PT_LOAD && p->p_vaddr >= s->p_vaddr && p->p_memsz <= s->p_memsz &&
		    p->p_vaddr - s->p_vaddr <= s->p_memsz - p->p_memsz)
			return true;
	}
	return false;
}

bool cps_elf_memory_read(struct cps_elf_memory *file, const void *headers, size_t n)
{
	uintptr_t where = (uintptr_t)headers;

	file->id = NULL;
	file->id_bytes = 0;
	if ((!headers && !find_headers(file, &where, &n)) || n > CPS_ELF_HEADERS_MAX ||
	    !take(file, file->headers, where, n * sizeof(file->headers[0])))
		return false;
	file->n = n;
	for (size_t i = 0; i < n && !file->id; i++) {
		const ElfW(Phdr) *p = &file->headers[i];
		size_t bytes = p->p_memsz < CPS_ELF_NOTE_MAX ? p->p_memsz : CPS_ELF_NOTE_MAX;

		if (p->p_type == PT_NOTE && lies_in_file(file, p) &&
		    take(file, file->note, file->bias + p->p_vaddr, bytes))
			find_build_id(file, bytes);
	}
	return true;
}

/* The end of a name that may go away is not known before it is read, and what follows it may not be
 * readable: so no piece that is read passes the end of a page. */
bool cps_elf_memory_copy_name(char to[CPS_ELF_NAME_MAX + 1], const char *name)
{
	for (size_t n = 0; name && n < CPS_ELF_NAME_MAX;) {
		size_t part = NAME_PART - (uintptr_t)(name + n) % NAME_PART;

		if (part > CPS_ELF_NAME_MAX - n)
			part = CPS_ELF_NAME_MAX - n;
		if (!cps_copy(to + n, (uintptr_t)name + n, part))
			return false;
		to[n + part] = '\0';
		if (strnlen(to + n, part) < part)
			return true;
		n += part;
	}
	return false;
}

bool cps_elf_memory_read_name(struct cps_elf_memory *file, const char *name)
{
	size_t bytes;

	if (!name || !file->is_lasting)
		return cps_elf_memory_copy_name(file->name, name);
	bytes = strnlen(name, CPS_ELF_NAME_MAX);
	memcpy(file->name, name, bytes);
	file->name[bytes] = '\0';
	return bytes < CPS_ELF_NAME_MAX;
}

bool cps_elf_memory_has_name(const char *path, const char *name)
{
	size_t n = strlen(path) + 1;
	char part[NAME_PART];

	for (size_t done = 0; done < n; done += sizeof(part)) {
		size_t bytes = n - done < sizeof(part) ? n - done : sizeof(part);

		if (!cps_copy(part, (uintptr_t)name + done, bytes))
			return false;
		if (done == 0 && part[0] != '/')
			return true;
		if (memcmp(part, path + done, bytes) != 0)
			return false;
	}
	return true;
}

static struct cps_segment segment_of(const ElfW(Phdr) * p)
{
	return (struct cps_segment){.vaddr = p->p_vaddr,
				    .memory_bytes = p->p_memsz,
				    .file_offset = p->p_offset,
				    .file_bytes = p->p_filesz,
				    .flags = p->p_flags & 7u};
}

bool cps_elf_memory_is(const struct cps_elf_memory *file, const struct cps_module *m)
{
	uint32_t k = 0;

	if (file->bias != m->bias || file->id_bytes != m->build_id_bytes ||
	    (file->id && memcmp(file->id, m->build_id, file->id_bytes) != 0))
		return false;
	for (size_t i = 0; i < file->n && k < CPS_SEGMENTS_MAX; i++) {
		struct cps_segment s;

		if (file->headers[i].p_type != PT_LOAD)
			continue;
		s = segment_of(&file->headers[i]);
		if (k == m->n_segments || s.vaddr != m->segments[k].vaddr ||
		    s.memory_bytes != m->segments[k].memory_bytes ||
		    s.file_offset != m->segments[k].file_offset ||
		    s.file_bytes != m->segments[k].file_bytes || s.flags != m->segments[k].flags)
			return false;
		k++;
	}
	return k == m->n_segments;
}

static void take_segment(struct cps_module *m, struct cps_segment *segments, const ElfW(Phdr) * p)
{
	uintptr_t start = m->bias + p->p_vaddr;

	segments[m->n_segments] = segment_of(p);
	if (!m->n_segments || start < m->start)
		m->start = start;
	if (!m->n_segments || start + p->p_memsz > m->end)
		m->end = start + p->p_memsz;
	m->n_segments++;
}

static bool take_segments(const struct cps_elf_memory *file, struct cps_module *m)
{
	struct cps_segment *segments;
	size_t loads = 0;

	for (size_t i = 0; i < file->n; i++)
		loads += file->headers[i].p_type == PT_LOAD;
	if (loads > CPS_SEGMENTS_MAX)
		loads = CPS_SEGMENTS_MAX;
	segments = loads ? cps_arena_take(loads * sizeof(*segments)) : NULL;
	if (!segments)
		return false;
	m->segments = segments;
	for (size_t i = 0; i < file->n && m->n_segments < loads; i++)
		if (file->headers[i].p_type == PT_LOAD)
			take_segment(m, segments, &file->headers[i]);
	return true;
}

bool cps_elf_memory_describe(const struct cps_elf_memory *file, struct cps_module *m)
{
	m->bias = file->bias;
	m->is_lasting = file->is_lasting;
	if (!take_segments(file, m))
		return false;
	if (file->id)
		m->build_id =
			(const uint8_t *)cps_arena_copy((const char *)file->id, file->id_bytes);
	m->build_id_bytes = m->build_id ? file->id_bytes : 0;
	for (size_t i = 0; i < file->n; i++) {
		const ElfW(Phdr) *p = &file->headers[i];

		if (p->p_type == PT_GNU_EH_FRAME && p->p_memsz >= 8 && lies_in_file(file, p)) {
			m->eh_frame_hdr = (const uint8_t *)m->bias + p->p_vaddr;
			m->eh_frame_hdr_bytes = p->p_memsz;
		}
	}
	return true;
}

#pragma weak _r_debug /* musl has none; nothing is recorded there */

/* Programs may have a copy of the symbol _r_debug, which does not change. */
const struct r_debug *cps_elf_memory_debug(const void *headers, size_t n)
{
	const ElfW(Phdr) *p = headers;
	const ElfW(Dyn) *dynamic = NULL;
	uintptr_t bias = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].p_type == PT_PHDR)
			bias = (uintptr_t)p - p[i].p_vaddr;
	for (size_t i = 0; i < n; i++)
		if (p[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(bias + p[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG && dynamic->d_un.d_ptr)
			return (const void *)dynamic->d_un.d_ptr;
	return &_r_debug;
}
