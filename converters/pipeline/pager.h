/* SPDX-License-Identifier: MIT */
/*
 * pager.h - starts the pager, and Graphviz.
 */
#ifndef PIPELINE_PAGER_H
#define PIPELINE_PAGER_H

#include "view/view.h"
#include "write/out.h"

/* ---- pager ----------------------------------------------------------------------------------- */
/*
 * The program that shows output that is longer than the screen.
 *
 * In: a shell command. Out: a struct out_pager.
 */

/* The shell command $PAGER, or if that is not set, one that runs less if less is installed. */
const char *pager_default(void);

/* The argument of out_page() that starts this command; NULL if `command` is NULL. It is valid until
 * the next call. The keys that interrupt a program are the pager's while it runs, if they would end
 * this program. */
const struct out_pager *pager_of(const char *command);

/* ---- picture --------------------------------------------------------------------------------- */
/*
 * Pictures of call graphs, which Graphviz draws.
 *
 * In: a view that writes the DOT language, a file name. Out: a picture.
 */

/* The format that the name of an output asks for: "svg", "png", "pdf". NULL: none, or the view writes no
 * pictures. */
const char *picture_format(const struct view *view, const char *output);

/* Write the view, and let Graphviz draw it into the file. Returns -1 on error, and then there is no
 * file. */
int picture_write(const struct view *view, const struct view_input *in, const char *format,
		  const char *output, struct error *err);

#endif
