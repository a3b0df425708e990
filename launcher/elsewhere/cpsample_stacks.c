/* SPDX-License-Identifier: MIT */
/*
 * cpsample_stacks.c - says that processes that run already are not looked at on this machine.
 */
#include <stdio.h>

int main(void)
{
	fputs("cpsample: stacks of processes that run already are written on x86-64 only\n",
	      stderr);
	return 125;
}
