/* SPDX-License-Identifier: MIT */
/*
 * colour.c - maps a share to a colour, for example between dark blue and red.
 *
 * In: a fraction. Out: "#rrggbb" for shapes and for text on them, points.
 */
#include "write/colour.h"

#include <math.h>
#include <stdio.h>

#define LINEAR 1e-6 /* a skew this close to 1 makes no difference, and none can be computed */

/* Limits of luminance. Lines and labels on white are darker than the first two; text on a shape that
 * is lighter than the last one is black. That limit is high, because people expect white text on
 * red. */
#define LINE_LIGHTEST  0.5
#define LABEL_LIGHTEST 0.22
#define BLACK_FROM     0.36

struct rgb {
	double red, green, blue;
};

/* A colour by hue, saturation and lightness, each from 0 to 1. */
struct hsl {
	double hue, saturation, lightness;
};

struct colour_map {
	struct hsl least, most; /* the colours of nothing and of all */
	bool fills;
	double font_least, font_most, pen_least, pen_most;
};

/* The first map goes from pale blue over green and yellow to a light red, beside which letters can be
 * read; the second one in full colours, as temperatures are drawn. */
static const struct colour_map maps[] = {
	[COLOUR_SOFT] = {{0.58, 0.4, 0.92}, {0.03, 0.9, 0.74}, true, 10, 10, 0.5, 4},
	[COLOUR_TEMPERATURE] = {{2.0 / 3, 0.8, 0.25}, {0, 1, 0.5}, true, 10, 10, 0.5, 4},
	[COLOUR_PINK] = {{0, 1, 0.92}, {0, 1, 0.5}, true, 10, 10, 0.5, 4},
	[COLOUR_GRAY] = {{0, 0, 0.9}, {0, 0, 0.1}, true, 10, 10, 0.5, 4},
	[COLOUR_BW] = {{0, 0, 0}, {0, 0, 0}, false, 8, 24, 0.5, 6},
	[COLOUR_PRINT] = {{0, 0, 0}, {0, 0, 0}, false, 18, 30, 0.5, 6},
};

static const struct colour_map *map_of(struct colour_scale scale)
{
	return &maps[scale.map == COLOUR_COLOR ? COLOUR_TEMPERATURE : scale.map];
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static double between(double from, double to, double fraction)
{
	return from + (to - from) * most(0, least(1, fraction));
}

/* One channel of a colour (CSS Color 3, section 4.2.4, in closed form): `shift` is 0 for red, 8 for
 * green, 4 for blue, in twelfths of the circle. */
static double channel(double shift, struct hsl c)
{
	double k = shift + c.hue * 12;
	double reach = c.saturation * least(c.lightness, 1 - c.lightness);

	k = k >= 12 ? k - 12 : k;
	return c.lightness - reach * most(-1, least(least(k - 3, 9 - k), 1));
}

/* How far the colour is on the way from the least to the most. With a skew that is exponential. */
static double bend(struct colour_scale scale, double fraction)
{
	double f = most(0, least(1, fraction)), log_skew = scale.skew > 0 ? log(scale.skew) : 0;

	return fabs(log_skew) < LINEAR ? f : expm1(f * log_skew) / expm1(log_skew);
}

static struct rgb colour_at(struct colour_scale scale, double fraction)
{
	const struct colour_map *map = map_of(scale);
	double f = bend(scale, fraction);
	struct hsl c = {
		between(map->least.hue, map->most.hue, f),
		between(map->least.saturation, map->most.saturation, f),
		between(map->least.lightness, map->most.lightness, f),
	};

	return (struct rgb){channel(0, c), channel(8, c), channel(4, c)};
}

/* Relative luminance as in WCAG 2, with a gamma of 2 instead of the exact curve. */
static double luminance(struct rgb c)
{
	return 0.2126 * c.red * c.red + 0.7152 * c.green * c.green + 0.0722 * c.blue * c.blue;
}

static const char *write_colour(char text[COLOUR_BYTES], struct rgb c)
{
	snprintf(text, COLOUR_BYTES, "#%02x%02x%02x", (unsigned)(c.red * 255 + 0.5) & 255,
		 (unsigned)(c.green * 255 + 0.5) & 255, (unsigned)(c.blue * 255 + 0.5) & 255);
	return text;
}

static struct rgb darken(struct rgb c, double lightest)
{
	while (luminance(c) > lightest) {
		c.red *= 0.95;
		c.green *= 0.95;
		c.blue *= 0.95;
	}
	return c;
}

bool colour_fills(struct colour_scale scale)
{
	return map_of(scale)->fills;
}

const char *colour_of(char text[COLOUR_BYTES], struct colour_scale scale, double fraction)
{
	return write_colour(text, colour_at(scale, fraction));
}

const char *colour_of_line(char text[COLOUR_BYTES], struct colour_scale scale, double fraction)
{
	return write_colour(text, darken(colour_at(scale, fraction), LINE_LIGHTEST));
}

const char *colour_of_label(char text[COLOUR_BYTES], struct colour_scale scale, double fraction)
{
	return write_colour(text, darken(colour_at(scale, fraction), LABEL_LIGHTEST));
}

const char *colour_of_text(struct colour_scale scale, double fraction)
{
	if (!colour_fills(scale) || luminance(colour_at(scale, fraction)) > BLACK_FROM)
		return "#000000";
	return "#ffffff";
}

double colour_font(struct colour_scale scale, double fraction)
{
	return between(map_of(scale)->font_least, map_of(scale)->font_most, fraction);
}

double colour_pen(struct colour_scale scale, double fraction)
{
	return between(map_of(scale)->pen_least, map_of(scale)->pen_most, fraction);
}
