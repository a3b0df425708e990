/* SPDX-License-Identifier: MIT */
/*
 * module.h - which file's code stands where.
 *
 * The table is append-only: a module keeps its number for ever, also after dlclose. Readers take
 * no lock. It is filled by walking the loader's own list (_r_debug), which can be read inside a
 * handler, so that libraries are noticed however they came in and dlopen need not be wrapped (a
 * wrapped dlopen would search the wrapper's RUNPATH instead of its caller's).
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
	uintptr_t start, end; /* where its segments lie; end = 0 after dlclose */
	uintptr_t bytes;      /* end - start */
	uintptr_t bias;
	const char *path; /* absolute; "[vdso]" for the vDSO */
	const uint8_t *build_id;
	uint32_t build_id_bytes;
	const uint8_t *build_id_note; /* where it was */
	size_t build_id_note_bytes;
	uint32_t n_segments;
	const struct cps_segment *segments;
	const uint8_t *eh_frame_hdr; /* NULL: no unwind information */
	size_t eh_frame_hdr_bytes;
	bool is_vdso, is_own;
	bool is_lasting; /* there from the start: it is never unloaded */
	bool is_seen;	 /* while the list is walked */
	const void *dynamic;
	const void *map;       /* the loader's entry */
	atomic_bool used;      /* a recorded address lies in it */
	atomic_bool announced; /* the stream has its record */
};

#define CPS_MODULE_NONE UINT32_MAX

/* What the door knows at the start; all of it stays. */
struct cps_module_start {
	const char *exe, *cwd; /* the main program's path; the working directory, or NULL */
	const void *phdr;      /* the main program's program headers */
	size_t phnum;
	uintptr_t vdso;	 /* 0: none */
	const void *own; /* an address in the recorder itself, whose frames are hidden; or NULL */
};

/* [signal] The recorder's start, once, outside handlers. */
void cps_module_init(const struct cps_module_start *start);

/* [signal] The number of the module that holds pc, or CPS_MODULE_NONE. */
uint32_t cps_module_find(uintptr_t pc);

/* [signal] The module with that number; numbers below cps_module_count() are valid. */
struct cps_module *cps_module_get(uint32_t number);

/* [signal] */
uint32_t cps_module_count(void);

/* [signal] The same, but sure of it: the module is still loaded, and if none was known the
 * loader's list has been looked at again; not sure: it could not be, so that the next one who
 * asks may get another answer. */
uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure);

/* [signal] A recorded address lies in the module. */
void cps_module_use(struct cps_module *m);
/* [signal] Are there modules that are used and perhaps not announced? */
bool cps_module_has_news(void);
/* [signal] */
void cps_module_set_news(bool news);

/*
 * [signal] Around reading memory of a module (NULL: of any): false if that must not be done now
 * because a library is being unloaded. Never waits.
 */
bool cps_module_read_begin(const struct cps_module *m);
/* [signal] */
void cps_module_read_end(const struct cps_module *m);

/* [signal] Around the real dlclose, outside handlers. The first waits, some milliseconds at most,
 * for handlers that are reading a module. */
void cps_module_close_begin(void);
/* [signal] */
void cps_module_close_end(void);

/* [signal] In a child that fork has made: no other thread is at work on the table, and no stream
 * speaks of the modules yet. */
void cps_module_reset(void);

/* [signal] Changes whenever a module goes away: what was learned about addresses before is void. */
uint32_t cps_module_generation(void);

#endif
