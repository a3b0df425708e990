/* SPDX-License-Identifier: MIT */
/*
 * plugins.c - loads libraries one after the other, runs each for a while, unloads it.
 *
 * plugins ROUNDS LIBRARY...
 * plugins nROUNDS LIBRARY...    each in a namespace of its own
 *
 * Each library has a function void plugin(void). Prints where each was loaded, so that a test
 * sees whether an address was used twice.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	bool is_new = argc > 1 && argv[1][0] == 'n';
	int rounds = argc > 1 ? atoi(argv[1] + is_new) : 0;

	for (int i = 0; i < rounds * (argc - 2); i++) {
		const char *path = argv[2 + i % (argc - 2)];
		void *library =
			is_new ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
		void (*plugin)(void) = library ? (void (*)(void))dlsym(library, "plugin") : NULL;

		if (!plugin) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		printf("%p\n", (void *)plugin);
		plugin();
		dlclose(library);
	}
	return 0;
}
