/* SPDX-License-Identifier: MIT */
/*
 * kept_file.h - copies of programs and libraries that were recorded, by build id, in the user's cache directory.
 *
 * In: a file that ran. Out: the same names, after the file has been built anew or removed.
 *
 * A recording has addresses. Whoever edits, builds again and compares has no file any more that names
 * those of the run before. So files outside of the system's directories are kept: whole, or if that
 * is more than KEPT_BYTES_MAX, what names code. Nothing here is an error: where files cannot be kept,
 * there are none.
 */
#ifndef ELF_KEPT_FILE_H
#define ELF_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/elf_file.h"

/* Of a kept file. */
#define KEPT_BYTES_MAX (UINT64_C(128) << 20)
/* Of all; those that were used least recently are removed. */
#define KEPT_ALL_BYTES_MAX (UINT64_C(256) << 20)
#define KEPT_FILES_MAX	   1000u
/* One program adds no file to more than that. 60 MB take 0.02 s. */
#define KEPT_RUN_BYTES_MAX (UINT64_C(128) << 20)

/* From now on files are kept and found, unless CPSAMPLE_KEEP is "off" in the environment. Without this call neither happens. */
void kept_file_use(void);

/* Keep a file that has a build id, unless it is kept already, or the system's (/usr except /usr/local, /lib, /bin). */
void kept_file_add(const struct elf_file *f);

/* Open the kept file of that build id, whose bytes are those that were written. Returns 1; 0 if there is none; -ENOMEM. */
int kept_file_open(struct elf_file *f, const unsigned char *id, size_t id_bytes);
/* Whether it had debug information that was too large to be kept. */
bool kept_file_lacks_debug(const struct elf_file *f);

#endif
