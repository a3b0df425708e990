/* SPDX-License-Identifier: MIT */
/*
 * machine.c - finds the state that a call leads to, and makes it if need be.
 *
 * In: a state, an address in the function that is called. Out: the next state, by steps B1 to B3.
 *
 * Order: what another thread reads are counts, which stand for themselves, and states and functions below the numbers that are
 * released behind them.
 */
#include "arch/arch.h"
#include "collector/machine.h"
#include "unwind/module.h"
#include "base/poison.h"

/* ---- memory ---------------------------------------------------------------------------------- */

#define PIECE (256u << 10)

CPS_HOOK void *cps_machine_pages(size_t bytes)
{
	long at = cps_sys6(SYS_mmap, 0, (long)bytes, 3 /* read, write */,
			   0x22 /* private, of nobody */, -1, 0);

	return at < 0 && at > -4096 ? NULL : (void *)at;
}

CPS_HOOK void *cps_machine_take(struct cps_machine *m, size_t bytes)
{
	char *at;

	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > m->piece_bytes) {
		size_t n = bytes > PIECE / 4 ? (bytes + 4095) & ~(size_t)4095 : PIECE;

		at = cps_machine_pages(n);
		if (!at)
			return NULL;
		m->memory += n;
		if (n != PIECE)
			return at;
		m->piece = at;
		m->piece_bytes = n;
	}
	at = m->piece;
	m->piece += bytes;
	m->piece_bytes -= bytes;
	return at;
}

/* ---- tables ---------------------------------------------------------------------------------- */
static CPS_HOOK struct cps_machine_slot *free_slot(struct cps_machine_table *t, uint64_t hash)
{
	uint64_t i = hash & t->mask;

	for (uint64_t n = 1; t->slots[i].value; n++)
		i = (n & 1 ? i ^ 1 : (i ^ 1) + 2) & t->mask;
	return &t->slots[i];
}

/* Room for one more. `hash_of` says where a slot belongs. False: there is no memory. */
static CPS_HOOK bool grow(struct cps_machine *m, struct cps_machine_table **table, uint64_t first,
			  uint64_t (*hash_of)(const struct cps_machine_slot *))
{
	struct cps_machine_table *t = *table, *new;
	uint64_t n = t ? t->mask + 1 : 0;

	if (t && t->used < n / 4)
		return true;
	new = cps_machine_take(m, sizeof(*new) +
					  (n ? 2 * n : first) * sizeof(struct cps_machine_slot));
	if (!new)
		return t && t->used < n - 1;
	new->mask = (n ? 2 * n : first) - 1;
	new->used = t ? t->used : 0;
	for (uint64_t i = 0; i < n; i++)
		if (t->slots[i].value)
			*free_slot(new, hash_of(&t->slots[i])) = t->slots[i];
	atomic_signal_fence(memory_order_seq_cst);
	*table = new;
	return true;
}

static CPS_HOOK void put(struct cps_machine_table *t, uint64_t hash, uint64_t key, void *value)
{
	struct cps_machine_slot *s = free_slot(t, hash);

	s->key = key;
	atomic_signal_fence(memory_order_seq_cst);
	s->value = value;
	t->used++;
}

static inline CPS_HOOK uint64_t seed_of(uint32_t number)
{
	return number * UINT64_C(0xff51afd7ed558ccd);
}

static inline CPS_HOOK uint64_t tag_of(uint32_t number)
{
	return number * CPS_MACHINE_ADDRESSES;
}

static CPS_HOOK uint64_t hash_of_transition(const struct cps_machine_slot *s)
{
	return cps_machine_hash(seed_of((uint32_t)(s->key / CPS_MACHINE_ADDRESSES)),
				s->key % CPS_MACHINE_ADDRESSES);
}

static CPS_HOOK uint64_t hash_of_key(const struct cps_machine_slot *s)
{
	return cps_machine_hash(0, s->key);
}

/* ---- states ---------------------------------------------------------------------------------- */

#define CHUNK_FIRST 64u

/* Chunk c has the CHUNK_FIRST << c states behind those of the chunks before. */
static inline CPS_HOOK struct cps_state *state_at(struct cps_state *const *chunks, uint32_t number)
{
	uint32_t c = 31 - (uint32_t)__builtin_clz(number / CHUNK_FIRST + 1);

	return &chunks[c][number - CHUNK_FIRST * ((1u << c) - 1)];
}

CPS_HOOK struct cps_state *cps_machine_state(const struct cps_machine *m, uint32_t number)
{
	return state_at(m->chunks, number);
}

/* The next state, which is not counted yet. NULL: there is no room. */
static CPS_HOOK struct cps_state *next_state(struct cps_machine *m)
{
	uint32_t c = 31 - (uint32_t)__builtin_clz(m->n_states / CHUNK_FIRST + 1);

	if (m->n_states == CPS_MACHINE_STATES)
		return NULL;
	if (!m->chunks[c])
		m->chunks[c] = cps_machine_take(m, (CHUNK_FIRST << c) * sizeof(struct cps_state));
	return m->chunks[c] ? state_at(m->chunks, m->n_states) : NULL;
}

/* Number + 1 of the function; 0: there is no memory. */
static CPS_HOOK uint32_t number_of(struct cps_machine *m, uintptr_t function)
{
	struct cps_machine_table *t = m->functions;
	uint64_t i = t ? cps_machine_hash(0, function) & t->mask : 0;

	for (uint64_t n = 0; t && t->slots[i].value;
	     n++, i = (n & 1 ? i ^ 1 : (i ^ 1) + 2) & t->mask)
		if (t->slots[i].key == function)
			return (uint32_t)(uintptr_t)t->slots[i].value;
	if (m->n_functions == m->room_called) {
		uint32_t room = m->room_called ? 2 * m->room_called : 64;
		struct cps_called *new = cps_machine_take(m, room * sizeof(*new));

		if (!new)
			return 0;
		for (uint32_t k = 0; k < m->n_functions; k++)
			new[k] = m->called[k];
		atomic_thread_fence(memory_order_release);
		m->called = new;
		m->room_called = room;
	}
	if (!grow(m, &m->functions, 128, hash_of_key))
		return 0;
	m->called[m->n_functions] =
		(struct cps_called){.address = function, .module = CPS_MODULE_NONE};
	atomic_thread_fence(memory_order_release);
	m->n_functions++;
	put(m->functions, cps_machine_hash(0, function), function,
	    (void *)(uintptr_t)m->n_functions);
	return m->n_functions;
}

/* Steps A2 to A5: the history of `from` and the function. Of each run of unmarked entries the first and the last stay, or one
 * if they are alike. Returns its length; 0: it is too long. */
static CPS_HOOK uint32_t extend(struct cps_machine *m, const struct cps_state *from,
				uint32_t function)
{
	uint32_t *h = m->history, n = from->n, k = 0;
	const uint32_t *old = from->history;

	if (n + 2 > CPS_MACHINE_HISTORY)
		return 0;
	for (uint32_t i = 0; i < n;) {
		uint32_t first = old[i] >> 1 == function ? old[i] | 1 : old[i], last = first;

		h[k++] = first;
		i++;
		if (!(first & 1))
			continue;
		for (; i < n && (old[i] & 1 || old[i] >> 1 == function); i++)
			last = old[i] | 1;
		if (last != first)
			h[k++] = last;
	}
	h[k++] = function << 1;
	return k;
}

/* The history of a state whose own was not kept: the caller and the function. */
static CPS_HOOK uint32_t extend_cut(struct cps_machine *m, const struct cps_state *from,
				    uint32_t function)
{
	m->history[0] = from->function >> 1 << 1;
	m->history[1] = function << 1;
	return 2;
}

/* Steps B2 and B3. NULL: there is no memory. */
static CPS_HOOK struct cps_state *find_state(struct cps_machine *m, const struct cps_state *from,
					     uint32_t function, uint32_t n, bool is_cut)
{
	uint64_t hash = n + is_cut * 12345;
	struct cps_machine_table *t = m->contexts;
	struct cps_state *s;
	uint32_t *history;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ hash >> 32 ^ m->history[i]) * UINT64_C(0xff51afd7ed558ccd);
	for (uint64_t i = cps_machine_hash(0, hash) & t->mask, probe = 0; t->slots[i].value;
	     probe++, i = (probe & 1 ? i ^ 1 : (i ^ 1) + 2) & t->mask) {
		uint32_t k = 0;

		s = t->slots[i].value;
		if (t->slots[i].key != hash || s->n != n || (s->function & 1) != is_cut)
			continue;
		while (k < n && s->history[k] == m->history[k])
			k++;
		if (k == n)
			return s;
	}
	s = next_state(m);
	history = s && grow(m, &m->contexts, 256, hash_of_key)
			  ? cps_machine_take(m, n * sizeof(*history))
			  : NULL;
	if (!history)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		history[i] = m->history[i];
	*s = (struct cps_state){.number = m->n_states,
				.from = from->number,
				.function = function << 1 | is_cut,
				.n = n,
				.seed = seed_of(m->n_states),
				.address = m->called[function].address,
				.tag = tag_of(m->n_states),
				.history = history};
	atomic_thread_fence(memory_order_release);
	m->n_states++;
	put(m->contexts, cps_machine_hash(0, hash), hash, s);
	return s;
}

/* Where the call leads for which there is no transition yet. NULL: it cannot be counted. */
static CPS_HOOK struct cps_state *new_transition(struct cps_machine *m, struct cps_state *from,
						 uintptr_t function)
{
	uint32_t number = number_of(m, function) - 1, n = 0;
	struct cps_state *to = NULL;

	if (number == UINT32_MAX || !grow(m, &m->transitions, 512, hash_of_transition))
		return NULL;
	if (!m->is_full && !(from->function & 1))
		n = extend(m, from, number);
	m->is_full |= m->n_states >= CPS_MACHINE_HISTORIES;
	to = n ? find_state(m, from, number, n, false)
	       : find_state(m, from, number, extend_cut(m, from, number), true);
	if (!to)
		return NULL;
	put(m->transitions, cps_machine_hash(from->seed, function), function | from->tag, to);
	m->n_transitions++;
	return to;
}

CPS_HOOK_KEEPS __attribute__((noinline)) struct cps_state *
cps_machine_go_on(struct cps_machine *m, struct cps_state *from, uintptr_t function)
{
	struct cps_state *to;

	if (m->is_busy || function >= CPS_MACHINE_ADDRESSES)
		return NULL;
	m->is_busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	to = new_transition(m, from, function);
	atomic_signal_fence(memory_order_seq_cst);
	m->is_busy = false;
	return to;
}

CPS_HOOK bool cps_machine_begin(struct cps_machine *m)
{
	m->chunks[0] = cps_machine_take(m, CHUNK_FIRST * sizeof(struct cps_state));
	if (!m->chunks[0] || !grow(m, &m->transitions, 512, hash_of_transition) ||
	    !grow(m, &m->contexts, 256, hash_of_key))
		return false;
	m->chunks[0][0].history = m->history; /* no entries of it */
	m->n_states = 1;
	return true;
}

static CPS_HOOK void clear(struct cps_machine_table *t)
{
	for (uint64_t i = 0; t && i <= t->mask; i++)
		t->slots[i] = (struct cps_machine_slot){0, NULL};
	if (t)
		t->used = 0;
}

CPS_HOOK void cps_machine_renew(struct cps_machine *m)
{
	clear(m->functions);
	clear(m->transitions);
	for (uint32_t i = 1; i < m->n_states; i++)
		if (m->called[state_at(m->chunks, i)->function >> 1].is_closed)
			state_at(m->chunks, i)->address = 0;
	for (uint32_t i = 0; i < m->n_functions; i++)
		if (!m->called[i].is_closed)
			put(m->functions, cps_machine_hash(0, m->called[i].address),
			    m->called[i].address, (void *)(uintptr_t)(i + 1));
}
