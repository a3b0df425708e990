/* SPDX-License-Identifier: MIT */
/*
 * forms.c - fills in forms for people whose particulars are in a database on disk.
 *
 * The program of Hall & Goldberg 1993, section 4.4 and figure 1, with the paper's names.
 *
 * forms [--specialized] [CUSTOMERS]: each customer gets five forms, on standard output. For each form
 * address_information asks for four properties and the form itself for a fifth. Some customers'
 * records change as well: four updates for every customer, on average. All cost is in
 * db_read_record, so that of 29 records read 20 are read for address_information, 25 for
 * db_get_property and 4 for db_update_record: the shares that the paper prints as 0.6873, 0.8632 and
 * 0.1368.
 *
 * With --specialized, address_information reads the record once: the optimisation that the paper
 * derives from the profile.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEOPLE	  64 /* in the database */
#define PROPERTY  32 /* bytes of each */
#define CUSTOMERS 1500

enum property { NAME, STREET, CITY, PHONE, ACCOUNT, INCOME, EMPLOYER, STATE_TAX, PROPERTIES };

/* A person's record fills a block of the disk. The seal is a checksum, so that a damaged block is
 * not taken for a person. */
struct record {
	uint32_t seal;
	char property[PROPERTIES][PROPERTY];
	char letters[3828]; /* what else is known of the person */
	uint64_t updates;   /* not sealed */
};

struct address {
	char name[PROPERTY], street[PROPERTY], city[PROPERTY], phone[PROPERTY];
};

static int db;
static bool specialized;
static uint64_t records_read;

static void die(const char *what)
{
	fprintf(stderr, "forms: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* CRC-32, bit by bit: as slow as the disk of 1993. */
static inline __attribute__((always_inline)) uint32_t checksum(const struct record *r)
{
	const unsigned char *at = (const unsigned char *)&r->property;
	const unsigned char *end = (const unsigned char *)&r->updates;
	uint32_t sum = UINT32_MAX;

	for (; at < end; at++) {
		sum ^= *at;
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (UINT32_C(0xedb88320) & -(sum & 1));
	}
	return sum;
}

/* ---- the database ---------------------------------------------------------------------------- */

static void db_read_record(unsigned person, struct record *r)
{
	if (pread(db, r, sizeof(*r), (off_t)(person * sizeof(*r))) != sizeof(*r))
		die("cannot read the database");
	records_read++;
	if (checksum(r) != r->seal) {
		errno = EIO;
		die("a record is damaged");
	}
}

static void db_get_property(unsigned person, enum property which, char value[PROPERTY])
{
	struct record r;

	db_read_record(person, &r);
	memcpy(value, r.property[which], PROPERTY);
}

static void db_update_record(unsigned person)
{
	struct record r;

	db_read_record(person, &r);
	r.updates++;
	if (pwrite(db, &r, sizeof(r), (off_t)(person * sizeof(r))) != sizeof(r))
		die("cannot write the database");
}

static void db_create(void)
{
	static const char *const format[PROPERTIES] = {
		"Person %u",  "%u Mountain Ave.", "Murray Hill, NJ 07974", "(908) 555-01%02u",
		"account %u", "income $%u,000",	  "employer no. %u",	   "NJ tax $%u",
	};
	FILE *file = tmpfile();

	if (!file || (db = dup(fileno(file))) < 0)
		die("cannot create the database");
	for (unsigned person = 0; person < PEOPLE; person++) {
		struct record r = {0};

		for (int which = 0; which < PROPERTIES; which++)
			snprintf(r.property[which], PROPERTY, format[which], person);
		r.seal = checksum(&r);
		if (fwrite(&r, sizeof(r), 1, file) != 1)
			die("cannot write the database");
	}
	if (fclose(file))
		die("cannot write the database");
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* db_get_property for address_information alone: it keeps the record from one call to the next. */
static void address_property(unsigned person, struct record *kept, enum property which,
			     char value[PROPERTY])
{
	if (!kept->seal)
		db_read_record(person, kept);
	memcpy(value, kept->property[which], PROPERTY);
}

static void address_information(unsigned person, struct address *a)
{
	if (specialized) {
		struct record kept;

		kept.seal = 0;
		address_property(person, &kept, NAME, a->name);
		address_property(person, &kept, STREET, a->street);
		address_property(person, &kept, CITY, a->city);
		address_property(person, &kept, PHONE, a->phone);
		return;
	}
	db_get_property(person, NAME, a->name);
	db_get_property(person, STREET, a->street);
	db_get_property(person, CITY, a->city);
	db_get_property(person, PHONE, a->phone);
}

static void invoice(unsigned person)
{
	char account[PROPERTY];
	struct address a;

	address_information(person, &a);
	db_get_property(person, ACCOUNT, account);
	printf("INVOICE\n%s\n%s\n%s\nplease pay from %s\n\n", a.name, a.street, a.city, account);
}

static void loan_application(unsigned person)
{
	char income[PROPERTY];
	struct address a;

	address_information(person, &a);
	db_get_property(person, INCOME, income);
	printf("LOAN APPLICATION\n%s, %s\n%s\n\n", a.name, a.phone, income);
}

static void envelope(unsigned person)
{
	char employer[PROPERTY];
	struct address a;

	address_information(person, &a);
	db_get_property(person, EMPLOYER, employer);
	printf("%s\nc/o %s\n%s\n%s\n\n", a.name, employer, a.street, a.city);
}

static void form_US_1040(unsigned person)
{
	char income[PROPERTY];
	struct address a;

	address_information(person, &a);
	db_get_property(person, INCOME, income);
	printf("1040 U.S. Individual Income Tax Return\n%s\n%s\n\n", a.name, income);
}

static void form_NJ_1040(unsigned person)
{
	char tax[PROPERTY];
	struct address a;

	address_information(person, &a);
	db_get_property(person, STATE_TAX, tax);
	printf("NJ-1040 Resident Income Tax Return\n%s\n%s\n\n", a.name, tax);
}

/* ---- the day's work -------------------------------------------------------------------------- */

static void (*const job[])(unsigned person) = {
	invoice,	  loan_application, envelope,	      form_US_1040,	form_NJ_1040,
	db_update_record, db_update_record, db_update_record, db_update_record,
};

#define JOBS (sizeof(job) / sizeof(job[0]))

/* xorshift64* */
static uint64_t draw(uint64_t below)
{
	static uint64_t state = 1;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 32) % below;
}

/* All jobs of all customers in a random order, so that no clock falls in step with them. */
static unsigned *queue_new(size_t n)
{
	unsigned *queue = calloc(n, sizeof(*queue));

	if (!queue)
		die("no memory");
	for (size_t i = 0; i < n; i++) {
		size_t other = draw(i + 1);

		queue[i] = queue[other];
		queue[other] = (unsigned)(i % JOBS);
	}
	return queue;
}

int main(int argc, char **argv)
{
	size_t customers = CUSTOMERS;
	unsigned *queue;

	for (argv++; argc > 1; argc--, argv++)
		if (!strcmp(*argv, "--specialized"))
			specialized = true;
		else
			customers = strtoul(*argv, NULL, 10);
	db_create();
	queue = queue_new(customers * JOBS);
	for (size_t i = 0; i < customers * JOBS; i++)
		job[queue[i]]((unsigned)draw(PEOPLE));
	free(queue);
	if (fflush(stdout))
		die("cannot write");
	fprintf(stderr, "%zu forms, %llu records read\n", customers * 5,
		(unsigned long long)records_read);
	return 0;
}
