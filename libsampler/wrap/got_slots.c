/* SPDX-License-Identifier: MIT */
/*
 * got_slots.c - leads calls of functions to the thunks that count them.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/sys.h"
#include "collector/calls.h"
#include "process/find.h"
#include "process/process_life.h"
#include "process/start.h"
#include "resource/calls.h"
#include "setup/wanted.h"
#include "unwind/module.h"
#include "wrap/slots.h"
#include "wrap/symbol_scope.h"
#include "wrap/wrap.h"

/* ---- slots of a file ------------------------------------------------------------------------- */
/*
 * Leads calls that go through the linkage table of a file to a thunk.
 *
 * A slot of the table has the address of a function. One that is only jumped through, which the
 * linker makes for calls, may have another one. One whose address the program's code also reads, to
 * keep or compare it, must not: pointers to the function would differ from file to file. It is left
 * as it is.
 *
 * In: a loaded file, names of functions. Out: slots that lead to thunks.
 */

#define PAGE CPS_SLOTS_PAGE

enum cps_got_slots_why {
	CPS_SLOTS_READ,	     /* the file's code also reads the slot */
	CPS_SLOTS_UNBOUND,   /* where the loader will bind it cannot be told */
	CPS_SLOTS_FULL,	     /* there is no thunk left */
	CPS_SLOTS_PROTECTED, /* it may not be written */
	CPS_SLOTS_WHYS
};

/* A function whose calls are led elsewhere. */
struct cps_got_slots_function {
	const char *symbol;
	uint32_t which; /* for the two functions below */
	/* The thunk that leads to `original`, 0: there is none; and whether an address is one of these. */
	uintptr_t (*thunk)(uint32_t which, uintptr_t original);
	bool (*is_thunk)(uintptr_t address);
	uint32_t n_led; /* slots that were */
	uint32_t n_left[CPS_SLOTS_WHYS];
	char left_in[CPS_SLOTS_WHYS][48]; /* the first file that has such a one */
};

/* ---- the file -------------------------------------------------------------------------------- */

static bool find_headers(struct cps_slots_file *f)
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

bool cps_slots_read(const struct link_map *map, struct cps_slots_file *f)
{
	*f = (struct cps_slots_file){.map = map};
	return cps_loaded_read(map, &f->loaded) && find_headers(f);
}

static bool is_in_file(const struct cps_slots_file *f, uintptr_t address)
{
	for (size_t i = 0; i < f->n_headers; i++)
		if (f->headers[i].p_type == PT_LOAD &&
		    address - f->loaded.bias - f->headers[i].p_vaddr < f->headers[i].p_memsz)
			return true;
	return false;
}

bool cps_slots_is_sealed(const struct cps_slots_file *f, uintptr_t address)
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

static struct cps_slots_use *find_use(uintptr_t slot, struct cps_slots_use *uses, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (uses[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && uses[low].slot == slot ? &uses[low] : NULL;
}

/* The distance at `p` is from 4, 5 or 8 bytes behind it. */
static void judge_at(const uint8_t *p, struct cps_slots_use *uses, size_t n)
{
	static const uint8_t rests[] = {4, 5, 8};
	int32_t distance;

	if ((p[-1] & 0xc7) != 0x05)
		return;
	memcpy(&distance, p, sizeof(distance));
	for (size_t i = 0; i < sizeof(rests); i++) {
		uintptr_t slot = (uintptr_t)p + (uintptr_t)(intptr_t)distance + rests[i];
		struct cps_slots_use *use;
		bool is_jump;

		if (slot < uses[0].slot || slot > uses[n - 1].slot)
			continue;
		use = find_use(slot, uses, n);
		if (!use || !may_refer(p, slot, &is_jump))
			continue;
		use->n_jumps += is_jump;
		use->is_read |= !is_jump;
	}
}

void cps_slots_judge(const struct cps_slots_file *f, struct cps_slots_use *uses, size_t n)
{
	for (size_t i = 0; n && i < f->n_headers; i++) {
		const ElfW(Phdr) *h = &f->headers[i];
		const uint8_t *code = (const uint8_t *)f->loaded.bias + h->p_vaddr;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		for (size_t k = 0; k < n; k++)
			uses[k].is_read |= !(h->p_flags & PF_R);
		for (size_t k = 2; h->p_flags & PF_R && k + 4 <= h->p_filesz; k++)
			judge_at(code + k, uses, n);
	}
}

/* Bytes that only look like another instruction count as one. */
static bool is_only_called(const struct cps_slots_file *f, uintptr_t slot)
{
	struct cps_slots_use use = {.slot = slot};

	cps_slots_judge(f, &use, 1);
	return use.n_jumps && !use.is_read;
}

/* Whether the program itself has a stub at the address by which it calls that function, and which is the function's
 * address for everyone. Its calls are met in its own slot. */
static bool is_stub(const struct cps_got_slots_function *w, uintptr_t address)
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

bool cps_slots_is_unbound(const struct cps_slots_file *f, const ElfW(Sym) * s, uintptr_t target)
{
	return is_in_file(f, target) &&
	       (s->st_shndx == SHN_UNDEF || cps_loaded_address(&f->loaded, s) != target);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Order: what the thunk loads was stored before the slot is. On a processor that keeps loads in their order that is enough: who
 * loads the slot and jumps there sees it. On another one the branch orders nothing, so the kernel has all threads of the process
 * pass a barrier in between. False: it cannot, or a filter may end the process for asking. */
bool cps_slots_settle(void)
{
	return !CPS_LOADS_PASS ||
	       (cps_copy_is_safe() &&
		CPS_SYS(membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0) == 0 &&
		CPS_SYS(membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0) == 0);
}

static bool write_slot(const struct cps_slots_file *f, uintptr_t *slot, uintptr_t value)
{
	uintptr_t page = (uintptr_t)slot & -PAGE;
	bool sealed = cps_slots_is_sealed(f, (uintptr_t)slot);

	if ((uintptr_t)slot % sizeof(*slot) || !cps_slots_settle() ||
	    (sealed && CPS_SYS(mprotect, page, PAGE, PROT_READ | PROT_WRITE, 0) != 0))
		return false;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (sealed)
		CPS_SYS(mprotect, page, PAGE, PROT_READ, 0);
	return true;
}

static void leave(const struct cps_slots_file *f, struct cps_got_slots_function *w,
		  enum cps_got_slots_why why)
{
	const char *slash = strrchr(f->map->l_name, '/');
	const char *name = slash ? slash + 1 : *f->map->l_name ? f->map->l_name : "the program";

	if (!w->n_left[why]++)
		snprintf(w->left_in[why], sizeof(w->left_in[why]), "%s", name);
}

static void lead(const struct cps_slots_file *f, const ElfW(Rela) * r,
		 struct cps_got_slots_function *w)
{
	uint32_t number = (uint32_t)ELF64_R_SYM(r->r_info);
	const ElfW(Sym) *s = &f->loaded.symbols[number];
	uintptr_t *slot = (uintptr_t *)(f->loaded.bias + r->r_offset);
	uintptr_t target = __atomic_load_n(slot, __ATOMIC_RELAXED), thunk;
	bool is_call = ELF64_R_TYPE(r->r_info) == CPS_RELOCATION_CALL;

	if (!target || w->is_thunk(target) || (!is_call && is_stub(w, target)))
		return;
	if (!is_call && !is_only_called(f, (uintptr_t)slot)) {
		leave(f, w, CPS_SLOTS_READ);
		return;
	}
	if (is_call && cps_slots_is_unbound(f, s, target))
		target = cps_symbol_scope_resolve(f->map, &f->loaded, number);
	thunk = target ? w->thunk(w->which, target) : 0;
	if (!thunk)
		leave(f, w, target ? CPS_SLOTS_FULL : CPS_SLOTS_UNBOUND);
	else if (!write_slot(f, slot, thunk))
		leave(f, w, CPS_SLOTS_PROTECTED);
	else
		w->n_led++;
}

static void lead_all(const struct cps_slots_file *f, const ElfW(Rela) * list, size_t n_list,
		     struct cps_got_slots_function *functions, size_t n)
{
	for (size_t i = 0; i < n_list; i++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(list[i].r_info);
		const char *name;

		if (type != CPS_RELOCATION_CALL && type != CPS_RELOCATION_DATA)
			continue;
		name = f->loaded.names + f->loaded.symbols[ELF64_R_SYM(list[i].r_info)].st_name;
		for (size_t k = 0; k < n; k++)
			if (strcmp(name, functions[k].symbol) == 0)
				lead(f, &list[i], &functions[k]);
	}
}

/* Lead the calls that this file makes of the functions. It must have been relocated, and stay loaded meanwhile.
 * What was led before is passed over. Not from two threads at once. */
static void cps_got_slots_lead(const struct link_map *map, struct cps_got_slots_function *functions,
			       size_t n)
{
	struct cps_slots_file f;

	if (!cps_slots_read(map, &f))
		return;
	lead_all(&f, f.loaded.calls, f.loaded.n_calls, functions, n);
	lead_all(&f, f.loaded.others, f.loaded.n_others, functions, n);
}

/* ---- where functions are called -------------------------------------------------------------- */
/*
 * Notices which files are loaded, for the calls that are counted.
 *
 * In: __gmon_start__, which each file that gcc or clang has linked calls before its constructors,
 * if anybody has it; calls of dlsym and dlopen. Out: slots of these files that lead to thunks.
 * dlopen itself is not wrapped (see got_slots.c); a thunk leaves the caller's return address
 * where it is.
 */

#define EXPORT	   __attribute__((visibility("default")))
#define LINE_BYTES 200
#define KNOWN	   64 /* files that dlsym was asked about */

void __gmon_start__(void);

enum look { LOOK_SYMBOL, LOOK_OPEN };

static struct cps_got_slots_function counted[CPS_CALLS_SYMBOLS];
static uintptr_t
	leaves[CPS_CALLS_SYMBOLS]; /* the real function, where this library has a wrapper */

/* What is said of each, and what was said before: another thread may be writing that into the recording. */
#define LINES 4
static char lines[CPS_CALLS_SYMBOLS][LINES][LINE_BYTES];
static uint8_t latest[CPS_CALLS_SYMBOLS];
static size_t n_counted;
static atomic_bool is_on;
static atomic_flag is_busy = ATOMIC_FLAG_INIT;
static atomic_uint n_passed_over; /* files, because another one was being looked at */
static _Atomic uintptr_t known[KNOWN];

/* ---- thunks ---------------------------------------------------------------------------------- */

static uintptr_t counting(uint32_t which, uintptr_t original)
{
	uint32_t number = cps_module_find(original);
	bool is_own = number != CPS_MODULE_NONE && cps_module_get(number)->is_own;

	return cps_calls_thunk(which, original, is_own && leaves[which] ? leaves[which] : original);
}

static uintptr_t looking(uint32_t which, uintptr_t original)
{
	return cps_calls_look(which, original);
}

static struct cps_got_slots_function looked_at[] = {
	{"dlsym", LOOK_SYMBOL, looking, cps_calls_is_look, 0, {0}, {""}},
	{"dlvsym", LOOK_SYMBOL, looking, cps_calls_is_look, 0, {0}, {""}},
	{"dlopen", LOOK_OPEN, looking, cps_calls_is_look, 0, {0}, {""}},
};

/* ---- files ----------------------------------------------------------------------------------- */

static uint32_t n_left(const struct cps_got_slots_function *w, enum cps_got_slots_why *most)
{
	uint32_t n = 0;

	*most = CPS_SLOTS_READ;
	for (int i = 0; i < CPS_SLOTS_WHYS; i++) {
		n += w->n_left[i];
		if (w->n_left[i] > w->n_left[*most])
			*most = (enum cps_got_slots_why)i;
	}
	return n;
}

/* For cpconv --info. */
static void explain(size_t i)
{
	static const char *const whys[CPS_SLOTS_WHYS] = {
		"code also reads the address",
		"what it is bound to later is not known",
		"too many functions have this name",
		"it cannot be written",
	};
	const struct cps_got_slots_function *w = &counted[i];
	enum cps_got_slots_why why;
	uint32_t left = n_left(w, &why), passed_over = atomic_load(&n_passed_over);
	char line[LINE_BYTES] = "", *next;

	if (left)
		snprintf(line, sizeof(line),
			 "%u of %u entries of linkage tables are not counted: %s (%s)", left,
			 left + w->n_led, whys[why], w->left_in[why]);
	else if (passed_over)
		snprintf(line, sizeof(line),
			 "not in %u objects that were opened while others were looked at",
			 passed_over);
	else if (!w->n_led)
		snprintf(line, sizeof(line), "no object imports it");
	if (strcmp(line, lines[i][latest[i]]) == 0 ||
	    !cps_resource_is_counted(CPS_CALLS_FIRST + (uint32_t)i))
		return;
	latest[i] = (uint8_t)((latest[i] + 1) % LINES);
	next = strcpy(lines[i][latest[i]], line);
	cps_resource_explain(CPS_CALLS_FIRST + (uint32_t)i, *line ? next : NULL);
}

/* The recorder's own calls, and the loader's, are not the program's. The loader may be what was executed, with the
 * program as its argument; then the kernel does not say where it is. */
static bool is_counted(const struct link_map *map)
{
	uint32_t number = cps_module_find((uintptr_t)map->l_ld);

	return (number == CPS_MODULE_NONE || !cps_module_get(number)->is_own) &&
	       map->l_addr != cps_find_loader_base();
}

static void lead_file(const struct link_map *map)
{
	if (!is_counted(map))
		return;
	cps_got_slots_lead(map, counted, n_counted);
	cps_got_slots_lead(map, looked_at, sizeof(looked_at) / sizeof(looked_at[0]));
}

/* Only one thread does so at a time, and no handler of the program's in between. One that is loading files must not
 * wait: it holds a lock of the loader's, which the other thread may want. Returns whether it was done. */
static bool lead_and_explain(const struct link_map *map, bool may_wait)
{
	uint64_t mask = cps_sys_block_signals(), until = 0;
	bool is_other;

	while ((is_other = atomic_flag_test_and_set(&is_busy)) && may_wait &&
	       cps_sys_patience(&until))
		;
	if (!is_other) {
		if (map)
			lead_file(map);
		else
			cps_symbol_scope_each(lead_file);
		for (size_t i = 0; i < n_counted; i++)
			explain(i);
		atomic_flag_clear(&is_busy);
	}
	cps_sys_set_mask(mask);
	return !is_other;
}

/* A file that may have been closed before, and opened anew. One that is passed over now is looked at when the program
 * asks for one of its symbols. */
static void lead_opened(const struct link_map *map, bool may_wait)
{
	if (lead_and_explain(map, may_wait))
		atomic_store(&known[(uintptr_t)map / 64 % KNOWN], (uintptr_t)map);
	else
		atomic_fetch_add(&n_passed_over, 1);
}

/* ---- when they are loaded --------------------------------------------------------------------- */

/* The caller begins, and is relocated, as all that was loaded with it. At the start of the program these files are
 * known already. */
EXPORT void __gmon_start__(void)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	int saved = errno;
	uint32_t number;
	bool is_sure;

	if (!atomic_load(&is_on) || !cps_process_life_is_recorded())
		return;
	number = cps_module_find_now(caller, &is_sure);
	if (number != CPS_MODULE_NONE && cps_module_get(number)->map &&
	    !cps_module_get(number)->is_lasting)
		lead_opened(cps_module_get(number)->map, false);
	errno = saved;
}

/* A file whose symbols are asked for by its handle was loaded, and stays meanwhile. */
static void look_at(uint32_t which, uintptr_t first, uintptr_t second)
{
	const struct link_map *map = (const struct link_map *)first;
	int saved = errno;

	if (which == LOOK_OPEN && second & RTLD_DEEPBIND)
		cps_symbol_scope_note_deep();
	if (which != LOOK_SYMBOL || !atomic_load(&is_on) || map == RTLD_DEFAULT ||
	    map == RTLD_NEXT || atomic_load(&known[first / 64 % KNOWN]) == first)
		return;
	if (cps_process_life_is_recorded() && !cps_symbol_scope_is_lasting(map) &&
	    cps_symbol_scope_is_program(map))
		lead_opened(map, true);
	errno = saved;
}

void cps_got_slots_child(void)
{
	atomic_flag_clear(&is_busy);
}

/* A file has been unloaded. */
static void cps_got_slots_closed(void)
{
	for (int i = 0; i < KNOWN; i++)
		atomic_store(&known[i], 0);
}

/* A constructor that came before the recorder's has opened it. */
static void lead_early(const struct link_map *map)
{
	if (cps_symbol_scope_is_program(map))
		lead_opened(map, true);
}

void cps_got_slots_begin(const struct cps_wanted_resources *wanted)
{
	n_counted = 0;
	for (size_t i = 0; i < wanted->n; i++) {
		const char *symbol = cps_wanted_symbol(wanted->list[i].name);

		if (!CPS_ENTRY_HAS_THUNKS || wanted->list[i].resource != &cps_resource_calls)
			continue;
		leaves[n_counted] = (uintptr_t)cps_find_listed(symbol);
		counted[n_counted] = (struct cps_got_slots_function){
			symbol, (uint32_t)n_counted, counting, cps_calls_is_thunk, 0, {0}, {""}};
		n_counted++;
	}
	if (!n_counted)
		return;
	cps_calls_prepare();
	cps_calls_set_look(look_at);
	if (!cps_symbol_scope_begin())
		return; /* a function of the program's was called by the loader, and has called the recorder */
	lead_and_explain(NULL, true);
	atomic_store(&is_on, true);
	cps_symbol_scope_each_opened(lead_early);
}

/* ---- dlopen ---------------------------------------------------------------------------------- */
/*
 * Notices when a library is unloaded.
 *
 * In: dlclose. Out: an up to date table of modules. dlopen is not wrapped: the real one looks at
 * its return address to find the caller's RUNPATH, and new libraries are noticed without it
 * (unwind/module.h, doc/decisions/0022).
 */

EXPORT int dlclose(void *handle)
{
	int result, error;

	cps_start();
	if (!cps_real.dlclose)
		return -1;
	if (!cps_process_life_clock())
		return cps_real.dlclose(handle);
	cps_calls_close();
	result = cps_real.dlclose(handle);
	error = errno;
	cps_module_closed();
	cps_calls_closed();
	cps_got_slots_closed();
	errno = error;
	return result;
}
