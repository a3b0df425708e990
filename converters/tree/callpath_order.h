/* SPDX-License-Identifier: MIT */
/*
 * callpath_order.h - the order in which a profile lists its call paths.
 *
 * Shape room. In: struct callpaths without an order. Out: its order.
 */
#ifndef CALLPATH_ORDER_H
#define CALLPATH_ORDER_H

#include "tree/callpath.h"

/* Fill c->order. Returns 0 or -1 (memory). */
int callpath_order(struct callpaths *c, struct error *err);

#endif
