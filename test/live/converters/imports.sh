#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of other profilers come in as their own tools show them: of perf what perf report says of the same
# samples, of gperftools what google-pprof counts, of pprof what go tool pprof does. What cpconv has written as
# pprof's or callgrind's comes back the same. All views of stacks are shown of them.
#
# Seen to fail:
# - With return addresses as they are: the line after a call may be in another function.
# - With functions that end in another module's segment, whose addresses are not its offsets.
# - With a profile of Go, which begins with the time, taken for another file.
# - With the last type of a profile of pprof that names another one.
# - With a profile of gperftools that was cut taken for whole, and of process 0.
# - With times of pprof, and of other units than those of time, which were 0 or numbers of samples.
# - With a sample of speedscope at its begin, where those of recordings are at their end.
# - With nanoseconds of our own file of callgrind's format shown as a count of something.
# - With that file taken for whole without its last line.
# - With a text of perf script taken for whole although it ends inside a stack.
#
# May run beside others.
# Not in short runs: it takes 5 s.
. "$(dirname "$0")/../lib.sh"

record CPSAMPLE_RESOURCES=cpu:1ms,real CPSAMPLE_OUTPUT=rec.cps "$targets/threads" 150 2 >/dev/null || fail "threads: $?"

# tsv FILE OPTION...: self and name of each function that was running
tsv() {
	"$CPCONV" --flat --tsv --threshold 0 "$@" 2>err | awk -F "$tab" '$1 > 0 { print $1 "\t" $5 }' | LC_ALL=C sort
	[ ! -s err ] || fail "$*: $(cat err)"
}

# all_shown FILE: what can be shown of stacks can be shown of it
all_shown() {
	for view in flat tree bottomup callpath functions bodies contexts callgraph cycles edges folded graph dot info threads summary; do
		"$CPCONV" --$view "$1" >out 2>err || fail "--$view $1: $(cat err)"
		[ -s out ] || fail "--$view $1 is empty"
	done
}

# ---- pprof ----------------------------------------------------------------------------------------
for resource in cpu real; do
	"$CPCONV" --pprof --resource $resource -o $resource.pb.gz rec.cps || fail "--pprof $resource"
	tsv --resource $resource rec.cps >want
	tsv $resource.pb.gz >got
	same want got "$resource there and back"
done
"$CPCONV" --tree --tsv rec.cps | cut -f 1-4 >want
"$CPCONV" --tree --tsv cpu.pb.gz | cut -f 1-4 >got
same want got "the tree of cpu, there and back"
"$CPCONV" --pprof --resource cpu,real -o both.pb.gz rec.cps || fail "--pprof of both"
for resource in cpu real; do
	tsv --resource $resource rec.cps >want
	tsv --resource $resource both.pb.gz >got
	same want got "$resource of both"
done
"$CPCONV" --pprof --by thread -o by.pb.gz rec.cps || fail "--pprof --by thread"
all_shown cpu.pb.gz
echo 'flat 1' | "$CPPROF" both.pb.gz >out 2>err || fail "cpprof: $(cat err)"
gunzip <cpu.pb.gz >plain.pb
tsv rec.cps >want
tsv plain.pb >got
same want got "unpacked"
if command -v go >/dev/null; then
	# Go's own profile, as its own tool counts it.
	mkdir go && cat >go/main.go <<'END'
package main

import (
	"os"
	"runtime/pprof"
)

func spin(n int) (x int) {
	for i := 0; i < n; i++ {
		x ^= i * x << 3
	}
	return
}

func main() {
	f, _ := os.Create("go.pb.gz")
	pprof.StartCPUProfile(f)
	println(spin(300000000))
	pprof.StopCPUProfile()
}
END
	GOCACHE="$tmp/cache" GO111MODULE=off go run go/main.go 2>err || fail "go: $(cat err)"
	GOCACHE="$tmp/cache" go tool pprof -top -nodecount 100000 -nodefraction 0 -unit ns go.pb.gz 2>err |
		awk '/flat%/ { on = 1; next } on && $1 + 0 > 0 { sub("ns", "", $1); print $1 "\t" $6 }' | LC_ALL=C sort >want
	tsv go.pb.gz >got
	[ -s want ] || fail "go tool pprof shows nothing: $(cat err)"
	same want got "go's profile"
	all_shown go.pb.gz
fi

# ---- gperftools -------------------------------------------------------------------------------------
if gcc -print-file-name=libprofiler.so.0 | grep -q / || ldconfig -p 2>/dev/null | grep -q libprofiler.so.0; then
	CPUPROFILE=$tmp/gp.prof CPUPROFILE_FREQUENCY=500 LD_PRELOAD=libprofiler.so.0 "$targets/shares" 1 1 >/dev/null 2>err ||
		fail "gperftools: $(cat err)"
	all_shown gp.prof
	"$CPCONV" --flat gp.prof | grep -q '^program: .*/shares' || fail "gperftools: which process it was is not known"
	head -c -100 gp.prof >cut.prof
	"$CPCONV" --flat cut.prof 2>&1 >out | grep -q 'cut.prof: warning: cut at byte [0-9]*: it ends within a line' ||
		fail "gperftools: not known to be cut"
	"$CPCONV" --flat --unit samples --no-inlines --tsv gp.prof | awk -F "$tab" '$1 > 0 && $5 ~ /^(seventy|twenty|ten)$/ { print $1 "\t" $5 }' | sort >got
	[ -s got ] || fail "gperftools: $(cat out)"
	if command -v google-pprof >/dev/null; then
		google-pprof --text "$targets/shares" gp.prof 2>/dev/null |
			awk '$6 ~ /^(seventy|twenty|ten)$/ && $1 > 0 { print $1 "\t" $6 }' | sort >want
		same want got "google-pprof"
		google-pprof --text "$targets/shares" gp.prof 2>/dev/null | sed -n 's/^Total: \([0-9]*\) samples/\1/p' >want
		"$CPCONV" --callpath --root '*' --unit samples --tsv gp.prof >/dev/null 2>&1
		"$CPCONV" --info --tsv gp.prof | awk -F "$tab" '$1 == "samples" { print $2 }' >got
		same want got "google-pprof: the total"
	fi
fi

# ---- perf script ------------------------------------------------------------------------------------
# What perf printed of three samples of two threads and two events.
cat >perf.txt <<'END'
shares 16346/16346 [001]  4188.819099:    2000000 cpu-clock:u: 
	            1367 seventy+0x17 (/tmp/shares)
	            10f3 main+0x83 (/tmp/shares)
	    7f1c2ac2724a __libc_start_call_main+0x7a (/usr/lib/x86_64-linux-gnu/libc.so.6)

my thread 16346/16350 [000]  4188.821100:    2000000 cpu-clock:u: 
	    7f1c2ac2724a [unknown] (/usr/lib/x86_64-linux-gnu/libc.so.6)

shares 16346/16346 [001]  4188.822099:          7 page-faults: 
	            1367 seventy+0x17 (/tmp/shares)

END
tsv perf.txt >got
printf '2000000\t[libc.so.6]\n2000000\tseventy\n' >want
same want got "perf script"
tsv --resource page-faults perf.txt >got
printf '7\tseventy\n' >want
same want got "the other event"
"$CPCONV" --flat --tsv --thread 'my thread' perf.txt | cut -f 1,5 >got
printf '2000000\t[libc.so.6]\n' >want
same want got "a thread"
all_shown perf.txt
# The text is cut after the first frame of its second stack.
head -n 6 perf.txt >cut.txt
"$CPCONV" --flat --tsv cut.txt 2>err | awk -F "$tab" '$1 > 0 { print $1 "\t" $5 }' >got
printf '2000000\tseventy\n' >want
same want got "the whole samples of a text that was cut"
[ "$(cat err)" = "cpconv: cut.txt: warning: cut at byte 236: it ends inside a sample, which is left out" ] || fail "cut: $(cat err)"
"$CPCONV" --flat --strict cut.txt >out 2>err && fail "--strict reads a text that was cut"
grep -q '^cpconv: cut.txt: cut at byte 236: ' err || fail "--strict: $(cat err)"
if command -v perf >/dev/null && perf record -q -e cpu-clock:u -F 500 -g -o p.data "$targets/shares" 1 1 >/dev/null 2>&1; then
	perf script -i p.data >p.txt 2>/dev/null || fail "perf script"
	perf report -i p.data --no-children --stdio -g none --percent-limit 0 -F period,sym 2>/dev/null |
		sed -n 's/^ *\([0-9][0-9]*\) *\[\.\] \([a-z_]*\) *$/\1\t\2/p' | awk '$2 ~ /^(seventy|twenty|ten)$/' | LC_ALL=C sort >want
	tsv p.txt | awk '$2 ~ /^(seventy|twenty|ten)$/' >got
	[ -s want ] || fail "perf report shows nothing"
	same want got "perf report"
	all_shown p.txt
fi

# ---- speedscope -------------------------------------------------------------------------------------
cat >s.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"},{"name":"a b"}]},
"profiles":[{"type":"evented","name":"one","unit":"microseconds","startValue":0,"endValue":100,"events":[
{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":10},{"type":"C","frame":1,"at":40},{"type":"C","frame":0,"at":100}]},
{"type":"sampled","name":"two","unit":"seconds","startValue":0,"endValue":0.5,"samples":[[0,1]],"weights":[0.5]}]}
END
tsv s.json >got
printf '500030000\ta b\n70000\tmain\n' >want
same want got "speedscope"
"$CPCONV" --flat --tsv --thread two s.json | awk -F "$tab" '$1 > 0' | cut -f 1,5 >got
printf '500000000\ta b\n' >want
same want got "a profile of speedscope"
all_shown s.json
if "$CPCONV" --help=all | grep -q -- '--speedscope'; then
	"$CPCONV" --speedscope --no-inlines -o own.json rec.cps 2>err || fail "--speedscope: $(cat err)"
	tsv --no-inlines rec.cps >want
	tsv own.json >got
	same want got "speedscope, there and back"
fi

# ---- callgrind --------------------------------------------------------------------------------------
# What cpconv has written as callgrind's comes back in its unit, and is told to be cut if its totals are missing.
# Functions of one name in several files, such as clock_gettime, have those behind their names.
by_name() {
	sed 's/ ([^()]*)$//' | awk -F "$tab" '{ sum[$2] += $1 } END { for (name in sum) print sum[name] "\t" name }' | LC_ALL=C sort
}
for resource in cpu real; do
	"$CPCONV" --callgrind --no-inlines --resource $resource -o own.callgrind rec.cps || fail "--callgrind $resource"
	tsv --no-inlines --resource $resource rec.cps | by_name >want
	tsv own.callgrind | by_name >got
	same want got "callgrind, there and back: $resource"
	"$CPCONV" --flat own.callgrind >out || fail "callgrind"
	grep -q '^[0-9.]* m\{0,1\}s credited$' out || fail "callgrind: the unit of $resource is lost: $(head -n 5 out)"
	grep -q 'samples\|counted' out && fail "callgrind: nobody knows how many samples there are: $(head -n 7 out)"
done
sed '/^totals/d' own.callgrind >cut.callgrind
"$CPCONV" --flat cut.callgrind 2>&1 >out | grep -q 'cut.callgrind: warning: cut at byte [0-9]*: it ends without totals' ||
	fail "callgrind: not known to be cut"

# ---- times ------------------------------------------------------------------------------------------
# Samples of perf script and of speedscope's units of time have times, those of pprof and of other units have none.
cat >times.json <<'END'
{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"seconds","samples":[[0],[],[0]],"weights":[5,4,6]}]}
END
for file in perf.txt times.json; do
	"$CPCONV" --timeline --tsv $file >out 2>err || fail "--timeline $file: $(cat err)"
	[ -s out ] || fail "--timeline $file is empty"
done
"$CPCONV" --timeline --tsv times.json | awk -F "$tab" '{ sum += $5 } $4 <= 5e9 { five += $5 } END { printf "%d %d\n", sum / 1e9 + 0.5, five / 1e9 + 0.5 }' >got
echo '15 5' >want
same want got "the timeline of speedscope"
"$CPCONV" --flat --tsv --from 6 times.json | cut -f 1,5 >got
printf '6000000000\ta\n4000000000\t[unknown]\n' >want
same want got "the part of speedscope that was sampled later"
sed 's/seconds/none/' times.json >untimed.json
for file in untimed.json cpu.pb.gz; do
	"$CPCONV" --timeline $file >out 2>err && fail "--timeline $file: there are no times"
	"$CPCONV" --flat --from 0.1 $file >out 2>err && fail "--from 0.1 $file: there are no times"
	grep -q "$file: has no times" err || fail "--from 0.1 $file: $(cat err)"
	"$CPCONV" --threads $file >out 2>err || fail "--threads $file: $(cat err)"
done
