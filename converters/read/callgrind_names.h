/* SPDX-License-Identifier: MIT */
/*
 * callgrind_names.h - the names of a callgrind file, which may be written once and then numbered.
 *
 * "(7) main" says that 7 stands for main from here on, "(7)" is main again, and what
 * does not begin so is a name itself. Files, functions and objects have numbers of their own.
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

/*
 * What is left of the line is a name: *name becomes the number of its text, the same for the same
 * text of any kind; CALLGRIND_NO_NAME if that is empty or "???". -1: memory, or a number that is
 * wrong or stands for nothing.
 */
int callgrind_name(struct callgrind_names *n, enum callgrind_kind kind, struct text_scan *s,
		   uint32_t *name);

/* The number of a text. CALLGRIND_NO_NAME: memory. */
uint32_t callgrind_name_add(struct callgrind_names *n, const char *text, size_t length);

/* The text; empty for CALLGRIND_NO_NAME. Valid as long as n. */
struct event_text callgrind_name_text(const struct callgrind_names *n, uint32_t name);

#endif
