/* SPDX-License-Identifier: MIT */
/*
 * explore_pager.h - the program that shows what is longer than the screen.
 *
 * In: a shell command. Out: a struct out_pager.
 */
#ifndef EXPLORE_PAGER_H
#define EXPLORE_PAGER_H

#include "write/out.h"

/* The user's: $PAGER, or else less if it is there. */
const char *explore_pager_default(void);

/* For out_page, with this command; NULL: none. Valid until the next call. */
const struct out_pager *explore_pager(const char *command);

#endif
