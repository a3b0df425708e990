/* SPDX-License-Identifier: MIT */
/*
 * entry.c - what of regs.h is not inline.
 */
#include "arch/arch.h"
#include "base/poison.h"

CPS_REGS_WITH_KEPT;
