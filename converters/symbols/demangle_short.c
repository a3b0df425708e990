/* SPDX-License-Identifier: MIT */
/*
 * demangle_short.c - leaves out of the tree of a C++ name what does not tell functions apart.
 *
 * In: the tree that libiberty made of a mangled name. Out: the tree of a shorter name.
 *
 * A component may be below several others, because mangled names refer back to parts of themselves.
 * So what has become of each one is kept, once as a part of the name and once as a part of a type.
 */
#include "symbols/demangle_short.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

enum role { OF_NAME, OF_TYPE, ROLES };

struct shortening {
	struct demangle_component *nodes, **made[ROLES];
	size_t n;
	enum demangle_form form;
	struct demangle_spare *spare;
};

static struct demangle_component *shorten(struct shortening *s, struct demangle_component *c,
					  enum role role);

static bool is_name(const struct demangle_component *c, const char *text)
{
	size_t n = strlen(text);

	return c && c->type == DEMANGLE_COMPONENT_NAME && (size_t)c->u.s_name.len == n &&
	       memcmp(c->u.s_name.s, text, n) == 0;
}

/* Namespaces that libraries put their names into for the linker's sake. Sources do not name them. */
static bool is_hidden(const struct demangle_component *c)
{
	return is_name(c, "__cxx11") || is_name(c, "__1") || is_name(c, "_V2") ||
	       is_name(c, "__ndk1");
}

/* Whether a template is std::basic_string<char, ...>. */
static bool is_string(const struct demangle_component *c)
{
	const struct demangle_component *name = c->u.s_binary.left, *list = c->u.s_binary.right;
	const struct demangle_component *first;
	struct demangle_component character;

	if (name && name->type == DEMANGLE_COMPONENT_QUAL_NAME)
		name = name->u.s_binary.right;
	if (!is_name(name, "basic_string") || !list ||
	    list->type != DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
		return false;
	first = list->u.s_binary.left;
	return first && first->type == DEMANGLE_COMPONENT_BUILTIN_TYPE &&
	       cplus_demangle_fill_builtin_type(&character, "char") &&
	       first->u.s_builtin.type == character.u.s_builtin.type;
}

/* Whether the name is std::allocator or the like: what a template has if nothing else is asked for. */
static bool is_usual(const struct demangle_component *name)
{
	static const char *const usual[] = {"allocator", "char_traits", "less",
					    "equal_to",	 "hash",	"default_delete"};

	if (name && name->type == DEMANGLE_COMPONENT_SUB_STD)
		return name->u.s_string.len == 14 &&
		       memcmp(name->u.s_string.string, "std::allocator", 14) == 0;
	if (!name || name->type != DEMANGLE_COMPONENT_QUAL_NAME ||
	    !is_name(name->u.s_binary.left, "std"))
		return false;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (is_name(name->u.s_binary.right, usual[i]))
			return true;
	return false;
}

/* The arguments that follow one, without those that are usual. */
static struct demangle_component *without_usual(struct demangle_component *list)
{
	while (list && list->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST) {
		const struct demangle_component *argument = list->u.s_binary.left;

		if (!argument || argument->type != DEMANGLE_COMPONENT_TEMPLATE ||
		    !is_usual(argument->u.s_binary.left))
			break;
		list = list->u.s_binary.right;
	}
	return list;
}

static struct demangle_component *new_name(struct shortening *s, const char *text)
{
	struct demangle_component *made;

	if (s->spare->n == DEMANGLE_SPARE)
		return NULL;
	made = &s->spare->nodes[s->spare->n];
	if (!cplus_demangle_fill_name(made, text, (int)strlen(text)))
		return NULL;
	s->spare->n++;
	return made;
}

static struct demangle_component *shorten_template(struct shortening *s,
						   struct demangle_component *c, enum role role)
{
	struct demangle_component *string = is_string(c) ? new_name(s, "std::string") : NULL;

	if (string)
		return string;
	c->u.s_binary.left = shorten(s, c->u.s_binary.left, role);
	if (s->form < (role == OF_TYPE ? DEMANGLE_NESTED : DEMANGLE_ARGUMENTS))
		return c->u.s_binary.left;
	c->u.s_binary.right = shorten(s, c->u.s_binary.right, OF_TYPE);
	return c;
}

static struct demangle_component *shorten_both(struct shortening *s, struct demangle_component *c,
					       enum role role)
{
	c->u.s_binary.left = shorten(s, c->u.s_binary.left, role);
	c->u.s_binary.right = shorten(s, c->u.s_binary.right, role);
	return c;
}

/* A name with its type. Only the last form has parameters. */
static struct demangle_component *shorten_typed(struct shortening *s, struct demangle_component *c,
						enum role role)
{
	struct demangle_component *name = shorten(s, c->u.s_binary.left, role);

	if (s->form < DEMANGLE_PARAMETERS)
		return name;
	c->u.s_binary.left = name;
	c->u.s_binary.right = shorten(s, c->u.s_binary.right, OF_TYPE);
	return c;
}

/* A lambda's parameters are left out. */
static struct demangle_component *shorten_lambda(struct shortening *s, struct demangle_component *c)
{
	struct demangle_component *none;

	if (s->form >= DEMANGLE_PARAMETERS || s->spare->n == DEMANGLE_SPARE)
		return c;
	none = &s->spare->nodes[s->spare->n++];
	none->type = DEMANGLE_COMPONENT_ARGLIST;
	c->u.s_unary_num.sub = none;
	return c;
}

static struct demangle_component *change(struct shortening *s, struct demangle_component *c,
					 enum role role)
{
	switch (c->type) {
	case DEMANGLE_COMPONENT_TEMPLATE:
		return shorten_template(s, c, role);
	case DEMANGLE_COMPONENT_TYPED_NAME:
		return shorten_typed(s, c, role);
	case DEMANGLE_COMPONENT_TAGGED_NAME:
		return shorten(s, c->u.s_binary.left, role);
	case DEMANGLE_COMPONENT_LAMBDA:
		return shorten_lambda(s, c);
	case DEMANGLE_COMPONENT_QUAL_NAME:
		if (is_hidden(c->u.s_binary.right))
			return shorten(s, c->u.s_binary.left, role);
		return shorten_both(s, c, role);
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
		if (s->form < DEMANGLE_PARAMETERS)
			return shorten(s, c->u.s_binary.left, role);
		return shorten_both(s, c, role);
	case DEMANGLE_COMPONENT_LOCAL_NAME:
	case DEMANGLE_COMPONENT_CLONE:
	case DEMANGLE_COMPONENT_VTABLE:
	case DEMANGLE_COMPONENT_TYPEINFO:
	case DEMANGLE_COMPONENT_THUNK:
	case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
	case DEMANGLE_COMPONENT_COVARIANT_THUNK:
	case DEMANGLE_COMPONENT_GUARD:
	case DEMANGLE_COMPONENT_TLS_INIT:
	case DEMANGLE_COMPONENT_TLS_WRAPPER:
	case DEMANGLE_COMPONENT_POINTER:
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
	case DEMANGLE_COMPONENT_CONST:
	case DEMANGLE_COMPONENT_VOLATILE:
	case DEMANGLE_COMPONENT_FUNCTION_TYPE:
	case DEMANGLE_COMPONENT_PTRMEM_TYPE:
	case DEMANGLE_COMPONENT_ARRAY_TYPE:
	case DEMANGLE_COMPONENT_ARGLIST:
		return shorten_both(s, c, role);
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
		c->u.s_binary.right = without_usual(c->u.s_binary.right);
		return shorten_both(s, c, role);
	default:
		return c;
	}
}

/* A component that is below itself, as a forged name may have it, stays as it is the second time. */
static struct demangle_component *shorten(struct shortening *s, struct demangle_component *c,
					  enum role role)
{
	struct demangle_component **made;

	if ((uintptr_t)c < (uintptr_t)s->nodes || (uintptr_t)c >= (uintptr_t)(s->nodes + s->n))
		return c;
	made = &s->made[role][c - s->nodes];
	if (!*made) {
		*made = c;
		*made = change(s, c, role);
	}
	return *made;
}

/* Whether the function itself is a template: its parameters then are those of the template. */
static bool is_template(const struct demangle_component *c)
{
	while (c && c->type != DEMANGLE_COMPONENT_TEMPLATE) {
		if (c->type == DEMANGLE_COMPONENT_QUAL_NAME ||
		    c->type == DEMANGLE_COMPONENT_LOCAL_NAME)
			c = c->u.s_binary.right;
		else if (c->type == DEMANGLE_COMPONENT_TYPED_NAME ||
			 c->type == DEMANGLE_COMPONENT_CONST_THIS ||
			 c->type == DEMANGLE_COMPONENT_TAGGED_NAME ||
			 c->type == DEMANGLE_COMPONENT_CLONE)
			c = c->u.s_binary.left;
		else
			return false;
	}
	return c != NULL;
}

struct demangle_component *demangle_shorten(struct demangle_component *tree,
					    struct demangle_component *nodes, size_t n,
					    enum demangle_form form, struct demangle_spare *spare)
{
	struct shortening s = {.nodes = nodes, .n = n, .form = form, .spare = spare};
	struct demangle_component *root = NULL;

	if (form == DEMANGLE_FULL)
		return tree;
	if (form == DEMANGLE_PARAMETERS && is_template(tree))
		return NULL;
	for (int role = 0; role < ROLES; role++)
		s.made[role] = calloc(n, sizeof(*s.made[role]));
	if (s.made[OF_NAME] && s.made[OF_TYPE])
		root = shorten(&s, tree, OF_NAME);
	free(s.made[OF_NAME]);
	free(s.made[OF_TYPE]);
	return root;
}
