/* SPDX-License-Identifier: MIT */
/*
 * pack_names.c - decodes the names and the code in packs, and finds names there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "pack/pack_builder.h"
#include "pack/pack_names.h"
#include "read/input.h"

/* ---- pack find ------------------------------------------------------------------------------- */
/*
 * Looks something up in the names of a pack.
 *
 * In: modules, addresses, lines. Out: what the pack says of them.
 */

static int compare_texts(struct pack_text a, struct pack_text b)
{
	size_t n = a.length < b.length ? a.length : b.length;
	int order = n ? memcmp(a.bytes, b.bytes, n) : 0;

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

int pack_names_compare(const struct pack_module *a, const struct pack_module *b)
{
	int order = compare_texts(a->path, b->path);

	if (!order)
		order = compare_texts(a->build_id, b->build_id);
	return order ? order : a->is_vdso - b->is_vdso;
}

static int compare_modules(const void *a, const void *b)
{
	return pack_names_compare(a, b);
}

const struct pack_module *pack_names_module(const struct pack_names *names, struct pack_text path,
					    struct pack_text build_id, bool is_vdso)
{
	const struct pack_module key = {.path = path, .build_id = build_id, .is_vdso = is_vdso};

	if (!names->n_modules) /* a null pointer must not be searched */
		return NULL;
	return bsearch(&key, names->modules, names->n_modules, sizeof(key), compare_modules);
}

const struct pack_piece *pack_names_piece_before(const struct pack_piece *pieces, size_t n,
						 uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (pieces[middle].start <= address)
			low = middle + 1;
		else
			n = middle;
	}
	return low ? &pieces[low - 1] : NULL;
}

const struct pack_place *pack_names_place(const struct pack_module *module, uint64_t address)
{
	size_t low = 0, high = module->n_places;
	const struct pack_place *p;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module->places[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	p = low ? &module->places[low - 1] : NULL;
	if (!p || p->address == address)
		return p;
	return pack_names_joins(pack_names_piece_before(module->pieces, module->n_pieces, address),
				p->address, address)
		       ? p
		       : NULL;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct pack_piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

const struct pack_piece *pack_names_piece(const struct pack_module *module, uint64_t start,
					  uint64_t end)
{
	const struct pack_piece key = {.start = start, .end = end};

	if (!module->n_pieces)
		return NULL;
	return bsearch(&key, module->pieces, module->n_pieces, sizeof(key), compare_pieces);
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* By path and line. */
static int compare_excerpts(const void *a, const void *b, void *all)
{
	const struct pack_names *names = all;
	const struct pack_excerpt *x = a, *y = b;
	int order = strcmp(pack_names_text(names, x->path), pack_names_text(names, y->path));

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void pack_names_sort_excerpts(struct pack_names *names)
{
	if (names->n_excerpts)
		qsort_r(names->excerpts, names->n_excerpts, sizeof(*names->excerpts),
			compare_excerpts, names);
}

/* How many excerpts are of files before this one, or begin in it at this line or before. */
static size_t count_before(const struct pack_names *names, const char *path, uint32_t line)
{
	size_t low = 0, high = names->n_excerpts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pack_excerpt *e = &names->excerpts[middle];
		int order = strcmp(pack_names_text(names, e->path), path);

		if (order < 0 || (order == 0 && e->line <= line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool pack_names_has_file(const struct pack_names *names, const char *path)
{
	size_t i = count_before(names, path, 0);

	return i < names->n_excerpts &&
	       !strcmp(pack_names_text(names, names->excerpts[i].path), path);
}

const char *pack_names_line(const struct pack_names *names, const char *path, uint32_t line)
{
	size_t n = count_before(names, path, line);
	const struct pack_excerpt *e = n ? &names->excerpts[n - 1] : NULL;

	if (!e || line < e->line || line - e->line >= e->n ||
	    strcmp(pack_names_text(names, e->path), path) != 0)
		return NULL;
	return pack_names_text(names, e->lines[line - e->line]);
}

/* ---- pack names ------------------------------------------------------------------------------ */
/*
 * Anybody may have written the bytes. In struct pack_names each number is one of what it counts. The
 * unpacked bytes are at most PACK_RATIO_MAX times those of the file, and at most PACK_BYTES_MAX. Memory
 * is at most some ten times these, because no entry of a list has more than ten times the bytes that it
 * is packed in.
 */

struct reader {
	struct pack_names *names;
	struct cursor c;
	bool has_code; /* modules have pieces of code */
	bool is_out;   /* of memory */
};

/* ---- numbers ----------------------------------------------------------------------------------- */

/* How many entries of at least `least` bytes follow. */
static bool read_count(struct reader *r, size_t least, size_t *n)
{
	uint64_t value;

	if (!cursor_varint(&r->c, &value))
		return false;
	if (value > (size_t)(r->c.end - r->c.at) / least)
		return cursor_fail(&r->c, "a list is longer than what follows");
	*n = (size_t)value;
	return true;
}

/* A number below n, plus one; 0: none. */
static bool read_reference(struct reader *r, size_t n, uint32_t *value)
{
	uint64_t number;

	if (!cursor_varint(&r->c, &number))
		return false;
	if (number > n)
		return cursor_fail(&r->c, "a number is of nothing that came before");
	*value = number ? (uint32_t)(number - 1) : PACK_NONE;
	return true;
}

/* The same, but there is one. */
static bool read_number(struct reader *r, size_t n, uint32_t *value)
{
	if (!read_reference(r, n, value))
		return false;
	return *value != PACK_NONE || cursor_fail(&r->c, "a text is absent");
}

static bool read_bytes(struct reader *r, struct pack_text *text)
{
	if (!read_count(r, 1, &text->length))
		return false;
	text->bytes = (const char *)r->c.at;
	r->c.at += text->length;
	return true;
}

static bool no_memory(struct reader *r)
{
	r->is_out = true;
	return false;
}

/* Make a list of n entries, whose pointer `list` points to, or none if n is 0. */
static bool make_list(struct reader *r, void *list, size_t n, size_t bytes)
{
	void *made = n ? calloc(n, bytes) : NULL;

	memcpy(list, &made, sizeof(made)); /* it may be a pointer of any type */
	r->is_out |= n && !made;
	return !r->is_out;
}

/* ---- modules ----------------------------------------------------------------------------------- */

static bool read_symbols(struct reader *r, struct pack_module *m)
{
	uint64_t flags;
	size_t n;

	if (!read_count(r, 4, &n))
		return false;
	if (!make_list(r, &m->symbols, n, sizeof(*m->symbols)))
		return false;
	for (; m->n_symbols < n; m->n_symbols++) {
		struct pack_symbol *s = &m->symbols[m->n_symbols];

		if (!cursor_varint(&r->c, &s->start) || !cursor_varint(&r->c, &s->end) ||
		    !read_number(r, r->names->n_texts, &s->text) || !cursor_varint(&r->c, &flags))
			return false;
		s->is_stub = flags & PACK_SYMBOL_IS_STUB;
	}
	return true;
}

static bool read_ranges(struct reader *r, struct pack_module *m)
{
	size_t n;

	if (!read_count(r, 2, &n))
		return false;
	if (!make_list(r, &m->ranges, n, sizeof(*m->ranges)))
		return false;
	for (; m->n_ranges < n; m->n_ranges++)
		if (!cursor_varint(&r->c, &m->ranges[m->n_ranges].start) ||
		    !cursor_varint(&r->c, &m->ranges[m->n_ranges].end))
			return false;
	return true;
}

static bool read_function(struct reader *r)
{
	struct pack_names *names = r->names;
	struct pack_function *f;

	if (!array_reserve(&names->functions, &names->functions_size, names->n_functions + 1,
			   sizeof(*f)))
		return no_memory(r);
	f = &names->functions[names->n_functions++];
	return read_reference(r, names->n_texts, &f->name) &&
	       read_reference(r, names->n_texts, &f->file) &&
	       read_reference(r, names->n_texts, &f->directory) && cursor_u32(&r->c, &f->line) &&
	       cursor_u32(&r->c, &f->column);
}

/* A signal trampoline's symbol may begin one byte behind the address. */
static bool is_inside(const struct pack_module *m, const struct pack_place *p)
{
	if (p->range != PACK_NONE && m->ranges[p->range].start > p->address)
		return false;
	return p->symbol == PACK_NONE || m->symbols[p->symbol].start <= p->address ||
	       m->symbols[p->symbol].start - p->address == 1;
}

static bool read_place(struct reader *r, struct pack_module *m, struct pack_place *p)
{
	uint64_t step;
	size_t n;

	if (!cursor_varint(&r->c, &step) || !read_reference(r, m->n_symbols, &p->symbol) ||
	    !read_reference(r, m->n_ranges, &p->range) || !read_count(r, 5, &n))
		return false;
	if ((m->n_places && !step) ||
	    __builtin_add_overflow(m->n_places ? p[-1].address : 0, step, &p->address))
		return cursor_fail(&r->c, "addresses do not ascend");
	if (!is_inside(m, p))
		return cursor_fail(&r->c, "a place is outside its function");
	if (n > UINT32_MAX)
		return cursor_fail(&r->c, "a place has too many functions");
	p->first = r->names->n_functions;
	p->n_functions = (uint32_t)n;
	while (n--)
		if (!read_function(r))
			return false;
	return true;
}

static bool read_piece(struct reader *r, const struct pack_piece *before, struct pack_piece *p)
{
	uint64_t bytes;

	if (!cursor_varint(&r->c, &p->start) || !cursor_varint(&r->c, &bytes) ||
	    !read_bytes(r, &p->code))
		return false;
	if (!p->code.length || p->code.length > bytes ||
	    __builtin_add_overflow(p->start, bytes, &p->end))
		return cursor_fail(&r->c, "code is outside its function");
	if (before &&
	    (before->start > p->start || (before->start == p->start && before->end >= p->end)))
		return cursor_fail(&r->c, "code does not ascend");
	return true;
}

static bool read_pieces(struct reader *r, struct pack_module *m)
{
	size_t n;

	if (!read_count(r, 4, &n))
		return false;
	if (!make_list(r, &m->pieces, n, sizeof(*m->pieces)))
		return false;
	for (; m->n_pieces < n; m->n_pieces++) {
		struct pack_piece *p = &m->pieces[m->n_pieces];

		if (!read_piece(r, m->n_pieces ? p - 1 : NULL, p))
			return false;
	}
	return true;
}

static bool read_module(struct reader *r, struct pack_module *m)
{
	uint64_t flags;
	size_t n;

	if (!read_bytes(r, &m->path) || !read_bytes(r, &m->build_id) ||
	    !cursor_varint(&r->c, &flags) || !read_reference(r, r->names->n_texts, &m->warning))
		return false;
	m->is_vdso = flags & PACK_MODULE_IS_VDSO;
	m->has_file = flags & PACK_MODULE_HAS_FILE;
	if (!read_symbols(r, m) || !read_ranges(r, m) || !read_count(r, 4, &n))
		return false;
	if (!make_list(r, &m->places, n, sizeof(*m->places)))
		return false;
	for (; m->n_places < n; m->n_places++)
		if (!read_place(r, m, &m->places[m->n_places]))
			return false;
	return !r->has_code || read_pieces(r, m);
}

static bool read_modules(struct reader *r)
{
	struct pack_names *names = r->names;
	size_t n;

	if (!read_count(r, 7, &n))
		return false;
	if (!make_list(r, &names->modules, n, sizeof(*names->modules)))
		return false;
	while (names->n_modules < n) {
		struct pack_module *m = &names->modules[names->n_modules++];

		if (!read_module(r, m))
			return false;
		if (names->n_modules > 1 && pack_names_compare(m - 1, m) >= 0)
			return cursor_fail(&r->c, "modules do not ascend");
	}
	return true;
}

/* ---- texts and sources ------------------------------------------------------------------------- */

/* No two texts are the same. So all but these have three bytes and a NUL, or more. */
#define SHORT_TEXTS (1u + 255u + 255u * 255u)

static bool read_texts(struct reader *r)
{
	struct pack_names *names = r->names;
	size_t n;

	if (!read_count(r, 1, &n))
		return false;
	if (n > SHORT_TEXTS && n - SHORT_TEXTS > (size_t)(r->c.end - r->c.at) / 4)
		return cursor_fail(&r->c, "there are more texts than can differ");
	if (!make_list(r, &names->texts, n, sizeof(*names->texts)))
		return false;
	for (; names->n_texts < n; names->n_texts++) {
		const unsigned char *end = memchr(r->c.at, '\0', (size_t)(r->c.end - r->c.at));

		if (!end)
			return cursor_fail(&r->c, CURSOR_SHORT);
		names->texts[names->n_texts] = (uint32_t)(r->c.at - names->bytes);
		names->text_bytes += (uint64_t)(end - r->c.at);
		r->c.at = end + 1;
	}
	return true;
}

/* Lines are in one list, which grows, so where they begin in it is known when all are read. */
static bool read_excerpt(struct reader *r, struct pack_excerpt *e)
{
	struct pack_names *names = r->names;
	size_t n;

	if (!read_number(r, names->n_texts, &e->path) || !cursor_u32(&r->c, &e->line) ||
	    !read_count(r, 1, &n))
		return false;
	if (!e->line || n > UINT32_MAX - e->line)
		return cursor_fail(&r->c, "lines have impossible numbers");
	if (!n)
		return cursor_fail(&r->c, "an excerpt has no lines");
	if (!array_reserve(&names->lines, &names->lines_size, names->n_lines + n,
			   sizeof(*names->lines)))
		return no_memory(r);
	for (; e->n < n; e->n++)
		if (!read_number(r, names->n_texts, &names->lines[names->n_lines++]))
			return false;
	return true;
}

static bool read_excerpts(struct reader *r)
{
	struct pack_names *names = r->names;
	uint32_t *lines;
	size_t n;

	if (!read_count(r, 4, &n) || !make_list(r, &names->excerpts, n, sizeof(*names->excerpts)))
		return false;
	for (; names->n_excerpts < n; names->n_excerpts++)
		if (!read_excerpt(r, &names->excerpts[names->n_excerpts]))
			return false;
	lines = names->lines;
	for (size_t i = 0; i < n; i++) {
		names->excerpts[i].lines = lines;
		lines += names->excerpts[i].n;
	}
	pack_names_sort_excerpts(names);
	return true;
}

/* ---- all of it --------------------------------------------------------------------------------- */

/* A file of the archive that is to be read. */
struct part {
	const struct pack_file *pack;
	struct pack_span at;
	const char *what; /* "names" */
};

static int damaged(const struct part *p, const char *wrong, struct error *err)
{
	return error_set(err, "%s: damaged pack: in its %s: %s at byte %" PRIu64, p->pack->path,
			 p->what, wrong, p->at.offset);
}

/* It begins with the number of bytes that it unpacks to. */
static int unpack(struct pack_names *names, const struct part *p, const unsigned char *packed,
		  uLongf *n, struct error *err)
{
	const uint64_t room = p->at.bytes - PACK_SIZE_BYTES;
	uint64_t bytes = 0;
	uLongf got;

	for (int i = 0; i < (int)PACK_SIZE_BYTES; i++)
		bytes |= (uint64_t)packed[i] << 8 * i;
	if (bytes / PACK_RATIO_MAX > room || bytes > PACK_BYTES_MAX)
		return damaged(p, "they claim to unpack to more bytes than they can", err);
	names->bytes = malloc(bytes ? bytes : 1);
	if (!names->bytes)
		return error_memory(err);
	got = bytes;
	if (uncompress(names->bytes, &got, packed + PACK_SIZE_BYTES, room) != Z_OK || got != bytes)
		return damaged(p, "they cannot be unpacked", err);
	*n = got;
	return 0;
}

static int decode(struct pack_names *names, const struct part *p, bool has_code, size_t n,
		  struct error *err)
{
	struct reader r = {
		.names = names,
		.c = {names->bytes, names->bytes + n, NULL},
		.has_code = has_code,
	};

	if (read_texts(&r) && read_modules(&r) && read_excerpts(&r)) {
		if (r.c.at == r.c.end)
			return 0;
		r.c.wrong = "there is more than belongs to them";
	}
	if (r.is_out)
		return error_memory(err);
	return error_set(err,
			 "%s: damaged pack: in its %s: %s at byte %" PRIu64
			 " (byte %zu of the unpacked data)",
			 p->pack->path, p->what, r.c.wrong, p->at.offset,
			 (size_t)(r.c.at - names->bytes));
}

static int read_part(struct pack_names *names, const struct part *p, bool has_code,
		     struct error *err)
{
	unsigned char *packed;
	uLongf n = 0;
	int status;

	if (p->at.bytes <= PACK_SIZE_BYTES)
		return damaged(p, "there is nothing", err);
	packed = malloc(p->at.bytes);
	if (!packed)
		return error_memory(err);
	status = pack_file_read(p->pack, &p->at, packed, err);
	if (!status)
		status = unpack(names, p, packed, &n, err);
	free(packed);
	return status ? -1 : decode(names, p, has_code, n, err);
}

int pack_names_read(struct pack_names *names, const struct pack_file *pack, struct error *err)
{
	const struct part p = {pack, pack->names, "names"};

	*names = (struct pack_names){0};
	return read_part(names, &p, false, err);
}

int pack_names_read_code(struct pack_names *names, const struct pack_file *pack, struct error *err)
{
	const struct part p = {pack, pack->code, "code"};

	*names = (struct pack_names){0};
	return pack->code.bytes ? read_part(names, &p, true, err) : 0;
}

void pack_names_free(struct pack_names *names)
{
	for (size_t i = 0; i < names->n_modules; i++) {
		free(names->modules[i].symbols);
		free(names->modules[i].ranges);
		free(names->modules[i].places);
		free(names->modules[i].pieces);
	}
	free(names->texts);
	free(names->modules);
	free(names->functions);
	free(names->excerpts);
	free(names->lines);
	free(names->bytes);
	*names = (struct pack_names){0};
}

/* ---- pack set -------------------------------------------------------------------------------- */
/*
 * Reads the names of several packs.
 *
 * In: paths. Out: names.
 */

int pack_set_add(struct pack_set *s, const char *path, struct error *err)
{
	char *copy;

	for (size_t i = s->n; i > 0; i--) /* mostly it is the one that was added last */
		if (!strcmp(s->paths[i - 1], path))
			return 0;
	copy = strdup(path);
	if (!copy || !array_reserve(&s->paths, &s->size, s->n + 1, sizeof(*s->paths))) {
		free(copy);
		return error_memory(err);
	}
	s->paths[s->n++] = copy;
	return 0;
}

typedef int pack_reader(struct pack_names *names, const struct pack_file *pack, struct error *err);

static int read_one(struct pack_names *names, const char *path, pack_reader *read,
		    struct error *err)
{
	struct pack_file pack;
	int rc = pack_file_open(&pack, path, err);

	if (rc <= 0)
		return rc ? -1 : error_set(err, "%s: is no pack any more", path);
	rc = read(names, &pack, err);
	pack_file_close(&pack);
	return rc;
}

static void free_list(struct pack_names **list, size_t n)
{
	for (size_t i = 0; *list && i < n; i++)
		pack_names_free(&(*list)[i]);
	free(*list);
	*list = NULL;
}

static int read_all(const struct pack_set *s, struct pack_names **list, pack_reader *read,
		    struct error *err)
{
	int status = 0;

	if (*list || !s->n)
		return 0;
	*list = calloc(s->n, sizeof(**list));
	if (!*list)
		return error_memory(err);
	for (size_t i = 0; !status && i < s->n; i++)
		status = read_one(&(*list)[i], s->paths[i], read, err);
	if (status)
		free_list(list, s->n);
	return status;
}

int pack_set_read(struct pack_set *s, struct error *err)
{
	return read_all(s, &s->names, pack_names_read, err);
}

int pack_set_read_code(struct pack_set *s, struct error *err)
{
	return read_all(s, &s->code, pack_names_read_code, err);
}

void pack_set_clear(struct pack_set *s)
{
	free_list(&s->names, s->n);
	free_list(&s->code, s->n);
	for (size_t i = 0; i < s->n; i++)
		free(s->paths[i]);
	free(s->paths);
	*s = (struct pack_set){0};
}
