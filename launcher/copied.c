/* SPDX-License-Identifier: MIT */
/*
 * copied.c - copies of a process's memory, made while it is stopped and read when it runs again.
 *
 * In: addresses. Out: bytes. Stacks are copied as ranges. What the interpreter's lists lead to is copied page by page, because
 * each call of the kernel's costs a microsecond, and many objects lie in one page.
 */
#include "launcher/copied.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "launcher/stop.h"

#define PAGE	  UINT64_C(4096)
#define PAGES_MAX (UINT64_C(1) << 18) /* a gigabyte: what is hostile ends there */
#define PIECE	  (UINT64_C(1) << 20) /* after each the time is looked at */

/* The kernel may not allow the first way where it allows the second, as under a filter. */
static size_t fetch(const struct target *t, uint64_t at, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)at, n};
	ssize_t got = process_vm_readv(t->pid, &here, 1, &there, 1, 0);

	if (got < 0 && (errno == ENOSYS || errno == EPERM))
		got = pread(t->memory, to, n, (off_t)at);
	return got > 0 ? (size_t)got : 0;
}

size_t copied_add(struct copied *c, uint64_t begin, size_t n)
{
	struct copied_range r = {.begin = begin, .bytes = malloc(n)};
	size_t part, got;

	if (!r.bytes || !array_reserve(&c->ranges, &c->ranges_room, c->n_ranges + 1, sizeof(r))) {
		free(r.bytes);
		return 0;
	}
	do {
		part = n - r.n < PIECE ? n - r.n : PIECE;
		got = fetch(c->target, begin + r.n, r.bytes + r.n, part);
		r.n += got;
	} while (got == part && r.n < n && stop_now() < c->until);
	if (r.n)
		c->ranges[c->n_ranges++] = r;
	else
		free(r.bytes);
	return r.n;
}

/* ---- pages ------------------------------------------------------------------------------------------------ */

static struct copied_range *slot_of(const struct copied *c, uint64_t page)
{
	size_t i = (size_t)((page / PAGE) * UINT64_C(0x9e3779b97f4a7c15) >> 20);

	for (;; i++) {
		struct copied_range *slot = &c->pages[i & (c->pages_room - 1)];

		if (!slot->bytes || slot->begin == page)
			return slot;
	}
}

/* Keeps the table half empty. */
static bool make_room(struct copied *c)
{
	struct copied larger = {.pages_room = c->pages_room ? 2 * c->pages_room : 256};

	if (2 * (c->n_pages + 1) <= c->pages_room)
		return true;
	if (c->n_pages >= PAGES_MAX)
		return false;
	larger.pages = calloc(larger.pages_room, sizeof(*larger.pages));
	if (!larger.pages)
		return false;
	for (size_t i = 0; i < c->pages_room; i++)
		if (c->pages[i].bytes)
			*slot_of(&larger, c->pages[i].begin) = c->pages[i];
	free(c->pages);
	c->pages = larger.pages;
	c->pages_room = larger.pages_room;
	return true;
}

/* The page, which may have no bytes that can be read: n is 0 then. NULL: it was not copied. */
static const struct copied_range *get_page(struct copied *c, uint64_t page)
{
	struct copied_range *slot = c->pages_room ? slot_of(c, page) : NULL;

	if (slot && slot->bytes)
		return slot;
	if (!c->is_live || !make_room(c))
		return NULL;
	slot = slot_of(c, page);
	slot->bytes = malloc(PAGE);
	if (!slot->bytes)
		return NULL;
	slot->begin = page;
	slot->n = fetch(c->target, page, slot->bytes, PAGE);
	c->n_pages++;
	return slot;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static bool holds(const struct copied_range *r, uint64_t at)
{
	return at - r->begin < r->n;
}

/* The piece that holds the address, or a page of which nothing can be read, or NULL. Most reads are of the stack that the one
 * before was of; others are of pages. */
static const struct copied_range *find_piece(struct copied *c, uint64_t at)
{
	static size_t latest;
	const struct copied_range *page;

	if (latest < c->n_ranges && holds(&c->ranges[latest], at))
		return &c->ranges[latest];
	page = c->pages_room ? slot_of(c, at & -PAGE) : NULL;
	if (page && page->bytes)
		return page;
	for (size_t i = 0; i < c->n_ranges; i++)
		if (holds(&c->ranges[i], at)) {
			latest = i;
			return &c->ranges[i];
		}
	return get_page(c, at & -PAGE);
}

/* Reads what lies in one piece. */
static size_t read_piece(struct copied *c, uint64_t at, void *to, size_t n)
{
	const struct copied_range *r = find_piece(c, at);
	size_t left;

	if (!r || !holds(r, at))
		return 0;
	left = r->n - (size_t)(at - r->begin);
	n = n < left ? n : left;
	memcpy(to, r->bytes + (at - r->begin), n);
	return n;
}

size_t copied_read_some(struct copied *c, uint64_t at, void *to, size_t n)
{
	size_t done = 0, got = 1;

	for (; done < n && got && at <= UINT64_MAX - n; done += got)
		got = read_piece(c, at + done, (unsigned char *)to + done, n - done);
	return done;
}

bool copied_read(struct copied *c, uint64_t at, void *to, size_t n)
{
	return copied_read_some(c, at, to, n) == n;
}

void copied_free(struct copied *c)
{
	for (size_t i = 0; i < c->n_ranges; i++)
		free(c->ranges[i].bytes);
	for (size_t i = 0; i < c->pages_room; i++)
		free(c->pages[i].bytes);
	free(c->ranges);
	free(c->pages);
	*c = (struct copied){.target = c->target};
}
