/* SPDX-License-Identifier: MIT */
/*
 * mapping.c - finds the mapping of an address in /proc/self/maps.
 *
 * In: an address. Out: the mapping's bounds and file. Each line of the text is
 * "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH", all but the inode in hexadecimal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "base/descriptor.h"
#include "base/sys.h"
#include "unwind/mapping.h"
#include "base/poison.h"

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
	return cps_descriptor_open("/proc/self/maps", O_RDONLY | O_NONBLOCK, 0);
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

bool cps_mapping_of_same_file(int fd, const struct cps_mapping *of,
			      bool (*is_wanted)(const struct cps_mapping *), struct cps_mapping *m)
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
