/* SPDX-License-Identifier: MIT */
/*
 * kernel_io.c - compares what the recorder counts with /proc/self/io.
 *
 * In: the kernel's count at the beginning and at the end. Out: a line of the resources read and write in
 * the recording, for cpconv --info. What the recorder writes to its file is taken off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/descriptor.h"
#include "base/sys.h"
#include "door/kernel_io.h"
#include "resource/resource.h"
#include "stream/pack.h"

struct io {
	uint64_t read, written;
};

static struct io before;
static int known_for; /* the process that `before` is of; 0: none */

/* The number behind "name: ". */
static bool find(const char *text, const char *name, uint64_t *value)
{
	const char *p = strstr(text, name);

	if (!p)
		return false;
	*value = 0;
	for (p += strlen(name); *p >= '0' && *p <= '9'; p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	return true;
}

static bool look(struct io *io)
{
	char text[512];
	int fd = cps_descriptor_open("/proc/self/io", O_RDONLY, 0);
	long n = fd >= 0 ? cps_sys_read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		cps_sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return find(text, "rchar: ", &io->read) && find(text, "wchar: ", &io->written);
}

void cps_kernel_io_begin(void)
{
	int pid = cps_sys_getpid();

	if (known_for != pid)
		known_for = look(&before) ? pid : 0;
}

static void say(uint32_t resource, uint64_t bytes, char line[], size_t room)
{
	if (!cps_resource_is_counted(resource))
		return;
	snprintf(line, room,
		 "the kernel has counted %llu bytes, with children that were waited for",
		 (unsigned long long)bytes);
	cps_resource_explain(resource, line);
}

void cps_kernel_io_end(uint64_t waiting)
{
	static char of_read[96], of_write[96];
	struct io now;
	uint64_t own = cps_pack_file_bytes();

	if (!known_for || known_for != cps_sys_getpid() || !look(&now) ||
	    now.written - before.written < own)
		return;
	say(CPS_RESOURCE_OF_bytes_read, now.read - before.read, of_read, sizeof(of_read));
	say(CPS_RESOURCE_OF_bytes_write, now.written - before.written - own + waiting, of_write,
	    sizeof(of_write));
}
