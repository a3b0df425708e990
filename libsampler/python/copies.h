/* SPDX-License-Identifier: MIT */
/*
 * copies.h - copies the code objects of a stack together, for threads without the interpreter's lock.
 *
 * Each copy by the kernel costs a microsecond, and each further part of it a fraction of that. So what is
 * known of an object says where its strings are, and object and strings of many functions come by one
 * call. Those that are not what they were are copied again one by one (functions.h).
 */
#ifndef CPS_COPIES_H
#define CPS_COPIES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "python/functions.h"

#define CPS_PYTHON_COPIES      32u
#define CPS_PYTHON_COPIES_SIZE 8192u

/* The string with the name of a file. */
struct cps_python_file_copy {
	uint64_t file, sum;
	uint32_t at, n; /* bytes of the copy */
	bool is_read, is_string;
};

/* A code object, and behind it the string with its name. */
struct cps_python_code_copy {
	struct cps_python_known known;
	uint64_t code;
	uint32_t at, n;	 /* bytes of the copy; n 0: it is not copied */
	uint32_t file;	 /* where in the files */
	uint32_t number; /* of the function; CPS_PYTHON_NONE: it is not known yet */
};

struct cps_python_copies {
	struct cps_python_code_copy codes[CPS_PYTHON_COPIES];
	struct cps_python_file_copy files[CPS_PYTHON_COPIES];
	uint32_t n_codes, n_files, n_parts, bytes;
	size_t copied; /* of the bytes, those that could be read */
	struct cps_python_memo memo;
	struct iovec parts[3 * CPS_PYTHON_COPIES];
	uint8_t copy[CPS_PYTHON_COPIES_SIZE];
};

/* [signal] Begin with no code object. */
void cps_python_copies_begin(struct cps_python_copies *c);

/* [signal] Note that this code object is needed. False: there is no room. */
bool cps_python_copies_add(struct cps_python_copies *c, uint64_t code);

/* [signal] Copy them, after the last was added. */
void cps_python_copies_make(struct cps_python_copies *c);

/* [signal] The number of the function with a code object that was added, as cps_python_function. *known is then
 * valid until the next code object is added. */
uint32_t cps_python_copies_number(struct cps_python_copies *c, uint64_t code,
				  const struct cps_python_types *types,
				  const struct cps_python_known **known);

#endif
