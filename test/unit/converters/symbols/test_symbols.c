/* SPDX-License-Identifier: MIT */
/*
 * test_symbols.c - an address gets its function's name, and never a neighbour's.
 */
#include "module_fixture.h"

#include <elf.h>
#include <sys/auxv.h>

#include "tree/tree.h"

TestSuite(symbols, .init = enter_fixture, .fini = leave_fixture);

/* Functions of several kinds, with padding between them. */
static const char program[] =
	"int count;\n"
	"static __attribute__((noinline)) int hidden(int a)\n"
	"{ count += a; return a * 3; }\n"
	"__attribute__((noinline)) int visible(int a) { return hidden(a) + 1; }\n"
	"__attribute__((weak)) int feeble(int a) { return visible(a) + count; }\n"
	"int main(int c, char **v) { (void)v; return feeble(c); }\n";

static const char *fixed_name(struct subject *s, uint32_t module, uint64_t address, uint32_t name)
{
	struct profile_frame frame = {.module = module, .name = name, .address = address};

	name_at(s, 0);
	cr_assert_eq(symbols_frame(s->symbols, &frame, &s->place, &s->error), 0);
	return strings_get(s->profile.strings, s->place.function, NULL);
}

Test(symbols, frames_without_module)
{
	struct subject *s = subject_new(NULL);
	uint32_t name = strings_add(s->profile.strings, "a name", 6);

	cr_assert_str_eq(fixed_name(s, PROFILE_NO_MODULE, 0, STRINGS_NONE), PROFILE_CUT);
	cr_assert_str_eq(fixed_name(s, PROFILE_NO_MODULE, 1, STRINGS_NONE), PROFILE_NOT_SAMPLED);
	cr_assert_str_eq(fixed_name(s, PROFILE_NO_MODULE, 17, STRINGS_NONE), "[unknown]");
	cr_assert_not(s->place.has_symbol);
	cr_assert_eq(s->place.start, 17);
	cr_assert_str_eq(fixed_name(s, PROFILE_NO_MODULE, 0, name), "a name");
	cr_assert(s->place.has_symbol);
	cr_assert_str_eq(fixed_name(s, 0, 0x1000, STRINGS_NONE), "[unknown module]");
	cr_assert_str_eq(warning_of(s), "");
	subject_free(s);
}

/* Every address of .text, against a plain search in what nm lists. */
struct range {
	uint64_t start, end;
	char name[64];
};

static size_t read_ranges(const char *command, struct range *ranges, size_t max)
{
	FILE *p = popen(command, "r");
	uint64_t bytes;
	size_t n = 0;

	cr_assert(p);
	while (n < max && fscanf(p, "%" SCNx64 " %" SCNx64 " %63s", &ranges[n].start, &bytes,
				 ranges[n].name) == 3) {
		ranges[n].end = ranges[n].start + bytes;
		n++;
	}
	pclose(p);
	return n;
}

static const struct range *covering(const struct range *ranges, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++) {
		if (ranges[i].start <= address && address < ranges[i].end)
			return &ranges[i];
	}
	return NULL;
}

Test(symbols, every_byte_of_a_program)
{
	struct range functions[64], text[1];
	struct subject *s;
	size_t n, named = 0, unnamed = 0;

	put("p.c", program);
	sh("gcc -O1 -falign-functions=64 -o p p.c");
	n = read_ranges("nm -S p | awk 'NF == 4 && $3 ~ /[tTW]/ { print $1, $2, $4 }'", functions,
			64);
	cr_assert_geq(n, 4);
	cr_assert_eq(read_ranges("readelf -SW p | sed 's/^ *\\[ *[0-9]*\\]//' | "
				 "awk '$1 == \".text\" { print $3, $5, $1 }'",
				 text, 1),
		     1);
	s = subject_recorded("p");
	for (uint64_t a = text[0].start; a < text[0].end; a++) {
		const struct range *f = covering(functions, n, a);
		const char *name = name_at(s, a);

		/* The start files have labels without size: they count where they stand. */
		if (!f && s->place.has_symbol) {
			cr_assert_eq(s->place.start, a, "%#" PRIx64 " is %s", a, name);
		} else if (f) {
			cr_assert(s->place.has_symbol);
			cr_assert_str_eq(name, f->name);
			cr_assert_eq(s->place.start, f->start);
			named++;
		} else {
			cr_assert_eq(name[0], '[');
			unnamed++;
		}
	}
	cr_assert_gt(named, 40);
	cr_assert_gt(unnamed, 40);
	cr_assert_str_eq(name_at(s, address_of("p", "hidden")), "hidden");
	cr_assert_str_eq(name_at(s, 0x7fffffff), "[p]");
	cr_assert_str_eq(warning_of(s), "");
	subject_free(s);
}

/* What a perf map says of a module's address counts only where the file says nothing. Seen to fail: with the
 * map's name instead of the symbol's, and without place_in_map(). */
Test(symbols, the_name_of_a_perf_map_comes_last)
{
	uint64_t hidden, visible;
	struct subject *s;
	uint32_t name;

	put("p.c", program);
	sh("gcc -O1 -falign-functions=64 -o p p.c");
	hidden = address_of("p", "hidden");
	visible = address_of("p", "visible");
	s = subject_recorded("p");
	name = strings_add(s->profile.strings, "of the map", 10);
	cr_assert_str_eq(fixed_name(s, 0, hidden, name), "hidden");
	cr_assert_str_eq(fixed_name(s, 0, visible - 1, name), "of the map");
	cr_assert(s->place.has_symbol);
	cr_assert_str_eq(fixed_name(s, 0, visible - 1, STRINGS_NONE), "[p]");
	subject_free(s);
	sh("strip p");
	s = subject_recorded("p");
	name = strings_add(s->profile.strings, "of the map", 10);
	cr_assert_str_eq(fixed_name(s, 0, hidden, name), bracketed("p", hidden));
	subject_free(s);
}

Test(symbols, stripped_functions_are_named_by_their_start)
{
	uint64_t hidden, visible;
	struct subject *s;

	put("p.c", program);
	sh("gcc -O1 -falign-functions=64 -o p p.c");
	hidden = address_of("p", "hidden");
	visible = address_of("p", "visible");
	sh("strip p");
	s = subject_recorded("p");
	cr_assert_str_eq(name_at(s, hidden), bracketed("p", hidden));
	cr_assert_str_eq(name_at(s, hidden + 3), bracketed("p", hidden));
	cr_assert_eq(s->place.start, hidden);
	cr_assert_not(s->place.has_symbol);
	cr_assert_str_eq(name_at(s, visible + 1), bracketed("p", visible));
	cr_assert_str_eq(name_at(s, visible - 1), "[p]", "padding belongs to nobody");
	subject_free(s);
}

Test(symbols, assembly_without_sizes)
{
	uint64_t at;
	struct subject *s;

	put("a.S",
	    ".globl before, told, untold, label, after\n"
	    ".text\n.p2align 6\n"
	    ".type before, @function\nbefore: nop; nop; nop; ret\n.size before, . - before\n"
	    ".p2align 6\n"
	    "told: .cfi_startproc\nnop; nop\ninside: nop; ret\n.cfi_endproc\n"
	    ".p2align 6\n"
	    "untold: nop; nop; ret\n"
	    ".p2align 6\n"
	    ".type after, @function\nafter: nop; nop\nlabel: nop; ret\n.size after, . - after\n"
	    ".section .note.GNU-stack,\"\",@progbits\n");
	sh("gcc -shared -nostdlib -Wl,--build-id -o a.so a.S");
	s = subject_recorded("a.so");
	at = address_of("a.so", "before");
	cr_assert_str_eq(name_at(s, at + 3), "before");
	cr_assert_str_eq(name_at(s, at + 4), "[a.so]");
	at = address_of("a.so", "told");
	cr_assert_str_eq(name_at(s, at), "told");
	cr_assert_str_eq(name_at(s, at + 2), "told", "the label inside is no function");
	cr_assert_str_eq(name_at(s, at + 3), "told");
	cr_assert(s->place.has_symbol && s->place.start == at);
	cr_assert_str_eq(name_at(s, at + 4), "[a.so]");
	at = address_of("a.so", "untold");
	cr_assert_str_eq(name_at(s, at - 1), "[a.so]");
	cr_assert_str_eq(name_at(s, at), "untold");
	cr_assert_str_eq(name_at(s, at + 1), "[a.so]", "how far it goes, nobody knows");
	at = address_of("a.so", "after");
	cr_assert_str_eq(name_at(s, at), "after");
	cr_assert_str_eq(name_at(s, at + 2), "after", "a label does not cut a function in two");
	subject_free(s);
}

/* As the C library's: its unwind entry starts one byte early. */
Test(symbols, signal_trampolines)
{
	struct subject *s;
	uint64_t at;

	put("t.S", ".globl back, plain\n.text\n"
		   ".cfi_startproc\n.cfi_signal_frame\nnop\nback: nop; ret\n.cfi_endproc\n"
		   ".cfi_startproc\nnop\nplain: nop; ret\n.cfi_endproc\n"
		   ".section .note.GNU-stack,\"\",@progbits\n");
	sh("gcc -shared -nostdlib -o t.so t.S");
	s = subject_recorded("t.so");
	at = address_of("t.so", "back");
	cr_assert_str_eq(name_at(s, at), "back");
	cr_assert_eq(s->place.start, at);
	cr_assert_str_eq(name_at(s, at + 1), "back");
	cr_assert_str_eq(name_at(s, at - 1), "back", "where its caller seems to be");
	at = address_of("t.so", "plain");
	cr_assert_str_eq(name_at(s, at), bracketed("t.so", at - 1), "a label inside an entry");
	subject_free(s);
}

Test(symbols, a_size_beyond_its_section)
{
	struct subject *s;

	put("b.S", ".globl huge, other\n.text\n.type huge, @function\nhuge: nop; ret\n.size huge, "
		   "1 << 40\n"
		   ".section .other,\"ax\"\nother: .skip 64\n"
		   ".section .note.GNU-stack,\"\",@progbits\n");
	sh("gcc -shared -nostdlib -o b.so b.S");
	s = subject_recorded("b.so");
	cr_assert_gt(address_of("b.so", "other"), address_of("b.so", "huge"));
	cr_assert_str_eq(name_at(s, address_of("b.so", "huge") + 1), "huge");
	cr_assert_str_eq(name_at(s, address_of("b.so", "other") + 5), "[b.so]");
	subject_free(s);
}

Test(symbols, readable_names)
{
	struct subject *s, *raw;
	uint64_t cpp, rust, old;

	put("n.c", "void cpp(void) __asm__(\"_ZN5outer5innerEi\"); void cpp(void) { }\n"
		   "void rust(void) __asm__(\"_RNvCs1234_7mycrate3foo\"); void rust(void) { }\n"
		   "__asm__(\".symver old_form, shown@V_1\");\n"
		   "void old_form(void); void old_form(void) { }\n");
	put("n.map", "V_1 { global: shown; cpp; rust; _*; local: *; };\n");
	sh("gcc -O1 -shared -fPIC -nostdlib -Wl,--version-script=n.map -o n.so n.c");
	cpp = address_of("n.so", "_ZN5outer5innerEi");
	rust = address_of("n.so", "_RNvCs1234_7mycrate3foo");
	old = address_of("n.so", "old_form");
	s = subject_recorded("n.so");
	cr_assert_str_eq(name_at(s, cpp), "outer::inner(int)");
	cr_assert_str_eq(name_at(s, rust), "mycrate::foo");
	cr_assert_str_eq(name_at(s, old), "shown", "without its version");
	subject_free(s);
	raw = subject_recorded("n.so");
	raw->options.names = SYMBOLS_LINKER;
	cr_assert_str_eq(name_at(raw, cpp), "_ZN5outer5innerEi");
	subject_free(raw);
}

/* As older linkers wrote them: "bnd jmp" in place of "jmp", which is one byte longer. */
static void bound_stubs(void)
{
	static const unsigned char plain[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25};
	size_t n, found = 0;
	unsigned char *bytes = slurp("x.so", &n);

	for (size_t at = 0; at + 16 < n; at++) {
		if (memcmp(bytes + at, plain, sizeof(plain)) != 0)
			continue;
		memmove(bytes + at + 5, bytes + at + 4, 6);
		bytes[at + 4] = 0xf2;
		bytes[at + 7]--; /* the displacement's lowest byte, which is not 0 in these stubs */
		found++;
	}
	cr_assert_geq(found, 2);
	spill("x.so", bytes, n);
	free(bytes);
}

/* The stubs' addresses, as objdump sees them. */
static void check_stubs(const char *flags, bool is_bounded)
{
	struct range stubs[8];
	struct subject *s;
	size_t n;

	sh("gcc -O1 %s -fPIC -shared -o x.so x.c", flags);
	sh("objdump -d x.so | sed -n 's/^\\([0-9a-f]*\\) <\\(.*far.*@plt\\)>:/\\1 1 \\2/p' >stubs");
	n = read_ranges("cat stubs", stubs, 8);
	cr_assert_eq(n, 2, "%zu stubs with %s", n, flags);
	sh("strip x.so");
	if (is_bounded)
		bound_stubs();
	s = subject_recorded("x.so");
	for (size_t i = 0; i < n; i++) {
		const char *wanted = stubs[i].name[0] == '_' ? "far::away()@plt" : "far@plt";

		cr_assert_str_eq(name_at(s, stubs[i].start), wanted);
		cr_assert_str_eq(name_at(s, stubs[i].start + 5), wanted);
		cr_assert_eq(s->place.start, stubs[i].start);
	}
	subject_free(s);
}

Test(symbols, stubs_are_named_by_what_they_call)
{
	put("x.c", "int far(int); int away(int) __asm__(\"_ZN3far4awayEv\");\n"
		   "int near(int a); int near(int a) { return far(a) + away(a) + 1; }\n");
	check_stubs("-fcf-protection=none", false);
	check_stubs("-fcf-protection=full -Wl,-z,ibtplt", false);
	check_stubs("-Wl,-z,now -fcf-protection=none", false);
	check_stubs("-fcf-protection=full -Wl,-z,ibtplt", true);
}

/* A jump through a slot that no relocation fills goes nobody knows where. */
Test(symbols, stubs_without_a_relocation)
{
	static const unsigned char jump[] = {0xff, 0x25};
	uint64_t stub;
	unsigned char *bytes, *at;
	struct range stubs[1];
	struct subject *s;
	size_t n;

	put("x.c", "int far(int); int near(int a); int near(int a) { return far(a) + 1; }\n");
	sh("gcc -O1 -shared -fPIC -nostdlib -fcf-protection=none -Wl,-z,noseparate-code -o x.so "
	   "x.c");
	cr_assert_eq(
		read_ranges("objdump -d x.so | sed -n 's/^\\([0-9a-f]*\\) <far@plt>:/\\1 1 f/p'",
			    stubs, 1),
		1);
	stub = stubs[0].start; /* in the file too: it is one segment from 0 */
	bytes = slurp("x.so", &n);
	at = bytes + stub;
	cr_assert(stub < n && memcmp(at, jump, sizeof(jump)) == 0);
	at[2] -= 4;
	spill("x.so", bytes, n);
	s = subject_recorded("x.so");
	cr_assert_eq(name_at(s, stub)[0], '[');
	subject_free(s);
	free(bytes);
}

/* A name that is longer than sense stays as it is. */
Test(symbols, names_without_measure)
{
	char *text = malloc(700000);
	struct range at[1];
	struct subject *s;
	const char *name;
	size_t n;

	n = (size_t)sprintf(text, "void f(void) __asm__(\"_Z1f");
	memset(text + n, 'P', 200000);
	strcpy(text + n + 200000, "i\"); void f(void) { }\n");
	put("l.c", text);
	sh("gcc -O1 -shared -fPIC -nostdlib -o l.so l.c");
	s = subject_recorded("l.so");
	sh("nm l.so | awk 'length($3) > 100000 { print $1, 1, \"f\" }' >at");
	cr_assert_eq(read_ranges("cat at", at, 1), 1);
	name = name_at(s, at[0].start);
	cr_assert_eq(strlen(name), 200005);
	cr_assert_eq(strncmp(name, "_Z1fPPP", 7), 0);
	subject_free(s);
	free(text);
}

Test(symbols, the_vdso_that_runs_here)
{
	const Elf64_Ehdr *image = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct subject *s;
	struct range f[1];

	if (!image)
		return;
	spill("vdso.so", image, image->e_shoff + image->e_shnum * sizeof(Elf64_Shdr));
	cr_assert_eq(read_ranges("nm -DS vdso.so | grep __vdso_clock_gettime | cut -d ' ' -f 1,2,4",
				 f, 1),
		     1);
	s = subject_recorded("vdso.so");
	s->module.is_vdso = true;
	s->module.path = STRINGS_NONE;
	cr_assert(strstr(name_at(s, f[0].start + 1), "clock_gettime"));
	cr_assert_eq(s->place.start, f[0].start);
	cr_assert_str_eq(warning_of(s), "");
	subject_free(s);
}

Test(symbols, the_vdso_of_another_kernel)
{
	struct subject *s = subject_new("[vdso]");

	s->module.is_vdso = true;
	s->module.build_id = s->build_id;
	s->module.build_id_bytes = 20;
	cr_assert_str_eq(name_at(s, 0xabc), "[vdso+0xabc]");
	cr_assert(strstr(warning_of(s), "another kernel"));
	subject_free(s);
}
