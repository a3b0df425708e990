/* SPDX-License-Identifier: MIT */
/*
 * history_text.h - writes the history of a context (Spivey 2004), for people and for programs.
 *
 * In: struct history. Out: text, or two values of a row.
 */
#ifndef HISTORY_TEXT_H
#define HISTORY_TEXT_H

#include "base/stop.h"
#include "contexts/history.h"
#include "write/out.h"
#include "write/rows.h"

/* "Main (P R) P Q R": entries without marks are in parentheses. The text begins in `column`; on a
 * terminal it goes on in that column of the next line. */
void history_text_write(struct out *o, const struct strings *strings, const struct history *h,
			int column);

/* The values "marks", T or F for each entry, and "history", the names. -1: memory. */
int history_text_rows(struct rows *r, const struct strings *strings, const struct history *h,
		      struct error *err);

#endif
