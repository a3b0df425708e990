/* SPDX-License-Identifier: MIT */
/*
 * tree_fold.c - folds the profile's tree of addresses into nodes by name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/stop.h"
#include "symbols/symbols_locate.h"
#include "tree/tree.h"
#include "tree/tree_fold.h"

/* ---- origins --------------------------------------------------------------------------------- */

static bool begins(const char *text, size_t n, const char *prefix)
{
	size_t length = strlen(prefix);

	return n >= length && memcmp(text, prefix, length) == 0;
}

static bool begins_with_any(const char *text, size_t n, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (begins(text, n, *prefixes))
			return true;
	return false;
}

/* Where the function's own name begins, behind the type that an instance of a template returns: at "std::f" in
 * "void std::f<int>(int)". */
static size_t own_begin(const char *name, size_t n)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; i < n && !begins(name + i, n - i, "operator"); i++) {
		char c = name[i];

		if (c == '(' && !depth && !begins(name + i, n - i, "(anonymous"))
			break;
		depth += (c == '<' || c == '(') - (c == '>' || c == ')');
		if (c == ' ' && !depth)
			begin = i + 1;
	}
	return begin;
}

bool tree_origin_is_library(const char *name, size_t n)
{
	static const char *const of_cxx[] = {
		"std::",     "__gnu_cxx::", "__gthread_", "operator new", "operator delete",
		"cpsample_", "_ZNSt",	    "_ZNKSt",	  "_ZSt",	  "_ZN9__gnu_cxx",
		"_Znw",	     "_Zna",	    "_Zdl",	  "_Zda",	  "<std::",
		"<alloc::",  "<core::",	    "__rust_",	  "__rdl_",	  NULL};
	/* Rust's names have no parameters. */
	static const char *const of_rust[] = {"alloc::", "core::", NULL};
	size_t begin = own_begin(name, n);

	name += begin;
	n -= begin;
	return begins_with_any(name, n, of_cxx) ||
	       (begins_with_any(name, n, of_rust) && !memchr(name, '(', n));
}

/* An interpreter, or one of the modules that CPython comes with, wherever it is installed. */
static bool is_interpreter(const char *path, size_t n)
{
	static const char in_cpython[] = "/lib-dynload/";
	static const char *const programs[] = {"python", "libpython", "node", "libnode",
					       "perl",	 "libperl",   "ruby", "libruby",
					       "libjvm", "java",      NULL};
	const char *slash = memrchr(path, '/', n);
	size_t before = slash ? (size_t)(slash + 1 - path) : 0;

	return begins_with_any(path + before, n - before, programs) ||
	       memmem(path, n, in_cpython, sizeof(in_cpython) - 1);
}

static enum tree_origin origin_of_path(const char *path, size_t n, bool is_executed)
{
	static const char *const system[] = {
		"/lib/",	 "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/",
		"/usr/libexec/", "/bin/",   "/sbin/",  "/usr/bin/", "/usr/sbin/",  NULL};

	if (is_interpreter(path, n))
		return is_executed ? TREE_OF_COMMAND : TREE_OF_SYSTEM;
	if (*path == '/' && !begins_with_any(path, n, system))
		return TREE_OF_PROGRAM;
	return is_executed ? TREE_OF_COMMAND : TREE_OF_SYSTEM;
}

/* The origins of all modules' functions, without regard to their names. NULL: memory. */
static unsigned char *origins_of_modules(const struct profile *p)
{
	unsigned char *origins = calloc(p->n_modules + 1, 1);
	bool *executed = calloc(strings_count(p->strings) + 1, sizeof(*executed));
	const char *path;
	size_t i, n;

	for (i = 0; executed && i < p->n_processes; i++)
		if (p->processes[i].exe != STRINGS_NONE)
			executed[p->processes[i].exe] = true;
	for (i = 0; origins && executed && i < p->n_modules; i++) {
		if (p->modules[i].path == STRINGS_NONE || p->modules[i].is_vdso)
			continue;
		path = strings_get(p->strings, p->modules[i].path, &n);
		origins[i] = (unsigned char)origin_of_path(path, n, executed[p->modules[i].path]);
	}
	if (!executed) {
		free(origins);
		origins = NULL;
	}
	free(executed);
	return origins;
}

/* ---- frame names ----------------------------------------------------------------------------- */
/*
 * Finds the names of each frame once and keeps them.
 *
 * In: a frame of the profile. Out: its names, outermost function first.
 *
 * The names are kept because many nodes have the same frame, and finding its names takes a search.
 */

struct frame_names {
	const struct profile *profile;
	struct symbols *symbols;
	bool merge_calls;     /* equal names in a row become one */
	struct chain *frames; /* by frame */
	uint32_t *all;	      /* names in the profile's string table */
	uint32_t *functions;  /* by element of `all`: the function that it is or is a place in */
	uint32_t *files; /* likewise: the source file's path, STRINGS_NONE if it is not known */
	size_t n_all, room, functions_room, files_room;
	/* By name: see struct tree. The caller takes them, and frees them. */
	uint32_t *modules;
	size_t n_modules, modules_room;
	/* By name likewise; and by module of the profile. */
	unsigned char *origins, *of_modules;
	size_t n_origins, origins_room;
};

/* Free what c holds. */
static void frame_names_clear(struct frame_names *c)
{
	free(c->frames);
	free(c->all);
	free(c->functions);
	free(c->files);
	free(c->of_modules);
	memset(c, 0, sizeof(*c));
}

static int add(struct frame_names *c, struct chain *chain, uint32_t name, uint32_t function,
	       uint32_t file, struct error *err)
{
	if (name == STRINGS_NONE || c->n_all >= UINT32_MAX ||
	    !array_reserve(&c->all, &c->room, c->n_all + 1, sizeof(*c->all)) ||
	    !array_reserve(&c->functions, &c->functions_room, c->n_all + 1,
			   sizeof(*c->functions)) ||
	    !array_reserve(&c->files, &c->files_room, c->n_all + 1, sizeof(*c->files)))
		return error_memory(err);
	c->functions[c->n_all] = function;
	c->files[c->n_all] = file;
	c->all[c->n_all++] = name;
	chain->n++;
	return 0;
}

/* The names of groups are taken as they are, because groups are not functions of the program. */
static int add_groups(struct frame_names *c, struct error *err)
{
	const struct profile *p = c->profile;
	size_t i;

	for (i = 1; p->by && i < p->n_nodes; i++) {
		uint32_t number = p->nodes[i].frame;
		struct chain *chain = &c->frames[number];

		if (!profile_is_group(p, i) || chain->n)
			continue;
		chain->first = (uint32_t)c->n_all;
		if (add(c, chain, p->frames[number].name, p->frames[number].name, STRINGS_NONE,
			err))
			return -1;
	}
	return 0;
}

/* Begin with no frame's names. s may be NULL if all frames have names. Returns -1 if memory is
 * out. */
static int frame_names_init(struct frame_names *c, const struct profile *p, struct symbols *s,
			    struct error *err)
{
	*c = (struct frame_names){.profile = p, .symbols = s};
	c->merge_calls = s && symbols_merge_calls(s);
	c->frames = calloc(p->n_frames + 1, sizeof(*c->frames));
	c->of_modules = origins_of_modules(p);
	return c->frames && c->of_modules ? add_groups(c, err) : error_memory(err);
}

/* Whether people see one name for both modules, as for two builds of a program. */
static bool are_shown_alike(const struct frame_names *c, uint32_t a, uint32_t b)
{
	const char *of_a, *of_b;

	if (a == b)
		return true;
	if (!c->symbols || a >= c->profile->n_modules || b >= c->profile->n_modules)
		return false;
	of_a = symbols_label(c->symbols, a);
	of_b = symbols_label(c->symbols, b);
	return of_a && of_b && strcmp(of_a, of_b) == 0;
}

/* A function of one name may be in several modules. */
static int note_module(struct frame_names *c, uint32_t name, uint32_t module, struct error *err)
{
	uint32_t *known;

	if (!array_reserve(&c->modules, &c->modules_room, (size_t)name + 1, sizeof(*c->modules)))
		return error_memory(err);
	for (; c->n_modules <= name; c->n_modules++)
		c->modules[c->n_modules] = 0;
	known = &c->modules[name];
	if (!*known)
		*known = module + 1;
	else if (!are_shown_alike(c, *known - 1, module))
		*known = TREE_SEVERAL_MODULES;
	return 0;
}

/* Whose the frame is, without regard to its name. What has a name and no module was generated, or is what an
 * interpreter was executing. */
static unsigned char origin_of_frame(const struct frame_names *c, const struct profile_frame *frame)
{
	if (frame->module != PROFILE_NO_MODULE)
		return c->of_modules[frame->module];
	return frame->name != STRINGS_NONE ? TREE_OF_PROGRAM : TREE_OF_SYSTEM;
}

static int note_origin(struct frame_names *c, const struct profile_frame *frame, uint32_t name,
		       uint32_t function, struct error *err)
{
	unsigned char origin = origin_of_frame(c, frame);
	const char *text;
	size_t n;

	if (origin == TREE_OF_SYSTEM || (name < c->n_origins && c->origins[name] >= origin))
		return 0;
	text = strings_get(c->profile->strings, function, &n);
	if (tree_origin_is_library(text, n))
		return 0;
	if (!array_reserve(&c->origins, &c->origins_room, (size_t)name + 1, 1))
		return error_memory(err);
	for (; c->n_origins <= name; c->n_origins++)
		c->origins[c->n_origins] = TREE_OF_SYSTEM;
	c->origins[name] = origin;
	return 0;
}

static int expand(struct frame_names *c, const struct profile_frame *frame, struct chain *chain,
		  struct error *err)
{
	const struct symbols_place *places;
	size_t i, n;

	if (symbols_expand(c->symbols, frame, &places, &n, err))
		return -1;
	for (i = 0; i < n; i++)
		if (add(c, chain, places[i].name, places[i].function, places[i].file, err) ||
		    note_module(c, places[i].name, frame->module, err) ||
		    note_origin(c, frame, places[i].name, places[i].function, err))
			return -1;
	return 0;
}

/* The name of a frame if there are no symbols. A frame without a name stands for the middle of a
 * stack that was left out. */
static uint32_t own_name(struct frame_names *c, const struct profile_frame *frame)
{
	if (frame->name != STRINGS_NONE)
		return frame->name;
	return strings_add(c->profile->strings, PROFILE_CUT, strlen(PROFILE_CUT));
}

/* Get the names of the frame's function and then of the functions inlined there; there is at least
 * one name. `names` is valid until the next call. Returns -1 if memory is out. */
static int frame_names_get(struct frame_names *c, uint32_t number, const uint32_t **names,
			   uint32_t *n, struct error *err)
{
	const struct profile_frame *frame = &c->profile->frames[number];
	struct chain *chain = &c->frames[number];
	uint32_t own;
	int status = 0;

	if (!chain->n) {
		if (stop_check(err))
			return -1;
		chain->first = (uint32_t)c->n_all;
		own = c->symbols ? STRINGS_NONE : own_name(c, frame);
		status = c->symbols ? expand(c, frame, chain, err)
				    : add(c, chain, own, own, STRINGS_NONE, err);
		if (!c->symbols && !status)
			status = note_origin(c, frame, own, own, err);
	}
	*names = &c->all[chain->first];
	*n = chain->n;
	return status;
}

/* ---- tree fold ------------------------------------------------------------------------------- */
/*
 * Folds the profile's tree of addresses into nodes by name.
 *
 * In: a profile, names of its frames, a filter. Out: the nodes' parents and names.
 *
 * Nodes get their weights only when their places in the tree are known. This saves memory: ten
 * million nodes are not unusual.
 */

#define HIDDEN	  (1u << FILTER_HIDE)
#define COLLAPSED (1u << FILTER_COLLAPSE)

struct folding {
	struct tree_fold *to;
	const struct profile *profile;
	struct frame_names names_of_frames;
	/* The filter's marks, by name and by profile node; NULL if there is no filter. A node that is needed also has
	 * COLLAPSED if its innermost function in the tree is to be collapsed. */
	unsigned char *of_names, *of_nodes;
	/* Those of the modules and source files that places are in, by element of names_of_frames.all. */
	unsigned char *of_places;
	uint32_t hidden;	 /* the string PROFILE_HIDDEN */
	struct pair_table pairs; /* (parent, name) -> node - 1 */
	size_t parents_room, names_room, inlined_room;
};

static unsigned char node_marks(const struct folding *f, size_t i)
{
	return f->of_nodes ? f->of_nodes[i] : FILTER_KEPT | FILTER_NEEDED;
}

/* A node is inlined if all frames that are folded into it are inlined. */
static int mark(struct folding *f, uint32_t number, bool is_new, bool is_inline)
{
	struct tree_fold *to = f->to;
	size_t room = f->inlined_room;

	if (!to->inlined && !is_inline)
		return 0;
	if (!array_reserve(&to->inlined, &f->inlined_room, to->n, sizeof(*to->inlined)))
		return -1;
	memset(to->inlined + room, 0, f->inlined_room - room);
	to->inlined[number] = is_inline && (is_new || to->inlined[number]);
	return 0;
}

/* Add a node. The pair table has given it its number already. */
static int add_node(struct folding *f, uint32_t parent, uint32_t name)
{
	struct tree_fold *to = f->to;

	if (!array_reserve(&to->parents, &f->parents_room, to->n + 1, sizeof(*to->parents)) ||
	    !array_reserve(&to->names, &f->names_room, to->n + 1, sizeof(*to->names)))
		return -1;
	to->parents[to->n] = parent;
	to->names[to->n] = name;
	to->n++;
	return 0;
}

/* Find the child of `parent` with this name; add it if it is new. */
static int child(struct folding *f, uint32_t parent, uint32_t name, bool is_inline,
		 uint32_t *number, struct error *err)
{
	uint32_t pair = pair_table_child(&f->pairs, parent, name);
	bool is_new;

	if (pair >= PAIR_TABLE_NONE - 1)
		return error_memory(err);
	*number = pair + 1;
	is_new = *number == f->to->n;
	if ((is_new && add_node(f, parent, name)) || mark(f, *number, is_new, is_inline))
		return error_memory(err);
	return 0;
}

/* The filter's marks of the name all[place]: the marks of the name itself, and those of the
 * function, the module and the source file that it is a place in. */
static unsigned char name_marks(const struct folding *f, uint32_t place)
{
	return f->of_names[f->names_of_frames.all[place]] |
	       f->of_names[f->names_of_frames.functions[place]] | f->of_places[place];
}

/* Go down from node *number by those of the frame's names that are not hidden, also not in a collapsed one. *number
 * becomes the node of the innermost one, and *marks has COLLAPSED if that is to be collapsed. */
static int descend(struct folding *f, uint32_t frame, uint32_t *number, unsigned char *marks,
		   struct error *err)
{
	const uint32_t *names;
	uint32_t i, n, first;

	if (frame_names_get(&f->names_of_frames, frame, &names, &n, err))
		return -1;
	first = (uint32_t)(names - f->names_of_frames.all);
	for (i = 0; i < n; i++) {
		unsigned char of_name = f->of_names ? name_marks(f, first + i) : 0;

		if (of_name & HIDDEN || of_name & *marks & COLLAPSED)
			continue;
		*marks = of_name & COLLAPSED;
		if (f->names_of_frames.merge_calls && f->to->names[*number] == names[i])
			continue;
		if (child(f, *number, names[i], i > 0, number, err))
			return -1;
	}
	return 0;
}

/* Fold the profile's nodes in order of creation, in which a parent comes before its children. */
static int fold_nodes(struct folding *f, struct error *err)
{
	const struct profile *p = f->profile;
	uint32_t *nodes = f->to->nodes = calloc(p->n_nodes, sizeof(*nodes));
	size_t i;

	if (!nodes || add_node(f, 0, STRINGS_NONE))
		return error_memory(err);
	for (i = 1; i < p->n_nodes; i++) {
		uint32_t parent = p->nodes[i].parent, number = nodes[parent];
		unsigned char marks = f->of_nodes ? f->of_nodes[parent] : 0;

		if (stop_check(err))
			return -1;
		if (!profile_is_column(p, i) && node_marks(f, i) & FILTER_NEEDED &&
		    descend(f, p->nodes[i].frame, &number, &marks, err))
			return -1;
		nodes[i] = number;
		if (f->of_nodes)
			f->of_nodes[i] |= marks & COLLAPSED;
	}
	return 0;
}

/* Mark the nodes whose stacks are dropped, and find a node for stacks whose frames are all
 * hidden. */
static int assign_samples(struct folding *f, struct error *err)
{
	uint32_t *nodes = f->to->nodes;
	size_t i;

	for (i = 1; f->of_nodes && i < f->profile->n_nodes; i++)
		if (!(node_marks(f, i) & FILTER_KEPT))
			nodes[i] = FOLD_DROPPED;
		else if (nodes[i] == 0 && !profile_is_column(f->profile, i) &&
			 child(f, 0, f->hidden, false, &nodes[i], err))
			return -1;
	return 0;
}

/* ---- filter ---------------------------------------------------------------------------------- */

#define KERNEL_PREFIX "[k] " /* of the kernel's own functions */

/* What finds the modules and source files that a text means. */
struct file_match {
	struct folding *folding;
	unsigned char mark;
	const char *text;
	unsigned char
		*known; /* by string: 1 it is the path of another source file, 2 of one of these */
	const char *module, *file; /* paths of one of them; NULL: there is none */
};

static bool is_in_module(struct file_match *m, const struct profile_frame *frame)
{
	const struct folding *f = m->folding;
	const struct profile *p = f->profile;
	const char *path, *label;

	if (frame->module >= p->n_modules) {
		path = frame->name == STRINGS_NONE ? profile_stand_in(frame)
						   : strings_get(p->strings, frame->name, NULL);
		if (strcmp(m->text, PROFILE_KERNEL) != 0 || !path ||
		    strncmp(path, KERNEL_PREFIX, strlen(KERNEL_PREFIX)) != 0)
			return false;
		m->module = path;
		return true;
	}
	path = p->modules[frame->module].path == STRINGS_NONE
		       ? ""
		       : strings_get(p->strings, p->modules[frame->module].path, NULL);
	label = f->names_of_frames.symbols
			? symbols_label(f->names_of_frames.symbols, frame->module)
			: NULL;
	if (p->modules[frame->module].is_vdso ? strcmp(m->text, "[vdso]") != 0
					      : !filter_means_module(path, m->text) &&
							(!label || strcmp(label, m->text) != 0))
		return false;
	m->module = path;
	return true;
}

static bool is_in_source(struct file_match *m, uint32_t path)
{
	const char *text;

	if (path == STRINGS_NONE)
		return false;
	text = strings_get(m->folding->profile->strings, path, NULL);
	if (!m->known[path])
		m->known[path] = filter_means_source(text, m->text) ? 2 : 1;
	if (m->known[path] == 2)
		m->file = text;
	return m->known[path] == 2;
}

/* Mark the places that are in a module or a source file that the text means. */
static int mark_files(void *context, const char *text, struct error *err)
{
	struct file_match *m = context;
	struct folding *f = m->folding;

	m->text = text;
	m->file = m->module = NULL;
	m->known = calloc(strings_count(f->profile->strings) + 1, 1);
	if (!m->known)
		return error_memory(err);
	for (size_t i = 0; i < f->profile->n_frames; i++) {
		const struct chain *chain = &f->names_of_frames.frames[i];
		bool is_there = is_in_module(m, &f->profile->frames[i]);

		for (uint32_t k = chain->first; k < chain->first + chain->n; k++)
			if (is_in_source(m, f->names_of_frames.files[k]) || is_there)
				f->of_places[k] |= m->mark;
	}
	free(m->known);
	if (m->module && m->file)
		return error_usage(err, "\"%s\" is a module, %s, and a source file, %s: which one?",
				   text, m->module, m->file);
	return m->module || m->file;
}

/* Mark the names that the values mean. `of_names` has n elements, one for each string; the strings that are names have
 * NAME_MATCH_NAME already. The filter records which values mean no name. Returns -1 if memory is out or an expression is
 * wrong. */
static int mark_names(struct folding *f, struct filter *filter, size_t n, struct error *err)
{
	const struct symbols *symbols = f->names_of_frames.symbols;
	struct file_match files = {.folding = f};
	const struct patterns_files others = {mark_files, &files,
					      symbols && symbols_merge_calls(symbols)};

	for (int kind = 0; kind < FILTER_KINDS; kind++) {
		patterns_forget(&filter->of[kind]);
		files.mark = (unsigned char)(1u << kind);
		if (patterns_match_or(&filter->of[kind], f->profile->strings, f->of_names, n,
				      files.mark, &others, err))
			return -1;
	}
	return 0;
}

/* Names of places are not counted beside that of their function. */
static size_t count_focused(const struct folding *f)
{
	const unsigned char counted = NAME_MATCH_NAME;
	const struct frame_names *all = &f->names_of_frames;
	size_t n = 0;

	for (size_t i = 0; i < all->n_all; i++) {
		unsigned char *marks = &f->of_names[all->functions[i]];

		n += *marks & counted && *marks & 1u << FILTER_FOCUS;
		*marks &= (unsigned char)~counted;
	}
	return n;
}

/* Mark the strings of the profile that are names of functions, and then those that the filter
 * means. */
static int filter_begin_names(struct folding *f, struct filter *filter, struct error *err)
{
	const uint32_t *names;
	uint32_t i, n;
	size_t n_strings;

	for (i = 0; i < f->profile->n_frames; i++)
		if (frame_names_get(&f->names_of_frames, i, &names, &n, err))
			return -1;
	n_strings = strings_count(f->profile->strings);
	f->of_names = calloc(n_strings, 1);
	f->of_places = calloc(f->names_of_frames.n_all + 1, 1);
	if (!f->of_names || !f->of_places)
		return error_memory(err);
	for (i = 0; i < f->names_of_frames.n_all; i++)
		f->of_names[f->names_of_frames.all[i]] =
			f->of_names[f->names_of_frames.functions[i]] = NAME_MATCH_NAME;
	if (mark_names(f, filter, n_strings, err))
		return -1;
	f->to->n_focused = count_focused(f);
	return 0;
}

/* Whether stacks may begin with it before they come to main, or to a thread's function. Returns -1 if memory is out. */
static int is_start(const struct folding *f, uint32_t number, struct error *err)
{
	const struct frame_names *all = &f->names_of_frames;
	const struct profile_frame *frame = &f->profile->frames[number];
	struct symbols_place place = {.function = all->functions[all->frames[number].first]};
	const struct strings *s = f->profile->strings;
	uint32_t path;

	if (frame->module >= f->profile->n_modules)
		return 0;
	path = f->profile->modules[frame->module].path;
	if (path != STRINGS_NONE && filter_is_start_module(strings_get(s, path, NULL)))
		return 1;
	if (all->merge_calls && symbols_frame(all->symbols, frame, &place, err))
		return -1;
	return strcmp(strings_get(s, place.function, NULL), "_start") == 0;
}

/* Find the marks of each frame, which are those of all its names. */
static int mark_frames(const struct folding *f, unsigned char *of_frames, struct error *err)
{
	const struct frame_names *all = &f->names_of_frames;

	for (uint32_t i = 0; i < f->profile->n_frames; i++) {
		const struct chain *chain = &all->frames[i];
		int starts = is_start(f, i, err);

		if (starts < 0)
			return -1;
		of_frames[i] = starts ? FILTER_START : 0;
		for (uint32_t k = chain->first; k < chain->first + chain->n; k++) {
			unsigned by_name =
				f->of_names[all->all[k]] | f->of_names[all->functions[k]];

			of_frames[i] |= (by_name & FILTER_DROPS) << FILTER_BY_NAME |
					(name_marks(f, k) & FILTER_DROPS);
		}
	}
	return 0;
}

static int filter_begin(struct folding *f, struct filter *filter, struct error *err)
{
	unsigned char *of_frames;
	int status;

	if (!filter_is_set(filter))
		return 0;
	f->hidden = strings_add(f->profile->strings, PROFILE_HIDDEN, strlen(PROFILE_HIDDEN));
	if (f->hidden == STRINGS_NONE)
		return error_memory(err);
	if (filter_begin_names(f, filter, err))
		return -1;
	f->of_nodes = malloc(f->profile->n_nodes);
	of_frames = malloc(f->profile->n_frames + 1);
	status = f->of_nodes && of_frames ? mark_frames(f, of_frames, err) : error_memory(err);
	if (!status)
		filter_nodes(filter, f->profile, of_frames, f->of_nodes);
	free(of_frames);
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int tree_fold_build(struct tree_fold *f, const struct profile *p, struct symbols *s,
		    struct filter *filter, struct error *err)
{
	struct folding folding = {.to = f, .profile = p};
	int status;

	*f = (struct tree_fold){0};
	status = frame_names_init(&folding.names_of_frames, p, s, err);
	if (!status)
		status = filter_begin(&folding, filter, err);
	if (!status)
		status = fold_nodes(&folding, err);
	if (!status)
		status = assign_samples(&folding, err);
	f->modules = folding.names_of_frames.modules;
	f->n_modules = folding.names_of_frames.n_modules;
	f->origins = folding.names_of_frames.origins;
	f->n_origins = folding.names_of_frames.n_origins;
	frame_names_clear(&folding.names_of_frames);
	free(folding.of_names);
	free(folding.of_places);
	free(folding.of_nodes);
	pair_table_clear(&folding.pairs);
	return status;
}

void tree_fold_clear(struct tree_fold *f)
{
	free(f->parents);
	free(f->names);
	free(f->inlined);
	free(f->nodes);
	free(f->modules);
	free(f->origins);
	*f = (struct tree_fold){0};
}
