/* SPDX-License-Identifier: MIT */
/*
 * machine.c - finds the table of a machine.
 */
#include <string.h>

#include "arch/machine.h"

static const struct machine *const all[] = {&machine_x86_64, &machine_aarch64, &machine_riscv64};

#define COUNT (sizeof(all) / sizeof(all[0]))

const struct machine *machine_of_elf(uint16_t elf)
{
	for (size_t i = 0; i < COUNT; i++)
		if (all[i]->elf == elf)
			return all[i];
	return NULL;
}

const struct machine *machine_named(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}
