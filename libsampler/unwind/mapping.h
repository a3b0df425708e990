/* SPDX-License-Identifier: MIT */
/*
 * mapping.h - asks the kernel what is mapped at an address.
 *
 * Since version 6.11 the kernel answers about one address (PROCMAP_QUERY). Before that its list is read, as
 * text, up to the address or to CPS_MAPPING_BYTES_MAX: a program can have 65,000 mappings, and the caller
 * may be a signal handler.
 */
#ifndef CPS_MAPPING_H
#define CPS_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#define CPS_MAPPING_BYTES_MAX (256u << 10) /* of text, which is 2,500 to 5,000 mappings */

struct cps_mapping {
	uintptr_t start, end;
	uint64_t offset;       /* in the file */
	uint64_t inode;	       /* 0: no file */
	uint64_t major, minor; /* the file's device */
	bool is_executable;
};

/* [signal] A descriptor to ask with, which the caller closes; or -errno. */
int cps_mapping_open(void);

/* [signal] The mapping that holds the address. False: there is none, or it was not found within the bound.
 * One thread at a time may call this, since the text has one place for all. */
bool cps_mapping_ask(int fd, uintptr_t address, struct cps_mapping *m);

/* [signal] The same, always by reading the text: for kernels before 6.11. */
bool cps_mapping_read(int fd, uintptr_t address, struct cps_mapping *m);

/* [signal] The first executable mapping of the same file for which `is_wanted` is true. */
bool cps_mapping_of_same_file(int fd, const struct cps_mapping *of,
			      bool (*is_wanted)(const struct cps_mapping *), struct cps_mapping *m);

#endif
