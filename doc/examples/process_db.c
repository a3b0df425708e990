/* SPDX-License-Identifier: MIT */
/*
 * process_db.c - statistics of the salaries in a database larger than memory.
 *
 * The program of Hall & Goldberg 1993, sections 3 and 4, with the paper's names.
 *
 * process_db --create FILE    writes the database
 * process_db [--localized] FILE
 *
 * uniquify_db sorts pointers to the records by name and drops duplicates; print_salary_list
 * extracts the salaries and sorts these. The database is a mapped file, and a page of it that is not
 * in memory is read from the disk when it is touched: a page fault. Per record build_db_ptrs touches
 * 0.75 new pages, as four records lie on three; merge_adjacent_records and extract_salary_fields
 * one each, as they go by name; the sort by name some six.
 *
 * With --localized the names are copied to an array while the pointers are built, and the sort
 * compares those: the optimisation that the paper derives from the profile.
 *
 * Today's machines have more memory than the database has pages. So that it does not fit, the
 * program lets the kernel take all of its pages whenever MEMORY of them have been touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define RECORDS 4096u
#define RECORD	3072u /* bytes, of which the first are used */
#define PAGE	4096u
#define PAGES	(RECORDS * RECORD / PAGE)
#define MEMORY	100u /* pages that fit in it */
#define NAME	48u

struct db_record {
	char name[NAME];
	int32_t base, bonus, overtime;
};

/* A record stays where it is, in the file; this points to it. */
struct db_pointer {
	uint32_t record;
	const char *name; /* localized, or NULL */
};

static struct {
	int fd;
	const unsigned char *bytes; /* the whole file, mapped */
	bool in_memory[PAGES];
	uint32_t used; /* so many pages are in memory */
} db;

static bool localized;

static void die(const char *what)
{
	fprintf(stderr, "process_db: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What a machine does whose memory is full. */
static void give_all_pages_back(void)
{
	if (madvise((void *)db.bytes, (size_t)PAGES * PAGE, MADV_DONTNEED))
		die("madvise");
	posix_fadvise(db.fd, 0, 0, POSIX_FADV_DONTNEED);
	memset(db.in_memory, 0, sizeof(db.in_memory));
	db.used = 0;
}

/* Where the record is, until some other records have been asked for. */
static inline __attribute__((always_inline)) const struct db_record *get(uint32_t record)
{
	uint32_t page = record * RECORD / PAGE;

	if (!db.in_memory[page]) {
		if (db.used == MEMORY)
			give_all_pages_back();
		db.in_memory[page] = true;
		db.used++;
	}
	return (const void *)(db.bytes + (size_t)record * RECORD);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Merge the sorted halves of n elements. */
static void merge_halves(char *base, char *spare, size_t n, size_t size,
			 int (*compare)(const void *, const void *))
{
	char *left = base, *middle = base + n / 2 * size, *right = middle, *end = base + n * size;
	char *to = spare;

	while (left < middle && right < end) {
		char **lesser = compare(left, right) <= 0 ? &left : &right;

		memcpy(to, *lesser, size);
		*lesser += size;
		to += size;
	}
	memcpy(to, left, (size_t)(middle - left));
	memcpy(base, spare, (size_t)(to - spare) + (size_t)(middle - left));
}

static void sort_range(char *base, char *spare, size_t n, size_t size,
		       int (*compare)(const void *, const void *))
{
	if (n < 2)
		return;
	sort_range(base, spare, n / 2, size, compare);
	sort_range(base + n / 2 * size, spare, n - n / 2, size, compare);
	merge_halves(base, spare, n, size, compare);
}

/*
 * A merge sort, as in several C libraries. It is here so that the shares do not depend on which
 * library there is, nor on its ways: Debian's qsort ends in a jump to qsort_r, so that no stack
 * has a frame of qsort.
 */
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *spare = malloc(n * size + 1);

	if (!spare)
		die("no memory");
	sort_range(base, spare, n, size, compare);
	free(spare);
}

/* ---- the database ---------------------------------------------------------------------------- */

/* The records are asked for in no order, so the kernel need not read pages ahead. */
static void read_db(const char *path)
{
	void *bytes;

	db.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (db.fd < 0)
		die(path);
	bytes = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_SHARED, db.fd, 0);
	if (bytes == MAP_FAILED || madvise(bytes, (size_t)PAGES * PAGE, MADV_RANDOM))
		die(path);
	db.bytes = bytes;
	give_all_pages_back();
}

/* The names too if they are wanted: `names` has room for them. */
static struct db_pointer *build_db_ptrs(char (*names)[NAME])
{
	struct db_pointer *ptrs = calloc(RECORDS, sizeof(*ptrs));

	if (!ptrs)
		die("no memory");
	for (uint32_t i = 0; i < RECORDS; i++) {
		const struct db_record *r = get(i);

		ptrs[i].record = i;
		if (!r->name[0])
			die("a record has no name");
		if (names)
			ptrs[i].name = memcpy(names[i], r->name, NAME);
	}
	return ptrs;
}

static int name_field_lt(const void *a, const void *b)
{
	const struct db_pointer *x = a, *y = b;
	char name[NAME];

	if (x->name)
		return strcmp(x->name, y->name);
	memcpy(name, get(x->record)->name, NAME);
	return strcmp(name, get(y->record)->name);
}

/* Returns how many are left. */
static size_t merge_adjacent_records(struct db_pointer *ptrs)
{
	char last[NAME] = "";
	size_t n = 0;

	for (size_t i = 0; i < RECORDS; i++) {
		const struct db_record *r = get(ptrs[i].record);

		if (!strcmp(last, r->name))
			continue;
		memcpy(last, r->name, NAME);
		ptrs[n++] = ptrs[i];
	}
	return n;
}

static struct db_pointer *uniquify_db(size_t *n)
{
	char(*names)[NAME] = localized ? calloc(RECORDS, sizeof(*names)) : NULL;
	struct db_pointer *dbptrs = build_db_ptrs(names);

	qsort(dbptrs, RECORDS, sizeof(*dbptrs), name_field_lt);
	*n = merge_adjacent_records(dbptrs);
	free(names);
	return dbptrs;
}

/* ---- salaries -------------------------------------------------------------------------------- */

static int integer_lt(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static int32_t *extract_salary_fields(const struct db_pointer *dbptrs, size_t n)
{
	int32_t *salaries = calloc(n, sizeof(*salaries));

	if (!salaries)
		die("no memory");
	for (size_t i = 0; i < n; i++) {
		const struct db_record *r = get(dbptrs[i].record);

		salaries[i] = r->base + r->bonus + r->overtime;
	}
	return salaries;
}

static void stat_summary(const int32_t *salaries, size_t n)
{
	printf("%zu salaries from %d to %d, median %d\n", n, salaries[0], salaries[n - 1],
	       salaries[n / 2]);
}

static void print_salary_list(const struct db_pointer *dbptrs, size_t n)
{
	int32_t *salaries = extract_salary_fields(dbptrs, n);

	qsort(salaries, n, sizeof(*salaries), integer_lt);
	stat_summary(salaries, n);
	free(salaries);
}

/* ---- a database to begin with ---------------------------------------------------------------- */

/* xorshift64* */
static uint64_t draw(uint64_t below)
{
	static uint64_t state = 1;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 32) % below;
}

static void draw_record(struct db_record *r)
{
	static const char *const syllable[] = {"ba",  "der", "gol", "hal", "in",  "kov",
					       "mar", "nor", "ro",  "sen", "tal", "wey"};

	for (int i = 0; i < 7; i++)
		strcat(r->name, syllable[draw(12)]);
	r->base = (int32_t)(20000 + draw(60000));
	r->bonus = (int32_t)draw(5000);
	r->overtime = (int32_t)draw(3000);
}

/* One record in fifty is there twice. Only pages that are on the disk can be given back. */
static void create(const char *path)
{
	unsigned char *bytes = calloc(RECORDS, RECORD);
	FILE *file = fopen(path, "wb");

	if (!bytes || !file)
		die(path);
	for (uint32_t i = 0; i < RECORDS; i++)
		if (i && !draw(50))
			memcpy(bytes + i * RECORD, bytes + draw(i) * RECORD, RECORD);
		else
			draw_record((void *)(bytes + i * RECORD));
	if (fwrite(bytes, RECORD, RECORDS, file) != RECORDS || fflush(file) ||
	    fsync(fileno(file)) || fclose(file))
		die(path);
	free(bytes);
}

int main(int argc, char **argv)
{
	struct db_pointer *dbptrs;
	struct rusage usage;
	size_t n;

	localized = argc == 3 && !strcmp(argv[1], "--localized");
	if (argc == 3 && !strcmp(argv[1], "--create")) {
		create(argv[2]);
		return 0;
	}
	if (argc != 2 && !localized) {
		fputs("usage: process_db [--create | --localized] FILE\n", stderr);
		return 2;
	}
	read_db(argv[argc - 1]);
	dbptrs = uniquify_db(&n);
	print_salary_list(dbptrs, n);
	free(dbptrs);
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%ld pages read from the disk\n", usage.ru_majflt);
	return 0;
}
