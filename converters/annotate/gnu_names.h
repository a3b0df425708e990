/* SPDX-License-Identifier: MIT */
/*
 * gnu_names.h - what GNU's assembler and objdump call instructions.
 *
 * In: a decoded instruction. Out: its name.
 */
#ifndef GNU_NAMES_H
#define GNU_NAMES_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

#define GNU_NAME_BYTES 32

/* The name, if Zydis has another one for it in AT&T's syntax. False: that of Zydis is right. Where both know several names
 * (nop and xchg, vpcmpub and vpcmpltub), that of Zydis stays. */
bool gnu_names_find(const ZydisDecodedInstruction *what, const ZydisDecodedOperand *operands,
		    char name[GNU_NAME_BYTES]);

#endif
