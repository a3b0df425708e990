/* SPDX-License-Identifier: MIT */
/*
 * debug_file.c - searches for a module's separate debug file.
 *
 * In: the stripped file and its path. Out: the opened debug file.
 *
 * Local files come first. Only if there is none, and the user has named servers, are these asked.
 */
#include "elf/debug_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/download.h"

#define DEBUG_DIR      "/usr/lib/debug"
#define LINK_BYTES_MAX 4096

struct search {
	const struct elf_file *main;
	unsigned char id[ELF_FILE_BUILD_ID_MAX];
	int id_bytes;
	struct error *warning;
};

/* Opens the file at `path`, unless its build id shows that it belongs to another module. Frees
 * `path`. Returns 1; 0 if the file is missing or not the wanted one; -ENOMEM. */
static int open_candidate(struct elf_file *debug, const struct search *s, char *path)
{
	unsigned char id[ELF_FILE_BUILD_ID_MAX];
	struct error why;
	int rc, id_bytes;

	if (!path)
		return -ENOMEM;
	rc = elf_file_open_any(debug, path, &why); /* the files that dwz makes are object files */
	if (rc < 0) {
		if (rc == -ENOEXEC || rc == -EIO)
			error_set(s->warning, "%s: ignored as a debug file: %s", path, why.text);
		free(path);
		return rc == -ENOMEM ? rc : 0;
	}
	free(path);
	id_bytes = elf_file_build_id(debug, id);
	if (id_bytes >= 0 && id_bytes == s->id_bytes && memcmp(id, s->id, (size_t)id_bytes) == 0 &&
	    (debug->device != s->main->device || debug->inode != s->main->inode))
		return 1;
	elf_file_close(debug);
	return id_bytes == -ENOMEM ? id_bytes : 0;
}

/* The path in the debug directory. A directory that the user has named is used as it is; the
 * default directory is below the sysroot. */
static char *in_debug_dir(const struct file_search *where, const char *below)
{
	char *path;
	int rc;

	if (where->debug_dir)
		rc = asprintf(&path, "%s/%s", where->debug_dir, below);
	else
		rc = asprintf(&path, "%s" DEBUG_DIR "/%s", where->sysroot ? where->sysroot : "",
			      below);
	return rc < 0 ? NULL : path;
}

static int open_by_build_id(struct elf_file *debug, const struct search *s,
			    const struct file_search *where)
{
	char below[sizeof(".build-id/xx/.debug") + 2 * ELF_FILE_BUILD_ID_MAX];
	int n;

	if (s->id_bytes < 2)
		return 0;
	n = sprintf(below, ".build-id/%02x/", s->id[0]);
	for (int i = 1; i < s->id_bytes; i++)
		n += sprintf(below + n, "%02x", s->id[i]);
	strcpy(below + n, ".debug");
	return open_candidate(debug, s, in_debug_dir(where, below));
}

/* Reads .gnu_debuglink, which holds a file name, NULs up to a multiple of four, and the CRC of that
 * file. Returns 1 with *name, to be freed, and *crc; 0 if there is no valid link; -ENOMEM. */
static int read_link(const struct elf_file *f, char **name, uint32_t *crc)
{
	const Elf64_Shdr *s = elf_file_section_named(f, ".gnu_debuglink");
	unsigned char *bytes;
	size_t length, at;
	int rc;

	if (!s || s->sh_size > LINK_BYTES_MAX)
		return 0;
	rc = elf_file_load(f, s->sh_offset, s->sh_size, &bytes);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	length = strlen((char *)bytes);
	at = (length + 4) & ~(size_t)3;
	if (length == 0 || at + sizeof(*crc) > s->sh_size || strchr((char *)bytes, '/')) {
		free(bytes);
		return 0;
	}
	memcpy(crc, bytes + at, sizeof(*crc));
	*name = (char *)bytes;
	return 1;
}

static int open_checked(struct elf_file *debug, const struct search *s, uint32_t crc, char *path)
{
	uint32_t found;
	int rc = open_candidate(debug, s, path);

	if (rc <= 0)
		return rc;
	if (elf_file_crc(debug, &found) == 0 && found == crc)
		return 1;
	elf_file_close(debug);
	return 0;
}

static char *beside(const char *path, const char *subdirectory, const char *name)
{
	const char *slash = strrchr(path, '/');
	int directory_bytes = slash ? (int)(slash - path) + 1 : 0;
	char *result;

	if (asprintf(&result, "%.*s%s%s", directory_bytes, path, subdirectory, name) < 0)
		return NULL;
	return result;
}

static const char *inside_root(const char *path, const struct file_search *where)
{
	size_t bytes = where->sysroot ? strlen(where->sysroot) : 0;

	return bytes > 0 && strncmp(path, where->sysroot, bytes) == 0 ? path + bytes : path;
}

static int open_by_link(struct elf_file *debug, const struct search *s,
			const struct file_search *where)
{
	const char *path = s->main->path;
	char *name, *below;
	uint32_t crc;
	int rc = read_link(s->main, &name, &crc);

	if (rc <= 0)
		return rc;
	rc = open_checked(debug, s, crc, beside(path, "", name));
	if (rc == 0)
		rc = open_checked(debug, s, crc, beside(path, ".debug/", name));
	if (rc == 0) {
		below = beside(inside_root(path, where), "", name);
		rc = below ? open_checked(debug, s, crc, in_debug_dir(where, below)) : -ENOMEM;
		free(below);
	}
	free(name);
	return rc;
}

/* Asks servers for the file with the build id that is searched for. Returns the same as open_candidate. */
static int open_downloaded(struct elf_file *debug, const struct search *s)
{
	char *path;
	int rc = download_file(DOWNLOAD_DEBUG, s->id, (size_t)s->id_bytes, s->main->path, &path,
			       s->warning);

	return rc > 0 ? open_candidate(debug, s, path) : rc;
}

int debug_file_open(struct elf_file *debug, const struct elf_file *main,
		    const struct file_search *where, struct error *warning)
{
	struct search s = {.main = main, .warning = warning};
	int rc;

	s.id_bytes = elf_file_build_id(main, s.id);
	if (s.id_bytes < 0)
		return s.id_bytes;
	rc = open_by_build_id(debug, &s, where);
	if (rc == 0)
		rc = open_by_link(debug, &s, where);
	return rc ? rc : open_downloaded(debug, &s);
}

/* Reads .gnu_debugaltlink, which holds a path, a NUL, and the build id of that file. Returns 1 with
 * *path, to be freed, and s->id; 0 if there is no valid link; -ENOMEM. */
static int read_shared_link(struct search *s, char **path)
{
	const Elf64_Shdr *section = elf_file_section_named(s->main, ".gnu_debugaltlink");
	unsigned char *bytes;
	size_t length, id_bytes;
	int rc;

	if (!section || section->sh_size > LINK_BYTES_MAX)
		return 0;
	rc = elf_file_load(s->main, section->sh_offset, section->sh_size, &bytes);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	length = strlen((char *)bytes) + 1;
	id_bytes = length < section->sh_size ? section->sh_size - length : 0;
	if (length == 1 || id_bytes == 0 || id_bytes > sizeof(s->id)) {
		free(bytes);
		return 0;
	}
	s->id_bytes = (int)id_bytes;
	memcpy(s->id, bytes + length, id_bytes);
	*path = (char *)bytes;
	return 1;
}

/* The path on this machine. A relative path begins at the directory of the file that contains it,
 * after symbolic links have been resolved. */
static char *shared_path(const struct search *s, const char *path, const struct file_search *where)
{
	char *real, *result;

	if (path[0] == '/')
		return asprintf(&result, "%s%s", where->sysroot ? where->sysroot : "", path) < 0
			       ? NULL
			       : result;
	real = realpath(s->main->path, NULL);
	result = real ? beside(real, "", path) : strdup(path);
	free(real);
	return result;
}

/* Searches the debug directory that the user has named for a path below DEBUG_DIR, because that
 * directory may be a copy of DEBUG_DIR. */
static int open_in_tree(struct elf_file *shared, const struct search *s, const char *path,
			const struct file_search *where)
{
	size_t bytes = strlen(DEBUG_DIR "/");

	if (!where->debug_dir || strncmp(path, DEBUG_DIR "/", bytes) != 0)
		return 0;
	return open_candidate(shared, s, in_debug_dir(where, path + bytes));
}

int debug_file_open_shared(struct elf_file *shared, const struct elf_file *of,
			   const struct file_search *where, struct error *warning)
{
	struct search s = {.main = of, .warning = warning};
	char *path;
	int rc = read_shared_link(&s, &path);

	if (rc <= 0)
		return rc;
	rc = open_candidate(shared, &s, shared_path(&s, path, where));
	if (rc == 0)
		rc = open_in_tree(shared, &s, path, where);
	if (rc == 0)
		rc = open_by_build_id(shared, &s, where);
	if (rc == 0)
		rc = open_downloaded(shared, &s);
	if (rc == 0 && !warning->is_set)
		error_set(warning,
			  "%s: its debug information needs %s, which is not there; some "
			  "inlined functions are not shown",
			  of->path, path);
	free(path);
	return rc;
}
