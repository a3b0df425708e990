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

#include "base/sys.h"
#include "door/quota.h"
#include "format.h"

#define REMOVED_MOST 64 /* at one time */
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

static void count(struct scan *s, const char *name)
{
	bool is_stream = ends_with(name, ".cps");
	struct oldest this;
	struct stat st;

	if ((!is_stream && !ends_with(name, ".cps" CPS_JOURNAL_SUFFIX)) || !look_at(s, name, &st))
		return;
	if (!s->looks_inside || !begins_with(s, name, is_stream ? CPS_MAGIC : CPS_JOURNAL_MAGIC))
		s->bytes += (uint64_t)st.st_blocks * 512;
	if (!is_stream || strcmp(name, s->kept) == 0)
		return;
	strcpy(this.name, name);
	this.time_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	if (*s->after.name && !is_older(&s->after, &this))
		return;
	if (!*s->oldest.name || is_older(&this, &s->oldest))
		s->oldest = this;
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

/* Whether no process has the file open for writing, or mapped. The kernel grants a lease for reading
 * only then. If it cannot tell, as on NFS, the answer is no. On an overlay it does not see mappings,
 * which are those of the file below. */
static bool is_at_rest(int fd)
{
	struct statfs fs;

	if (CPS_SYS(fstatfs, fd, &fs, 0, 0) != 0 || fs.f_type == OVERLAYFS_SUPER_MAGIC)
		return false;
	/* If the lease is broken in this moment, a signal is sent that is ignored by default. */
	return CPS_SYS(fcntl, fd, F_SETSIG, SIGURG, 0) == 0 &&
	       CPS_SYS(fcntl, fd, F_SETLEASE, F_RDLCK, 0) == 0;
}

/* Opens a file that begins with these bytes and is at rest; -1: it is something else. */
static int open_ours(const struct scan *s, const char *name, const char *magic)
{
	int fd = open_it(s, name, magic);

	if (fd < 0 || is_at_rest(fd))
		return fd;
	cps_sys_close(fd);
	return -1;
}

/* Removes a recording with its journal, unless a process is still writing to it: it has the journal
 * mapped as long as it does. */
static void remove_recording(const struct scan *s, const char *name)
{
	char journal[NAME_BYTES + sizeof(CPS_JOURNAL_SUFFIX)];
	int stream = open_ours(s, name, CPS_MAGIC), fd = -1;
	bool has_journal;
	struct stat st;

	if (stream < 0)
		return;
	strcpy(journal, name);
	strcat(journal, CPS_JOURNAL_SUFFIX);
	has_journal = CPS_SYS(newfstatat, s->directory, journal, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (has_journal)
		fd = open_ours(s, journal, CPS_JOURNAL_MAGIC);
	if (!has_journal || fd >= 0)
		CPS_SYS(unlinkat, s->directory, name, 0, 0);
	if (fd >= 0) {
		CPS_SYS(unlinkat, s->directory, journal, 0, 0);
		cps_sys_close(fd);
	}
	cps_sys_close(stream);
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
			 .kept = slash ? slash + 1 : kept};

	s.directory = cps_sys_open(directory, O_RDONLY | O_DIRECTORY, 0);
	if (s.directory < 0)
		return;
	if (read_all(&s) == 0 && s.bytes > bytes)
		bytes += foreign_bytes(&s);
	for (int i = 0; i < REMOVED_MOST && read_all(&s) == 0; i++) {
		if (s.bytes <= bytes || !*s.oldest.name)
			break;
		remove_recording(&s, s.oldest.name);
		s.after = s.oldest;
	}
	cps_sys_close(s.directory);
}
