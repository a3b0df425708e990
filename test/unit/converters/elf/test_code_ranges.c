/* SPDX-License-Identifier: MIT */
/*
 * test_code_ranges.c - functions without a symbol go by their entry in the unwind table.
 */
#include "module_fixture.h"

#include "base/array.h"
#include "elf/code_ranges.h"

TestSuite(eh_frame_functions, .init = enter_fixture, .fini = leave_fixture);

struct entry {
	uint64_t start, end;
};

/* The ranges that readelf prints; *n of them. */
static struct entry *read_entries(const char *file, size_t *n)
{
	struct entry *entries = NULL;
	char command[512], line[512];
	size_t room = 0;
	FILE *p;

	*n = 0;
	snprintf(command, sizeof(command),
		 "LC_ALL=C readelf --debug-dump=frames %s | sed -n 's/.* FDE .*pc=//p'", file);
	p = popen(command, "r");
	cr_assert(p);
	while (fgets(line, sizeof(line), p)) {
		cr_assert(array_reserve(&entries, &room, *n + 1, sizeof(*entries)));
		cr_assert_eq(
			sscanf(line, "%" SCNx64 "..%" SCNx64, &entries[*n].start, &entries[*n].end),
			2);
		*n += entries[*n].start < entries[*n].end;
	}
	pclose(p);
	return entries;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* The same ranges as readelf finds, and none between them. */
static void check_file(const char *file)
{
	struct eh_frame_functions r;
	struct elf_file f;
	struct error why;
	size_t n;
	struct entry *entries = read_entries(file, &n);

	cr_assert_gt(n, 0);
	qsort(entries, n, sizeof(*entries), compare_entries);
	cr_assert_eq(elf_file_open(&f, file, &why), 0);
	cr_assert_eq(eh_frame_functions_read(&r, &f), 0);
	elf_file_close(&f);
	cr_assert_eq(r.n, n, "%s: %zu ranges, readelf has %zu", file, r.n, n);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(r.ranges[i].start, entries[i].start);
		cr_assert_eq(r.ranges[i].end, entries[i].end);
		cr_assert_eq(eh_frame_functions_find(&r, entries[i].start), &r.ranges[i]);
		cr_assert_eq(eh_frame_functions_find(&r, entries[i].end - 1), &r.ranges[i]);
		if (i + 1 < n && entries[i].end < entries[i + 1].start)
			cr_assert_null(eh_frame_functions_find(&r, entries[i].end));
	}
	cr_assert_null(eh_frame_functions_find(&r, entries[0].start - 1));
	cr_assert_null(eh_frame_functions_find(&r, entries[n - 1].end));
	eh_frame_functions_free(&r);
	free(entries);
}

Test(eh_frame_functions, as_readelf_finds)
{
	put("p.c", "int f(int a); int f(int a) { return a + 1; }\n"
		   "__attribute__((cold, noinline)) void g(int *a); void g(int *a) { *a = 1; }\n"
		   "int main(void) { int a = 0; g(&a); return f(a); }\n");
	sh("gcc -O1 -falign-functions=32 -o p p.c");
	check_file("p");
	sh("gcc -O1 -no-pie -mcmodel=large -o p p.c");
	check_file("p");
	sh("gcc -static -O1 -o p p.c");
	check_file("p");
}

/* Assembled by hand: a personality, a language area, a signal frame, absolute addresses. */
Test(eh_frame_functions, every_shape_of_entry)
{
	put("a.S",
	    ".text\n.globl f, g, h\n"
	    "pers: ret\n"
	    "f: .cfi_startproc\n.cfi_personality 0x1b, pers\n.cfi_lsda 0x1b, data\nnop\nret\n"
	    ".cfi_endproc\n.skip 7\n"
	    "g: .cfi_startproc\n.cfi_signal_frame\nnop\nret\n.cfi_endproc\n.skip 9\n"
	    "h: .cfi_startproc\n.cfi_personality 0x9b, where\nnop\nret\n.cfi_endproc\n"
	    ".data\n.p2align 3\nwhere: .quad pers\n.section .rodata\ndata: .long 0\n"
	    ".section .note.GNU-stack,\"\",@progbits\n");
	sh("gcc -shared -nostdlib -o a.so a.S");
	check_file("a.so");
	sh("strip a.so");
	check_file("a.so");
}

/*
 * In real, stripped programs: each function is named by its own start or by a symbol whose range,
 * by nm, really covers it. (A symbol stretched to the next one fails here.)
 */
static bool nm_has(const char *nm, const char *name, uint64_t address)
{
	char wanted[300];
	uint64_t start, bytes;

	snprintf(wanted, sizeof(wanted), " %s\n", name);
	for (const char *p = strstr(nm, wanted); p; p = strstr(p + 1, wanted)) {
		const char *line = p;

		while (line > nm && line[-1] != '\n')
			line--;
		if (sscanf(line, "%" SCNx64 " %" SCNx64, &start, &bytes) == 2 && start <= address &&
		    address < start + bytes)
			return true;
	}
	return false;
}

static void check_names(const char *path)
{
	size_t n, nm_bytes, symbols = 0, brackets = 0, step;
	struct entry *entries = read_entries(path, &n);
	const char *base = strrchr(path, '/') + 1;
	struct subject *s = subject_recorded(path);
	char *nm;

	sh("nm -D -S --defined-only --without-symbol-versions %s 2>/dev/null | "
	   "sed 's/ [A-Za-z] / /' >nm.txt",
	   path);
	nm = (char *)slurp("nm.txt", &nm_bytes);
	nm[nm_bytes] = '\0';
	s->options.names = SYMBOLS_LINKER;
	step = n / 300 + 1;
	for (size_t i = 0; i < n; i += step) {
		uint64_t address = entries[i].start + (entries[i].end - entries[i].start) / 2;
		const char *name = name_at(s, address);

		if (!s->place.has_symbol) {
			cr_assert_str_eq(name, bracketed(base, entries[i].start));
			brackets++;
		} else if (!strstr(name, "@plt")) {
			cr_assert(nm_has(nm, name, address), "%s: %s at %#" PRIx64, path, name,
				  address);
			symbols++;
		}
	}
	cr_assert_gt(brackets + symbols, n / step / 2);
	cr_assert_str_eq(warning_of(s), "");
	subject_free(s);
	free(nm);
	free(entries);
}

Test(eh_frame_functions, real_programs)
{
	static const char *const paths[] = {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
					    "/usr/bin/lua5.4", "/usr/bin/sqlite3", "/usr/bin/perl",
					    "/bin/sh"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		if (access(paths[i], R_OK) != 0)
			continue;
		check_file(paths[i]);
		check_names(paths[i]);
	}
}
