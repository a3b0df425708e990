/* SPDX-License-Identifier: MIT */
/*
 * plt.h - names for the stubs through which a module calls functions of others.
 */
#ifndef PLT_H
#define PLT_H

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/*
 * Add a symbol (is_stub) for each stub whose jump target is known; the table has the names of f's
 * SHT_DYNSYM section. 0, or -ENOMEM; what cannot be read adds nothing.
 */
int plt_add_symbols(struct symbol_table *t, const struct elf_file *f);

#endif
