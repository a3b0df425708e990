/* SPDX-License-Identifier: MIT */
/*
 * functions.h - numbers Python functions by their names.
 */
#ifndef CPS_FUNCTIONS_H
#define CPS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python/layout.h"

/* ---- text ------------------------------------------------------------------------------------ */
/*
 * Makes the name of a Python function from its code object.
 */

#define CPS_PYTHON_CHARACTERS 128u /* of a function's name, and of a file's; more are left out */
#define CPS_PYTHON_NAME_BYTES (8 * CPS_PYTHON_CHARACTERS + 64)
#define CPS_PYTHON_PATH_BYTES 1024u /* of a file's path; longer ones are not recorded */

/* The addresses of the types that objects say they have, and where they keep things. */
struct cps_python_types {
	uint64_t code, unicode, bytes;
	const struct cps_python_layout *layout;
};

/* Characters of a string object. */
struct cps_python_text {
	const void *bytes; /* in the object or in `copy` */
	uint64_t length;   /* of the whole text, in characters */
	uint32_t n;	   /* how many of them are in `bytes` */
	uint32_t width;	   /* bytes of a character: 1, 2, 4 */
	uint64_t span;	   /* bytes of the object until these characters end */
	uint64_t copy[9 + CPS_PYTHON_CHARACTERS / 2]; /* of the object, or of characters of it */
};

/* [signal] Get the first characters of a string, or the last if `is_end`. False: it is no string. */
bool cps_python_text_get(struct cps_python_text *text, uintptr_t object,
			 const struct cps_python_types *types, bool is_end, bool is_alive);

/* [signal] The same from a copy of the object's first `span` bytes, which stays where it is. False also if the
 * characters end behind it. */
bool cps_python_text_take(struct cps_python_text *text, const void *copy, size_t span,
			  const struct cps_python_types *types, bool is_end);

/* [signal] A number that differs if the characters do, most likely. */
uint64_t cps_python_text_sum(const struct cps_python_text *text);

/* [signal] Write "NAME (FILE)" in UTF-8, NUL-terminated: the file is the last part of its path, and of
 * the files that each package has (__init__.py) the last two. Functions without a name of their own,
 * such as lambdas, get their line. Returns the length. */
uint32_t cps_python_text_name(char name[CPS_PYTHON_NAME_BYTES],
			      const struct cps_python_text *function,
			      const struct cps_python_text *file, uint32_t line);

/* ---- functions ------------------------------------------------------------------------------- */
/*
 * Gives each Python function that was met a number, and keeps its name and the path of its file.
 *
 * Functions of the same name and path are one. The table has room for CPS_PYTHON_FUNCTIONS; when it is full,
 * new ones get no number. Memory is taken when it is first needed.
 */

#define CPS_PYTHON_FUNCTIONS 32768u
#define CPS_PYTHON_NONE	     UINT32_MAX
#define CPS_PYTHON_SPAN	     256u

/* A code object as it was when its number was found. */
struct cps_python_known {
	uint32_t number;
	int32_t first_line;
	uint64_t code, file, name, lines, sum;
	uint16_t name_bytes,
		file_bytes; /* the spans of its strings (functions.h); 0: more than CPS_PYTHON_SPAN */
};

/* The file whose name was read last within a stack: functions that call each other are often of one
 * file. */
struct cps_python_memo {
	uint64_t file, sum; /* file 0: none yet */
	uint16_t bytes;	    /* as in struct cps_python_known */
};

/* [signal] The number of the function with this code object, and what is known of the object then.
 * CPS_PYTHON_NONE: it is none, or there is no room. An object that is not alive is copied (python.h). */
uint32_t cps_python_function(uintptr_t code, const struct cps_python_types *types, bool is_alive,
			     struct cps_python_memo *memo, struct cps_python_known *known);

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

/* [signal] Tell of all functions that are used and were not told of: name and path are NUL-terminated and have
 * no control characters; the path is that of the code object, or empty. If `tell` returns false, the function is told of again the next time. */
void cps_python_functions_tell(bool (*tell)(uint32_t number, const char *name, const char *path));

/* [signal] For a child made by fork: its stream has no records yet. */
void cps_python_functions_reset(void);

#endif
