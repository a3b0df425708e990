/* SPDX-License-Identifier: MIT */
/*
 * explore_pager.h - the program that shows output that is longer than the screen.
 *
 * In: a shell command. Out: a struct out_pager.
 */
#ifndef EXPLORE_PAGER_H
#define EXPLORE_PAGER_H

#include "write/out.h"

/* The shell command $PAGER, or if that is not set, one that runs less if less is installed. */
const char *explore_pager_default(void);

/* The argument of out_page() that starts this command; NULL if `command` is NULL. It is valid until
 * the next call. */
const struct out_pager *explore_pager(const char *command);

#endif
