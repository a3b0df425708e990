/* SPDX-License-Identifier: MIT */
/*
 * load_threads.h - how many threads read the files, and how many files each takes at a time.
 *
 * In: files. Out: numbers. For load.c only.
 */
#ifndef LOAD_THREADS_H
#define LOAD_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "pipeline/sources.h"

/* The number of threads; `jobs` is how many the user wants, 0: one for each core if that is worth it. */
size_t load_threads(const struct sources *from, uint64_t jobs);

/* How many files one of several threads reads at a time. */
size_t load_threads_files(const struct sources *from, size_t n_threads);

#endif
