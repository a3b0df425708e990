/* SPDX-License-Identifier: MIT */
/*
 * message.h - messages to the user.
 *
 * In: a text. Out: "PROGRAM: TEXT" on standard error.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>

#include "base/error.h"

/* All messages begin with this name from now on. The text must stay valid. */
void message_program(const char *name);

/* From now on message() writes nothing, or writes again. */
void message_mute(bool is_mute);

/* Write a message. A progress line (progress.h) is removed before. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write the text of an error. The list in it, if there is one, goes on in further lines of 80 columns. */
void message_error(const struct error *err);

#endif
