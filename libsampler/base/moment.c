/* SPDX-License-Identifier: MIT */
/*
 * moment.c - finds clock_gettime in the vDSO, and calls it.
 *
 * In: the vDSO. Out: the time. The C library's clock_gettime would do the same, but a target may
 * define another function of that name, which the loader would find first (doc/decisions/0008).
 *
 * Order: the function's address leads to code of the kernel's, which was there before this process.
 */
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/moment.h"
#include "base/sys.h"
#include "base/poison.h"

typedef int clock_function(clockid_t clock, struct timespec *t);

static _Atomic(clock_function *) in_vdso;
static atomic_bool is_forbidden;

struct symbols {
	const ElfW(Sym) * table;
	const char *names;
	const uint32_t *hash; /* its second word is the number of symbols */
};

static void take(struct symbols *s, const ElfW(Dyn) * d, uintptr_t bias)
{
	for (; d->d_tag != DT_NULL; d++) {
		const void *where = (const void *)(bias + d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			s->table = where;
		if (d->d_tag == DT_STRTAB)
			s->names = where;
		if (d->d_tag == DT_HASH)
			s->hash = where;
	}
}

/* The vDSO comes from the kernel, so its headers are trusted without checks. */
static clock_function *find(uintptr_t vdso)
{
	const ElfW(Ehdr) *e = (const void *)vdso;
	const ElfW(Phdr) *p = (const void *)(vdso + e->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;
	struct symbols s = {0};
	uintptr_t bias = 0;

	for (size_t i = e->e_phnum; i-- > 0;)
		if (p[i].p_type == PT_LOAD) /* the first one's stays */
			bias = vdso + p[i].p_offset - p[i].p_vaddr;
	for (size_t i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(bias + p[i].p_vaddr);
	if (dynamic)
		take(&s, dynamic, bias);
	for (uint32_t i = 0; s.table && s.names && s.hash && i < s.hash[1]; i++)
		if (s.table[i].st_value &&
		    strcmp(s.names + s.table[i].st_name, CPS_VDSO_CLOCK_GETTIME) == 0)
			return (clock_function *)(bias + s.table[i].st_value);
	return NULL;
}

void cps_moment_prepare(uintptr_t vdso)
{
	int mode = PR_TSC_ENABLE;

	CPS_SYS(prctl, PR_GET_TSC, &mode, 0, 0); /* fork and exec pass this mode on */
	atomic_store(&is_forbidden, mode != PR_TSC_ENABLE);
	atomic_store(&in_vdso, vdso && mode == PR_TSC_ENABLE ? find(vdso) : NULL);
}

void cps_moment_ask_kernel(void)
{
	atomic_store(&is_forbidden, true);
	atomic_store(&in_vdso, NULL);
}

bool cps_moment_is_forbidden(void)
{
	return atomic_load_explicit(&is_forbidden, memory_order_relaxed);
}

uint64_t cps_moment_ns(void)
{
	clock_function *f = atomic_load_explicit(&in_vdso, memory_order_relaxed);
	struct timespec t;

	if (!f || f(CLOCK_MONOTONIC, &t) != 0)
		return cps_sys_clock_ns(CLOCK_MONOTONIC);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
