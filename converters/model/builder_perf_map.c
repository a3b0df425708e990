/* SPDX-License-Identifier: MIT */
/*
 * builder_perf_map.c - gives names to generated code.
 *
 * In: addresses without module, the perf map of their process. Out: frames with names. The map is
 * in the recording; if it is not, the file /tmp/perf-PID.map may still be where the process has
 * left it.
 */
#include <errno.h>
#include <unistd.h>

#include "model/builder.h"
#include "model/perf_map_file.h"

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

/* -1: there is no file that can be trusted. */
static int file_open(const struct profile_builder *b)
{
	const struct recording *r = &b->current;
	struct perf_map_process p = {
		.pid = r->process.pid,
		.start_ns = r->process.start_ns,
		.owner = r->owner,
	};

	if (!r->has_owner || r->process.host == STRINGS_NONE)
		return -1;
	p.host.bytes = strings_get(b->profile->strings, r->process.host, &p.host.length);
	return perf_map_file_open(&p);
}

static int file_read(struct perf_map *m, int fd)
{
	char bytes[65536];
	uint64_t total = 0;

	while (total < PERF_MAP_BYTES_MAX) {
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

static bool is_nameless(const struct profile_frame *f, bool has_names)
{
	return f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE && !profile_stand_in(f) &&
	       (f->address < CPS_KERNEL_ADDRESS || has_names);
}

static bool needs_map(const struct cct *paths, bool has_names)
{
	for (size_t i = 0; i < paths->n_frames; i++)
		if (is_nameless(&paths->frames[i], has_names))
			return true;
	return false;
}

int builder_jit_open(struct profile_builder *b)
{
	struct recording *r = &b->current;
	int fd, rc = 0;

	if (!needs_map(r->paths, r->jit))
		return 0;
	fd = r->jit ? -1 : file_open(b);
	if (fd >= 0) {
		rc = map_of(r) ? file_read(r->jit, fd) : -1;
		close(fd);
	}
	r->has_map = !rc && r->jit;
	return r->has_map ? perf_map_finish(r->jit) : rc;
}

/* The frame's address in the process. */
static bool address_of(const struct profile_builder *b, const struct profile_frame *f,
		       uint64_t *address)
{
	uint64_t bias = 0;

	if (f->module != PROFILE_NO_MODULE && !modules_bias(b->modules, f->module, &bias))
		return false;
	*address = f->address + bias;
	return f->name == STRINGS_NONE && !profile_stand_in(f);
}

int builder_jit_name(struct profile_builder *b, struct profile_frame *f)
{
	const char *name;
	uint64_t address;
	size_t n;

	if (!b->current.has_map || !address_of(b, f, &address))
		return 0;
	name = perf_map_find(b->current.jit, address, &n);
	if (!name)
		return 0;
	f->name = strings_add(b->profile->strings, name, n);
	if (f->module == PROFILE_NO_MODULE)
		f->address = 0;
	return f->name == STRINGS_NONE ? -1 : 0;
}
