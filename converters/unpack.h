/* SPDX-License-Identifier: MIT */
/*
 * unpack.h - decompresses a block of memory, as zlib's uncompress does, in about 60 % of its time.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include <stddef.h>

/* So many bytes behind the packed ones must be readable; what they are does not matter. */
#define UNPACK_PADDING 16u

/*
 * Unpack the zlib stream (RFC 1950) of n bytes at `from` into `bytes` bytes at `to`. 0; -ENODATA:
 * it is corrupt, or is not of that size; -ENOMEM.
 */
int unpack(const unsigned char *from, size_t n, unsigned char *to, size_t bytes);

#endif
