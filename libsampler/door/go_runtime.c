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

#include "base/copy.h"
#include "door/go_runtime.h"
#include "unwind/elf_memory.h"

#define GO_BUILD_ID 4

static int look(struct dl_phdr_info *file, size_t bytes, void *unused)
{
	(void)bytes;
	(void)unused;
	for (size_t i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &file->dlpi_phdr[i];
		uint8_t note[CPS_ELF_NOTE_MAX];
		size_t n = p->p_memsz < sizeof(note) ? p->p_memsz : sizeof(note);
		uint32_t any = UINT32_MAX;

		/* Copied, because a damaged header may point anywhere. */
		if (p->p_type == PT_NOTE && cps_copy(note, file->dlpi_addr + p->p_vaddr, n) &&
		    cps_elf_memory_note(note, n, GO_BUILD_ID, "Go\0", &any))
			return 1;
	}
	return 0;
}

bool cps_go_runtime_is_here(void)
{
	return dl_iterate_phdr(look, NULL) != 0;
}

/* The program is the first of all files. */
static int look_at_program(struct dl_phdr_info *file, size_t bytes, void *unused)
{
	return look(file, bytes, unused) ? 1 : -1;
}

bool cps_go_runtime_is_program(void)
{
	return dl_iterate_phdr(look_at_program, NULL) == 1;
}
