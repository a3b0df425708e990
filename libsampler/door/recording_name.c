/* SPDX-License-Identifier: MIT */
/*
 * recording_name.c - says where the recording of this process goes.
 *
 * In: the template, what is known of the process. Out: the name, and limits, for who writes.
 */
#include <string.h>

#include "door/output.h"
#include "door/own_memory.h"
#include "door/recording_name.h"
#include "stream/recording.h"

#define SECOND UINT64_C(1000000000)

static char stem[4096];
static const char *suffix = "";

/* "dir/name.cps" becomes "dir/name" and ".cps". */
int cps_recording_name_prepare(const struct cps_config *config, struct cps_identity *identity)
{
	struct cps_output_names names = {.exe = identity->started_as ? identity->started_as
								     : identity->exe,
					 .cwd = identity->cwd,
					 .pid = (unsigned)cps_own_memory_pid(),
					 .start_s = identity->start_ns / SECOND};
	struct cps_output output = {.stem = stem,
				    .suffix = "",
				    .identity = identity,
				    .makes_directories = config->makes_directories,
				    .max_bytes = config->max_bytes,
				    .journal_bytes = config->journal_bytes};
	size_t n;

	if (cps_output_expand(config->output, &names, stem, sizeof(stem)) < 0)
		return -1;
	n = strlen(stem);
	if (n > 4 && strcmp(stem + n - 4, ".cps") == 0) {
		output.suffix = suffix = ".cps";
		stem[n - 4] = '\0';
	}
	cps_recording_prepare(&output);
	return 0;
}

const char *cps_recording_name_stem(void)
{
	return stem;
}

const char *cps_recording_name_suffix(void)
{
	return suffix;
}
