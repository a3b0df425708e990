/* SPDX-License-Identifier: MIT */
/*
 * reader.h - reads the interpreter's memory, directly where it cannot go away meanwhile.
 *
 * A thread that has the interpreter lock keeps alive what its own stack refers to. Elsewhere the kernel
 * copies (base/copy.h): another thread may be ending the interpreter.
 */
#ifndef CPS_PYTHON_READER_H
#define CPS_PYTHON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/copy.h"

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

#endif
