/* SPDX-License-Identifier: MIT */
/*
 * plt.h - names the stubs through which a module calls functions of other modules.
 *
 * In: an ELF file. Out: symbols in a table.
 */
#ifndef PLT_H
#define PLT_H

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/*
 * Add a symbol (is_stub) for each stub whose jump target is known. The section SHT_DYNSYM of f must
 * have been added to the table, which has the names. Sections that cannot be read add no symbols.
 * Returns 0 or -ENOMEM.
 */
int plt_add_symbols(struct symbol_table *t, const struct elf_file *f);

#endif
