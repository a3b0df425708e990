/* SPDX-License-Identifier: MIT */
/*
 * plugin.c - what load.c loads: two libraries are made of it, whose function burns (-DPLUGIN=its name).
 */
#include "../targets/burn.h"

#ifndef PLUGIN
#define PLUGIN plugin
#endif

uint64_t PLUGIN(unsigned long turns);

uint64_t PLUGIN(unsigned long turns)
{
	return burn(turns, turns);
}
