/* SPDX-License-Identifier: MIT */
/*
 * debug_scopes.c - finds functions, and the calls inlined in them, and qualifies their names.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "dwarf/debug_info.h"

/* ---- debug scopes ---------------------------------------------------------------------------- */
/*
 * Finds functions, and the calls inlined in them.
 *
 * In: the tree of entries of a unit (DWARF 5, 2.3). Out: scopes, and their addresses.
 *
 * The tree is walked without recursion, because a forged tree may be deeper than the program's
 * stack allows.
 */

/*
 * How many times a unit's bytes may be walked over. An entry without a reference to its sibling
 * (clang writes none) costs a walk over all entries below it. For a whole unit, up to seven times
 * its bytes have been seen. Only forged units need more: their references to siblings may point to
 * the children of other entries.
 */
#define WALKS_MAX 20u

struct level {
	Dwarf_Die die;
	uint32_t scope; /* the scope that encloses the entry */
	bool is_local;	/* the entry is within a function */
};

struct walk {
	struct debug_scopes *block;
	enum debug_what what;
	struct debug_budget *budget;
	Dwarf_Die *function;  /* whose inlined calls are read */
	struct level *levels; /* from the outermost entry to the current one, which is the last */
	size_t depth, room;
};

struct debug_budget debug_scopes_budget(uint64_t n_bytes, uint64_t *ranges)
{
	return (struct debug_budget){
		.bytes = WALKS_MAX * n_bytes, .unit_bytes = n_bytes, .ranges = ranges};
}

static int push(struct walk *w, const struct level *level)
{
	if (!array_reserve(&w->levels, &w->room, w->depth + 1, sizeof(*w->levels)))
		return -ENOMEM;
	w->levels[w->depth++] = *level;
	return 0;
}

/* Add the entry as a scope if it has code; it then encloses the entries below it. Returns 0 or
 * -ENOMEM. */
static int add_scope(struct walk *w, struct level *at, struct level *in)
{
	struct debug_scopes *b = w->block;
	size_t n_ranges = b->ranges.n;

	if (!array_reserve(&b->scopes, &b->room, b->n + 1, sizeof(*b->scopes)) ||
	    debug_ranges_add(&b->ranges, &at->die, (uint32_t)b->n, w->budget))
		return -ENOMEM;
	if (b->ranges.n == n_ranges)
		return 0;
	in->scope = (uint32_t)b->n;
	b->scopes[b->n++] = (struct debug_scope){at->die, at->scope, STRINGS_NONE, NULL};
	return 0;
}

/* A function without code is a declaration, or the abstract instance of inlined calls. When all
 * functions are wanted it is walked all the same, because it may contain classes that have
 * functions with code. */
static int enter_function(struct walk *w, struct level *at, struct level *in)
{
	if (w->what == DEBUG_INLINED)
		return 0;
	if (add_scope(w, at, in))
		return -ENOMEM;
	in->scope = DEBUG_NO_SCOPE;
	in->is_local = true;
	return w->what == DEBUG_ALL_FUNCTIONS;
}

/* The function that an entry is an instance of. Returns false if it is of none. */
static bool origin_of(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	       dwarf_formref_die(&attribute, origin);
}

static Dwarf_Word number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) ? 0 : value;
}

/*
 * Whether an inlined call is none, but a part of the function around it. gcc splits a function into
 * its beginning and the rest, so that it can inline the former alone, and may put both together
 * again. Then the rest appears as a call of the function by itself, at the place of its declaration. A
 * recursive call that was inlined is somewhere else.
 */
static bool is_part(const struct walk *w, struct level *at)
{
	Dwarf_Die *around =
		at->scope == DEBUG_NO_SCOPE ? w->function : &w->block->scopes[at->scope].die;
	Dwarf_Die of, outer;
	Dwarf_Word line = number(&at->die, DW_AT_call_line);

	return line && origin_of(&at->die, &of) && origin_of(around, &outer) &&
	       of.addr == outer.addr && line == number(&of, DW_AT_decl_line) &&
	       number(&at->die, DW_AT_call_column) == number(&of, DW_AT_decl_column);
}

static int enter_inlined(struct walk *w, struct level *at, struct level *in)
{
	if (w->what != DEBUG_INLINED)
		return 0;
	if (is_part(w, at))
		return 1;
	if (add_scope(w, at, in))
		return -ENOMEM;
	return in->scope != at->scope;
}

/* Adds the entry as a scope even if it has no addresses. Returns 1 or -ENOMEM. */
static int enter_outer(struct walk *w, struct level *at, struct level *in)
{
	struct debug_scopes *b = w->block;

	if (!array_reserve(&b->scopes, &b->room, b->n + 1, sizeof(*b->scopes)))
		return -ENOMEM;
	in->scope = (uint32_t)b->n;
	b->scopes[b->n++] = (struct debug_scope){at->die, at->scope, STRINGS_NONE, NULL};
	return 1;
}

static bool is_outer(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_namespace:
		return true;
	}
	return false;
}

/* Enter the entry, and set *in for the entries below it. Returns 1 if these are to be walked, 0 if
 * not, or -ENOMEM. */
static int enter(struct walk *w, struct level *at, struct level *in)
{
	*in = *at;
	if (w->what == DEBUG_ENCLOSING && is_outer(&at->die))
		return enter_outer(w, at, in);
	switch (dwarf_tag(&at->die)) {
	case DW_TAG_subprogram:
		return enter_function(w, at, in);
	case DW_TAG_inlined_subroutine:
		return enter_inlined(w, at, in);
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return at->is_local && w->what == DEBUG_ALL_FUNCTIONS;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return 1;
	default:
		return 0;
	}
}

/* Charge the budget with a step from one entry to a later one. Returns false if the budget is used
 * up. A step to a sibling may pass over all entries below `from`; without a sibling (to->addr is
 * NULL) it may pass over the rest of the unit, and costs as much as the whole unit. */
static bool pay(struct walk *w, const Dwarf_Die *from, const Dwarf_Die *to)
{
	struct debug_budget *b = w->budget;
	const char *a = from->addr, *z = to->addr;
	uint64_t bytes = z ? (uint64_t)(z - a) : b->unit_bytes;

	if (bytes > b->bytes)
		return false;
	b->bytes -= bytes;
	return true;
}

/* Advance to the next sibling of the current entry, or else of the nearest entry above it that has
 * one. Returns false at the end of the walk. */
static bool advance(struct walk *w)
{
	while (w->depth > 0) {
		Dwarf_Die *at = &w->levels[w->depth - 1].die, next = {0};
		int rc = dwarf_siblingof(at, &next);

		if (rc < 0 || !pay(w, at, &next))
			return false;
		if (rc == 0) {
			*at = next;
			return true;
		}
		w->depth--;
	}
	return false;
}

/* Descend through first children to an entry whose children need no walk. Returns 0 or -ENOMEM. */
static int descend(struct walk *w)
{
	struct level in;
	int rc;

	while ((rc = enter(w, &w->levels[w->depth - 1], &in)) > 0) {
		Dwarf_Die *at = &w->levels[w->depth - 1].die;

		if (dwarf_child(at, &in.die) != 0 || !pay(w, at, &in.die))
			return 0;
		if (push(w, &in))
			return -ENOMEM;
	}
	return rc;
}

static int walk(struct walk *w, Dwarf_Die *die)
{
	struct level first = {.scope = DEBUG_NO_SCOPE};

	if (dwarf_child(die, &first.die) != 0)
		return 0;
	if (push(w, &first))
		return -ENOMEM;
	do {
		if (descend(w))
			return -ENOMEM;
	} while (advance(w));
	return 0;
}

struct debug_scopes *debug_scopes_read(Dwarf_Die *die, enum debug_what what,
				       struct debug_budget *budget)
{
	struct walk w = {.what = what, .budget = budget, .function = die};
	int rc;

	w.block = calloc(1, sizeof(*w.block));
	rc = w.block ? walk(&w, die) : -ENOMEM;
	free(w.levels);
	if (!rc)
		rc = debug_ranges_sort(&w.block->ranges);
	if (!rc)
		return w.block;
	debug_scopes_free(w.block);
	return NULL;
}

struct debug_scope *debug_scopes_find(const struct debug_scopes *b, uint64_t address)
{
	const struct debug_range *range = debug_ranges_find(&b->ranges, address);

	return range ? &b->scopes[range->owner] : NULL;
}

void debug_scopes_free(struct debug_scopes *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		debug_scopes_free(b->scopes[i].block); /* recurses once: blocks have no blocks */
	free(b->scopes);
	debug_ranges_clear(&b->ranges);
	free(b);
}

/* ---- debug enclosing ------------------------------------------------------------------------- */
/*
 * Compilers leave out the linkage name where no other unit can refer to the function: in anonymous
 * namespaces, within functions, and where an argument has a type from there. Many of these
 * functions have the same DW_AT_name, above all operator(), so that the bare name does not tell
 * them apart.
 */

#define PARTS_MAX   64u /* of a name; a forged chain of enclosing scopes may have no end */
#define ORIGINS_MAX 8u
#define UNNAMED_MAX 40u /* bytes of "<lambda LINE>" */

struct part {
	const char *text;
	char unnamed[UNNAMED_MAX];
};

struct parts {
	struct part list[PARTS_MAX]; /* innermost first */
	size_t n, bytes;
};

/* Follows the references from the entry with a function's code to the entry at the place where the
 * source declares the function. */
static Dwarf_Die declaration(Dwarf_Die die)
{
	Dwarf_Attribute attribute;

	for (unsigned i = 0; i < ORIGINS_MAX; i++)
		if ((!dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
		     !dwarf_attr(&die, DW_AT_specification, &attribute)) ||
		    !dwarf_formref_die(&attribute, &die))
			break;
	return die;
}

static const struct debug_scope *find(const struct debug_scopes *b, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	size_t first = 0, end = b->n;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (dwarf_dieoffset(&b->scopes[middle].die) < offset)
			first = middle + 1;
		else
			end = middle;
	}
	return first < b->n && b->scopes[first].die.addr == die->addr ? &b->scopes[first] : NULL;
}

static void set_unnamed(struct part *part, Dwarf_Die *die, bool is_lambda)
{
	int line = 0;

	part->text = part->unnamed;
	if (dwarf_tag(die) == DW_TAG_namespace)
		part->text = "(anonymous namespace)";
	else if (dwarf_decl_line(die, &line) || line <= 0)
		part->text = is_lambda ? "<lambda>" : "<type>";
	else
		snprintf(part->unnamed, sizeof(part->unnamed), "<%s %d>",
			 is_lambda ? "lambda" : "type", line);
}

/* Adds the next enclosing scope. Returns false if the name has too many parts or bytes. */
static bool add(struct parts *parts, Dwarf_Die *die, const char *text, size_t max)
{
	struct part *part = &parts->list[parts->n];
	Dwarf_Attribute attribute;

	if (parts->n == PARTS_MAX)
		return false;
	part->text =
		text ? text : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
	if (!part->text || !part->text[0])
		set_unnamed(part, die,
			    parts->n == 1 && strncmp(parts->list[0].text, "operator()", 10) == 0);
	parts->bytes += strnlen(part->text, max) + 2;
	parts->n++;
	return parts->bytes <= max;
}

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram;
}

/* Collects the scopes that enclose the function. Returns 1 if they are complete; 0 if there are
 * none, or too many, so that the function keeps its own name; -1 if memory is out. */
static int collect(struct parts *parts, Dwarf_Die *function, debug_enclosing_block *block_of,
		   void *context, size_t max)
{
	Dwarf_Die at = declaration(*function);

	for (;;) {
		const struct debug_scopes *block;
		const struct debug_scope *scope;
		Dwarf_Die outer;

		if (block_of(context, &at, &block))
			return -1;
		scope = block ? find(block, &at) : NULL;
		if (!scope || scope->parent == DEBUG_NO_SCOPE)
			return scope && parts->n > 1;
		outer = block->scopes[scope->parent].die;
		if (is_function(&at) && is_function(&outer))
			return parts->n > 1;
		if (!add(parts, &outer, NULL, max))
			return 0;
		at = is_function(&outer) ? declaration(outer) : outer;
	}
}

static void join(const struct parts *parts, char *to)
{
	for (size_t i = parts->n; i-- > 0;) {
		to = stpcpy(to, parts->list[i].text);
		if (i > 0)
			to = stpcpy(to, "::");
	}
}

int debug_enclosing_name(Dwarf_Die *function, debug_enclosing_block *block_of, void *context,
			 struct debug_enclosing_text *text, size_t max, const char **name)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	int rc = parts ? 0 : -1;

	if (parts && add(parts, function, *name, max))
		rc = collect(parts, function, block_of, context, max);
	if (rc > 0 && !array_reserve(&text->bytes, &text->room, parts->bytes, 1))
		rc = -1;
	if (rc > 0) {
		join(parts, text->bytes);
		*name = text->bytes;
	}
	free(parts);
	return rc < 0 ? -1 : 0;
}
