/* SPDX-License-Identifier: MIT */
/*
 * python.h - finds the interpreter's frames on the stack, and reads its memory.
 *
 * Order: each word that threads share is an address or a number that is right by itself, and the same whoever finds it. What
 * is not atomic is set before the first signal.
 */
#ifndef CPS_PYTHON_H
#define CPS_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "format.h"
#include "python/path.h"
#include "unwind/trail.h"

/* ---- reader ---------------------------------------------------------------------------------- */
/*
 * Reads the interpreter's memory, directly where it cannot go away meanwhile.
 *
 * A thread that has the interpreter lock keeps alive what its own stack refers to. Elsewhere the
 * kernel copies (base/memory.h): another thread may be ending the interpreter.
 */

/* [signal] Copy n bytes of an object that is alive if `is_alive`. False: they cannot be read. */
static inline bool cps_python_read(void *to, uintptr_t from, size_t n, bool is_alive)
{
	if (from & 7 || from < 4096)
		return false;
	if (!is_alive)
		return cps_copy(to, from, n);
	memcpy(to, (const void *)from, n);
	return true;
}

/* ---- python ---------------------------------------------------------------------------------- */
/*
 * Puts Python functions in the place of the interpreter's evaluator (CPython 3.8 to 3.13).
 *
 * The evaluator is a function of the machine's stack. Until 3.10 each call of it runs one Python function, and
 * the interpreter has a list of their frames: evaluators and frames are counted. Later it may run several: those
 * that call each other without C code in between. It keeps a structure in its frame (_PyCFrame, since
 * 3.13 a frame of the interpreter's) that leads to them, and the structures of all evaluators of a stack are a
 * list. So a frame of the stack is an evaluator's if the next structure of the list lies in it. Nothing of the
 * interpreter's is called (doc/decisions/0065).
 */

/* The interpreter's symbols. */
struct cps_python_start {
	uintptr_t runtime, evaluate;
	uintptr_t code_type, unicode_type, bytes_type, frame_type;
	uint32_t version;		 /* as Py_Version */
	void *(*get_specific)(uint32_t); /* pthread_getspecific */
};

/* [signal] Begin to look for Python functions, if it is a version that is known. Called once, outside
 * handlers. */
void cps_python_init(const struct cps_python_start *start);

/* [signal] */
bool cps_python_is_on(void);

/* [signal] Whether the address stands for a Python function. */
static inline bool cps_python_is_address(uint64_t address)
{
	return address >> 48 == CPS_PYTHON_ADDRESS >> 48;
}

/* [signal] The first of the addresses that stand for the function (format.h). */
static inline uint64_t cps_python_address(uint32_t number)
{
	return CPS_PYTHON_ADDRESS + (number + 1) * CPS_PYTHON_LINES;
}

enum cps_python_outcome {
	CPS_PYTHON_ABSENT,   /* the stack has none: it is recorded as it is */
	CPS_PYTHON_SHOWN,    /* the path is set */
	CPS_PYTHON_TOO_DEEP, /* it has no room: another path is to be tried */
};

/* [signal] Set the path to the stack of the calling thread, with Python functions in the place of
 * evaluators. `bounds` are those of the unwinder. */
enum cps_python_outcome cps_python_show(const struct cps_stack *stack,
					const struct cps_peek *bounds,
					struct cps_python_path *path);

/* [signal] How many evaluators were left as they are, because what they ran could not be read or had no
 * room. */
uint64_t cps_python_unnamed(void);

/* [signal] Note that a stack is recorded without its Python functions, because there is no room for its path. */
void cps_python_leave(void);

/* [signal] For a child made by fork. */
void cps_python_reset(void);

#endif
