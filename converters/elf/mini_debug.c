/* SPDX-License-Identifier: MIT */
/*
 * mini_debug.c - unpacks the section .gnu_debugdata.
 *
 * In: bytes that anybody may have written. Out: an ELF file in memory, of at most RATIO_MAX times as
 * many.
 */
#include "elf/mini_debug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "base/array.h"
#include "elf/elf_section.h"

/* Tables of symbols shrink to a fifth or a tenth. */
#define RATIO_MAX 200u
#define BYTES_MAX (UINT64_C(1) << 28)
/* What the decoder itself may use; the highest preset of xz takes 65 MiB. */
#define DECODER_BYTES (UINT64_C(1) << 27)
#define STEP_BYTES    65536u

struct unpacking {
	lzma_stream z;
	unsigned char *bytes;
	size_t n, size, most;
};

/* 1: there may be more, 0: it is over, -ENODATA, -ENOMEM. */
static int unpack_step(struct unpacking *u)
{
	lzma_ret result;

	if (u->n >= u->most)
		return -ENODATA;
	if (!array_reserve(&u->bytes, &u->size, u->n + STEP_BYTES, 1))
		return -ENOMEM;
	u->z.next_out = u->bytes + u->n;
	u->z.avail_out = STEP_BYTES;
	result = lzma_code(&u->z, LZMA_FINISH);
	u->n += STEP_BYTES - u->z.avail_out;
	if (result == LZMA_MEM_ERROR)
		return -ENOMEM;
	if (result == LZMA_STREAM_END)
		return u->n <= u->most ? 0 : -ENODATA;
	return result == LZMA_OK ? 1 : -ENODATA;
}

static int unpack(struct unpacking *u, const unsigned char *from, size_t n)
{
	int rc = 1;

	u->z = (lzma_stream)LZMA_STREAM_INIT;
	u->most = n < BYTES_MAX / RATIO_MAX ? n * RATIO_MAX : BYTES_MAX;
	u->z.next_in = from;
	u->z.avail_in = n;
	switch (lzma_stream_decoder(&u->z, DECODER_BYTES, 0)) {
	case LZMA_OK:
		break;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	default:
		return -ENODATA;
	}
	while (rc > 0)
		rc = unpack_step(u);
	lzma_end(&u->z);
	return rc;
}

/* Read and unpack the section. */
static int load(struct unpacking *u, const struct elf_file *main, const Elf64_Shdr *s)
{
	uint64_t bytes = elf_section_bytes(main, s);
	unsigned char *packed;
	int rc;

	if (!bytes || bytes > BYTES_MAX)
		return -ENODATA;
	packed = malloc(bytes);
	if (!packed)
		return -ENOMEM;
	rc = elf_section_read(main, s, packed);
	if (!rc)
		rc = unpack(u, packed, bytes);
	free(packed);
	return rc;
}

int mini_debug_open(struct elf_file *mini, unsigned char **image, const struct elf_file *main)
{
	const Elf64_Shdr *s = elf_section_named(main, ".gnu_debugdata");
	struct unpacking u = {.n = 0};
	struct error unused;
	int rc = s ? load(&u, main, s) : -ENODATA;

	if (!rc)
		rc = elf_file_open_image(mini, u.bytes, u.n, &unused);
	if (!rc) {
		*image = u.bytes;
		return 1;
	}
	free(u.bytes);
	return rc == -ENOMEM ? rc : 0;
}
