/* SPDX-License-Identifier: MIT */
/*
 * message.h - lines on standard error.
 *
 * In: text. Out: "PROGRAM: TEXT" on standard error.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

/* Who speaks, from now on. The text must stay valid. */
void message_program(const char *name);

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
