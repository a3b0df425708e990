/* SPDX-License-Identifier: MIT */
/*
 * debug_enclosing.c - qualifies the names of functions that have no linkage name.
 *
 * In: a function's entry, and the tree of entries of its unit. Out: "ns::type::f".
 *
 * Compilers leave out the linkage name where no other unit can refer to the function: in anonymous
 * namespaces, within functions, and where an argument has a type from there. Many of these
 * functions have the same DW_AT_name, above all operator(), so that the bare name does not tell
 * them apart.
 */
#include "dwarf/debug_enclosing.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

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
