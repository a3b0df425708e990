/* SPDX-License-Identifier: MIT */
/*
 * events.c - makes events of one kind, and says what CPU time they took.
 *
 * events KIND N [FIRST]
 *
 * Makes FIRST events that do not count, then N; then prints N and the nanoseconds of CPU time that
 * its thread took for these. The table at the end of this file has the kinds.
 */
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../libsampler/cpsample.h"

#define WAIT_US 100
#define PAGE	4096

static int zero = -1, null = -1;
static FILE *stream;
static char bytes[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_wanted, is_held;
static volatile uintptr_t sink; /* what must not be left out by the compiler */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void start(void *(*work)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL) || pthread_detach(thread))
		die("pthread_create");
}

/* ---- one loop for each kind --------------------------------------------------------------------- */
static void count(long n)
{
	while (n--)
		cpsample_count("events", 1);
}

static void allocate(long n)
{
	while (n--) {
		char *block = malloc(16 + (size_t)n % 256);

		sink = (uintptr_t)block;
		free(block);
	}
}

static void fault(long n)
{
	char *pages = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	madvise(pages, (size_t)n * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		pages[i * PAGE] = 1;
	munmap(pages, (size_t)n * PAGE);
}

static void read_some(long n, size_t size)
{
	while (n--)
		if (read(zero, bytes, size) != (ssize_t)size)
			die("read");
}

static void read_byte(long n)
{
	read_some(n, 1);
}

static void read_bytes(long n)
{
	read_some(n, sizeof(bytes));
}

static void write_bytes(long n)
{
	while (n--)
		if (write(null, bytes, sizeof(bytes)) != sizeof(bytes))
			die("write");
}

static void get_byte(long n)
{
	while (n--)
		sink = (uintptr_t)fgetc(stream);
}

static void poll_ready(long n)
{
	struct pollfd ready = {.fd = zero, .events = POLLIN};

	while (n--)
		if (poll(&ready, 1, -1) != 1)
			die("poll");
}

static void wait_a_bit(long n)
{
	const struct timespec bit = {0, WAIT_US * 1000};

	while (n--)
		ppoll(NULL, 0, &bit, NULL);
}

static void lock(long n)
{
	while (n--) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* A program of several threads has other locks: the C library leaves out their atomic instructions in
 * a program of one. */
static void lock_beside_another(long n)
{
	static int is_there;

	if (!is_there++)
		start(sleeper);
	lock(n);
}

/* Holds the mutex for some time whenever it is asked to. */
static void *holder(void *unused)
{
	for (;;) {
		sem_wait(&is_wanted);
		pthread_mutex_lock(&mutex);
		sem_post(&is_held);
		wait_a_bit(1);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void wait_for_lock(long n)
{
	static int is_there;

	if (!is_there++)
		start(holder);
	while (n--) {
		sem_post(&is_wanted);
		while (sem_wait(&is_held))
			;
		lock(1);
	}
}

static void call(long n)
{
	while (n--)
		sink = (uintptr_t)gnu_get_libc_version();
}

static void compute(long n)
{
	uintptr_t x = 1;

	while (n--)
		for (int i = 0; i < 1000; i++)
			x = x * 2862933555777941757u + 3037000493u;
	sink = x;
}

static const struct kind {
	const char *name;
	void (*make)(long n);
} kinds[] = {
	{"count", count},		/* a call of cpsample_count */
	{"malloc", allocate},		/* malloc of 16 to 271 bytes, and free */
	{"fault", fault},		/* the first write to a page of new memory */
	{"read1", read_byte},		/* read of one byte of /dev/zero */
	{"read64", read_bytes},		/* read of 64 bytes of /dev/zero */
	{"write64", write_bytes},	/* write of 64 bytes to /dev/null */
	{"fgetc", get_byte},		/* fgetc of a stream */
	{"poll", poll_ready},		/* poll of a descriptor that is ready */
	{"wait", wait_a_bit},		/* ppoll of nothing for 0.1 ms */
	{"lock", lock},			/* lock and unlock, in a program of one thread */
	{"lock2", lock_beside_another}, /* the same in a program of two */
	{"waited", wait_for_lock}, /* the same, after another thread has held the lock for 0.1 ms */
	{"call", call},		   /* gnu_get_libc_version, through the linkage table */
	{"compute", compute},	   /* a thousand multiplications */
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static void open_files(void)
{
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	stream = fopen("/dev/zero", "re");
	if (zero < 0 || null < 0 || !stream)
		die("open");
	sem_init(&is_wanted, 0, 0);
	sem_init(&is_held, 0, 0);
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc > 2 ? kind_of(argv[1]) : NULL;
	long n = kind ? atol(argv[2]) : 0;
	uint64_t begin;

	if (n <= 0)
		return 2;
	open_files();
	kind->make(argc > 3 ? atol(argv[3]) : 1);
	begin = used_ns();
	kind->make(n);
	begin = used_ns() - begin;
	printf("%ld %llu\n", n, (unsigned long long)begin);
	return 0;
}
