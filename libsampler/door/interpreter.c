/* SPDX-License-Identifier: MIT */
/*
 * interpreter.c - finds CPython's symbols, if the program or one of its libraries is CPython.
 *
 * In: exported symbols. Out: struct cps_python_start. An interpreter that is loaded later, by dlopen, is
 * not found.
 */
#include <stddef.h>
#include <stdint.h>

#include "door/find.h"
#include "door/interpreter.h"
#include "python/python.h"

void cps_interpreter_find(void)
{
	struct cps_python_start start = {.runtime = (uintptr_t)cps_find_exported("_PyRuntime")};
	const unsigned long *version;

	if (!start.runtime)
		return;
	version = cps_find_exported("Py_Version");
	start.evaluate = (uintptr_t)cps_find_exported("_PyEval_EvalFrameDefault");
	start.code_type = (uintptr_t)cps_find_exported("PyCode_Type");
	start.unicode_type = (uintptr_t)cps_find_exported("PyUnicode_Type");
	start.get_specific = cps_find_next("pthread_getspecific");
	if (!version || !start.evaluate || !start.code_type || !start.unicode_type ||
	    !start.get_specific)
		return;
	start.version = *version;
	cps_python_init(&start);
}
