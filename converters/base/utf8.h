/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - finds the length of a character of UTF-8.
 *
 * In: bytes. Out: the length of the first character.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of the UTF-8 sequence at s, which has n > 0 bytes; 0 if the bytes are not
 * UTF-8 (RFC 3629). */
size_t utf8_length(const char *s, size_t n);

/* Returns the code point of the sequence of `length` bytes, which utf8_length has found. */
uint32_t utf8_code(const char *s, size_t length);

/* Returns the length of the control character with which the text of n > 0 bytes begins, 0 if it begins
 * with none. Those of C1, U+0080 to U+009F, have two bytes; a terminal obeys U+009B as it does ESC [. What changes
 * the order of other characters (U+202E and the like) and what has no width is one as well: it hides what a name is. */
size_t utf8_control_length(const char *s, size_t n);

/* Replace the control characters of a text, of which a terminal could obey some. */
void utf8_clean(char *text);

#endif
