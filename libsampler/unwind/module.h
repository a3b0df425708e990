/* SPDX-License-Identifier: MIT */
/*
 * module.h - knows which file's code lies where in memory.
 *
 * The table only grows: a module keeps its number for ever, also after dlclose. Readers take no
 * lock. The table is filled by walking the loader's own list (_r_debug), which can be read inside a
 * handler. So libraries are noticed however they were loaded, and dlopen need not be wrapped
 * (doc/decisions/0022).
 */
#ifndef CPS_MODULE_H
#define CPS_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cps_segment {
	uint64_t vaddr, memory_bytes, file_offset, file_bytes;
	uint32_t flags;
};

struct cps_module {
	uintptr_t start, end; /* where its segments lie; end is 0 after dlclose */
	uintptr_t bytes;      /* end - start */
	uintptr_t bias;
	const char *path; /* absolute; "[vdso]" for the vDSO */
	const uint8_t *build_id;
	uint32_t build_id_bytes;
	const uint8_t *build_id_note; /* the note segment in which it was found */
	size_t build_id_note_bytes;
	uint32_t n_segments;
	const struct cps_segment *segments;
	const uint8_t *eh_frame_hdr; /* NULL: no unwind information */
	size_t eh_frame_hdr_bytes;
	bool is_vdso, is_own;
	bool is_lasting; /* it was there at the start, and is never unloaded */
	bool is_seen;	 /* scratch: it was met in this walk of the list */
	const void *dynamic;
	const void *map;       /* its entry in the loader's list */
	atomic_bool used;      /* a recorded address lies in it */
	atomic_bool announced; /* the stream has its record */
};

#define CPS_MODULE_NONE UINT32_MAX

/* What is known at the start. All pointers must stay valid. */
struct cps_module_start {
	const char *exe, *cwd; /* of the main program; cwd may be NULL */
	const void *phdr;      /* the main program's program headers */
	size_t phnum;
	uintptr_t vdso;	 /* 0: none */
	const void *own; /* an address in the recorder itself, whose frames are hidden; or NULL */
};

/* [signal] Fill the table for the first time. Called once, outside handlers. */
void cps_module_init(const struct cps_module_start *start);

/* [signal] The number of the module that holds pc, or CPS_MODULE_NONE. */
uint32_t cps_module_find(uintptr_t pc);

/* [signal] The module with that number; numbers below cps_module_count() are valid. */
struct cps_module *cps_module_get(uint32_t number);

/* [signal] */
uint32_t cps_module_count(void);

/* [signal] The same, but it makes sure that the module is still loaded, and looks at the loader's
 * list again if no module is known there. *is_sure is false if the list could not be looked at, so
 * that another answer is possible later. */
uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure);

/* [signal] Note that a recorded address lies in the module. */
void cps_module_use(struct cps_module *m);
/* [signal] Whether there may be modules that are used and not announced yet. */
bool cps_module_has_news(void);
/* [signal] */
void cps_module_set_news(bool news);

/*
 * [signal] To be called before and after reading memory of a module (NULL: of any). False: it must
 * not be read now, because a library is being unloaded. Never waits.
 */
bool cps_module_read_begin(const struct cps_module *m);
/* [signal] */
void cps_module_read_end(const struct cps_module *m);

/* [signal] To be called before and after the real dlclose, outside handlers. The first waits, some
 * milliseconds at most, for handlers that are reading a module. */
void cps_module_close_begin(void);
/* [signal] */
void cps_module_close_end(void);

/* [signal] For a child made by fork: no other thread uses the table there, and its stream has no
 * records of modules yet. */
void cps_module_reset(void);

/* [signal] A number that changes whenever a module is unloaded. All that was learned about
 * addresses before is then void. */
uint32_t cps_module_generation(void);

#endif
