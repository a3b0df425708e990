/* SPDX-License-Identifier: MIT */
/*
 * fde.c - reads descriptions of functions in .eh_frame, which it finds by .eh_frame_hdr.
 *
 * In: a module in memory, an address. Out: struct cps_fde. Every pointer that the tables hold is
 * checked against the module's readable segments before it is followed.
 */
#include <string.h>

#include "base/memory.h"
#include "unwind/fde.h"
#include "base/poison.h"

#define LETTERS_MAX    16 /* of an augmentation, with the NUL */
#define PE_FORMAT      0x0f
#define PE_PCREL       0x10
#define PE_DATAREL     0x30
#define PE_APPLICATION 0x70
#define PE_OMIT	       0xff
#define PE_TABLE       (PE_DATAREL | 0x0b) /* datarel | sdata4, as every linker writes it */

/* Reads n bytes through the window, which moves there if they are not in it. */
static bool look(struct cps_fde_cursor *b, void *to, unsigned n)
{
	struct cps_fde_window *w = b->window;
	size_t left = (size_t)(b->end - b->p), page = 4096 - (uintptr_t)b->p % 4096;

	if (!w->n || b->p < w->begin || (size_t)(b->p - w->begin) + n > w->n) {
		w->begin = b->p;
		w->n = left < CPS_FDE_WINDOW ? left : CPS_FDE_WINDOW;
		if (!cps_copy(w->bytes, (uintptr_t)b->p, w->n)) {
			/* The next page need not be there. */
			w->n = page >= n && page < w->n ? page : 0;
			b->bad = !w->n || !cps_copy(w->bytes, (uintptr_t)b->p, w->n);
			w->n = b->bad ? 0 : w->n;
		}
		if (b->bad)
			return false;
	}
	memcpy(to, w->bytes + (b->p - w->begin), n);
	return true;
}

uint64_t cps_fde_read_fixed(struct cps_fde_cursor *b, unsigned n)
{
	uint64_t v = 0;

	if (b->bad || (size_t)(b->end - b->p) < n) {
		b->bad = true;
		return 0;
	}
	if (!b->window)
		memcpy(&v, b->p, n);
	else if (!look(b, &v, n))
		return 0;
	b->p += n;
	return v;
}

/* Reads groups of seven bits, the least significant first, and how many bits they were together. */
static uint64_t groups(struct cps_fde_cursor *b, unsigned *bits)
{
	uint64_t v = 0, byte;

	*bits = 0;
	do {
		byte = cps_fde_read_fixed(b, 1);
		if (*bits < 64)
			v |= (byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80);
	return v;
}

uint64_t cps_fde_read_uleb(struct cps_fde_cursor *b)
{
	unsigned bits;

	return groups(b, &bits);
}

int64_t cps_fde_read_sleb(struct cps_fde_cursor *b)
{
	unsigned bits;
	uint64_t v = groups(b, &bits);

	if (bits < 64 && v >> (bits - 1))
		v |= ~UINT64_C(0) << bits;
	return (int64_t)v;
}

/* Read a pointer in one of the DW_EH_PE_ encodings. An indirection is not followed. */
static uint64_t cps_fde_read_encoded(struct cps_fde_cursor *b, uint8_t encoding,
				     uintptr_t data_base)
{
	uintptr_t here = (uintptr_t)b->p;
	uint64_t v;

	switch (encoding & PE_FORMAT) {
	case 0x01:
		v = cps_fde_read_uleb(b);
		break;
	case 0x02:
		v = cps_fde_read_fixed(b, 2);
		break;
	case 0x03:
		v = cps_fde_read_fixed(b, 4);
		break;
	case 0x09:
		v = (uint64_t)cps_fde_read_sleb(b);
		break;
	case 0x0a:
		v = (uint64_t)(int16_t)cps_fde_read_fixed(b, 2);
		break;
	case 0x0b:
		v = (uint64_t)(int32_t)cps_fde_read_fixed(b, 4);
		break;
	case 0x00:
	case 0x04:
	case 0x0c:
		v = cps_fde_read_fixed(b, 8);
		break;
	default:
		b->bad = true;
		return 0;
	}
	switch (encoding & PE_APPLICATION) {
	case 0:
		return v;
	case PE_PCREL:
		return v ? v + here : 0;
	case PE_DATAREL:
		return v + data_base;
	default:
		b->bad = true;
		return 0;
	}
}

/* The bytes from `where` to the end of the readable segment that holds it; bad if no segment
 * does. */
static struct cps_fde_cursor bytes_at(const struct cps_module *m, uintptr_t where,
				      struct cps_fde_window *window)
{
	for (uint32_t i = 0; i < m->n_segments; i++) {
		const struct cps_segment *s = &m->segments[i];
		uintptr_t start = m->bias + s->vaddr;

		if (s->flags & 4 && where >= start && where - start < s->memory_bytes)
			return (struct cps_fde_cursor){(const uint8_t *)where,
						       (const uint8_t *)start + s->memory_bytes,
						       false, window};
	}
	return (struct cps_fde_cursor){NULL, NULL, true, NULL};
}

/* Reads the length of an entry of .eh_frame and cuts `b` to the entry's content. False at the
 * terminator, or if the entry does not fit. */
static bool entry(struct cps_fde_cursor *b)
{
	uint64_t length = cps_fde_read_fixed(b, 4);

	if (length == 0xffffffff)
		length = cps_fde_read_fixed(b, 8);
	if (b->bad || length < 4 || length > (size_t)(b->end - b->p))
		return false;
	b->end = b->p + length;
	return true;
}

struct cie {
	uint8_t pointer_encoding;
	bool has_augmentation;
};

static bool augmentation(struct cps_fde_cursor *b, const char *letters, struct cie *cie,
			 struct cps_fde *fde)
{
	uint64_t length;
	const uint8_t *after;

	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	length = cps_fde_read_uleb(b);
	if (b->bad || length > (size_t)(b->end - b->p))
		return false;
	after = b->p + length;
	cie->has_augmentation = true;
	for (; *letters; letters++) {
		if (*letters == 'R')
			cie->pointer_encoding = (uint8_t)cps_fde_read_fixed(b, 1);
		else if (*letters == 'L')
			cps_fde_read_fixed(b, 1);
		else if (*letters == 'P')
			cps_fde_read_encoded(b, (uint8_t)cps_fde_read_fixed(b, 1), 0);
		else if (*letters == 'S')
			fde->is_signal_frame = true;
		else if (*letters != 'B')
			break;
	}
	b->p = after;
	return !b->bad;
}

static bool read_cie(const struct cps_module *m, uintptr_t where, struct cps_fde_window *window,
		     struct cie *cie, struct cps_fde *fde)
{
	struct cps_fde_cursor b = bytes_at(m, where, window);
	char letters[LETTERS_MAX];
	size_t n;
	uint8_t version;

	if (!entry(&b) || cps_fde_read_fixed(&b, 4) != 0)
		return false;
	version = (uint8_t)cps_fde_read_fixed(&b, 1);
	if (version != 1 && version != 3)
		return false;
	for (n = 0; n < LETTERS_MAX; n++) {
		letters[n] = (char)cps_fde_read_fixed(&b, 1);
		if (!letters[n])
			break;
	}
	if (b.bad || n == LETTERS_MAX)
		return false;
	fde->code_align = cps_fde_read_uleb(&b);
	fde->data_align = cps_fde_read_sleb(&b);
	fde->ra_register = version == 1 ? cps_fde_read_fixed(&b, 1) : cps_fde_read_uleb(&b);
	if (!augmentation(&b, letters, cie, fde))
		return false;
	fde->initial = b;
	return !b.bad;
}

/* The CIE, which functions share, is read through a window of its own, which may be the same. */
static bool read_fde(const struct cps_module *m, uintptr_t where, struct cps_fde_window *window,
		     struct cps_fde_window *cie_window, struct cps_fde *fde)
{
	struct cps_fde_cursor b = bytes_at(m, where, window);
	struct cie cie = {0, false};
	uintptr_t here;
	uint64_t back;

	*fde = (struct cps_fde){.where = where};
	if (!entry(&b))
		return false;
	here = (uintptr_t)b.p;
	back = cps_fde_read_fixed(&b, 4);
	if (back == 0 || !read_cie(m, here - back, cie_window, &cie, fde))
		return false;
	fde->start = cps_fde_read_encoded(&b, cie.pointer_encoding, 0);
	fde->end = fde->start + cps_fde_read_encoded(&b, cie.pointer_encoding & PE_FORMAT, 0);
	if (cie.has_augmentation) {
		uint64_t length = cps_fde_read_uleb(&b);

		if (b.bad || length > (size_t)(b.end - b.p))
			return false;
		b.p += length;
	}
	fde->program = b;
	return !b.bad;
}

static bool read_pair(struct cps_fde_cursor table, uint64_t i, int32_t pair[2])
{
	uint64_t both;

	table.p += i * 8;
	if (!table.window) {
		memcpy(pair, table.p, 8);
		return true;
	}
	both = cps_fde_read_fixed(&table, 8);
	memcpy(pair, &both, 8);
	return !table.bad;
}

/* Binary search for the last entry at or below pc in the table of n pairs (start, FDE). The two
 * places where the search may look next are fetched beforehand, because a large table is in no
 * cache. */
static bool search(struct cps_fde_cursor table, uint64_t n, uintptr_t base, uintptr_t pc,
		   uintptr_t *fde)
{
	uint64_t low = 0, high = n;
	int32_t pair[2];

	if (n == 0 || n > (size_t)(table.end - table.p) / 8)
		return false;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		__builtin_prefetch(table.p + (low + middle) / 2 * 8);
		__builtin_prefetch(table.p + (middle + 1 + high) / 2 * 8);
		if (!read_pair(table, middle, pair))
			return false;
		if (base + (uintptr_t)(intptr_t)pair[0] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	if (!read_pair(table, low - 1, pair))
		return false;
	*fde = base + (uintptr_t)(intptr_t)pair[1];
	return true;
}

bool cps_fde_next(const struct cps_module *m, uintptr_t *where, struct cps_fde_window window[2],
		  struct cps_fde *fde)
{
	for (;;) {
		struct cps_fde_cursor b = bytes_at(m, *where, &window[0]);
		uintptr_t here = *where;
		uint64_t back;

		if (!entry(&b))
			return false;
		*where = (uintptr_t)b.end;
		back = cps_fde_read_fixed(&b, 4);
		if (b.bad)
			return false;
		if (back && read_fde(m, here, &window[0], &window[1], fde))
			return true;
	}
}

bool cps_fde_find(const struct cps_module *m, uintptr_t pc, struct cps_fde_window *window,
		  struct cps_fde *fde)
{
	uintptr_t base = (uintptr_t)m->eh_frame_hdr, where;
	struct cps_fde_cursor b = {m->eh_frame_hdr, m->eh_frame_hdr + m->eh_frame_hdr_bytes, false,
				   window};
	uint8_t pointer, count_encoding, table;
	uint64_t n;

	if (window)
		window->n = 0;
	if (m->fde)
		return read_fde(m, m->fde, window, window, fde) && pc >= fde->start &&
		       pc < fde->end;
	if (!m->eh_frame_hdr || cps_fde_read_fixed(&b, 1) != 1)
		return false;
	pointer = (uint8_t)cps_fde_read_fixed(&b, 1);
	count_encoding = (uint8_t)cps_fde_read_fixed(&b, 1);
	table = (uint8_t)cps_fde_read_fixed(&b, 1);
	if (pointer == PE_OMIT || count_encoding == PE_OMIT || table != PE_TABLE)
		return false;
	cps_fde_read_encoded(&b, pointer, base);
	n = cps_fde_read_encoded(&b, count_encoding, base);
	if (b.bad || !search(b, n, base, pc, &where) || !read_fde(m, where, window, window, fde))
		return false;
	return pc >= fde->start && pc < fde->end;
}
