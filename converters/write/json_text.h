/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - texts as JSON has them.
 *
 * In: any bytes. Out: a string of JSON.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "base/hash.h"
#include "write/out.h"

/* Write a string in quotes. Bytes that are not UTF-8 become \xNN, with a backslash that is part of the text. */
void json_text(struct out *o, const char *bytes, size_t n);
/* The same of a string of the table; STRINGS_NONE is an empty one. */
void json_text_string(struct out *o, const struct strings *s, uint32_t number);

#endif
