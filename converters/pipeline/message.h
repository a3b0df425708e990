/* SPDX-License-Identifier: MIT */
/*
 * message.h - messages to the user.
 *
 * In: a text. Out: "PROGRAM: TEXT" on standard error.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

/* All messages begin with this name from now on. The text must stay valid. */
void message_program(const char *name);

/* Write a message. A progress line (progress.h) is removed before. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
