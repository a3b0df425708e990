/* SPDX-License-Identifier: MIT */
/*
 * symbol_table.c - finds the symbol that covers an address.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "elf/symbol_table.h"

/* ---- address sort ---------------------------------------------------------------------------- */
/*
 * Nearly all of a compiler's 45,000 functions begin at different addresses. A radix sort of the
 * addresses is faster than a sort by comparison, and the comparison is needed only for elements
 * with equal addresses.
 */

/* Fewer elements than this are sorted by comparison alone. */
#define FEW 128u

struct key {
	uint64_t start;
	size_t element;
};

static uint64_t start_of(const unsigned char *element)
{
	uint64_t start;

	memcpy(&start, element, sizeof(start));
	return start;
}

/* Fills the keys. Returns the bits in which they differ, or 0 if the keys are already in order. */
static uint64_t list_keys(struct key *keys, const unsigned char *elements, size_t size, size_t n)
{
	uint64_t differing = 0;
	int in_order = 1;

	for (size_t i = 0; i < n; i++) {
		keys[i] = (struct key){start_of(elements + i * size), i};
		differing |= keys[i].start ^ keys[0].start;
		in_order &= i == 0 || keys[i - 1].start <= keys[i].start;
	}
	return in_order ? 0 : differing;
}

/* Distributes the keys by one of their bytes; keys with the same byte keep their order. */
static void distribute(struct key *to, const struct key *from, size_t n, unsigned shift)
{
	size_t places[257] = {0};

	for (size_t i = 0; i < n; i++)
		places[(from[i].start >> shift & 0xff) + 1]++;
	for (size_t i = 1; i < 257; i++)
		places[i] += places[i - 1];
	for (size_t i = 0; i < n; i++)
		to[places[from[i].start >> shift & 0xff]++] = from[i];
}

/* Distributes the keys by each byte, from the lowest to the highest. Returns the one of the two
 * arrays that has the keys in order. */
static struct key *sort_keys(struct key *keys, struct key *others, size_t n, uint64_t differing)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		struct key *swap = keys;

		if (!(differing >> shift & 0xff))
			continue;
		distribute(others, keys, n, shift);
		keys = others;
		others = swap;
	}
	return keys;
}

static int order_starts(unsigned char *elements, size_t size, size_t n)
{
	struct key *keys = reallocarray(NULL, n, 2 * sizeof(*keys)), *sorted;
	unsigned char *copy = reallocarray(NULL, n, size);
	uint64_t differing = keys && copy ? list_keys(keys, elements, size, n) : 0;

	if (differing) {
		sorted = sort_keys(keys, keys + n, n, differing);
		memcpy(copy, elements, n * size);
		for (size_t i = 0; i < n; i++)
			memcpy(elements + i * size, copy + sorted[i].element * size, size);
	}
	free(copy);
	free(keys);
	return keys && copy ? 0 : -ENOMEM;
}

int address_sort(void *elements, size_t size, size_t n,
		 int (*compare)(const void *, const void *, void *), void *context)
{
	unsigned char *e = elements;
	size_t end;

	if (n < FEW) {
		if (n > 1)
			qsort_r(e, n, size, compare, context);
		return 0;
	}
	if (order_starts(e, size, n))
		return -ENOMEM;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && start_of(e + end * size) == start_of(e + i * size);)
			end++;
		if (end - i > 1)
			qsort_r(e + i * size, end - i, size, compare, context);
	}
	return 0;
}

/* ---- address ranges -------------------------------------------------------------------------- */

/* Fewer pieces than this need no index of stretches. */
#define FEW_RANGES 32u

struct cut {
	struct address_ranges *pieces;
	const unsigned char *ranges;
	size_t stride;
	uint32_t *open; /* ranges that have not been closed; the last one is the innermost */
	size_t depth;
};

static uint64_t start_of_range(const struct cut *c, size_t range)
{
	uint64_t start;

	memcpy(&start, c->ranges + range * c->stride, sizeof(start));
	return start;
}

static uint64_t end_of(const struct cut *c, size_t range)
{
	uint64_t end;

	memcpy(&end, c->ranges + range * c->stride + sizeof(end), sizeof(end));
	return end;
}

static void add_piece(struct cut *c, uint64_t start, uint32_t owner)
{
	struct address_ranges *p = c->pieces;

	if (p->n > 0 && p->list[p->n - 1].start == start)
		p->n--;
	p->list[p->n++] = (struct address_range){start, owner};
}

/* Closes the ranges that end at or before this address. */
static void close_until(struct cut *c, uint64_t address)
{
	while (c->depth > 0 && end_of(c, c->open[c->depth - 1]) <= address) {
		uint64_t end = end_of(c, c->open[--c->depth]);

		add_piece(c, end, c->depth > 0 ? c->open[c->depth - 1] : ADDRESS_RANGES_NONE);
	}
}

/* Opens a range. Open ranges that end no later than the new one are dropped, because the new one
 * covers the rest of them. */
static void open_range(struct cut *c, uint32_t range)
{
	uint64_t end = end_of(c, range);

	while (c->depth > 0 && end_of(c, c->open[c->depth - 1]) <= end)
		c->depth--;
	c->open[c->depth++] = range;
	add_piece(c, start_of_range(c, range), range);
}

/* Divides the addresses into about as many stretches as there are pieces, so that a lookup searches
 * only the few pieces of one stretch. If memory is out, there is no index, and a lookup searches
 * all pieces. */
static void index_stretches(struct address_ranges *p)
{
	uint64_t base = p->list[0].start, span = p->list[p->n - 1].start - base;
	size_t stretch, i = 0;

	if (p->n < FEW_RANGES || p->n >= UINT32_MAX)
		return;
	while (span >> p->shift >= p->n)
		p->shift++;
	p->n_stretches = (size_t)(span >> p->shift) + 1;
	p->before = reallocarray(NULL, p->n_stretches + 1, sizeof(*p->before));
	for (stretch = 0; p->before && stretch <= p->n_stretches; stretch++) {
		while (i < p->n && (p->list[i].start - base) >> p->shift < stretch)
			i++;
		p->before[stretch] = (uint32_t)i;
	}
}

int address_ranges_cut(struct address_ranges *p, const void *ranges, size_t stride, size_t n)
{
	struct cut c = {.pieces = p, .ranges = ranges, .stride = stride};

	*p = (struct address_ranges){0};
	if (n == 0)
		return 0;
	if (n >= ADDRESS_RANGES_NONE)
		return -ENOMEM;
	/* Each range adds at most two pieces: one at its start and one at its end. */
	p->list = reallocarray(NULL, 2 * n, sizeof(*p->list));
	c.open = reallocarray(NULL, n, sizeof(*c.open));
	if (!p->list || !c.open) {
		free(c.open);
		address_ranges_clear(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		close_until(&c, start_of_range(&c, i));
		open_range(&c, (uint32_t)i);
	}
	close_until(&c, UINT64_MAX);
	free(c.open);
	index_stretches(p);
	return 0;
}

uint32_t address_ranges_find(const struct address_ranges *p, uint64_t address)
{
	size_t low = 0, high = p->n;
	uint64_t stretch;

	if (p->before) {
		if (address < p->list[0].start)
			return ADDRESS_RANGES_NONE;
		stretch = (address - p->list[0].start) >> p->shift;
		low = p->before[stretch < p->n_stretches ? stretch : p->n_stretches];
		high = p->before[stretch < p->n_stretches ? stretch + 1 : p->n_stretches];
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? p->list[low - 1].owner : ADDRESS_RANGES_NONE;
}

void address_ranges_clear(struct address_ranges *p)
{
	free(p->list);
	free(p->before);
	*p = (struct address_ranges){0};
}

/* ---- symbol table ---------------------------------------------------------------------------- */

#define TEXT_BYTES_MAX (1u << 20)
/* The names of equal ranges are compared up to this length, because forged names may all be very
 * long. */
#define COMPARED_BYTES_MAX 256

/* Says whether a symbol is a mark of the assembler, which names no function: $x and $d.17 (mapping
 * symbols), .L3, and "". */
static bool is_mark(const unsigned char *text)
{
	if (text[0] == '$')
		return text[1] != '\0' && strchr("adtx", text[1]) && (!text[2] || text[2] == '.');
	return text[0] == '\0' || (text[0] == '.' && text[1] == 'L');
}

int symbol_table_add(struct symbol_table *t, const struct symbol *s)
{
	struct symbol_list *l = s->end > s->start ? &t->sized : &t->unsized;

	if (s->text >= t->sources[s->source].bytes ||
	    is_mark(t->sources[s->source].names + s->text))
		return 0;
	if (!array_reserve(&l->symbols, &l->capacity, l->n + 1, sizeof(*l->symbols)))
		return -ENOMEM;
	l->symbols[l->n++] = *s;
	return 0;
}

int symbol_table_source(const struct symbol_table *t, Elf64_Word type)
{
	for (size_t i = 0; i < t->n_sources; i++) {
		if (t->sources[i].type == type)
			return (int)i;
	}
	return -1;
}

/*
 * The rank of a symbol: of two names for the same range, the name of higher rank is used. Two names
 * that other modules can be linked to, one of which is weak, are compared by their underscores
 * before: a C library defines a function by a name that is reserved for it, and gives it the public
 * name as a weak alias.
 */
enum { RANK_GLOBAL = 1, RANK_OLD = 2, RANK_LINKABLE = 4, RANK_FUNCTION = 8 };

/* `is_old`: the name has a version that nothing can be linked to any more. */
static unsigned char rank_of(const Elf64_Sym *sym, bool is_old)
{
	unsigned bind = ELF64_ST_BIND(sym->st_info);
	unsigned rank = ELF64_ST_TYPE(sym->st_info) != STT_NOTYPE ? RANK_FUNCTION : 0;

	if (bind != STB_LOCAL)
		rank |= is_old ? RANK_OLD : RANK_LINKABLE;
	if (bind != STB_LOCAL && bind != STB_WEAK)
		rank |= RANK_GLOBAL;
	return (unsigned char)rank;
}

/* Returns false if the symbol cannot name code. The symbol's range is cut at the end of its
 * section. */
static bool symbol_of(const struct elf_file *f, const Elf64_Sym *sym, struct symbol *s)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);
	const Elf64_Shdr *in;
	uint64_t left;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= f->n_sections)
		return false;
	in = &f->sections[sym->st_shndx];
	if (!(in->sh_flags & SHF_EXECINSTR) || sym->st_value < in->sh_addr ||
	    sym->st_value - in->sh_addr >= in->sh_size || in->sh_size > UINT64_MAX - in->sh_addr)
		return false;
	left = in->sh_size - (sym->st_value - in->sh_addr);
	s->start = sym->st_value;
	s->end = s->start + (sym->st_size < left ? sym->st_size : left);
	return true;
}

/* A name such as "f@V_1" is of an old version; "f@@V_2" is of the one that is linked to. */
static bool has_old_version(const struct symbol_table *t, const struct symbol *s)
{
	const char *text = (const char *)t->sources[s->source].names + s->text;
	const char *at = memchr(text, '@', strnlen(text, COMPARED_BYTES_MAX));

	return at && at[1] != '@';
}

/* Loads the versions of the dynamic symbols, one for each; NULL if there are none, with *rc set to
 * -ENOMEM if memory is out. */
static unsigned char *load_versions(const struct elf_file *f, size_t n, int *rc)
{
	const Elf64_Shdr *section = elf_file_section_of_type(f, SHT_GNU_versym);
	unsigned char *bytes;

	*rc = 0;
	if (!section || (section->sh_flags & SHF_COMPRESSED) ||
	    section->sh_size != n * sizeof(Elf64_Versym))
		return NULL;
	*rc = elf_file_load(f, section->sh_offset, section->sh_size, &bytes);
	if (!*rc)
		return bytes;
	*rc = *rc == -ENOMEM ? -ENOMEM : 0;
	return NULL;
}

static bool is_hidden(const unsigned char *versions, size_t symbol)
{
	Elf64_Versym version;

	if (!versions)
		return false;
	memcpy(&version, versions + symbol * sizeof(version), sizeof(version));
	return version & 0x8000;
}

/* `versions` of the symbols may be NULL. */
static int add_symbols(struct symbol_table *t, const struct elf_file *f, const unsigned char *bytes,
		       size_t n, const unsigned char *versions)
{
	for (size_t i = 0; i < n; i++) {
		struct symbol s = {.name = STRINGS_NONE};
		Elf64_Sym sym;

		memcpy(&sym, bytes + i * sizeof(sym), sizeof(sym));
		s.text = sym.st_name;
		s.source = (unsigned char)(t->n_sources - 1);
		if (s.text >= t->sources[s.source].bytes || !symbol_of(f, &sym, &s))
			continue;
		s.rank = rank_of(&sym, is_hidden(versions, i) || has_old_version(t, &s));
		if (symbol_table_add(t, &s) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_loaded(struct symbol_table *t, const struct elf_file *f, const Elf64_Shdr *section)
{
	size_t n = section->sh_size / sizeof(Elf64_Sym);
	unsigned char *bytes, *versions = NULL;
	int rc = elf_file_load(f, section->sh_offset, section->sh_size, &bytes);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (section->sh_type == SHT_DYNSYM)
		versions = load_versions(f, n, &rc);
	if (!rc)
		rc = add_symbols(t, f, bytes, n, versions);
	free(versions);
	free(bytes);
	return rc;
}

int symbol_table_add_section(struct symbol_table *t, const struct elf_file *f, Elf64_Word type)
{
	const Elf64_Shdr *section = elf_file_section_of_type(f, type), *names;
	unsigned char *text;
	int rc;

	if (!section || section->sh_link >= f->n_sections || (section->sh_flags & SHF_COMPRESSED) ||
	    section->sh_entsize != sizeof(Elf64_Sym) || t->n_sources == SYMBOL_TABLE_SOURCES)
		return 0;
	names = &f->sections[section->sh_link];
	if (names->sh_type != SHT_STRTAB || (names->sh_flags & SHF_COMPRESSED))
		return 0;
	rc = elf_file_load(f, names->sh_offset, names->sh_size, &text);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	t->sources[t->n_sources].type = type;
	t->sources[t->n_sources].names = text;
	t->sources[t->n_sources++].bytes = names->sh_size;
	return add_loaded(t, f, section);
}

static const char *bounded_text(const struct symbol_table *t, const struct symbol *s, size_t max,
				size_t *bytes)
{
	const char *text = (const char *)t->sources[s->source].names + s->text;
	const char *version;

	*bytes = strnlen(text, max); /* elf_file_load adds a NUL behind the section's last byte */
	version = *bytes > 1 ? memchr(text + 1, '@', *bytes - 1) : NULL;
	if (version)
		*bytes = (size_t)(version - text);
	return text;
}

const char *symbol_table_text(const struct symbol_table *t, const struct symbol *s, size_t *bytes)
{
	return bounded_text(t, s, TEXT_BYTES_MAX, bytes);
}

static size_t underscores(const char *text, size_t bytes)
{
	size_t n = 0;

	while (n < bytes && text[n] == '_')
		n++;
	return n;
}

/* Compares two names for the same range. Returns > 0 if the name of a is preferred. */
static int compare_names(const struct symbol_table *t, const struct symbol *a,
			 const struct symbol *b)
{
	size_t a_bytes, b_bytes, a_under, b_under;
	const char *a_text, *b_text;
	int order;

	if (a->rank / 2 != b->rank / 2)
		return a->rank - b->rank;
	a_text = bounded_text(t, a, COMPARED_BYTES_MAX, &a_bytes);
	b_text = bounded_text(t, b, COMPARED_BYTES_MAX, &b_bytes);
	a_under = underscores(a_text, a_bytes);
	b_under = underscores(b_text, b_bytes);
	if (a_under != b_under)
		return a_under < b_under ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a_bytes != b_bytes)
		return a_bytes < b_bytes ? 1 : -1;
	order = memcmp(b_text, a_text, a_bytes);
	if (order != 0)
		return order;
	if (a->source != b->source)
		return a->source < b->source ? 1 : -1;
	return (a->text < b->text) - (a->text > b->text);
}

/* Outer symbols come before inner ones, and the preferred one of two names after the other, because
 * the later of two symbols is used where both cover an address. */
static int compare_symbols(const void *left, const void *right, void *table)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return compare_names(table, a, b);
}

int symbol_table_finish(struct symbol_table *t)
{
	if (address_sort(t->unsized.symbols, sizeof(*t->unsized.symbols), t->unsized.n,
			 compare_symbols, t) ||
	    address_sort(t->sized.symbols, sizeof(*t->sized.symbols), t->sized.n, compare_symbols,
			 t))
		return -ENOMEM;
	return address_ranges_cut(&t->pieces, t->sized.symbols, sizeof(*t->sized.symbols),
				  t->sized.n);
}

void symbol_table_free(struct symbol_table *t)
{
	for (size_t i = 0; i < t->n_sources; i++)
		free(t->sources[i].names);
	free(t->sized.symbols);
	free(t->unsized.symbols);
	address_ranges_clear(&t->pieces);
	memset(t, 0, sizeof(*t));
}

struct symbol *symbol_table_covering(const struct symbol_table *t, uint64_t address)
{
	uint32_t symbol = address_ranges_find(&t->pieces, address);

	return symbol == ADDRESS_RANGES_NONE ? NULL : &t->sized.symbols[symbol];
}

struct symbol *symbol_table_label(const struct symbol_table *t, uint64_t address)
{
	size_t low = 0, high = t->unsized.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->unsized.symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && t->unsized.symbols[low - 1].start == address
		       ? &t->unsized.symbols[low - 1]
		       : NULL;
}
