/* SPDX-License-Identifier: MIT */
/*
 * colour.h - the looks of a share in a picture: a colour, a size of letters, a width of lines.
 *
 * In: a fraction. Out: "#rrggbb" for shapes and for text on them, points.
 */
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>

#define COLOUR_BYTES 8

/* Our map, and gprof2dot's; the last one is another name of the second. */
enum colour_name {
	COLOUR_SOFT,
	COLOUR_TEMPERATURE,
	COLOUR_PINK,
	COLOUR_GRAY,
	COLOUR_BW,
	COLOUR_PRINT,
	COLOUR_COLOR,
};

struct colour_scale {
	int map;     /* enum colour_name */
	double skew; /* below 1 small shares differ more, above 1 large ones; 1 or 0: linear */
};

/* Whether shapes are filled. Otherwise they have an outline. */
bool colour_fills(struct colour_scale scale);

/* The colour of a shape, filled or outlined, for a fraction between 0 and 1. */
const char *colour_of(char text[COLOUR_BYTES], struct colour_scale scale, double fraction);
/* The same hue, but dark enough for lines and for text on white. */
const char *colour_of_line(char text[COLOUR_BYTES], struct colour_scale scale, double fraction);
const char *colour_of_label(char text[COLOUR_BYTES], struct colour_scale scale, double fraction);
/* The colour of text on that shape: black or white, whichever is easier to read. */
const char *colour_of_text(struct colour_scale scale, double fraction);

/* The size of letters and the width of a line, in points. */
double colour_font(struct colour_scale scale, double fraction);
double colour_pen(struct colour_scale scale, double fraction);

#endif
