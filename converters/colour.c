/* SPDX-License-Identifier: MIT */
/*
 * colour.c - maps a share to a colour between dark blue and red.
 *
 * Show room. In: a fraction. Out: "#rrggbb" for shapes and for text on them.
 */
#include "colour.h"

#include <stdio.h>

struct rgb {
	double red, green, blue;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* One channel of a colour given by hue, saturation and lightness (CSS Color 3, section 4.2.4, in
 * closed form): `shift` is 0 for red, 8 for green, 4 for blue, in twelfths of the circle. */
static double channel(double shift, double hue, double saturation, double lightness)
{
	double k = shift + hue * 12;
	double reach = saturation * least(lightness, 1 - lightness);

	k = k >= 12 ? k - 12 : k;
	return lightness - reach * most(-1, least(least(k - 3, 9 - k), 1));
}

/* From a dark blue over green and yellow to red: temperatures. */
static struct rgb ramp(double fraction)
{
	double f = most(0, least(1, fraction));
	double hue = 2.0 / 3 * (1 - f), saturation = 0.8 + 0.2 * f, lightness = 0.25 + 0.25 * f;

	return (struct rgb){
		channel(0, hue, saturation, lightness),
		channel(8, hue, saturation, lightness),
		channel(4, hue, saturation, lightness),
	};
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

const char *colour_of(char text[COLOUR_BYTES], double fraction)
{
	return write_colour(text, ramp(fraction));
}

const char *colour_of_label(char text[COLOUR_BYTES], double fraction)
{
	struct rgb c = ramp(fraction);

	while (luminance(c) > 0.22) {
		c.red *= 0.95;
		c.green *= 0.95;
		c.blue *= 0.95;
	}
	return write_colour(text, c);
}

/* White on anything darker than a middling luminance, leaning to white: red with white text is what
 * people expect. */
const char *colour_of_text(double fraction)
{
	return luminance(ramp(fraction)) > 0.36 ? "#000000" : "#ffffff";
}
