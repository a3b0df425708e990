/* SPDX-License-Identifier: MIT */
/*
 * atoms.c - the tables of resources and atoms of a recording.
 *
 * In: what is to be counted. Out: numbers for samples, and the records that say what these mean.
 *
 * Order: a line of a table is complete before the number of lines is stored that makes it visible, and is read
 * after that number was acquired. What changes later is atomic by itself.
 */
#include <stdatomic.h>

#include "stream/atoms.h"
#include "stream/record.h"
#include "base/poison.h"

struct atom {
	const char *state;
	_Atomic uint32_t resources; /* a bit for each */
	uint32_t grain;
	bool is_time;
};

static struct cps_atoms_resource resources[CPS_ATOMS_RESOURCES];
static struct atom atoms[CPS_ATOMS_MAX];
static _Atomic uint32_t n_resources, n_atoms;
static uint32_t kernel_atom;
static _Atomic uint64_t counted[CPS_ATOMS_RESOURCES], events[CPS_ATOMS_RESOURCES];

uint32_t cps_atoms_add_resource(const struct cps_atoms_resource *resource)
{
	uint32_t id = atomic_load(&n_resources);

	if (id == CPS_ATOMS_RESOURCES)
		return CPS_ATOMS_NONE;
	resources[id] = *resource;
	atomic_store(&n_resources, id + 1);
	return id;
}

const struct cps_atoms_resource *cps_atoms_resource(uint32_t id)
{
	return id < atomic_load(&n_resources) ? &resources[id] : NULL;
}

void cps_atoms_explain(uint32_t id, const char *why)
{
	if (id < atomic_load(&n_resources))
		resources[id].why = why;
}

void cps_atoms_tick_by(const char *engine, const char *why)
{
	if (!atomic_load(&n_resources))
		return;
	resources[0].engine = engine;
	resources[0].why = why;
}

uint32_t cps_atoms_add(const char *state, uint32_t in, uint32_t grain, bool is_time)
{
	uint32_t id = atomic_load(&n_atoms);

	if (id == CPS_ATOMS_MAX)
		return CPS_ATOMS_NONE;
	atoms[id].state = state;
	atoms[id].resources = in;
	atoms[id].grain = grain;
	atoms[id].is_time = is_time;
	atomic_store(&n_atoms, id + 1);
	return id;
}

void cps_atoms_split_clock(uint32_t kernel)
{
	kernel_atom = kernel;
}

uint32_t cps_atoms_kernel(void)
{
	return kernel_atom;
}

bool cps_atoms_is_clocks(uint32_t atom)
{
	return !atom || atom == kernel_atom;
}

void cps_atoms_join(uint32_t atom, uint32_t resource)
{
	if (atom < atomic_load(&n_atoms) && resource < CPS_ATOMS_RESOURCES)
		atomic_fetch_or(&atoms[atom].resources, 1u << resource);
}

bool cps_atoms_are_plain(void)
{
	return !atomic_load_explicit(&n_resources, memory_order_relaxed);
}

uint32_t cps_atoms_bits(void)
{
	return cps_atoms_are_plain() ? 0 : CPS_ATOMS_BITS;
}

uint32_t cps_atoms_grain(uint32_t atom)
{
	return atom < atomic_load_explicit(&n_atoms, memory_order_acquire) ? atoms[atom].grain : 0;
}

bool cps_atoms_is_time(uint32_t atom)
{
	return atom < atomic_load_explicit(&n_atoms, memory_order_acquire) && atoms[atom].is_time;
}

void cps_atoms_count(uint32_t resource, uint64_t gticks, uint64_t n)
{
	if (resource >= CPS_ATOMS_RESOURCES)
		return;
	atomic_fetch_add_explicit(&counted[resource], gticks, memory_order_relaxed);
	atomic_fetch_add_explicit(&events[resource], n, memory_order_relaxed);
}

void cps_atoms_set_count(uint32_t resource, uint64_t gticks)
{
	if (resource < CPS_ATOMS_RESOURCES)
		atomic_store(&counted[resource], gticks);
}

uint64_t cps_atoms_counted(uint32_t resource)
{
	return resource < CPS_ATOMS_RESOURCES ? atomic_load(&counted[resource]) : 0;
}

void cps_atoms_forget_counts(void)
{
	for (uint32_t i = 0; i < CPS_ATOMS_RESOURCES; i++) {
		atomic_store(&counted[i], 0);
		atomic_store(&events[i], 0);
	}
}

void cps_atoms_reset(void)
{
	atomic_store(&n_resources, 0);
	atomic_store(&n_atoms, 0);
	kernel_atom = 0;
	cps_atoms_forget_counts();
}

static uint32_t flags_of(uint32_t atom)
{
	return (atoms[atom].is_time ? CPS_ATOM_IS_TIME : 0) |
	       (atom && atom == kernel_atom ? CPS_ATOM_IN_KERNEL : 0);
}

void cps_atoms_write(struct cps_writer *w, uint32_t first_resource, uint32_t first_atom)
{
	for (uint32_t i = first_resource; i < atomic_load(&n_resources); i++)
		cps_record_resource(w, i, &resources[i]);
	for (uint32_t i = first_atom; i < atomic_load(&n_atoms); i++)
		cps_record_atom(w, i, atoms[i].state, atomic_load(&atoms[i].resources),
				atoms[i].grain, flags_of(i));
}

void cps_atoms_write_counts(struct cps_writer *w)
{
	uint64_t triples[CPS_ATOMS_RESOURCES][3];
	uint32_t n = atomic_load(&n_resources);

	for (uint32_t i = 0; i < n; i++) {
		triples[i][0] = i;
		triples[i][1] = atomic_load(&counted[i]);
		triples[i][2] = atomic_load(&events[i]);
	}
	if (n)
		cps_record_counted(w, triples, n);
}
