/* SPDX-License-Identifier: MIT */
/*
 * gzip.c - compresses a message as a whole.
 *
 * In: the message's bytes. Out: a file of gzip.
 */
#include "export/gzip.h"

#include <libdeflate.h>
#include <stdlib.h>

#define LEVEL 6 /* of compression */

int gzip_write(struct out *o, const struct protobuf *message, struct error *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most = c ? libdeflate_gzip_compress_bound(c, message->n) : 0;
	char *bytes = c ? malloc(most) : NULL;
	size_t n = bytes ? libdeflate_gzip_compress(c, message->bytes, message->n, bytes, most) : 0;

	if (n)
		out_bytes(o, bytes, n);
	free(bytes);
	if (c)
		libdeflate_free_compressor(c);
	return n ? 0 : error_memory(err);
}
