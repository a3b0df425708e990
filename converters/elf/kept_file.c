/* SPDX-License-Identifier: MIT */
/*
 * kept_file.c - copies of programs and libraries that were recorded, by build id, in the user's cache directory.
 *
 * A kept file is an ELF file with a seal behind it, which has a checksum of all that is before: no copy
 * is synchronised with the disk, so that after a crash any part of it may be missing.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "elf/kept_file.h"

#define ID_BYTES_MIN  8u /* fewer are no hash of a file */
#define SUFFIX	      ".elf"
#define PIECE	      (UINT64_C(1) << 20)
#define SEAL	      "CPSKEPT"
#define STALE_SECONDS 3600 /* after which nobody is writing a file any more */

struct seal {
	char magic[8];
	uint32_t crc, zero; /* little-endian */
};

static struct {
	bool is_used;
	uint64_t added; /* bytes */
} state;

void kept_file_use(void)
{
	const char *keep = getenv("CPSAMPLE_KEEP");

	state.is_used = !keep || strcmp(keep, "off") != 0;
}

/* ---- where ------------------------------------------------------------------------------------- */

/* The cache directory of the user and, in it, ours. NULL: none is named, or memory is out. The caller frees both. */
static char *find_directory(char **parent)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *directory = NULL;
	int n = -1;

	*parent = NULL;
	if (cache && *cache == '/')
		n = asprintf(parent, "%s", cache);
	else if (home && *home == '/')
		n = asprintf(parent, "%s/.cache", home);
	if (n < 0)
		*parent = NULL;
	else if (asprintf(&directory, "%s/cpsample", *parent) < 0)
		directory = NULL;
	return directory;
}

static bool is_own_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* Root makes no directory in somebody's home, where that user could then not write. */
static bool make_own(char *path)
{
	char *slash = strrchr(path, '/');
	bool is_own;

	if (is_own_directory(path))
		return true;
	if (!slash || slash == path)
		return false;
	*slash = '\0';
	is_own = is_own_directory(path);
	*slash = '/';
	return is_own && mkdir(path, 0700) == 0;
}

/* Our directory, which is this user's. NULL: there is none and none can be made. The caller frees it. */
static char *make_directory(void)
{
	char *parent, *directory = find_directory(&parent);

	if (directory && (!make_own(parent) || !make_own(directory))) {
		free(directory);
		directory = NULL;
	}
	free(parent);
	return directory;
}

static char *path_of(const char *directory, const unsigned char *id, size_t id_bytes)
{
	char hex[2 * ELF_FILE_BUILD_ID_MAX + 1] = "", *path;

	for (size_t i = 0; i < id_bytes; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	return asprintf(&path, "%s/%s" SUFFIX, directory, hex) < 0 ? NULL : path;
}

static bool begins(const char *path, const char *with)
{
	return strncmp(path, with, strlen(with)) == 0;
}

/* The launcher names files of another root directory so. Their paths mean nothing here, or another file. */
static bool is_of_other_root(const char *path)
{
	int mapped = 0, below = 0;

	(void)sscanf(path, "/proc/%*d/map_files/%n", &mapped);
	(void)sscanf(path, "/proc/%*d/root/%n", &below);
	return mapped || below;
}

/* The files of packages are not built anew by those who record them. */
static bool is_of_system(const char *path)
{
	char *real;
	bool is;

	if (is_of_other_root(path))
		return false;
	real = realpath(path, NULL);
	is = !real || (begins(real, "/usr/") && !begins(real, "/usr/local/")) ||
	     begins(real, "/lib/") || begins(real, "/lib32/") || begins(real, "/lib64/") ||
	     begins(real, "/libx32/") || begins(real, "/bin/") || begins(real, "/sbin/") ||
	     begins(real, "/proc/");

	free(real);
	return is;
}

/* ---- writing a copy ---------------------------------------------------------------------------- */

struct copy {
	int fd;
	uint64_t bytes;
	uint32_t crc;
	bool has_failed;
};

static void put(struct copy *c, const void *bytes, size_t n)
{
	const char *at = bytes;

	c->crc = libdeflate_crc32(c->crc, bytes, n);
	c->bytes += n;
	while (n && !c->has_failed) {
		ssize_t written = write(c->fd, at, n);

		if (written > 0) {
			at += written;
			n -= (size_t)written;
		} else if (written == 0 || errno != EINTR) {
			c->has_failed = true;
		}
	}
}

static void put_part(struct copy *c, const struct elf_file *f, uint64_t offset, uint64_t bytes)
{
	while (bytes && !c->has_failed) {
		uint64_t n = bytes < PIECE ? bytes : PIECE;
		unsigned char *piece;

		c->has_failed = elf_file_load(f, offset, n, &piece) < 0;
		if (!c->has_failed) {
			put(c, piece, n);
			free(piece);
		}
		offset += n;
		bytes -= n;
	}
}

static void put_seal(struct copy *c)
{
	const struct seal seal = {.magic = SEAL, .crc = htole32(c->crc)};

	put(c, &seal, sizeof(seal));
}

/* ---- what is kept of a large file -------------------------------------------------------------- */

static const char *name_of(const struct elf_file *f, const Elf64_Shdr *s)
{
	return s->sh_name < f->names_bytes ? (const char *)f->names + s->sh_name : "";
}

static bool is_debug(const struct elf_file *f, const Elf64_Shdr *s)
{
	return begins(name_of(f, s), ".debug_");
}

/* Whether the section is needed for names of functions. */
static bool is_of_names(const struct elf_file *f, const Elf64_Shdr *s)
{
	const char *name = name_of(f, s);

	switch (s->sh_type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_NOTE:
	case SHT_RELA:
	case SHT_GNU_versym:
	case SHT_GNU_verdef:
	case SHT_GNU_verneed:
		return true;
	case SHT_STRTAB:
		return !is_debug(f, s);
	default:
		return begins(name, ".plt") || begins(name, ".gnu_debug") ||
		       strcmp(name, ".eh_frame") == 0;
	}
}

struct plan {
	Elf64_Ehdr head;
	Elf64_Phdr *segments;
	Elf64_Shdr *sections;
	uint64_t bytes;
};

/* Sections that are not kept become such as have no bytes in the file, as in debug files. */
static void place_sections(struct plan *p, const struct elf_file *f, bool has_debug)
{
	p->bytes = p->head.e_shoff + f->n_sections * sizeof(*p->sections);
	for (size_t i = 0; i < f->n_sections && p->bytes <= KEPT_BYTES_MAX; i++) {
		Elf64_Shdr *s = &p->sections[i];

		if (s->sh_type == SHT_NULL || s->sh_type == SHT_NOBITS)
			continue;
		if (i == f->head.e_shstrndx || is_of_names(f, s) || (has_debug && is_debug(f, s))) {
			s->sh_offset = p->bytes;
			p->bytes += s->sh_size < KEPT_BYTES_MAX ? s->sh_size : KEPT_BYTES_MAX + 1;
		} else {
			s->sh_type = SHT_NOBITS;
		}
	}
}

/* Code is found by segments, so there are none that are loaded. */
static bool plan_copy(struct plan *p, const struct elf_file *f, bool has_debug)
{
	const size_t segments = f->n_segments * sizeof(*p->segments),
		     sections = f->n_sections * sizeof(*p->sections);

	if (!f->n_sections || f->head.e_shstrndx >= f->n_sections)
		return false;
	p->head = f->head;
	p->head.e_phoff = sizeof(p->head);
	p->head.e_shoff = sizeof(p->head) + segments;
	p->segments = malloc(segments + 1);
	p->sections = malloc(sections);
	if (!p->segments || !p->sections)
		return false;
	memcpy(p->segments, f->segments, segments);
	memcpy(p->sections, f->sections, sections);
	for (size_t i = 0; i < f->n_segments; i++)
		if (p->segments[i].p_type == PT_LOAD)
			p->segments[i].p_type = PT_NULL;
	place_sections(p, f, has_debug);
	return p->bytes <= KEPT_BYTES_MAX;
}

static void plan_free(struct plan *p)
{
	free(p->segments);
	free(p->sections);
	*p = (struct plan){0};
}

static void put_plan(struct copy *c, const struct plan *p, const struct elf_file *f)
{
	put(c, &p->head, sizeof(p->head));
	put(c, p->segments, f->n_segments * sizeof(*p->segments));
	put(c, p->sections, f->n_sections * sizeof(*p->sections));
	for (size_t i = 0; i < f->n_sections; i++)
		if (p->sections[i].sh_type != SHT_NULL && p->sections[i].sh_type != SHT_NOBITS)
			put_part(c, f, f->sections[i].sh_offset, f->sections[i].sh_size);
}

/* Write as much of the file as there is room for. */
static bool put_file(struct copy *c, const struct elf_file *f)
{
	struct plan p = {0};
	bool fits;

	if (f->bytes <= KEPT_BYTES_MAX) {
		put_part(c, f, 0, f->bytes);
	} else {
		fits = plan_copy(&p, f, true);
		if (!fits) {
			plan_free(&p);
			fits = plan_copy(&p, f, false);
		}
		if (fits)
			put_plan(c, &p, f);
		c->has_failed |= !fits;
		plan_free(&p);
	}
	put_seal(c);
	return !c->has_failed;
}

/* ---- making room ------------------------------------------------------------------------------- */

struct kept {
	char *path;
	struct timespec used;
	uint64_t bytes;
};

struct kepts {
	struct kept *list;
	size_t n, size;
	uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec > y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec < y->used.tv_nsec) - (x->used.tv_nsec > y->used.tv_nsec);
}

/* What a process has left that was killed while it wrote is removed as soon as it is found. */
static void note(struct kepts *k, const char *directory, const char *name)
{
	struct stat st;
	char *path;

	if (*name == '.' && !begins(name, ".new."))
		return;
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return;
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		if (*name == '.' && time(NULL) - st.st_mtime > STALE_SECONDS)
			unlink(path);
		if (*name != '.' && array_reserve(&k->list, &k->size, k->n + 1, sizeof(*k->list))) {
			k->list[k->n++] = (struct kept){path, st.st_mtim, (uint64_t)st.st_size};
			return;
		}
	}
	free(path);
}

static void make_room(const char *directory)
{
	struct kepts k = {0};
	DIR *d = opendir(directory);
	struct dirent *e;

	while (d && k.n < 100 * KEPT_FILES_MAX && (e = readdir(d)))
		note(&k, directory, e->d_name);
	if (d)
		closedir(d);
	if (k.n)
		qsort(k.list, k.n, sizeof(*k.list), by_use);
	for (size_t i = 0; i < k.n; i++) {
		k.bytes += k.list[i].bytes;
		if (i >= KEPT_FILES_MAX || k.bytes > KEPT_ALL_BYTES_MAX)
			unlink(k.list[i].path);
		free(k.list[i].path);
	}
	free(k.list);
}

/* ---- keeping a file ---------------------------------------------------------------------------- */

/* A file that is written to while it is copied is two files. */
static bool is_unchanged(const struct elf_file *f, const struct stat *was)
{
	struct stat is;

	return fstat(f->fd, &is) == 0 && is.st_size == was->st_size &&
	       is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

/* Beyond this limit a signal would end the process. */
static bool has_room(void)
{
	struct rlimit limit;

	return state.added < KEPT_RUN_BYTES_MAX && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       limit.rlim_cur > KEPT_BYTES_MAX + sizeof(struct seal);
}

/* The file appears under its name when it is whole. */
static void write_copy(const struct elf_file *f, const char *directory, const char *path)
{
	struct copy c = {.fd = -1};
	struct stat was;
	char *made;

	if (fstat(f->fd, &was) != 0 || asprintf(&made, "%s/.new.XXXXXX", directory) < 0)
		return;
	c.fd = mkostemp(made, O_CLOEXEC);
	if (c.fd >= 0) {
		bool is_written = put_file(&c, f) && is_unchanged(f, &was);

		is_written &= close(c.fd) == 0;
		if (!is_written || rename(made, path) != 0)
			unlink(made);
		state.added += c.bytes;
		make_room(directory);
	}
	free(made);
}

void kept_file_add(const struct elf_file *f)
{
	unsigned char id[ELF_FILE_BUILD_ID_MAX];
	char *directory, *path;
	int n;

	if (!state.is_used || f->image || is_of_system(f->path) || !has_room())
		return;
	n = elf_file_build_id(f, id);
	if (n < (int)ID_BYTES_MIN)
		return;
	directory = make_directory();
	path = directory ? path_of(directory, id, (size_t)n) : NULL;
	/* The time of a file is that of its last use. */
	if (path && utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
		write_copy(f, directory, path);
	free(path);
	free(directory);
}

/* ---- finding a file ---------------------------------------------------------------------------- */

static bool is_sealed(const struct elf_file *f)
{
	const uint64_t bytes = f->bytes - sizeof(struct seal);
	struct seal seal;
	unsigned char *piece;
	uint32_t crc = 0;

	for (uint64_t at = 0; at < bytes; at += PIECE) {
		uint64_t n = bytes - at < PIECE ? bytes - at : PIECE;

		if (elf_file_load(f, at, n, &piece) < 0)
			return false;
		crc = libdeflate_crc32(crc, piece, n);
		free(piece);
	}
	if (elf_file_load(f, bytes, sizeof(seal), &piece) < 0)
		return false;
	memcpy(&seal, piece, sizeof(seal));
	free(piece);
	return memcmp(seal.magic, SEAL, sizeof(seal.magic)) == 0 && le32toh(seal.crc) == crc;
}

/* Whether it is this user's, or root's. */
static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Open a file of our directory, or the directory itself. Nobody else has written what is open then, whatever happens to its
 * name. Returns the descriptor, or -1. */
static int open_trusted(int at, const char *name, int flags, mode_t type)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && is_trusted(&st) &&
	    (type == S_IFDIR || (uint64_t)st.st_size <= KEPT_BYTES_MAX + sizeof(struct seal)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_sealed(struct elf_file *f, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char *directory = strndup(path, (size_t)(name - path));
	int at = directory ? open_trusted(AT_FDCWD, directory, O_DIRECTORY, S_IFDIR) : -1;
	int fd = at < 0 ? -1 : open_trusted(at, name, O_NOFOLLOW, S_IFREG), rc = -1;
	struct error why;

	if (fd >= 0) {
		rc = elf_file_take(f, fd, path, &why);
		if (rc == 0 && f->bytes > sizeof(struct seal) && is_sealed(f)) {
			futimens(f->fd, NULL);
			rc = 1;
		} else {
			elf_file_close(f);
		}
		if (rc == 0 || rc == -ENOEXEC)
			unlinkat(at, name, 0); /* damaged */
	}
	if (at >= 0)
		close(at);
	free(directory);
	return rc == 1 || rc == -ENOMEM ? rc : 0;
}

int kept_file_open(struct elf_file *f, const unsigned char *id, size_t id_bytes)
{
	char *parent, *directory, *path;
	int rc = 0;

	if (!state.is_used || id_bytes < ID_BYTES_MIN || id_bytes > ELF_FILE_BUILD_ID_MAX)
		return 0;
	directory = find_directory(&parent);
	path = directory ? path_of(directory, id, id_bytes) : NULL;
	if (path)
		rc = open_sealed(f, path);
	free(path);
	free(directory);
	free(parent);
	return rc;
}

bool kept_file_lacks_debug(const struct elf_file *f)
{
	for (size_t i = 1; i < f->n_sections; i++)
		if (f->sections[i].sh_type == SHT_NOBITS &&
		    strcmp(name_of(f, &f->sections[i]), ".debug_info") == 0)
			return true;
	return false;
}
