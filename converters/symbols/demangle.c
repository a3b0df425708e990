/* SPDX-License-Identifier: MIT */
/*
 * demangle.c - demangles C++ and Rust names within bounds.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/short_names.h"

/* ---- demangle cost --------------------------------------------------------------------------- */
/*
 * Recognises forged C++ names before libiberty spends time on them.
 *
 * In: a mangled name, or the tree that libiberty made of it. Out: whether it can be demangled in
 * reasonable time.
 *
 * libiberty (2.40) hangs on names of 250 bytes in two ways that no limit on its output stops:
 *
 * - In a conversion operator it parses the arguments after a template parameter twice, to find out
 *   whether they belong to the parameter or to the operator. Each operator nested in those
 *   arguments doubles the work again: cvT_IL_ZcvT_IL_Z...
 * - Back references make the tree a graph whose unfolded form has exponential size. Printing it
 *   reaches our limit on the output. A pack expansion (Dp), however, first searches the whole
 *   subtree below it without any output.
 */

/* The largest number of steps of printing; names that are not forged need some thousands. */
#define COST_MAX 131072
/* Printing keeps 16 bytes on the stack for each pair of a template and a scope. */
#define STACK_ITEMS_MAX 65536
/* Parsing is repeated at most two to the power of this number times. */
#define AMBIGUITIES_MAX 8

struct survey {
	const struct demangle_component *nodes;
	uint32_t *costs; /* of the nodes, unfolded; 0: not known yet */
	size_t n;
	uint64_t templates, scopes;
};

/* Says whether the name can be parsed without exponentially many repetitions. */
static bool demangle_parses_fast(const char *name)
{
	size_t ambiguities = 0;

	if (!strstr(name, "cv"))
		return true;
	/* Counts template parameters that arguments follow: T_I, T0_I, T1A_I ... */
	for (const char *p = strchr(name, 'T'); p; p = strchr(p + 1, 'T')) {
		const char *end = p + 1 + strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		ambiguities += end[0] == '_' && end[1] == 'I';
	}
	return ambiguities <= AMBIGUITIES_MAX;
}

/* Says whether the name may contain a pack expansion. libiberty searches the whole subtree below a
 * pack expansion before it prints anything, so that a limit on the output does not stop it. */
static bool demangle_has_expansion(const char *name)
{
	return strstr(name, "Dp") || strstr(name, "sp");
}

/* The children of a node, NULL where there is none. The member of the union that holds them depends
 * on the node's type. */
static void children(const struct demangle_component *c, const struct demangle_component *child[2])
{
	child[0] = child[1] = NULL;
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		child[0] = c->u.s_unary_num.sub;
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		child[0] = c->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		child[0] = c->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_CTOR:
		child[0] = c->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_DTOR:
		child[0] = c->u.s_dtor.name;
		break;
	default:
		child[0] = c->u.s_binary.left;
		child[1] = c->u.s_binary.right;
		break;
	}
}

static uint32_t survey_node(struct survey *s, const struct demangle_component *c)
{
	const struct demangle_component *child[2];
	uint64_t left, cost = 1;
	size_t i;

	/* The pointer is not to a node: the type of the node that has it is not known here. */
	if ((uintptr_t)c < (uintptr_t)s->nodes || (uintptr_t)c >= (uintptr_t)(s->nodes + s->n))
		return 0;
	i = (size_t)(c - s->nodes);
	if (s->costs[i] > 0)
		return s->costs[i];
	s->costs[i] = COST_MAX + 1; /* in case the node is below itself */
	s->templates += c->type == DEMANGLE_COMPONENT_TEMPLATE;
	s->scopes += c->type == DEMANGLE_COMPONENT_REFERENCE ||
		     c->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE;
	children(c, child);
	left = survey_node(s, child[0]);
	cost += left + survey_node(s, child[1]);
	if (c->type == DEMANGLE_COMPONENT_PACK_EXPANSION)
		cost += left; /* of the search */
	s->costs[i] = cost > COST_MAX ? COST_MAX + 1 : (uint32_t)cost;
	return s->costs[i];
}

/*
 * Says whether the tree, which lies in an array of n nodes, can be printed in reasonable time and
 * on a stack of usual size. The answer is also no when memory is out.
 */
static bool demangle_prints_fast(const struct demangle_component *tree,
				 const struct demangle_component *nodes, size_t n)
{
	struct survey s = {.nodes = nodes, .n = n, .costs = calloc(n, sizeof(*s.costs))};
	bool is_cheap;

	if (!s.costs)
		return false;
	is_cheap = survey_node(&s, tree) <= COST_MAX && s.templates * s.scopes <= STACK_ITEMS_MAX;
	free(s.costs);
	return is_cheap;
}

/* ---- demangle short -------------------------------------------------------------------------- */
/*
 * Leaves out of the tree of a C++ name what does not tell functions apart.
 *
 * In: the tree that libiberty made of a mangled name. Out: the tree of a shorter name.
 *
 * A component may be below several others, because mangled names refer back to parts of themselves.
 * So what has become of each one is kept, once as a part of the name and once as a part of a type.
 */

#define DEMANGLE_SPARE 8u

/* Components that libiberty did not make. The shorter tree may refer to them. */
struct demangle_spare {
	struct demangle_component *nodes; /* DEMANGLE_SPARE of them */
	size_t n;			  /* how many are in use */
};

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

/*
 * Change a tree, which lies in an array of n nodes, to that of a shorter name. DEMANGLE_SHORT has no
 * template arguments, DEMANGLE_ARGUMENTS has those of the name, and DEMANGLE_NESTED also those of
 * types. These three have neither parameters nor a return type. All forms but DEMANGLE_FULL leave out ABI tags,
 * inline namespaces of the library (std::__cxx11) and arguments that are usual ones (std::allocator), and have
 * std::string. Returns the new root. It is NULL if memory is out, or if the form cannot be printed:
 * parameters of a template refer to the template's arguments.
 */
static struct demangle_component *demangle_shorten(struct demangle_component *tree,
						   struct demangle_component *nodes, size_t n,
						   enum demangle_form form,
						   struct demangle_spare *spare)
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

/* ---- demangle -------------------------------------------------------------------------------- */
/*
 * libiberty does the demangling. A mangled name may refer back to parts of itself, so that a forged
 * name of some hundred bytes can unfold to terabytes. libiberty limits its recursion, but not its
 * output. The callback that takes the output limits it, and ends the work by longjmp, because the
 * callback has no return value. At that time libiberty's C++ printer holds no memory on the heap;
 * its Rust part holds at most one identifier.
 */

#define MANGLED_BYTES_MAX 100000
/* libiberty's C++ parser takes at most 128 bytes of stack for each byte of the name. */
#define CPLUS_BYTES_MAX	   8192
#define READABLE_BYTES_MAX 65536
#define OPTIONS		   (DMGL_PARAMS | DMGL_ANSI)

struct readable {
	char *bytes;
	size_t n, capacity;
	enum demangle_form form;
	void *nodes; /* the memory of a C++ name's tree */
	struct demangle_component spare[DEMANGLE_SPARE];
	jmp_buf give_up;
};

static void take_piece(const char *piece, size_t n, void *context)
{
	struct readable *r = context;

	if (n == 0) /* the piece may be NULL */
		return;
	if (n > READABLE_BYTES_MAX - r->n)
		longjmp(r->give_up, 1);
	if (n >= r->capacity - r->n) {
		size_t capacity = (r->n + n + 1) * 2;
		char *grown = realloc(r->bytes, capacity);

		if (!grown)
			longjmp(r->give_up, 1);
		r->bytes = grown;
		r->capacity = capacity;
	}
	memcpy(r->bytes + r->n, piece, n);
	r->n += n;
	r->bytes[r->n] = '\0';
}

static bool is_mangled(const char *name, size_t bytes)
{
	return bytes >= 3 && bytes <= MANGLED_BYTES_MAX && name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R');
}

/* libiberty shows no tree of a name of Rust, so it is shortened as text. */
static bool unfold_rust(const char *name, struct readable *r)
{
	if (!rust_demangle_callback(name, OPTIONS, take_piece, r) || r->n == 0)
		return false;
	if (r->form == DEMANGLE_SHORT) {
		size_t n = short_text_strip(r->bytes, r->bytes, r->n);

		r->bytes[n ? n : r->n] = '\0';
	}
	return true;
}

/*
 * libiberty has two ways to parse "sr" (an unresolved name). The function that returns the tree
 * tries only the first. If that fails, the name is passed to libiberty's other function, which
 * tries both, but does not show its tree, so that the cost is not known before printing.
 */
static bool unfold_unseen(const char *name, struct readable *r)
{
	if (r->form != DEMANGLE_FULL || !strstr(name, "sr") || demangle_has_expansion(name))
		return false;
	return cplus_demangle_v3_callback(name, OPTIONS, take_piece, r) && r->n > 0;
}

/* The number of nodes is not known, but a tree has at most two for each byte of the name. */
static bool unfold_cplus(const char *name, size_t bytes, struct readable *r)
{
	struct demangle_spare spare = {.nodes = r->spare};
	struct demangle_component *tree;

	r->n = 0;
	if (bytes > CPLUS_BYTES_MAX || !demangle_parses_fast(name))
		return false;
	tree = cplus_demangle_v3_components(name, OPTIONS, &r->nodes);
	if (!tree)
		return unfold_unseen(name, r);
	if (!demangle_prints_fast(tree, r->nodes, 2 * bytes))
		return false;
	tree = demangle_shorten(tree, r->nodes, 2 * bytes, r->form, &spare);
	return tree && cplus_demangle_print_callback(OPTIONS, tree, take_piece, r) && r->n > 0;
}

/* Rust is tried first, because Rust's older mangled names are also valid C++ names, which end in a
 * hash. */
static bool unfold(const char *name, size_t bytes, struct readable *r)
{
	if (setjmp(r->give_up))
		return false;
	return unfold_rust(name, r) || unfold_cplus(name, bytes, r);
}

static char *readable_name(const char *name, size_t bytes, enum demangle_form form)
{
	struct readable r = {.form = form};
	bool is_readable;

	if (!is_mangled(name, bytes))
		return NULL;
	is_readable = unfold(name, bytes, &r);
	free(r.nodes);
	if (is_readable)
		return r.bytes;
	free(r.bytes);
	return NULL;
}

/* The function that constructs or destroys the global objects of a source file is named after a
 * symbol of that file, its key. The key begins at this byte of the name. */
#define KEY_AT 11

static bool has_key(const char *name, size_t bytes)
{
	return bytes > KEY_AT && bytes <= MANGLED_BYTES_MAX && strncmp(name, "_GLOBAL_", 8) == 0 &&
	       strchr("._$", name[8]) && strchr("ID", name[9]) && name[10] == '_';
}

/* libiberty would also demangle this name, but only with its function that does not show the tree
 * of the key. */
static char *keyed_name(const char *name, size_t bytes, enum demangle_form form)
{
	const char *key = name + KEY_AT, *what = name[9] == 'I' ? "constructors" : "destructors";
	char *readable = readable_name(key, bytes - KEY_AT, form), *text = NULL;

	if (asprintf(&text, "global %s keyed to %s", what, readable ? readable : key) < 0)
		text = NULL;
	free(readable);
	return text;
}

char *demangle_to(const char *name, size_t bytes, enum demangle_form form)
{
	return has_key(name, bytes) ? keyed_name(name, bytes, form)
				    : readable_name(name, bytes, form);
}

char *demangle_name(const char *name, size_t bytes)
{
	return demangle_to(name, bytes, DEMANGLE_FULL);
}
