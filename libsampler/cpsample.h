/* SPDX-License-Identifier: MIT */
/*
 * cpsample.h - lets a program choose which part of its run is recorded.
 *
 * Include it and call its functions; nothing needs to be linked. Under LD_PRELOAD=libcpsample.so
 * the calls reach the recorder; without it they do nothing. They may be made from any thread and in
 * signal handlers, and do not change errno. They are macros: do not take their addresses.
 */
#ifndef CPSAMPLE_H
#define CPSAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Record from here on, in all threads, if recording was stopped. */
void cpsample_start(void);

/* Do not record from here on, in any thread. CPU time that is used until cpsample_start is not
 * credited to anything. When this returns, all that was recorded so far is in the file. */
void cpsample_stop(void);

/* Note the moment in the recording under this name, of which 1,000 bytes are kept. cpconv --info
 * lists the marks. */
void cpsample_mark(const char *name);

/* Count n of what the name says: void cpsample_count(const char *name, unsigned long long n). With the
 * resource `count` (cpsample --resource cpu,count) that is a resource of the recording, such as requests,
 * and samples say on which call paths they were counted. Each call should have the same name whenever
 * it is executed. 63 bytes of it are kept, and 12 names. Counting costs about 2 ns. */

/* What cpsample_count calls: the counter of that name; count n of it. */
unsigned cpsample_counter(const char *name);
void cpsample_add(unsigned counter, unsigned long long n);

#ifdef __cplusplus
}
#endif

/*
 * A weak symbol that no library defines has the address 0. For a program that is linked with
 * -no-pie the linker decides that at once, unless the address is read from the global offset table
 * and from nowhere else: only then is the dynamic loader asked. Compilers do not do that for such a
 * program, so it is done here in assembly.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#define CPSAMPLE_FIND(name, found)                                                                 \
	__asm__(".weak " #name "\n\t"                                                              \
		"{movq " #name "@GOTPCREL(%%rip), %0|mov %0, qword ptr " #name "@GOTPCREL[rip]}"   \
		: "=r"(found))
#else
#pragma weak cpsample_start
#pragma weak cpsample_stop
#pragma weak cpsample_mark
#pragma weak cpsample_counter
#pragma weak cpsample_add
#define CPSAMPLE_FIND(name, found) ((found) = (name))
#endif

static __inline__ void cpsample_call_start(void)
{
	void (*found)(void);

	CPSAMPLE_FIND(cpsample_start, found);
	if (found)
		found();
}

static __inline__ void cpsample_call_stop(void)
{
	void (*found)(void);

	CPSAMPLE_FIND(cpsample_stop, found);
	if (found)
		found();
}

static __inline__ void cpsample_call_mark(const char *name)
{
	void (*found)(const char *);

	CPSAMPLE_FIND(cpsample_mark, found);
	if (found)
		found(name);
}

static __inline__ void cpsample_call_count(const char *name, unsigned long long n,
					   unsigned *counter)
{
	unsigned (*find)(const char *);
	void (*add)(unsigned, unsigned long long);

	CPSAMPLE_FIND(cpsample_add, add);
	if (!add)
		return;
	if (!*counter) {
		CPSAMPLE_FIND(cpsample_counter, find);
		*counter = find(name);
	}
	add(*counter, n);
}

#define cpsample_start()    cpsample_call_start()
#define cpsample_stop()	    cpsample_call_stop()
#define cpsample_mark(name) cpsample_call_mark(name)

#define cpsample_count(name, n)                                                                    \
	do {                                                                                       \
		static unsigned cpsample_here;                                                     \
		cpsample_call_count(name, n, &cpsample_here);                                      \
	} while (0)

#endif
