/* SPDX-License-Identifier: MIT */
/*
 * go_runtime.c - finds out whether the program contains Go's runtime.
 *
 * In: the notes of all files that are loaded. Out: whether one of them is the build id that Go's
 * linker writes. Programs, shared objects and stripped files have it.
 */
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/copy.h"
#include "clock/go_runtime.h"

#define GO_BUILD_ID 4
#define NOTE_MOST   1024 /* bytes of a note that are looked at */

static bool has_go_note(const uint8_t *note, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)note;
		size_t name = ((size_t)n->n_namesz + 3) & ~(size_t)3;
		size_t whole = sizeof(*n) + name + (((size_t)n->n_descsz + 3) & ~(size_t)3);

		if (whole > bytes)
			return false;
		if (n->n_type == GO_BUILD_ID && n->n_namesz == 4 &&
		    memcmp(note + sizeof(*n), "Go\0", 4) == 0)
			return true;
		note += whole;
		bytes -= whole;
	}
	return false;
}

static int look(struct dl_phdr_info *file, size_t bytes, void *unused)
{
	(void)bytes;
	(void)unused;
	for (size_t i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &file->dlpi_phdr[i];
		uint8_t note[NOTE_MOST];
		size_t n = p->p_memsz < NOTE_MOST ? p->p_memsz : NOTE_MOST;

		/* Copied, because a damaged header may point anywhere. */
		if (p->p_type == PT_NOTE && cps_copy(note, file->dlpi_addr + p->p_vaddr, n) &&
		    has_go_note(note, n))
			return 1;
	}
	return 0;
}

bool cps_go_runtime_is_here(void)
{
	return dl_iterate_phdr(look, NULL) != 0;
}
