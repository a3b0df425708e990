/* SPDX-License-Identifier: MIT */
/*
 * pack_format.h - constants of the names in a pack, for the code that reads and writes them.
 */
#ifndef PACK_FORMAT_H
#define PACK_FORMAT_H

/* Before the packed bytes stands how many they become, little-endian. */
#define PACK_SIZE_BYTES 8u
/* They become at most so many times as many: names shrink to half, and what shrinks much more is forged. */
#define PACK_RATIO_MAX 50u
/* No pack has more names than that, or more of code. A compiler's run has some 150 kB of names. */
#define PACK_BYTES_MAX (UINT64_C(1) << 26)

enum pack_module_flag { PACK_MODULE_IS_VDSO = 1, PACK_MODULE_HAS_FILE = 2 };
enum pack_symbol_flag { PACK_SYMBOL_IS_STUB = 1 };

#endif
