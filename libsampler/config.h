/* SPDX-License-Identifier: MIT */
/*
 * config.h - the settings, as read once from the environment (libcpsample.7).
 */
#ifndef CPS_CONFIG_H
#define CPS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cps_resource { CPS_RESOURCE_CPU, CPS_RESOURCE_SIGNALS };

struct cps_config {
	enum cps_resource resource;
	uint64_t interval_ns; /* mean */
	const char *clock;    /* name of a clock */
	const char *output;   /* template, relative to the working directory at the start */
	bool verbose;
	bool jitter; /* intervals uniform in [0.5, 1.5] of the mean (Hall & Goldberg, 7.1) */
	uint64_t seed;
};

/*
 * Read CPSAMPLE_*. 0, or -1 with one line (newline included) in `complaint` that names the
 * setting and what it may be.
 */
int cps_config_read(struct cps_config *config, char *complaint, size_t bytes);

#endif
