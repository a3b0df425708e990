/* SPDX-License-Identifier: MIT */
/*
 * line.h - says something to the user, on a terminal in lines of 80 columns.
 *
 * In: text. Out: lines on standard error.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#define LINE_TEXT_BYTES 8192 /* of what is said, with its end */
#define LINE_BYTES	(LINE_TEXT_BYTES * 2)

/* Say a line. On a terminal it goes on below, behind two spaces, where the next word would reach beyond column 80; elsewhere it stays
 * one line. A word that is longer is not broken. Control characters are not written. */
void line_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The lines of a text of less than LINE_TEXT_BYTES, as a terminal gets them, in LINE_BYTES. */
void line_break(char *lines, const char *text);

#endif
