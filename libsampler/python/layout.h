/* SPDX-License-Identifier: MIT */
/*
 * layout.h - where CPython 3.8 to 3.13 keeps what a stack of Python functions is made of.
 *
 * The offsets are those of its headers (pycore_runtime.h, pystate.h, frameobject.h, pycore_frame.h, code.h,
 * unicodeobject.h) on 64-bit machines. They are the same in all releases of a version, except where it keeps the key
 * of its threads, which is therefore looked for (python.c). CPython 3.13 says most of them itself.
 */
#ifndef CPS_LAYOUT_H
#define CPS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* How frames belong to evaluators. */
enum cps_python_kind {
	CPS_PYTHON_FRAMES, /* 3.8 to 3.10: each evaluator runs one; they are objects, in a list */
	CPS_PYTHON_CFRAMES, /* 3.11, 3.12: a structure in the evaluator's frame leads to them (_PyCFrame) */
	CPS_PYTHON_ENTRIES, /* 3.13: the outermost frame of an evaluator lies in the machine's frame */
};

/* How a code object says the lines of its instructions. */
enum cps_python_table {
	CPS_PYTHON_LNOTAB,    /* 3.8, 3.9: co_lnotab */
	CPS_PYTHON_LINETABLE, /* 3.10: co_linetable, of pairs */
	CPS_PYTHON_LOCATIONS, /* 3.11 on: co_linetable, of entries with columns */
};

/* Bytes of an object that are read. */
#define CPS_PYTHON_CODE_BYTES  144u
#define CPS_PYTHON_FRAME_BYTES 112u
#define CPS_PYTHON_LOCK_BYTES  32u

/* Offsets; 0 of those marked "or none" means that there is no such thing. */
struct cps_python_layout {
	uint32_t first, limit; /* versions: [first, limit) */
	uint8_t kind, table;
	/* _PyRuntime: near where the key is by which each thread finds its own state (Py_tss_t); the state of the
	 * thread that has the interpreter lock, or none. */
	uint16_t key, current;
	/* Where there is no `current`: the interpreter's pointer to its lock; in the lock, who has had it last, and
	 * whether somebody has it now. */
	uint16_t lock, lock_holder, lock_taken;
	/* PyThreadState. `frame` leads to the innermost frame, or to the structure of the innermost evaluator. Flag
	 * 16 of `status` means that it is the thread's that runs; or none. `chunk`: memory for frames; or none. `root`:
	 * the outermost evaluator's structure; or none. */
	uint16_t interpreter, thread, frame, status, chunk, root;
	uint16_t cframe_current, cframe_previous; /* _PyCFrame */
	/* PyFrameObject or _PyInterpreterFrame. The instruction is an address, or a number of 32 bits in units. */
	uint16_t frame_bytes, frame_code, frame_previous, frame_instruction;
	uint16_t frame_entry; /* the evaluator was called for it; or none */
	uint16_t frame_owner; /* or none */
	uint16_t unit;	      /* bytes of the instruction's unit; 0: it is an address */
	uint16_t code_first_line, code_file, code_name, code_lines;
	uint16_t code_begin; /* of the instructions */
	uint16_t string_ascii, string_other,
		bytes; /* where characters begin, in strings and in bytes objects */
};

/* In both, the type of an object and the length of a variable one. */
#define CPS_PYTHON_TYPE	  8u
#define CPS_PYTHON_LENGTH 16u

#define CPS_PYTHON_OWNER_MACHINE                                                                   \
	3u /* it is the outermost frame of an evaluator, in the machine's frame */
#define CPS_PYTHON_IS_ACTIVE 16u

struct cps_python_key {
	int32_t is_made;
	uint32_t key;
};

/* Within PyThreadState: memory for frames. */
struct cps_python_stack {
	uint64_t chunk, top;
};

struct cps_python_chunk {
	uint64_t previous, bytes, top;
};

/* _PyCFrame, which lies in the frame of the evaluator on the machine's stack. */
struct cps_python_cframe {
	uint64_t current, previous;
};

/* What a code object says. */
struct cps_python_code {
	uint64_t type, file, name, lines;
	uint64_t begin; /* how far behind its address the instructions are */
	int32_t first_line;
};

/* PyASCIIObject, the beginning that all versions have. The characters follow at string_ascii, or at string_other if
 * some are not ASCII. */
struct cps_python_unicode {
	uint64_t references, type;
	int64_t length, hash;
	uint32_t state;
	uint32_t padding;
};

#define CPS_PYTHON_UNICODE_KIND(state) ((state) >> 2 & 7) /* bytes per character */
#define CPS_PYTHON_UNICODE_COMPACT     (1u << 5)
#define CPS_PYTHON_UNICODE_ASCII       (1u << 6)

_Static_assert(sizeof(struct cps_python_unicode) == 40, "as in unicodeobject.h");

/* [signal] What version the interpreter is, by what it exports: Py_Version, or, before 3.11, functions that came with a
 * version. 0: older than 3.8. `find` gives the address of a symbol, or NULL. */
uint32_t cps_python_version(void *(*find)(const char *name));

/* [signal] The layout of a version; `runtime` is where _PyRuntime is. False: it is not known, or the interpreter says of
 * itself what is not expected. */
bool cps_python_layout_find(struct cps_python_layout *layout, uint32_t version,
			    const void *runtime);

/* [signal] Take what is needed out of the first CPS_PYTHON_CODE_BYTES of a code object. */
void cps_python_code_take(const struct cps_python_layout *layout,
			  const uint8_t bytes[CPS_PYTHON_CODE_BYTES], struct cps_python_code *code);

#endif
