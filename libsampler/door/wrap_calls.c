/* SPDX-License-Identifier: MIT */
/*
 * wrap_calls.c - notices which files are loaded, for the calls that are counted.
 *
 * In: __gmon_start__, which each file that gcc or clang has linked calls before its constructors, if anybody has
 * it; calls of dlsym and dlopen. Out: slots of these files that lead to thunks. dlopen itself is not wrapped (see
 * wrap_loader.c); a thunk leaves the caller's return address where it is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "door/calls.h"
#include "door/door.h"
#include "door/find.h"
#include "door/life.h"
#include "door/scope.h"
#include "door/slots.h"
#include "resource/calls.h"
#include "unwind/module.h"

#define EXPORT	   __attribute__((visibility("default")))
#define LINE_BYTES 200
#define KNOWN	   64 /* files that dlsym was asked about */

void __gmon_start__(void);

enum look { LOOK_SYMBOL, LOOK_OPEN };

static struct cps_slots_function counted[CPS_CALLS_SYMBOLS];
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

static struct cps_slots_function looked_at[] = {
	{"dlsym", LOOK_SYMBOL, looking, cps_calls_is_look, 0, {0}, {""}},
	{"dlvsym", LOOK_SYMBOL, looking, cps_calls_is_look, 0, {0}, {""}},
	{"dlopen", LOOK_OPEN, looking, cps_calls_is_look, 0, {0}, {""}},
};

/* ---- files ----------------------------------------------------------------------------------- */

static uint32_t n_left(const struct cps_slots_function *w, enum cps_slots_why *most)
{
	uint32_t n = 0;

	*most = CPS_SLOTS_READ;
	for (int i = 0; i < CPS_SLOTS_WHYS; i++) {
		n += w->n_left[i];
		if (w->n_left[i] > w->n_left[*most])
			*most = (enum cps_slots_why)i;
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
	const struct cps_slots_function *w = &counted[i];
	enum cps_slots_why why;
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

static void lead(const struct link_map *map)
{
	if (!is_counted(map))
		return;
	cps_slots_lead(map, counted, n_counted);
	cps_slots_lead(map, looked_at, sizeof(looked_at) / sizeof(looked_at[0]));
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
			lead(map);
		else
			cps_scope_each(lead);
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

	if (!atomic_load(&is_on) || !cps_life_is_recorded())
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
		cps_scope_note_deep();
	if (which != LOOK_SYMBOL || !atomic_load(&is_on) || map == RTLD_DEFAULT ||
	    map == RTLD_NEXT || atomic_load(&known[first / 64 % KNOWN]) == first)
		return;
	if (cps_life_is_recorded() && !cps_scope_is_lasting(map) && cps_scope_is_program(map))
		lead_opened(map, true);
	errno = saved;
}

void cps_calls_child(void)
{
	atomic_flag_clear(&is_busy);
}

void cps_calls_closed(void)
{
	for (int i = 0; i < KNOWN; i++)
		atomic_store(&known[i], 0);
}

/* A constructor that came before the recorder's has opened it. */
static void lead_early(const struct link_map *map)
{
	if (cps_scope_is_program(map))
		lead_opened(map, true);
}

void cps_calls_begin(const struct cps_wanted_resources *wanted)
{
	n_counted = 0;
	for (size_t i = 0; i < wanted->n; i++) {
		const char *symbol = cps_calls_symbol(wanted->list[i].name);

		if (wanted->list[i].resource != &cps_resource_calls)
			continue;
		leaves[n_counted] = (uintptr_t)cps_find_listed(symbol);
		counted[n_counted] = (struct cps_slots_function){
			symbol, (uint32_t)n_counted, counting, cps_calls_is_thunk, 0, {0}, {""}};
		n_counted++;
	}
	if (!n_counted)
		return;
	cps_calls_prepare();
	cps_calls_set_look(look_at);
	if (!cps_scope_begin())
		return; /* a function of the program's was called by the loader, and has called the recorder */
	lead_and_explain(NULL, true);
	atomic_store(&is_on, true);
	cps_scope_each_opened(lead_early);
}
