/* SPDX-License-Identifier: MIT */
/*
 * demangle_cost.c - recognises forged C++ names before libiberty spends time on them.
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
#include "symbols/demangle_cost.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

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

bool demangle_parses_fast(const char *name)
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

bool demangle_has_pack(const char *name)
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

bool demangle_prints_fast(const struct demangle_component *tree,
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
