/* SPDX-License-Identifier: MIT */
/*
 * output.h - says where the recording goes, and makes room for it.
 */
#ifndef CPS_OUTPUT_H
#define CPS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/config.h"
#include "stream/record.h"

/* ---- rank ------------------------------------------------------------------------------------ */
/*
 * The number that a launcher of parallel programs has given this process.
 */

/* False: no launcher has. Else *rank is below CPS_RANKS. A process that was started by one with a rank has the same
 * environment, and so the same rank. */
bool cps_rank_find(uint32_t *rank);

/* ---- output ---------------------------------------------------------------------------------- */
/*
 * Makes the path of the stream from the name template.
 */

struct cps_output_names {
	const char *exe; /* for %e, its last component */
	const char *cwd; /* for a relative template; may be NULL */
	unsigned pid;
	unsigned long long start_s;
};

/*
 * Expand %p (process id), %e (program), %h (host), %t (start, seconds since 1970), %r (rank under
 * MPI or Slurm, else 0), %{VAR} (environment) and %% to an absolute path of at most `bytes`. 0; or
 * -1: what follows a % has no meaning, or the path is too long.
 */
int cps_output_expand(const char *template, const struct cps_output_names *names, char *path,
		      size_t bytes);

/*
 * Expand all but %p, %t and %%. These differ between processes that fork makes, and can be expanded
 * there without the environment. 0 or -1 as above.
 */
int cps_output_fix(const char *template, const char *exe, char *fixed, size_t bytes);

/* ---- recording name -------------------------------------------------------------------------- */
/*
 * Where the recording of this process goes.
 */

/* Make the name from the template and tell it to who writes the recording. Both arguments must stay valid. 0; or
 * -1: it is too long. */
int cps_recording_name_prepare(const struct cps_config *config, struct cps_identity *identity);

/* The name, in two parts between which a number may go. */
const char *cps_recording_name_stem(void);
const char *cps_recording_name_suffix(void);

/* ---- short ----------------------------------------------------------------------------------- */
/*
 * Says what a process has used that leaves no recording (CPS_SHORT in format.h).
 */

/*
 * To be called when the process ends, or becomes another program, without a recording: add a line to the file of its run, which
 * cpsample has given a name. Nothing is added of what recording was not to begin with, nor where the file cannot be made
 * or has its size; and before an exec only if this program has used CPS_SHORT_WORTH_NS, since what follows has the process's CPU
 * time, too. May be called in a signal handler.
 */
#define CPS_SHORT_WORTH_NS 1000000

void cps_short_tell(const struct cps_config *config, const struct cps_identity *identity,
		    enum cps_stop stop);

/* ---- quota ----------------------------------------------------------------------------------- */
/*
 * Keeps the recordings in a directory below a size.
 */

/*
 * Remove the oldest recordings of this user from the directory until all of them together have at
 * most so many bytes. The recording `kept`, a path, stays. A recording is a regular file NAME.cps
 * that begins as recordings do, with its journal if it has one; a journal that has been left alone is
 * treated as one, too, and so is the file of a run's programs without a recording. What is being written stays. May be called in a signal handler.
 */
void cps_quota_keep(const char *directory, uint64_t bytes, const char *kept);

#endif
