/* SPDX-License-Identifier: MIT */
/*
 * modules.h - the programs and libraries that a process has in its memory, and where their files can be read.
 */
#ifndef LAUNCHER_MODULES_H
#define LAUNCHER_MODULES_H

#include "launcher/target.h"

struct module {
	uint64_t begin, end, bias;
	const char *path; /* as the process has it; of its mappings */
	char *file; /* below /proc/PID: "/root/usr/bin/x", or "/../../usr/...", "/exe", "/map_files/..." */
	bool is_vdso;
	unsigned char build_id[64];
	size_t build_id_bytes;
};

struct modules {
	const struct target *target;
	struct module *list; /* in the order of their addresses */
	size_t n, room;
};

/* Find them by the mappings of the target, and by what its memory says of itself. */
void modules_find_all(struct modules *m, const struct target *t);

/* The module that has this address, or NULL. */
const struct module *modules_at(const struct modules *m, uint64_t address);

void modules_release(struct modules *m);

#endif
