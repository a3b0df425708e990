/* SPDX-License-Identifier: MIT */
/*
 * layout.c - where CPython 3.8 to 3.13 keeps what a stack of Python functions is made of.
 */
#include <stddef.h>
#include <string.h>

#include "python/layout.h"
#include "base/poison.h"

/* Before 3.11.1 a frame could still be seen while it was being cleared. */
static const struct cps_python_layout layouts[] = {
	{.first = 0x03080000,
	 .limit = 0x03090000,
	 .kind = CPS_PYTHON_FRAMES,
	 .table = CPS_PYTHON_LNOTAB,
	 .key = 1392,
	 .current = 1368,
	 .interpreter = 16,
	 .thread = 176,
	 .frame = 24,
	 .frame_bytes = 112,
	 .frame_code = 32,
	 .frame_previous = 24,
	 .frame_instruction = 104,
	 .unit = 1,
	 .code_first_line = 40,
	 .code_file = 104,
	 .code_name = 112,
	 .code_lines = 120,
	 .string_ascii = 48,
	 .string_other = 72,
	 .bytes = 32},
	{.first = 0x03090000,
	 .limit = 0x030a0000,
	 .kind = CPS_PYTHON_FRAMES,
	 .table = CPS_PYTHON_LNOTAB,
	 .key = 584,
	 .current = 568,
	 .interpreter = 16,
	 .thread = 176,
	 .frame = 24,
	 .frame_bytes = 112,
	 .frame_code = 32,
	 .frame_previous = 24,
	 .frame_instruction = 104,
	 .unit = 1,
	 .code_first_line = 40,
	 .code_file = 104,
	 .code_name = 112,
	 .code_lines = 120,
	 .string_ascii = 48,
	 .string_other = 72,
	 .bytes = 32},
	{.first = 0x030a0000,
	 .limit = 0x030b0000,
	 .kind = CPS_PYTHON_FRAMES,
	 .table = CPS_PYTHON_LINETABLE,
	 .key = 584,
	 .current = 568,
	 .interpreter = 16,
	 .thread = 176,
	 .frame = 24,
	 .frame_bytes = 104,
	 .frame_code = 32,
	 .frame_previous = 24,
	 .frame_instruction = 96,
	 .unit = 2,
	 .code_first_line = 40,
	 .code_file = 104,
	 .code_name = 112,
	 .code_lines = 120,
	 .string_ascii = 48,
	 .string_other = 72,
	 .bytes = 32},
	{.first = 0x030b0100,
	 .limit = 0x030c0000,
	 .kind = CPS_PYTHON_CFRAMES,
	 .table = CPS_PYTHON_LOCATIONS,
	 .key = 592,
	 .current = 576,
	 .interpreter = 16,
	 .thread = 152,
	 .frame = 56,
	 .chunk = 296,
	 .root = 336,
	 .cframe_current = 8,
	 .cframe_previous = 16,
	 .frame_bytes = 72,
	 .frame_code = 32,
	 .frame_previous = 48,
	 .frame_instruction = 56,
	 .frame_entry = 68,
	 .frame_owner = 69,
	 .code_first_line = 72,
	 .code_file = 112,
	 .code_name = 128,
	 .code_lines = 136,
	 .code_begin = 184,
	 .string_ascii = 48,
	 .string_other = 72,
	 .bytes = 32},
	{.first = 0x030c0000,
	 .limit = 0x030d0000,
	 .kind = CPS_PYTHON_CFRAMES,
	 .table = CPS_PYTHON_LOCATIONS,
	 .key = 1544,
	 .lock = 384,
	 .lock_holder = 8,
	 .lock_taken = 16,
	 .interpreter = 16,
	 .thread = 136,
	 .frame = 56,
	 .status = 24,
	 .chunk = 232,
	 .root = 272,
	 .cframe_current = 0,
	 .cframe_previous = 8,
	 .frame_bytes = 72,
	 .frame_code = 0,
	 .frame_previous = 8,
	 .frame_instruction = 56,
	 .frame_owner = 70,
	 .code_first_line = 68,
	 .code_file = 112,
	 .code_name = 128,
	 .code_lines = 136,
	 .code_begin = 192,
	 .string_ascii = 40,
	 .string_other = 56,
	 .bytes = 32},
	{.first = 0x030d0000,
	 .limit = 0x030e0000,
	 .kind = CPS_PYTHON_ENTRIES,
	 .table = CPS_PYTHON_LOCATIONS,
	 .key = 2160,
	 .lock = 16,
	 .lock_holder = 8,
	 .lock_taken = 16,
	 .interpreter = 16,
	 .thread = 152,
	 .frame = 72,
	 .status = 32,
	 .chunk = 232,
	 .frame_bytes = 72,
	 .frame_code = 0,
	 .frame_previous = 8,
	 .frame_instruction = 56,
	 .frame_owner = 70,
	 .code_first_line = 68,
	 .code_file = 112,
	 .code_name = 128,
	 .code_lines = 136,
	 .code_begin = 200,
	 .string_ascii = 40,
	 .string_other = 56,
	 .bytes = 32},
};

/* ---- what 3.13 says of itself ---------------------------------------------------------------- */

#define COOKIE	   "xdebugpy"
#define LOCK_BYTES CPS_PYTHON_LOCK_BYTES

/* The beginning of _PyRuntime in 3.13 (_Py_DebugOffsets in pycore_runtime.h), as numbers of 64 bits. */
enum {
	AT_COOKIE,
	AT_VERSION,
	AT_FREE_THREADED,
	AT_LOCK = 14, /* interpreter_state.ceval_gil */
	AT_LOCK_ITSELF,
	AT_LOCK_TAKEN = 17,
	AT_LOCK_HOLDER,
	AT_STATE_INTERPRETER = 22,
	AT_STATE_FRAME,
	AT_STATE_THREAD,
	AT_STATE_CHUNK = 26,
	AT_STATE_STATUS,
	AT_FRAME_BYTES,
	AT_FRAME_PREVIOUS,
	AT_FRAME_CODE,
	AT_FRAME_INSTRUCTION,
	AT_FRAME_OWNER = 33,
	AT_CODE_FILE = 35,
	AT_CODE_NAME = 37,
	AT_CODE_LINES,
	AT_CODE_FIRST_LINE,
	AT_CODE_BEGIN = 43,
	AT_BYTES = 66,
	AT_STRING_ASCII = 70,
	AT_END,
};

/* Sets an offset that leaves room for n bytes within so many. */
static bool set(uint16_t *offset, const uint64_t *said, unsigned at, uint64_t n, uint64_t within)
{
	*offset = (uint16_t)said[at];
	return said[at] <= within - n;
}

static bool take_said(struct cps_python_layout *l, const void *runtime)
{
	uint64_t said[AT_END];
	uint16_t size;

	memcpy(said, runtime, sizeof(said));
	if (memcmp(&said[AT_COOKIE], COOKIE, 8) != 0 || said[AT_VERSION] >> 16 != l->first >> 16 ||
	    said[AT_FREE_THREADED])
		return false;
	said[AT_LOCK_TAKEN] -= said[AT_LOCK_ITSELF];
	said[AT_LOCK_HOLDER] -= said[AT_LOCK_ITSELF];
	return set(&l->lock, said, AT_LOCK, 8, 65535) &&
	       set(&l->lock_taken, said, AT_LOCK_TAKEN, 4, LOCK_BYTES) &&
	       set(&l->lock_holder, said, AT_LOCK_HOLDER, 8, LOCK_BYTES) &&
	       set(&l->interpreter, said, AT_STATE_INTERPRETER, 8, 256) &&
	       set(&l->frame, said, AT_STATE_FRAME, 8, 256) &&
	       set(&l->thread, said, AT_STATE_THREAD, 8, 256) &&
	       set(&l->chunk, said, AT_STATE_CHUNK, 16, 1024) &&
	       set(&l->status, said, AT_STATE_STATUS, 8, 256) &&
	       set(&size, said, AT_FRAME_BYTES, 0, 1024) &&
	       set(&l->frame_previous, said, AT_FRAME_PREVIOUS, 8, l->frame_bytes) &&
	       set(&l->frame_code, said, AT_FRAME_CODE, 8, l->frame_bytes) &&
	       set(&l->frame_instruction, said, AT_FRAME_INSTRUCTION, 8, l->frame_bytes) &&
	       set(&l->frame_owner, said, AT_FRAME_OWNER, 1, l->frame_bytes) &&
	       size >= l->frame_bytes &&
	       set(&l->code_file, said, AT_CODE_FILE, 8, CPS_PYTHON_CODE_BYTES) &&
	       set(&l->code_name, said, AT_CODE_NAME, 8, CPS_PYTHON_CODE_BYTES) &&
	       set(&l->code_lines, said, AT_CODE_LINES, 8, CPS_PYTHON_CODE_BYTES) &&
	       set(&l->code_first_line, said, AT_CODE_FIRST_LINE, 4, CPS_PYTHON_CODE_BYTES) &&
	       set(&l->code_begin, said, AT_CODE_BEGIN, 0, 1024) &&
	       set(&l->bytes, said, AT_BYTES, 0, 256) &&
	       set(&l->string_ascii, said, AT_STRING_ASCII, 0, 256) &&
	       l->string_ascii >= sizeof(struct cps_python_unicode);
}

/* ---- layouts --------------------------------------------------------------------------------- */

uint32_t cps_python_version(void *(*find)(const char *name))
{
	const unsigned long *version = find("Py_Version");

	if (version)
		return (uint32_t)*version;
	if (find("PyIter_Send"))
		return 0x030a0000;
	if (find("PyObject_CallNoArgs"))
		return 0x03090000;
	return find("PyCode_NewWithPosOnlyArgs") ? 0x03080000 : 0;
}

bool cps_python_layout_find(struct cps_python_layout *layout, uint32_t version, const void *runtime)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (version < layouts[i].first || version >= layouts[i].limit)
			continue;
		*layout = layouts[i];
		return layout->kind != CPS_PYTHON_ENTRIES || take_said(layout, runtime);
	}
	return false;
}

void cps_python_code_take(const struct cps_python_layout *layout,
			  const uint8_t bytes[CPS_PYTHON_CODE_BYTES], struct cps_python_code *code)
{
	memcpy(&code->type, bytes + CPS_PYTHON_TYPE, 8);
	memcpy(&code->file, bytes + layout->code_file, 8);
	memcpy(&code->name, bytes + layout->code_name, 8);
	memcpy(&code->lines, bytes + layout->code_lines, 8);
	memcpy(&code->first_line, bytes + layout->code_first_line, 4);
	code->begin = layout->code_begin;
}
