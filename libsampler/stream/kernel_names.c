/* SPDX-License-Identifier: MIT */
/*
 * kernel_names.c - the names of the kernel's functions that were met in samples.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/sys.h"
#include "stream/deflate_out.h"
#include "stream/kernel_names.h"
#include "stream/record.h"
#include "base/poison.h"

/* ---- kallsyms -------------------------------------------------------------------------------- */
/*
 * In: addresses, the text. Out: names. The function at an address is the one that begins at or
 * before it and nearest to it. So a symbol need only be noted at the first address behind it; what
 * is noted there holds for later addresses, too, unless something nearer is noted at them.
 */

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

/* ---- kernel ---------------------------------------------------------------------------------- */
/*
 * The names of the kernel's functions that were met in samples.
 *
 * In: addresses, from the handler. Out: at the end, records of their names.
 *
 * Order: an address is a slot by itself, and slots are as the kernel has cleared them. At the end
 * they are read after all buffers were acquired, in which the samples are that have met the
 * addresses.
 */

#define SLOTS	    8192u
#define NOTED_MOST  4096u /* the names of more are not known */
#define PIECE_BYTES 4096u /* the kernel gives no more at a time */
#define PREFIX	    "[k] "

struct noted {
	atomic_uint n;
	_Atomic uint64_t slots[SLOTS]; /* 0: free */
};

static _Atomic(struct noted *) noted;

static int open_symbols(void)
{
	return cps_descriptor_open("/proc/kallsyms", O_RDONLY, 0);
}

/* Who may not know addresses reads zeros in their place. */
static bool ask(void)
{
	char bytes[PIECE_BYTES];
	int fd = open_symbols();
	bool is_start = true, result = false;
	long n;

	if (fd < 0)
		return false;
	n = cps_sys_read(fd, bytes, sizeof(bytes));
	cps_sys_close(fd);
	for (long i = 0; i < n && !result; i++) {
		result = is_start && bytes[i] != '0' && bytes[i] != ' ';
		is_start = bytes[i] == '\n' || (is_start && bytes[i] == '0');
	}
	return result;
}

bool cps_kernel_has_names(void)
{
	static _Atomic int known; /* 0: not yet */

	if (!atomic_load_explicit(&known, memory_order_relaxed))
		atomic_store(&known, ask() ? 1 : -1);
	return atomic_load_explicit(&known, memory_order_relaxed) > 0;
}

static struct noted *get_noted(void)
{
	struct noted *s = atomic_load_explicit(&noted, memory_order_acquire), *none = NULL;

	if (s)
		return s;
	s = cps_arena_pages(sizeof(*s));
	if (!s || atomic_compare_exchange_strong(&noted, &none, s))
		return s;
	cps_arena_unmap(s, sizeof(*s));
	return none;
}

static void note_address(struct noted *s, uint64_t pc)
{
	for (uint64_t i = pc * UINT64_C(0x9e3779b97f4a7c15) >> 51;; i = (i + 1) % SLOTS) {
		uint64_t there = atomic_load_explicit(&s->slots[i], memory_order_relaxed);

		_Static_assert(SLOTS == 1u << 13, "the shift above gives 13 bits");
		if (!there && atomic_fetch_add(&s->n, 1) >= NOTED_MOST) {
			atomic_fetch_sub(&s->n, 1);
			return;
		}
		if (!there && atomic_compare_exchange_strong(&s->slots[i], &there, pc))
			return;
		if (there == pc)
			return;
	}
}

void cps_kernel_note(const struct cps_kernel_chain *chain)
{
	struct noted *s = chain->n ? get_noted() : NULL;

	for (uint32_t i = 0; s && i < chain->n; i++)
		note_address(s, chain->pcs[i]);
}

void cps_kernel_reset(void)
{
	struct noted *s = atomic_exchange(&noted, NULL);

	cps_arena_unmap(s, sizeof(*s));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* This takes 20 ms, in which another thread may close all descriptors, and open its own file at that number. */
static bool is_same(int fd, const struct stat *file)
{
	struct stat now;

	return CPS_SYS(fstat, fd, &now, 0, 0) == 0 && now.st_dev == file->st_dev &&
	       now.st_ino == file->st_ino;
}

/* Nothing is taken from a file that is not ours: its position stays. False: the descriptor is not ours any more. */
static bool find_names(struct cps_kallsyms *k, int fd)
{
	char bytes[PIECE_BYTES];
	struct stat file;
	long n, at = 0;

	if (CPS_SYS(fstat, fd, &file, 0, 0) != 0)
		return false;
	do {
		n = CPS_SYS(pread64, fd, bytes, sizeof(bytes), at);
		if (!is_same(fd, &file))
			return false;
		at += n;
	} while (n > 0 && cps_kallsyms_add(k, bytes, (size_t)n));
	cps_kallsyms_finish(k);
	return true;
}

static int write_name(const struct cps_kallsyms_function *f, uint64_t last)
{
	uint8_t bytes[CPS_KALLSYMS_NAME_BYTES + 64];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	char name[sizeof(PREFIX) + CPS_KALLSYMS_NAME_BYTES] = PREFIX;

	memcpy(name + sizeof(PREFIX) - 1, f->name, sizeof(f->name));
	cps_record_function(&w, f->start, last - f->start + 1, name);
	return w.full ? 0 : cps_deflate_out_append(bytes, (size_t)(w.p - bytes));
}

/* One record for a function, though several addresses are in it. */
static void write_names(const struct cps_kallsyms_function *list, uint32_t n)
{
	for (uint32_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && list[next].start == list[i].start; next++)
			;
		if (list[i].start && write_name(&list[i], list[next - 1].address) != 0)
			return;
	}
}

static uint32_t take_noted(const struct noted *s, struct cps_kallsyms_function *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < SLOTS && n < NOTED_MOST; i++) {
		uint64_t pc = atomic_load_explicit(&s->slots[i], memory_order_relaxed);

		if (pc)
			list[n++].address = pc;
	}
	return n;
}

void cps_kernel_keep_names(void)
{
	const struct noted *s = atomic_load(&noted);
	const size_t bytes = NOTED_MOST * sizeof(struct cps_kallsyms_function);
	struct cps_kallsyms_function *list;
	struct cps_kallsyms k;
	bool is_ours = true;
	int fd;

	if (!s || cps_deflate_out_error())
		return;
	list = cps_arena_pages(bytes);
	fd = list ? open_symbols() : -1;
	if (fd >= 0 && cps_deflate_out_wait()) {
		cps_kallsyms_begin(&k, list, take_noted(s, list));
		is_ours = find_names(&k, fd);
		if (is_ours)
			write_names(list, k.n);
		cps_deflate_out_release();
	}
	if (fd >= 0 && is_ours)
		cps_sys_close(fd);
	cps_arena_unmap(list, bytes);
}
