/* SPDX-License-Identifier: MIT */
/*
 * thrift.h - writes Thrift's compact protocol, of which the headers of Parquet are made.
 *
 * In: fields of structs. Out: bytes. The protocol is described in
 * github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
 */
#ifndef THRIFT_H
#define THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THRIFT_DEEPEST 8

/* All zero at first. */
struct thrift {
	unsigned char *bytes;
	size_t n, size;
	bool is_out_of_memory;	  /* from then on nothing is written */
	unsigned depth;		  /* of structs */
	int last[THRIFT_DEEPEST]; /* the number of the last field of each */
};

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_TEXT = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

/* Fields of the innermost struct, in ascending order of their numbers. */
void thrift_i32(struct thrift *t, int field, int32_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_text(struct thrift *t, int field, const char *text);
/* A list of n, which have to follow: structs, or by the two functions below. */
void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n);
void thrift_element_i32(struct thrift *t, int32_t value);
void thrift_element_text(struct thrift *t, const char *text);

/* A struct begins: as a field, or as an element of a list or alone (field 0). Each has to end. */
void thrift_begin(struct thrift *t, int field);
void thrift_end(struct thrift *t);

void thrift_free(struct thrift *t);

#endif
