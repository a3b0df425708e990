/* SPDX-License-Identifier: MIT */
/*
 * quota.c - removes the oldest recordings from a directory.
 *
 * In: a directory, a number of bytes. Out: files that are gone. The directory may be one that all
 * users write to (mode 1777), so nothing in it is trusted: links are not followed, and only regular
 * files of this user are looked at.
 *
 * All system calls are direct ones, since a recording may end in a signal handler. Nothing is kept
 * of the directory in memory: it is read once for each file that is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/descriptor.h"
#include "base/sys.h"
#include "door/quota.h"
#include "format.h"
#include "stream/pack.h"

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
	bool is_stream = ends_with(name, CPS_SUFFIX);
	struct stat st;

	if ((!is_stream && !is_journal(name)) || !look_at(s, name, &st))
		return;
	if (!s->looks_inside || !begins_with(s, name, is_stream ? CPS_MAGIC : CPS_JOURNAL_MAGIC))
		s->bytes += (uint64_t)st.st_blocks * 512;
	if (!s->looks_inside && strcmp(name, s->kept) != 0 && (is_stream || is_orphan(s, name)))
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
	       cps_pack_has_end(last, (size_t)n);
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
	cps_sys_close(fd);
	return rest;
}

static enum rest remove_it(const struct scan *s, const char *name)
{
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
