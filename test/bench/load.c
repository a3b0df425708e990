/* SPDX-License-Identifier: MIT */
/*
 * load.c - loads one of two libraries, runs its function and unloads it, again and again.
 *
 * load MS LEFT RIGHT: the libraries, drawn 70 to 30, have the functions plugin_left and plugin_right
 * (plugin.c), mostly at the same address. Prints "total plugin_left NS" and "process NS".
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../targets/burn.h"
#include "draw.h"

int main(int argc, char **argv)
{
	static const char *const name[2] = {"plugin_left", "plugin_right"};
	uint64_t end = argc > 3 ? strtoull(argv[1], NULL, 10) * 1000000 : 0, used[2] = {0, 0};

	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
		unsigned which = draw(100) >= 70;
		void *library = dlopen(argv[2 + which], RTLD_NOW);
		uint64_t (*run)(unsigned long) =
			library ? (uint64_t(*)(unsigned long))dlsym(library, name[which]) : NULL;
		unsigned long turns = 40000 + draw(1600000);
		uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

		if (!run || run(turns) == 42)
			return 1;
		used[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
		dlclose(library);
	}
	printf("total plugin_left %llu\nprocess %llu\n", (unsigned long long)used[0],
	       (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
