/* SPDX-License-Identifier: MIT */
/*
 * functions.c - numbers Python functions by their names.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "python/functions.h"
#include "python/python.h"
#include "base/poison.h"

/* ---- text ------------------------------------------------------------------------------------ */
/*
 * Reads strings of the interpreter, and writes names in UTF-8.
 *
 * In: string objects of one, two or four bytes a character. Out: bytes.
 */

#define DOTS	   "..."
#define PAGE_BYTES 4096u

/* Copies the beginning of an object of unknown size, which most likely is all of it: each copy costs a
 * microsecond. Returns the number of bytes. */
static size_t copy_object(struct cps_python_text *text, uintptr_t object)
{
	size_t n = sizeof(text->copy), least = sizeof(struct cps_python_unicode);

	if (object & 7 || object < PAGE_BYTES)
		return 0;
	if (cps_copy(text->copy, object, n))
		return n;
	n = PAGE_BYTES - object % PAGE_BYTES; /* it may be the last one that is there */
	if (n < least || n > sizeof(text->copy))
		n = least;
	return cps_copy(text->copy, object, n) ? n : 0;
}

#define AT_END UINT64_MAX /* the last characters */

/* Sets what the head of a string says of it, and where the characters begin that are wanted. */
static bool take_head(struct cps_python_text *text, const struct cps_python_unicode *head,
		      const struct cps_python_types *types, uint64_t first, uint64_t *at)
{
	uint64_t left;

	text->width = CPS_PYTHON_UNICODE_KIND(head->state);
	text->length = (uint64_t)head->length;
	left = first < text->length && first != AT_END ? text->length - first : text->length;
	text->n = left < CPS_PYTHON_CHARACTERS ? (uint32_t)left : CPS_PYTHON_CHARACTERS;
	*at = head->state & CPS_PYTHON_UNICODE_ASCII ? types->layout->string_ascii
						     : types->layout->string_other;
	*at += (first == AT_END ? text->length - text->n : text->length - left) * text->width;
	text->span = *at + (uint64_t)text->n * text->width;
	return head->type == types->unicode && head->state & CPS_PYTHON_UNICODE_COMPACT &&
	       head->length >= 0 && (text->width == 1 || text->width == 2 || text->width == 4);
}

static bool get_from(struct cps_python_text *text, uintptr_t object,
		     const struct cps_python_types *types, uint64_t first, bool is_alive)
{
	struct cps_python_unicode head;
	size_t copied = is_alive ? 0 : copy_object(text, object);
	uint64_t at, bytes;

	if (copied)
		memcpy(&head, text->copy, sizeof(head));
	else if (!is_alive || !cps_python_read(&head, object, sizeof(head), true))
		return false;
	if (!take_head(text, &head, types, first, &at))
		return false;
	bytes = text->n * text->width;
	text->bytes = is_alive ? (const void *)(object + at) : (const uint8_t *)text->copy + at;
	if (is_alive || (at <= copied && bytes <= copied - at))
		return true;
	text->bytes = text->copy;
	return !bytes || cps_copy(text->copy, object + at, bytes);
}

bool cps_python_text_get(struct cps_python_text *text, uintptr_t object,
			 const struct cps_python_types *types, bool is_end, bool is_alive)
{
	return get_from(text, object, types, is_end ? AT_END : 0, is_alive);
}

bool cps_python_text_take(struct cps_python_text *text, const void *copy, size_t span,
			  const struct cps_python_types *types, bool is_end)
{
	struct cps_python_unicode head;
	uint64_t at;

	if (span < sizeof(head))
		return false;
	memcpy(&head, copy, sizeof(head));
	if (!take_head(text, &head, types, is_end ? AT_END : 0, &at) || text->span > span ||
	    text->span < at)
		return false;
	text->bytes = (const uint8_t *)copy + at;
	return true;
}

uint64_t cps_python_text_sum(const struct cps_python_text *text)
{
	const uint8_t *p = text->bytes;
	size_t left = text->n * text->width;
	uint64_t sum = text->length << 3 | text->width, word;

	for (; left >= 8; p += 8, left -= 8) {
		memcpy(&word, p, 8);
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
	}
	for (word = 0; left; left--)
		word = word << 8 | *p++;
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 32;
}

static uint32_t character(const struct cps_python_text *text, uint32_t i)
{
	uint16_t two;
	uint32_t four;

	if (text->width == 1)
		return ((const uint8_t *)text->bytes)[i];
	if (text->width == 2) {
		memcpy(&two, (const uint8_t *)text->bytes + (size_t)2 * i, 2);
		return two;
	}
	memcpy(&four, (const uint8_t *)text->bytes + (size_t)4 * i, 4);
	return four;
}

/* Control characters and halves of pairs have no place in a name. */
static bool is_fit(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0xd800 && c < 0xe000) &&
	       c < 0x110000;
}

static uint8_t *put(uint8_t *p, uint32_t c)
{
	if (!is_fit(c))
		c = '?';
	if (c < 0x80) {
		*p++ = (uint8_t)c;
		return p;
	}
	if (c < 0x800) {
		*p++ = (uint8_t)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		*p++ = (uint8_t)(0xe0 | c >> 12);
		*p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	} else {
		*p++ = (uint8_t)(0xf0 | c >> 18);
		*p++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
		*p++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	}
	*p++ = (uint8_t)(0x80 | (c & 0x3f));
	return p;
}

static uint8_t *put_from(uint8_t *p, const struct cps_python_text *text, uint32_t i)
{
	for (; i < text->n; i++)
		p = put(p, character(text, i));
	return p;
}

/* Writes a whole string in UTF-8, NUL-terminated. It is empty if it cannot be read, or has no room. */
static void write_path(char path[CPS_PYTHON_PATH_BYTES], uintptr_t object,
		       const struct cps_python_types *types, bool is_alive)
{
	struct cps_python_text text;
	uint8_t *p = (uint8_t *)path;
	uint64_t first = 0;

	path[0] = '\0';
	do {
		if (!get_from(&text, object, types, first, is_alive) ||
		    p + 4 * (size_t)text.n >= (uint8_t *)path + CPS_PYTHON_PATH_BYTES) {
			path[0] = '\0';
			return;
		}
		p = put_from(p, &text, 0);
		first += text.n;
	} while (text.n && first < text.length);
	*p = '\0';
}

static uint8_t *put_bytes(uint8_t *p, const char *bytes)
{
	size_t n = strlen(bytes);

	memcpy(p, bytes, n);
	return p + n;
}

/* Whether these are the characters from i on, up to their end. */
static bool ends_with(const struct cps_python_text *text, const char *end, uint32_t *at)
{
	uint32_t n = (uint32_t)strlen(end);

	if (text->n < n || (text->n == CPS_PYTHON_CHARACTERS && text->length > text->n && !at))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (character(text, text->n - n + i) != (unsigned char)end[i])
			return false;
	if (at)
		*at = text->n - n;
	return true;
}

/* Where the last part of the path begins that is before `end`. */
static uint32_t last_part(const struct cps_python_text *path, uint32_t end)
{
	uint32_t i = end;

	while (i > 0 && character(path, i - 1) != '/')
		i--;
	return i;
}

static uint32_t file_begin(const struct cps_python_text *path)
{
	uint32_t at;

	if (ends_with(path, "/__init__.py", &at) || ends_with(path, "/__main__.py", &at))
		return last_part(path, at);
	/* A text that is no path, such as "<string>", may have a slash. */
	if (path->n && character(path, 0) == '<')
		return 0;
	return last_part(path, path->n);
}

uint32_t cps_python_text_name(char name[CPS_PYTHON_NAME_BYTES],
			      const struct cps_python_text *function,
			      const struct cps_python_text *file, uint32_t line)
{
	uint8_t *p = put_from((uint8_t *)name, function, 0);
	char digits[24];

	if (function->length > function->n)
		p = put_bytes(p, DOTS);
	p = put_bytes(p, " (");
	p = put_from(p, file, file_begin(file));
	if (ends_with(function, ">", NULL) && !ends_with(function, "<module>", NULL)) {
		p = put_bytes(p, ":");
		p = put_bytes(p, cps_digits(digits + sizeof(digits), line));
	}
	p = put_bytes(p, ")");
	*p = '\0';
	return (uint32_t)(p - (uint8_t *)name);
}

/* ---- functions ------------------------------------------------------------------------------- */
/*
 * In: code objects. Out: numbers. A code object may be freed, and its memory used for another one:
 * so a number that was found for an address holds only while the object has the same strings, at
 * the same places and with the same characters.
 *
 * Locks: names are never changed, and who looks one up takes no lock. One thread at a time adds
 * names; it is tried for and never waited for.
 *
 * Order: a name is complete before its number is released into `slots`, and found by who acquires
 * that. What is remembered of a code object (struct known) has a version, which is odd while
 * another thread writes. A fence keeps what is written then behind the odd version, and the last
 * store releases it. Who reads acquires the version first, and has a fence before it is read again:
 * if any word of what was read is a later writer's, then so is the version.
 */

#define SLOTS (2 * CPS_PYTHON_FUNCTIONS)
#define SETS  4096u /* of code objects whose numbers are remembered */
#define WAYS  2u
#define PATHS 256u /* of files, that are found again */

struct function {
	const char *name, *path;
	uint64_t sum; /* of both */
	atomic_bool used;
	uint32_t next; /* of the news; number + 1 */
};

#define WORDS (sizeof(struct cps_python_known) / sizeof(uint64_t))
#define CODE  (offsetof(struct cps_python_known, code) / sizeof(uint64_t))

struct known {
	atomic_uint version; /* odd while it is changed */
	_Atomic uint64_t
		words[WORDS]; /* of struct cps_python_known; only the version orders them */
};

_Static_assert(sizeof(struct cps_python_known) % sizeof(uint64_t) == 0, "it consists of words");

struct tables {
	struct function functions[CPS_PYTHON_FUNCTIONS];
	atomic_uint slots[SLOTS]; /* by name; number + 1 */
	struct known known[SETS][WAYS];
	const char *paths[PATHS]; /* copies, for who adds names */
};

static _Atomic(struct tables *) tables;
static atomic_uint count, n_used;
static atomic_flag adding = ATOMIC_FLAG_INIT;
static atomic_uint news; /* functions that the stream has no record of; number + 1 of the first */

static struct tables *get_tables(void)
{
	struct tables *t = atomic_load_explicit(&tables, memory_order_acquire), *none = NULL;

	if (t)
		return t;
	t = cps_arena_pages(sizeof(*t));
	if (!t || atomic_compare_exchange_strong(&tables, &none, t))
		return t;
	cps_arena_unmap(t, sizeof(*t));
	return none;
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t sum_of(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return sum ^ sum >> 32;
}

/* The number of the name in this file; or the slot where it belongs. */
static uint32_t look_up(struct tables *t, const char *name, const char *path, uint64_t sum,
			uint32_t *slot)
{
	for (*slot = (uint32_t)sum % SLOTS;; *slot = (*slot + 1) % SLOTS) {
		uint32_t number = atomic_load_explicit(&t->slots[*slot], memory_order_acquire);

		if (!number)
			return CPS_PYTHON_NONE;
		if (t->functions[number - 1].sum == sum &&
		    strcmp(t->functions[number - 1].name, name) == 0 &&
		    strcmp(t->functions[number - 1].path, path) == 0)
			return number - 1;
	}
}

/* A copy of the path, which functions of one file share as a rule. */
static const char *copy_path(struct tables *t, const char *path)
{
	const char **recent = &t->paths[sum_of(0, path) % PATHS];

	if (!*recent || strcmp(*recent, path) != 0)
		*recent = cps_arena_copy(path, strlen(path));
	return *recent;
}

static uint32_t add(struct tables *t, const char *name, const char *path, uint64_t sum)
{
	uint32_t slot, number = look_up(t, name, path, sum, &slot), next = atomic_load(&count);
	const char *name_copy, *path_copy;

	if (number != CPS_PYTHON_NONE || next == CPS_PYTHON_FUNCTIONS)
		return number;
	name_copy = cps_arena_copy(name, strlen(name));
	path_copy = name_copy ? copy_path(t, path) : NULL;
	if (!path_copy)
		return CPS_PYTHON_NONE;
	t->functions[next].name = name_copy;
	t->functions[next].path = path_copy;
	t->functions[next].sum = sum;
	atomic_store_explicit(&t->slots[slot], next + 1, memory_order_release);
	atomic_store_explicit(&count, next + 1, memory_order_release);
	return next;
}

static uint32_t number_of_name(struct tables *t, const char *name, const char *path)
{
	uint64_t sum = sum_of(sum_of(0, name), path);
	uint32_t slot, number = look_up(t, name, path, sum, &slot);

	if (number != CPS_PYTHON_NONE || atomic_flag_test_and_set(&adding))
		return number;
	number = add(t, name, path, sum);
	atomic_flag_clear(&adding);
	return number;
}

/* ---- code objects ---------------------------------------------------------------------------- */

static uint64_t code_of(const struct known *k)
{
	return atomic_load_explicit(&k->words[CODE], memory_order_relaxed);
}

/* Where the object is remembered, or is to be. */
static struct known *place_of(struct tables *t, uintptr_t code)
{
	uint64_t hash = code * UINT64_C(0x9e3779b97f4a7c15);
	struct known *set = t->known[hash >> 52];

	_Static_assert(SETS == 1u << 12, "the shift above gives 12 bits");
	for (uint32_t i = 0; i < WAYS; i++)
		if (code_of(&set[i]) == code)
			return &set[i];
	for (uint32_t i = 0; i < WAYS; i++)
		if (!code_of(&set[i]))
			return &set[i];
	return &set[(hash >> 40) % WAYS];
}

/* Copies what is known, which another thread may be changing. */
static bool recall(const struct known *k, uintptr_t code, struct cps_python_known *as)
{
	uint32_t version = atomic_load_explicit(&k->version, memory_order_acquire);
	uint64_t words[WORDS];

	for (size_t i = 0; i < WORDS; i++)
		words[i] = atomic_load_explicit(&k->words[i], memory_order_relaxed);
	memcpy(as, words, sizeof(words));
	atomic_thread_fence(memory_order_acquire);
	return as->code == code && version % 2 == 0 &&
	       version == atomic_load_explicit(&k->version, memory_order_relaxed);
}

static void remember(struct known *k, const struct cps_python_known *as)
{
	uint32_t version = atomic_load(&k->version);
	uint64_t words[WORDS];

	memcpy(words, as, sizeof(words));
	if (version % 2 || !atomic_compare_exchange_strong(&k->version, &version, version + 1))
		return;
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < WORDS; i++)
		atomic_store_explicit(&k->words[i], words[i], memory_order_relaxed);
	atomic_store_explicit(&k->version, version + 2, memory_order_release);
}

bool cps_python_function_known(uintptr_t code, struct cps_python_known *known)
{
	struct tables *t = get_tables();

	return t && recall(place_of(t, code), code, known);
}

static uint64_t sum_of_both(const struct cps_python_text *name, uint64_t file_sum)
{
	return cps_python_text_sum(name) * 31 + file_sum;
}

bool cps_python_function_is(const struct cps_python_known *known,
			    const struct cps_python_code *object,
			    const struct cps_python_text *name, uint64_t file_sum)
{
	return known->file == object->file && known->name == object->name &&
	       known->lines == object->lines && known->first_line == object->first_line &&
	       known->sum == sum_of_both(name, file_sum);
}

static uint16_t span_of(const struct cps_python_text *text)
{
	return text->span > CPS_PYTHON_SPAN ? 0 : (uint16_t)text->span;
}

/* Reads the object's names: the function's, and what of the file's is to be remembered. */
static bool read_names(const struct cps_python_code *object, const struct cps_python_types *types,
		       bool is_alive, struct cps_python_memo *memo, struct cps_python_text *name)
{
	struct cps_python_text file;

	if (object->type != types->code ||
	    !cps_python_text_get(name, object->name, types, false, is_alive))
		return false;
	if (object->file != memo->file) {
		if (!cps_python_text_get(&file, object->file, types, true, is_alive))
			return false;
		*memo = (struct cps_python_memo){object->file, cps_python_text_sum(&file),
						 span_of(&file)};
	}
	return true;
}

static uint32_t number_of_object(struct tables *t, const struct cps_python_code *object,
				 const struct cps_python_types *types, bool is_alive,
				 const struct cps_python_text *name)
{
	char text[CPS_PYTHON_NAME_BYTES], path[CPS_PYTHON_PATH_BYTES];
	struct cps_python_text file;

	if (!cps_python_text_get(&file, object->file, types, true, is_alive))
		return CPS_PYTHON_NONE;
	cps_python_text_name(text, name, &file, (uint32_t)object->first_line);
	write_path(path, object->file, types, is_alive);
	return number_of_name(t, text, path);
}

uint32_t cps_python_function(uintptr_t code, const struct cps_python_types *types, bool is_alive,
			     struct cps_python_memo *memo, struct cps_python_known *as)
{
	struct tables *t = get_tables();
	uint64_t bytes[CPS_PYTHON_CODE_BYTES / 8];
	struct cps_python_code object;
	struct cps_python_text name;
	struct known *known;

	if (!t)
		return CPS_PYTHON_NONE;
	known = place_of(t, code);
	/* Memory that has never been a code object is not read directly. */
	is_alive = is_alive && code_of(known) == code;
	if (!cps_python_read(bytes, code, sizeof(bytes), is_alive))
		return CPS_PYTHON_NONE;
	cps_python_code_take(types->layout, (const uint8_t *)bytes, &object);
	if (!read_names(&object, types, is_alive, memo, &name))
		return CPS_PYTHON_NONE;
	if (recall(known, code, as) && cps_python_function_is(as, &object, &name, memo->sum))
		return as->number;
	*as = (struct cps_python_known){
		.number = number_of_object(t, &object, types, is_alive, &name),
		.first_line = object.first_line,
		.code = code,
		.file = object.file,
		.name = object.name,
		.lines = object.lines,
		.sum = sum_of_both(&name, memo->sum),
		.name_bytes = span_of(&name),
		.file_bytes = memo->bytes,
	};
	if (as->number != CPS_PYTHON_NONE)
		remember(known, as);
	return as->number;
}

uint32_t cps_python_functions(void)
{
	return atomic_load(&n_used);
}

/* ---- news ------------------------------------------------------------------------------------ */

static void put_news(struct tables *t, uint32_t number)
{
	uint32_t first = atomic_load(&news);

	do
		t->functions[number].next = first;
	while (!atomic_compare_exchange_weak(&news, &first, number + 1));
}

void cps_python_function_use(uint32_t number)
{
	struct tables *t = atomic_load_explicit(&tables, memory_order_relaxed);
	struct function *f = &t->functions[number];

	if (!atomic_load_explicit(&f->used, memory_order_relaxed) &&
	    !atomic_exchange(&f->used, true)) {
		atomic_fetch_add(&n_used, 1);
		put_news(t, number);
	}
}

void cps_python_functions_tell(bool (*tell)(uint32_t number, const char *name, const char *path))
{
	struct tables *t = atomic_load(&tables);
	uint32_t i;

	if (!atomic_load_explicit(&news, memory_order_relaxed))
		return;
	i = atomic_exchange(&news, 0);
	while (i) {
		uint32_t number = i - 1;

		i = t->functions[number].next;
		if (!tell(number, t->functions[number].name, t->functions[number].path))
			put_news(t, number);
	}
}

void cps_python_functions_reset(void)
{
	struct tables *t = atomic_load(&tables);

	atomic_flag_clear(&adding);
	for (uint32_t i = 0; t && i < atomic_load(&count); i++)
		atomic_store(&t->functions[i].used, false);
	for (uint32_t i = 0; t && i < SETS * WAYS; i++) {
		struct known *k = &t->known[i / WAYS][i % WAYS];

		if (atomic_load(&k->version) % 2) {
			atomic_store_explicit(&k->words[CODE], 0, memory_order_relaxed);
			atomic_fetch_add(&k->version, 1);
		}
	}
	atomic_store(&news, 0);
	atomic_store(&n_used, 0);
}
