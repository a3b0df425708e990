/* SPDX-License-Identifier: MIT */
/*
 * line.h - says something to the user in lines that a terminal of 80 columns does not break.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

/* Print a text (printf-like, control characters replaced by '?') and the end of a line on standard error. It is broken between
 * words, never in one, since that may be the name of a file; each further line begins with two spaces. */
void line_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
