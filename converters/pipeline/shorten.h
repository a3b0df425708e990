/* SPDX-License-Identifier: MIT */
/*
 * shorten.h - settles how the functions of a tree or graph are shown to people.
 *
 * In: names, an option. Out: what strings_shown returns.
 */
#ifndef SHORTEN_H
#define SHORTEN_H

#include "graph/graph.h"
#include "symbols/symbols.h"
#include "tree/tree.h"

/* Show the functions of the tree as the options of the symbols say. Returns -1 if memory is out. */
int shorten_tree(struct symbols *s, const struct tree *t, struct error *err);

/* The same for a graph that was read without stacks: its names are only text. */
int shorten_graph(struct strings *strings, const struct graph *g, struct error *err);

#endif
