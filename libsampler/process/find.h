/* SPDX-License-Identifier: MIT */
/*
 * find.h - finds functions of loaded files, with dlsym and without.
 */
#ifndef CPS_FIND_H
#define CPS_FIND_H

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/* ---- find ------------------------------------------------------------------------------------ */
/*
 * Finds the C library's functions, and names those that not every C library has.
 *
 * The library is preloaded into whatever a tree of processes executes, also into programs of a
 * chroot with an older C library, or with another one. The loader ends such a program if a symbol,
 * or its version, is not there. So what came after glibc 2.17 is not referred to, and what may be
 * missing is a weak reference to the oldest version (doc/decisions/0047).
 */

/* In its own library before glibc 2.34, which is not loaded into every program. */
#define CPS_MAYBE(name)		    CPS_MAYBE_OF(name, CPS_GLIBC_OLDEST)
#define CPS_MAYBE_OF(name, version) _Pragma(CPS_TEXT(weak name)) CPS_SYMVER(name, version)
#define CPS_SYMVER(name, version)   __asm__(".symver " #name ", " #name "@GLIBC_" version)
#define CPS_TEXT(x)		    #x

/* The function of this name in the libraries that come after this one, or NULL. Works also where there
 * is no dlsym(3). */
void *cps_find_next(const char *name);

/* As cps_find_next without asking the loader: for the start, when nothing is loaded or unloaded meanwhile. */
void *cps_find_listed(const char *name);

/* The path of the file from which the loader takes this name: of all files, or of those that come after this
 * library. "" is the program. NULL: none has it. Each file has one path, which may be compared as a
 * pointer. */
const char *cps_find_definer(const char *name, bool is_next);
const char *cps_find_own_path(void);

/* Whether this library was opened in a process that ran already: it comes behind the C library. Then the functions that it
 * wraps are those of all files but its own. */
bool cps_find_is_late(void);

/* The function of this name in that library if it is loaded, wherever; or NULL. The library then stays. */
void *cps_find_loaded(const char *library, const char *name);

/* What the program or its libraries export by this name, or NULL. The loader is not asked: most programs do not
 * export it, and what the loader says of that calls malloc, which may belong to a sanitizer that begins. */
void *cps_find_exported(const char *name);

/* The first of the loader's files, which is the program; NULL: the C library has no list of them. */
const struct link_map *cps_find_first_file(void);

/* Whether it is the C library. */
bool cps_find_is_libc(const struct link_map *map);

/* Whether the loader has such a list, and is not changing it. */
bool cps_find_is_settled(void);

/* Where the loader lies; 0: it does not say. */
uintptr_t cps_find_loader_base(void);

/* Whether the C library is one that can be recorded: glibc, with threads. */
bool cps_find_is_fit(void);

/* ---- loaded ---------------------------------------------------------------------------------- */
/*
 * Reads the dynamic section of a file that the loader has loaded: symbols, versions, relocations.
 */

struct cps_loaded {
	uintptr_t bias;
	const uint32_t *gnu_hash, *hash; /* NULL: it has no such table */
	const ElfW(Sym) * symbols;
	const char *names;
	const uint16_t *versions; /* NULL: symbols have none */
	const ElfW(Verneed) * needs;
	const ElfW(Verdef) * gives;
	const ElfW(Rela) * calls, *others; /* relocations of the linkage table, and all others */
	size_t n_calls, n_others;
	bool is_symbolic; /* its own definitions come first */
};

/* Read it. It holds while the file is loaded. False: it has no symbols. */
bool cps_loaded_read(const struct link_map *map, struct cps_loaded *f);

/* What a reference has that says nothing of a version; and what someone has who wants the newest. */
#define CPS_LOADED_NONE	  NULL
#define CPS_LOADED_NEWEST ""

/* The definition of the name to which a reference with this version is bound, or NULL. */
const ElfW(Sym) *
	cps_loaded_find(const struct cps_loaded *f, const char *name, const char *version);

/* The version of symbol i, which may be a reference; CPS_LOADED_NONE: it has none. */
const char *cps_loaded_version(const struct cps_loaded *f, uint32_t i);

/* Where a definition lies, which may be one that finds out (IFUNC). */
uintptr_t cps_loaded_address(const struct cps_loaded *f, const ElfW(Sym) * s);

/* The libraries that come after this one, read once for many names. */
#define CPS_LOADED_MANY 8
struct cps_loaded_files {
	struct cps_loaded files[CPS_LOADED_MANY];
	size_t n;
	const struct link_map *rest; /* those behind them, which are read for each name */
	bool is_unknown;	     /* the C library, as musl, has no list of them */
};

void cps_loaded_files_read(struct cps_loaded_files *l);

/* Whether any of them has the name, or may have it. The loader is not asked: what it does for a name that is not there
 * allocates, and the allocator may call what is wrapped. */
bool cps_loaded_files_have(const struct cps_loaded_files *l, const char *name);

#endif
