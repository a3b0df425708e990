/* SPDX-License-Identifier: MIT */
/*
 * pack_journal.h - makes a journal small.
 */
#ifndef PACK_JOURNAL_H
#define PACK_JOURNAL_H

#include <stddef.h>

#include "read/pack_file.h"

/* Write the journal in a part of an open file anew, with room for no more than its buffers hold. The caller frees
 * *bytes. Returns 1; 0 if the journal is damaged or would not become smaller; -1 if memory is out. */
int pack_journal_shrink(int fd, const struct pack_span *from, unsigned char **bytes, size_t *n);

#endif
