/* SPDX-License-Identifier: MIT */
/*
 * test_lines.c - the line of an instruction is the one that CPython says.
 *
 * Seen to fail: when numbers of the table had their sign in the highest bit, when entries without a line had that of
 * the entry before, and when an offset that is equal to an entry's end was taken to be in it.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python/lines.h"

static uint8_t bytes_type[8];
static struct cps_python_layout layout = {.bytes = 32};
static const struct cps_python_types types = {1, 2, (uintptr_t)bytes_type, &layout};

static struct {
	uint64_t references, type, length, hash;
	uint8_t bytes[2 * CPS_PYTHON_LINES_MOST];
} table;

static void set_table(const char *hex)
{
	unsigned byte;

	table.type = (uintptr_t)bytes_type;
	for (table.length = 0; sscanf(hex + 2 * table.length, "%2x", &byte) == 1; table.length++) {
		cr_assert_lt(table.length, sizeof(table.bytes));
		table.bytes[table.length] = (uint8_t)byte;
	}
}

/* Compares all that the script prints. Returns the number of code objects. */
static unsigned compare(const char *python)
{
	static char line[4 * CPS_PYTHON_LINES_MOST], hex[4 * CPS_PYTHON_LINES_MOST];
	unsigned n = 0, version;
	int first = 0;
	FILE *said;

	snprintf(line, sizeof(line), "'%s' test/unit/libsampler/python/lines.py 2>/dev/null",
		 python);
	said = popen(line, "r");
	cr_assert(said);
	while (fgets(line, sizeof(line), said)) {
		unsigned offset, want;
		uint32_t found;

		if (sscanf(line, "code %u %d %s", &version, &first, hex) == 3) {
			layout.table = version < 0x30a	 ? CPS_PYTHON_LNOTAB
				       : version < 0x30b ? CPS_PYTHON_LINETABLE
							 : CPS_PYTHON_LOCATIONS;
			set_table(hex);
			n++;
			continue;
		}
		cr_assert_eq(sscanf(line, "%u %u", &offset, &want), 2);
		for (int is_alive = 0; is_alive < 2; is_alive++) {
			if (!is_alive && n % 16) /* each takes a system call */
				continue;
			cr_assert(cps_python_line_find((uintptr_t)&table, &types, first, offset,
						       is_alive, &found));
			cr_assert_eq(found, want,
				     "%s: code object %u, line %d, offset %u: %u is not %u", python,
				     n, first, offset, found, want);
		}
	}
	pclose(said);
	return n;
}

/* Each Python that there is: the machine's, and those of pyenv. */
Test(lines, as_cpython_says, .timeout = 600)
{
	char pattern[4096];
	glob_t found;
	unsigned n_versions = 0;

	snprintf(pattern, sizeof(pattern),
		 "{/usr/bin,%s/.pyenv/versions/3.*/bin}/python3.{[89],1[0-3]}",
		 getenv("HOME") ? getenv("HOME") : "");
	glob(pattern, GLOB_BRACE, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (access(found.gl_pathv[i], X_OK) != 0)
			continue;
		cr_assert_gt(compare(found.gl_pathv[i]), 500, "%s", found.gl_pathv[i]);
		n_versions++;
	}
	globfree(&found);
	if (!n_versions)
		cr_skip_test("no python3.8 to python3.13 on this machine");
}

/* Whatever a table holds, there is an end, and no line beyond what may be. */
Test(lines, any_table)
{
	uint32_t line;

	srand(1);
	table.type = (uintptr_t)bytes_type;
	for (int i = 0; i < 20000; i++) {
		layout.table = (uint8_t)(i % 3);
		table.length = (uint64_t)(rand() % 64);
		for (size_t k = 0; k < table.length; k++)
			table.bytes[k] = (uint8_t)rand();
		cps_python_line_find((uintptr_t)&table, &types, 1 + rand() % 1000, rand() % 400,
				     true, &line);
		cr_assert_lt(line, 1u << 24);
	}
	table.length = INT64_MAX;
	memset(table.bytes, 0, sizeof(table.bytes));
	cr_assert(cps_python_line_find((uintptr_t)&table, &types, 1, 1 << 20, true, &line));
	table.length = UINT64_MAX;
	cr_assert_not(cps_python_line_find((uintptr_t)&table, &types, 1, 0, true, &line));
	table.type = 1;
	cr_assert_not(cps_python_line_find((uintptr_t)&table, &types, 1, 0, true, &line));
}

/* What is behind the part of a table that is read has no line. (Seen to fail: in 3.8 and 3.9 it had the last line of that
 * part.) Where the whole table is read, the last line goes on. */
Test(lines, a_table_that_is_cut)
{
	uint32_t line;

	table.type = (uintptr_t)bytes_type;
	for (size_t i = 0; i < CPS_PYTHON_LINES_MOST + 2; i++)
		table.bytes[i] = 1;
	layout.table = CPS_PYTHON_LNOTAB;
	for (uint32_t more = 0; more <= 2; more += 2) {
		table.length = CPS_PYTHON_LINES_MOST + more;
		cr_assert(cps_python_line_find((uintptr_t)&table, &types, 1, 100, true, &line));
		cr_assert_eq(line, 101);
		cr_assert(cps_python_line_find((uintptr_t)&table, &types, 1, 1 << 20, true, &line));
		cr_assert_eq(line, more ? 0 : 1 + CPS_PYTHON_LINES_MOST / 2);
	}
}

/* A table that goes away meanwhile has no line, and what was found stays found only for the same table. */
Test(lines, memory_that_is_gone)
{
	uint8_t *pages =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cps_python_known known = {.code = 4096, .sum = 7, .first_line = 20};
	uint64_t head[4] = {1, (uintptr_t)bytes_type, 64, 0};

	layout.table = CPS_PYTHON_LNOTAB;
	layout.unit = 1;
	known.lines = (uintptr_t)pages + 4096 - 40; /* its second half is on the page that goes */
	memcpy(pages + 4096 - 40, head, sizeof(head));
	for (int i = 0; i < 32; i++)
		memcpy(pages + 4096 - 8 + 2 * i, "\1\1", 2);
	cr_assert_eq(cps_python_line(&known, &types, 10, false), 30);
	munmap(pages + 4096, 4096);
	cr_assert_eq(cps_python_line(&known, &types, 10, false), 30);
	cr_assert_eq(cps_python_line(&known, &types, 11, false), 0);
	known.sum = 8;
	cr_assert_eq(cps_python_line(&known, &types, 10, false), 0);
	cr_assert_eq(cps_python_line(&known, &types, UINT32_MAX, false), 20); /* it has not begun */
}
