/* SPDX-License-Identifier: MIT */
/*
 * pack_set.h - the packs that are read, whose names and code are read when they are asked for, for the first time.
 */
#ifndef PACK_SET_H
#define PACK_SET_H

#include "pack/pack_names.h"

struct pack_set {
	char **paths; /* owned */
	size_t n, size;
	struct pack_names *names; /* n of them, or NULL: not read yet */
	struct pack_names *code;  /* likewise; those of code */
};

/* Add a pack, unless it is there. */
int pack_set_add(struct pack_set *s, const char *path, struct error *err);
/* Read all names, unless they have been read. -1: a pack is damaged, or memory is out. */
int pack_set_read(struct pack_set *s, struct error *err);
/* The same of what packs have of code. */
int pack_set_read_code(struct pack_set *s, struct error *err);
/* Number i of all that was read: the names of each pack, behind them what each has of code. */
static inline const struct pack_names *pack_set_get(const struct pack_set *s, size_t i)
{
	return i < s->n ? &s->names[i] : &s->code[i - s->n];
}
void pack_set_clear(struct pack_set *s);

#endif
