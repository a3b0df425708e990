/* SPDX-License-Identifier: MIT */
/*
 * layout.h - where CPython 3.11 keeps what a stack of Python functions is made of.
 *
 * The offsets are those of its internal headers (pycore_runtime.h, pystate.h, pycore_frame.h, code.h,
 * unicodeobject.h) on 64-bit machines. They have been the same in all releases of 3.11.
 */
#ifndef CPS_LAYOUT_H
#define CPS_LAYOUT_H

#include <stdint.h>

/* Before 3.11.1 a frame could still be seen while it was being cleared. */
#define CPS_PYTHON_VERSION_FIRST 0x030b0100u
#define CPS_PYTHON_VERSION_LIMIT 0x030c0000u

/* In _PyRuntime: the state of the thread that has the interpreter lock, and the key by which each
 * thread finds its own. */
#define CPS_PYTHON_RUNTIME_CURRENT 576u
#define CPS_PYTHON_RUNTIME_KEY	   592u

struct cps_python_key {
	int32_t is_made;
	uint32_t key;
};

/* PyThreadState */
#define CPS_PYTHON_STATE_CFRAME 56u
#define CPS_PYTHON_STATE_CHUNK	296u
#define CPS_PYTHON_STATE_ROOT	336u

/* Within PyThreadState, from CPS_PYTHON_STATE_CHUNK on: memory for frames. */
struct cps_python_stack {
	uint64_t chunk, top;
};

struct cps_python_chunk {
	uint64_t previous, bytes, top;
};

/* _PyCFrame, which lies in the frame of the evaluator on the machine's stack. */
#define CPS_PYTHON_CFRAME_CURRENT  8u
#define CPS_PYTHON_CFRAME_PREVIOUS 16u

struct cps_python_cframe {
	uint64_t tracing, current, previous;
};

/* _PyInterpreterFrame, without its variables. */
struct cps_python_frame {
	uint64_t function, globals, builtins, locals, code, object;
	uint64_t previous, instruction;
	int32_t stack_top;
	uint8_t is_entry; /* the evaluator was called for it; else it runs in its caller's evaluator */
	uint8_t owner;	  /* 0 to CPS_PYTHON_OWNER_MAX */
	uint8_t padding[2];
};

#define CPS_PYTHON_OWNER_MAX 2u

/* PyCodeObject, its beginning. */
struct cps_python_code {
	uint64_t references, type;
	uint8_t sizes[56];
	int32_t first_line;
	uint8_t variables[36];
	uint64_t file, name, qualified;
};

/* PyASCIIObject; the characters follow, or 24 bytes later if some are not ASCII. */
struct cps_python_unicode {
	uint64_t references, type;
	int64_t length, hash;
	uint32_t state;
	uint32_t padding;
	uint64_t wide;
};

#define CPS_PYTHON_UNICODE_KIND(state)	  ((state) >> 2 & 7) /* bytes per character */
#define CPS_PYTHON_UNICODE_COMPACT	  (1u << 5)
#define CPS_PYTHON_UNICODE_ASCII	  (1u << 6)
#define CPS_PYTHON_UNICODE_BYTES_OF_OTHER 72u

_Static_assert(sizeof(struct cps_python_frame) == 72, "as in pycore_frame.h");
_Static_assert(sizeof(struct cps_python_code) == 136, "as in code.h");
_Static_assert(sizeof(struct cps_python_unicode) == 48, "as in unicodeobject.h");

#endif
