/* SPDX-License-Identifier: MIT */
/*
 * text.h - texts that are written inside a signal handler.
 */
#ifndef CPS_TEXT_H
#define CPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- writer ---------------------------------------------------------------------------------- */
/*
 * Puts numbers and texts into a piece of memory that may be too small.
 */

struct cps_writer {
	uint8_t *p, *end;
	bool full; /* something did not fit; all that was written since is void */
};

/* [signal] LEB128. */
static inline void cps_put(struct cps_writer *w, uint64_t v)
{
	if (w->end - w->p < 10) {
		w->full = true;
		return;
	}
	for (; v >= 0x80; v >>= 7)
		*w->p++ = (uint8_t)(v | 0x80);
	*w->p++ = (uint8_t)v;
}

/* [signal] Zigzag coding: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static inline uint64_t cps_zigzag(int64_t v)
{
	return v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1;
}

/* [signal] LEB128 of the zigzag coded number. */
static inline void cps_put_signed(struct cps_writer *w, int64_t v)
{
	cps_put(w, cps_zigzag(v));
}

/* [signal] */
static inline void cps_put_bytes(struct cps_writer *w, const void *bytes, size_t n)
{
	if ((size_t)(w->end - w->p) < n) {
		w->full = true;
		return;
	}
	memcpy(w->p, bytes, n);
	w->p += n;
}

/* [signal] The length, then the bytes. */
static inline void cps_put_text(struct cps_writer *w, const void *bytes, size_t n)
{
	cps_put(w, n);
	cps_put_bytes(w, bytes, n);
}

/* [signal] Write the number in decimal, NUL-terminated, into the bytes before `end`, of which there
 * are at least 21. Returns where it begins. */
static inline char *cps_digits(char *end, uint64_t n)
{
	*--end = '\0';
	do
		*--end = (char)('0' + n % 10);
	while (n /= 10);
	return end;
}

/* ---- error text ------------------------------------------------------------------------------ */
/*
 * Says what an error number means, and what is wrong.
 *
 * strerror(3) may translate, which allocates, and strerrordesc_np(3) is not there before glibc
 * 2.32.
 */

/* [signal] The C library's words for an errno, in English; "error" if it is none that the recorder
 * meets. */
const char *cps_error_text(int error);

/* [signal] Write these texts one after the other; NULL ends the list. What does not fit is left out. Returns the length of
 * what was written, without its NUL. */
size_t cps_error_text_join(char *to, size_t bytes, ...) __attribute__((sentinel));

#endif
