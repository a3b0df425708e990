/* SPDX-License-Identifier: MIT */
/*
 * commands.h - names each process by its program and the argument that tells its command from
 * those of the others.
 *
 * In: struct profile. Out: texts such as "cc1 arena.c".
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "model/profile.h"

/*
 * The texts are strings of the profile, which get new ones; one for each process, in its order. The
 * argument is, of those behind the program's name, the one that the fewest processes of the same
 * program have. Options and names in /tmp are only taken if no other argument differs. Among equals
 * one that looks like a file is taken, rather than the value of an option, and then the first. A file
 * stands there without its directory if that tells as much.
 * A process without arguments has the program's name alone. The caller frees the list. NULL: memory.
 */
uint32_t *commands_name(struct strings *strings, const struct profile_process *processes, size_t n);

#endif
