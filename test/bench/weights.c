/* SPDX-License-Identifier: MIT */
/*
 * weights.c - how many samples a recording has, and how unequal they weigh.
 *
 * weights FILE...: prints the number of samples, the sum of their weights, and the sum of the squares of
 * these. What no sample has seen (a tail) is none.
 */
#include <stdio.h>
#include <string.h>

#include "read/decode.h"

struct sums {
	double n, weight, squares;
};

static int sample(void *context, const struct event_sample *e, struct error *err)
{
	struct sums *sums = context;
	double weight = (double)e->weight;

	(void)err;
	if (e->hits) {
		sums->n += (double)e->hits;
		sums->weight += weight;
		sums->squares += weight * weight / (double)e->hits;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sums sums = {0, 0, 0};
	struct event_sink sink;
	struct error err;

	memset(&sink, 0, sizeof(sink));
	sink.context = &sums;
	sink.sample = sample;
	for (int i = 1; i < argc; i++)
		if (decode_file(argv[i], &sink, &err)) {
			fprintf(stderr, "weights: %s\n", err.text);
			return 1;
		}
	printf("%.0f %.0f %.0f\n", sums.n, sums.weight, sums.squares);
	return 0;
}
