/* SPDX-License-Identifier: MIT */
/*
 * modules.c - recognises the same module in several inputs.
 *
 * In: module events, whose numbers the input chose. Out: indices in the list of all modules.
 */
#include "model/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"

/* What the current input says about one number. */
struct local {
	bool described;
	uint64_t bias;
	struct profile_module module; /* moves to the list of all if it is new there */
	uint32_t global;	      /* index there, PROFILE_NO_MODULE before modules_resolve */
};

struct modules {
	struct profile_module *all;
	size_t n_all, all_size;
	struct strings *keys; /* path, vDSO or not, build id */
	uint32_t *by_key;     /* number in `keys` -> index in `all` */
	size_t by_key_size;
	struct id_table *ids; /* of the current input; place -> index in `locals` */
	struct local *locals;
	size_t locals_size;
};

/* Forget the current input. */
static void modules_forget(struct modules *m)
{
	for (size_t i = 0; m->ids && i < id_table_count(m->ids); i++)
		profile_module_free(&m->locals[i].module);
	id_table_free(m->ids);
	free(m->locals);
	m->ids = NULL;
	m->locals = NULL;
	m->locals_size = 0;
}

struct modules *modules_new(void)
{
	struct modules *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->keys = strings_new();
	m->ids = id_table_new();
	if (!m->keys || !m->ids) {
		modules_free(m);
		return NULL;
	}
	return m;
}

void modules_free(struct modules *m)
{
	if (!m)
		return;
	modules_forget(m);
	profile_modules_free(m->all, m->n_all);
	strings_free(m->keys);
	free(m->by_key);
	free(m);
}

/* The entry of the number, added if it is new. NULL when memory is out. */
static struct local *modules_local(struct modules *m, uint32_t id)
{
	size_t before = id_table_count(m->ids);

	if (!array_reserve(&m->locals, &m->locals_size, before + 1, sizeof(*m->locals)))
		return NULL;
	uint32_t place = id_table_add(m->ids, id);
	if (place == ID_TABLE_NONE)
		return NULL;
	if (place == before) {
		m->locals[place] = (struct local){.global = PROFILE_NO_MODULE};
		m->locals[place].module.path = STRINGS_NONE;
	}
	return &m->locals[place];
}

static bool segments_equal(const struct profile_segment *a, const struct event_segment *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].vaddr != b[i].vaddr || a[i].memory_bytes != b[i].memory_bytes ||
		    a[i].file_offset != b[i].file_offset || a[i].file_bytes != b[i].file_bytes ||
		    a[i].flags != b[i].flags)
			return false;
	return true;
}

static bool local_equal(const struct local *l, uint32_t path, const struct event_module *e)
{
	const struct profile_module *m = &l->module;

	return m->path == path && l->bias == e->bias && m->is_vdso == e->is_vdso &&
	       m->build_id_bytes == e->build_id.length &&
	       (!m->build_id_bytes || !memcmp(m->build_id, e->build_id.bytes, m->build_id_bytes)) &&
	       m->n_segments == e->n_segments &&
	       segments_equal(m->segments, e->segments, m->n_segments);
}

static int local_fill(struct local *l, uint32_t path, const struct event_module *e)
{
	struct profile_module *m = &l->module;
	size_t n = e->n_segments, build_id_bytes = e->build_id.length;

	m->build_id = malloc(build_id_bytes ? build_id_bytes : 1);
	m->segments = calloc(n ? n : 1, sizeof(*m->segments));
	if (!m->build_id || !m->segments)
		return -1;
	if (build_id_bytes)
		memcpy(m->build_id, e->build_id.bytes, build_id_bytes);
	m->build_id_bytes = build_id_bytes;
	for (size_t i = 0; i < n; i++) {
		const struct event_segment *s = &e->segments[i];
		m->segments[i] = (struct profile_segment){
			.vaddr = s->vaddr,
			.memory_bytes = s->memory_bytes,
			.file_offset = s->file_offset,
			.file_bytes = s->file_bytes,
			.flags = s->flags,
		};
	}
	m->n_segments = n;
	m->path = path;
	m->is_vdso = e->is_vdso;
	l->bias = e->bias;
	l->described = true;
	return 0;
}

int modules_describe(struct modules *m, struct strings *strings, const struct event_module *record,
		     const char *file, struct error *err)
{
	uint32_t path = strings_add(strings, record->path.bytes, record->path.length);
	struct local *l = modules_local(m, record->id);

	if (path == STRINGS_NONE || !l)
		return error_memory(err);
	if (!l->described)
		return local_fill(l, path, record) ? error_memory(err) : 0;
	if (!local_equal(l, path, record))
		return error_set(err, "%s: module %u is described twice, differently", file,
				 (unsigned)record->id);
	return 0;
}

/* The key of a module: a string that is the same for equal modules. */
static uint32_t module_key(struct modules *m, const struct profile_module *module)
{
	size_t n = sizeof(module->path) + 1 + module->build_id_bytes;
	char *key = malloc(n);
	uint32_t number;

	if (!key)
		return STRINGS_NONE;
	memcpy(key, &module->path, sizeof(module->path));
	key[sizeof(module->path)] = module->is_vdso;
	if (module->build_id_bytes)
		memcpy(key + sizeof(module->path) + 1, module->build_id, module->build_id_bytes);
	number = strings_add(m->keys, key, n);
	free(key);
	return number;
}

/* Move the module to the end of the list of all. */
static uint32_t modules_append(struct modules *m, struct profile_module *module)
{
	if (m->n_all >= PROFILE_NO_MODULE - 1 ||
	    !array_reserve(&m->all, &m->all_size, m->n_all + 1, sizeof(*m->all)))
		return PROFILE_NO_MODULE;
	m->all[m->n_all] = *module;
	module->build_id = NULL;
	module->segments = NULL;
	return (uint32_t)m->n_all++;
}

static uint32_t modules_recognise(struct modules *m, struct profile_module *module)
{
	size_t before = strings_count(m->keys);

	if (module->path == STRINGS_NONE)
		return modules_append(m, module);
	if (!array_reserve(&m->by_key, &m->by_key_size, before + 1, sizeof(*m->by_key)))
		return PROFILE_NO_MODULE;
	uint32_t key = module_key(m, module);
	if (key == STRINGS_NONE)
		return PROFILE_NO_MODULE;
	if (key == before)
		m->by_key[key] = modules_append(m, module);
	return m->by_key[key];
}

uint32_t modules_resolve(struct modules *m, uint32_t id)
{
	struct local *l = modules_local(m, id);

	if (!l)
		return PROFILE_NO_MODULE;
	if (l->global == PROFILE_NO_MODULE)
		l->global = modules_recognise(m, &l->module);
	return l->global;
}

bool modules_bias(const struct modules *m, uint32_t id, uint64_t *bias)
{
	uint32_t place = id_table_find(m->ids, id);

	if (place == ID_TABLE_NONE || !m->locals[place].described)
		return false;
	*bias = m->locals[place].bias;
	return true;
}

/* Distinct indices, in the order in which the input's numbers appeared. */
static struct id_table *modules_distinct(struct modules *m)
{
	struct id_table *distinct = id_table_new();

	for (uint32_t i = 0; distinct && i < id_table_count(m->ids); i++) {
		uint32_t index = modules_resolve(m, id_table_get(m->ids, i));
		if (index == PROFILE_NO_MODULE || id_table_add(distinct, index) == ID_TABLE_NONE) {
			id_table_free(distinct);
			return NULL;
		}
	}
	return distinct;
}

int modules_close(struct modules *m, uint32_t **list, size_t *n, struct error *err)
{
	struct id_table *distinct = modules_distinct(m);

	if (!distinct)
		return error_memory(err);
	*n = id_table_count(distinct);
	*list = calloc(*n ? *n : 1, sizeof(**list));
	for (uint32_t i = 0; *list && i < *n; i++)
		(*list)[i] = id_table_get(distinct, i);
	id_table_free(distinct);
	modules_forget(m);
	m->ids = id_table_new();
	return *list && m->ids ? 0 : error_memory(err);
}

int modules_join(struct modules *m, struct modules *other, const uint32_t *strings, uint32_t **map)
{
	*map = calloc(other->n_all + 1, sizeof(**map));
	if (!*map)
		return -1;
	for (size_t i = 0; i < other->n_all; i++) {
		struct profile_module *module = &other->all[i];

		if (module->path != STRINGS_NONE)
			module->path = strings[module->path];
		(*map)[i] = modules_recognise(m, module);
		if ((*map)[i] == PROFILE_NO_MODULE)
			return -1;
	}
	return 0;
}

void modules_take(struct modules *m, struct profile_module **list, size_t *n)
{
	*list = m->all;
	*n = m->n_all;
	m->all = NULL;
	m->n_all = m->all_size = 0;
}
