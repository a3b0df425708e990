/* SPDX-License-Identifier: MIT */
/*
 * say.h - lines on standard error.
 *
 * Main room. In: text. Out: "PROGRAM: TEXT" on standard error.
 */
#ifndef SAY_H
#define SAY_H

/* Who speaks, from now on. The text must stay valid. */
void say_program(const char *name);

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
