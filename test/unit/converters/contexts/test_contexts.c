/* SPDX-License-Identifier: MIT */
/* test_contexts.c - contexts and cycles, against the paper and against its steps A1 to A5, done
 * literally for each stack. */
#include <stdlib.h>

#include "contexts/contexts.h"
#include "contexts/history.h"
#include "folded_text.h"

static struct contexts *contexts_of(const struct tree *t)
{
	struct error err;
	struct contexts *c = contexts_build(t, true, &err);

	cr_assert(c, "%s", err.text);
	return c;
}

/* Batches of all sizes give the same. */
static void open_reader(struct history_reader *r, const struct tree *t,
			const struct history_item *items, size_t n)
{
	static size_t batch;
	struct error err;

	cr_assert_eq(history_open(r, t, items, n, &err), 0);
	r->batch = batch++ % 64;
}

/* "SAMPLES HISTORY" lines: "3 Main (P) (R) P". */
static char *text_of_contexts(const struct contexts *c)
{
	struct history_item *items = malloc((c->n + 1) * sizeof(*items));
	struct history_reader r;
	struct history h;
	struct error err;
	char *text;
	size_t i, n;
	uint32_t k;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i < c->n; i++)
		items[i] = (struct history_item){c->contexts[i].node, c->contexts[i].length};
	open_reader(&r, c->tree, items, c->n);
	for (i = 0; i < c->n; i++) {
		fprintf(f, "%llu", (unsigned long long)c->contexts[i].samples);
		cr_assert_eq(history_next(&r, &h, &err), 1);
		cr_assert_eq(h.length, c->contexts[i].length);
		for (k = 0; k < h.length; k++)
			fprintf(f, h.entries[k].is_marked ? " %s" : " (%s)",
				name_of(c->tree, h.entries[k].name));
		fputc('\n', f);
	}
	cr_assert_eq(history_next(&r, &h, &err), 0);
	history_close(&r);
	free(items);
	fclose(f);
	return text;
}

/* "SAMPLES/TOTAL CONTEXTS PATH" lines. */
static char *text_of_cycles(const struct contexts *c)
{
	struct history_item *items = malloc((c->n_cycles + 1) * sizeof(*items));
	struct history_reader r;
	struct history h;
	struct error err;
	char *text;
	size_t i, n;
	uint32_t k;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i < c->n_cycles; i++)
		items[i] = (struct history_item){c->cycles[i].node, c->cycles[i].length};
	open_reader(&r, c->tree, items, c->n_cycles);
	for (i = 0; i < c->n_cycles; i++) {
		fprintf(f, "%llu/%llu %u", (unsigned long long)c->cycles[i].samples,
			(unsigned long long)c->cycles[i].total, c->cycles[i].contexts);
		cr_assert_eq(history_next(&r, &h, &err), 1);
		for (k = 0; k < h.length; k++)
			fprintf(f, " %s", name_of(c->tree, h.entries[k].name));
		fputc('\n', f);
	}
	history_close(&r);
	free(items);
	fclose(f);
	return text;
}

static void contexts_are(const char *folded, const char *want, const char *want_cycles)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct contexts *c = contexts_of(t);
	char *text = text_of_contexts(c);

	cr_assert_str_eq(text, want);
	free(text);
	text = text_of_cycles(c);
	cr_assert_str_eq(text, want_cycles);
	free(text);
	contexts_free(c);
	tree_free(t);
	profile_free(p);
}

/* Main -> (P -> Q -> R)^n -> P -> S, figure 2: Main, C1 to C6 and two with S, however large n. */
Test(contexts, the_papers_nine)
{
	static const char nine[] = "1 Main P Q\n"
				   "1 Main P S\n"
				   "1 Main (P) Q R P\n"
				   "1 Main (P) (Q) R P Q\n"
				   "1 Main (P) Q R P S\n"
				   "0 Main\n"
				   "0 Main P\n"
				   "0 Main P Q R\n"
				   "0 Main (P) (R) P Q R\n";
	char folded[4096] = "Main;P;S 1\nMain;P;Q 1\nMain;P;Q;R;P 1\nMain;P;Q;R;P;S 1\n"
			    "Main;P;Q;R;P;Q 1\n";
	int n, k;

	for (n = 2; n < 12; n++) {
		char *end = folded + strlen(folded);

		end += sprintf(end, "Main");
		for (k = 0; k < n; k++)
			end += sprintf(end, ";P;Q;R");
		sprintf(end, ";P;S 0\n");
		contexts_are(folded, nine, "1/3 1 P Q R P\n1/1 1 Q R P Q\n0/0 1 R P Q R\n");
	}
}

Test(contexts, direct_recursion_changes_nothing)
{
	contexts_are("f 1\nf;f 2\nf;f;f;g 4\nf;f;g;g 8\n", "12 f g\n3 f\n", "");
}

/* The first entry has no neighbour outside: it is never in the middle. */
Test(contexts, the_first_entry_stays)
{
	contexts_are("a;b;c;a;b;c 1\n",
		     "1 (a) (c) a b c\n0 a\n0 a b\n0 a b c\n0 (a) b c a\n0 (a) (b) c a b\n",
		     "1/1 1 c a b c\n0/1 1 a b c a\n0/1 1 b c a b\n");
}

/* Between m and c stand a, b, a without marks: A4 takes b out, and A5 one of the two a. */
Test(contexts, same_neighbours_without_marks_are_one)
{
	contexts_are("m;a;b;a;c;b;a 1\n",
		     "1 m (a) c b a\n0 m\n0 m a\n0 m a b\n0 m (a) b a\n0 m (a) b a c\n"
		     "0 m (a) (b) a c b\n",
		     "1/1 1 a c b a\n0/1 1 a b a\n0/1 1 b a c b\n");
}

/* Contexts whose paths have the same names are one cycle. */
Test(contexts, a_cycle_of_two_contexts)
{
	contexts_are("m;a;b;a 1\nn;a;b;a 2\n",
		     "2 n (a) b a\n1 m (a) b a\n0 n\n0 m\n0 n a\n0 m a\n0 n a b\n0 m a b\n",
		     "3/3 2 a b a\n");
}

Test(contexts, large_counts)
{
	contexts_are("a;b 9223372036854775807\na;b;a;b 9223372036854775807\na;b;b 1\n",
		     "9223372036854775808 a b\n9223372036854775807 (a) (b) a b\n0 a\n0 (a) b a\n",
		     "9223372036854775807/9223372036854775807 1 b a b\n"
		     "0/9223372036854775807 1 a b a\n");
}

/* ---- steps A1 to A5 as the paper has them ---------------------------------------------------------- */

enum { DEPTH = 40, STACKS = 30, CONTEXTS = STACKS * DEPTH };

/* From 1, as in the paper. */
struct literal {
	char s[DEPTH + 2];
	bool m[DEPTH + 2];
	int n;
};

static void delete (struct literal *h, int i)
{
	for (; i < h->n; i++) {
		h->s[i] = h->s[i + 1];
		h->m[i] = h->m[i + 1];
	}
	h->n--;
}

/* An i that A4 or A5 speaks of, or 0. */
static int redundant(const struct literal *h)
{
	int i;

	for (i = 2; i < h->n; i++)
		if (!h->m[i - 1] && !h->m[i] && !h->m[i + 1])
			return i;
	return 0;
}

static int repeated(const struct literal *h)
{
	int i;

	for (i = 1; i < h->n; i++)
		if (h->s[i] == h->s[i + 1] && !h->m[i] && !h->m[i + 1])
			return i;
	return 0;
}

static void call(struct literal *h, char p)
{
	int i;

	if (h->n > 0 && h->s[h->n] == p)
		return;
	h->n++;
	h->s[h->n] = p;
	h->m[h->n] = true;
	for (i = 1; i < h->n; i++)
		if (h->s[i] == p)
			h->m[i] = false;
	while ((i = redundant(h)))
		delete (h, i);
	while ((i = repeated(h)))
		delete (h, i);
}

/* As text_of_contexts writes it, behind the samples. */
static void write_literal(char *text, const struct literal *h)
{
	int i;

	for (i = 1; i <= h->n; i++)
		text += sprintf(text, h->m[i] ? " %c" : " (%c)", h->s[i]);
}

static bool write_cycle(char *text, const struct literal *h)
{
	int i = h->n - 1;

	while (i > 0 && (h->m[i] || h->s[i] != h->s[h->n]))
		i--;
	if (i <= 0)
		return false;
	for (; i <= h->n; i++)
		text += sprintf(text, " %c", h->s[i]);
	return true;
}

/* Texts with what they count. */
struct table {
	char text[CONTEXTS][5 * DEPTH];
	unsigned long long samples[CONTEXTS], totals[CONTEXTS];
	int contexts[CONTEXTS];
	int last[CONTEXTS]; /* the stack that was added to totals last */
	int n;
};

static int row_of(struct table *t, const char *text)
{
	int i;

	for (i = 0; i < t->n && strcmp(t->text[i], text) != 0; i++)
		;
	if (i == t->n) {
		cr_assert_lt(t->n, CONTEXTS);
		strcpy(t->text[t->n++], text);
		t->samples[i] = t->totals[i] = 0;
		t->contexts[i] = 0;
		t->last[i] = -1;
	}
	return i;
}

static void add_stack(struct table *contexts, struct table *cycles, const char *stack, int number,
		      unsigned long long samples)
{
	struct literal h = {.n = 0};
	char text[5 * DEPTH];
	int row, n;

	for (; *stack; stack++) {
		call(&h, *stack);
		write_literal(text, &h);
		n = contexts->n;
		row = row_of(contexts, text);
		contexts->samples[row] += stack[1] ? 0 : samples;
		if (!write_cycle(text, &h))
			continue;
		row = row_of(cycles, text);
		cycles->contexts[row] += contexts->n > n;
		cycles->samples[row] += stack[1] ? 0 : samples;
		cycles->totals[row] += cycles->last[row] == number ? 0 : samples;
		cycles->last[row] = number;
	}
}

/* Each line is "SAMPLES TEXT", or with `of_cycles` "SAMPLES/TOTAL CONTEXTS TEXT". */
static void check_text(char *text, struct table *want, bool of_cycles, const char *folded)
{
	int i, n = 0;
	char *line, *rest, *at;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++) {
		unsigned long long samples = strtoull(line, &at, 10);
		unsigned long long total = of_cycles ? strtoull(at + 1, &at, 10) : 0;
		int contexts = of_cycles ? (int)strtol(at, &at, 10) : 0;

		for (i = 0; i < want->n && strcmp(want->text[i], at) != 0; i++)
			;
		cr_assert_lt(i, want->n, "only in the profile: %s of\n%s", at, folded);
		cr_assert_eq(want->samples[i], samples, "%s: want %llu samples in\n%s", line,
			     want->samples[i], folded);
		cr_assert_eq(of_cycles ? want->totals[i] : 0, total, "%s: want %llu of\n%s", line,
			     want->totals[i], folded);
		cr_assert_eq(want->contexts[i] * of_cycles, contexts, "%s: want %d in\n%s", line,
			     want->contexts[i], folded);
	}
	cr_assert_eq(n, want->n, "%d rows, want %d in\n%s", n, want->n, folded);
}

/* `letters` functions: the fewer, the more recursion. */
static void check_random(struct table *contexts, struct table *cycles, int letters)
{
	char stack[DEPTH + 1], folded[STACKS * (2 * DEPTH + 8)] = "", *end = folded, *text;
	struct profile *p;
	struct contexts *c;
	struct tree *t;
	int i, k, n;

	contexts->n = cycles->n = 0;
	for (i = 0; i < STACKS; i++) {
		n = 1 + rand() % DEPTH;
		for (k = 0; k < n; k++) {
			stack[k] = (char)('a' + rand() % letters);
			end += sprintf(end, "%s%c", k ? ";" : "", stack[k]);
		}
		stack[n] = '\0';
		end += sprintf(end, " %d\n", i % 5);
		add_stack(contexts, cycles, stack, i, (unsigned)i % 5);
	}
	p = profile_of(folded);
	t = tree_of(p);
	c = contexts_of(t);
	text = text_of_contexts(c);
	check_text(text, contexts, false, folded);
	free(text);
	text = text_of_cycles(c);
	check_text(text, cycles, true, folded);
	free(text);
	contexts_free(c);
	tree_free(t);
	profile_free(p);
}

Test(contexts, equal_steps_a1_to_a5, .timeout = 60)
{
	struct table *contexts = malloc(sizeof(*contexts)), *cycles = malloc(sizeof(*cycles));
	int round;

	srand(2004);
	for (round = 0; round < 400; round++)
		check_random(contexts, cycles, 1 + round % 12);
	free(contexts);
	free(cycles);
}

/* A profile of one stack: `frames` frames, its functions f0 to f(names - 1) in turn. */
static struct profile *ring(uint32_t frames, uint32_t names)
{
	size_t room = (size_t)frames * 8 + 8;
	char *text = malloc(room), *end = text;
	struct profile *p;
	uint32_t i;

	for (i = 0; i < frames; i++)
		end += sprintf(end, "%sf%u", i ? ";" : "", i % names);
	strcpy(end, " 3\n");
	p = profile_of(text);
	free(text);
	return p;
}

static void check_ring(uint32_t frames, uint32_t names, bool with_cycles, size_t contexts,
		       uint32_t longest)
{
	struct profile *p = ring(frames, names);
	struct tree *t = tree_of(p);
	struct error err;
	struct contexts *c = contexts_build(t, with_cycles, &err);

	cr_assert(c, "%s", err.text);
	cr_assert_eq(c->n, contexts, "%zu contexts", c->n);
	cr_assert_eq(c->n_with_samples, 1);
	cr_assert_eq(c->contexts[0].samples, 3);
	cr_assert_eq(c->contexts[0].length, longest, "%u entries", c->contexts[0].length);
	cr_assert_eq(c->n_cycles, with_cycles ? contexts - names : 0);
	contexts_free(c);
	tree_free(t);
	profile_free(p);
}

/* A history without recursion is the stack. With it, its length follows from the functions: those of
 * the ring, and what is left of all before them, the first and the last. */
Test(contexts, deepest_stacks, .timeout = 20)
{
	check_ring(60000, 60000, true, 60000, 60000);
	check_ring(60000, 30000, false, 60000, 30002);
	check_ring(8000, 4000, true, 8000, 4002);
	check_ring(60000, 100, true, 200, 102);
}
