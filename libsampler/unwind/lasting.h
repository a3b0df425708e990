/* SPDX-License-Identifier: MIT */
/*
 * lasting.h - tells which files of the loader's list are never unloaded.
 *
 * These are the program, what is preloaded, and what they need. A constructor of theirs may have opened others by
 * dlopen before the recorder began, which dlclose unloads. The loader appends those to its list, behind the others.
 */
#ifndef CPS_LASTING_H
#define CPS_LASTING_H

#include <link.h>

/* [signal] The last of them in the list that begins with the program. Names of files are compared with what the
 * files before them need, so that one too many is not taken; one too few may be. To be called at the start. */
const struct link_map *cps_lasting_last(const struct link_map *first);

#endif
