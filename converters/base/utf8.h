/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - finds the length of a character of UTF-8.
 *
 * In: bytes. Out: the length of the first character.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* Returns the length of the UTF-8 sequence at s, which has n > 0 bytes; 0 if the bytes are not
 * UTF-8 (RFC 3629). */
size_t utf8_length(const char *s, size_t n);

#endif
