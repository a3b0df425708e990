/* SPDX-License-Identifier: MIT */
/*
 * elf_memory.c - reads the headers of a file where the loader has put it.
 *
 * In: program headers. Out: segments, build id, the place of the unwind information.
 */
#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/arena.h"
#include "base/sys.h"
#include "format.h"
#include "unwind/elf_memory.h"
#include "base/poison.h"

static bool readable(const void *address)
{
	return cps_sys_readable((uintptr_t)address);
}

const uint8_t *cps_elf_memory_build_id(const uint8_t *note, size_t bytes, uint32_t *id_bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)note;
		size_t name = ((size_t)n->n_namesz + 3) & ~(size_t)3;
		size_t whole = sizeof(*n) + name + (((size_t)n->n_descsz + 3) & ~(size_t)3);

		if (whole > bytes)
			return NULL;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= 64 &&
		    memcmp(note + sizeof(*n), "GNU", 4) == 0) {
			*id_bytes = n->n_descsz;
			return note + sizeof(*n) + name;
		}
		note += whole;
		bytes -= whole;
	}
	return NULL;
}

static void take_build_id(struct cps_module *m, const uint8_t *note, size_t bytes)
{
	uint32_t n = 0;
	const uint8_t *id = cps_elf_memory_build_id(note, bytes, &n);

	if (!id)
		return;
	m->build_id = (const uint8_t *)cps_arena_copy((const char *)id, n);
	m->build_id_bytes = m->build_id ? n : 0;
	m->build_id_note = note;
	m->build_id_note_bytes = bytes;
}

static void take_segment(struct cps_module *m, struct cps_segment *s, const ElfW(Phdr) * p)
{
	uintptr_t start = m->bias + p->p_vaddr;

	*s = (struct cps_segment){.vaddr = p->p_vaddr,
				  .memory_bytes = p->p_memsz,
				  .file_offset = p->p_offset,
				  .file_bytes = p->p_filesz,
				  .flags = p->p_flags & 7u};
	if (!m->n_segments || start < m->start)
		m->start = start;
	if (!m->n_segments || start + p->p_memsz > m->end)
		m->end = start + p->p_memsz;
	m->n_segments++;
}

static int take_segments(struct cps_module *m, const ElfW(Phdr) * p, size_t n)
{
	struct cps_segment *segments;
	size_t loads = 0;

	for (size_t i = 0; i < n; i++)
		loads += p[i].p_type == PT_LOAD;
	if (loads > CPS_SEGMENTS_MAX)
		loads = CPS_SEGMENTS_MAX;
	segments = loads ? cps_arena_take(loads * sizeof(*segments)) : NULL;
	if (!segments)
		return -1;
	m->segments = segments;
	for (size_t i = 0; i < n && m->n_segments < loads; i++)
		if (p[i].p_type == PT_LOAD)
			take_segment(m, &segments[m->n_segments], &p[i]);
	return 0;
}

int cps_elf_memory_read(struct cps_module *m, const void *headers, size_t n)
{
	const ElfW(Phdr) *p = headers;

	if (!p || n > 512 || !readable(p) || !readable(p + n - 1) || take_segments(m, p, n) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *where = (const uint8_t *)m->bias + p[i].p_vaddr;

		if ((uintptr_t)where < m->start || (uintptr_t)where + p[i].p_memsz > m->end)
			continue;
		if (p[i].p_type == PT_NOTE && !m->build_id && readable(where))
			take_build_id(m, where, p[i].p_memsz);
		if (p[i].p_type == PT_GNU_EH_FRAME && p[i].p_memsz >= 8) {
			m->eh_frame_hdr = where;
			m->eh_frame_hdr_bytes = p[i].p_memsz;
		}
	}
	return 0;
}
