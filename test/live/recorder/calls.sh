#!/bin/sh
# SPDX-License-Identifier: MIT
# The resource calls:SYMBOL counts each call of a function in another library: from the program and from libraries that are
# loaded later, opened and closed, in constructors, threads, handlers and children, however they are linked. What
# the functions get and return stays as it is: integers, floating point, vectors, variable arguments, large structures,
# errno; exceptions and longjmp leave them. What a table entry is bound to is what the loader would have chosen, and
# pointers to functions stay equal everywhere. What is not counted --info says.
#
# Seen to fail: if the thunks do not save vector registers, arguments are wrong; if entries are led elsewhere although code
# reads them, pointers differ; if RTLD_DEEPBIND is not noticed, the plugin's own function is not called; without
# __gmon_start__, calls in constructors are missing.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need g++
need python3

source=$root/test/targets/calls.cc
flags="-std=gnu++17 -O2 -g -fno-inline -pthread"
# compile NAME FLAG...
compile() {
	object=$1.o
	shift
	# shellcheck disable=SC2086 # several flags
	g++ $flags -fPIC "$@" -c -o "$object" "$source" || fail "cannot compile $object"
}
compile called -DCALLED
compile program
compile program_noplt -fno-plt
compile program_fixed -fno-pic -fno-pie
compile plugin -DPLUGIN=7
compile plugin_noplt -DPLUGIN=7 -fno-plt
compile plugin_own -DPLUGIN=7 -DHAS_OWN
g++ -shared -o libcalled.so called.o || fail "cannot link the library"
# link NAME OBJECT FLAG...
link() {
	g++ -pthread -o "$@" -L. -lcalled "-Wl,-rpath,$PWD" || fail "cannot link $1"
}
link lazy program.o -Wl,-z,lazy
link now program.o -Wl,-z,now
link noplt program_noplt.o
link fixed program_fixed.o -no-pie -Wl,-z,lazy
link plugin_now.so plugin.o -shared -Wl,-z,now
link plugin_lazy.so plugin.o -shared -Wl,-z,lazy
link plugin_bare.so plugin.o -shared -nostartfiles
link plugin_noplt.so plugin_noplt.o -shared
link plugin_own.so plugin_own.o -shared -Wl,-z,lazy

functions="called called_wide called_many called_vector called_large called_back called_errno called_own"
export CPSAMPLE_OUTPUT=x.%p.cps
CPSAMPLE_RESOURCES=calls:called:70,calls:called_wide:50,calls:called_many:110,calls:called_vector:13
CPSAMPLE_RESOURCES=$CPSAMPLE_RESOURCES,calls:called_large:300,calls:called_back:500,calls:called_errno:7,calls:called_own:1
export CPSAMPLE_RESOURCES

# run PROGRAM ARGUMENT...: leaves what it said in `said`.
run() {
	rm -f x*.cps*
	"$@" >bare 2>err || fail "$*: ended with $? without the recorder: $(cat err)"
	record "$@" >said 2>err || fail "$*: ended with $?: $(cat err)"
	grep -v '^called_errno\|^pid' bare >bare.rest # signals come as they come
	grep -v '^called_errno\|^pid' said >said.rest
	same bare.rest said.rest "$*"
}

# exact FILE SAID [FUNCTION MISSING]: is as much counted of each function as the program says?
exact() {
	for function in $functions; do
		made=$(awk -v f="$function" '$1 == f { print $2 }' "$2")
		[ "$function" != "${3:-}" ] || made=$((made - $4))
		counted=$(python3 "$root/test/live/counted.py" "$1" "calls:$function") || fail "$1: $function: no count"
		[ "$counted" = "$made" ] || fail "$program: $(cat "$2"): $counted calls of $function counted of $made"
	done
}

for program in lazy now noplt fixed; do
	run ./$program 2 3000 ./plugin_now.so ./plugin_lazy.so:lazy ./plugin_noplt.so ./plugin_own.so:lazy
	stream=$(one_stream) || fail "$program: $stream"
	exact "$stream" said
	"$CPCONV" --info "$stream" >info || fail "$program: no --info"
	[ "$(info "$stream" complete_percent)" = 100 ] || fail "$program: $(info "$stream" complete_percent) % whole"
done

# The caller is above the function, to whom each sample belongs; also of one that was loaded later.
"$CPCONV" --folded --unit gticks --resource calls:called_wide "$stream" >folded || fail "no view"
grep -q ';work(void\*);all(int);one(int);called_wide ' folded || fail "no thread: $(cat folded)"
grep -q ';main;use(char\*, int);plugin;all.*;one.*;called_wide ' folded || fail "no plugin: $(cat folded)"
! grep -v ';called_wide [0-9]*$' folded || fail "something else"

# Whether the plugin's own function comes first the loader does not tell, so it is not counted.
run ./lazy 0 500 ./plugin_own.so:lazy,deep
grep -q 'own 7' said || fail "not the plugin's own: $(cat said)"
exact "$(one_stream)" said called_own 5
"$CPCONV" --info "$(one_stream)" | grep -q 'entries of linkage tables are not counted: what it is bound to' ||
	fail "--info does not say what is not counted"

# A library that is linked without the compiler's files is noticed when it is asked for a symbol.
run ./lazy 0 500 ./plugin_bare.so:lazy
exact "$(one_stream)" said called 50

run ./lazy fork 1000
for stream in x*.cps; do
	awk -v pid="$(info "$stream" pid)" '$1 == "pid" { mine = $2 == pid } mine' said >mine
	exact "$stream" mine
done

# The address of this one is also read by the program, which calls it by no other way.
run ./now 0 500
"$CPCONV" --info "$(one_stream)" | grep -A 2 'calls:called_own' |
	grep -q '1 of 1 entries of linkage tables are not counted: code also reads' || fail "nothing is said of the pointer"
# The launcher refuses what cannot be counted, if the program neither loads other files nor runs other programs. Seen to fail:
# the run began, and cpconv --info alone said so.
refused() {
	if "$root/scripts/cpsample" --library "$LIBRARY" -o refused.cps -r "cpu,calls:$1" "$targets/slower" 10 >out 2>err; then
		fail "calls:$1 is not refused"
	fi
	grep -qF -e "cpsample: calls:$1: $2" err && [ "$(wc -l <err)" -eq 1 ] && [ ! -e refused.cps ] || fail "calls:$1: $(cat err)"
}
refused strtoull "it is called within "
refused work "it is called within $targets/slower alone, which needs no linkage table and cannot be counted"
refused prinft "$targets/slower and its libraries have no such function; similar: printf"
"$root/scripts/cpsample" --library "$LIBRARY" -o may.cps -r cpu,calls:printf,calls:strtoul:3 "$targets/slower" 10 >out 2>err || fail "$(cat err)"
[ ! -s err ] || fail "calls:printf: $(cat err)"
"$root/scripts/cpsample" --library "$LIBRARY" -o may2.cps -r cpu,calls:prinft "$(command -v sh)" -c : >out 2>err || fail "$(cat err)"
grep -q 'warning: calls:prinft: .* may call it$' err || fail "of a program that runs others: $(cat err)"
# What asks that is no part of the run: if it dies, the run goes on. Seen to fail: cpsample ended with 125 and no reason.
mkdir ill && cp "$LIBRARY" ill/libcpsample.so && printf '#!/bin/sh\nkill -9 $$\n' >ill/cpsample-wait && chmod +x ill/cpsample-wait
CPSAMPLE_KEEP=off "$root/scripts/cpsample" --library "$PWD/ill/libcpsample.so" -o may3.cps -r cpu,calls:printf "$targets/slower" 10 >out 2>err ||
	fail "without an answer: status $?: $(cat err)"
grep -q 'warning: .*whether calls of printf can be counted is not known$' err || fail "without an answer: $(cat err)"
rm -f may*.cps
rm -f x*.cps*
record CPSAMPLE_RESOURCES=calls:called:7,calls:nobody_has_it ./now 0 500 >said || fail "status $?"
"$CPCONV" --info "$(one_stream)" | grep -q 'no object imports it' || fail "--info does not say that nobody calls it"
