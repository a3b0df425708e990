/* SPDX-License-Identifier: MIT */
/*
 * replay.c - the function main of a fuzz harness without libFuzzer. It gives each file to the
 * harness once.
 *
 * In: files and directories of files as arguments. A directory that does not exist counts as empty.
 */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *path)
{
	fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
	exit(1);
}

/* The harness gets a block of exactly that size, so that a sanitizer notices if it reads one byte
 * more. */
static void replay_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(size ? size : 1);

	if (!f || !data || fread(data, 1, size, f) != size)
		fail(path);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static unsigned long replay(const char *path)
{
	char entry_path[4096];
	struct dirent *entry;
	struct stat st;
	unsigned long files = 0;
	DIR *dir;

	if (stat(path, &st))
		return 0;
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path, (size_t)st.st_size);
		return 1;
	}
	dir = opendir(path);
	if (!dir)
		fail(path);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(entry_path, sizeof(entry_path), "%s/%s", path, entry->d_name);
		files += replay(entry_path);
	}
	closedir(dir);
	return files;
}

int main(int argc, char **argv)
{
	unsigned long files = 0;

	for (int i = 1; i < argc; i++)
		files += replay(argv[i]);
	printf("note: %lu files\n", files);
	return 0;
}
