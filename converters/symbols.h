/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - from (module, address) to function name.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdint.h>

#include "error.h"
#include "profile.h"
#include "strings.h"

/* Frames that are of no module: the middle left out of a deep stack (the same text as TREE_CUT), an
 * address outside all modules, and one of a module that no record describes. */
#define SYMBOLS_CUT	       "[cut]"
#define SYMBOLS_UNKNOWN	       "[unknown]"
#define SYMBOLS_UNKNOWN_MODULE "[unknown module]"

struct symbols;

struct symbols_options {
	bool demangle;	       /* C++ and Rust */
	const char *sysroot;   /* prefix for module paths and /usr/lib/debug, or NULL */
	const char *debug_dir; /* as it is, instead of SYSROOT/usr/lib/debug; or NULL */
};

/*
 * Names are added to the profile's string table. The profile must outlive the symbols. Modules are
 * opened when first asked for. The texts of the options must outlive them too. NULL when memory is
 * out.
 */
struct symbols *symbols_new(struct profile *p, const struct symbols_options *opt,
			    struct error *err);
void symbols_free(struct symbols *s);

struct symbols_place {
	uint32_t function; /* name in the string table, always set */
	uint64_t start; /* the function's first address in the module, if known, else the address */
	bool has_symbol; /* a symbol table named it; else it is "[module+0xSTART]" or the like */
};

/*
 * Where is this frame of the profile? Never fails on what the files hold: code without a symbol
 * gets a name made of its module and its function's start. -1: out of memory.
 */
int symbols_frame(struct symbols *s, const struct profile_frame *frame, struct symbols_place *place,
		  struct error *err);

/*
 * Give a name to the function that covers this frame, if no symbol does; without unwind information
 * nothing happens. -1: out of memory.
 */
int symbols_set_name(struct symbols *s, const struct profile_frame *frame, const char *name,
		     struct error *err);

/*
 * What the user should know about one module: NULL, or a line such as "libfoo.so: rebuilt since the
 * recording (build id abc..., recorded def...); its functions have no names". Valid as long as s.
 */
const char *symbols_module_warning(const struct symbols *s, uint32_t module);

#endif
