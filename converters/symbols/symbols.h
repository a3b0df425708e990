/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - names the function that an address belongs to, and those inlined there.
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/stop.h"
#include "elf/module_file.h"
#include "model/profile.h"

/* ---- symbols options ------------------------------------------------------------------------- */
/*
 * The options of naming: which names are wanted, and where files are searched.
 *
 * In: the command line. Out: which parts of the debug information are needed.
 */

/*
 * What a name stands for. By line and by address, two calls of a function in the same caller are
 * two arcs and make two call paths, which Hall & Goldberg call desirable in section 7.1.
 */
enum symbols_granularity {
	SYMBOLS_BY_FUNCTION, /* "f" */
	SYMBOLS_BY_MODULE,   /* "libc.so.6": the last part of its path */
	SYMBOLS_BY_LINE,     /* "f file.c:12": in a caller, the line of the call; "f" if unknown */
	SYMBOLS_BY_ADDRESS,  /* "f+0x1f": bytes from the function's start */
	/* "f+0x3000000004019": the number is another one for each address of each module. For programs
	 * only: it tells places in functions of the same name apart. */
	SYMBOLS_BY_CODE,
	/* "f 1f:12": the first number is another one for each path of a source file. For programs only: it tells
	 * files of the same name apart. */
	SYMBOLS_BY_SOURCE,
};

/* What names of C++ and Rust look like. TSV and JSON always have full ones, or the linker's. */
enum symbols_names {
	SYMBOLS_ANY,	/* nobody has asked: short for people, full for other programs */
	SYMBOLS_SHORT,	/* without what does not tell functions apart */
	SYMBOLS_FULL,	/* as the demangler writes them */
	SYMBOLS_LINKER, /* mangled */
};

struct symbols_options {
	int names;		   /* enum symbols_names */
	bool inlines;		   /* list inlined functions, if the debug information has them */
	bool lines;		   /* set the source lines of places, whatever the granularity */
	int granularity;	   /* enum symbols_granularity */
	bool code;		   /* ask for code, which packs have apart from names */
	struct file_search search; /* for modules and their debug files */
};

static inline bool symbols_wants_short(const struct symbols_options *opt)
{
	return opt->names == SYMBOLS_ANY || opt->names == SYMBOLS_SHORT;
}

/* The following functions say which parts of the debug information, and of packs, are needed. */
static inline bool symbols_wants_lines(const struct symbols_options *opt)
{
	return opt->lines || opt->granularity == SYMBOLS_BY_LINE ||
	       opt->granularity == SYMBOLS_BY_SOURCE || opt->granularity == SYMBOLS_BY_CODE;
}

static inline bool symbols_wants_code(const struct symbols_options *opt)
{
	return opt->code || opt->granularity == SYMBOLS_BY_CODE;
}

static inline bool symbols_wants_inlines(const struct symbols_options *opt)
{
	return opt->inlines &&
	       (opt->granularity == SYMBOLS_BY_FUNCTION || opt->granularity == SYMBOLS_BY_LINE ||
		opt->granularity == SYMBOLS_BY_SOURCE);
}

static inline bool symbols_wants_debug(const struct symbols_options *opt)
{
	return opt->granularity != SYMBOLS_BY_MODULE &&
	       (symbols_wants_inlines(opt) || symbols_wants_lines(opt));
}

/* ---- symbols --------------------------------------------------------------------------------- */
/*
 * Names the functions at a frame's address.
 *
 * In: frames (module, address) of the profile. Out: names and source lines of places.
 *
 * A place is a function, or an inlined call, at an address. A frame is one call of the machine
 * code, but may be several calls of the source code, where the compiler has inlined functions into
 * their callers: it then has several places.
 */

/* Names of frames without a known module: an address outside all modules, and an address in a
 * module that no record describes. The omitted middle of a deep stack is named PROFILE_CUT, and
 * PROFILE_NOT_SAMPLED is where no tick has seen a thread. */
#define SYMBOLS_UNKNOWN "[unknown]"
/* With SYMBOLS_BY_MODULE, generated code that a perf map has a name for. */
#define SYMBOLS_GENERATED "[generated]"

struct module_file;
struct pack_builder;
struct pack_piece;
struct symbols;

/*
 * Make the symbols of a profile, which add names to the profile's string table. A module's files
 * are read when one of its frames is asked for, for the first time. The profile and the strings of
 * the options must outlive the symbols. NULL if memory is out, or if names by module are wanted and
 * the profile has no modules (it is of folded stacks).
 */
struct symbols *symbols_new(const struct profile *p, const struct symbols_options *opt,
			    struct error *err);
void symbols_free(struct symbols *s);
/* Add an owner. Each owner calls symbols_free. */
struct symbols *symbols_share(struct symbols *s);

struct symbols_place {
	uint32_t function; /* name in the string table, always set */
	uint32_t name;	   /* the same in the granularity of the options, always set */
	uint64_t start;	 /* the function's first address in the module; if not known, the frame's */
	bool has_start;	 /* the function's first address is known */
	uint64_t end;	 /* the first address behind the function; 0: not known */
	bool has_symbol; /* the name is recorded or from the files; else it is "[module+0xSTART]" */
	bool is_inline;	 /* a call inlined in the previous place of the list */
	uint32_t file; /* path of the source that is executed, or calls; STRINGS_NONE: not known */
	uint32_t line, column; /* 0: not known */
};

/*
 * Find the function of a frame of the profile. The granularity and inlined calls are disregarded,
 * and source lines are not set. Broken files are no error: code that neither a symbol nor debug
 * information has a name for gets a name from its module and its function's start. Returns 0; -1 if
 * memory is out.
 */
int symbols_frame(struct symbols *s, const struct profile_frame *frame, struct symbols_place *place,
		  struct error *err);

/*
 * List the places of a frame: its function, followed by the functions inlined at the address, each
 * inlined in the one before it. There is at least one. The list is valid until the next call.
 * Returns 0; -1 if memory is out.
 */
int symbols_expand(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err);

/* The same with source lines, and with the functions inlined at the address whatever the options say.
 * Source lines are known if the options want them (symbols_wants_lines). */
int symbols_source(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err);

/* The profile that they are of. */
const struct profile *symbols_profile(const struct symbols *s);

/* Open the files of a module without those of its debug information, as module_file_open does. */
int symbols_open_file(struct symbols *s, uint32_t module, struct module_file *files,
		      struct error *why);

/* Whether a symbol of a module that the profile has is the function of that name, in one of the forms of names that a
 * symbol can have (demangle.h). Modules whose files are not found have none. */
bool symbols_has_function(struct symbols *s, const char *name);

/* The code of a function that frames of the profile are in, if a pack has it; else NULL. */
const struct pack_piece *symbols_packed_code(const struct symbols *s, uint32_t module,
					     uint64_t start, uint64_t end);
/* Whether a pack says something of a module that frames are in. */
bool symbols_is_packed(const struct symbols *s, uint32_t module);

/* Says whether a function may have several names, one for each line or address in it. */
bool symbols_has_places(const struct symbols *s);

/* Says whether calls inside a module are merged into one (SYMBOLS_BY_MODULE). */
bool symbols_merge_calls(const struct symbols *s);

/*
 * Name the function of this frame, unless it has a symbol. Nothing happens if the unwind table has
 * no range for the frame's address. Returns 0; -1 if memory is out.
 */
int symbols_set_name(struct symbols *s, const struct profile_frame *frame, const char *name,
		     struct error *err);

/*
 * Settle how people are shown n different names of places, which is what strings_shown returns from now
 * on: so shortly, if the options want it, that no two are shown alike. Returns 0; -1 if memory is out.
 */
int symbols_shorten(struct symbols *s, const uint32_t *names, size_t n, struct error *err);

/* Whether the options ask for short names, so that files for other programs have them, too; NULL: they do not. */
bool symbols_exports_short(const struct symbols *s);

/* What such a file has for a name that was settled. */
uint32_t symbols_exported(const struct symbols *s, uint32_t name);

/*
 * The warning about a module: a line such as "libfoo.so: rebuilt since the recording (build id
 * abc..., recorded def...); its functions have no names"; NULL if there is none. The string
 * is valid as long as s.
 */
const char *symbols_module_warning(const struct symbols *s, uint32_t module);

/* Returns the module's name: the last part of its path, or of the link's by which all processes have
 * executed it; NULL if no record has its path. */
const char *symbols_label(const struct symbols *s, uint32_t module);

/* ---- symbols pack ---------------------------------------------------------------------------- */
/*
 * What files say of all addresses of a profile, for a pack.
 */

/* Add all that is known of n frames of the profile of s. The options of s have to be those of names
 * of the linker, with inlined functions and lines, and s is of no other use. The lines of sources are
 * noted if `with_lines` is set. -1: out of memory. */
int symbols_pack(struct symbols *s, struct pack_builder *b, const struct profile_frame *frames,
		 size_t n, bool with_lines, struct error *err);

/* Where the function of a frame is, as views find it; the options of s are those of symbols_pack().
 * *end is 0 if that is not known. -1: out of memory. */
int symbols_pack_extent(struct symbols *s, const struct profile_frame *frame, uint64_t *start,
			uint64_t *end, struct error *err);
/* Add code of a module, as pack_builder_code() does. */
int symbols_pack_code(struct symbols *s, struct pack_builder *b, uint32_t module,
		      const struct pack_piece *piece, struct error *err);

#endif
