/* SPDX-License-Identifier: MIT */
/*
 * debug_info.c - finds the functions at an address in the debug information.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "dwarf/debug_info.h"
#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/* ---- debug cost ------------------------------------------------------------------------------ */
/*
 * Computes how much libdw would read, from the sizes of the tables that units refer to.
 *
 * libdw reads a table of abbreviations or of lines as a whole, once for each unit that refers to
 * it, and keeps what it has read. Compilers make a table for each unit, or a table that a few units
 * share. Forged units may all refer to the same large table, or each to a part of it, so that the
 * work would be out of proportion to the size of the file.
 */

/* The limit is this multiple of the image's size. Abbreviations usually take a hundredth of the
 * debug information. Where many units share a table, which counts for each of them, the sum may
 * reach the size of all the debug information. */
#define ABBREVIATIONS_MAX 4u

#define FORM_WITH_VALUE 0x21u /* DW_FORM_implicit_const: the abbreviation has the value */

/* Read a LEB128 number (DWARF 5, 7.6) and step over it. Bits beyond the 64th are dropped. */
static uint64_t read_number(const struct debug_section *s, uint64_t *at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte = 0x80;

	for (; *at < s->n && byte & 0x80; shift += 7) {
		byte = s->bytes[(*at)++];
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
	}
	return value;
}

/* The size in bytes of the abbreviation table at the offset (DWARF 5, 7.5.3). Counting stops once
 * it is beyond `max`. */
static uint64_t abbreviation_bytes(const struct debug_section *s, uint64_t offset, uint64_t max)
{
	uint64_t at = offset, name, form;

	while (at < s->n && at - offset <= max && read_number(s, &at)) {
		read_number(s, &at); /* the tag */
		at++;		     /* whether it has children */
		do {
			name = read_number(s, &at);
			form = read_number(s, &at);
			if (form == FORM_WITH_VALUE)
				read_number(s, &at);
		} while ((name || form) && at < s->n && at - offset <= max);
	}
	return offset < s->n ? at - offset : 0;
}

/* Says whether the sizes of all units' abbreviation tables, added up, are in proportion to the size
 * of the file. */
static bool debug_cost_is_bounded(const struct debug_image *d)
{
	uint64_t left = ABBREVIATIONS_MAX * d->n_bytes, bytes = 0;
	Dwarf_Off at = 0, next, table, last = UINT64_MAX;
	size_t head;

	/* Neighbouring units often share a table, so the size of the last one is kept. */
	for (; dwarf_next_unit(d->dwarf, at, &next, &head, NULL, &table, NULL, NULL, NULL, NULL) ==
		       0 &&
	       next > at;
	     at = next) {
		if (table != last)
			bytes = abbreviation_bytes(&d->abbreviations, table, left);
		last = table;
		if (bytes > left)
			return false;
		left -= bytes;
	}
	return true;
}

/* The size in bytes of the line table at the offset; 0 if there is no line table. A line table
 * begins with its length (DWARF 5, 7.4): 4 bytes, or 4 bytes of all ones that 8 bytes of length
 * follow. */
static uint64_t debug_cost_lines(const struct debug_image *d, uint64_t offset)
{
	uint64_t room = offset < d->lines.n ? d->lines.n - offset : 0, bytes = 0;
	uint32_t first;

	if (room < sizeof(first) + sizeof(bytes))
		return 0;
	memcpy(&first, d->lines.bytes + offset, sizeof(first));
	if (first == UINT32_MAX)
		memcpy(&bytes, d->lines.bytes + offset + sizeof(first), sizeof(bytes));
	else
		bytes = first;
	return bytes < room ? bytes : 0;
}

/* ---- debug info ------------------------------------------------------------------------------ */

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

/* ---- debug image ----------------------------------------------------------------------------- */
/*
 * Copies debug sections into an ELF image in memory for libdw.
 *
 * In: an ELF file. Out: a Dwarf handle on copies of its sections:
 *
 * 	Elf64_Ehdr | section, zeros | section, zeros | ... | section names | Elf64_Shdr ...
 */

/* The first two sections are required. The line tables come last, because they are not always
 * wanted. */
static const char *const names[] = {
	".debug_info",	   ".debug_abbrev",	 ".debug_str",
	".debug_line_str", ".debug_ranges",	 ".debug_rnglists",
	".debug_addr",	   ".debug_str_offsets", ".debug_line",
};

#define N_NAMES	      (sizeof(names) / sizeof(names[0]))
#define N_NEEDED      2
#define ABBREVIATIONS 1 /* index in names, as LINES */
#define LINES	      (N_NAMES - 1)
#define NAME_BYTES    20 /* room for each name in the image */
/* The number of zeros behind each section: the longest number has 10 bytes, an address 8. */
#define ZEROS	  32u
#define BYTES_MAX (UINT64_C(1) << 30) /* of an image */

/* Section 0 is the empty one that ELF requires; the last section has the names. */
struct plan {
	const Elf64_Shdr *from[N_NAMES];
	size_t kinds[N_NAMES]; /* the index in names of each section in `from` */
	Elf64_Shdr sections[N_NAMES + 2];
	size_t n;
	uint64_t end; /* offset in the image behind the sections that are planned so far */
};

static void plan_section(struct plan *p, Elf64_Word type, uint64_t bytes)
{
	p->sections[p->n] = (Elf64_Shdr){
		.sh_name = (Elf64_Word)(p->n * NAME_BYTES),
		.sh_type = type,
		.sh_offset = p->end,
		.sh_size = bytes,
		.sh_addralign = 1,
	};
	p->n++;
	p->end += (bytes + ZEROS + 15) & ~UINT64_C(15);
}

/* Returns false if a required section is missing or the image would be too large. */
static bool plan_image(struct plan *p, const struct elf_file *f, bool lines)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	p->n = 1;
	p->end = sizeof(Elf64_Ehdr);
	for (i = 0; i < (lines ? N_NAMES : N_NAMES - 1); i++) {
		const Elf64_Shdr *s = elf_section_named(f, names[i]);
		uint64_t bytes = s ? elf_section_bytes(f, s) : 0;

		if (!bytes && i < N_NEEDED)
			return false;
		if (!bytes)
			continue;
		p->from[p->n - 1] = s;
		p->kinds[p->n - 1] = i;
		plan_section(p, SHT_PROGBITS, bytes);
	}
	plan_section(p, SHT_STRTAB, (p->n + 1) * NAME_BYTES);
	return p->end + sizeof(p->sections) <= BYTES_MAX;
}

static void write_head(const struct plan *p, const struct elf_file *f, unsigned char *image)
{
	const Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = f->head.e_machine,
		.e_version = EV_CURRENT,
		.e_shoff = p->end,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)p->n,
		.e_shstrndx = (Elf64_Half)(p->n - 1),
	};

	memcpy(image, &head, sizeof(head));
	memcpy(image + p->end, p->sections, p->n * sizeof(p->sections[0]));
}

/* A section that cannot be read, because it is corrupt or because the file has been cut since it
 * was opened, is filled with zeros. */
static int write_sections(const struct plan *p, const struct elf_file *f, unsigned char *image)
{
	char *name = (char *)image + p->sections[p->n - 1].sh_offset + NAME_BYTES;
	size_t i;

	for (i = 1; i + 1 < p->n; i++, name += NAME_BYTES) {
		const Elf64_Shdr *from = p->from[i - 1], *to = &p->sections[i];
		int rc = elf_section_read(f, from, image + to->sh_offset);

		if (rc == -ENOMEM)
			return rc;
		if (rc < 0)
			memset(image + to->sh_offset, 0, to->sh_size);
		strcpy(name, (const char *)f->names + from->sh_name);
	}
	return 0;
}

/* The section with this index in `names`; its bytes are NULL if the file does not have it. */
static struct debug_section section(const struct debug_image *d, const struct plan *p, size_t name)
{
	size_t i;

	for (i = 1; i + 1 < p->n; i++)
		if (p->kinds[i - 1] == name)
			return (struct debug_section){d->bytes + p->sections[i].sh_offset,
						      p->sections[i].sh_size};
	return (struct debug_section){0};
}

int debug_image_open(struct debug_image *d, const struct elf_file *f, bool lines)
{
	struct plan p;

	memset(d, 0, sizeof(*d));
	if (!plan_image(&p, f, lines))
		return 0;
	d->n_bytes = p.end + p.n * sizeof(p.sections[0]);
	d->bytes = calloc(1, d->n_bytes);
	if (!d->bytes || write_sections(&p, f, d->bytes)) {
		debug_image_close(d);
		return -1;
	}
	write_head(&p, f, d->bytes);
	elf_version(EV_CURRENT);
	d->elf = elf_memory((char *)d->bytes, d->n_bytes);
	d->dwarf = d->elf ? dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
	d->abbreviations = section(d, &p, ABBREVIATIONS);
	d->lines = section(d, &p, LINES);
	if (d->dwarf && debug_cost_is_bounded(d))
		return 1;
	debug_image_close(d);
	return 0;
}

void debug_image_close(struct debug_image *d)
{
	if (d->dwarf)
		dwarf_end(d->dwarf);
	if (d->elf)
		elf_end(d->elf);
	free(d->bytes);
	memset(d, 0, sizeof(*d));
}

/* ---- debug ranges ---------------------------------------------------------------------------- */
/*
 * Finds the innermost address range of the debug information that covers an address.
 *
 * In: the address ranges of entries. Out: the innermost range at an address.
 */

/* The linker gives functions that it has dropped the address 0 or 1. */
#define DROPPED_MAX 1u

static int add(struct debug_ranges *r, uint64_t start, uint64_t end, uint32_t owner)
{
	if (start <= DROPPED_MAX || start >= end)
		return 0;
	if (!array_reserve(&r->list, &r->room, r->n + 1, sizeof(*r->list)))
		return -ENOMEM;
	r->list[r->n++] = (struct debug_range){start, end, owner};
	return 0;
}

int debug_ranges_add(struct debug_ranges *r, Dwarf_Die *die, uint32_t owner,
		     struct debug_budget *budget)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (*budget->ranges == 0)
			return 0;
		(*budget->ranges)--;
		if (add(r, start, end, owner))
			return -ENOMEM;
	}
	return 0;
}

/* Sorts outer ranges before inner ones. Of equal ranges that with the higher owner is the inner
 * one, because a parent has a lower number than what it contains. */
static int compare(const void *left, const void *right, void *unused)
{
	(void)unused;
	const struct debug_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->owner > b->owner) - (a->owner < b->owner);
}

int debug_ranges_sort(struct debug_ranges *r)
{
	if (address_sort(r->list, sizeof(*r->list), r->n, compare, NULL))
		return -ENOMEM;
	return address_ranges_cut(&r->pieces, r->list, sizeof(*r->list), r->n);
}

const struct debug_range *debug_ranges_find(const struct debug_ranges *r, uint64_t address)
{
	uint32_t range = address_ranges_find(&r->pieces, address);

	return range == ADDRESS_RANGES_NONE ? NULL : &r->list[range];
}

void debug_ranges_clear(struct debug_ranges *r)
{
	free(r->list);
	address_ranges_clear(&r->pieces);
	memset(r, 0, sizeof(*r));
}
