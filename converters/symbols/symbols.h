/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - from (module, address) to function name.
 *
 * A frame is one call to the machine, and may be several to the programmer: the compiler has put
 * the code of functions into their caller's (inline functions).
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strings.h"
#include "model/profile.h"
#include "symbols/symbols_options.h"

/* Frames that are of no module: the middle left out of a deep stack (the same text as PROFILE_CUT), an
 * address outside all modules, and one of a module that no record describes. */
#define SYMBOLS_UNKNOWN	       "[unknown]"
#define SYMBOLS_UNKNOWN_MODULE "[unknown module]"
/* By module: what a perf map has a name for. */
#define SYMBOLS_GENERATED "[generated]"

struct symbols;

/*
 * Names are added to the profile's string table. The profile must outlive the symbols. Modules are
 * opened when first asked for. The texts of the options must outlive them too. NULL when memory is
 * out, or if names are wanted by module and the profile has none: folded stacks.
 */
struct symbols *symbols_new(const struct profile *p, const struct symbols_options *opt,
			    struct error *err);
void symbols_free(struct symbols *s);
/* One more owner: each calls symbols_free. */
struct symbols *symbols_share(struct symbols *s);

struct symbols_place {
	uint32_t function; /* name in the string table, always set */
	uint32_t name;	   /* likewise, as the granularity has it */
	uint64_t start; /* the function's first address in the module, if known, else the address */
	bool has_start; /* it is known */
	bool has_symbol; /* the files have its name; else it is "[module+0xSTART]" or the like */
	bool is_inline;	 /* its code is part of the place before it in the list */
	uint32_t file; /* path of the source that is executed, or calls; STRINGS_NONE: not known */
	uint32_t line, column; /* 0: not known */
};

/*
 * In which function is this frame of the profile? Neither granularity nor inline functions matter,
 * and source lines are not set. Never fails on what the files hold: code that neither a symbol nor
 * debug information has a name for gets one made of its module and its function's start. -1: out of
 * memory.
 */
int symbols_frame(struct symbols *s, const struct profile_frame *frame, struct symbols_place *place,
		  struct error *err);

/*
 * All places that this frame is: its function, then the functions inlined at the address, each in
 * the one before. At least one. The list is valid until the next call. -1: out of memory.
 */
int symbols_expand(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err);

/* Says whether names are those of places in functions, not of the functions themselves. */
bool symbols_has_places(const struct symbols *s);

/* Says whether calls inside a module are merged into one (SYMBOLS_BY_MODULE). */
bool symbols_merge_calls(const struct symbols *s);

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
