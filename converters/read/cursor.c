/* SPDX-License-Identifier: MIT */
/*
 * cursor.c - CURSOR_SHORT, which is compared by its address.
 */
#include "read/cursor.h"

const char CURSOR_SHORT[] = "it ends too early";
