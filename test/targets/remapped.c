/* SPDX-License-Identifier: MIT */
/*
 * remapped.c - runs its own code where it has mapped it a second time.
 *
 * remapped SECONDS: several threads map the program's code again and again, call a function there that takes
 * twice as long as one that they call where the loader has put it, and take the mapping away. Prints the
 * CPU time of both functions and of all, in ns.
 */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS	400000u

static uint64_t bound_ns, in_twin_ns, in_place_ns;
static struct {
	uintptr_t start;
	size_t bytes;
	off_t offset;
} text;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, noclone))
#endif

/* These three use nothing but registers and each other, so they run anywhere. */
static ALONE uint64_t inner(uint64_t n)
{
	uint64_t s = n;

	for (uint64_t i = 0; i < n; i++) {
		s = s * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}

static ALONE uint64_t work_in_twin(uint64_t n)
{
	uint64_t s = inner(2 * n);

	__asm__ volatile("" : "+r"(s));
	return s + 1;
}

static ALONE uint64_t work_in_place(uint64_t n)
{
	uint64_t s = inner(n);

	__asm__ volatile("" : "+r"(s));
	return s + 2;
}

static int find_text(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	uintptr_t code = (uintptr_t)&inner;

	(void)bytes;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || code - start >= p->p_memsz)
			continue;
		text.start = start & ~(uintptr_t)4095;
		text.bytes = start + p->p_filesz - text.start;
		text.offset = (off_t)(p->p_offset & ~(uintptr_t)4095);
		return 1;
	}
	return 0;
}

static void call_there(int fd, uint64_t *spent)
{
	char *twin = mmap(NULL, text.bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, text.offset);
	uint64_t (*f)(uint64_t), before = now(CLOCK_THREAD_CPUTIME_ID);
	uintptr_t at = (uintptr_t)twin + ((uintptr_t)&work_in_twin - text.start);

	if (twin == MAP_FAILED)
		exit(1);
	memcpy(&f, &at, sizeof(f));
	f(ROUNDS);
	*spent += now(CLOCK_THREAD_CPUTIME_ID) - before;
	munmap(twin, text.bytes);
}

static void call_here(uint64_t *spent)
{
	uint64_t before = now(CLOCK_THREAD_CPUTIME_ID);

	work_in_place(ROUNDS);
	*spent += now(CLOCK_THREAD_CPUTIME_ID) - before;
}

static void *run(void *unused)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	uint64_t twin = 0, place = 0;

	while (now(CLOCK_THREAD_CPUTIME_ID) < bound_ns) {
		call_there(fd, &twin);
		call_here(&place);
	}
	close(fd);
	__atomic_fetch_add(&in_twin_ns, twin, __ATOMIC_RELAXED);
	__atomic_fetch_add(&in_place_ns, place, __ATOMIC_RELAXED);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	if (argc != 2)
		return 2;
	bound_ns = (uint64_t)atoi(argv[1]) * 1000000000 / THREADS;
	dl_iterate_phdr(find_text, NULL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%llu %llu %llu\n", (unsigned long long)in_twin_ns, (unsigned long long)in_place_ns,
	       (unsigned long long)now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
