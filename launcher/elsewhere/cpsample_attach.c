/* SPDX-License-Identifier: MIT */
/*
 * cpsample_attach.c - says that processes that run already are not recorded on this machine.
 */
#include <stdio.h>

int main(void)
{
	fputs("cpsample: processes that run already are recorded on x86-64 only\n", stderr);
	return 125;
}
