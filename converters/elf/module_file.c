/* SPDX-License-Identifier: MIT */
/*
 * module_file.c - opens the files of a recorded module: its own, its debug file, those of servers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "elf/elf_file.h"
#include "elf/kept_file.h"
#include "elf/module_file.h"

/* ---- download -------------------------------------------------------------------------------- */
/*
 * A server that does not answer would be waited for once for each module. So the first time that
 * nothing comes for a while, no server is asked any more.
 */

enum download_what { DOWNLOAD_DEBUG, DOWNLOAD_PROGRAM };

#define LIBRARY "libdebuginfod.so.1"
#define URLS	"DEBUGINFOD_URLS"
/* As libdebuginfod has it, this variable says for how many seconds nothing may come. */
#define TIMEOUT		"DEBUGINFOD_TIMEOUT"
#define TIMEOUT_SECONDS 15

typedef struct debuginfod_client client_type;
typedef int find_function(client_type *, const unsigned char *id, int bytes, char **path);
typedef int progress_function(client_type *, long done, long all);

static struct {
	bool is_begun, is_given_up;
	client_type *client; /* NULL: there are no servers, or no library */
	find_function *find_debug, *find_program;
	time_t seconds; /* for which nothing may come */
	void (*observer)(const char *text);
	/* Of the current download: */
	const char *name;
	long done;
	time_t since; /* when something came last */
	bool is_late;
} state;

void download_observe(void (*progress)(const char *text))
{
	state.observer = progress;
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* The library calls this several times a second while it waits. Another value than 0 ends the download. */
static int on_progress(client_type *client, long done, long all)
{
	char text[160];

	(void)client;
	if (done != state.done) {
		state.done = done;
		state.since = now();
	}
	state.is_late = now() - state.since >= state.seconds;
	if (state.is_late)
		return 1;
	if (!state.observer)
		return 0;
	if (all > 0 && done > 0)
		snprintf(text, sizeof(text), "downloading %s: %.1f of %.1f MB", state.name,
			 done / 1e6, all / 1e6);
	else
		snprintf(text, sizeof(text), "downloading %s", state.name);
	state.observer(text);
	return 0;
}

/* ---- the library ------------------------------------------------------------------------------- */

static bool load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	client_type *(*begin)(void);
	void (*set_progress)(client_type *, progress_function *);

	if (!library)
		return false;
	begin = (client_type * (*)(void)) dlsym(library, "debuginfod_begin");
	set_progress = (void (*)(client_type *, progress_function *))dlsym(
		library, "debuginfod_set_progressfn");
	state.find_debug = (find_function *)dlsym(library, "debuginfod_find_debuginfo");
	state.find_program = (find_function *)dlsym(library, "debuginfod_find_executable");
	if (!begin || !set_progress || !state.find_debug || !state.find_program)
		return false;
	state.client = begin();
	if (state.client)
		set_progress(state.client, on_progress);
	return state.client;
}

/* Whether there are servers that can be asked. */
static bool begin(struct error *warning)
{
	const char *urls = getenv(URLS), *timeout = getenv(TIMEOUT);

	if (state.is_begun || !urls || !*urls)
		return state.client;
	state.is_begun = true;
	state.seconds = timeout ? (time_t)strtoul(timeout, NULL, 10) : 0;
	if (state.seconds <= 0)
		state.seconds = TIMEOUT_SECONDS;
	if (load())
		return true;
	if (!warning->is_set)
		error_set(warning,
			  URLS " names servers, but " LIBRARY
			       ", which asks them, cannot be loaded (Debian: libdebuginfod1)");
	return false;
}

/* ---- a file ------------------------------------------------------------------------------------ */

static int give_up(int error, struct error *warning)
{
	state.is_given_up = true;
	if (warning->is_set)
		return 0;
	if (state.is_late || error == ETIME) /* the library has the same limit */
		error_set(warning,
			  "debuginfod: nothing came for %ld s, so no more files are asked for "
			  "(" URLS ", " TIMEOUT ")",
			  (long)state.seconds);
	else
		error_set(warning, "debuginfod: %s, so no more files are asked for (" URLS ")",
			  strerror(error));
	return 0;
}

/*
 * Get the file with that build id: the debug information of a module, or the module itself. `name` is
 * the module's, for whoever waits. Returns 1 with the path, which the caller frees; 0 if there
 * is none; -ENOMEM. The warning is set, once for all calls, if servers cannot be asked; from
 * then on none is.
 */
static int download_file(enum download_what what, const unsigned char *id, size_t bytes,
			 const char *name, char **path, struct error *warning)
{
	const char *slash = strrchr(name, '/');
	int fd;

	if (!bytes || state.is_given_up || !begin(warning))
		return 0;
	state.name = slash ? slash + 1 : name;
	state.done = 0;
	state.is_late = false;
	state.since = now();
	*path = NULL;
	fd = (what == DOWNLOAD_DEBUG ? state.find_debug : state.find_program)(state.client, id,
									      (int)bytes, path);
	if (fd >= 0) {
		close(fd);
		return *path ? 1 : -ENOMEM;
	}
	free(*path);
	if (fd == -ENOMEM)
		return fd;
	return fd == -ENOENT && !state.is_late ? 0 : give_up(-fd, warning);
}

/* ---- debug file ------------------------------------------------------------------------------ */
/*
 * Searches for a module's separate debug file.
 *
 * In: the stripped file and its path. Out: the opened debug file.
 *
 * Local files come first. Only if there is none, and the user has named servers, are these asked.
 */

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

	if (!bytes || strncmp(path, where->sysroot, bytes) != 0 ||
	    (path[bytes] != '/' && path[bytes - 1] != '/'))
		return path;
	return path + bytes;
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
static int open_downloaded_debug(struct elf_file *debug, const struct search *s)
{
	char *path;
	int rc = download_file(DOWNLOAD_DEBUG, s->id, (size_t)s->id_bytes, s->main->path, &path,
			       s->warning);

	return rc > 0 ? open_candidate(debug, s, path) : rc;
}

/*
 * Open the debug file of `main`, which is searched by build id first, then by .gnu_debuglink, then on
 * servers (module_file.h).
 * Files of another build are ignored. Returns 1; 0 if there is no such file; -ENOMEM. `warning` is
 * set if a file is broken.
 */
static int debug_file_open(struct elf_file *debug, const struct elf_file *main,
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
	return rc ? rc : open_downloaded_debug(debug, &s);
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

/*
 * Open the file with the debug information that `of` shares with other modules. dwz(1) moves shared
 * information to a separate file, whose path it writes to .gnu_debugaltlink. Returns the same as
 * debug_file_open. `warning` is also set if `of` names such a file and the file is missing.
 */
static int debug_file_open_shared(struct elf_file *shared, const struct elf_file *of,
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
		rc = open_downloaded_debug(shared, &s);
	if (rc == 0 && !warning->is_set)
		error_set(warning,
			  "%s: its debug information needs %s, which is not there; some "
			  "inlined functions are not shown",
			  of->path, path);
	free(path);
	return rc;
}

/* ---- module file ----------------------------------------------------------------------------- */
/*
 * A program that was rebuilt after the recording has other functions at the recorded addresses.
 * Wrong names are worse than none, so a file is used only if its build id is the recorded one.
 */

#define DELETED	   " (deleted)" /* the kernel's mark in /proc/PID/maps */
#define DEBUG_INFO ".debug_info"
#define NO_NAMES   "its functions have no names"

static char *hex(const unsigned char *bytes, size_t n)
{
	char *text = malloc(2 * n + 1);

	if (!text)
		return NULL;
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

/* Says whether the file has the recorded segments. A file without a build id is recognised by its
 * loaded segments. */
static bool has_segments(const struct elf_file *f, const struct profile_module *m)
{
	size_t n = 0;

	if (m->n_segments == 0)
		return true;
	for (size_t i = 0; i < f->n_segments; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		const struct profile_segment *s = &m->segments[n];

		if (p->p_type != PT_LOAD)
			continue;
		if (n == m->n_segments)
			return n == CPS_SEGMENTS_MAX; /* further segments are not recorded */
		if (p->p_vaddr != s->vaddr || p->p_memsz != s->memory_bytes ||
		    p->p_offset != s->file_offset || p->p_filesz != s->file_bytes ||
		    ((p->p_flags ^ s->flags) & (PF_R | PF_W | PF_X)))
			return false;
		n++;
	}
	return n == m->n_segments;
}

static int warn_of_build(struct error *warning, const char *path, const unsigned char *found,
			 size_t found_bytes, const struct profile_module *m)
{
	char *found_hex = hex(found, found_bytes),
	     *recorded_hex = hex(m->build_id, m->build_id_bytes);

	if (found_hex && recorded_hex)
		error_set(warning,
			  "%s: rebuilt since the recording (build id %s, recorded %s); " NO_NAMES,
			  path, found_bytes ? found_hex : "missing", recorded_hex);
	free(found_hex);
	free(recorded_hex);
	return found_hex && recorded_hex ? 0 : -1;
}

/* Returns 1 if this is the file that ran, 0 if it is not, -1 if memory is out. */
static int check_identity(const struct elf_file *f, const char *path,
			  const struct profile_module *m, struct error *warning)
{
	unsigned char id[ELF_FILE_BUILD_ID_MAX];
	int n = elf_file_build_id(f, id);

	if (n < 0)
		return -1;
	if (m->build_id_bytes == 0) {
		if (has_segments(f, m))
			return 1;
		error_set(warning, "%s: rebuilt since the recording (other segments); " NO_NAMES,
			  path);
		return 0;
	}
	if ((size_t)n == m->build_id_bytes && memcmp(id, m->build_id, (size_t)n) == 0)
		return 1;
	return warn_of_build(warning, path, id, (size_t)n, m);
}

/* Opens the vDSO of this process, if it is the recorded one. The section headers are the last part
 * of the image, so that their end gives the image's size. */
static int open_vdso(struct module_file *m, const struct profile_module *module,
		     struct error *warning)
{
	const Elf64_Ehdr *image = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	unsigned char id[ELF_FILE_BUILD_ID_MAX];
	struct error why;
	int rc, n;

	if (!image || module->build_id_bytes == 0)
		return 0;
	rc = elf_file_open_image(&m->main, image,
				 (size_t)image->e_shoff + image->e_shnum * sizeof(Elf64_Shdr),
				 &why);
	if (rc < 0)
		return rc == -ENOMEM ? -1 : 0;
	n = elf_file_build_id(&m->main, id);
	if (n > 0 && (size_t)n == module->build_id_bytes &&
	    memcmp(id, module->build_id, (size_t)n) == 0)
		return 1;
	error_set(warning, "vdso: of another kernel than the one that runs here; " NO_NAMES);
	return n < 0 ? -1 : 0;
}

/* Returns the working directory of a process that had this module, or NULL. */
static const char *directory_of(const struct profile *p, uint32_t module)
{
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		for (size_t j = 0; j < process->n_modules; j++) {
			if (process->modules[j] == module && process->cwd != STRINGS_NONE)
				return strings_get(p->strings, process->cwd, NULL);
		}
	}
	return NULL;
}

/* Makes a path on this machine from the first `bytes` of the recorded path. What ran in an emulator with the sysroot, or was
 * recorded from outside of it, has the sysroot in its path already. */
static char *path_here(const struct profile *p, uint32_t module, const char *recorded, size_t bytes,
		       const struct file_search *where)
{
	const char *directory = recorded[0] == '/' ? NULL : directory_of(p, module);
	const char *inside = inside_root(recorded, where);
	size_t cut = (size_t)(inside - recorded);
	char *path;

	bytes -= bytes < cut ? bytes : cut;
	if (asprintf(&path, "%s%s%s%.*s", where->sysroot ? where->sysroot : "",
		     directory ? directory : "", directory ? "/" : "", (int)bytes, inside) < 0)
		return NULL;
	return path;
}

/* Returns 0 or -errno. *path is the path that was tried last, whether or not the file is there. */
static int open_recorded(struct module_file *m, const struct profile *p, uint32_t module,
			 const struct file_search *where, char **path, struct error *why)
{
	size_t bytes, mark = strlen(DELETED);
	const char *recorded = strings_get(p->strings, p->modules[module].path, &bytes);
	int rc;

	*path = path_here(p, module, recorded, bytes, where);
	rc = *path ? elf_file_open(&m->main, *path, why) : -ENOMEM;
	if (rc != -ENOENT || bytes <= mark || strcmp(recorded + bytes - mark, DELETED) != 0)
		return rc;
	/* The same file may have been put there again; its build id shows that. */
	free(*path);
	*path = path_here(p, module, recorded, bytes - mark, where);
	return *path ? elf_file_open(&m->main, *path, why) : -ENOMEM;
}

/* Inlined functions would be missing without a word. */
static void warn_of_compression(const struct elf_file *f, const char *path, struct error *warning)
{
	const Elf64_Shdr *s = f ? elf_section_named(f, DEBUG_INFO) : NULL;

	if (s && !warning->is_set && elf_section_is_foreign(f, s))
		error_set(
			warning,
			"%s: its debug information is compressed by another way than zlib, such as "
			"zstd; its inlined functions and lines are not known",
			path);
}

static int open_debug(struct module_file *m, const struct file_search *where, const char *path,
		      bool wants_debug, struct error *warning)
{
	bool has_symbols = elf_file_section_of_type(&m->main, SHT_SYMTAB);
	int rc = 0;

	if (wants_debug && elf_section_named(&m->main, DEBUG_INFO))
		m->debug_info = &m->main;
	if (!has_symbols || (wants_debug && !m->debug_info))
		rc = debug_file_open(&m->debug, &m->main, where, warning);
	m->has_debug = rc > 0;
	if (rc == 0 && !has_symbols)
		rc = mini_debug_open(&m->mini, &m->mini_image, &m->main);
	m->has_mini = rc > 0 && !m->has_debug;
	if (wants_debug && !m->debug_info && m->has_debug &&
	    elf_section_named(&m->debug, DEBUG_INFO))
		m->debug_info = &m->debug;
	if (rc >= 0 && m->debug_info)
		rc = debug_file_open_shared(&m->shared, m->debug_info, where, warning);
	m->debug_shared = m->debug_info && rc > 0 ? &m->shared : NULL;
	if (rc >= 0)
		warn_of_compression(m->debug_info, path, warning);
	return rc < 0 ? -1 : 1;
}

/* Open the copy that was kept of the module. If there is one, nothing needs to be said of another file any more. */
static int open_kept(struct module_file *m, const struct profile_module *module,
		     struct error *warning)
{
	struct elf_file kept;
	struct error unused;
	int rc = kept_file_open(&kept, module->build_id, module->build_id_bytes);

	if (rc <= 0)
		return rc;
	elf_file_close(&m->main);
	m->main = kept;
	rc = check_identity(&m->main, kept.path, module, &unused);
	warning->is_set &= rc <= 0;
	return rc;
}

/* A large program is kept without it. */
static void warn_of_kept(const struct module_file *m, const char *path, struct error *warning)
{
	if (!m->debug_info && !warning->is_set && kept_file_lacks_debug(&m->main))
		error_set(
			warning,
			"%s: rebuilt since the recording, and too large to be kept with its debug "
			"information; inlined functions and lines of that build are not known "
			"(compare with --no-inlines)",
			path);
}

/* Ask servers for the module itself, of which there is only another file here, or none. If there is one, nothing needs to
 * be said of the other any more. */
static int open_downloaded(struct module_file *m, const struct profile_module *module,
			   const char *name, struct error *warning)
{
	struct error of_servers = {.is_set = false}, why;
	char *path = NULL;
	int rc = download_file(DOWNLOAD_PROGRAM, module->build_id, module->build_id_bytes, name,
			       &path, &of_servers);

	if (rc > 0) {
		elf_file_close(&m->main);
		rc = elf_file_open(&m->main, path, &why) ? 0 : 1;
		if (rc)
			rc = check_identity(&m->main, path, module, &why);
	}
	if (of_servers.is_set)
		*warning = of_servers;
	warning->is_set &= rc <= 0;
	free(path);
	return rc < 0 ? -1 : rc;
}

static int open_file(struct module_file *m, const struct profile *p, uint32_t module,
		     const struct file_search *where, bool wants_debug, struct error *warning)
{
	struct error why;
	bool is_kept = false;
	char *path;
	int rc = open_recorded(m, p, module, where, &path, &why);

	if (rc == -ENOMEM) {
		rc = -1;
	} else if (rc == -ENOENT || rc == -ENOTDIR) {
		error_set(warning,
			  "%s: not there any more (put the file back, or name the directory that "
			  "has its tree as the sysroot); " NO_NAMES,
			  path);
		rc = 0;
	} else if (rc < 0) {
		error_set(warning, "%s: %s; " NO_NAMES, path, why.text);
		rc = 0;
	} else {
		rc = check_identity(&m->main, path, &p->modules[module], warning);
		if (rc > 0 && !where->sysroot)
			kept_file_add(&m->main);
	}
	if (rc == 0) {
		rc = open_kept(m, &p->modules[module], warning);
		is_kept = rc > 0;
	}
	if (rc == 0)
		rc = open_downloaded(m, &p->modules[module], path, warning);
	if (rc > 0)
		rc = open_debug(m, where, path, wants_debug, warning);
	if (rc > 0 && is_kept && wants_debug)
		warn_of_kept(m, path, warning);
	free(path);
	return rc;
}

int module_file_open(struct module_file *m, const struct profile *p, uint32_t module,
		     const struct file_search *where, bool wants_debug, struct error *warning)
{
	int rc;

	memset(m, 0, sizeof(*m));
	warning->is_set = false;
	if (p->modules[module].is_vdso)
		rc = open_vdso(m, &p->modules[module], warning);
	else
		rc = open_file(m, p, module, where, wants_debug, warning);
	if (rc <= 0)
		module_file_close(m);
	return rc;
}

void module_file_close(struct module_file *m)
{
	elf_file_close(&m->main);
	elf_file_close(&m->debug);
	elf_file_close(&m->shared);
	elf_file_close(&m->mini);
	free(m->mini_image);
	m->mini_image = NULL;
	m->has_mini = false;
	m->has_debug = false;
	m->debug_info = m->debug_shared = NULL;
}
