/* SPDX-License-Identifier: MIT */
/*
 * wrap_frame.c - notices the unwind information of generated code.
 *
 * In: what the target tells libgcc or LLVM's libunwind about code of its own making. Out: sections
 * of .eh_frame that the unwinder knows (unwind/registered.h). A program that contains libgcc calls
 * its own functions, which nobody sees.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "process/find.h"
#include "process/process_life.h"
#include "process/start.h"
#include "unwind/registered.h"
#include "wrap/real.h"
#include "wrap/wrap.h"

#define EXPORT	     __attribute__((visibility("default")))
#define SECTIONS_MAX 4096 /* of one table */

/* The functions come in a library that need not be there at the start. */
static void *find_late(const char *name)
{
	void *found = cps_find_loaded("libgcc_s.so.1", name);

	return found ? found : cps_find_next(name);
}

#define REAL(name)                                                                                 \
	({                                                                                         \
		int saved = errno;                                                                 \
                                                                                                   \
		cps_start();                                                                       \
		if (!cps_real.name)                                                                \
			cps_real.name = (__typeof__(name) *)find_late(#name);                      \
		errno = saved;                                                                     \
		cps_real.name;                                                                     \
	})

/* ---- what is noted ------------------------------------------------------------------------------- */

static void note(const void *begin)
{
	if (cps_process_life_clock())
		cps_registered_add((uintptr_t)begin, (uintptr_t)begin);
}

/* The table's last pointer is NULL. */
static void note_table(const void *table)
{
	uintptr_t at = (uintptr_t)table, begin;

	for (int i = 0; cps_process_life_clock() && i < SECTIONS_MAX; i++, at += sizeof(begin)) {
		if (!cps_copy(&begin, at, sizeof(begin)) || !begin)
			return;
		cps_registered_add((uintptr_t)table, begin);
	}
}

static void forget(const void *key)
{
	cps_registered_drop((uintptr_t)key);
}

/* ---- the calls ----------------------------------------------------------------------------------- */

EXPORT void __register_frame(void *begin)
{
	__typeof__(__register_frame) *f = REAL(__register_frame);

	if (f)
		f(begin);
	note(begin);
}

EXPORT void __register_frame_info(const void *begin, void *object)
{
	__typeof__(__register_frame_info) *f = REAL(__register_frame_info);

	if (f)
		f(begin, object);
	note(begin);
}

EXPORT void __register_frame_info_bases(const void *begin, void *object, void *text, void *data)
{
	__typeof__(__register_frame_info_bases) *f = REAL(__register_frame_info_bases);

	if (f)
		f(begin, object, text, data);
	note(begin);
}

EXPORT void __register_frame_table(void *table)
{
	__typeof__(__register_frame_table) *f = REAL(__register_frame_table);

	if (f)
		f(table);
	note_table(table);
}

EXPORT void __register_frame_info_table(void *table, void *object)
{
	__typeof__(__register_frame_info_table) *f = REAL(__register_frame_info_table);

	if (f)
		f(table, object);
	note_table(table);
}

EXPORT void __register_frame_info_table_bases(void *table, void *object, void *text, void *data)
{
	__typeof__(__register_frame_info_table_bases) *f = REAL(__register_frame_info_table_bases);

	if (f)
		f(table, object, text, data);
	note_table(table);
}

EXPORT void __deregister_frame(void *begin)
{
	__typeof__(__deregister_frame) *f = REAL(__deregister_frame);

	forget(begin);
	if (f)
		f(begin);
}

EXPORT void *__deregister_frame_info(const void *begin)
{
	__typeof__(__deregister_frame_info) *f = REAL(__deregister_frame_info);

	forget(begin);
	return f ? f(begin) : NULL;
}

EXPORT void *__deregister_frame_info_bases(const void *begin)
{
	__typeof__(__deregister_frame_info_bases) *f = REAL(__deregister_frame_info_bases);

	forget(begin);
	return f ? f(begin) : NULL;
}
