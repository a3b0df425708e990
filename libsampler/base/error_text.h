/* SPDX-License-Identifier: MIT */
/*
 * error_text.h - says what an error number means.
 *
 * strerror(3) may translate, which allocates, and strerrordesc_np(3) is not there before glibc 2.32.
 */
#ifndef CPS_ERROR_TEXT_H
#define CPS_ERROR_TEXT_H

/* [signal] The C library's words for an errno, in English; "error" if it is none that the recorder
 * meets. */
const char *cps_error_text(int error);

#endif
