/* SPDX-License-Identifier: MIT */
/*
 * traced.c - whether a debugger traces this process.
 *
 * In: /proc/self/status. Out: the answer.
 */
#include <string.h>

#include "base/descriptor.h"
#include "base/sys.h"
#include "resource/traced.h"

bool cps_traced_is(void)
{
	static const char wanted[] = "TracerPid:\t";
	char text[1024];
	const char *line;
	int fd = cps_descriptor_open("/proc/self/status", O_RDONLY, 0);
	long n = fd < 0 ? 0 : cps_sys_read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		cps_sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, wanted);
	return line && line[sizeof(wanted) - 1] != '0';
}
