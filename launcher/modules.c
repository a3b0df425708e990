/* SPDX-License-Identifier: MIT */
/*
 * modules.c - the programs and libraries that a process has in its memory, and where their files can be read.
 *
 * In: mappings. Out: addresses, files, build ids. Files are read as the process sees them, which may be in a container; one that
 * was deleted is read by the kernel's link to it, where that is allowed.
 */
#include "launcher/modules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define PAGE	UINT64_C(4096)
#define DELETED " (deleted)"

struct head {
	Elf64_Ehdr elf;
	Elf64_Phdr programs[IMAGE_HEADERS];
};

static bool read_head(const struct target *t, uint64_t at, struct head *h)
{
	return target_read(t, at, &h->elf, sizeof(h->elf)) &&
	       memcmp(h->elf.e_ident, ELFMAG, SELFMAG) == 0 &&
	       h->elf.e_ident[EI_CLASS] == ELFCLASS64 && h->elf.e_phnum <= IMAGE_HEADERS &&
	       h->elf.e_phentsize == sizeof(Elf64_Phdr) &&
	       target_read(t, at + h->elf.e_phoff, h->programs,
			   h->elf.e_phnum * sizeof(Elf64_Phdr));
}

/* Where it lies. False: it has no part that is loaded. */
static bool take_extent(const struct head *h, struct module *m)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < h->elf.e_phnum; i++) {
		const Elf64_Phdr *p = &h->programs[i];

		if (p->p_type != PT_LOAD)
			continue;
		low = low == UINT64_MAX ? p->p_vaddr & -PAGE : low;
		high = p->p_vaddr + p->p_memsz > high ? p->p_vaddr + p->p_memsz : high;
	}
	m->bias = m->begin - low;
	m->end = m->bias + ((high + PAGE - 1) & -PAGE);
	return low < high && m->end > m->begin;
}

static void take_note(const unsigned char *bytes, size_t n, struct module *m)
{
	Elf64_Nhdr note;

	for (size_t at = 0; at + sizeof(note) <= n;) {
		size_t name, text, next;

		memcpy(&note, bytes + at, sizeof(note));
		name = at + sizeof(note);
		text = name + ((note.n_namesz + 3u) & ~3u);
		next = text + ((note.n_descsz + 3u) & ~3u);
		if (note.n_namesz > n || note.n_descsz > n || next > n)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(bytes + name, "GNU", 4) == 0 && note.n_descsz <= sizeof(m->build_id)) {
			memcpy(m->build_id, bytes + text, note.n_descsz);
			m->build_id_bytes = note.n_descsz;
		}
		at = next;
	}
}

static void take_build_id(const struct target *t, const struct head *h, struct module *m)
{
	unsigned char bytes[4096];

	for (size_t i = 0; i < h->elf.e_phnum && !m->build_id_bytes; i++) {
		const Elf64_Phdr *p = &h->programs[i];
		size_t n = p->p_memsz < sizeof(bytes) ? p->p_memsz : sizeof(bytes);

		if (p->p_type == PT_NOTE && target_read(t, m->bias + p->p_vaddr, bytes, n))
			take_note(bytes, n, m);
	}
}

/* A file may also be mapped to be read as data. */
static bool is_run(const struct target *t, size_t first, const struct module *m)
{
	for (size_t i = first; i < t->n_mappings && t->mappings[i].begin < m->end; i++)
		if (t->mappings[i].allowed[2] == 'x' &&
		    (!t->mappings[i].path[0] || strcmp(t->mappings[i].path, m->path) == 0))
			return true;
	return false;
}

static bool is_exe(const struct target *t, const char *path)
{
	char link[64], exe[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", t->pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	return strcmp(exe, path) == 0;
}

/* The kernel writes paths as this process sees them, but as the other does if this one does not. Sets *file to the path below
 * /proc/PID, to be freed. Returns whether it is the file that is mapped, as far as its number says. */
static bool try_file(const struct target *t, const struct mapping *m, const char *root, char **file)
{
	char path[PATH_MAX + 64];
	struct stat s;

	snprintf(path, sizeof(path), "/proc/%d%s%s", t->pid, root, m->path);
	if (stat(path, &s) != 0)
		return false;
	if (!*file && asprintf(file, "%s%s", root, m->path) < 0)
		*file = NULL;
	return s.st_ino == m->inode;
}

static char *find_file(const struct target *t, const struct mapping *m)
{
	static const char *const roots[] = {"/root", "/../.."};
	size_t n = strlen(m->path), mark = strlen(DELETED);
	char link[128], *file = NULL, *one;

	for (size_t i = 0; i < 2; i++) {
		one = NULL;
		if (try_file(t, m, roots[i], &one)) {
			free(file);
			return one;
		}
		if (file)
			free(one);
		else
			file = one; /* an overlay may number it otherwise */
	}
	if (file)
		return file;
	if (n > mark && strcmp(m->path + n - mark, DELETED) == 0 && is_exe(t, m->path))
		return strdup("/exe");
	snprintf(link, sizeof(link), "/proc/%d/map_files/%lx-%lx", t->pid, m->begin, m->end);
	if (access(link, R_OK) == 0)
		return strdup(strstr(link, "/map_files"));
	return asprintf(&file, "/root%s", m->path) < 0 ? NULL : file;
}

void modules_find_all(struct modules *m, const struct target *t)
{
	struct head head;

	*m = (struct modules){.target = t};
	for (size_t i = 0; i < t->n_mappings; i++) {
		const struct mapping *here = &t->mappings[i];
		struct module one = {.begin = here->begin, .path = here->path};

		one.is_vdso = strcmp(here->path, "[vdso]") == 0;
		if (here->offset || (here->path[0] != '/' && !one.is_vdso) ||
		    (m->n && here->begin < m->list[m->n - 1].end) ||
		    !read_head(t, here->begin, &head) || !take_extent(&head, &one) ||
		    !is_run(t, i, &one))
			continue;
		take_build_id(t, &head, &one);
		one.file = find_file(t, here);
		if (!one.file || !array_reserve(&m->list, &m->room, m->n + 1, sizeof(one)))
			target_refuse(t, "there is no memory for the list of its libraries");
		m->list[m->n++] = one;
	}
}

const struct module *modules_at(const struct modules *m, uint64_t address)
{
	for (size_t i = 0; i < m->n; i++)
		if (address >= m->list[i].begin && address < m->list[i].end)
			return &m->list[i];
	return NULL;
}

void modules_release(struct modules *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->list[i].file);
	free(m->list);
	*m = (struct modules){0};
}
