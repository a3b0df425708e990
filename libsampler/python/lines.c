/* SPDX-License-Identifier: MIT */
/*
 * lines.c - finds the source line of an instruction of a Python function.
 *
 * In: a code object's table of lines (Objects/lnotab_notes.txt, Objects/locations.md). Out: a line.
 *
 * The table is read from its beginning on, through a window. What was found is kept in words that hold a line
 * and a sum of all that it depends on.
 *
 * Order: such words are written and read whole, and need none. Their memory is as the kernel has cleared it when its address is
 * exchanged.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "python/lines.h"
#include "python/python.h"
#include "base/poison.h"

#define WINDOW	  256u
#define FOUND	  16384u /* lines that are remembered */
#define LINE_BITS 24u

/* ---- a table --------------------------------------------------------------------------------- */

struct table {
	uintptr_t at; /* of its first byte */
	uint32_t n, next;
	uint32_t window_begin, window_n;
	bool is_alive, is_bad;
	bool is_cut; /* it goes on behind n bytes */
	uint8_t window[WINDOW];
};

static bool open_table(struct table *t, uintptr_t object, const struct cps_python_types *types,
		       bool is_alive)
{
	uint64_t head[3];

	*t = (struct table){.at = object + types->layout->bytes, .is_alive = is_alive};
	if (!cps_python_read(head, object, sizeof(head), is_alive) ||
	    head[CPS_PYTHON_TYPE / 8] != types->bytes || head[CPS_PYTHON_LENGTH / 8] > INT64_MAX)
		return false;
	t->is_cut = head[2] > CPS_PYTHON_LINES_MOST;
	t->n = t->is_cut ? CPS_PYTHON_LINES_MOST : (uint32_t)head[2];
	return true;
}

static bool is_at_end(const struct table *t)
{
	return t->is_bad || t->next == t->n;
}

/* The byte that is next. 0 behind the end. */
static uint8_t peek(struct table *t)
{
	if (is_at_end(t))
		return 0;
	if (t->next - t->window_begin >= t->window_n) {
		t->window_begin = t->next;
		t->window_n = t->n - t->next < WINDOW ? t->n - t->next : WINDOW;
		if (t->is_alive)
			memcpy(t->window, (const void *)(t->at + t->next), t->window_n);
		else
			t->is_bad = !cps_copy(t->window, t->at + t->next, t->window_n);
	}
	return t->is_bad ? 0 : t->window[t->next - t->window_begin];
}

static uint8_t take(struct table *t)
{
	uint8_t byte = peek(t);

	t->next += !is_at_end(t);
	return byte;
}

/* ---- what tables say ------------------------------------------------------------------------- */

#define NO_LINE (-1)

/* 3.8, 3.9: pairs of what is added to the offset, and to the line from there on. The last line goes on to the end. */
static int64_t by_lnotab(struct table *t, int64_t line, int64_t offset)
{
	int64_t at = 0;

	while (!is_at_end(t)) {
		at += take(t);
		if (at > offset)
			return line;
		line += (int8_t)take(t);
	}
	return t->is_cut ? NO_LINE : line;
}

/* 3.10: pairs of a length, and of what is added to the line before it; -128: there is none. */
static int64_t by_linetable(struct table *t, int64_t line, int64_t offset)
{
	int64_t end = 0;

	while (!is_at_end(t)) {
		int8_t change;

		end += take(t);
		change = (int8_t)take(t);
		if (change != INT8_MIN)
			line += change;
		if (end > offset)
			return change == INT8_MIN ? NO_LINE : line;
	}
	return NO_LINE;
}

/* A number of six bits a byte, the low ones first; its lowest bit is the sign. */
static int64_t take_signed(struct table *t)
{
	uint64_t value = 0;
	uint8_t byte = 0x40;

	for (unsigned shift = 0; byte & 0x40 && shift < 36; shift += 6) {
		byte = take(t);
		value |= (uint64_t)(byte & 0x3f) << shift;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* 3.11 on: entries that begin with a byte from 128 on, with a kind and a length in units of two bytes. */
static int64_t by_locations(struct table *t, int64_t line, int64_t offset)
{
	int64_t end = 0;

	while (!is_at_end(t)) {
		uint8_t head = take(t);
		unsigned kind = head >> 3 & 15;

		if (kind >= 10 && kind <= 12)
			line += kind - 10;
		else if (kind == 13 || kind == 14)
			line += take_signed(t);
		end += 2 * ((head & 7) + 1);
		if (end > offset)
			return kind == 15 ? NO_LINE : line;
		while (!is_at_end(t) && !(peek(t) & 0x80))
			take(t);
	}
	return NO_LINE;
}

bool cps_python_line_find(uintptr_t table, const struct cps_python_types *types, int32_t first_line,
			  int64_t offset, bool is_alive, uint32_t *line)
{
	struct table t;
	int64_t found;

	*line = first_line > 0 ? (uint32_t)first_line : 0;
	if (offset < 0) /* it has not begun */
		return true;
	if (!open_table(&t, table, types, is_alive))
		return false;
	if (types->layout->table == CPS_PYTHON_LNOTAB)
		found = by_lnotab(&t, first_line, offset);
	else if (types->layout->table == CPS_PYTHON_LINETABLE)
		found = by_linetable(&t, first_line, offset);
	else
		found = by_locations(&t, first_line, offset);
	*line = found <= 0 || found >> LINE_BITS ? 0 : (uint32_t)found;
	return !t.is_bad;
}

/* ---- what was found -------------------------------------------------------------------------- */

struct found {
	atomic_uint_least64_t words[FOUND];
};

static _Atomic(struct found *) found;

static struct found *get_found(void)
{
	struct found *f = atomic_load_explicit(&found, memory_order_acquire), *none = NULL;

	if (f)
		return f;
	f = cps_arena_pages(sizeof(*f));
	if (!f || atomic_compare_exchange_strong(&found, &none, f))
		return f;
	cps_arena_unmap(f, sizeof(*f));
	return none;
}

static int64_t offset_of(const struct cps_python_known *known,
			 const struct cps_python_layout *layout, uint64_t instruction)
{
	if (layout->unit)
		return (int64_t)(int32_t)instruction * layout->unit;
	return (int64_t)(instruction - known->code - layout->code_begin);
}

/* All bits depend on all that the line depends on. */
static uint64_t sum_of(const struct cps_python_known *known, int64_t offset)
{
	uint64_t sum = known->sum ^ known->code * UINT64_C(0x9e3779b97f4a7c15) ^
		       known->lines * UINT64_C(0xbf58476d1ce4e5b9);

	sum = (sum ^ sum >> 32 ^ (uint64_t)offset) * UINT64_C(0x9e3779b97f4a7c15);
	sum = (sum ^ sum >> 29 ^ (uint64_t)(uint32_t)known->first_line) *
	      UINT64_C(0xbf58476d1ce4e5b9);
	return sum ^ sum >> 32;
}

uint32_t cps_python_line(const struct cps_python_known *known, const struct cps_python_types *types,
			 uint64_t instruction, bool is_alive)
{
	struct found *f = get_found();
	int64_t offset = offset_of(known, types->layout, instruction);
	uint64_t sum = sum_of(known, offset), word;
	atomic_uint_least64_t *place;
	uint32_t line;

	if (!f)
		return 0;
	place = &f->words[sum % FOUND];
	word = atomic_load_explicit(place, memory_order_relaxed);
	if (word && word >> LINE_BITS == sum >> LINE_BITS)
		return (uint32_t)word & ((1u << LINE_BITS) - 1);
	if (!cps_python_line_find(known->lines, types, known->first_line, offset, is_alive, &line))
		return 0;
	word = sum >> LINE_BITS << LINE_BITS | line;
	atomic_store_explicit(place, word, memory_order_relaxed);
	return line;
}
