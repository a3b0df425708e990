/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.c - finds the kernel's functions at given addresses in the text of /proc/kallsyms.
 *
 * In: addresses, the text. Out: names. The function at an address is the one that begins at or before it
 * and nearest to it. So a symbol need only be noted at the first address behind it; what is noted there holds
 * for later addresses, too, unless something nearer is noted at them.
 */
#include <string.h>

#include "stream/kallsyms.h"
#include "base/poison.h"

#define FUNCTION_BYTES_MAX (UINT64_C(1) << 18) /* no function is longer */

/* Shell's sort: the list has some thousand elements at most. */
static void sort(struct cps_kallsyms_function *list, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2) {
		for (uint32_t i = gap; i < n; i++) {
			uint64_t address = list[i].address;
			uint32_t at = i;

			for (; at >= gap && list[at - gap].address > address; at -= gap)
				list[at].address = list[at - gap].address;
			list[at].address = address;
		}
	}
}

void cps_kallsyms_begin(struct cps_kallsyms *k, struct cps_kallsyms_function *list, uint32_t n)
{
	k->list = list;
	k->n = n;
	k->has_first = false;
	k->first = 0;
	k->used = 0;
	sort(list, n);
	for (uint32_t i = 0; i < n; i++)
		list[i].start = 0;
}

/* The first element whose address is not below this one; n if there is none. */
static uint32_t first_from(const struct cps_kallsyms *k, uint64_t address)
{
	uint32_t low = 0, high = k->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (k->list[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A digit's value; 16 for other characters. */
static unsigned digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				      : 16;
}

/* Some functions have several names. The one with the fewest underscores in front is what people call it. */
static bool is_plainer(const char *name, const char *than)
{
	while (*name == '_' && *than == '_') {
		name++;
		than++;
	}
	return *name != '_' && *than == '_';
}

static void note(struct cps_kallsyms_function *f, uint64_t start, const char *name)
{
	size_t n = 0;

	if (start < f->start || (start == f->start && !is_plainer(name, f->name)))
		return;
	while (n < sizeof(f->name) - 1 && name[n] && name[n] != '\t')
		n++;
	memcpy(f->name, name, n);
	f->name[n] = '\0';
	f->start = start;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* The line is in k->line, NUL-terminated. False: it lies behind all that is looked for, and so do all that
 * follow, because what is looked for lies in the part that is in order. */
static bool add_line(struct cps_kallsyms *k)
{
	const char *p = k->line;
	uint64_t start = 0;
	uint32_t i;

	for (; digit(*p) < 16; p++)
		start = start << 4 | digit(*p);
	if (!start || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return true;
	if (!k->has_first)
		k->first = start;
	k->has_first = true;
	i = first_from(k, start);
	if (i == k->n)
		return !k->n || k->list[0].address < k->first;
	if (is_code(p[1]))
		note(&k->list[i], start, p + 3);
	return true;
}

bool cps_kallsyms_add(struct cps_kallsyms *k, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (k->used < sizeof(k->line) - 1)
				k->line[k->used++] = bytes[i];
			continue;
		}
		k->line[k->used] = '\0';
		k->used = 0;
		if (!add_line(k))
			return false;
	}
	return true;
}

void cps_kallsyms_finish(struct cps_kallsyms *k)
{
	for (uint32_t i = 1; i < k->n; i++)
		if (k->list[i].start < k->list[i - 1].start)
			note(&k->list[i], k->list[i - 1].start, k->list[i - 1].name);
	for (uint32_t i = 0; i < k->n; i++)
		if (k->list[i].address - k->list[i].start > FUNCTION_BYTES_MAX)
			k->list[i].start = 0;
}
