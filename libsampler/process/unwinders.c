/* SPDX-License-Identifier: MIT */
/*
 * unwinders.c - chooses what follows the stacks of samples.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "arch/arch.h"
#include "process/find.h"
#include "process/unwinders.h"
#include "python/layout.h"
#include "python/python.h"
#include "unwind/libunwind.h"

/* ---- the choice ------------------------------------------------------------------------------ */
/*
 * Opens libunwind, and lets it do its first things before the first sample.
 *
 * In: the library of this machine. Out: its functions. Of the two libraries that Debian's package
 * has, libunwind.so.8 can only walk its own process, by its own reading of memory and of the
 * loader's list. libunwind-MACHINE.so.8 walks what it is given functions for.
 */

CPS_MAYBE(dlopen);
CPS_MAYBE(dlsym);
CPS_MAYBE(dlerror);
CPS_MAYBE(getcontext);

#define LIBRARY "libunwind-" CPS_LIBUNWIND_MACHINE ".so.8"
#define PREFIX	"_U" CPS_LIBUNWIND_MACHINE "_"
#define CACHE_ENTRIES                                                                              \
	4096 /* a power of two: addresses of which libunwind keeps what it has found */

static struct cps_libunwind_calls calls;
static const char *refusal;
static bool is_open;

/* The line of the loader, if it has said anything, which the target is not to see. */
static const char *explain(const char *what)
{
	static char why[300];
	const char *said = dlerror ? dlerror() : NULL;

	snprintf(why, sizeof(why), "%s", said ? said : what);
	return why;
}

static const char *resolve(void *library)
{
#define RESOLVE(name)                                                                              \
	do {                                                                                       \
		calls.name = dlsym(library, PREFIX #name);                                         \
		if (!calls.name)                                                                   \
			return explain(LIBRARY " has no " PREFIX #name);                           \
	} while (0)
	RESOLVE(create_addr_space);
	RESOLVE(set_caching_policy);
	RESOLVE(set_cache_size);
	RESOLVE(flush_cache);
	RESOLVE(init_remote);
	RESOLVE(step);
	RESOLVE(get_reg);
	RESOLVE(is_signal_frame);
	RESOLVE(dwarf_search_unwind_table);
#undef RESOLVE
	return NULL;
}

/* A tick could come while a target that uses the same library holds its locks. */
static const char *open_library(void)
{
	void *library;

	if (!dlopen || !dlsym)
		return "this C library cannot open libraries";
	if (dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD))
		return "the program uses " LIBRARY " itself";
	if (dlerror)
		dlerror(); /* that it is not there yet, which the target is not to see */
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	return library ? resolve(library) : explain(LIBRARY " cannot be opened");
}

const char *cps_choose_unwinder_open(const struct cps_config *config)
{
	if (!config->wants_libunwind)
		return NULL;
	refusal = open_library();
	is_open = !refusal;
	return refusal;
}

/* libunwind initialises itself at the first walk, and gets memory for its cache. */
static void warm_up(void)
{
	struct cps_frame frames[16];
	struct cps_stack stack = {.frames = frames, .room = 16};
	struct cps_peek unknown = {.high = 0};
	ucontext_t here;

	if (getcontext && getcontext(&here) == 0)
		cps_unwinder_libunwind.walk(&here, &unknown, &stack);
}

static const char *use(void)
{
	void *space = calls.create_addr_space(&cps_libunwind_accessors, 0);

	if (!space)
		return "libunwind has no memory";
	calls.set_caching_policy(space, CPS_LIBUNWIND_CACHE_GLOBAL);
	calls.set_cache_size(space, CACHE_ENTRIES, 0);
	cps_libunwind_begin(&calls, space);
	warm_up();
	if (!cps_libunwind_has_asked())
		return "another sigprocmask comes before the recorder's";
	cps_unwinder_use(&cps_unwinder_libunwind);
	return NULL;
}

void cps_choose_unwinder(const struct cps_config *config, struct cps_identity *identity)
{
	if (is_open)
		refusal = use();
	if (config->wants_libunwind)
		identity->unwinder = cps_unwinder_in_use()->name;
	identity->unwinder_why = refusal;
}

void cps_choose_unwinder_child(struct cps_identity *identity)
{
	if (cps_unwinder_in_use() != &cps_unwinder_libunwind || cps_libunwind_reset())
		return;
	cps_unwinder_use(&cps_unwinder_native);
	identity->unwinder = CPS_UNWINDER_NATIVE;
	identity->unwinder_why = "another thread was in libunwind at the fork";
}

/* ---- the interpreter ------------------------------------------------------------------------- */
/*
 * Finds CPython's symbols, if the program or one of its libraries is CPython.
 *
 * In: exported symbols. Out: struct cps_python_start. An interpreter that is loaded later, by
 * dlopen, is not found.
 */

void cps_interpreter_find(void)
{
	struct cps_python_start start = {
		.runtime = (uintptr_t)cps_find_exported("_PyRuntime"),
		.evaluate = (uintptr_t)cps_find_exported("_PyEval_EvalFrameDefault"),
		.code_type = (uintptr_t)cps_find_exported("PyCode_Type"),
		.unicode_type = (uintptr_t)cps_find_exported("PyUnicode_Type"),
		.bytes_type = (uintptr_t)cps_find_exported("PyBytes_Type"),
		.frame_type = (uintptr_t)cps_find_exported("PyFrame_Type"),
		.get_specific = cps_find_next("pthread_getspecific"),
	};

	if (!start.runtime)
		return;
	start.version = cps_python_version(cps_find_exported);
	if (!start.version || !start.evaluate || !start.code_type || !start.unicode_type ||
	    !start.bytes_type || !start.frame_type || !start.get_specific)
		return;
	cps_python_init(&start);
}
