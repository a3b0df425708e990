/* SPDX-License-Identifier: MIT */
/*
 * discovery.c - finds the limit of p values by the procedure of Benjamini and Hochberg.
 *
 * In: p values. Out: the largest one that is significant.
 */
#include "compare/discovery.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double discovery_limit(double *p, size_t n, double level)
{
	qsort(p, n, sizeof(*p), compare);
	for (size_t i = n; i-- > 0;)
		if (p[i] <= level * (double)(i + 1) / (double)n)
			return p[i];
	return -1;
}
