/* SPDX-License-Identifier: MIT */
/*
 * decode_resources.h - what a stream of version 4 counts: its resources, and the atoms of which its
 * samples are.
 *
 * For the parts of the stream's decoder. The functions that return int do so as those of
 * decode_stream.h.
 */
#ifndef DECODE_RESOURCES_H
#define DECODE_RESOURCES_H

#include "read/event.h"
#include "read/input.h"

struct decode_stream;

#define DECODE_LIVE  "alloc-live"
#define DECODE_ATOMS (1u << CPS_ATOM_BITS_MAX)

struct decode_resource {
	uint64_t scale, interval, flags;
	char *name, *unit, *engine, *why;
	uint64_t counted, events; /* what the recorder has counted */
	bool has_counted;
};

struct decode_atom {
	bool is_known;	   /* a record has described it */
	bool is_time;	   /* its weights predict the times of samples */
	bool is_in_kernel; /* its threads were */
	bool is_taken;	   /* the resource that is read counts it */
	bool has_blocks;   /* some of its samples have numbers of blocks */
	uint64_t grain, scale;
	char *state;				    /* NULL: none */
	uint64_t resources[CPS_RESOURCES_MAX / 64]; /* a bit for each that counts it */
	uint64_t weight, hits;			    /* of its samples so far, weights in gticks */
};

static inline bool decode_atom_has(const struct decode_atom *a, uint64_t resource)
{
	return a->resources[resource / 64] >> resource % 64 & 1;
}

/* Only a stream of version 4 has this. Until the sink takes a resource, events go nowhere, and the
 * records that it would miss are kept. */
struct decode_resources {
	unsigned atom_bits;
	struct decode_resource list[CPS_RESOURCES_MAX];
	uint32_t n;
	struct decode_atom atoms[DECODE_ATOMS];
	bool is_taken;
	uint32_t taken; /* the number of the resource */
	const struct event_sink
		*live; /* the sink that has taken alloc-live, for live_heap.c; else NULL */
	const struct event_sink *first; /* the sink that resources are offered to */
	size_t keep; /* how many frames of the latest sample pushed all later ones have kept */
	unsigned char *process; /* the payload of the process record */
	size_t process_bytes;
	unsigned char *kept; /* whole records, without their checksums */
	size_t kept_bytes, kept_size;
};

/* Whether the resource has not its own samples, but those of alloc whose blocks are not freed. */
bool decode_resources_is_live(const struct decode_resource *r);

/* The stream has version 4: its process record has just been read, and says what resource 0 is. */
int decode_resources_begin(struct decode_stream *s, const struct event_process *e,
			   uint64_t atom_bits, const unsigned char *payload, size_t n);
void decode_resources_free(struct decode_stream *s);

/* Records of these tags. The latter two are in decode_record.c. */
int decode_resources_resource(struct decode_stream *s, struct cursor *c);
int decode_resources_atom(struct decode_stream *s, struct cursor *c);

/* Another engine serves resource 0. The sink is told if it has taken that one. */
int decode_resources_engine(struct decode_stream *s, const struct event_engine *e);

/* A record has been decoded while no resource was taken: keep it. */
int decode_resources_keep(struct decode_stream *s, uint64_t tag, const unsigned char *payload,
			  size_t n);

/* A sample of the atom has been decoded: push it, if the resource that was taken counts it. Then its
 * `keep` becomes smaller if samples before it were not pushed. */
int decode_resources_sample(struct decode_stream *s, struct event_sample *e, unsigned atom);

/* decode_record.c: all has been read: say of each resource how much was counted and credited. */
int decode_resources_end(struct decode_stream *s);

#endif
