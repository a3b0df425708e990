/* SPDX-License-Identifier: MIT */
/*
 * resident.h - how much memory of the process is resident.
 */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdio.h>

/* What the page tables say: before Linux 6.2 the counters of /proc/self/status lag behind. */
static long resident_kb(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kb = 0;

	while (file && fgets(line, sizeof(line), file) && sscanf(line, "Rss: %ld", &kb) != 1)
		;
	if (file)
		fclose(file);
	return kb;
}

#endif
