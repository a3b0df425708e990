/* SPDX-License-Identifier: MIT */
/*
 * stop_text.h - describes why recording stopped before the program ended.
 *
 * In: a process of the profile. Out: text.
 */
#ifndef STOP_TEXT_H
#define STOP_TEXT_H

#include "model/profile.h"

#define STOP_TEXT_BYTES 160

/* "output cannot be written: No space left on device". */
const char *stop_text(char text[STOP_TEXT_BYTES], const struct profile_process *process);

/* "2 processes made by fork, which could not write recordings: Permission denied". */
const char *stop_text_denied(char text[STOP_TEXT_BYTES], const struct profile_process *process);

/* How a recording that has no end breaks off: "in progress", "cut at byte 99". */
const char *stop_text_unended(char text[STOP_TEXT_BYTES], const struct profile_process *process);

/* The reason in one word: "clean", "cut", "running", "killed", "exec", "duration", ..., or "other" if a newer recorder
 * has written a reason that is not known here. */
const char *stop_text_word(const struct profile_process *process);

/* Whether recording stopped because of an error, and not because the user wanted it to. */
bool stop_text_is_trouble(const struct profile_process *process);

#endif
