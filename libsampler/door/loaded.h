/* SPDX-License-Identifier: MIT */
/*
 * loaded.h - reads the dynamic section of a file that the loader has loaded: symbols, versions, relocations.
 */
#ifndef CPS_LOADED_H
#define CPS_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
