/* SPDX-License-Identifier: MIT */
/*
 * file_name.c - composes names of recordings.
 *
 * In: what comes before and after a number. Out: a path, and its directories.
 */
#include <string.h>

#include "base/sys.h"
#include "base/writer.h"
#include "stream/file_name.h"
#include "base/poison.h"

bool cps_file_name(char *path, size_t room, const char *stem, unsigned n, const char *suffix)
{
	char number[16], *p = number + sizeof(number);
	struct cps_writer w = {(uint8_t *)path, (uint8_t *)path + room, false};

	*--p = '\0';
	for (unsigned rest = n; rest; rest /= 10)
		*--p = (char)('0' + rest % 10);
	if (n)
		*--p = '.';
	cps_put_bytes(&w, stem, strlen(stem));
	cps_put_bytes(&w, p, strlen(p));
	cps_put_bytes(&w, suffix, strlen(suffix) + 1);
	return !w.full;
}

void cps_file_name_make_directories(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		CPS_SYS(mkdirat, AT_FDCWD, path, 0777, 0);
		*p = '/';
	}
}
