/* SPDX-License-Identifier: MIT */
/*
 * load_threads.c - divides files among threads.
 *
 * In: files. Out: how many threads, how many files at a time.
 */
#include "pipeline/load_threads.h"

#include <sys/resource.h>

#include "pipeline/worker_pool.h"

/* Fewer bytes are read in less time than threads take to start. */
#define BYTES_FOR_THREADS 65536u
/* A part that a thread reads at a time has at most so many bytes and files, if files are small. */
#define BYTES_AT_A_TIME 65536u
#define FILES_AT_A_TIME 32u

/* Each thread may have two files open, and the process needs other descriptors, too. */
static size_t descriptors_suffice_for(size_t n_threads)
{
	struct rlimit limit;
	size_t most = 1;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / 4 >= n_threads + 4)
		return n_threads;
	if (limit.rlim_cur / 4 > 4)
		most = limit.rlim_cur / 4 - 4;
	return most < n_threads ? most : n_threads;
}

size_t load_threads(const struct sources *from, uint64_t jobs)
{
	size_t n = jobs ? jobs : worker_pool_cores();

	if (from->is_read_once_only || (!jobs && from->bytes < BYTES_FOR_THREADS))
		return 1;
	return descriptors_suffice_for(n < from->n ? n : from->n);
}

size_t load_threads_files(const struct sources *from, size_t n_threads)
{
	size_t fair = from->n / (4 * n_threads), n = FILES_AT_A_TIME;

	if (from->bytes / BYTES_AT_A_TIME >= from->n / FILES_AT_A_TIME)
		n = (size_t)(BYTES_AT_A_TIME * (uint64_t)from->n / (from->bytes + 1));
	n = n < fair ? n : fair;
	return n ? n : 1;
}
