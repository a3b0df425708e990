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
#include "process/door.h"
#include "process/find.h"
#include "process/process_life.h"
#include "unwind/registered.h"
#include "wrap/wrap.h"

#define EXPORT	     __attribute__((visibility("default")))
#define SECTIONS_MAX 4096 /* of one table */

/* Of libgcc, which has no header for them. */
void __register_frame(void *begin);
void __register_frame_info(const void *begin, void *object);
void __register_frame_info_bases(const void *begin, void *object, void *text, void *data);
void __register_frame_table(void *table);
void __register_frame_info_table(void *table, void *object);
void __register_frame_info_table_bases(void *table, void *object, void *text, void *data);
void __deregister_frame(void *begin);
void *__deregister_frame_info(const void *begin);
void *__deregister_frame_info_bases(const void *begin);

/* The functions behind the wrapped ones. They come in a library that need not be there at the start. */
enum which {
	REGISTER,
	REGISTER_INFO,
	REGISTER_BASES,
	REGISTER_TABLE,
	REGISTER_INFO_TABLE,
	REGISTER_TABLE_BASES,
	DEREGISTER,
	DEREGISTER_INFO,
	DEREGISTER_BASES,
	FUNCTIONS
};

static const char *const names[FUNCTIONS] = {
	"__register_frame",
	"__register_frame_info",
	"__register_frame_info_bases",
	"__register_frame_table",
	"__register_frame_info_table",
	"__register_frame_info_table_bases",
	"__deregister_frame",
	"__deregister_frame_info",
	"__deregister_frame_info_bases",
};

static _Atomic(void *) real[FUNCTIONS];

/* Most often libgcc is there at the start. The loader is not asked then: it may call malloc, which may belong
 * to a sanitizer that begins. */
void cps_wrap_frame_resolve(void)
{
	if (!cps_find_listed(names[REGISTER]))
		return;
	for (int i = 0; i < FUNCTIONS; i++)
		real[i] = cps_find_listed(names[i]);
}

static void *find_real(enum which which)
{
	int error = errno;

	cps_door_open();
	if (!real[which]) {
		real[which] = cps_find_loaded("libgcc_s.so.1", names[which]);
		if (!real[which])
			real[which] = cps_find_next(names[which]);
	}
	errno = error;
	return real[which];
}

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
	void (*f)(void *) = find_real(REGISTER);

	if (f)
		f(begin);
	note(begin);
}

EXPORT void __register_frame_info(const void *begin, void *object)
{
	void (*f)(const void *, void *) = find_real(REGISTER_INFO);

	if (f)
		f(begin, object);
	note(begin);
}

EXPORT void __register_frame_info_bases(const void *begin, void *object, void *text, void *data)
{
	void (*f)(const void *, void *, void *, void *) = find_real(REGISTER_BASES);

	if (f)
		f(begin, object, text, data);
	note(begin);
}

EXPORT void __register_frame_table(void *table)
{
	void (*f)(void *) = find_real(REGISTER_TABLE);

	if (f)
		f(table);
	note_table(table);
}

EXPORT void __register_frame_info_table(void *table, void *object)
{
	void (*f)(void *, void *) = find_real(REGISTER_INFO_TABLE);

	if (f)
		f(table, object);
	note_table(table);
}

EXPORT void __register_frame_info_table_bases(void *table, void *object, void *text, void *data)
{
	void (*f)(void *, void *, void *, void *) = find_real(REGISTER_TABLE_BASES);

	if (f)
		f(table, object, text, data);
	note_table(table);
}

EXPORT void __deregister_frame(void *begin)
{
	void (*f)(void *) = find_real(DEREGISTER);

	forget(begin);
	if (f)
		f(begin);
}

EXPORT void *__deregister_frame_info(const void *begin)
{
	void *(*f)(const void *) = find_real(DEREGISTER_INFO);

	forget(begin);
	return f ? f(begin) : NULL;
}

EXPORT void *__deregister_frame_info_bases(const void *begin)
{
	void *(*f)(const void *) = find_real(DEREGISTER_BASES);

	forget(begin);
	return f ? f(begin) : NULL;
}
