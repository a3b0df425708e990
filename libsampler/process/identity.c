/* SPDX-License-Identifier: MIT */
/*
 * identity.c - reads what the kernel knows of this process.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/sys.h"
#include "process/config.h"
#include "process/identity.h"
#include "stream/recode.h"
#include "unwind/elf_memory.h"
#include "format.h"

/* ---- identity -------------------------------------------------------------------------------- */
/*
 * In: /proc/self, clocks. Out: struct cps_identity. The memory is the recorder's own, so that the
 * target's allocator is not disturbed.
 */

#define ARGS_BYTES (64u << 10) /* of the command line; the rest is cut off */

static const char *read_exe(void)
{
	char path[4096];
	long n = CPS_SYS(readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path));
	const char *said = (const char *)getauxval(AT_EXECFN), *kept = NULL;

	if (n > 0)
		kept = cps_arena_copy(path, (size_t)n);
	else if (said)
		kept = cps_arena_copy(said, strlen(said));
	return kept ? kept : ""; /* a program may leave no memory for it */
}

static const char *read_cwd(void)
{
	char path[4096];
	long n = CPS_SYS(getcwd, path, sizeof(path), 0, 0);

	/* A directory that was removed or is out of reach has no absolute name. */
	return n > 1 && path[0] == '/' ? cps_arena_copy(path, (size_t)n - 1) : NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *cps_identity_name(const struct cps_identity *identity)
{
	return last_part(identity->started_as ? identity->started_as : identity->exe);
}

/* The paths of "/dev/fd/3" are the kernel's, for programs that are executed by a descriptor. */
static bool is_link(const char *path, const char *exe)
{
	struct stat a, b;

	return strcmp(last_part(path), last_part(exe)) != 0 && *last_part(path) &&
	       strncmp(path, "/dev/fd/", 8) != 0 &&
	       CPS_SYS(newfstatat, AT_FDCWD, path, &a, 0) == 0 &&
	       CPS_SYS(newfstatat, AT_FDCWD, "/proc/self/exe", &b, 0) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The kernel knows by which path the program was executed. If that is a link with another name, such as
 * redis-server to redis-check-rdb, it is what people call the program. The interpreter of a script
 * is not the file at that path. */
static const char *read_started_as(const char *exe, const char *cwd)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	char absolute[4096];
	size_t n, m;

	if (!path || !is_link(path, exe))
		return NULL;
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	m = strlen(path);
	if (path[0] == '/')
		return cps_arena_copy(path, m);
	n = cwd ? strlen(cwd) : 0;
	if (n + 1 + m > sizeof(absolute))
		return NULL;
	memcpy(absolute, cwd ? cwd : "", n);
	absolute[n] = '/';
	memcpy(absolute + n + 1, path, m);
	return cwd ? cps_arena_copy(absolute, n + 1 + m) : cps_arena_copy(path, m);
}

static void read_args(struct cps_identity *identity)
{
	static char *bytes; /* a process that is attached to reads them again */
	int fd = cps_descriptor_open("/proc/self/cmdline", O_RDONLY, 0);
	size_t used = 0, i = 0;
	long n;

	identity->n_args = 0;
	if (fd < 0)
		return;
	if (!bytes)
		bytes = cps_arena_pages(ARGS_BYTES);
	while (bytes && used < ARGS_BYTES - 1 &&
	       (n = cps_sys_read(fd, bytes + used, ARGS_BYTES - 1 - used)) > 0)
		used += (size_t)n;
	cps_sys_close(fd);
	if (bytes)
		bytes[used] = '\0';
	if (cps_config_is_attached()) /* a program that has written its title there leaves empty ones behind it */
		while (used > 1 && !bytes[used - 1] && !bytes[used - 2])
			used--;
	for (size_t k = 0; k < used; k += strlen(bytes + k) + 1)
		i++;
	identity->args = cps_arena_take(i * sizeof(char *));
	if (!identity->args)
		return;
	for (size_t k = 0; k < used; k += strlen(bytes + k) + 1)
		identity->args[identity->n_args++] = bytes + k;
}

void cps_identity_start(struct cps_identity *identity)
{
	identity->start_ns = cps_sys_clock_ns(CLOCK_REALTIME);
	identity->start_monotonic_ns = cps_sys_clock_ns(CLOCK_MONOTONIC);
	identity->cpu_before_ns = cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	identity->children_before_ns = cps_sys_children_ns(0);
}

/* When the process was made, on the clock that says `now`; 0: not known. */
static uint64_t read_begin(uint64_t now)
{
	uint64_t per_second = getauxval(AT_CLKTCK), up = cps_sys_clock_ns(CLOCK_BOOTTIME);
	uint64_t parent, start = 0;

	if (!per_second || !cps_lineage_read(cps_sys_getpid(), &parent, &start))
		return 0;
	start = start / per_second * 1000000000 + start % per_second * 1000000000 / per_second;
	return start < up ? now - (up - start) : 0;
}

void cps_identity_read(struct cps_identity *identity)
{
	const uint64_t *random = (const void *)getauxval(AT_RANDOM);

	cps_identity_start(identity);
	identity->ppid = (uint64_t)CPS_SYS(getppid, 0, 0, 0, 0);
	identity->exe = read_exe();
	identity->cwd = read_cwd();
	identity->started_as = read_started_as(identity->exe, identity->cwd);
	identity->seen_as = (uint64_t)cps_config_seen_as();
	if (identity->seen_as)
		identity->ppid = 0; /* known by another number as well */
	identity->began_ns = cps_config_is_attached() ? read_begin(identity->start_ns) : 0;
	identity->journal_id = (random ? *random : 0) ^ identity->start_ns;
	read_args(identity);
}

/* ---- what the recording says ----------------------------------------------------------------- */
/*
 * Fills in what the process record says of resources.
 *
 * In: the clock, the table of resources. Out: fields of the identity.
 */

void cps_describe(struct cps_identity *identity, const struct cps_clock *clock,
		  const struct cps_clock_settings *settings)
{
	identity->resource = clock->resource;
	identity->unit = clock->unit;
	identity->engine = clock->name;
	identity->scale = clock->meter->scale;
	identity->interval = cps_clock_interval(clock, settings);
	cps_columnar_set_interval(identity->interval);
}

/* ---- own memory ------------------------------------------------------------------------------ */
/*
 * Marks the memory of the recorded process.
 *
 * The number of a process does not tell it from its child: in a new namespace a child is process 1,
 * as its parent may be that of another one. So there is also a page that the kernel clears in a
 * child with memory of its own (MADV_WIPEONFORK, since Linux 4.14).
 *
 * Order: both are set before the recording begins, and looked at by who has acquired that (process_life.c).
 */

#define BYTES 4096

static int recorded_pid;
static _Atomic int *mark; /* not 0 in the recorded process; NULL: the kernel does not clear pages */

static _Atomic int *new_mark(void)
{
	void *page = cps_sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (page && CPS_SYS(madvise, page, BYTES, MADV_WIPEONFORK, 0) != 0) {
		cps_sys_munmap(page, BYTES);
		page = NULL;
	}
	return page;
}

void cps_own_memory_begin(void)
{
	recorded_pid = cps_sys_getpid();
	if (!mark)
		mark = new_mark();
	if (mark)
		atomic_store(mark, 1);
}

/* Whether this is a child of vfork, which has our memory. The C library gives each thread a list of
 * robust mutexes, of which such a child has none; nor has a thread made by a bare clone(2). */
static bool has_no_thread_of_its_own(void)
{
	void *list = NULL;
	size_t bytes;

	return CPS_SYS(get_robust_list, 0, &list, &bytes, 0) == 0 && !list;
}

bool cps_own_memory_is_here(void)
{
	if (cps_sys_getpid() != recorded_pid || (mark && !atomic_load(mark)))
		return false;
	/* A child in a new namespace is process 1, as we are. */
	return recorded_pid != 1 || !has_no_thread_of_its_own();
}

bool cps_own_memory_is_copy(void)
{
	return mark ? !atomic_load(mark) : cps_sys_getpid() != recorded_pid;
}

int cps_own_memory_pid(void)
{
	return recorded_pid;
}

/* ---- go runtime ------------------------------------------------------------------------------ */
/*
 * In: the notes of all files that are loaded. Out: whether one of them is the build id that Go's
 * linker writes. Programs, shared objects and stripped files have it.
 */

#define GO_BUILD_ID 4

static int look(struct dl_phdr_info *file, size_t bytes, void *unused)
{
	(void)bytes;
	(void)unused;
	for (size_t i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &file->dlpi_phdr[i];
		uint8_t note[CPS_ELF_NOTE_MAX];
		size_t n = p->p_memsz < sizeof(note) ? p->p_memsz : sizeof(note);
		uint32_t any = UINT32_MAX;

		/* Copied, because a damaged header may point anywhere. */
		if (p->p_type == PT_NOTE && cps_copy(note, file->dlpi_addr + p->p_vaddr, n) &&
		    cps_elf_memory_note(note, n, GO_BUILD_ID, "Go\0", &any))
			return 1;
	}
	return 0;
}

bool cps_go_runtime_is_here(void)
{
	return dl_iterate_phdr(look, NULL) != 0;
}

/* The program is the first of all files. */
static int look_at_program(struct dl_phdr_info *file, size_t bytes, void *unused)
{
	return look(file, bytes, unused) ? 1 : -1;
}

bool cps_go_runtime_is_program(void)
{
	return dl_iterate_phdr(look_at_program, NULL) == 1;
}
