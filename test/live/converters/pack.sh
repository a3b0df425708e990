#!/bin/sh
# SPDX-License-Identifier: MIT
# A pack shows in every view what its recordings show, where no file of a program is found, and the recordings can
# be taken out of it again.
#
# Seen to fail:
# - If symbols_packed_functions() gives the file of a line without its directory.
# - If pack_copy() writes no journal, or no perf map.
# - If pack_journal_shrink() leaves the journal as it is, or measures a page too few.
# - If names are looked up for the first resource only.
# - If recordings_same() does nothing, and if it takes the recording outside the pack.
# - If pack_code() packs no places of instructions, or none of what they call.
# - If a pack that is cut is refused without a word about tar.
# May run beside others.
# Not in short runs: it takes 15 s.
. "$(dirname "$0")/../lib.sh"
need g++
need tar

cat >work.cpp <<'END_OF_PROGRAM'
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" int cpsample_mark(const char *) __attribute__((weak));

namespace deep {
template <class T> struct table {
	std::map<T, std::vector<T>> all;
	void fill(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			all[T(i * 2654435761u % 3000)].push_back(T(i));
	}
};
}

static __attribute__((noinline)) long fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void *job(void *)
{
	deep::table<int> a;
	deep::table<double> b;
	volatile long sum = 0;

	for (int i = 0; i < 4; i++) {
		a.fill(40000);
		b.fill(20000);
		sum = sum + fibonacci(30);
		usleep(3000);
	}
	return NULL;
}

/* Code that no file has, and its name, as compilers that generate code leave them. It does not return. */
static void generated()
{
	static const unsigned char loop[] = {0x55, 0x48, 0x89, 0xe5, 0xeb, 0xfe};
	unsigned char *code = (unsigned char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
						    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *map = fopen(path, "w");
	std::copy(loop, loop + sizeof(loop), code);
	fprintf(map, "%lx 40 js:generated\n", (unsigned long)code);
	fclose(map);
	reinterpret_cast<void (*)()>(code)();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		generated();
	pthread_create(&thread, NULL, job, NULL);
	pthread_setname_np(thread, "worker");
	if (cpsample_mark)
		cpsample_mark("both");
	job(NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		job(NULL);
		exit(0);
	}
	wait(NULL);
	execlp("sh", "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done", NULL);
}
END_OF_PROGRAM
mkdir -p built/src nothing
cp work.cpp built/src/work.cpp
(cd built && g++ -O2 -g -pthread -o work src/work.cpp) || fail "no program"
resources=cpu:1ms,real,alloc,alloc-live

record CPSAMPLE_RESOURCES=$resources built/work || fail "work: exit status $?"
env "LD_PRELOAD=$LIBRARY" CPSAMPLE_RESOURCES=$resources built/work generated &
child=$!
runs() {
	[ -s "/tmp/perf-$child.map" ] && [ -s "cpsample.work.$child.cps.journal" ]
}
if ! await runs; then
	kill -9 $child
	fail "no generated code"
fi
sleep 0.3
kill -9 $child
wait $child 2>/dev/null
recordings=$(echo cpsample.*.cps)
if command -v python3 >/dev/null; then
	record CPSAMPLE_RESOURCES=$resources CPSAMPLE_OUTPUT=python.cps python3 -c 'def f(n):
	return n if n < 2 else f(n - 1) + f(n - 2)
f(23)'
	recordings="$recordings $(echo python*.cps)"
fi

# views DIRECTORY FILE...: write every view, of several resources, and with options for names, into the directory.
views() {
	to=$1
	shift
	mkdir "$to"
	for view in $(names_of_views); do
		[ "$view" != average-time ] || continue # nobody has counted calls
		how=
		[ "$view" != html ] || how=--with-source # the page has the sources that a pack has
		"$CPCONV" "--$view" $how -o "$to/$view" "$@" 2>"$to/$view.err" || fail "--$view: $(cat "$to/$view.err")"
		"$CPCONV" "--$view" --json -o "$to/$view.json" "$@" 2>/dev/null
	done
	for resource in real alloc alloc-live; do
		for view in flat tree timeline threads; do
			"$CPCONV" --$view --resource $resource "$@" >"$to/$view.$resource" 2>&1
		done
	done
	n=0
	for options in "--names linker" "--names full" --no-inlines "--granularity line" "--granularity module" \
		"--granularity address" "--by thread" "--from 0.1 --to 0.2" "--thread worker" "--focus fibonacci" \
		"--resource real,cpu" "--resource real --state wait" "--resource alloc-live --at peak"; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # several words
		"$CPCONV" --tree $options "$@" >"$to/options.$n" 2>&1 || fail "$options: $(cat "$to/options.$n")"
	done
	for function in fibonacci job _int_malloc; do
		for form in "" --tsv; do
			# shellcheck disable=SC2086 # none or one
			"$CPCONV" --asm "$function" $form "$@" >"$to/asm.$function$form" 2>&1
		done
	done
	for function in fibonacci job; do
		echo "source $function" | "$CPPROF" "$@" >"$to/source.$function" 2>/dev/null
	done
}

# shellcheck disable=SC2086 # a list of files
"$CPCONV" --pack --with-source -o packed $recordings 2>err || fail "--pack: $(cat err)"
grep -v "$child" err && fail "--pack complains: $(cat err)"

# In a directory they have the same paths as in a pack. (The page of --html has these, compressed.)
mkdir one.cps taken
tar -xf packed -C taken || fail "tar"
i=0 moved=
for file in $recordings; do
	mv "$file" "one.cps/$i.$file"
	moved="$moved one.cps/$i.$file"
	[ ! -e "$file.journal" ] || mv "$file.journal" "one.cps/$i.$file.journal"
	cmp "one.cps/$i.$file" "taken/$i.$file" || fail "$file is another in the pack"
	i=$((i + 1))
done
# shellcheck disable=SC2086 # likewise
{
	views before $moved
	"$CPCONV" --tree --sysroot "$PWD/nothing" $moved >nameless 2>/dev/null
}

# Nothing is left of the program but the pack.
rm -rf built work.cpp "/tmp/perf-$child.map" one.cps
mv packed one.cps
views after --sysroot "$PWD/nothing" one.cps
diff -r before after >differ || fail "the pack shows something else: $(head -n 20 differ)"
same before/tree after/tree "the tree" # of names: without files there are hardly any
grep -q "fibonacci" nameless && fail "there are names without files: the test tells nothing"
for name in "deep::table<int>::fill (inlined)" "fibonacci" "js:generated"; do
	grep -q "$name" after/tree || fail "no $name: $(cat after/tree)"
done
grep -q "killed" after/info || fail "it is not said that a process was killed: $(cat after/info)"
grep -q "both" after/timeline || fail "no mark: $(cat after/timeline)"
grep -q "work.cpp:" "after/options.4" || fail "no lines: $(cat after/options.4)"

grep -q "return n < 2 ? n : fibonacci(n - 1)" after/source.fibonacci || fail "no source: $(cat after/source.fibonacci)"

# Instructions have lines and the names of what they call. A pack of a program that did not pack code yet has names only.
grep -q "; work.cpp:[0-9]" after/asm.fibonacci || fail "no line: $(cat after/asm.fibonacci)"
grep -q "call .*fibonacci" after/asm.job || fail "no callee: $(cat after/asm.job)"
LC_ALL=C sed 's/^code \([0-9]\{20\} \)/lost \1/' one.cps >codeless.cps
"$CPCONV" --asm fibonacci --sysroot "$PWD/nothing" codeless.cps >out 2>err && fail "code of a pack without code"
grep -q 'no instructions of "fibonacci" are known: the pack does not have its code; ' err || fail "codeless: $(cat err)"
LC_ALL=C sed 's/^code 0/code 9/' one.cps >outside.cps
"$CPCONV" --tree outside.cps >out 2>err && fail "code outside the pack"
grep -q "damaged pack: its end does not say where its code is at byte [0-9]" err || fail "outside: $(cat err)"

# The journal of the process that was killed has what is used of it.
journal=$(ls taken/*."$child".cps.journal)
[ "$(wc -c <"$journal")" -lt 300000 ] || fail "the journal in the pack has $(wc -c <"$journal") bytes"

# A pack may be packed again, beside others, and a part of it can be asked for.
"$CPCONV" --pack --sysroot "$PWD/nothing" -o again.cps one.cps 2>/dev/null || fail "--pack of a pack"
echo "source fibonacci" | "$CPPROF" --sysroot "$PWD/nothing" again.cps >source 2>&1
grep -q "not found" source || fail "sources are packed unasked: $(cat source)"
"$CPCONV" --pack --with-source --sysroot "$PWD/nothing" -o again.cps one.cps 2>/dev/null || fail "--with-source of a pack"
"$CPCONV" --pack --with-source --sysroot "$PWD/nothing" -o third.cps again.cps 2>/dev/null || fail "the third"
cmp again.cps third.cps || fail "a pack of a pack is another"
"$CPCONV" --tree --sysroot "$PWD/nothing" one.cps >whole 2>/dev/null
"$CPCONV" --tree --sysroot "$PWD/nothing" one.cps one.cps >twice 2>err || fail "twice: $(cat err)"
grep -q "given twice" err || fail "a pack is read twice: $(cat err)"
same whole twice "one.cps twice"

# Beside its own recordings, or in another pack, each counts once, and both names are said.
mkdir both
cp taken/*.cps* one.cps both/
"$CPCONV" --tree --sysroot "$PWD/nothing" both >twice 2>err || fail "both: $(cat err)"
same whole twice "a pack and its recordings"
grep -q "^cpconv: both/0\..*\.cps: warning: the same recording as both/one.cps/0\..*\.cps, read once$" err ||
	fail "both: $(cat err)"
rm both/1.*
"$CPCONV" --tree --sysroot "$PWD/nothing" both/0.*.cps both/one.cps >twice 2>err || fail "both: $(cat err)"
same whole twice "a pack and one of its recordings"
"$CPCONV" --tree --sysroot "$PWD/nothing" one.cps again.cps >twice 2>err || fail "two packs: $(cat err)"
same whole twice "two packs of the same recordings"

"$CPCONV" --info --tsv one.cps/0.* >/dev/null 2>&1 && fail "a path with a pattern is taken"
first=$(tar -tf one.cps | sed -n 's/^\(0\..*\.cps\)$/\1/p')
"$CPCONV" --tree --sysroot "$PWD/nothing" "one.cps/$first" >part 2>&1 || fail "one.cps/$first: $(cat part)"

# Two packs have parts of one source file; together, and packed anew, they have both.
{
	echo '__attribute__((noinline)) void first(long n) { for (volatile long i = 0; i < n; i++) ; } // the first one'
	seq 100 | sed 's/.*//'
	echo '__attribute__((noinline)) void second(long n) { for (volatile long i = 0; i < n; i++) ; } // the second one'
	echo 'int main(int argc, char **argv) { argc > 1 ? second(50000000) : first(50000000); return 0; }'
} >parts.c
cc -g -O1 -o parts parts.c || fail "no program"
record CPSAMPLE_OUTPUT=parts.1 ./parts && "$CPCONV" --pack --with-source -o parts.1.cps parts.1 || fail "parts.1"
record CPSAMPLE_OUTPUT=parts.2 ./parts more && "$CPCONV" --pack --with-source -o parts.2.cps parts.2 || fail "parts.2"
rm parts parts.c parts.1 parts.2
"$CPCONV" --pack --with-source --sysroot "$PWD/nothing" -o parts.cps parts.1.cps parts.2.cps || fail "parts"
for part in first second; do
	for files in "parts.1.cps parts.2.cps" parts.cps; do
		# shellcheck disable=SC2086 # several words
		"$CPCONV" --source $part --sysroot "$PWD/nothing" $files >out 2>&1
		grep -q "// the $part one" out || fail "$files: $part has no text: $(cat out)"
	done
done

# What cannot be packed, or read, is said.
refused() {
	want=$1
	shift
	"$CPCONV" "$@" >out 2>err && fail "not refused: $*"
	grep -q -e "$want" err || fail "$*: $(cat err)"
}
echo "main;f 3" >stacks
refused "stacks: --pack packs recordings, and these are folded stacks" --pack -o x.cps stacks
refused "standard input can be read only once" --pack -o x.cps -
refused "needs a file to write: -o FILE" --pack one.cps
refused "leave out --tree" --pack --tree -o x.cps one.cps
refused "leave out --from" --pack --from 1 -o x.cps one.cps
[ ! -e x.cps ] || fail "something was written"
"$CPCONV" --tree - <one.cps 2>err && fail "a pack is read from standard input"
grep -q "is a pack of recordings, which is read as a file" err || fail "standard input: $(cat err)"

# Wherever a pack is cut, that is an error that names the file and a byte. tar takes out what is before the cut.
size=$(wc -c <one.cps)
for part in 1 3 5 7 9 10; do
	head -c $((size * part / 10 - 1)) one.cps >cut.cps
	refused "cut.cps: damaged pack: .* at byte [0-9]*; the recordings in it may be whole: tar -xf takes them out" --tree cut.cps
	rm -rf rest
	mkdir rest
	tar -xf cut.cps -C rest 2>/dev/null
	for file in rest/*; do
		head -c "$(wc -c <"$file")" "taken/${file#rest/}" >want
		same want "$file" "$file of the first $part tenths"
	done
done
for file in taken/*.cps*; do
	same "$file" "rest/${file#taken/}" "${file#taken/} of all but one byte"
done
