/* SPDX-License-Identifier: MIT */
/*
 * copies.c - numbers functions whose code objects may be gone, many at a time.
 *
 * In: addresses of code objects, and what is known of them. Out: numbers, from a copy of all of them.
 */
#include <string.h>

#include "base/memory.h"
#include "python/copies.h"
#include "base/poison.h"

void cps_python_copies_begin(struct cps_python_copies *c)
{
	c->n_codes = c->n_files = c->n_parts = c->bytes = 0;
	c->copied = 0;
	c->memo.file = 0;
}

static struct cps_python_code_copy *find(struct cps_python_copies *c, uint64_t code)
{
	for (uint32_t i = c->n_codes; i-- > 0;)
		if (c->codes[i].code == code)
			return &c->codes[i];
	return NULL;
}

static void add_part(struct cps_python_copies *c, uint64_t from, uint32_t n)
{
	c->parts[c->n_parts++] = (struct iovec){(void *)(uintptr_t)from, n};
	c->bytes += n;
}

/* The copy of that file's name, which is added if it is not there. */
static uint32_t add_file(struct cps_python_copies *c, const struct cps_python_known *known)
{
	uint32_t i = 0;

	while (i < c->n_files &&
	       (c->files[i].file != known->file || c->files[i].n < known->file_bytes))
		i++;
	if (i < c->n_files)
		return i;
	c->files[c->n_files++] = (struct cps_python_file_copy){
		.file = known->file, .at = c->bytes, .n = known->file_bytes};
	add_part(c, known->file, known->file_bytes);
	return i;
}

bool cps_python_copies_add(struct cps_python_copies *c, uint64_t code)
{
	struct cps_python_code_copy *f = &c->codes[c->n_codes];
	uint32_t most = CPS_PYTHON_CODE_BYTES + 2 * CPS_PYTHON_SPAN;

	if (find(c, code))
		return true;
	if (c->n_codes == CPS_PYTHON_COPIES || sizeof(c->copy) - c->bytes < most)
		return false;
	c->n_codes++;
	f->code = code;
	f->n = 0;
	f->number = CPS_PYTHON_NONE;
	if (!cps_python_function_known(code, &f->known) || !f->known.name_bytes ||
	    !f->known.file_bytes)
		return true;
	f->file = add_file(c, &f->known);
	f->at = c->bytes;
	f->n = CPS_PYTHON_CODE_BYTES + f->known.name_bytes;
	add_part(c, code, CPS_PYTHON_CODE_BYTES);
	add_part(c, f->known.name, f->known.name_bytes);
	return true;
}

void cps_python_copies_make(struct cps_python_copies *c)
{
	c->copied = cps_copy_parts(c->copy, c->parts, c->n_parts);
}

/* Whether it is a string, whose sum is then known. */
static bool is_string(struct cps_python_copies *c, struct cps_python_file_copy *f,
		      const struct cps_python_types *types)
{
	struct cps_python_text text;

	if (f->is_read)
		return f->is_string;
	f->is_read = true;
	f->is_string = f->at + f->n <= c->copied &&
		       cps_python_text_take(&text, &c->copy[f->at], f->n, types, true);
	if (f->is_string)
		f->sum = cps_python_text_sum(&text);
	return f->is_string;
}

/* Whether the copy is of what is known. */
static bool is_known(struct cps_python_copies *c, const struct cps_python_code_copy *f,
		     const struct cps_python_types *types)
{
	const uint8_t *at = &c->copy[f->at];
	struct cps_python_code object;
	struct cps_python_text name;

	if (!f->n || f->at + f->n > c->copied || !is_string(c, &c->files[f->file], types))
		return false;
	cps_python_code_take(types->layout, at, &object);
	return object.type == types->code &&
	       cps_python_text_take(&name, at + CPS_PYTHON_CODE_BYTES, f->n - CPS_PYTHON_CODE_BYTES,
				    types, false) &&
	       cps_python_function_is(&f->known, &object, &name, c->files[f->file].sum);
}

uint32_t cps_python_copies_number(struct cps_python_copies *c, uint64_t code,
				  const struct cps_python_types *types,
				  const struct cps_python_known **known)
{
	struct cps_python_code_copy *f = find(c, code);

	if (f->number == CPS_PYTHON_NONE)
		f->number = is_known(c, f, types)
				    ? f->known.number
				    : cps_python_function(code, types, false, &c->memo, &f->known);
	*known = &f->known;
	return f->number;
}
