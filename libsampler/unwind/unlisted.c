/* SPDX-License-Identifier: MIT */
/*
 * unlisted.c - remembers what the kernel has said of addresses that the loader does not list.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/subject.h"
#include "base/sys.h"
#include "unwind/module.h"
#include "unwind/unlisted.h"
#include "base/poison.h"

/* ---- mapping --------------------------------------------------------------------------------- */
/*
 * Finds the mapping of an address in /proc/self/maps.
 *
 * In: an address. Out: the mapping's bounds and file. Each line of the text is "START-END
 * PERMISSIONS OFFSET MAJOR:MINOR INODE PATH", all but the inode in hexadecimal.
 */

/* Flags of a query; the first one is a flag of mappings, too. */
#define IS_EXECUTABLE 4u
#define OR_NEXT	      16u /* the next mapping if there is none */
#define OF_FILE	      32u

#define QUERIES_MAX 4096u

/* struct procmap_query of linux/fs.h, which older headers do not have. */
struct query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_bytes, offset, inode;
	uint32_t major, minor, name_bytes, build_id_bytes;
	uint64_t name, build_id;
};

#define QUERY _IOWR('f', 17, struct query)

static char text[4096];

int cps_mapping_open(void)
{
	char path[CPS_SUBJECT_PATH + 8];

	return cps_descriptor_open(cps_subject_path(path, "/maps"), O_RDONLY | O_NONBLOCK, 0);
}

/* ---- one line ------------------------------------------------------------------------------------ */

/* A line as far as it was read. Fields are numbered from 0: start, end, permissions, offset, major, minor,
 * inode. What follows is not looked at. */
struct line {
	uint64_t number[7];
	unsigned field;
	bool is_executable;
};

enum { START, END, PERMISSIONS, OFFSET, MAJOR, MINOR, INODE, FIELDS };

static void take(struct line *l, char c)
{
	static const char behind[FIELDS] = "-   :  "; /* each ends at this character */
	uint64_t base = l->field == INODE ? 10 : 16;

	if (l->field == FIELDS)
		return;
	if (c == behind[l->field])
		l->field++;
	else if (l->field == PERMISSIONS)
		l->is_executable |= c == 'x';
	else
		l->number[l->field] =
			l->number[l->field] * base + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void describe(const struct line *l, struct cps_mapping *m)
{
	m->start = l->number[START];
	m->end = l->number[END];
	m->offset = l->number[OFFSET];
	m->inode = l->number[INODE];
	m->major = l->number[MAJOR];
	m->minor = l->number[MINOR];
	m->is_executable = l->is_executable;
}

/* ---- the text ------------------------------------------------------------------------------------ */

/* What is looked for: the mapping that holds an address; or one of a file. */
struct wish {
	uintptr_t address;
	const struct cps_mapping *file; /* NULL: by address */
	bool (*is_wanted)(const struct cps_mapping *);
};

static bool is_it(const struct wish *wish, const struct cps_mapping *m)
{
	const struct cps_mapping *f = wish->file;

	if (!f)
		return wish->address >= m->start && wish->address < m->end;
	return m->is_executable && m->inode == f->inode && m->major == f->major &&
	       m->minor == f->minor && wish->is_wanted(m);
}

/* Takes the next piece of the text. True: the mapping was found. *goes_on: it may come later. */
static bool take_piece(const struct wish *wish, struct line *line, long n, struct cps_mapping *m,
		       bool *goes_on)
{
	for (long i = 0; i < n; i++) {
		if (text[i] != '\n') {
			take(line, text[i]);
			continue;
		}
		describe(line, m);
		if (line->field >= INODE && is_it(wish, m))
			return true;
		if (!wish->file && m->start > wish->address) {
			*goes_on = false;
			return false;
		}
		*line = (struct line){.field = START};
	}
	return false;
}

static bool read_for(int fd, const struct wish *wish, struct cps_mapping *m)
{
	struct line line = {.field = START};
	bool goes_on = CPS_SYS(lseek, fd, 0, SEEK_SET, 0) == 0;

	for (unsigned total = 0; goes_on && total < CPS_MAPPING_BYTES_MAX;) {
		long n = cps_sys_read(fd, text, sizeof(text));

		if (n <= 0)
			return false;
		if (take_piece(wish, &line, n, m, &goes_on))
			return true;
		total += (unsigned)n;
	}
	return false;
}

bool cps_mapping_read(int fd, uintptr_t address, struct cps_mapping *m)
{
	return read_for(fd, &(struct wish){.address = address}, m);
}

/* ---- the kernel's answers ------------------------------------------------------------------------ */

/* 0, -ENOENT, or another error: the kernel does not know the question. */
static long query(int fd, uintptr_t address, uint64_t flags, struct cps_mapping *m)
{
	struct query q = {.size = sizeof(q), .address = address, .flags = flags};
	long result = CPS_SYS(ioctl, fd, QUERY, &q, 0);

	*m = (struct cps_mapping){.start = q.start,
				  .end = q.end,
				  .offset = q.offset,
				  .inode = q.inode,
				  .major = q.major,
				  .minor = q.minor,
				  .is_executable = q.vma_flags & IS_EXECUTABLE};
	return result;
}

bool cps_mapping_ask(int fd, uintptr_t address, struct cps_mapping *m)
{
	long result = query(fd, address, 0, m);

	if (result == 0 || result == -ENOENT)
		return result == 0;
	return cps_mapping_read(fd, address, m);
}

/* The first executable mapping of the same file for which `is_wanted` is true. */
static bool cps_mapping_of_same_file(int fd, const struct cps_mapping *of,
				     bool (*is_wanted)(const struct cps_mapping *),
				     struct cps_mapping *m)
{
	const struct wish wish = {.file = of, .is_wanted = is_wanted};
	uintptr_t at = 0;
	long result;

	for (unsigned i = 0; i < QUERIES_MAX; i++, at = m->end) {
		result = query(fd, at, OR_NEXT | IS_EXECUTABLE | OF_FILE, m);
		if (result != 0)
			return result != -ENOENT && read_for(fd, &wish, m);
		if (is_it(&wish, m))
			return true;
	}
	return false;
}

/* ---- unlisted -------------------------------------------------------------------------------- */
/*
 * In: addresses. Out: modules, and ranges of generated code. There is one writer, that of the table
 * of modules. Readers take no lock; who reads an entry while it is replaced may miss it, once.
 *
 * Order: an entry's `start` is 0 while its `end` is written. A reader acquires `start`, `end`, and
 * `start` again. If the end is a later one than the start was, it comes with the 0 before it, so
 * that the start is 0 then or another one. If it is the same once more, start and end belong
 * together.
 */

#define RANGES	     64u
#define NOWHERE_BITS 8
#define MOMENT_BITS  12 /* of a time in units of 2^28 ns, a quarter of a second */
#define MOMENT_SHIFT 28

#define COST_SHARE 100u	      /* asking takes a hundredth of the time ... */
#define COST_FIRST 1000000000 /* ... and before, as if so many ns had passed */

/* Generated code; start is 0 in an entry that is not used, or is being written. */
static struct {
	_Atomic uintptr_t start, end;
} ranges[RANGES];
static _Atomic unsigned n_ranges;    /* entries that were ever used */
static unsigned next_range, checked; /* the writer's */

/* Pages where no code was a moment ago, each with the moment. */
static _Atomic uint64_t nowhere[1u << NOWHERE_BITS];

static _Atomic uint64_t first_ns, spent_ns;
static atomic_bool has_twins;

/* ---- what is known ------------------------------------------------------------------------------- */

static bool is_in_range(uintptr_t pc)
{
	unsigned n = atomic_load_explicit(&n_ranges, memory_order_acquire);

	for (unsigned i = 0; i < n; i++) {
		uintptr_t start = atomic_load_explicit(&ranges[i].start, memory_order_acquire);

		if (start && pc >= start &&
		    pc < atomic_load_explicit(&ranges[i].end, memory_order_acquire) &&
		    start == atomic_load_explicit(&ranges[i].start, memory_order_relaxed))
			return true;
	}
	return false;
}

/* Ranges that touch become one, since code is generated into memory that is made executable page by page. */
static void keep_range(uintptr_t start, uintptr_t end)
{
	unsigned i, n = atomic_load(&n_ranges);

	for (i = 0; i < n; i++) {
		uintptr_t s = atomic_load(&ranges[i].start), e = atomic_load(&ranges[i].end);

		if (s && start <= e && s <= end) {
			start = s < start ? s : start;
			end = e > end ? e : end;
			break;
		}
	}
	if (i == n)
		i = next_range++ % RANGES;
	atomic_store(&ranges[i].start, 0);
	atomic_store(&ranges[i].end, end);
	atomic_store(&ranges[i].start, start);
	if (i >= n)
		atomic_store(&n_ranges, i + 1);
}

static uint32_t find_twin(uintptr_t pc)
{
	uint32_t number = CPS_MODULE_NONE;

	if (atomic_load_explicit(&has_twins, memory_order_relaxed))
		number = cps_module_find(pc);
	return number != CPS_MODULE_NONE && cps_module_get(number)->twin_of ? number
									    : CPS_MODULE_NONE;
}

static _Atomic uint64_t *nowhere_of(uintptr_t pc, uint64_t *value)
{
	uint64_t page = pc >> MOMENT_BITS;

	*value =
		page << MOMENT_BITS | (cps_moment_ns() >> MOMENT_SHIFT & ((1u << MOMENT_BITS) - 1));
	return &nowhere[page * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NOWHERE_BITS)];
}

/* ---- asking -------------------------------------------------------------------------------------- */

static bool may_ask(uint64_t now)
{
	uint64_t first = atomic_load_explicit(&first_ns, memory_order_relaxed);

	if (!first) {
		first = now - COST_FIRST;
		atomic_store(&first_ns, first);
	}
	/* Under a filter of system calls nothing is asked that it may forbid. */
	return cps_copy_is_safe() &&
	       atomic_load_explicit(&spent_ns, memory_order_relaxed) < (now - first) / COST_SHARE;
}

static bool is_listed_code(const struct cps_mapping *m)
{
	uint32_t number = cps_module_find(m->start);

	return number != CPS_MODULE_NONE && !cps_module_get(number)->twin_of;
}

/* The virtual address of what lies at that offset of the module's file. */
static bool find_vaddr(const struct cps_module *m, uint64_t offset, uintptr_t *vaddr)
{
	for (uint32_t i = 0; i < m->n_segments; i++) {
		const struct cps_segment *s = &m->segments[i];

		if (offset - (s->file_offset & ~UINT64_C(4095)) < s->file_bytes) {
			*vaddr = offset - s->file_offset + s->vaddr;
			return true;
		}
	}
	return false;
}

/* A mapping of a file that the loader lists elsewhere. False: it is none. */
static bool enter_twin(int fd, const struct cps_mapping *m)
{
	struct cps_mapping listed;
	uint32_t number;
	uintptr_t vaddr;

	if (!m->inode || !cps_mapping_of_same_file(fd, m, is_listed_code, &listed))
		return false;
	number = cps_module_find(listed.start);
	if (number == CPS_MODULE_NONE || !find_vaddr(cps_module_get(number), m->offset, &vaddr) ||
	    !cps_module_table_enter_twin(number, m->start, m->end, vaddr))
		return false;
	atomic_store(&has_twins, true);
	return true;
}

/* Learns what lies at the address. The caller is the writer. */
static void learn(int fd, uintptr_t pc)
{
	struct cps_mapping m;
	uint64_t value;
	_Atomic uint64_t *none = nowhere_of(pc, &value);

	if (!cps_mapping_ask(fd, pc, &m) || !m.is_executable)
		atomic_store_explicit(none, value, memory_order_relaxed);
	else if (!is_listed_code(&m) && !enter_twin(fd, &m))
		keep_range(m.start, m.end);
}

/* Calls `learn` as the writer. False: it is not the time to ask. */
static bool ask(void (*question)(int fd, uintptr_t pc), uintptr_t pc)
{
	uint64_t before = cps_moment_ns();
	int fd;

	if (!may_ask(before) || !cps_module_table_try())
		return false;
	fd = cps_mapping_open();
	if (fd >= 0) {
		question(fd, pc);
		cps_sys_close(fd);
	}
	cps_module_table_release();
	atomic_fetch_add(&spent_ns, cps_moment_ns() - before);
	return fd >= 0;
}

uint32_t cps_unlisted_find(uintptr_t pc)
{
	uint32_t number = find_twin(pc);
	uint64_t value;

	if (number != CPS_MODULE_NONE || is_in_range(pc) || pc < 4096 ||
	    atomic_load_explicit(nowhere_of(pc, &value), memory_order_relaxed) == value)
		return number;
	return ask(learn, pc) ? find_twin(pc) : CPS_MODULE_NONE;
}

bool cps_unlisted_is_code(uintptr_t pc)
{
	return is_in_range(pc) || (cps_module_find(pc) == CPS_MODULE_NONE &&
				   (cps_unlisted_find(pc) != CPS_MODULE_NONE || is_in_range(pc)));
}

/* ---- checking ------------------------------------------------------------------------------------ */

/* The twin that is looked at by this call, of those that are met; the writer's. Before version 6.11 of the
 * kernel each takes as long as its list is. */
static struct {
	int fd;
	unsigned next, met;
} twins;

static bool is_gone(const struct cps_module *m)
{
	struct cps_mapping now;
	uintptr_t vaddr;

	return m->twin_of && twins.met++ == twins.next &&
	       (!cps_mapping_ask(twins.fd, m->start, &now) || !now.is_executable || !now.inode ||
		!find_vaddr(m, now.offset, &vaddr) || now.start - vaddr != m->bias);
}

static void check(int fd, uintptr_t pc)
{
	unsigned n = atomic_load(&n_ranges), i = n ? checked++ % n : 0;
	uintptr_t start = atomic_load(&ranges[i].start);
	struct cps_mapping now;

	(void)pc;
	twins.fd = fd;
	twins.met = 0;
	cps_module_table_drop(is_gone);
	twins.next = twins.next + 1 < twins.met ? twins.next + 1 : 0;
	if (start && (!cps_mapping_ask(fd, start, &now) || !now.is_executable))
		atomic_store(&ranges[i].start, 0);
}

void cps_unlisted_check(void)
{
	if (atomic_load_explicit(&has_twins, memory_order_relaxed) || atomic_load(&n_ranges))
		ask(check, 0);
}
