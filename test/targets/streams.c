/* SPDX-License-Identifier: MIT */
/*
 * streams.c - reads and writes different amounts by different functions of stdio.
 *
 * streams IN: each function below reads IN, or writes to /dev/null, through a stream of its own. IN has a
 * number in each line. Prints what ways.h says. Then it writes in ways that leave bytes to exit.
 */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "ways.h"

static const char *in_name;
static char bytes[20000];

/* The bytes of a line "text N": the names are those of the functions that it is written by. */
static const char line[] = "a line of text\n";

#define WRITE(name, turns, size, call)                                                             \
	static ssize_t name(void)                                                                  \
	{                                                                                          \
		FILE *f = fopen("/dev/null", "w");                                                 \
                                                                                                   \
		for (int i = 0; i < (turns); i++)                                                  \
			call;                                                                      \
		return fclose(f) ? -1 : (ssize_t)(turns) * (size);                                 \
	}

WRITE(by_putc, 5000, 1, putc('x', f))
WRITE(by_putc_unlocked, 9000, 1, putc_unlocked('x', f))
WRITE(by_fputs, 1000, 15, fputs(line, f))
WRITE(by_fprintf, 3000, 17, fprintf(f, "%d %s", 7, line))
WRITE(by_fwrite, 3, 20000, fwrite(bytes, 1, sizeof(bytes), f))
WRITE(by_small_fwrite, 500, 7, fwrite(bytes, 7, 1, f))
WRITE(by_fputws, 1000, 8, fputws(L"z\u00e4hlen\n", f))

static ssize_t by_buffer(void)
{
	static char own[100];
	FILE *f = fopen("/dev/null", "w");

	setvbuf(f, own, _IOFBF, sizeof(own));
	for (int i = 0; i < 400; i++)
		fprintf(f, "%5d", i);
	return fclose(f) ? -1 : 2000;
}

#define READ(name, call)                                                                           \
	static ssize_t name(void)                                                                  \
	{                                                                                          \
		FILE *f = fopen(in_name, "r");                                                     \
		char *text = NULL;                                                                 \
		size_t room = 0;                                                                   \
		ssize_t n;                                                                         \
		int number;                                                                        \
                                                                                                   \
		(void)room, (void)number;                                                          \
		call;                                                                              \
		n = ftell(f);                                                                      \
		fclose(f);                                                                         \
		free(text);                                                                        \
		return n;                                                                          \
	}

READ(by_getc, while (getc(f) != EOF))
READ(by_getc_unlocked, while (getc_unlocked(f) != EOF))
READ(by_fgets, while (fgets(bytes, sizeof(bytes), f)))
READ(by_getline, while (getline(&text, &room, f) > 0))
READ(by_fscanf, while (fscanf(f, "%d", &number) == 1))
READ(by_fread, while (fread(bytes, 1, sizeof(bytes), f) > 0))

/* What the kernel gives at two places: up to the end of its page, twice. */
static ssize_t by_fseek(void)
{
	FILE *f = fopen(in_name, "r");
	ssize_t n = 0;

	for (int i = 0; i < 2; i++) {
		fseek(f, 4096 * (2 + i) + 10, SEEK_SET);
		n += getc(f) == EOF ? -10000 : 4096;
	}
	fclose(f);
	return n;
}

static const struct way ways[] = {
	{"by_putc", by_putc, 0, 1},	{"by_putc_unlocked", by_putc_unlocked, 0, 1},
	{"by_fputs", by_fputs, 0, 1},	{"by_fprintf", by_fprintf, 0, 1},
	{"by_fwrite", by_fwrite, 0, 1}, {"by_small_fwrite", by_small_fwrite, 0, 1},
	{"by_fputws", by_fputws, 0, 1}, {"by_buffer", by_buffer, 0, 1},
	{"by_getc", by_getc, 1, 0},	{"by_getc_unlocked", by_getc_unlocked, 1, 0},
	{"by_fgets", by_fgets, 1, 0},	{"by_getline", by_getline, 1, 0},
	{"by_fscanf", by_fscanf, 1, 0}, {"by_fread", by_fread, 1, 0},
	{"by_fseek", by_fseek, 1, 0},
};

static void *write_beside(void *f)
{
	for (int i = 0; i < 20000; i++)
		fprintf(f, "%d %s", i, line);
	return NULL;
}

/* Two threads write to one stream. */
static void write_by_two(void)
{
	FILE *f = fopen("/dev/null", "w");
	pthread_t thread;

	pthread_create(&thread, NULL, write_beside, f);
	write_beside(f);
	pthread_join(thread, NULL);
	fclose(f);
}

int main(int argc, char **argv)
{
	FILE *left;

	if (argc != 2 || !setlocale(LC_ALL, "C.UTF-8"))
		return 2;
	in_name = argv[1];
	call_all(ways, sizeof(ways) / sizeof(ways[0]), 3000);
	write_by_two();
	left = fopen("/dev/null", "w");
	fputs("what exit writes\n", left);
	return 0;
}
