/* SPDX-License-Identifier: MIT */
/*
 * debug_info.c - finds the functions at an address in the debug information.
 *
 * In: a module's files, and addresses. Out: the function, inlined calls and source lines of each
 * address.
 */
#include "dwarf/debug_info.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pair_table.h"
#include "dwarf/debug_cost.h"
#include "dwarf/debug_enclosing.h"
#include "dwarf/debug_image.h"
#include "dwarf/debug_scopes.h"

/* The largest number of functions listed for an address: the innermost ones. */
#define CHAIN_MAX      256u
#define TEXT_BYTES_MAX (1u << 20) /* of a name */

/* A compilation unit. */
struct unit {
	Dwarf_Die die;
	struct debug_budget budget;
	struct debug_scopes *functions; /* NULL: not read yet */
	struct debug_scopes *outer;	/* of DEBUG_ENCLOSING; NULL: not read yet */
	bool has_all;			/* `functions` also has the functions within functions */
	bool has_asked, has_lines;	/* has_lines is valid, and the line table may be read */
};

struct debug_info {
	struct debug_image image, shared;
	bool lines;
	struct unit *units;
	size_t n_units, units_room;
	struct debug_ranges ranges; /* of the units */
	/* What may still be read, because forged entries may share long lists, names and tables. */
	uint64_t ranges_left, text_left, lines_left;
	struct pair_table line_tables;	       /* that were read: (high, low) half of the offset */
	struct debug_function list[CHAIN_MAX]; /* the last call's result, at the end of the array */
	struct debug_enclosing_text name;      /* the last call's result */
};

/* ---- units ---- */

static int add_unit(struct debug_info *d, Dwarf_Die *die)
{
	struct unit *u;

	if (d->n_units >= ADDRESS_RANGES_NONE ||
	    !array_reserve(&d->units, &d->units_room, d->n_units + 1, sizeof(*d->units)))
		return -ENOMEM;
	u = &d->units[d->n_units++];
	*u = (struct unit){.die = *die, .budget = {.ranges = &d->ranges_left}};
	return debug_ranges_add(&d->ranges, &u->die, (uint32_t)d->n_units - 1, &u->budget);
}

/* A unit ends where the next one begins. The end of the last unit is not looked up: its size counts
 * as that of the whole image. */
static void set_budgets(struct debug_info *d)
{
	for (size_t i = 0; i < d->n_units; i++) {
		struct unit *u = &d->units[i];
		uint64_t bytes = i + 1 < d->n_units
					 ? dwarf_dieoffset(&u[1].die) - dwarf_dieoffset(&u->die)
					 : d->image.n_bytes;

		u->budget = debug_scopes_budget(bytes, &d->ranges_left);
	}
}

static int list_units(struct debug_info *d)
{
	Dwarf_CU *unit = NULL, *next;
	uint8_t type;
	Dwarf_Die die;

	/* Units are listed in the order of their offsets, so the loop ends. */
	while (dwarf_get_units(d->image.dwarf, unit, &next, NULL, &type, &die, NULL) == 0) {
		if (type == DW_UT_compile && add_unit(d, &die))
			return -ENOMEM;
		unit = next;
	}
	set_budgets(d);
	return debug_ranges_sort(&d->ranges);
}

static int open_images(struct debug_info *d, const struct module_file *files)
{
	int rc = debug_image_open(&d->image, files->debug_info, d->lines);

	if (rc <= 0 || !files->debug_shared)
		return rc;
	rc = debug_image_open(&d->shared, files->debug_shared, false);
	if (rc > 0)
		dwarf_setalt(d->image.dwarf, d->shared.dwarf);
	return rc < 0 ? rc : 1;
}

int debug_info_open(struct debug_info **info, const struct module_file *files, bool lines)
{
	struct debug_info *d;
	int rc;

	*info = NULL;
	if (!files->debug_info)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -1;
	d->lines = lines;
	rc = open_images(d, files);
	d->ranges_left = d->image.n_bytes;
	d->text_left = d->image.n_bytes + d->shared.n_bytes;
	d->lines_left = d->image.lines.n;
	if (rc > 0)
		rc = list_units(d) ? -1 : 1;
	if (rc > 0)
		*info = d;
	else
		debug_info_free(d);
	return rc < 0 ? -1 : 0;
}

void debug_info_free(struct debug_info *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_units; i++) {
		debug_scopes_free(d->units[i].functions);
		debug_scopes_free(d->units[i].outer);
	}
	free(d->units);
	free(d->name.bytes);
	debug_ranges_clear(&d->ranges);
	pair_table_clear(&d->line_tables);
	debug_image_close(&d->image);
	debug_image_close(&d->shared);
	free(d);
}

/* ---- lines ---- */

static int number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) ||
	    value > INT32_MAX)
		return 0;
	return (int)value;
}

/* Decide whether the unit's line table may be read. Valid line tables do not overlap, so that
 * together they are no larger than their section; those beyond that limit are not read. A table
 * that several units share is counted once. Returns 0; -1 if memory is out. */
static int ask_for_lines(struct debug_info *d, struct unit *u)
{
	uint32_t n_tables = d->line_tables.count, table;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	uint64_t bytes;

	u->has_asked = true;
	if (!dwarf_attr(&u->die, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &offset))
		return 0;
	bytes = debug_cost_lines(&d->image, offset);
	if (bytes == 0 || bytes > d->lines_left)
		return 0;
	table = pair_table_number(&d->line_tables, (uint32_t)(offset >> 32), (uint32_t)offset);
	if (table == PAIR_TABLE_NONE)
		return -1;
	d->lines_left -= table == n_tables ? bytes : 0;
	u->has_lines = true;
	return 0;
}

/* Set the directory in which the unit was compiled, which relative paths begin at. */
static void set_directory(struct debug_function *f, struct unit *u)
{
	Dwarf_Attribute attribute;

	if (f->file && *f->file != '/')
		f->directory = dwarf_formstring(dwarf_attr(&u->die, DW_AT_comp_dir, &attribute));
}

/* Set the source line that is executed at the address, in the innermost function. */
static void set_line(struct debug_function *f, struct unit *u, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->die, address);

	if (!line || dwarf_lineno(line, &f->line) || f->line <= 0) {
		f->line = 0;
		return;
	}
	f->file = dwarf_linesrc(line, NULL, NULL);
	set_directory(f, u);
	if (dwarf_linecol(line, &f->column) || f->column < 0)
		f->column = 0;
}

/* Set the source line of the inlined call of `callee`. */
static void set_call(struct debug_function *f, struct unit *u, struct debug_scope *callee)
{
	Dwarf_Files *files;
	size_t n, file = (size_t)number(&callee->die, DW_AT_call_file);

	f->line = number(&callee->die, DW_AT_call_line);
	f->column = number(&callee->die, DW_AT_call_column);
	if (dwarf_getsrcfiles(&u->die, &files, &n) == 0 && file < n)
		f->file = dwarf_filesrc(files, file, NULL, NULL);
	set_directory(f, u);
}

static int set_lines(struct debug_info *d, struct unit *u, size_t first, uint64_t address)
{
	if (!u->has_asked && ask_for_lines(d, u))
		return -1;
	for (size_t i = first; u->has_lines && i + 1 < CHAIN_MAX; i++)
		set_call(&d->list[i], u, d->list[i + 1].scope);
	if (u->has_lines)
		set_line(&d->list[CHAIN_MAX - 1], u, address);
	return 0;
}

/* ---- scopes ---- */

static int read_functions(struct unit *u, enum debug_what what)
{
	debug_scopes_free(u->functions);
	u->functions = debug_scopes_read(&u->die, what, &u->budget);
	return u->functions ? 0 : -1;
}

/* Find the unit's function that covers the address, and read its inlined calls; *function is NULL
 * if there is none. Functions within functions are rare, so the unit is searched for them only if
 * no other function covers the address. Returns 0; -1 if memory is out. */
static int find_function(struct unit *u, uint64_t address, struct debug_scope **function)
{
	struct debug_scope *f;

	if (!u->functions && read_functions(u, DEBUG_FUNCTIONS))
		return -1;
	f = debug_scopes_find(u->functions, address);
	if (!f && !u->has_all) {
		u->has_all = true;
		if (read_functions(u, DEBUG_ALL_FUNCTIONS))
			return -1;
		f = debug_scopes_find(u->functions, address);
	}
	if (f && !f->block)
		f->block = debug_scopes_read(&f->die, DEBUG_INLINED, &u->budget);
	*function = f;
	return f && !f->block ? -1 : 0;
}

static void prepend(struct debug_info *d, size_t *first, struct debug_scope *scope)
{
	if (*first > 0)
		d->list[--*first] = (struct debug_function){.scope = scope,
							    .name = scope ? &scope->name : NULL};
}

/* List the scopes at the address. The list is filled from its end, from the innermost scope to the
 * function itself. */
static void list_scopes(struct debug_info *d, size_t *first, struct debug_scope *function,
			uint64_t address)
{
	const struct debug_scopes *b = function->block;
	struct debug_scope *s = debug_scopes_find(b, address);

	for (; s; s = s->parent == DEBUG_NO_SCOPE ? NULL : &b->scopes[s->parent])
		prepend(d, first, s);
	prepend(d, first, function);
}

int debug_info_find(struct debug_info *d, uint64_t address, const struct debug_function **list,
		    size_t *n)
{
	const struct debug_range *range = debug_ranges_find(&d->ranges, address);
	struct unit *u = range ? &d->units[range->owner] : NULL;
	struct debug_scope *function = NULL;
	size_t first = CHAIN_MAX;

	if (u && find_function(u, address, &function))
		return -1;
	if (function)
		list_scopes(d, &first, function, address);
	else if (u && d->lines)
		prepend(d, &first, NULL);
	if (u && d->lines && set_lines(d, u, first, address))
		return -1;
	*list = &d->list[first];
	*n = CHAIN_MAX - first;
	return 0;
}

/* ---- names ---- */

static int outer_block(void *context, Dwarf_Die *die, const struct debug_scopes **block)
{
	struct debug_info *d = context;
	Dwarf_Die unit;
	size_t first = 0, end = d->n_units;

	*block = NULL;
	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return 0;
	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if ((const char *)d->units[middle].die.addr < (const char *)unit.addr)
			first = middle + 1;
		else
			end = middle;
	}
	if (first == d->n_units || d->units[first].die.addr != unit.addr)
		return 0;
	if (!d->units[first].outer)
		d->units[first].outer =
			debug_scopes_read(&unit, DEBUG_ENCLOSING, &d->units[first].budget);
	*block = d->units[first].outer;
	return *block ? 0 : -1;
}

static const char *attribute_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* In C a linkage name is one that the source gives to the assembler, such as glibc's __GI_f for calls
 * within the library. */
static bool is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	}
	return false;
}

/* The name without enclosing scopes: the linkage name if there is one, but in C the source's; NULL if
 * there is no name. */
static const char *own_name(Dwarf_Die *die, bool *is_linkage)
{
	const char *name = attribute_text(die, DW_AT_linkage_name);

	if (name && is_c(die) && attribute_text(die, DW_AT_name))
		name = NULL;
	else if (!name)
		name = attribute_text(die, DW_AT_MIPS_linkage_name);
	*is_linkage = name != NULL;
	return name ? name : attribute_text(die, DW_AT_name);
}

int debug_info_name(struct debug_info *d, const struct debug_function *f, const char **name)
{
	bool is_linkage;
	const char *text = f->scope ? own_name(&f->scope->die, &is_linkage) : NULL;
	size_t most = d->text_left < TEXT_BYTES_MAX ? d->text_left : TEXT_BYTES_MAX;
	size_t n = text ? strnlen(text, most + 1) : 0;

	*name = NULL;
	if (n == 0 || n > most)
		return 0;
	if (!is_linkage &&
	    debug_enclosing_name(&f->scope->die, outer_block, d, &d->name, most, &text))
		return -1;
	*name = text;
	d->text_left -= strlen(text);
	return 0;
}
