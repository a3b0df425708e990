/* SPDX-License-Identifier: MIT */
/*
 * builder_perf_map.c - gives names to generated code.
 *
 * In: addresses without module, the perf map of their process. Out: frames with names. The map is
 * in the recording; if it is not, the file /tmp/perf-PID.map may still be where the process has
 * left it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "model/builder.h"

/* No program writes a larger map. */
#define FILE_BYTES_MAX (UINT64_C(1) << 30)

static struct perf_map *map_of(struct recording *r)
{
	if (!r->jit)
		r->jit = perf_map_new();
	return r->jit;
}

int builder_jit(void *context, const struct event_jit *e, struct error *err)
{
	struct profile_builder *b = context;
	struct perf_map *m = map_of(&b->current);

	if (!m || perf_map_add(m, e->text.bytes, e->text.length))
		return error_memory(err);
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* Can the file be trusted? It must belong to the owner of the recording or to us, and must not be
 * older than the process: an earlier process may have had the same id. */
static bool is_trusted(const struct recording *r, const struct stat *st)
{
	uint64_t seconds = (uint64_t)st->st_mtim.tv_sec, start = r->process.start_ns;

	if (!S_ISREG(st->st_mode) || (st->st_uid != r->owner && st->st_uid != geteuid()))
		return false;
	if (st->st_mtim.tv_sec < 0 || seconds < start / 1000000000)
		return false;
	return seconds > start / 1000000000 || (uint64_t)st->st_mtim.tv_nsec >= start % 1000000000;
}

static bool is_this_host(const struct profile_builder *b)
{
	uint32_t host = b->current.process.host;
	struct utsname name;

	return host != STRINGS_NONE && !uname(&name) &&
	       !strcmp(name.nodename, strings_get(b->profile->strings, host, NULL));
}

/* -1: there is no file that can be trusted. */
static int file_open(const struct profile_builder *b)
{
	const struct recording *r = &b->current;
	struct stat st;
	char path[64];
	int fd;

	if (!r->has_owner || !r->process.pid || !r->process.start_ns || !is_this_host(b))
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%llu.map", (unsigned long long)r->process.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !is_trusted(r, &st))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int file_read(struct perf_map *m, int fd)
{
	char bytes[65536];
	uint64_t total = 0;

	while (total < FILE_BYTES_MAX) {
		ssize_t n = read(fd, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (perf_map_add(m, bytes, (size_t)n))
			return -1;
		total += (uint64_t)n;
	}
	return 0;
}

/* ---- frames ------------------------------------------------------------------------------------ */

static bool is_nameless(const struct profile_frame *f)
{
	return f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE && !profile_stand_in(f);
}

static bool needs_map(const struct cct *paths)
{
	for (size_t i = 0; i < paths->n_frames; i++)
		if (is_nameless(&paths->frames[i]))
			return true;
	return false;
}

int builder_jit_open(struct profile_builder *b)
{
	struct recording *r = &b->current;
	int fd, rc = 0;

	if (!needs_map(r->paths))
		return 0;
	fd = r->jit ? -1 : file_open(b);
	if (fd >= 0) {
		rc = map_of(r) ? file_read(r->jit, fd) : -1;
		close(fd);
	}
	r->has_map = !rc && r->jit;
	return r->has_map ? perf_map_finish(r->jit) : rc;
}

int builder_jit_name(struct profile_builder *b, struct profile_frame *f)
{
	const char *name;
	size_t n;

	if (!b->current.has_map || !is_nameless(f))
		return 0;
	name = perf_map_find(b->current.jit, f->address, &n);
	if (!name)
		return 0;
	*f = (struct profile_frame){PROFILE_NO_MODULE, strings_add(b->profile->strings, name, n),
				    0};
	return f->name == STRINGS_NONE ? -1 : 0;
}
