/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - which bytes are characters.
 *
 * 
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 sequence that begins at s, at most n; 0 if it is none (RFC 3629). n > 0. */
size_t utf8_length(const char *s, size_t n);

#endif
