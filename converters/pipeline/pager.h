/* SPDX-License-Identifier: MIT */
/*
 * pager.h - the program that shows output that is longer than the screen.
 *
 * In: a shell command. Out: a struct out_pager.
 */
#ifndef PAGER_H
#define PAGER_H

#include "write/out.h"

/* The shell command $PAGER, or if that is not set, one that runs less if less is installed. */
const char *pager_default(void);

/* The argument of out_page() that starts this command; NULL if `command` is NULL. It is valid until
 * the next call. The keys that interrupt a program are the pager's while it runs, if they would end
 * this program. */
const struct out_pager *pager_of(const char *command);

#endif
