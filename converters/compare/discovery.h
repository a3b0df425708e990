/* SPDX-License-Identifier: MIT */
/*
 * discovery.h - which of many tests are significant, so that few of those are false.
 *
 * In: p values. Out: a limit (Benjamini and Hochberg, Controlling the false discovery rate, Journal of the
 * Royal Statistical Society B 57, 1995).
 */
#ifndef DISCOVERY_H
#define DISCOVERY_H

#include <stddef.h>

/*
 * Those of the n tests are significant whose p value is at most what this returns; -1: none is. If nothing
 * has changed at all, the probability that any is significant is at most `level`. The values become sorted.
 */
double discovery_limit(double *p, size_t n, double level);

#endif
