/* SPDX-License-Identifier: MIT */
/*
 * elsewhere.c - reads the memory of the process that is recorded from outside.
 *
 * In: addresses. Out: bytes. What lies in a part of a file that is never written to is read from the file. So what the process
 * was when a sample was taken can be read when it has ended, or is another program.
 */
#include "launcher/elsewhere.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/regular.h"
#include "launcher/proc.h"
#include "libsampler/base/memory.h"
#include "libsampler/base/subject.h"
#include "libsampler/unwind/module.h"
#include "libsampler/unwind/registered.h"

#define PAGE	     UINT64_C(4096)
#define HEADERS_MOST 128
#define FILES_MOST   4096 /* beside the descriptors of the events, and looked through one by one */
#define STACK_MOST   (UINT64_C(1) << 30) /* what lies so far behind a copy may be of the same stack */

struct file {
	char *path;
	uint64_t begin; /* of the mapping by which it was found */
	uint64_t bias;
	dev_t device;
	ino_t inode;
	int fd;
	size_t n_segments;
	struct cps_segment *segments;
};

static int subject;
static struct file *files;
static size_t n_files, room_files;
static uint64_t vdso; /* where the kernel has put its own code; 0: nowhere */
static struct elsewhere_stack stack;
static bool has_missed;

/* ---- memory -------------------------------------------------------------------------------------------- */

static bool is_from_file(const struct cps_segment *s, uint64_t vaddr, size_t n)
{
	return !(s->flags & PF_W) && vaddr >= s->vaddr && n <= s->file_bytes &&
	       vaddr - s->vaddr <= s->file_bytes - n;
}

/* The latest file that lies there: others were there before. */
static bool read_file(void *to, uint64_t from, size_t n)
{
	for (size_t i = n_files; i-- > 0;) {
		const struct file *f = &files[i];

		for (size_t k = 0; k < f->n_segments; k++) {
			const struct cps_segment *s = &f->segments[k];
			uint64_t vaddr = from - f->bias;

			if (is_from_file(s, vaddr, n))
				return pread(f->fd, to, n,
					     (off_t)(vaddr - s->vaddr + s->file_offset)) ==
				       (ssize_t)n;
		}
	}
	return false;
}

static bool read_process(void *to, uint64_t from, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)from, n};

	return process_vm_readv(subject, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* The kernel's own code is the same in each process. */
static bool read_vdso(void *to, uint64_t from, size_t n)
{
	const unsigned char *own = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *head = (const void *)own;
	const Elf64_Phdr *first = (const void *)(own + (own ? head->e_phoff : 0));

	if (!own || !vdso || first->p_type != PT_LOAD || n > first->p_filesz ||
	    from - vdso > first->p_filesz - n)
		return false;
	memcpy(to, own + (from - vdso), n);
	return true;
}

bool cps_copy(void *to, uintptr_t from, size_t n)
{
	return read_file(to, from, n) || read_vdso(to, from, n) || read_process(to, from, n);
}

size_t cps_copy_parts(void *to, const struct iovec *parts, uint32_t n)
{
	size_t done = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!cps_copy((char *)to + done, (uintptr_t)parts[i].iov_base, parts[i].iov_len))
			break;
		done += parts[i].iov_len;
	}
	return done;
}

bool cps_copy_is_safe(void)
{
	return true;
}

void cps_copy_confine(void)
{
}

/* What a stack has now, and had when the sample was taken, need not be the same. So only the copy is believed, and what never
 * changes. */
bool cps_peek_copied(const struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	uint64_t offset = address - stack.sp;

	(void)k;
	if (stack.n >= sizeof(*value) && offset <= stack.n - sizeof(*value)) {
		memcpy(value, stack.bytes + offset, sizeof(*value));
		return true;
	}
	if (read_file(value, address, sizeof(*value)))
		return true;
	has_missed |= stack.is_cut && offset < STACK_MOST;
	return false;
}

int cps_subject_pid(void)
{
	return subject;
}

unsigned cps_subject_user(void)
{
	char path[64];
	struct stat s;

	snprintf(path, sizeof(path), "/proc/%d", subject);
	return stat(path, &s) == 0 ? s.st_uid : geteuid();
}

const char *cps_subject_path(char *path, const char *file)
{
	size_t n = (size_t)snprintf(path, CPS_SUBJECT_PATH, "/proc/%d", subject);

	strcpy(path + n, file);
	return path;
}

void elsewhere_set_stack(const struct elsewhere_stack *s)
{
	stack = s ? *s : (struct elsewhere_stack){0};
	has_missed = false;
}

bool elsewhere_missed_stack(void)
{
	return has_missed;
}

/* ---- files --------------------------------------------------------------------------------------------- */

/* Opens it if it is that file. */
static int open_it(const char *path, const struct elsewhere_mapping *m, struct stat *s)
{
	int fd = regular_open(path, s);

	if (fd < 0 || !m->inode ||
	    (s->st_ino == m->inode && s->st_dev == makedev((unsigned)m->major, (unsigned)m->minor)))
		return fd;
	close(fd);
	return -1;
}

/* The process may have its own root directory, where another file has this path; the kernel knows which one it is. If it has ended:
 * most processes see the same files as the launcher. */
static int open_mapped(const struct elsewhere_mapping *m, struct stat *s)
{
	char path[4400];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", subject, m->begin, m->end);
	fd = open_it(path, m, s);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", subject, m->path);
	fd = open_it(path, m, s);
	return fd < 0 && m->inode ? open_it(m->path, m, s) : fd;
}

/* The program headers, and where they lie in the file. */
struct elf {
	Elf64_Ehdr head;
	Elf64_Phdr headers[HEADERS_MOST];
};

static bool read_elf(int fd, struct elf *e)
{
	size_t n;

	if (pread(fd, &e->head, sizeof(e->head), 0) != sizeof(e->head) ||
	    memcmp(e->head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->head.e_ident[EI_CLASS] != ELFCLASS64 || e->head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    e->head.e_phentsize != sizeof(e->headers[0]) || e->head.e_phnum > HEADERS_MOST)
		return false;
	n = e->head.e_phnum * sizeof(e->headers[0]);
	return pread(fd, e->headers, n, (off_t)e->head.e_phoff) == (ssize_t)n;
}

/* The bias by which the mapping is one of the file's code. */
static bool find_bias(const struct elf *e, const struct elsewhere_mapping *m, uint64_t *bias)
{
	for (size_t i = 0; i < e->head.e_phnum; i++) {
		const Elf64_Phdr *p = &e->headers[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    m->offset >= (p->p_offset & -PAGE) && m->offset < p->p_offset + p->p_filesz) {
			*bias = m->begin - (p->p_vaddr + (m->offset - p->p_offset));
			return true;
		}
	}
	return false;
}

/* Where the program headers lie in memory; 0: they do not. */
static uint64_t headers_at(const struct elf *e, uint64_t bias)
{
	uint64_t bytes = e->head.e_phnum * sizeof(e->headers[0]), offset = e->head.e_phoff;

	for (size_t i = 0; i < e->head.e_phnum; i++) {
		const Elf64_Phdr *p = &e->headers[i];

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && offset >= p->p_offset &&
		    p->p_filesz >= bytes && offset - p->p_offset <= p->p_filesz - bytes)
			return bias + p->p_vaddr + (offset - p->p_offset);
	}
	return 0;
}

static bool has_table(const struct elf *e)
{
	for (size_t i = 0; i < e->head.e_phnum; i++)
		if (e->headers[i].p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* Programs that are linked statically have unwind information without a table. Its place only the sections tell. */
static void find_section(int fd, const struct elf *e, uint64_t bias)
{
	Elf64_Shdr names, s;
	char name[12];

	if (e->head.e_shentsize != sizeof(s) || e->head.e_shstrndx >= e->head.e_shnum ||
	    pread(fd, &names, sizeof(names),
		  (off_t)(e->head.e_shoff + e->head.e_shstrndx * sizeof(s))) != sizeof(names))
		return;
	for (size_t i = 0; i < e->head.e_shnum; i++) {
		ssize_t n;

		if (pread(fd, &s, sizeof(s), (off_t)(e->head.e_shoff + i * sizeof(s))) != sizeof(s))
			return;
		n = pread(fd, name, sizeof(name) - 1, (off_t)(names.sh_offset + s.sh_name));
		name[n > 0 ? n : 0] = '\0';
		if (strcmp(name, ".eh_frame") == 0 && s.sh_addr)
			cps_registered_add(bias, bias + s.sh_addr);
	}
}

static bool take_segments(struct file *f, const struct elf *e)
{
	f->segments = calloc(e->head.e_phnum, sizeof(*f->segments));
	for (size_t i = 0; f->segments && i < e->head.e_phnum; i++) {
		const Elf64_Phdr *p = &e->headers[i];

		if (p->p_type == PT_LOAD)
			f->segments[f->n_segments++] =
				(struct cps_segment){.vaddr = p->p_vaddr,
						     .memory_bytes = p->p_memsz,
						     .file_offset = p->p_offset,
						     .file_bytes = p->p_filesz,
						     .flags = p->p_flags};
	}
	return f->n_segments > 0;
}

static void drop(struct file *f)
{
	free(f->path);
	free(f->segments);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct file){.fd = -1};
}

/* The process may map files for ever. What the table of modules has of this one stays. */
static void drop_oldest(void)
{
	cps_registered_drop(files[0].bias);
	drop(&files[0]);
	memmove(files, files + 1, --n_files * sizeof(*files));
}

static bool make_room(void)
{
	struct file *more;

	if (n_files >= FILES_MOST)
		drop_oldest();
	if (n_files < room_files)
		return true;
	more = realloc(files, (room_files * 2 + 64) * sizeof(*files));
	if (!more)
		return false;
	files = more;
	room_files = room_files * 2 + 64;
	return true;
}

static bool is_known(const struct stat *s, uint64_t bias)
{
	for (size_t i = 0; i < n_files; i++)
		if (files[i].inode == s->st_ino && files[i].device == s->st_dev &&
		    files[i].bias == bias)
			return true;
	return false;
}

/* The file is the table's from here on. */
static void enter(const struct elsewhere_mapping *m, int fd, const struct stat *s)
{
	struct file f = {.fd = fd, .begin = m->begin, .device = s->st_dev, .inode = s->st_ino};
	static struct elf e;
	uint64_t headers;

	if (!read_elf(fd, &e) || !find_bias(&e, m, &f.bias) || is_known(s, f.bias) ||
	    !(headers = headers_at(&e, f.bias)) || !take_segments(&f, &e) || !make_room()) {
		drop(&f);
		return;
	}
	f.path = strdup(m->path);
	files[n_files++] = f;
	if (!f.path || !cps_module_table_enter_elsewhere(f.path, f.bias, headers, e.head.e_phnum)) {
		drop(&files[--n_files]);
		return;
	}
	if (!has_table(&e))
		find_section(fd, &e, f.bias);
}

void elsewhere_map(const struct elsewhere_mapping *m)
{
	struct stat s;
	int fd;

	if (m->path[0] != '/' || strncmp(m->path, "//anon", 6) == 0)
		return;
	fd = open_mapped(m, &s);
	if (fd >= 0)
		enter(m, fd, &s);
}

static void map_vdso(uint64_t begin)
{
	Elf64_Ehdr head;

	vdso = begin;
	if (read_vdso(&head, begin, sizeof(head)))
		cps_module_table_enter_elsewhere("[vdso]", begin, begin + head.e_phoff,
						 head.e_phnum);
}

void elsewhere_read_mappings(void)
{
	FILE *f = proc_mappings(subject);
	struct proc_mapping p;

	while (proc_next_mapping(f, &p)) {
		const struct elsewhere_mapping m = {.begin = p.begin,
						    .end = p.end,
						    .offset = p.offset,
						    .major = p.major,
						    .minor = p.minor,
						    .inode = p.inode,
						    .path = p.path};

		if (p.allowed[2] != 'x')
			continue;
		if (strcmp(p.path, "[vdso]") == 0)
			map_vdso(m.begin);
		else
			elsewhere_map(&m);
	}
	if (f)
		fclose(f);
}

/* ---- begin and end ------------------------------------------------------------------------------------- */

static bool is_any(const struct cps_module *m)
{
	(void)m;
	return true;
}

void elsewhere_forget(void)
{
	while (n_files) {
		cps_registered_drop(files[n_files - 1].bias);
		drop(&files[--n_files]);
	}
	vdso = 0;
	cps_module_table_drop(is_any);
	cps_module_table_renew();
}

void elsewhere_begin(int pid)
{
	subject = pid;
	cps_module_table_start_elsewhere();
}
