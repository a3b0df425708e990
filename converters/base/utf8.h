/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - the length of a character of UTF-8.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* The length of the UTF-8 sequence at s, which has n > 0 bytes. 0: the bytes are no such sequence
 * (RFC 3629). */
size_t utf8_length(const char *s, size_t n);

#endif
