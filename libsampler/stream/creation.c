/* SPDX-License-Identifier: MIT */
/*
 * creation.c - creates the two files of a recording.
 *
 * In: where to record. Out: a stream that says what process it is of, and an empty journal.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sys.h"
#include "format.h"
#include "stream/atoms.h"
#include "stream/creation.h"
#include "stream/file_name.h"
#include "stream/journal.h"
#include "stream/lineage.h"
#include "stream/pack.h"
#include "stream/record.h"
#include "stream/recording.h"
#include "base/poison.h"

#define PATH_BYTES     8192
#define NAMES_TO_TRY   10000
#define IDENTITY_BYTES (512u << 10)

static char path[PATH_BYTES], journal_path[PATH_BYTES];

/* Creates the stream's file. It replaces no recording, and does not use the name of a recording
 * that was moved away while its journal stayed. */
static int create_file(const struct cps_output *output)
{
	int error = -ENAMETOOLONG;

	if (output->makes_directories && cps_file_name(path, PATH_BYTES, output->stem, 0, ""))
		cps_file_name_make_directories(path);
	for (unsigned n = 0; n < NAMES_TO_TRY; n++) {
		if (!cps_file_name(path, PATH_BYTES - 32, output->stem, n, output->suffix))
			break;
		memcpy(journal_path, path, sizeof(path));
		memcpy(journal_path + strlen(path), CPS_JOURNAL_SUFFIX, sizeof(CPS_JOURNAL_SUFFIX));
		error = -EEXIST;
		if (CPS_SYS(faccessat, AT_FDCWD, journal_path, F_OK, 0) != 0)
			error = cps_pack_create(path, output->max_bytes,
						cps_atoms_are_plain() ? CPS_VERSION_CLOCK
								      : CPS_VERSION);
		if (error != -EEXIST)
			break;
	}
	return error;
}

static int write_identity(const struct cps_output *output)
{
	uint8_t *bytes = cps_arena_pages(IDENTITY_BYTES);
	struct cps_writer w = {bytes, bytes, false};
	int error;

	if (!bytes)
		return -ENOMEM;
	w.end += IDENTITY_BYTES;
	cps_lineage_find(&output->identity->lineage);
	cps_record_process(&w, output->identity);
	cps_atoms_write(&w, 0, 0);
	error = w.full ? -E2BIG : cps_pack_append(bytes, (size_t)(w.p - bytes));
	cps_sys_munmap(bytes, IDENTITY_BYTES);
	return error;
}

int cps_creation_make(const struct cps_output *output)
{
	int error;

	if (!cps_pack_try())
		return -EBUSY;
	error = create_file(output);
	if (!error)
		error = write_identity(output);
	if (!error)
		error = cps_journal_open(journal_path, output->identity->journal_id,
					 output->journal_bytes);
	if (error) {
		cps_pack_discard();
		cps_creation_forget();
	}
	cps_pack_release();
	return error;
}

const char *cps_creation_path(void)
{
	return path[0] ? path : NULL;
}

const char *cps_creation_journal_path(void)
{
	return journal_path;
}

void cps_creation_forget(void)
{
	path[0] = '\0';
}
