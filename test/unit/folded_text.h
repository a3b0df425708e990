/* SPDX-License-Identifier: MIT */
/*
 * folded_text.h - profiles and trees for tests, from folded text.
 */
#ifndef FOLDED_TEXT_H
#define FOLDED_TEXT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode.h"
#include "profile.h"
#include "tree.h"

__attribute__((unused)) static struct profile *profile_of_file(const char *path)
{
	struct error err;
	struct profile_builder *b = profile_builder_new(&err);
	struct profile *p;

	cr_assert(b);
	cr_assert_eq(decode_file(path, profile_builder_sink(b), &err), 0, "%s", err.text);
	p = profile_builder_finish(b, &err);
	cr_assert(p, "%s", err.text);
	return p;
}

__attribute__((unused)) static struct profile *profile_of(const char *text)
{
	char path[64];
	struct profile *p;
	int fd = memfd_create("folded", 0);

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	p = profile_of_file(path);
	close(fd);
	return p;
}

__attribute__((unused)) static struct tree *tree_of(struct profile *p)
{
	struct error err;
	struct tree *t = tree_build(p, NULL, &(struct tree_options){0}, &err);

	cr_assert(t, "%s", err.text);
	return t;
}

__attribute__((unused)) static const char *name_of(const struct tree *t, uint32_t name)
{
	return strings_get(t->strings, name, NULL);
}

__attribute__((unused)) static uint32_t number_of(const struct tree *t, const char *name)
{
	return strings_find(t->strings, name, strlen(name));
}

#endif
