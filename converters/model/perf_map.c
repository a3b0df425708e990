/* SPDX-License-Identifier: MIT */
/*
 * perf_map.c - the names of generated code.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "libsampler/format.h"
#include "model/builder.h"
#include "model/perf_map.h"

/* ---- perf map file --------------------------------------------------------------------------- */
/*
 * Opens the perf map that a process has left in /tmp.
 *
 * In: what a recording says of its process. Out: an open file.
 */

/* Can the file be trusted? It must belong to the owner of the recording or to us, and must not be
 * older than the process: an earlier process may have had the same id. */
static bool is_trusted(const struct perf_map_process *p, const struct stat *st)
{
	uint64_t seconds = (uint64_t)st->st_mtim.tv_sec, start = p->start_ns;

	if (!S_ISREG(st->st_mode) || (st->st_uid != p->owner && st->st_uid != geteuid()))
		return false;
	if (st->st_mtim.tv_sec < 0 || seconds < start / 1000000000)
		return false;
	return seconds > start / 1000000000 || (uint64_t)st->st_mtim.tv_nsec >= start % 1000000000;
}

static bool is_this_host(struct event_text host)
{
	struct utsname name;

	return host.length && !uname(&name) && strlen(name.nodename) == host.length &&
	       !memcmp(name.nodename, host.bytes, host.length);
}

int perf_map_file_open(const struct perf_map_process *p)
{
	struct stat st;
	char path[64];
	int fd;

	if (!p->pid || !p->start_ns || !is_this_host(p->host))
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%llu.map", (unsigned long long)p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !is_trusted(p, &st))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- perf map -------------------------------------------------------------------------------- */
/*
 * Lines are collected until they are twice as many as the pieces made before; then all are made
 * into pieces again. So a million lines for the same few functions take no more memory than the
 * functions need.
 */

/* Two numbers, two separators and a name. */
#define LINE_BYTES_MAX (CPS_TEXT_MAX + 40)
#define ENTRIES_LEAST  65536u
#define ENTRIES_MAX    (UINT32_MAX / 4)

/* Pieces have order 0, lines after them 1, 2, 3, ... */
struct entry {
	uint64_t first, last; /* addresses */
	uint32_t name, order;
};

struct perf_map {
	struct strings *names;
	struct entry *entries;
	size_t n, size;
	size_t n_pieces; /* the first ones, disjoint and sorted */
	char *line;	 /* the beginning of one, LINE_BYTES_MAX + 1 bytes or NULL */
	size_t line_bytes;
};

struct perf_map *perf_map_new(void)
{
	struct perf_map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->names = strings_new();
	if (m->names)
		return m;
	free(m);
	return NULL;
}

void perf_map_free(struct perf_map *m)
{
	if (!m)
		return;
	strings_free(m->names);
	free(m->entries);
	free(m->line);
	free(m);
}

/* ---- lines become pieces ----------------------------------------------------------------------- */

/* The lines that cover the place that the sweep has reached, the latest one on top. Lines that have
 * ended may still be among them. */
struct heap {
	const struct entry *entries;
	uint32_t *items;
	size_t n;
};

static bool is_later(const struct heap *h, size_t a, size_t b)
{
	return h->entries[h->items[a]].order > h->entries[h->items[b]].order;
}

static void heap_swap(struct heap *h, size_t a, size_t b)
{
	uint32_t item = h->items[a];

	h->items[a] = h->items[b];
	h->items[b] = item;
}

static void heap_push(struct heap *h, uint32_t item)
{
	size_t i = h->n++;

	h->items[i] = item;
	for (; i && is_later(h, i, (i - 1) / 2); i = (i - 1) / 2)
		heap_swap(h, i, (i - 1) / 2);
}

static void heap_pop(struct heap *h)
{
	size_t i = 0, child;

	h->items[0] = h->items[--h->n];
	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && is_later(h, child + 1, child))
			child++;
		if (!is_later(h, child, i))
			return;
		heap_swap(h, i, child);
		i = child;
	}
}

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Add a piece of that entry. It extends the piece before if both are of the same entry. */
static void piece_add(struct entry *pieces, size_t *n, uint32_t *latest, const struct heap *h,
		      uint64_t first, uint64_t last)
{
	uint32_t top = h->items[0];

	if (*n && *latest == top && pieces[*n - 1].last + 1 == first)
		pieces[*n - 1].last = last;
	else
		pieces[(*n)++] = (struct entry){first, last, h->entries[top].name, 0};
	*latest = top;
}

/* Sweep over the entries, which are sorted by first address. Each step ends where an entry begins
 * or where the latest one ends, so that there are at most two pieces for each entry. Returns the
 * number of pieces. */
static size_t sweep(struct heap *h, size_t n, struct entry *pieces)
{
	const struct entry *entries = h->entries;
	uint64_t at = 0, last;
	uint32_t latest = 0;
	size_t i = 0, n_pieces = 0;

	while (i < n || h->n) {
		if (!h->n)
			at = entries[i].first;
		for (; i < n && entries[i].first <= at; i++)
			heap_push(h, (uint32_t)i);
		while (h->n && entries[h->items[0]].last < at)
			heap_pop(h);
		if (!h->n)
			continue;
		last = entries[h->items[0]].last;
		if (i < n && entries[i].first <= last)
			last = entries[i].first - 1;
		piece_add(pieces, &n_pieces, &latest, h, at, last);
		if (last == UINT64_MAX)
			break;
		at = last + 1;
	}
	return n_pieces;
}

static int address_ranges_make(struct perf_map *m)
{
	struct heap h = {m->entries, calloc(m->n + 1, sizeof(*h.items)), 0};
	struct entry *pieces = calloc(2 * m->n + 1, sizeof(*pieces));

	if (!h.items || !pieces) {
		free(h.items);
		free(pieces);
		return -1;
	}
	if (m->n)
		qsort(m->entries, m->n, sizeof(*m->entries), entry_compare);
	m->size = 2 * m->n + 1;
	m->n = m->n_pieces = sweep(&h, m->n, pieces);
	free(h.items);
	free(m->entries);
	m->entries = pieces;
	return 0;
}

/* ---- text becomes lines ------------------------------------------------------------------------ */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Take a hexadecimal number and the space after it. False: there is none, or it is too large. */
static bool hex_take(const char **at, const char *end, uint64_t *value)
{
	const char *c = *at;

	if (end - c > 2 && c[0] == '0' && (c[1] | 0x20) == 'x')
		c += 2;
	const char *begin = c;
	for (*value = 0; c < end && hex_digit(*c) >= 0; c++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)hex_digit(*c);
	}
	*at = c + 1;
	return c > begin && c < end && (*c == ' ' || *c == '\t');
}

static int entry_add(struct perf_map *m, uint64_t first, uint64_t bytes, const char *name, size_t n)
{
	uint32_t number = strings_add(m->names, name, n);
	uint64_t last;

	if (__builtin_add_overflow(first, bytes - 1, &last))
		last = UINT64_MAX;
	if (m->n >= ENTRIES_LEAST && m->n / 2 >= m->n_pieces && address_ranges_make(m))
		return -1;
	if (number == STRINGS_NONE || m->n >= ENTRIES_MAX ||
	    !array_reserve(&m->entries, &m->size, m->n + 1, sizeof(*m->entries)))
		return -1;
	m->entries[m->n] = (struct entry){first, last, number, (uint32_t)(m->n - m->n_pieces + 1)};
	m->n++;
	return 0;
}

static int line_take(struct perf_map *m, const char *line, size_t n)
{
	const char *at = line, *end = line + n;
	uint64_t first, bytes;

	if (!hex_take(&at, end, &first) || !hex_take(&at, end, &bytes) || !bytes || at == end ||
	    (size_t)(end - at) > CPS_TEXT_MAX)
		return 0;
	return entry_add(m, first, bytes, at, (size_t)(end - at));
}

/* Keep the beginning or the middle of a line. One byte more than the longest line is kept, so that
 * a line that is too long is recognised. */
static int line_keep(struct perf_map *m, const char *bytes, size_t n)
{
	size_t room = LINE_BYTES_MAX + 1 - m->line_bytes;

	if (!m->line)
		m->line = malloc(LINE_BYTES_MAX + 1);
	if (!m->line)
		return -1;
	if (n > room)
		n = room;
	if (n)
		memcpy(m->line + m->line_bytes, bytes, n);
	m->line_bytes += n;
	return 0;
}

/* Take a line whose last n bytes before the line feed are these. */
static int line_end(struct perf_map *m, const char *bytes, size_t n)
{
	int rc;

	if (!m->line_bytes)
		return n > LINE_BYTES_MAX ? 0 : line_take(m, bytes, n);
	rc = line_keep(m, bytes, n);
	if (!rc && m->line_bytes <= LINE_BYTES_MAX)
		rc = line_take(m, m->line, m->line_bytes);
	m->line_bytes = 0;
	return rc;
}

int perf_map_add(struct perf_map *m, const char *bytes, size_t n)
{
	const char *end = bytes + n, *stop;

	for (; bytes < end; bytes = stop + 1) {
		stop = memchr(bytes, '\n', (size_t)(end - bytes));
		if (!stop)
			return line_keep(m, bytes, (size_t)(end - bytes));
		if (line_end(m, bytes, (size_t)(stop - bytes)))
			return -1;
	}
	return 0;
}

int perf_map_finish(struct perf_map *m)
{
	return address_ranges_make(m);
}

const char *perf_map_find(const struct perf_map *m, uint64_t address, size_t *n)
{
	size_t low = 0, high = m->n;

	/* Search for the last piece that begins at or before the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->entries[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || m->entries[low - 1].last < address)
		return NULL;
	return strings_get(m->names, m->entries[low - 1].name, n);
}

/* ---- builder perf map ------------------------------------------------------------------------ */
/*
 * Gives names to generated code.
 *
 * In: addresses without module, the perf map of their process. Out: frames with names. The map is
 * in the recording; if it is not, the file /tmp/perf-PID.map may still be where the process has
 * left it.
 */

static struct perf_map *map_of(struct recording *r)
{
	if (!r->jit)
		r->jit = perf_map_new();
	return r->jit;
}

int builder_jit(void *context, const struct event_jit *e, struct error *err)
{
	struct profile_builder *b = context;
	struct perf_map *m = map_of(&b->current);

	if (!m || perf_map_add(m, e->text.bytes, e->text.length))
		return error_memory(err);
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* -1: there is no file that can be trusted. */
static int file_open(const struct profile_builder *b)
{
	const struct recording *r = &b->current;
	struct perf_map_process p = {
		.pid = r->process.pid,
		.start_ns = r->process.start_ns,
		.owner = r->owner,
	};

	if (!r->has_owner || r->process.host == STRINGS_NONE)
		return -1;
	p.host.bytes = strings_get(b->profile->strings, r->process.host, &p.host.length);
	return perf_map_file_open(&p);
}

static int file_read(struct perf_map *m, int fd)
{
	char bytes[65536];
	uint64_t total = 0;

	while (total < PERF_MAP_BYTES_MAX) {
		ssize_t n = read(fd, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (perf_map_add(m, bytes, (size_t)n))
			return -1;
		total += (uint64_t)n;
	}
	return 0;
}

/* ---- frames ------------------------------------------------------------------------------------ */

/* Behind the one before the first function; of all functions. */
#define PYTHON_ADDRESSES (UINT64_C(0x10000) * CPS_PYTHON_LINES - CPS_PYTHON_LINES)

static bool is_nameless(const struct profile_frame *f, bool has_names)
{
	return f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE && !profile_stand_in(f) &&
	       (f->address < CPS_KERNEL_ADDRESS || has_names);
}

static bool needs_map(const struct cct *paths, bool has_names)
{
	for (size_t i = 0; i < paths->n_frames; i++)
		if (is_nameless(&paths->frames[i], has_names))
			return true;
	return false;
}

int builder_jit_open(struct profile_builder *b)
{
	struct recording *r = &b->current;
	int fd, rc = 0;

	if (!needs_map(r->paths, r->jit))
		return 0;
	fd = r->jit ? -1 : file_open(b);
	if (fd >= 0) {
		rc = map_of(r) ? file_read(r->jit, fd) : -1;
		close(fd);
	}
	r->has_map = !rc && r->jit;
	return r->has_map ? perf_map_finish(r->jit) : rc;
}

/* The frame's address in the process. */
static bool address_of(const struct profile_builder *b, const struct profile_frame *f,
		       uint64_t *address)
{
	uint64_t bias = 0;

	if (f->module != PROFILE_NO_MODULE && !modules_bias(b->modules, f->module, &bias))
		return false;
	*address = f->address + bias;
	return f->name == STRINGS_NONE && !profile_stand_in(f);
}

/* A path as a program has it, which may begin where the program was started. Returns its number. */
static uint32_t add_path(struct profile_builder *b, const char *path, size_t n)
{
	struct strings *strings = b->profile->strings;
	const char *directory;
	size_t n_directory;
	uint32_t number;
	char *whole;
	int length;

	if (n && (*path == '/' || *path == '<'))
		return strings_add(strings, path, n);
	if (b->current.process.cwd == STRINGS_NONE)
		return strings_add(strings, path, n);
	if (n > 2 && path[0] == '.' && path[1] == '/') {
		path += 2;
		n -= 2;
	}
	directory = strings_get(strings, b->current.process.cwd, &n_directory);
	length =
		asprintf(&whole, "%.*s%s%.*s", (int)n_directory, directory,
			 n_directory && directory[n_directory - 1] == '/' ? "" : "/", (int)n, path);
	if (length < 0)
		return STRINGS_NONE;
	number = strings_add(strings, whole, (size_t)length);
	free(whole);
	return number;
}

/* Where in its source a Python function was (format.h). In older recordings no address says a line. */
static int set_line(struct profile_builder *b, struct profile_frame *f, uint64_t address)
{
	uint32_t line = (uint32_t)(address % CPS_PYTHON_LINES), file;
	const char *path;
	size_t n;

	f->address = 0;
	if (address - CPS_PYTHON_ADDRESS - CPS_PYTHON_LINES >= PYTHON_ADDRESSES || !line)
		return 0;
	path = perf_map_find(b->current.jit, address + CPS_PYTHON_PATHS, &n);
	if (!path)
		return 0;
	file = add_path(b, path, n);
	f->address = (uint64_t)file << 32 | line;
	return file == STRINGS_NONE ? -1 : 0;
}

int builder_jit_name(struct profile_builder *b, struct profile_frame *f)
{
	const char *name;
	uint64_t address;
	size_t n;

	if (!b->current.has_map || !address_of(b, f, &address))
		return 0;
	name = perf_map_find(b->current.jit, address, &n);
	if (!name)
		return 0;
	f->name = strings_add(b->profile->strings, name, n);
	if (f->name == STRINGS_NONE)
		return -1;
	return f->module == PROFILE_NO_MODULE ? set_line(b, f, address) : 0;
}
