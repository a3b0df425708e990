/* SPDX-License-Identifier: MIT */
/*
 * slots.c - finds and writes slots of the linkage table.
 *
 * In: a loaded file, names of functions. Out: slots that lead to thunks.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/copy.h"
#include "base/sys.h"
#include "door/find.h"
#include "door/loaded.h"
#include "door/scope.h"
#include "door/slots.h"

#define PAGE ((uintptr_t)4096)

struct file {
	const struct link_map *map;
	struct cps_loaded loaded;
	const ElfW(Phdr) * headers;
	size_t n_headers;
};

/* ---- the file -------------------------------------------------------------------------------- */

static bool find_headers(struct file *f)
{
	ElfW(Ehdr) e;

	if (!f->map->l_prev) { /* the program */
		f->headers = (const void *)getauxval(AT_PHDR);
		f->n_headers = getauxval(AT_PHNUM);
		return f->headers != NULL;
	}
	if (!f->map->l_addr || !cps_copy(&e, f->map->l_addr, sizeof(e)) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	f->headers = (const void *)(f->map->l_addr + e.e_phoff);
	f->n_headers = e.e_phnum;
	return true;
}

static bool is_in_file(const struct file *f, uintptr_t address)
{
	for (size_t i = 0; i < f->n_headers; i++)
		if (f->headers[i].p_type == PT_LOAD &&
		    address - f->loaded.bias - f->headers[i].p_vaddr < f->headers[i].p_memsz)
			return true;
	return false;
}

/* Whether the loader has made the address read-only when it had relocated the file. */
static bool is_sealed(const struct file *f, uintptr_t address)
{
	for (size_t i = 0; i < f->n_headers; i++) {
		const ElfW(Phdr) *h = &f->headers[i];
		uintptr_t begin = f->loaded.bias + h->p_vaddr;

		if (h->p_type == PT_GNU_RELRO && address >= (begin & -PAGE) &&
		    address < ((begin + h->p_memsz) & -PAGE))
			return true;
	}
	return false;
}

/* ---- what a slot is used for ----------------------------------------------------------------- */

/* Code refers to a slot by its distance from the end of the instruction, which stands behind a byte that says so. The
 * end is behind the distance, or 1 or 4 bytes later if the instruction has another operand: a comparison, for one. */
static bool may_refer(const uint8_t *p, uintptr_t slot, bool *is_jump)
{
	int32_t distance;
	uintptr_t rest;

	memcpy(&distance, p, sizeof(distance));
	rest = slot - (uintptr_t)p - (uintptr_t)(intptr_t)distance;
	if ((rest != 4 && rest != 5 && rest != 8) || (p[-1] & 0xc7) != 0x05)
		return false;
	if (rest == 8 && p[-2] != 0x81 && p[-2] != 0xc7 && p[-2] != 0xf7 && p[-2] != 0x69)
		return false;
	*is_jump = rest == 4 && p[-2] == 0xff && (p[-1] == 0x15 || p[-1] == 0x25);
	return true;
}

/* Whether all code that refers to the slot calls it or jumps there. Bytes that only look like another instruction
 * count as one. */
static bool is_only_called(const struct file *f, uintptr_t slot)
{
	size_t n_jumps = 0;

	for (size_t i = 0; i < f->n_headers; i++) {
		const ElfW(Phdr) *h = &f->headers[i];
		const uint8_t *code = (const uint8_t *)f->loaded.bias + h->p_vaddr;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		if (!(h->p_flags & PF_R))
			return false;
		for (size_t k = 2; k + 4 <= h->p_filesz; k++) {
			bool is_jump;

			if (!may_refer(code + k, slot, &is_jump))
				continue;
			if (!is_jump)
				return false;
			n_jumps++;
		}
	}
	return n_jumps > 0;
}

/* Whether the program itself has a stub at the address by which it calls that function, and which is the function's
 * address for everyone. Its calls are met in its own slot. */
static bool is_stub(const struct cps_slots_function *w, uintptr_t address)
{
	const struct link_map *map = cps_find_first_file();
	struct cps_loaded f;

	if (!map || !cps_loaded_read(map, &f))
		return false;
	for (size_t i = 0; i < f.n_calls; i++) {
		const ElfW(Sym) *s = &f.symbols[ELF64_R_SYM(f.calls[i].r_info)];

		if (s->st_shndx == SHN_UNDEF && s->st_value && f.bias + s->st_value == address &&
		    strcmp(f.names + s->st_name, w->symbol) == 0)
			return true;
	}
	return false;
}

/* Whether the loader binds the slot when it is used for the first time: until then it leads back into the linkage
 * table. */
static bool is_unbound(const struct file *f, const ElfW(Sym) * s, uintptr_t target)
{
	return is_in_file(f, target) &&
	       (s->st_shndx == SHN_UNDEF || cps_loaded_address(&f->loaded, s) != target);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Order: what the thunk loads was stored before this. On a processor that keeps loads in their order that is enough: who
 * loads the slot and jumps there sees it. On another one the branch would order nothing, and membarrier(2) would have to
 * be called in between. */
static bool write_slot(const struct file *f, uintptr_t *slot, uintptr_t value)
{
	uintptr_t page = (uintptr_t)slot & -PAGE;
	bool sealed = is_sealed(f, (uintptr_t)slot);

	if ((uintptr_t)slot % sizeof(*slot) ||
	    (sealed && CPS_SYS(mprotect, page, PAGE, PROT_READ | PROT_WRITE, 0) != 0))
		return false;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (sealed)
		CPS_SYS(mprotect, page, PAGE, PROT_READ, 0);
	return true;
}

static void leave(const struct file *f, struct cps_slots_function *w, enum cps_slots_why why)
{
	const char *slash = strrchr(f->map->l_name, '/');
	const char *name = slash ? slash + 1 : *f->map->l_name ? f->map->l_name : "the program";

	if (!w->n_left[why]++)
		snprintf(w->left_in[why], sizeof(w->left_in[why]), "%s", name);
}

static void lead(const struct file *f, const ElfW(Rela) * r, struct cps_slots_function *w)
{
	uint32_t number = (uint32_t)ELF64_R_SYM(r->r_info);
	const ElfW(Sym) *s = &f->loaded.symbols[number];
	uintptr_t *slot = (uintptr_t *)(f->loaded.bias + r->r_offset);
	uintptr_t target = __atomic_load_n(slot, __ATOMIC_RELAXED), thunk;
	bool is_call = ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT;

	if (!target || w->is_thunk(target) || (!is_call && is_stub(w, target)))
		return;
	if (!is_call && !is_only_called(f, (uintptr_t)slot)) {
		leave(f, w, CPS_SLOTS_READ);
		return;
	}
	if (is_call && is_unbound(f, s, target))
		target = cps_scope_resolve(f->map, &f->loaded, number);
	thunk = target ? w->thunk(w->which, target) : 0;
	if (!thunk)
		leave(f, w, target ? CPS_SLOTS_FULL : CPS_SLOTS_UNBOUND);
	else if (!write_slot(f, slot, thunk))
		leave(f, w, CPS_SLOTS_PROTECTED);
	else
		w->n_led++;
}

static void lead_all(const struct file *f, const ElfW(Rela) * list, size_t n_list,
		     struct cps_slots_function *functions, size_t n)
{
	for (size_t i = 0; i < n_list; i++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(list[i].r_info);
		const char *name;

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		name = f->loaded.names + f->loaded.symbols[ELF64_R_SYM(list[i].r_info)].st_name;
		for (size_t k = 0; k < n; k++)
			if (strcmp(name, functions[k].symbol) == 0)
				lead(f, &list[i], &functions[k]);
	}
}

void cps_slots_lead(const struct link_map *map, struct cps_slots_function *functions, size_t n)
{
	struct file f = {.map = map};

	if (!cps_loaded_read(map, &f.loaded) || !find_headers(&f))
		return;
	lead_all(&f, f.loaded.calls, f.loaded.n_calls, functions, n);
	lead_all(&f, f.loaded.others, f.loaded.n_others, functions, n);
}
