/* SPDX-License-Identifier: MIT */
/*
 * registered.c - runs generated code that has no frame pointers, and registers its unwind information with
 * libgcc as just-in-time compilers do.
 *
 * 	registered MODE MS
 *
 * frame, info, table: by __register_frame, __register_frame_info, __register_frame_table
 * replace:            again and again, with frames of another size at the same place
 * storm:              while another thread registers and deregisters other code all the time
 * late:               after the code has run for a third of that time
 * gone:               and makes that information unreadable at once, which it must not do
 *
 * run() calls generated code, that calls relay(), that calls generated code, that calls work(). Each time
 * libgcc is asked whether it knows the code.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

#define PAGE 4096u

void __register_frame(void *begin);
void __register_frame_info(const void *begin, void *object);
void __register_frame_table(void *table);
void __deregister_frame(void *begin);
void *__deregister_frame_info(const void *begin);
const void *_Unwind_Find_FDE(void *pc, void *bases);

typedef void (*generated)(unsigned long times, void (*f)(void));

static volatile uint64_t sink;
static generated outer, inner;
static atomic_bool is_over;

static __attribute__((noinline)) void work(void)
{
	sink = burn(sink + 1, BURN_LONG / 8);
}

static __attribute__((noinline)) void relay(void)
{
	inner(2, work);
	sink++;
}

static __attribute__((noinline)) void run(uint64_t ms)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		outer(1, relay);
	sink++;
}

/* ---- code and its description -------------------------------------------------------------------- */

static const unsigned char code[] = {
	0x53,			      /*	push %rbx */
	0x55,			      /*	push %rbp */
	0x48, 0x81, 0xec, 0, 0, 0, 0, /* sub $FRAME, %rsp */
	0x48, 0x89, 0xfb,	      /*	mov %rdi, %rbx */
	0x48, 0x89, 0xf5,	      /*	mov %rsi, %rbp */
	0xb9, 0,    0,	  0, 0,	      /* 1:	mov $TURNS, %ecx */
	0xff, 0xc9,		      /* 2:	dec %ecx */
	0x75, 0xfc,		      /*	jne 2b */
	0xff, 0xd5,		      /*	call *%rbp */
	0x48, 0xff, 0xcb,	      /*	dec %rbx */
	0x75, 0xf0,		      /*	jne 1b */
	0x48, 0x81, 0xc4, 0, 0, 0, 0, /* add $FRAME, %rsp */
	0x5d,			      /*	pop %rbp */
	0x5b,			      /*	pop %rbx */
	0xc3,			      /*	ret */
};

enum { AFTER_SUB = 9, TURNS = 16, AFTER_LOOP = 31, LENGTH = 41 };

/* Version 1, "zR", factors 1 and -8, return address in register 16; CFA = rsp + 8, which lies behind it */
static const unsigned char cie[] = {20, 0,    0,  0, 0, 0,    0, 0, 1,	  'z', 'R', 0,
				    1,	0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1,   0,   0};

static generated generate(unsigned char *at, uint32_t frame, uint32_t turns)
{
	_Static_assert(sizeof(code) == LENGTH, "as the numbers say");
	memcpy(at, code, LENGTH);
	memcpy(at + AFTER_SUB - 4, &frame, 4);
	memcpy(at + TURNS, &turns, 4);
	memcpy(at + AFTER_LOOP + 3, &frame, 4);
	return (generated)(uintptr_t)at;
}

/* Both numbers have two bytes as LEB128. */
static unsigned char *put_cfa_offset(unsigned char *p, uint32_t offset)
{
	*p++ = 0x0e;
	*p++ = (unsigned char)(offset | 0x80);
	*p++ = (unsigned char)(offset >> 7);
	return p;
}

/* The description of one function. Its CIE is at the beginning of the section. */
static unsigned char *describe(unsigned char *p, const unsigned char *section, generated f,
			       uint32_t frame)
{
	const uint64_t range[2] = {(uintptr_t)f, LENGTH};
	const uint32_t head[2] = {44, (uint32_t)(p + 4 - section)};
	unsigned char *start = p;

	memcpy(p, head, 8);
	memcpy(p + 8, range, 16);
	p += 24;
	*p++ = 0; /* augmentation */
	memcpy(p, "\x41\x0e\x10\x83\x02\x41\x0e\x18\x86\x03\x47", 11);
	p = put_cfa_offset(p + 11, 24 + frame);
	*p++ = 0x40 | (AFTER_LOOP + 7 - AFTER_SUB);
	memcpy(p, "\x0e\x18\x41\x0e\x10\x41\x0e\x08", 8);
	memset(p + 8, 0, (size_t)(start + 48 - (p + 8)));
	return start + 48;
}

/* The section ends where its memory does. */
static unsigned char *write_section(unsigned char *page, uint32_t frame)
{
	unsigned char *section = page + PAGE - sizeof(cie) - 2 * 48 - 4, *p = section;

	memcpy(p, cie, sizeof(cie));
	p = describe(p + sizeof(cie), section, inner, frame + 16);
	p = describe(p, section, outer, frame);
	memset(p, 0, 4);
	return section;
}

static unsigned char *map(int protection)
{
	unsigned char *pages = mmap(NULL, 2 * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		exit(77);
	return pages;
}

/* ---- modes --------------------------------------------------------------------------------------- */

static void check(int is_known)
{
	void *bases[3];

	if (!!_Unwind_Find_FDE((char *)(uintptr_t)inner + 20, bases) == is_known)
		return;
	fprintf(stderr, "libgcc %s\n",
		is_known ? "does not know the code" : "still knows the code");
	exit(1);
}

static void run_by(const char *mode, uint64_t ms, unsigned char *section)
{
	void *table[2] = {section, NULL};
	uint64_t object[16];
	int is_info = strcmp(mode, "info") == 0, is_table = strcmp(mode, "table") == 0;

	if (is_info)
		__register_frame_info(section, object);
	else if (is_table)
		__register_frame_table(table);
	else
		__register_frame(section);
	check(1);
	run(ms);
	if (is_info && __deregister_frame_info(section) != object)
		exit(1);
	if (!is_info)
		__deregister_frame(is_table ? (void *)table : (void *)section);
	check(0);
}

static void replace(uint64_t ms, unsigned char *pages)
{
	for (uint32_t done = 0; done < ms; done += 20) {
		uint32_t frame = 136 + done % 7 * 64;
		unsigned char *page = map(PROT_READ | PROT_WRITE);

		outer = generate(pages, frame, 1);
		inner = generate(pages + 512, frame + 16, 3000000);
		run_by("frame", 20, write_section(page, frame));
		munmap(page, 2 * PAGE);
	}
}

static void *storm(void *unused)
{
	unsigned char *pages = map(PROT_READ | PROT_WRITE), *page;

	for (unsigned long i = 0; !is_over; i++) {
		unsigned char *section;

		page = map(PROT_READ | PROT_WRITE);
		section = page + i % 64 * 8;
		memcpy(section, cie, sizeof(cie));
		describe(section + sizeof(cie), section, (generated)(uintptr_t)(pages + i % 4000),
			 136);
		__register_frame(section);
		__deregister_frame(section);
		munmap(page, 2 * PAGE);
	}
	return unused;
}

static void gone(uint64_t ms, unsigned char *page)
{
	__register_frame(write_section(page, 136));
	mprotect(page, PAGE, PROT_NONE);
	run(ms);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "frame";
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
	unsigned char *pages = map(PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned char *page = map(PROT_READ | PROT_WRITE);
	pthread_t thread;

	outer = generate(pages, 136, 1);
	inner = generate(pages + 512, 152, 3000000);
	if (strcmp(mode, "replace") == 0) {
		replace(ms, pages);
	} else if (strcmp(mode, "gone") == 0) {
		gone(ms, page);
	} else {
		if (strcmp(mode, "storm") == 0 && pthread_create(&thread, NULL, storm, NULL))
			return 77;
		if (strcmp(mode, "late") == 0)
			run(ms / 3);
		run_by(mode, ms, write_section(page, 136));
		is_over = true;
		if (strcmp(mode, "storm") == 0)
			pthread_join(thread, NULL);
	}
	puts("done");
	return 0;
}
