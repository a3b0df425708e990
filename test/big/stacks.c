/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - writes folded stacks in the size that the views must carry.
 *
 * stacks [wide | deep | flat] [SEED]: 20,000 distinct stacks of some 600 functions that call each other in
 * cycles, too. The names are those that real programs have: short, of C++ templates with spaces, in
 * UTF-8, and one of 10,000 bytes. Counts go beyond 2^60, their sum stays below 2^64. The same seed
 * gives the same text.
 *
 *   wide   20 to 60 frames, and one stack in a hundred up to 5,000
 *   deep   1,000 frames on average, up to 5,000, nearly all of them in recursion
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACKS	       20000u
#define FUNCTIONS      600u
#define CYCLIC	       40u /* the functions that deep recursion goes through */
#define CALLEES	       5u
#define CYCLIC_CALLEES 3u /* of these; they come first */
#define FRAMES	       5000u
#define LONG_NAME      10000u
#define SPINES	       8u

struct function {
	char *name;
	uint32_t callee[CALLEES];
};

static struct function function[FUNCTIONS];
static uint32_t stack[FRAMES], spine[SPINES][FRAMES];
static uint64_t state;

/* xorshift64* */
static uint32_t draw(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * UINT64_C(2685821657736338717) >> 32) % below);
}

/* ---- functions ------------------------------------------------------------------------------- */

static char *long_name(void)
{
	char *name = malloc(LONG_NAME + 1);

	if (!name)
		exit(1);
	for (size_t i = 0; i < LONG_NAME; i++)
		name[i] = "boost::mpl::vector<int, "[i % 24];
	name[LONG_NAME] = '\0';
	return name;
}

static char *make_name(uint32_t i)
{
	char text[256], *name;

	if (i == FUNCTIONS / 2)
		return long_name();
	if (i < CYCLIC)
		snprintf(text, sizeof(text), i ? "e%u" : "main", i);
	else if (i % 7 == 0)
		snprintf(text, sizeof(text),
			 "std::map<std::string, table_%u<int, char const*> "
			 ">::operator[](std::string "
			 "const&)",
			 i);
	else if (i % 7 == 1)
		snprintf(text, sizeof(text), "größe_%u::berechne(поле, 値)", i);
	else if (i % 7 == 2)
		snprintf(text, sizeof(text), " padded %u \"name\" ", i);
	else
		snprintf(text, sizeof(text), "parse_expression_%u", i);
	name = strdup(text);
	if (!name)
		exit(1);
	return name;
}

/* A function calls some that come after it and now and then one that comes before: that makes
 * cycles. The first CYCLIC ones call each other. */
static void make_functions(void)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		function[i].name = make_name(i);
		for (uint32_t k = 0; k < CALLEES; k++) {
			uint32_t above = FUNCTIONS - i - 1;

			if (i < CYCLIC && k < CYCLIC_CALLEES)
				function[i].callee[k] = 1 + (i + draw(CYCLIC - 2)) % (CYCLIC - 1);
			else if (!above || draw(10) == 0)
				function[i].callee[k] = 1 + draw(FUNCTIONS - 1);
			else
				function[i].callee[k] = i + 1 + draw(above < 60 ? above : 60);
		}
	}
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Continue the stack's first `from` frames to `depth`. */
static void walk(uint32_t *frames, uint32_t from, uint32_t depth)
{
	frames[0] = 0;
	for (uint32_t i = from ? from : 1; i < depth; i++)
		frames[i] = function[frames[i - 1]].callee[draw(CALLEES)];
}

/* The same in recursion: a function mostly makes the same call, so that the stack goes round and
 * round in a cycle; one call in a hundred leads to another cycle. */
static void recurse(uint32_t *frames, uint32_t from, uint32_t depth)
{
	frames[0] = 0;
	for (uint32_t i = from ? from : 1; i < depth; i++)
		frames[i] = function[frames[i - 1]].callee[draw(100) ? 0 : draw(CYCLIC_CALLEES)];
}

/* The recursions of the program: what deep stacks have in common at their outer end. */
static void make_spines(void)
{
	for (uint32_t i = 0; i < SPINES; i++)
		recurse(spine[i], 0, FRAMES);
}

static uint32_t make_deep(void)
{
	uint32_t kept = draw(16) ? 50 + draw(1300) : FRAMES - 540 + draw(100);
	uint32_t inner = draw(24), depth = kept + 10 + draw(400);

	memcpy(stack, spine[draw(SPINES)], kept * sizeof(*stack));
	recurse(stack, kept, depth);
	walk(stack, depth, depth + inner);
	return depth + inner;
}

/* The outer part stays as it was in the stack before: programs do not come from main each time. */
static uint32_t make_shallow(uint32_t depth_before)
{
	uint32_t depth = 20 + draw(41);
	uint32_t shorter = depth < depth_before ? depth : depth_before;

	walk(stack, shorter > 10 ? shorter - 1 - draw(shorter / 4) : 0, depth);
	return depth;
}

/* By its hash, in a table four times as large as needed. */
static bool is_new(uint32_t depth)
{
	static uint64_t seen[4 * STACKS];
	uint64_t hash = 1;
	size_t slot;

	for (uint32_t i = 0; i < depth; i++)
		hash = (hash ^ stack[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
	hash |= 1; /* 0: a free slot */
	for (slot = hash % (4 * STACKS); seen[slot]; slot = (slot + 1) % (4 * STACKS))
		if (seen[slot] == hash)
			return false;
	seen[slot] = hash;
	return true;
}

/* Most counts are small; one in 4,000 is of 2^60 and more: five of them, 15 x 2^60 at most. */
static uint64_t draw_count(uint32_t number)
{
	if (number % 4000 == 17)
		return (UINT64_C(1) << 60) + draw(UINT32_MAX);
	return draw(20) ? 1 + draw(1000) : (uint64_t)draw(UINT32_MAX) * 1000;
}

static void write_stack(uint32_t depth, uint64_t count)
{
	for (uint32_t i = 0; i < depth; i++) {
		if (i)
			putchar_unlocked(';');
		fputs_unlocked(function[stack[i]].name, stdout);
	}
	printf(" %llu\n", (unsigned long long)count);
}

int main(int argc, char **argv)
{
	bool is_deep = argc > 1 && !strcmp(argv[1], "deep");
	uint32_t depth = 0;

	state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	make_functions();
	make_spines();
	for (uint32_t i = 0; i < STACKS;) {
		depth = is_deep || !draw(100) ? make_deep() : make_shallow(depth > 60 ? 0 : depth);
		if (is_new(depth))
			write_stack(depth, draw_count(i++));
	}
	return fflush(stdout) != 0;
}
