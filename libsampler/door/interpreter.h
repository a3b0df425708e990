/* SPDX-License-Identifier: MIT */
/*
 * interpreter.h - finds a Python interpreter among what is loaded.
 */
#ifndef CPS_INTERPRETER_H
#define CPS_INTERPRETER_H

/* To be called once, outside handlers, when the modules are known (cps_module_init). */
void cps_interpreter_find(void);

#endif
