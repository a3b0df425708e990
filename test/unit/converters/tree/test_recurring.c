/* SPDX-License-Identifier: MIT */
/*
 * test_recurring.c - sequences that recur: examples, and random stacks beside the definition.
 *
 * Seen to fail: nodes that share a group with a node above them were counted; a caller of nine
 * tenths did not count; a sequence was not explained by one that is longer by two; texts went on
 * behind a name that came twice.
 */
#include "folded_text.h"
#include "tree/recurring.h"

/* "WEIGHT CALLERS a b c" lines. */
static char *text_of(const struct recurring *r)
{
	uint32_t names[64];
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0; i < r->n; i++) {
		const struct recurring_sequence *s = &r->list[i];

		fprintf(f, "%llu %u", (unsigned long long)s->weight, s->callers);
		recurring_names(r, s, names);
		for (uint32_t k = 0; k < s->length; k++)
			fprintf(f, " %s", name_of(r->tree, names[k]));
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

static void sequences_are(const char *folded, uint64_t longest, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct error err;
	struct recurring *r = recurring_find(t, longest, &err);
	char *text;

	cr_assert_not_null(r);
	text = text_of(r);
	cr_assert_str_eq(text, want, "of\n%s:\n%s, not\n%s", folded, text, want);
	free(text);
	recurring_free(r);
	tree_free(t);
	profile_free(p);
}

/* What recurs is one line, and what leads to it from one place is not there. */
Test(recurring, open_parse_validate)
{
	sequences_are("main;load;open;parse;validate 30\nmain;save;x;open;parse;validate 32\n"
		      "main;save;x;open;parse 3\nmain;other 35\n",
		      0, "62 2 open parse validate\n");
	/* 60 of 67 is less than nine tenths: both are listed. */
	sequences_are("a;open;parse;validate 30\nb;open;parse;validate 30\nb;open;parse 7\n", 0,
		      "67 2 open parse\n60 2 open parse validate\n");
}

/* Nine tenths by one caller, or as the outermost function, is no recurrence. */
Test(recurring, one_caller)
{
	sequences_are("main;a;f;g 90\nmain;b;f;g 10\n", 0, "");
	sequences_are("main;a;f;g 89\nmain;b;f;g 11\n", 0, "100 2 f g\n");
	sequences_are("f;g 90\na;f;g 5\nb;f;g 5\n", 0, "");
	sequences_are("f;g 80\na;f;g 20\n", 0, "");
	sequences_are("f;g 80\na;f;g 10\nb;f;g 10\n", 0, "100 2 f g\n");
	sequences_are("a;f 1\nb;f 1\n", 0, "");
	sequences_are("a;f;g 0\nb;f;g 0\n", 0, "");
}

/* A stack counts once, and a sequence has each function once. */
Test(recurring, recursion)
{
	sequences_are("a;f;g;x;f;g 6\nb;f;g 5\n", 0, "11 3 f g\n");
	sequences_are("main;e;t;f;e;t;f;e;t;f 5\n", 0, "");
	sequences_are("a;f;f;g 3\nb;f;f;g 3\n", 0, "");
}

/* Ties: shorter first, then by names from the first one on. */
Test(recurring, order)
{
	sequences_are("x;b;a 1\ny;b;a 1\nx;a;c 1\ny;a;c 1\nx;a;b;d 1\ny;a;b;d 1\n", 0,
		      "2 2 a c\n2 2 b a\n2 2 a b d\n");
}

/* A limit: what is longer is neither listed nor explains anything. */
Test(recurring, longest)
{
	const char folded[] = "x;a;b;c;d 1\ny;a;b;c;d 1\n";

	sequences_are(folded, 4, "2 2 a b c d\n");
	sequences_are(folded, 3, "2 2 a b c\n");
	sequences_are(folded, 2, "2 2 a b\n");
	sequences_are(folded, 1, "");
}

/* ---- random stacks beside the definition -------------------------------------------------------
 * */

/* A function is a letter, so that a sequence is a string and occurs where strstr finds it. */
enum { STACKS = 12, DEPTH = 9, SEQUENCES = 4096 };

struct stack {
	char names[DEPTH + 1];
	unsigned weight;
};

struct naive {
	struct stack stacks[STACKS];
	struct {
		char names[DEPTH + 1];
		unsigned weight, callers, heaviest;
		bool is_listed;
	} list[SEQUENCES];
	int n;
};

static unsigned weight_of(const struct naive *all, const char *names)
{
	unsigned weight = 0;

	for (int i = 0; i < STACKS; i++)
		weight += strstr(all->stacks[i].names, names) ? all->stacks[i].weight : 0;
	return weight;
}

static bool occurs(const struct naive *all, const char *names)
{
	for (int i = 0; i < STACKS; i++)
		if (strstr(all->stacks[i].names, names))
			return true;
	return false;
}

static void add_sequence(struct naive *all, const char *names, size_t length)
{
	char one[DEPTH + 2], longer[DEPTH + 3];
	unsigned outermost = 0;

	snprintf(one, sizeof(one), "%.*s", (int)length, names);
	for (int i = 0; i < all->n; i++)
		if (!strcmp(all->list[i].names, one))
			return;
	strcpy(all->list[all->n].names, one);
	all->list[all->n].weight = weight_of(all, one);
	for (char caller = 'a'; caller <= 'z'; caller++) {
		snprintf(longer, sizeof(longer), "%c%s", caller, one);
		if (strchr(one, caller) || !occurs(all, longer))
			continue;
		all->list[all->n].callers++;
		if (weight_of(all, longer) > all->list[all->n].heaviest)
			all->list[all->n].heaviest = weight_of(all, longer);
	}
	for (int i = 0; i < STACKS; i++)
		if (!strncmp(all->stacks[i].names, one, length))
			outermost += all->stacks[i].weight;
	if (outermost > all->list[all->n].heaviest)
		all->list[all->n].heaviest = outermost;
	all->n++;
}

static void list_sequences(struct naive *all)
{
	for (int i = 0; i < STACKS; i++)
		for (const char *from = all->stacks[i].names; *from; from++)
			for (size_t n = 1; n <= strlen(from); n++) {
				if (memchr(from, from[n - 1], n - 1))
					break;
				if (n > 1)
					add_sequence(all, from, n);
			}
}

static void judge(struct naive *all, size_t length)
{
	for (int i = 0; i < all->n; i++) {
		unsigned weight = all->list[i].weight;
		bool is_explained = false;

		if (strlen(all->list[i].names) != length)
			continue;
		for (int k = 0; k < all->n; k++)
			is_explained |= all->list[k].is_listed &&
					strlen(all->list[k].names) > length &&
					strstr(all->list[k].names, all->list[i].names) &&
					all->list[k].weight * 10 >= weight * 9;
		all->list[i].is_listed = all->list[i].callers >= 2 &&
					 all->list[i].heaviest * 10 < weight * 9 && !is_explained;
	}
}

/* Returns how many there are. */
static int check_sequences(const struct recurring *r, struct naive *all)
{
	int listed = 0;

	for (size_t length = DEPTH; length >= 2; length--)
		judge(all, length);
	for (int i = 0; i < all->n; i++)
		listed += all->list[i].is_listed;
	for (size_t i = 0; i < r->n; i++) {
		const struct recurring_sequence *s = &r->list[i];
		uint32_t numbers[DEPTH];
		char names[DEPTH + 1] = "";
		int k;

		recurring_names(r, s, numbers);
		for (uint32_t j = 0; j < s->length; j++)
			strcat(names, name_of(r->tree, numbers[j]));
		for (k = 0; k < all->n && strcmp(all->list[k].names, names); k++)
			;
		cr_assert_lt(k, all->n, "%s", names);
		cr_assert(all->list[k].is_listed, "%s is listed", names);
		cr_assert_eq(s->weight, all->list[k].weight, "%s", names);
		cr_assert_eq(s->hits, s->weight);
		cr_assert_eq(s->callers, all->list[k].callers, "%s: %u callers, not %u", names,
			     s->callers, all->list[k].callers);
	}
	cr_assert_eq(r->n, (size_t)listed);
	return listed;
}

/* Stacks that differ in their callers have the same end, so that there is something to find. */
static char *make_stacks(struct naive *all, int letters)
{
	char *folded;
	size_t n;
	FILE *f = open_memstream(&folded, &n);

	memset(all, 0, sizeof(*all));
	for (int i = 0; i < STACKS; i++) {
		struct stack *s = &all->stacks[i];
		int k, depth = 1 + rand() % DEPTH;

		for (k = 0; k < depth; k++)
			s->names[k] = (char)('a' + rand() % letters);
		/* All names are zero behind their end. */
		for (k = depth / 2; i % 3 && k < DEPTH && s[-1].names[k]; k++)
			s->names[k] = s[-1].names[k];
		s->weight = (unsigned)(rand() % 20);
		for (k = 0; s->names[k]; k++)
			fprintf(f, "%s%c", k ? ";" : "", s->names[k]);
		fprintf(f, " %u\n", s->weight);
	}
	fclose(f);
	return folded;
}

Test(recurring, random_stacks, .timeout = 120)
{
	static struct naive all;
	int listed = 0;

	srand(7);
	for (int round = 0; round < 3000; round++) {
		char *folded = make_stacks(&all, 2 + round % 7);
		struct profile *p = profile_of(folded);
		struct tree *t = tree_of(p);
		struct error err;
		struct recurring *r = recurring_find(t, 0, &err);

		cr_assert_not_null(r);
		list_sequences(&all);
		listed += check_sequences(r, &all);
		recurring_free(r);
		tree_free(t);
		profile_free(p);
		free(folded);
	}
	cr_assert_gt(listed, 3000);
}
