/* SPDX-License-Identifier: MIT */
/*
 * generated.h - names the code that a process has generated.
 */
#ifndef LAUNCHER_GENERATED_H
#define LAUNCHER_GENERATED_H

#include "launcher/target.h"
#include "model/perf_map.h"

/* The perf map of the process, where it has one in /tmp that can be trusted, or NULL. To be freed by perf_map_free. */
struct perf_map *generated_open(const struct target *t);

#endif
