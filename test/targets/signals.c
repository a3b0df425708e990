/* SPDX-License-Identifier: MIT */
/*
 * signals.c - sends itself SIGPROF, from a function with a name.
 *
 * signals N: N times, one after the other. Prints "sent N".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void send(void)
{
	if (raise(SIGPROF))
		abort();
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;

	for (unsigned long i = 0; i < n; i++)
		send();
	printf("sent %lu\n", n);
	return 0;
}
