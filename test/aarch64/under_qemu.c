/* SPDX-License-Identifier: MIT */
/*
 * under_qemu.c - stands for a program of another machine, which qemu runs in its place.
 *
 * In: DIRECTORY/NAME ARGUMENT..., the program DIRECTORY/real/NAME, and ROOT with its libraries. Out: what the program does. It is
 * linked statically, since LD_PRELOAD is for the program, and the loader of this machine would complain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ROOT
#define ROOT "/"
#endif
#ifndef MACHINE
#define MACHINE "aarch64"
#endif

enum { ARGUMENTS = 1000 };

int main(int argc, char **argv)
{
	const char *preload = getenv("LD_PRELOAD");
	char self[4000], real[4100], library[4200], root[] = ROOT;
	char *arguments[ARGUMENTS + 10] = {"qemu-" MACHINE, "-L", root, "-0", argv[0]};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int used = 5;
	char *slash;

	if (n <= 0 || argc > ARGUMENTS)
		return 126;
	self[n] = '\0';
	slash = strrchr(self, '/');
	snprintf(real, sizeof(real), "%.*s/real/%s", (int)(slash - self), self, slash + 1);
	if (preload) {
		snprintf(library, sizeof(library), "LD_PRELOAD=%s", preload);
		arguments[used++] = "-E";
		arguments[used++] = library;
		unsetenv("LD_PRELOAD");
	}
	arguments[used++] = real;
	for (int i = 1; i < argc; i++)
		arguments[used++] = argv[i];
	execvp(arguments[0], arguments);
	perror("qemu-" MACHINE);
	return 126;
}
