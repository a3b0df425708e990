/* SPDX-License-Identifier: MIT */
/*
 * functions.h - gives each Python function that was met a number, and keeps its name.
 *
 * Functions of the same name are one. The table has room for CPS_PYTHON_FUNCTIONS; when it is full, new
 * ones get no number. Memory is taken when it is first needed.
 */
#ifndef CPS_PYTHON_FUNCTIONS_H
#define CPS_PYTHON_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "python/text.h"

#define CPS_PYTHON_FUNCTIONS 32768u
#define CPS_PYTHON_NONE	     UINT32_MAX
#define CPS_PYTHON_SPAN	     256u

/* A code object as it was when its number was found. */
struct cps_python_known {
	uint32_t number;
	int32_t line;
	uint64_t code, file, qualified, sum;
	uint16_t name_bytes,
		file_bytes; /* the spans of its strings (text.h); 0: more than CPS_PYTHON_SPAN */
};

/* The file whose name was read last within a stack: functions that call each other are often of one
 * file. */
struct cps_python_memo {
	uint64_t file, sum; /* file 0: none yet */
	uint16_t bytes;	    /* as in struct cps_python_known */
};

/* [signal] The number of the function with this code object. CPS_PYTHON_NONE: it is none, or there is no
 * room. An object that is not alive is copied (reader.h). */
uint32_t cps_python_function(uintptr_t code, const struct cps_python_types *types, bool is_alive,
			     struct cps_python_memo *memo);

/* [signal] What was last known of this code object. False: nothing. */
bool cps_python_function_known(uintptr_t code, struct cps_python_known *known);

/* [signal] Whether the object and its strings are still what was known. file_sum is that of its file's name. */
bool cps_python_function_is(const struct cps_python_known *known,
			    const struct cps_python_code *object,
			    const struct cps_python_text *name, uint64_t file_sum);

/* [signal] How many functions recorded stacks have. */
uint32_t cps_python_functions(void);

/* [signal] Note that a recorded stack has the function. */
void cps_python_function_use(uint32_t number);

/* [signal] Tell of all functions that are used and were not told of: the name is NUL-terminated and has
 * no control characters. If `tell` returns false, the function is told of again the next time. */
void cps_python_functions_tell(bool (*tell)(uint32_t number, const char *name));

/* [signal] For a child made by fork: its stream has no records yet. */
void cps_python_functions_reset(void);

#endif
