/* SPDX-License-Identifier: MIT */
/*
 * cursor.c - the reason that readers of a block compare by its address.
 */
#include "read/cursor.h"

const char CURSOR_SHORT[] = "it ends too early";
