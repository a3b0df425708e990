/* SPDX-License-Identifier: MIT */
/*
 * expression.h - evaluates the DWARF expressions that call frame information uses.
 *
 * Source: DWARF 4, 2.5.1. Only the operations that can occur in call frame information (6.4.2) are
 * implemented.
 */
#ifndef CPS_EXPRESSION_H
#define CPS_EXPRESSION_H

#include "unwind/cfi.h"
#include "unwind/fde.h"

/* [signal] Evaluate the expression. *value is what is on top of the stack at the end. `first`, if
 * not NULL, is pushed before the start. */
enum cps_step cps_expression_evaluate(struct cps_fde_cursor *b, const struct cps_regs *regs,
				      struct cps_peek *peek, const uint64_t *first,
				      uint64_t *value);

#endif
