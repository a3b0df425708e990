#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/mutants changes code and nothing else, the same way for the same seed, and not the file itself.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need python3

cat >a.c <<'END'
/* a < b, !c */
#define SMALLER(a, b) ((a) < (b))
// if (1) f();
static const char text[] = "1 < 2 && f();";
static int f(struct s *p, int n)
{
	for (int i = 0; i < n; i++)
		if (!p[i].ok && p[i].n * 2 == -1)
			break;
	p->n = 3;
	g(malloc(7));
	return p ? -n : n << 1; /* n + 1 */
}
END
cp a.c before.c
"$root/scripts/mutants" -l a.c >mutants || fail "ended with $?"
cmp a.c before.c || fail "the file was changed"
grep '^    + ' mutants | cut -c 7- | sort >got
sort >want <<'END'
for (int i = 1; i < n; i++)
for (int i = 0; i <= n; i++)
for (int i = 0; i >= n; i++)
for (int i = 0; i < n; i--)
if (!(!p[i].ok && p[i].n * 2 == -1))
if (p[i].ok && p[i].n * 2 == -1)
if (!p[i].ok || p[i].n * 2 == -1)
if (!p[i].ok && p[i].n / 2 == -1)
if (!p[i].ok && p[i].n * 1 == -1)
if (!p[i].ok && p[i].n * 3 == -1)
if (!p[i].ok && p[i].n * 2 != -1)
if (!p[i].ok && p[i].n * 2 == -0)
continue;
/* left out */;
;
p->n = 2;
p->n = 4;
;
g(malloc(6));
return p ? -n : n >> 1; /* n + 1 */
return p ? -n : n << 0; /* n + 1 */
return p ? -n : n << 2; /* n + 1 */
END
same want got "the list of changes"

"$root/scripts/mutants" -l a.c >again
same mutants again "the same seed"
"$root/scripts/mutants" -l -s 2 a.c >other
cmp -s mutants other && fail "another seed gives the same order"
sort mutants >want
sort other >got
same want got "what another seed gives"
