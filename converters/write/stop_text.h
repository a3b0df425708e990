/* SPDX-License-Identifier: MIT */
/*
 * stop_text.h - why recording stopped before the program did, in words.
 *
 * In: a process of the profile. Out: text.
 */
#ifndef STOP_TEXT_H
#define STOP_TEXT_H

#include "model/profile.h"

#define STOP_TEXT_BYTES 160

/* "output cannot be written: No space left on device". */
const char *stop_text(char text[STOP_TEXT_BYTES], const struct profile_process *process);

/* One word: "clean", "cut", "exec", "duration", ..., "other" for reasons of the future. */
const char *stop_text_word(const struct profile_process *process);

/* Did it stop for a reason that nobody has asked for? */
bool stop_text_is_trouble(const struct profile_process *process);

#endif
