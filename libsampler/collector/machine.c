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

static CPS_HOOK void *take(struct cps_machine *m, struct cps_machine_piece *piece, size_t bytes)
{
	char *at;

	if (bytes > piece->bytes) {
		size_t n = bytes > PIECE / 4 ? (bytes + 4095) & ~(size_t)4095 : PIECE;

		at = cps_machine_pages(n);
		if (!at)
			return NULL;
		m->memory += n;
		if (n != PIECE)
			return at;
		*piece = (struct cps_machine_piece){at, n};
	}
	at = piece->at;
	piece->at += bytes;
	piece->bytes -= bytes;
	return at;
}

CPS_HOOK void *cps_machine_take(struct cps_machine *m, size_t bytes)
{
	return take(m, &m->lines, (bytes + 63) & ~(size_t)63);
}

static CPS_HOOK void *take_words(struct cps_machine *m, size_t bytes)
{
	return take(m, &m->words, (bytes + 7) & ~(size_t)7);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Of 32 bits: tables may be large. */
static inline CPS_HOOK uint64_t wide_hash(uint64_t key)
{
	return (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static CPS_HOOK struct cps_machine_slot *free_slot(struct cps_machine_table *t, uint64_t key)
{
	uint64_t i = wide_hash(key) & t->mask;

	while (t->slots[i].value)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

/* The slot that has this key, or a free one. */
static CPS_HOOK struct cps_machine_slot *slot_of(struct cps_machine_table *t, uint64_t key)
{
	uint64_t i = wide_hash(key) & t->mask;

	while (t->slots[i].value && t->slots[i].key != key)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

/* Room for one more. False: there is no memory. */
static CPS_HOOK bool grow(struct cps_machine *m, struct cps_machine_table **table, uint64_t first)
{
	struct cps_machine_table *t = *table, *new;
	uint64_t n = t ? t->mask + 1 : 0;

	if (t && t->used < n / 2)
		return true;
	new = cps_machine_take(m, sizeof(*new) +
					  (n ? 2 * n : first) * sizeof(struct cps_machine_slot));
	if (!new)
		return t && t->used < n - 1;
	new->mask = (n ? 2 * n : first) - 1;
	new->used = t ? t->used : 0;
	for (uint64_t i = 0; i < n; i++)
		if (t->slots[i].value)
			*free_slot(new, t->slots[i].key) = t->slots[i];
	atomic_signal_fence(memory_order_seq_cst);
	*table = new;
	return true;
}

static CPS_HOOK void put(struct cps_machine_table *t, uint64_t key, void *value)
{
	struct cps_machine_slot *s = free_slot(t, key);

	s->key = key;
	atomic_signal_fence(memory_order_seq_cst);
	s->value = value;
	t->used++;
}

/* ---- states ---------------------------------------------------------------------------------- */

#define CHUNK_FIRST 64u

/* Chunk c has the CHUNK_FIRST << c states behind those of the chunks before, and then their cycles. */
static inline CPS_HOOK struct cps_state *state_at(struct cps_state *const *chunks, uint32_t number)
{
	uint32_t c = 31 - (uint32_t)__builtin_clz(number / CHUNK_FIRST + 1);

	return &chunks[c][number - CHUNK_FIRST * ((1u << c) - 1)];
}

CPS_HOOK struct cps_state *cps_machine_state(const struct cps_machine *m, uint32_t number)
{
	return state_at(m->chunks, number);
}

CPS_HOOK uint64_t *cps_machine_cycles(const struct cps_machine *m, uint32_t number)
{
	uint32_t c = 31 - (uint32_t)__builtin_clz(number / CHUNK_FIRST + 1);
	uint32_t states = CHUNK_FIRST << c;

	return (uint64_t *)(m->chunks[c] + states) + (number - states + CHUNK_FIRST);
}

static CPS_HOOK struct cps_state *new_chunk(struct cps_machine *m, uint32_t c)
{
	size_t bytes = sizeof(struct cps_state) + (m->is_timed ? sizeof(uint64_t) : 0);

	return cps_machine_take(m, ((size_t)CHUNK_FIRST << c) * bytes);
}

/* The next state, which is not counted yet. NULL: there is no room. */
static CPS_HOOK struct cps_state *next_state(struct cps_machine *m)
{
	uint32_t c = 31 - (uint32_t)__builtin_clz(m->n_states / CHUNK_FIRST + 1);

	if (m->n_states == CPS_MACHINE_STATES)
		return NULL;
	if (!m->chunks[c])
		m->chunks[c] = new_chunk(m, c);
	return m->chunks[c] ? state_at(m->chunks, m->n_states) : NULL;
}

/* Number + 1 of the function; 0: there is no memory, or there are as many as states. */
static CPS_HOOK uint32_t number_of(struct cps_machine *m, uintptr_t function)
{
	void *known = m->functions ? slot_of(m->functions, function)->value : NULL;

	if (known)
		return (uint32_t)(uintptr_t)known;
	if (m->n_functions == CPS_MACHINE_STATES) /* no state could have it */
		return 0;
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
	if (!grow(m, &m->functions, 128))
		return 0;
	m->called[m->n_functions] =
		(struct cps_called){.address = function, .module = CPS_MODULE_NONE};
	atomic_thread_fence(memory_order_release);
	m->n_functions++;
	put(m->functions, function, (void *)(uintptr_t)m->n_functions);
	return m->n_functions;
}

/* Steps A2 to A5: the history of `from` and the function. Of each run of unmarked entries the first and the last stay, or one
 * if they are alike. Returns its length; 0: it is too long. */
static CPS_HOOK uint32_t extend(struct cps_machine *m, const struct cps_state *from,
				uint32_t function)
{
	uint32_t *h = m->history, n = from->origin->n, k = 0;
	const uint32_t *old = from->origin->history;

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
	m->history[0] = from->origin->function >> 1 << 1;
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
	struct cps_origin *origin;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ hash >> 32 ^ m->history[i]) * UINT64_C(0xff51afd7ed558ccd);
	for (uint64_t i = wide_hash(hash) & t->mask; t->slots[i].value; i = (i + 1) & t->mask) {
		uint32_t k = 0;

		s = t->slots[i].value;
		if (t->slots[i].key != hash || s->origin->n != n ||
		    (s->origin->function & 1) != is_cut)
			continue;
		while (k < n && s->origin->history[k] == m->history[k])
			k++;
		if (k == n)
			return s;
	}
	s = next_state(m);
	origin = s && grow(m, &m->contexts, 256)
			 ? take_words(m, sizeof(*origin) + n * sizeof(*origin->history))
			 : NULL;
	if (!origin)
		return NULL;
	*origin = (struct cps_origin){.number = m->n_states,
				      .from = from->origin->number,
				      .function = function << 1 | is_cut,
				      .n = n};
	for (uint32_t i = 0; i < n; i++)
		origin->history[i] = m->history[i];
	*s = (struct cps_state){.address = m->called[function].address,
				.next = m->none,
				.code_bytes = CPS_MACHINE_ANYWHERE,
				.origin = origin};
	atomic_thread_fence(memory_order_release);
	m->n_states++;
	put(m->contexts, hash, s);
	return s;
}

/* ---- transitions ----------------------------------------------------------------------------- */
/*
 * Those of a state are few: four of five states have one or none. Where two have the same place, they get a table of twice as many
 * places, up to PLACES for each, so that the hooks find most of them in the first place.
 */

#define PLACES 16u

static inline CPS_HOOK bool is_free(const struct cps_state *next)
{
	return !next->address; /* state 0, or where a library was unloaded */
}

/* The function's place, or a free one, if there is one in these. */
static CPS_HOOK struct cps_state **place_of(struct cps_state **next, uint32_t mask,
					    uintptr_t function)
{
	uint32_t i = cps_machine_hash(function) & mask;

	for (uint32_t n = 0; n <= mask; n++, i = (i + 1) & mask)
		if (next[i]->address == function || is_free(next[i]))
			return &next[i];
	return NULL;
}

/* False: there is no memory. */
static CPS_HOOK bool widen(struct cps_machine *m, struct cps_state *from)
{
	uint32_t n = from->mask + 1, places = from->next == m->none ? 1 : 2 * n;
	struct cps_state **new = take_words(m, places * sizeof(struct cps_state *));

	if (!new)
		return false;
	for (uint32_t i = 0; i < places; i++)
		new[i] = m->chunks[0];
	for (uint32_t i = 0; i < n; i++)
		if (!is_free(from->next[i]))
			*place_of(new, places - 1, from->next[i]->address) = from->next[i];
	atomic_signal_fence(memory_order_seq_cst);
	from->next = new;
	atomic_signal_fence(memory_order_seq_cst);
	from->mask = places - 1;
	return true;
}

/* Whether another one has the first place of this function. */
static CPS_HOOK bool is_taken(const struct cps_machine *m, const struct cps_state *from,
			      uintptr_t function)
{
	return from->next == m->none ||
	       !is_free(from->next[cps_machine_hash(function) & from->mask]);
}

static CPS_HOOK bool put_transition(struct cps_machine *m, struct cps_state *from,
				    struct cps_state *to)
{
	struct cps_state **place;

	while (is_taken(m, from, to->address) &&
	       from->mask < PLACES * (from->origin->transitions + 1) && widen(m, from))
		;
	place = from->next == m->none ? NULL : place_of(from->next, from->mask, to->address);
	if (!place)
		return false;
	*place = to;
	from->origin->transitions++;
	m->n_transitions++;
	return true;
}

/* Where the call leads for which there is no transition yet. NULL: it cannot be counted. */
static CPS_HOOK struct cps_state *new_transition(struct cps_machine *m, struct cps_state *from,
						 uintptr_t function)
{
	uint32_t number = number_of(m, function) - 1, n = 0;
	struct cps_state *to = NULL;

	if (number == UINT32_MAX)
		return NULL;
	if (!m->is_full && !(from->origin->function & 1))
		n = extend(m, from, number);
	m->is_full |= m->n_states >= CPS_MACHINE_HISTORIES;
	to = n ? find_state(m, from, number, n, false)
	       : find_state(m, from, number, extend_cut(m, from, number), true);
	return to && put_transition(m, from, to) ? to : NULL;
}

CPS_HOOK_KEEPS __attribute__((noinline)) struct cps_state *
cps_machine_go_on(struct cps_machine *m, struct cps_state *from, uintptr_t function)
{
	uint32_t mask = *(volatile uint32_t *)&from->mask;
	struct cps_state **place =
		place_of(*(struct cps_state * *volatile *)&from->next, mask, function);
	struct cps_state *to = place ? *place : NULL;

	if (to && to->address == function)
		return to;
	if (m->busy_at)
		return NULL;
	m->busy_at = (uintptr_t)__builtin_frame_address(0);
	atomic_signal_fence(memory_order_seq_cst);
	to = new_transition(m, from, function);
	atomic_signal_fence(memory_order_seq_cst);
	m->busy_at = 0;
	return to;
}

/* ---- calls by functions that do not tell of their own ------------------------------------------ */

/* As many bits as an address of the program and a state's number have. */
static inline CPS_HOOK uint64_t foreign_key(const struct cps_state *s, uintptr_t back)
{
	return back << 17 | s->origin->number;
}

_Static_assert(CPS_MACHINE_STATES == 1u << 17, "foreign_key knows it");

CPS_HOOK bool cps_machine_has_adopted(const struct cps_machine *m, const struct cps_state *s,
				      uintptr_t back)
{
	struct cps_machine_table *t = m->foreign;

	return t && slot_of(t, foreign_key(s, back))->value;
}

CPS_HOOK void cps_machine_adopt(struct cps_machine *m, const struct cps_state *s, uintptr_t back)
{
	if (m->busy_at)
		return;
	m->busy_at = (uintptr_t)__builtin_frame_address(0);
	atomic_signal_fence(memory_order_seq_cst);
	if (grow(m, &m->foreign, 64))
		put(m->foreign, foreign_key(s, back), m);
	atomic_signal_fence(memory_order_seq_cst);
	m->busy_at = 0;
}

CPS_HOOK bool cps_machine_begin(struct cps_machine *m)
{
	struct cps_origin *origin = take_words(m, sizeof(*origin));

	m->chunks[0] = new_chunk(m, 0);
	if (!origin || !m->chunks[0] || !grow(m, &m->contexts, 256))
		return false;
	*origin = (struct cps_origin){.number = 0};
	m->none[0] = m->chunks[0];
	m->chunks[0][0].origin = origin;
	m->chunks[0][0].code_bytes = CPS_MACHINE_ANYWHERE;
	m->chunks[0][0].next = m->none;
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
	clear(m->foreign);
	for (uint32_t i = 1; i < m->n_states; i++)
		if (m->called[state_at(m->chunks, i)->origin->function >> 1].is_closed)
			state_at(m->chunks, i)->address = 0;
	for (uint32_t i = 0; i < m->n_functions; i++)
		if (!m->called[i].is_closed)
			put(m->functions, m->called[i].address, (void *)(uintptr_t)(i + 1));
}
