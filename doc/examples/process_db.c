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
 * extracts the salaries and sorts these. Only a small part of the database fits in memory: touching a
 * record whose page is not there reads it from the disk, and all cost is in that. Per record the
 * sort by name reads some six pages; build_db_ptrs 0.75, as four records lie on three pages;
 * merge_adjacent_records and extract_salary_fields one each, as they go by name: the shares that the
 * paper prints as 0.680 for the sort and 0.113 for extract_salary_fields.
 *
 * With --localized the names are copied to an array while the pointers are built, and the sort
 * compares those: the optimisation that the paper derives from the profile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 8192u
#define RECORD	3072u /* bytes, the name first */
#define PAGE	4096u
#define PAGES	(RECORDS * RECORD / PAGE)
#define MEMORY	176u /* pages that fit in it */
#define NAME	48u

/* What is on the disk: a seal for each page, then the pages. */
struct db_record {
	char name[NAME];
	int32_t base, bonus, overtime;
};

/* A record stays where it is, on the disk; this points to it. */
struct db_pointer {
	uint32_t record;
	const char *name; /* localized, or NULL */
};

static struct {
	int fd;
	uint32_t seal[PAGES];
	uint32_t frame_of[PAGES]; /* + 1; 0: not in memory */
	struct {
		uint32_t page;
		uint64_t used; /* when */
		unsigned char bytes[PAGE];
	} frame[MEMORY];
	uint64_t now, pages_read;
} db;

static bool localized;

static void die(const char *what)
{
	fprintf(stderr, "process_db: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* CRC-32, bit by bit: as slow as the disk of 1993. */
static inline __attribute__((always_inline)) uint32_t checksum(const unsigned char *page)
{
	uint32_t sum = UINT32_MAX;

	for (unsigned i = 0; i < PAGE; i++) {
		sum ^= page[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (UINT32_C(0xedb88320) & -(sum & 1));
	}
	return sum;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The page takes the place of the one that has not been used for longest. */
static uint32_t page_in(uint32_t page)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < MEMORY; i++)
		if (db.frame[i].used < db.frame[oldest].used)
			oldest = i;
	if (db.frame[oldest].used)
		db.frame_of[db.frame[oldest].page] = 0;
	if (pread(db.fd, db.frame[oldest].bytes, PAGE, (off_t)(sizeof(db.seal) + page * PAGE)) !=
	    PAGE)
		die("cannot read the database");
	db.pages_read++;
	if (checksum(db.frame[oldest].bytes) != db.seal[page]) {
		errno = EIO;
		die("a page is damaged");
	}
	db.frame[oldest].page = page;
	db.frame_of[page] = oldest + 1;
	return oldest;
}

/* Where the record is in memory, until some other records have been asked for. */
static inline __attribute__((always_inline)) const struct db_record *touch(uint32_t record)
{
	uint32_t page = record * RECORD / PAGE;
	uint32_t frame = db.frame_of[page] ? db.frame_of[page] - 1 : page_in(page);

	db.frame[frame].used = ++db.now;
	return (const void *)(db.frame[frame].bytes + record * RECORD % PAGE);
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

static void read_db(const char *path)
{
	db.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (db.fd < 0 || pread(db.fd, db.seal, sizeof(db.seal), 0) != sizeof(db.seal))
		die(path);
}

/* The names too if they are wanted: `names` has room for them. */
static struct db_pointer *build_db_ptrs(char (*names)[NAME])
{
	struct db_pointer *ptrs = calloc(RECORDS, sizeof(*ptrs));

	if (!ptrs)
		die("no memory");
	for (uint32_t i = 0; i < RECORDS; i++) {
		const struct db_record *r = touch(i);

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
	memcpy(name, touch(x->record)->name, NAME);
	return strcmp(name, touch(y->record)->name);
}

/* Returns how many are left. */
static size_t merge_adjacent_records(struct db_pointer *ptrs)
{
	char last[NAME] = "";
	size_t n = 0;

	for (size_t i = 0; i < RECORDS; i++) {
		const struct db_record *r = touch(ptrs[i].record);

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
		const struct db_record *r = touch(dbptrs[i].record);

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

/* One record in fifty is there twice. */
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
	for (uint32_t page = 0; page < PAGES; page++)
		db.seal[page] = checksum(bytes + page * PAGE);
	if (fwrite(db.seal, sizeof(db.seal), 1, file) != 1 ||
	    fwrite(bytes, RECORD, RECORDS, file) != RECORDS || fclose(file))
		die(path);
	free(bytes);
}

int main(int argc, char **argv)
{
	struct db_pointer *dbptrs;
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
	fprintf(stderr, "%llu pages read\n", (unsigned long long)db.pages_read);
	return 0;
}
