/* SPDX-License-Identifier: MIT */
/*
 * picture.h - pictures of call graphs, which Graphviz draws.
 *
 * In: a view that writes the DOT language, a file name. Out: a picture.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "view/view.h"

/* The format that the name of an output asks for: "svg", "png", "pdf". NULL: none, or the view writes no
 * pictures. */
const char *picture_format(const struct view *view, const char *output);

/* Write the view, and let Graphviz draw it into the file. Returns -1 on error, and then there is no
 * file. */
int picture_write(const struct view *view, const struct view_input *in, const char *format,
		  const char *output, struct error *err);

#endif
