/* SPDX-License-Identifier: MIT */
/*
 * module.h - knows the files that are loaded, and says which one an address lies in.
 */
#ifndef CPS_MODULE_H
#define CPS_MODULE_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- module ---------------------------------------------------------------------------------- */
/*
 * Knows which file's code lies where in memory.
 *
 * The table only grows: a module keeps its number for ever, also after dlclose. Readers take no
 * lock. The C library says in which file an address lies (_dl_find_object); where it is older than
 * that function, its list of loaded files is walked. Both can be done inside a handler. So
 * libraries are noticed however they were loaded, and dlopen need not be wrapped
 * (doc/decisions/0022, 0046). A file that the target has mapped a second time has a second entry,
 * its twin (unlisted.h).
 */

struct cps_segment {
	uint64_t vaddr, memory_bytes, file_offset, file_bytes;
	uint32_t flags;
};

struct cps_module {
	uintptr_t start; /* where its segments lie, between which there may be something else */
	_Atomic uintptr_t end; /* 0 after dlclose; others read it meanwhile */
	uintptr_t bytes;       /* end - start */
	uintptr_t bias;
	const char *path; /* absolute; "[vdso]" for the vDSO */
	const uint8_t *build_id;
	uint32_t build_id_bytes;
	uint32_t n_segments;
	const struct cps_segment *segments;
	const uint8_t *eh_frame_hdr; /* NULL: no unwind information */
	size_t eh_frame_hdr_bytes;
	uintptr_t fde; /* the description of the address that was asked for (registered.h); or 0 */
	bool is_vdso, is_own;
	bool is_lasting;   /* it is never unloaded (module.h) */
	bool is_elsewhere; /* its memory is another process's */
	bool is_met;	   /* scratch: in this walk of the list (module.c) */
	const void *dynamic;
	_Atomic(const void *) map;  /* its entry in the loader's list; NULL: a twin */
	struct cps_module *twin_of; /* a second mapping of this one's file; or NULL */
	atomic_bool used;	    /* a recorded address lies in it */
	atomic_bool announced;	    /* the stream has its record */
};

#define CPS_MODULE_NONE UINT32_MAX

/* What _dl_find_object(3) says of an address: struct dl_find_object, which headers of older C libraries
 * do not have. */
struct cps_found {
	unsigned long long flags;
	void *start, *end;
	const void *map; /* the entry in the loader's list */
	void *eh_frame;
	unsigned long long reserved[7];
};

/* What is known at the start. All pointers must stay valid. */
struct cps_module_start {
	const char *exe, *cwd; /* of the main program; cwd may be NULL */
	const void *phdr;      /* the main program's program headers */
	size_t phnum;
	uintptr_t vdso;	 /* 0: none */
	const void *own; /* an address in the recorder itself, whose frames are hidden; or NULL */
	int (*find)(void *address, struct cps_found *found); /* _dl_find_object; or NULL */
};

/* [signal] Fill the table for the first time. Called once, outside handlers. */
void cps_module_init(const struct cps_module_start *start);

/* [signal] The number of the known module that holds pc, or CPS_MODULE_NONE. */
uint32_t cps_module_find(uintptr_t pc);

/* [signal] Copy memory that most likely belongs to a module. False: it cannot be read. */
bool cps_module_copy(void *to, uintptr_t from, size_t n);

/* [signal] The module with that number; numbers below cps_module_count() are valid. */
struct cps_module *cps_module_get(uint32_t number);

/* [signal] */
uint32_t cps_module_count(void);

/* [signal] The same, but the loader is asked about what can be unloaded. *is_sure is false if that
 * was not possible, so that another answer is possible later. */
uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure);

/* [signal] The module by which to unwind at an address of that one: of a twin it is the listed one, and *pc
 * becomes the address of the same code there. NULL: it is not loaded any more, or there is none. */
const struct cps_module *cps_module_listed(uint32_t number, uintptr_t *pc);

/* [signal] Note that a recorded address lies in the module. */
void cps_module_use(struct cps_module *m);
/* [signal] There may be modules that are used and not announced yet; and whether there were. Who asks that is to
 * announce them, and sees all that are used by then. */
void cps_module_set_news(void);
/* [signal] */
bool cps_module_take_news(void);

/* [signal] To be called after dlclose, outside handlers. */
void cps_module_closed(void);

/* [signal] The stream has no records of modules any more. */
void cps_module_forget_announced(void);

/* [signal] For a child made by fork: no other thread uses the table there, and its stream has no
 * records of modules yet. */
void cps_module_reset(void);

/* [signal] A number that changes whenever a module is unloaded. All that was learned about
 * addresses before is then void. */
uint32_t cps_module_generation(void);

/* ---- module table ---------------------------------------------------------------------------- */
/*
 * The table of loaded files, for those who put files into it.
 *
 * There is one writer at a time, by a flag that is tried and never waited for. Who reads it needs
 * module.h only.
 */

/* [signal] Become the writer. False: there is one. */
bool cps_module_table_try(void);
/* [signal] */
void cps_module_table_release(void);

/* [signal] Put a second mapping of the module's file into the table, which begins with that virtual address
 * of the file. For the writer. False: there is no room. */
bool cps_module_table_enter_twin(uint32_t of, uintptr_t start, uintptr_t end, uintptr_t vaddr);

/* [signal] The files to come are those of another process, whose loader is not asked. */
void cps_module_table_start_elsewhere(void);
/* [signal] Put such a file into the table, whose n program headers lie at that address of the process. What was there before
 * is gone. False: it cannot be read, or there is no room. */
bool cps_module_table_enter_elsewhere(const char *path, uintptr_t bias, uintptr_t headers,
				      size_t n);

/* [signal] Take out all files that are gone. For the writer. */
void cps_module_table_drop(bool (*is_gone)(const struct cps_module *m));

/* [signal] All that was learned about addresses is void. */
void cps_module_table_renew(void);

/* ---- permanent modules ----------------------------------------------------------------------- */
/*
 * Tells which files of the loader's list are never unloaded.
 *
 * These are the program, what is preloaded, and what they need. A constructor of theirs may have
 * opened others by dlopen before the recorder began, which dlclose unloads. The loader appends
 * those to its list, behind the others.
 */

/* [signal] The last of them in the list that begins with the program. Names of files are compared with what the
 * files before them need, so that one too many is not taken; one too few may be. To be called at the start. */
const struct link_map *cps_permanent_modules_last(const struct link_map *first);

#endif
