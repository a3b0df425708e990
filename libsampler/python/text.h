/* SPDX-License-Identifier: MIT */
/*
 * text.h - makes the name of a Python function from its code object.
 */
#ifndef CPS_PYTHON_TEXT_H
#define CPS_PYTHON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python/layout.h"

#define CPS_PYTHON_CHARACTERS 128u /* of a function's name, and of a file's; more are left out */
#define CPS_PYTHON_NAME_BYTES (8 * CPS_PYTHON_CHARACTERS + 64)

/* The addresses of the types that objects say they have. */
struct cps_python_types {
	uint64_t code, unicode;
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

#endif
