/* SPDX-License-Identifier: MIT */
/*
 * callgrind_names.h - the names of a callgrind file, which are written once and numbered.
 *
 * "(7) main" says that 7 stands for main from here on, and "(7)" is main again. A name that does
 * not begin with a number in brackets stands for itself. Files, functions and objects are numbered
 * separately.
 */
#ifndef CALLGRIND_NAMES_H
#define CALLGRIND_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "read/event.h"
#include "read/text_scan.h"

#define CALLGRIND_NO_NAME UINT32_MAX

enum callgrind_kind { CALLGRIND_FILE, CALLGRIND_FUNCTION, CALLGRIND_OBJECT, CALLGRIND_KINDS };

struct callgrind_names;

struct callgrind_names *callgrind_names_new(void); /* NULL: out of memory */
void callgrind_names_free(struct callgrind_names *n);

/* The rest of the line is a name. *name becomes the number of its text, which is the same for the
 * same text of any kind. It becomes CALLGRIND_NO_NAME if the name is empty or "???". -1: memory, or
 * the number in brackets is malformed or stands for no name. */
int callgrind_name(struct callgrind_names *n, enum callgrind_kind kind, struct text_scan *s,
		   uint32_t *name);

/* The number of a text. CALLGRIND_NO_NAME: memory. */
uint32_t callgrind_name_add(struct callgrind_names *n, const char *text, size_t length);

/* The text of a name; it is empty for CALLGRIND_NO_NAME. It is valid as long as n. */
struct event_text callgrind_name_text(const struct callgrind_names *n, uint32_t name);

#endif
