/* SPDX-License-Identifier: MIT */
/*
 * output_name.h - the name of a recording, from its template.
 */
#ifndef CPS_OUTPUT_NAME_H
#define CPS_OUTPUT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
