/* SPDX-License-Identifier: MIT */
/*
 * path.h - holds a stack with Python functions in the place of evaluators.
 *
 * Where more functions call each other within one evaluator than are kept, the middle is left out as in a stack
 * of the machine's (unwind/trail.h): CPS_CUT_ADDRESS stands for it.
 */
#ifndef CPS_PATH_H
#define CPS_PATH_H

#include <stdbool.h>
#include <stdint.h>

/* Added to code objects in a path, to be named later; no address is so high. */
#define CPS_PYTHON_NAMED_LATER UINT64_C(0x507a000000000000)
#define CPS_PYTHON_NOWHERE     CPS_PYTHON_NAMED_LATER /* no function stands there */

/* A stack as it is to be recorded, innermost first. There is memory for twice as many addresses as there is room
 * for. */
struct cps_python_path {
	uint64_t *addresses;
	uint32_t room, depth;
	bool is_cut; /* a middle is left out */
};

/* Functions of one evaluator. The inner half of those that are kept stays where it is put, the outer half is a ring. */
struct cps_python_chain {
	uint32_t begin; /* where in the path */
	uint32_t most;	/* functions that are kept; even */
	uint32_t n;	/* that were put */
	uint32_t ring;	/* the next place in the ring */
};

/* [signal] Put a code object, to be named later, behind all others. Its instruction comes behind the path's room. False: there
 * is no room. */
bool cps_python_path_put(struct cps_python_path *path, uint64_t code, uint64_t instruction);

/* [signal] Take the places out that no function stands in. */
void cps_python_path_close_up(struct cps_python_path *path);

/* [signal] The same as cps_python_path_put within a chain, which takes no more than `most` places. */
bool cps_python_chain_put(struct cps_python_path *path, struct cps_python_chain *chain,
			  uint64_t code, uint64_t instruction);

/* [signal] Bring a chain into order of which all was put, and mark the gap. */
void cps_python_chain_close(struct cps_python_path *path, const struct cps_python_chain *chain);

#endif
