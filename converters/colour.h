/* SPDX-License-Identifier: MIT */
/*
 * colour.h - the colour of a share: dark blue for little, red for all.
 *
 * Show room. In: a fraction. Out: "#rrggbb" for shapes and for text on them.
 */
#ifndef COLOUR_H
#define COLOUR_H

#define COLOUR_BYTES 8

/* The fill or line colour of a fraction between 0 and 1. */
const char *colour_of(char text[COLOUR_BYTES], double fraction);
/* The same hue, dark enough for text on white. */
const char *colour_of_label(char text[COLOUR_BYTES], double fraction);
/* Black or white, whichever is easier to read on that colour. */
const char *colour_of_text(double fraction);

#endif
