/* SPDX-License-Identifier: MIT */
/*
 * test_demangle.c - readable names for honest ones, patience with none of the others.
 */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbols/demangle.h"

/* NULL: stays as it is. */
static void expect(const char *name, const char *readable)
{
	char *got = demangle_name(name, strlen(name));

	if (readable)
		cr_assert(got && strcmp(got, readable) == 0, "%s became %s", name,
			  got ? got : "nothing");
	else
		cr_assert_null(got, "%.50s became %.50s", name, got);
	free(got);
}

Test(demangle, cplus)
{
	expect("_Z3foov", "foo()");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_Z3foov.cold", "foo() [clone .cold]");
	expect("_Z3foov.constprop.0.isra.1", "foo() [clone .constprop.0] [clone .isra.1]");
	/* Needs the second way to read "sr". */
	expect("_Z10multiple_pILj1EljEN10if_nonpolyIT1_bXsr15poly_int_traitsIS1_E7is_polyEE4typeE"
	       "RK12poly_int_podIXT_ET0_ES1_",
	       "if_nonpoly<unsigned int, bool, poly_int_traits<unsigned int>::is_poly>::type "
	       "multiple_p<1u, long, unsigned int>(poly_int_pod<1u, long> const&, unsigned int)");
	expect("_Z1fIJiilEEvDpT_", "void f<int, int, long>(int, int, long)");
}

static void forms(const char *name, const char *const readable[DEMANGLE_FORMS])
{
	for (int form = 0; form < DEMANGLE_FORMS; form++) {
		char *got = demangle_to(name, strlen(name), (enum demangle_form)form);

		if (readable[form])
			cr_assert(got && strcmp(got, readable[form]) == 0, "%s, form %d: %s", name,
				  form, got ? got : "nothing");
		else
			cr_assert_null(got, "%s, form %d: %s", name, form, got);
		free(got);
	}
}

/* Shorter forms have no template arguments, parameters, return types, tags and names that are only
 * the library's. */
Test(demangle, forms)
{
	forms("_ZNSt6vectorIS_IiSaIiEESaIS1_EE9push_backEOS1_",
	      (const char *const[]){
		      "std::vector::push_back",
		      "std::vector<std::vector>::push_back",
		      "std::vector<std::vector<int> >::push_back",
		      "std::vector<std::vector<int> >::push_back(std::vector<int>&&)",
		      "std::vector<std::vector<int, std::allocator<int> >, "
		      "std::allocator<std::vector<int, "
		      "std::allocator<int> > > >::push_back(std::vector<int, std::allocator<int> "
		      ">&&)",
	      });
	forms("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareERKS4_",
	      (const char *const[]){
		      "std::string::compare",
		      "std::string::compare",
		      "std::string::compare",
		      "std::string::compare(std::string const&) const",
		      "std::__cxx11::basic_string<char, std::char_traits<char>, "
		      "std::allocator<char> >::compare(std::__cxx11::basic_string<char, "
		      "std::char_traits<char>, std::allocator<char> > const&) const",
	      });
	forms("_ZSt4sortIPiEvT_S1_", (const char *const[]){
					     "std::sort",
					     "std::sort<int*>",
					     "std::sort<int*>",
					     NULL,
					     "void std::sort<int*>(int*, int*)",
				     });
	forms("_Z1gB5cxx11v", (const char *const[]){"g", "g", "g", "g()", "g[abi:cxx11]()"});
	forms("_ZZ4mainENKUlidE_clEid",
	      (const char *const[]){
		      "main::{lambda()#1}::operator()",
		      "main::{lambda()#1}::operator()",
		      "main::{lambda()#1}::operator()",
		      "main::{lambda(int, double)#1}::operator()(int, double) const",
		      "main::{lambda(int, double)#1}::operator()(int, double) const",
	      });
	forms("_ZN1AIiE1BIcE1fIlEEvT_", (const char *const[]){
						"A::B::f",
						"A<int>::B<char>::f<long>",
						"A<int>::B<char>::f<long>",
						NULL,
						"void A<int>::B<char>::f<long>(long)",
					});
	forms("_ZN1A1fEPFvN1B1CIiEEE", (const char *const[]){
					       "A::f",
					       "A::f",
					       "A::f",
					       "A::f(void (*)(B::C<int>))",
					       "A::f(void (*)(B::C<int>))",
				       });
	forms("_Z3foov.constprop.0", (const char *const[]){
					     "foo [clone .constprop.0]",
					     "foo [clone .constprop.0]",
					     "foo [clone .constprop.0]",
					     "foo() [clone .constprop.0]",
					     "foo() [clone .constprop.0]",
				     });
	forms("_ZN12_GLOBAL__N_11fEv", (const char *const[]){
					       "(anonymous namespace)::f",
					       "(anonymous namespace)::f",
					       "(anonymous namespace)::f",
					       "(anonymous namespace)::f()",
					       "(anonymous namespace)::f()",
				       });
	forms("_RINvNtC3std3mem8align_ofjE", (const char *const[]){
						     "std::mem::align_of",
						     "std::mem::align_of::<usize>",
						     "std::mem::align_of::<usize>",
						     "std::mem::align_of::<usize>",
						     "std::mem::align_of::<usize>",
					     });
	forms("main", (const char *const[]){NULL, NULL, NULL, NULL, NULL});
}

Test(demangle, rust)
{
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	expect("_ZN4core3fmt5write17h0123456789abcdefE.llvm.12345", "core::fmt::write");
	expect("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	expect("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>");
}

/* The names of functions that construct or destroy what is global in a file end with the name of
 * something in that file, their key, which may be mangled. */
Test(demangle, what_runs_before_and_after_main)
{
	static const char *const keys[][2] = {
		{"main", "main"},     {"a.c", "a.c"},	    {"_Z3foov", "foo()"},
		{"_ZN1a1bE", "a::b"}, {"_Zebra", "_Zebra"},
	};
	char name[64], readable[64];

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) * 6; i++) {
		bool begins = i % 2;

		sprintf(name, "_GLOBAL_%c%c_%s", "._$"[i / 2 % 3], begins ? 'I' : 'D',
			keys[i / 6][0]);
		sprintf(readable, "global %s keyed to %s", begins ? "constructors" : "destructors",
			keys[i / 6][1]);
		expect(name, readable);
		/* With another letter anywhere before the key, or without a key, it is no such name. */
		for (size_t k = 0; k < strlen("_GLOBAL__I_"); k++) {
			char was = name[k];

			name[k] = 'q';
			expect(name, NULL);
			name[k] = was;
		}
		name[strlen("_GLOBAL__I_")] = '\0';
		expect(name, NULL);
	}
	expect("_GLOBAL_OFFSET_TABLE_", NULL);
	expect("_GLOBAL__sub_I_main.cc", NULL);
}

Test(demangle, what_is_not_mangled)
{
	expect("main", NULL);
	expect("", NULL);
	expect("_", NULL);
	expect("_Z", NULL);
	expect("_Zebra", NULL);
	expect("_R", NULL);
	expect("_Return", NULL);
	expect("__libc_start_main", NULL);
	expect("main.cold", NULL);
}

/* A template of a thousand arguments is real code; libiberty's usual door refuses it. */
Test(demangle, long_names)
{
	char name[4096], readable[16384];
	size_t n = (size_t)sprintf(name, "_Z1fI"), r = (size_t)sprintf(readable, "void f<");

	for (int i = 0; i < 1000; i++) {
		n += (size_t)sprintf(name + n, "i");
		r += (size_t)sprintf(readable + r, i ? ", int" : "int");
	}
	strcpy(name + n, "Evv");
	strcpy(readable + r, ">()");
	expect(name, readable);
}

/* A name is readable however short or long it is, and from a certain length on it stays as it is. */
Test(demangle, names_of_any_length)
{
	static const size_t limit = 100000; /* bytes of the mangled name */
	const size_t prefix = strlen("_GLOBAL__I_");
	char *name = malloc(limit + 2), readable[64];

	for (int n = 1; n <= 20; n++) {
		sprintf(name, "_Z%d%.*s", n, n, "abcdefghijklmnopqrstuvwxyz");
		sprintf(readable, "%.*s", n, "abcdefghijklmnopqrstuvwxyz");
		expect(name, readable);
	}
	memcpy(name, "_GLOBAL__I_", prefix);
	memset(name + prefix, 'k', limit + 1 - prefix);
	for (size_t n = prefix + 1; n <= limit + 1; n += n < limit - 5 ? 9973 % (limit - n) : 1) {
		char was = name[n], *got;

		name[n] = '\0';
		got = demangle_name(name, n);
		cr_assert_eq(got != NULL, n <= limit, "%zu bytes", n);
		cr_assert(!got ||
			  strlen(got) == strlen("global constructors keyed to ") + n - prefix);
		free(got);
		name[n] = was;
	}
	free(name);
}

/* ---- forged names: each must be given up soon ---- */

/* The back reference to the i-th thing seen. */
static size_t reference(char *to, int i)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (i == 0)
		return (size_t)sprintf(to, "S_");
	if (i <= 36)
		return (size_t)sprintf(to, "S%c_", digits[i - 1]);
	return (size_t)sprintf(to, "S%c%c_", digits[(i - 1) / 36], digits[(i - 1) % 36]);
}

/* PFv PFv ... P1a S0_ E S2_ E: a function of two equal functions of two equal functions ... */
static size_t doubled(char *to, int depth)
{
	size_t n = 0;

	for (int i = 0; i < depth; i++)
		n += (size_t)sprintf(to + n, "PFv");
	n += (size_t)sprintf(to + n, "P1a");
	for (int i = 0; i < depth; i++) {
		n += reference(to + n, 2 * i + 1);
		n += (size_t)sprintf(to + n, "E");
	}
	return n;
}

static void give_up_soon(const char *name)
{
	clock_t start = clock();

	expect(name, NULL);
	cr_assert_lt(clock() - start, CLOCKS_PER_SEC / 2, "%.60s... takes its time", name);
}

Test(demangle, exponential_output, .timeout = 20)
{
	char name[2048] = "_Z1f";

	doubled(name + 4, 3);
	expect(name, "f(void (*)(void (*)(void (*)(a*, a*), void (*)(a*, a*)), "
		     "void (*)(void (*)(a*, a*), void (*)(a*, a*))))");
	doubled(name + 4, 50);
	give_up_soon(name);
}

Test(demangle, exponential_silence, .timeout = 20)
{
	char name[2048] = "_Z1fDp";

	doubled(name + 6, 50);
	give_up_soon(name);
}

Test(demangle, exponential_reading, .timeout = 20)
{
	char name[2048];
	size_t n = (size_t)sprintf(name, "_Z");

	for (int i = 0; i < 60; i++)
		n += (size_t)sprintf(name + n, "cvT_IL_Z");
	n += (size_t)sprintf(name + n, "1fv");
	for (int i = 0; i < 60; i++)
		n += (size_t)sprintf(name + n, "EEv");
	give_up_soon(name);
}

/* A number as Rust's back references have it: none for 0, then base 62 of the number less one. */
static size_t base62(char *to, size_t number)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (number == 0)
		return 0;
	if (number <= 62)
		return (size_t)sprintf(to, "%c", digits[number - 1]);
	return (size_t)sprintf(to, "%c%c", digits[(number - 1) / 62], digits[(number - 1) % 62]);
}

/* Tuples of two equal tuples of two equal tuples ... */
static void tuples(char *name, int depth)
{
	size_t n = (size_t)sprintf(name, "_RINvC1a1f"), tuple = n - 2;

	n += (size_t)sprintf(name + n, "TllE");
	for (int i = 1; i < depth; i++) {
		size_t next = n - 2;

		n += (size_t)sprintf(name + n, "TB");
		n += base62(name + n, tuple);
		n += (size_t)sprintf(name + n, "_B");
		n += base62(name + n, tuple);
		n += (size_t)sprintf(name + n, "_E");
		tuple = next;
	}
	strcpy(name + n, "E");
}

Test(demangle, exponential_rust, .timeout = 20)
{
	char name[2048];

	tuples(name, 2);
	expect(name, "a::f::<(i32, i32), ((i32, i32), (i32, i32))>");
	tuples(name, 40);
	give_up_soon(name);
}

Test(demangle, deep_and_long, .timeout = 20)
{
	static const char *const parts[] = {"P", "FvP", "1aI", "Dp",	"M1a",
					    "N", "cv",	"TV",  "L_Z1gI"};
	static const size_t lengths[] = {900, 8000, 99000, 300000};
	char *name = malloc(400000);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) * 4; i++) {
		const char *part = parts[i / 4];
		size_t n = (size_t)sprintf(name, "_Z1f");
		clock_t start = clock();

		while (n < lengths[i % 4])
			n += (size_t)sprintf(name + n, "%s", part);
		strcpy(name + n, "i");
		for (int form = 0; form < DEMANGLE_FORMS; form++)
			free(demangle_to(name, n + 1, (enum demangle_form)form));
		cr_assert_lt(clock() - start, CLOCKS_PER_SEC);
	}
	free(name);
}
