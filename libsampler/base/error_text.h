/* SPDX-License-Identifier: MIT */
/*
 * error_text.h - says what an error number means, and what is wrong.
 *
 * strerror(3) may translate, which allocates, and strerrordesc_np(3) is not there before glibc 2.32.
 */
#ifndef CPS_ERROR_TEXT_H
#define CPS_ERROR_TEXT_H

#include <stddef.h>

/* [signal] The C library's words for an errno, in English; "error" if it is none that the recorder
 * meets. */
const char *cps_error_text(int error);

/* [signal] Write these texts one after the other; NULL ends the list. What does not fit is left out. Returns the length of
 * what was written, without its NUL. */
size_t cps_error_text_join(char *to, size_t bytes, ...) __attribute__((sentinel));

#endif
