/* SPDX-License-Identifier: MIT */
/*
 * explore_load.c - reads and frees the profiles that cpprof explores.
 *
 * In: files. Out: a profile for each resource, and warnings.
 */
#include <stdlib.h>

#include "explore/explore.h"
#include "pipeline/load.h"
#include "pipeline/message.h"

/* The profiles are e's from now on, also after an error. */
static int take_profiles(struct explore *e, struct profile **list, size_t n, struct error *err)
{
	e->profiles = calloc(n, sizeof(*e->profiles));
	if (!e->profiles) {
		for (size_t i = 0; i < n; i++)
			profile_free(list[i]);
		return error_memory(err);
	}
	e->size = n;
	for (; e->n < n; e->n++)
		e->profiles[e->n] = (struct explore_profile){
			.analysis.profile = list[e->n],
			.states = e->options.chosen.states,
			.at = e->options.chosen.at,
		};
	return 0;
}

int explore_load(struct explore *e, const struct sources *from, struct error *err)
{
	struct load_result result;
	bool has_kernel = !e->options.kernel;
	int status;

	e->from = from;
	if (load_profiles(from, &e->options, LOAD_BY_RESOURCE, &result, err))
		return -1;
	status = take_profiles(e, result.list, result.n, err);
	free(result.list);
	for (size_t i = 0; !status && i < result.n; i++) {
		has_kernel |= e->profiles[i].analysis.profile->has_kernel;
		status = warnings_profile(e->profiles[i].analysis.profile, e->options.strict, err);
	}
	warnings_kernel(status || has_kernel);
	if (!status)
		warnings_unmatched(&result.match.threads, "thread");
	selection_match_free(&result.match);
	return status;
}

void explore_profile_clear(struct explore_profile *p)
{
	explore_comparison_free(p);
	explore_names_free(&p->names);
	explore_names_free(&p->once_names);
	p->once.profile = NULL; /* `analysis` owns it */
	analysis_free(&p->once);
	analysis_free(&p->analysis);
}

void explore_free(struct explore *e)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		explore_profile_clear(&e->profiles[i]);
	for (i = 0; i < e->n_kept; i++)
		free(e->kept[i]);
	for (i = 0; i < e->n_shown; i++)
		free(e->shown[i]);
	free(e->shown);
	free(e->bases);
	free(e->numbers.names);
	free(e->profiles);
	free(e->kept);
}
