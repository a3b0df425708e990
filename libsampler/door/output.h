/* SPDX-License-Identifier: MIT */
/*
 * output.h - from the name template to the path of the stream.
 */
#ifndef CPS_OUTPUT_H
#define CPS_OUTPUT_H

#include <stddef.h>

struct cps_output_names {
	const char *exe; /* for %e, its last component */
	const char *cwd; /* for a relative template; may be NULL */
	unsigned pid;
	unsigned long long start_s;
};

/*
 * Expand %p (process id), %e (program), %h (host), %t (start, seconds since 1970), %r (rank under
 * MPI or Slurm, else 0), %{VAR} (environment) and %% to an absolute path of at most `bytes`. 0,
 * or -1: a % that means nothing, or too long.
 */
int cps_output_expand(const char *template, const struct cps_output_names *names, char *path,
		      size_t bytes);

/*
 * Expand all but %p, %t and %%: what is left differs from process to process that fork makes, and
 * can be expanded there without a look at the environment. 0 or -1 as above.
 */
int cps_output_fix(const char *template, const char *exe, char *fixed, size_t bytes);

#endif
