/* SPDX-License-Identifier: MIT */
/*
 * output.c - says where the recording goes, and makes room for it.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "base/sys.h"
#include "process/identity.h"
#include "process/output.h"
#include "stream/deflate_out.h"
#include "stream/recording.h"
#include "format.h"

/* ---- recording name -------------------------------------------------------------------------- */
/*
 * Says where the recording of this process goes.
 *
 * In: the template, what is known of the process. Out: the name, and limits, for who writes.
 */

#define SECOND UINT64_C(1000000000)

static char stem[4096];
static const char *suffix = "";

static const char *short_path; /* NULL: not made yet, or too long */

/* Of a run that has a name: the file for what leaves no recording. The directory is the same in all processes. */
static void name_short(const struct cps_config *config)
{
	const char *slash = strrchr(stem, '/');
	char path[sizeof(stem)];
	int n;

	if (short_path || !slash || !config->run_pid || config->makes_directories)
		return;
	n = snprintf(path, sizeof(path), "%.*s" CPS_SHORT_PREFIX "%llu.%llu" CPS_SHORT_SUFFIX,
		     (int)(slash + 1 - stem), stem, (unsigned long long)config->run_pid,
		     (unsigned long long)config->run_start);
	if (n > 0 && n < (int)sizeof(path))
		short_path = cps_arena_copy(path, (size_t)n);
}

/* "dir/name.cps" becomes "dir/name" and ".cps". */
int cps_recording_name_prepare(const struct cps_config *config, struct cps_identity *identity)
{
	struct cps_output_names names = {.exe = identity->started_as ? identity->started_as
								     : identity->exe,
					 .cwd = identity->cwd,
					 .pid = (unsigned)cps_own_memory_pid(),
					 .start_s = identity->start_ns / SECOND};
	struct cps_output output = {.stem = stem,
				    .suffix = "",
				    .identity = identity,
				    .makes_directories = config->makes_directories,
				    .max_bytes = config->max_bytes,
				    .journal_bytes = config->journal_bytes};
	size_t n;

	if (cps_output_expand(config->output, &names, stem, sizeof(stem)) < 0)
		return -1;
	name_short(config);
	n = strlen(stem);
	if (n > 4 && strcmp(stem + n - 4, ".cps") == 0) {
		output.suffix = suffix = ".cps";
		stem[n - 4] = '\0';
	}
	cps_recording_prepare(&output);
	return 0;
}

const char *cps_recording_name_stem(void)
{
	return stem;
}

const char *cps_recording_name_suffix(void)
{
	return suffix;
}

/* ---- short ----------------------------------------------------------------------------------- */
/*
 * Adds what a process without a recording has used to the file of its run.
 *
 * In: clocks, the identity. Out: one write, appended by the kernel, so that no process waits for another one. What cannot be
 * written stays in what the parent says of its children, by which readers know how much is missing.
 */

/* The file if n more bytes can be added to it. Anybody may have put something in its place where all write. If a lease is
 * being broken, that is not waited for. */
static __attribute__((noinline)) int open_short(int flags, size_t n)
{
	int fd = cps_descriptor_open(short_path,
				     O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | flags, 0666);
	struct stat st;

	if (fd < 0)
		return fd;
	if (CPS_SYS(fstat, fd, &st, 0, 0) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == (uid_t)CPS_SYS(geteuid, 0, 0, 0, 0) &&
	    (uint64_t)st.st_size + n <= CPS_SHORT_FILE_BYTES &&
	    !cps_sys_exceeds_file_limit((uint64_t)st.st_size + n))
		return fd;
	cps_sys_close(fd);
	return -1;
}

static __attribute__((noinline)) void add_short(const struct cps_identity *identity,
						const struct cps_short_use *use, int flags)
{
	uint8_t entry[CPS_SHORT_BYTES];
	struct cps_writer w = {entry, entry + sizeof(entry), false};
	int fd;

	cps_record_short(&w, identity, use);
	fd = w.full ? -1 : open_short(flags, (size_t)(w.p - entry));
	if (fd < 0)
		return;
	cps_sys_write(fd, entry, (size_t)(w.p - entry));
	cps_sys_close(fd);
}

void cps_short_tell(const struct cps_config *config, const struct cps_identity *identity,
		    enum cps_stop stop)
{
	static uint64_t told_ns; /* CPU time, of which the process with this number has told */
	static int told_pid;
	struct cps_short_use use = {.stop = stop};
	int pid = cps_own_memory_pid();
	uint64_t before = told_pid == pid ? told_ns : identity->cpu_before_ns, mask;

	if (!short_path || config->delay_ns || config->toggle_signal ||
	    (stop != CPS_STOP_NONE && stop != CPS_STOP_EXEC))
		return;
	mask = cps_sys_block_signals();
	use.cpu_ns = cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (stop == CPS_STOP_NONE ||
	    (use.cpu_ns > before && use.cpu_ns - before >= CPS_SHORT_WORTH_NS)) {
		use.children_ns = cps_sys_children_ns(0);
		use.time_us =
			(cps_sys_clock_ns(CLOCK_MONOTONIC) - identity->start_monotonic_ns) / 1000;
		told_ns = use.cpu_ns;
		told_pid = pid;
		/* A single program that is over at once leaves nothing behind. */
		add_short(identity, &use, (uint64_t)pid == config->run_pid ? 0 : O_CREAT);
	}
	cps_sys_set_mask(mask);
}

/* ---- quota ----------------------------------------------------------------------------------- */
/*
 * Removes the oldest recordings from a directory.
 *
 * In: a directory, a number of bytes. Out: files that are gone. The directory may be one that all
 * users write to (mode 1777), so nothing in it is trusted: links are not followed, and only regular
 * files of this user are looked at.
 *
 * All system calls are direct ones, since a recording may end in a signal handler. Nothing is kept
 * of the directory in memory: it is read once for each file that is removed.
 */

#define REMOVED_MOST 64 /* at one time */
#define DAY_S	     86400
#define NAME_BYTES   256

/* As the kernel has it. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

struct oldest {
	char name[NAME_BYTES]; /* empty: there is none */
	int64_t time_ns;
};

struct scan {
	int directory;
	uint32_t user;
	int64_t now_s;
	const char *kept;     /* the name of a recording that stays in any case */
	bool looks_inside;    /* only what does not begin as a recording is added up */
	uint64_t bytes;	      /* of all recordings */
	struct oldest after;  /* what was looked at already: only younger ones are candidates */
	struct oldest oldest; /* of the others */
};

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && n < NAME_BYTES && strcmp(name + n - k, end) == 0;
}

static bool is_older(const struct oldest *a, const struct oldest *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return strcmp(a->name, b->name) < 0;
}

/* A regular file of this user, which is not a link. */
static bool look_at(const struct scan *s, const char *name, struct stat *st)
{
	return CPS_SYS(newfstatat, s->directory, name, st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st->st_mode) && st->st_uid == s->user;
}

static int open_it(const struct scan *s, const char *name, const char *magic)
{
	int fd = (int)CPS_SYS(openat, s->directory, name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	char begin[CPS_MAGIC_BYTES];
	struct stat st;

	if (fd < 0)
		return -1;
	if (CPS_SYS(fstat, fd, &st, 0, 0) == 0 && S_ISREG(st.st_mode) && st.st_uid == s->user &&
	    cps_sys_read(fd, begin, sizeof(begin)) == sizeof(begin) &&
	    memcmp(begin, magic, sizeof(begin)) == 0)
		return fd;
	cps_sys_close(fd);
	return -1;
}

static bool begins_with(const struct scan *s, const char *name, const char *magic)
{
	int fd = open_it(s, name, magic);

	if (fd >= 0)
		cps_sys_close(fd);
	return fd >= 0;
}

static bool is_journal(const char *name)
{
	return ends_with(name, CPS_SUFFIX CPS_JOURNAL_SUFFIX);
}

static bool is_short(const char *name)
{
	return strncmp(name, CPS_SHORT_PREFIX, strlen(CPS_SHORT_PREFIX)) == 0 &&
	       ends_with(name, CPS_SHORT_SUFFIX);
}

/* With what a file of this name begins that is ours. NULL: with nothing. */
static const char *magic_of(const char *name)
{
	if (ends_with(name, CPS_SUFFIX))
		return CPS_MAGIC;
	return is_journal(name) ? CPS_JOURNAL_MAGIC : is_short(name) ? CPS_SHORT_MAGIC : NULL;
}

/* Whether there is no recording any more that this journal belongs to. */
static bool is_orphan(const struct scan *s, const char *journal)
{
	char stream[NAME_BYTES];
	struct stat st;

	strcpy(stream, journal);
	stream[strlen(stream) - strlen(CPS_JOURNAL_SUFFIX)] = '\0';
	return CPS_SYS(newfstatat, s->directory, stream, &st, AT_SYMLINK_NOFOLLOW) == -ENOENT;
}

static void consider(struct scan *s, const char *name, const struct stat *st)
{
	struct oldest this;

	strcpy(this.name, name);
	this.time_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	if (*s->after.name && !is_older(&s->after, &this))
		return;
	if (!*s->oldest.name || is_older(&this, &s->oldest))
		s->oldest = this;
}

static void count(struct scan *s, const char *name)
{
	const char *magic = magic_of(name);
	struct stat st;

	if (!magic || !look_at(s, name, &st))
		return;
	if (!s->looks_inside || !begins_with(s, name, magic))
		s->bytes += (uint64_t)st.st_blocks * 512;
	if (!s->looks_inside && strcmp(name, s->kept) != 0 &&
	    (!is_journal(name) || is_orphan(s, name)))
		consider(s, name, &st);
}

static int read_all(struct scan *s)
{
	char bytes[4096] __attribute__((aligned(8)));
	long n = CPS_SYS(lseek, s->directory, 0, 0, 0);

	s->bytes = 0;
	*s->oldest.name = '\0';
	while (n >= 0 && (n = CPS_SYS(getdents64, s->directory, bytes, sizeof(bytes), 0)) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e = (const void *)(bytes + at);

			count(s, e->name);
			at += e->length;
		}
	}
	return (int)n;
}

enum rest { AT_REST, IN_USE, NOBODY_KNOWS };

/* Whether no process has the file open for writing, or mapped. The kernel grants a lease for reading
 * only then. Some file systems cannot tell, such as NFS. On an overlay the kernel does not see
 * mappings, which are those of the file below. */
static enum rest rest_of(int fd)
{
	struct statfs fs;
	long error;

	if (CPS_SYS(fstatfs, fd, &fs, 0, 0) != 0 || fs.f_type == OVERLAYFS_SUPER_MAGIC)
		return NOBODY_KNOWS;
	/* If the lease is broken in this moment, a signal is sent that is ignored by default. */
	error = CPS_SYS(fcntl, fd, F_SETSIG, SIGURG, 0);
	if (!error)
		error = CPS_SYS(fcntl, fd, F_SETLEASE, F_RDLCK, 0);
	return !error ? AT_REST : error == -EAGAIN ? IN_USE : NOBODY_KNOWS;
}

/* Opens a file that begins with these bytes and is at rest; -1: it is something else, or in use. */
static int open_ours(const struct scan *s, const char *name, const char *magic, enum rest *rest)
{
	int fd = open_it(s, name, magic);

	*rest = fd < 0 ? IN_USE : rest_of(fd);
	if (*rest == AT_REST)
		return fd;
	if (fd >= 0)
		cps_sys_close(fd);
	return -1;
}

/* Whether a recording that has no journal is not being written. Its file is open only now and then, so
 * that it must have come to its end, or have lain there for a day. */
static bool is_over(const struct scan *s, int fd)
{
	uint8_t last[CPS_PACK_END_MOST];
	struct stat st;
	long n;

	if (CPS_SYS(fstat, fd, &st, 0, 0) != 0)
		return false;
	if (st.st_mtim.tv_sec < s->now_s - DAY_S)
		return true;
	n = st.st_size < (long)sizeof(last) ? st.st_size : (long)sizeof(last);
	return CPS_SYS(lseek, fd, -n, SEEK_END, 0) >= 0 && cps_sys_read(fd, last, (size_t)n) == n &&
	       cps_deflate_out_has_end(last, (size_t)n);
}

/* A process has the journal mapped as long as it writes a recording. Returns what is known of the
 * journal. */
static enum rest remove_journal(const struct scan *s, const char *journal, const char *stream)
{
	enum rest rest;
	int fd = open_ours(s, journal, CPS_JOURNAL_MAGIC, &rest);

	if (fd < 0)
		return rest;
	if (stream)
		CPS_SYS(unlinkat, s->directory, stream, 0, 0);
	CPS_SYS(unlinkat, s->directory, journal, 0, 0);
	cps_sys_close(fd);
	return rest;
}

/* Removes the counts of calls beside a recording that is not there any more. */
static void remove_calls(const struct scan *s, const char *name)
{
	char calls[NAME_BYTES + sizeof(CPS_CALLS_SUFFIX)];
	struct stat st;

	strcpy(calls, name);
	strcat(calls, CPS_CALLS_SUFFIX);
	if (CPS_SYS(newfstatat, s->directory, name, &st, AT_SYMLINK_NOFOLLOW) == -ENOENT &&
	    begins_with(s, calls, CPS_CALLS_MAGIC))
		CPS_SYS(unlinkat, s->directory, calls, 0, 0);
}

/* Removes a recording with its journal, unless a process is still writing to it. */
static enum rest remove_recording(const struct scan *s, const char *name)
{
	char journal[NAME_BYTES + sizeof(CPS_JOURNAL_SUFFIX)];
	enum rest rest;
	int fd = open_ours(s, name, CPS_MAGIC, &rest);
	struct stat st;

	if (fd < 0)
		return rest;
	strcpy(journal, name);
	strcat(journal, CPS_JOURNAL_SUFFIX);
	if (CPS_SYS(newfstatat, s->directory, journal, &st, AT_SYMLINK_NOFOLLOW) == 0)
		rest = remove_journal(s, journal, name);
	else if (is_over(s, fd))
		CPS_SYS(unlinkat, s->directory, name, 0, 0);
	remove_calls(s, name);
	cps_sys_close(fd);
	return rest;
}

/* Whoever of its run still has something to add makes it anew. */
static enum rest remove_short(const struct scan *s, const char *name)
{
	enum rest rest;
	int fd = open_ours(s, name, CPS_SHORT_MAGIC, &rest);

	if (fd < 0)
		return rest;
	CPS_SYS(unlinkat, s->directory, name, 0, 0);
	cps_sys_close(fd);
	return rest;
}

static enum rest remove_it(const struct scan *s, const char *name)
{
	if (is_short(name))
		return remove_short(s, name);
	return is_journal(name) ? remove_journal(s, name, NULL) : remove_recording(s, name);
}

/* How many bytes files take that have the name of a recording and are none. */
static uint64_t foreign_bytes(struct scan *s)
{
	s->looks_inside = true;
	if (read_all(s) != 0)
		s->bytes = 0;
	s->looks_inside = false;
	return s->bytes;
}

void cps_quota_keep(const char *directory, uint64_t bytes, const char *kept)
{
	const char *slash = strrchr(kept, '/');
	struct scan s = {.user = (uint32_t)CPS_SYS(geteuid, 0, 0, 0, 0),
			 .now_s = (int64_t)(cps_sys_clock_ns(CLOCK_REALTIME) / 1000000000),
			 .kept = slash ? slash + 1 : kept};

	s.directory = cps_descriptor_open(directory, O_RDONLY | O_DIRECTORY, 0);
	if (s.directory < 0)
		return;
	if (read_all(&s) == 0 && s.bytes > bytes)
		bytes += foreign_bytes(&s);
	for (int i = 0; i < REMOVED_MOST && read_all(&s) == 0; i++) {
		if (s.bytes <= bytes || !*s.oldest.name)
			break;
		if (remove_it(&s, s.oldest.name) == NOBODY_KNOWS)
			break; /* nor of the others: one file system has them all */
		s.after = s.oldest;
	}
	cps_sys_close(s.directory);
}
