/* SPDX-License-Identifier: MIT */
/*
 * atoms.h - what a recording counts: its resources, and the atoms that samples are of.
 *
 * A sample is of one atom, such as "CPU time", "blocked in io" or "bytes allocated". An atom counts in
 * one or several resources: CPU time counts in cpu and in real. A recording of one resource that a
 * clock measures is plain: it has no atoms, and its stream is that of version 3 of the format.
 *
 * Everything is set before the first sample, by one thread; counters of the program may be added later.
 */
#ifndef CPS_ATOMS_H
#define CPS_ATOMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "format.h"

#define CPS_ATOMS_BITS	    5u
#define CPS_ATOMS_MAX	    (1u << CPS_ATOMS_BITS)
#define CPS_ATOMS_RESOURCES 16u
#define CPS_ATOMS_NONE	    UINT32_MAX

/* The texts must stay valid. `why` may be NULL; it and the engine may be replaced while another thread reads them. */
struct cps_atoms_resource {
	const char *name, *unit;
	_Atomic(const char *) engine, why;
	uint64_t scale, interval; /* gticks per unit of weight; mean interval in gticks, 0: none */
	bool is_time;
	bool is_live; /* of its samples those count whose blocks are not freed */
};

/* [signal] Add a resource. Returns its id, or CPS_ATOMS_NONE if there are too many. The recording is not
 * plain any more. */
uint32_t cps_atoms_add_resource(const struct cps_atoms_resource *resource);

/* [signal] The resource with this id, or NULL. */
const struct cps_atoms_resource *cps_atoms_resource(uint32_t id);

/* [signal] Replace the resource's `why`. A record that says so has to be written again. */
void cps_atoms_explain(uint32_t resource, const char *why);

/* [signal] Another engine ticks from now on: replace that of the first resource, which is the clock's, if there is one.
 * A recording that is there already has to be told, too. */
void cps_atoms_tick_by(const char *engine, const char *why);

/* [signal] Add an atom that counts in the resources whose bits, by id, are set. `state` is the state of a
 * thread, or NULL. Weights are multiples of `grain` units. Returns the atom, or CPS_ATOMS_NONE. */
uint32_t cps_atoms_add(const char *state, uint32_t resources, uint32_t grain, bool is_time);

/* [signal] Samples of the clock that find the thread in the kernel are of this atom from now on, and the others of
 * atom 0. */
void cps_atoms_split_clock(uint32_t kernel);

/* [signal] That atom; 0: what the clock measures has atom 0 only. */
uint32_t cps_atoms_kernel(void);

/* [signal] Whether samples of the atom are the clock's, if there is one. */
bool cps_atoms_is_clocks(uint32_t atom);

/* [signal] Let the atom count in another resource, too. */
void cps_atoms_join(uint32_t atom, uint32_t resource);

/* [signal] Whether nothing was added. */
bool cps_atoms_are_plain(void);

/* [signal] The bits of an atom in the number of a thread, as batches have it: 0 if the recording is
 * plain. */
uint32_t cps_atoms_bits(void);

/* [signal] The grain of an atom, 0 if there is no such atom; and whether its weights are time. */
uint32_t cps_atoms_grain(uint32_t atom);
/* [signal] */
bool cps_atoms_is_time(uint32_t atom);

/* [signal] Count gticks of a resource, and events if their number is known, which samples are then compared with. */
void cps_atoms_count(uint32_t resource, uint64_t gticks, uint64_t events);
/* [signal] So many were counted in all. */
void cps_atoms_set_count(uint32_t resource, uint64_t gticks);
/* [signal] What was counted so far. */
uint64_t cps_atoms_counted(uint32_t resource);
/* [signal] Begin counting anew, in a child. */
void cps_atoms_forget_counts(void);
/* [signal] Another recording begins in the process: there is nothing in the tables. */
void cps_atoms_reset(void);

/* [signal] Append the records of all resources and atoms, from these numbers on, and the one of what was
 * counted. If they do not fit, the writer is full. */
void cps_atoms_write(struct cps_writer *w, uint32_t first_resource, uint32_t first_atom);
/* [signal] */
void cps_atoms_write_counts(struct cps_writer *w);

#endif
