/* SPDX-License-Identifier: MIT */
/*
 * path.c - holds a stack with Python functions in the place of evaluators.
 *
 * In: code objects and instructions, innermost first. Out: a path that is no longer than there is room.
 */
#include "format.h"
#include "python/path.h"
#include "base/poison.h"

static void put_at(struct cps_python_path *path, uint32_t i, uint64_t code, uint64_t instruction)
{
	path->addresses[i] = code;
	path->addresses[path->room + i] = instruction;
}

bool cps_python_path_put(struct cps_python_path *path, uint64_t code, uint64_t instruction)
{
	if (path->depth == path->room)
		return false;
	put_at(path, path->depth++, code, instruction);
	return true;
}

void cps_python_path_close_up(struct cps_python_path *path)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < path->depth; i++)
		if (path->addresses[i] != CPS_PYTHON_NOWHERE)
			path->addresses[n++] = path->addresses[i];
	path->depth = n;
}

static void turn(uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		uint64_t word = words[i];

		words[i] = words[n - 1 - i];
		words[n - 1 - i] = word;
	}
}

/* Moves the first `by` words behind the others. */
static void rotate(uint64_t *words, uint32_t n, uint32_t by)
{
	turn(words, by);
	turn(words + by, n - by);
	turn(words, n);
}

bool cps_python_chain_put(struct cps_python_path *path, struct cps_python_chain *chain,
			  uint64_t code, uint64_t instruction)
{
	uint32_t each = chain->most / 2;

	if (chain->n++ < 2 * each)
		return cps_python_path_put(path, code, instruction);
	put_at(path, chain->begin + each + chain->ring, code, instruction);
	chain->ring = (chain->ring + 1) % each;
	return true;
}

/* The gap takes the place of the innermost function of the ring. */
void cps_python_chain_close(struct cps_python_path *path, const struct cps_python_chain *chain)
{
	uint32_t each = chain->most / 2, at = chain->begin + each;

	if (chain->n <= 2 * each)
		return;
	rotate(path->addresses + at, each, chain->ring);
	rotate(path->addresses + path->room + at, each, chain->ring);
	path->addresses[at] = CPS_CUT_ADDRESS;
	path->is_cut = true;
}
