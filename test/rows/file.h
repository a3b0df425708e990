/* SPDX-License-Identifier: MIT */
/*
 * file.h - compares all unwind information of a file.
 */
#ifndef ROWS_FILE_H
#define ROWS_FILE_H

#include "compare.h"

enum file_result {
	FILE_HAS_NO_ROWS, /* it has no .eh_frame_hdr, or one without the table that is searched */
	FILE_REFUSED,	  /* libelf or libdw do not read it, or the loader would not */
	FILE_COMPARED,
};

/* Compare every range of addresses of the file, and what lies between them. The process keeps the
 * memory that this takes. */
enum file_result file_compare(const char *path, struct rows_count *count,
			      volatile enum rows_stage *stage);

#endif
