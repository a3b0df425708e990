/* SPDX-License-Identifier: MIT */
/*
 * target.h - looks at a process from outside: what the kernel says of it, its mappings, its memory, its ELF images.
 */
#ifndef LAUNCHER_TARGET_H
#define LAUNCHER_TARGET_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t begin, end, offset, inode;
	char allowed[8]; /* "r-xp" */
	char *path;	 /* "" if it has none */
};

struct target {
	int pid;
	/* It was not named, but found below one that was: if it ends meanwhile, nothing is said. */
	bool is_found;
	bool may_retry; /* see target_refuse_for_now */
	int memory; /* /proc/PID/mem, which stays with the program that was there when it was opened */
	struct mapping *mappings;
	size_t n_mappings;
	/* It does not see the library, or the directory of the recordings, by their paths. Then the latter. */
	bool sees_other_files;
	const char *directory;
	/* The template of the recording's name, in that directory if it does not see it, with the number that the process has here;
	 * "": it is the usual one. */
	char name[4096];
};

#define IMAGE_HEADERS 32

/* An ELF file as it lies in the memory of the process, also if the file itself is gone. */
struct image {
	uint64_t base, bias;
	Elf64_Phdr headers[IMAGE_HEADERS];
	size_t n_headers;
	Elf64_Sym *symbols;
	size_t n_symbols;
	char *names;
	size_t names_bytes;
};

/* Print one line on standard error that says why the process is not recorded, and end with status 125. */
void target_refuse(const struct target *t, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* The same for what may be otherwise in a moment, as when the process is becoming another program. If may_retry is set nothing is
 * printed, and the status is TARGET_RETRY. */
#define TARGET_RETRY 124
void target_refuse_for_now(const struct target *t, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* Say in one line that n samples of it could not be written, and why, as an errno; 0: that is not known. True: there were none. */
bool target_say_unwritten(const struct target *t, uint64_t n, uint64_t error);

/* Say that the file of its recording is gone, unless the whole directory is. Returns false. */
bool target_say_removed(const struct target *t, const char *directory);

/* Say that it records itself until its next tick. Returns false. */
bool target_say_unended(const struct target *t);

/* Say that there is no sample, since it had no memory for any of n. Returns false. */
bool target_say_unkept(const struct target *t, uint64_t n);

/* Open the process, of which is_found and may_retry are set, and all else is zero, and refuse it if it cannot be attached to for a
 * reason that can be seen without touching it. `library` and `directory`, absolute paths, are what it has to see as the launcher
 * does. */
void target_open(struct target *t, int pid, const char *library, const char *directory);

/* Whether its paths are of another root directory. */
bool target_has_other_root(const struct target *t);

/* Whether it has another number where it is. */
bool target_has_other_number(const struct target *t);

/* The same for one that is not touched. */
void target_open_outside(struct target *t, int pid);
/* Open the process to look at it, and for nothing else. It may be stopped, and have any C library. */
void target_look(struct target *t, int pid);

/* Refuse it because the kernel does not let this user do what it takes, with its reason. */
void target_refuse_rights(const struct target *t, int error) __attribute__((noreturn));

/* Read its mappings again. */
void target_read_mappings(struct target *t);

/* The mapping that holds an address, or NULL. */
const struct mapping *target_mapping(const struct target *t, uint64_t address);

/* Copy memory of it. False: it is not there, or the process has become another program. */
bool target_read(const struct target *t, uint64_t at, void *to, size_t n);
bool target_write(const struct target *t, uint64_t at, const void *from, size_t n);

/* Read the image that begins at an address. False: there is none. To be freed. */
bool image_read(const struct target *t, struct image *image, uint64_t base);
void image_free(struct image *image);

/* The address of a function that the image defines; 0: it has none of this name. */
uint64_t image_find(const struct image *image, const char *name);

/* Find the C library, which must be one that can load the recorder. Refuses any other. */
void target_find_libc(const struct target *t, struct image *libc);

/* The last part of a path. */
const char *target_base_name(const char *path);

#endif
