/* SPDX-License-Identifier: MIT */
/*
 * decode_map.c - pushes the perf map that was packed with a recording.
 *
 * In: the path of a recording in a pack. Out: events of generated code.
 *
 * Elsewhere the map is in the recording or in a file in /tmp, which does not stay there.
 */
#include "read/decode_stream.h"
#include "read/pack_file.h"

#define PIECE_BYTES 65536u

static int push_piece(struct decode_stream *s, const struct pack_file *pack,
		      const struct pack_span *piece)
{
	char bytes[PIECE_BYTES];
	const struct event_jit e = {{bytes, (size_t)piece->bytes}};

	if (pack_file_read(pack, piece, bytes, s->err))
		return -1;
	return s->sink->jit(s->sink->context, &e, s->err);
}

int decode_map(struct decode_stream *s, const char *path)
{
	struct pack_entry entry;
	struct pack_file pack;
	int status = 0;

	if (!s->life || !s->sink->jit)
		return 0;
	if (pack_file_find(&pack, path, &entry, s->err) <= 0)
		return -1;
	for (struct pack_span rest = entry.parts[PACK_MAP]; !status && rest.bytes;) {
		struct pack_span piece = rest;

		if (piece.bytes > PIECE_BYTES)
			piece.bytes = PIECE_BYTES;
		status = push_piece(s, &pack, &piece);
		rest.offset += piece.bytes;
		rest.bytes -= piece.bytes;
	}
	pack_file_close(&pack);
	return status;
}
