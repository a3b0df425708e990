/* SPDX-License-Identifier: MIT */
/*
 * gzip.h - writes a message compressed by gzip (RFC 1952).
 */
#ifndef GZIP_H
#define GZIP_H

#include "base/error.h"
#include "export/protobuf.h"
#include "write/out.h"

/* 0, or -1 with the error: no memory. */
int gzip_write(struct out *o, const struct protobuf *message, struct error *err);

#endif
