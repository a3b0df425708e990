/* SPDX-License-Identifier: MIT */
/*
 * tally.c - counts words in two threads, while a third one reports the most frequent ones.
 *
 * tally [--copy]
 *
 * One lock protects the counts. add_line has it for a moment; report has it while it sorts all of
 * them. With --copy it has it while it copies them, and sorts the copy.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS	 200000u
#define PER_LINE 8u
#define LINES	 150000u /* of each counter */
#define COUNTERS 2

struct word {
	uint32_t number, count;
};

static struct word words[WORDS], sorted[WORDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int running = COUNTERS; /* under the lock */
static bool copies;

/* xorshift64* */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * UINT64_C(2685821657736338717) >> 32) % below);
}

static void read_line(uint64_t *state, char *line, size_t bytes)
{
	size_t n = 0;

	for (uint32_t i = 0; i < PER_LINE; i++)
		n += (size_t)snprintf(line + n, bytes - n, "w%u ",
				      draw(state, draw(state, WORDS) + 1));
}

static void add_line(const char *line)
{
	uint32_t numbers[PER_LINE];
	const char *p = line;

	for (uint32_t i = 0; i < PER_LINE; i++) {
		char *end;

		numbers[i] = (uint32_t)strtoul(p + 1, &end, 10);
		p = end + 1;
	}
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < PER_LINE; i++)
		words[numbers[i]].count++;
	pthread_mutex_unlock(&lock);
}

static void *count(void *seed)
{
	uint64_t state = *(const uint64_t *)seed;
	char line[PER_LINE * 12];

	for (uint32_t i = 0; i < LINES; i++) {
		read_line(&state, line, sizeof(line));
		add_line(line);
	}
	pthread_mutex_lock(&lock);
	running--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int more_often(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
				    : (x->number > y->number) - (x->number < y->number);
}

static void sort_all(void)
{
	qsort(sorted, WORDS, sizeof(*sorted), more_often);
}

/* Returns whether anybody is counting. */
static bool report(void)
{
	bool goes_on;

	pthread_mutex_lock(&lock);
	memcpy(sorted, words, sizeof(words));
	goes_on = running > 0;
	if (!copies)
		sort_all();
	pthread_mutex_unlock(&lock);
	if (copies)
		sort_all();
	return goes_on;
}

int main(int argc, char **argv)
{
	const struct timespec pause = {0, 20000000};
	uint64_t seeds[COUNTERS] = {1, 2}, total = 0;
	pthread_t counters[COUNTERS];

	copies = argc == 2 && !strcmp(argv[1], "--copy");
	for (uint32_t i = 0; i < WORDS; i++)
		words[i].number = i;
	for (int i = 0; i < COUNTERS; i++)
		pthread_create(&counters[i], NULL, count, &seeds[i]);
	while (report())
		nanosleep(&pause, NULL);
	for (int i = 0; i < COUNTERS; i++)
		pthread_join(counters[i], NULL);
	for (uint32_t i = 0; i < WORDS; i++)
		total += words[i].count;
	printf("%llu words, most often w%u\n", (unsigned long long)total, sorted[0].number);
	return 0;
}
