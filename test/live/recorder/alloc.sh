#!/bin/sh
# SPDX-License-Identifier: MIT
# What programs allocate: each function of the malloc family has its own bytes and calls, and the sum is what
# another preloaded library has counted exactly. With the C library's allocator, jemalloc and tcmalloc.
#
# Seen to fail:
# - With the weight "all since the previous sample", `large` has too much and the others too little.
# - With calls counted before they have succeeded, in_vain has bytes.
# - Without realloc, posix_memalign or pvalloc in wrap_alloc.c, and with reallocarray passed on to the C
#   library's, which counts twice.
# - Without cps_wrap_alloc_look() a program with a malloc of its own looks as if it allocated nothing.
#
# Each of some 150 figures may differ by six standard errors, and by three intervals where there are few: by chance one
# run of three million fails. The seed is fixed, so that a run is the same as the last one on the same machine.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

bytes=262144
calls=100
printf '#include "%s"\n' "$root/test/targets/count_allocs.h" >count.c
$CC -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o count.so count.c || fail "cannot build count.so"

$CC -std=gnu11 -D_GNU_SOURCE -O2 -pthread -rdynamic -o exports "$root/test/targets/exports.c" ||
	fail "cannot build exports"

# measure NAME PRELOAD PROGRAM ARGUMENT...: in the directory NAME there are the recordings, what was counted and
# the output; the program does the same as without all that
measure() {
	name=$1
	preload=$2
	shift 2
	rm -rf "$name" && mkdir "$name"
	"$@" >"$name.bare" 2>"$name.bare.err" </dev/null
	bare=$?
	(cd "$name" && env COUNT_ALLOCS="$tmp/$name/count" CPSAMPLE_RESOURCES=alloc:$bytes,allocs:$calls \
		CPSAMPLE_SEED=2 LD_PRELOAD="$LIBRARY:$tmp/count.so$preload" "$@" >../out 2>../err </dev/null)
	status=$?
	[ $status -eq $bare ] || fail "$name: status $status, bare $bare: $(cat err)"
	same "$name.bare" out "$name: standard output"
	same "$name.bare.err" err "$name: standard error"
}

# credited FILE RESOURCE: the sum of all samples
credited() {
	"$CPCONV" --flat --tsv --resource "$2" "$1" | awk -F "$tab" '{ n += $1 } END { print n + 0 }'
}

# total NAME THREADS: what was credited is what was counted, up to an interval for each thread (half as much
# again, since intervals vary), and what is allocated before the recorder begins and after it ends. While a thread
# creates the recording, which may take long on a busy disk, the others lose their samples.
total() {
	stream=$(one_stream "$1") || fail "$1: $stream"
	read -r true_bytes true_calls _ library <"$(echo "$1"/count.*)" || fail "$1: nothing was counted"
	lost=$(info "$stream" lost)
	if [ "$2" -gt 1 ] && [ "$lost" -gt 0 ]; then
		note "$1: $lost samples are lost, so that the sum says nothing"
		return
	fi
	[ "$lost" = 0 ] || fail "$1: lost $lost"
	got_bytes=$(credited "$stream" alloc)
	got_calls=$(credited "$stream" allocs)
	awk -v got="$got_bytes" -v want="$true_bytes" -v calls="$got_calls" -v want_calls="$true_calls" \
		-v t=$bytes -v each=$calls -v threads="$2" 'BEGIN {
			d = got > want ? got - want : want - got
			c = calls > want_calls ? calls - want_calls : want_calls - calls
			exit !(d <= 1.5 * t * threads + 16384 && c <= 1.5 * each * threads + 100)
		}' || fail "$1: credited $got_bytes of $true_bytes bytes, $got_calls of $true_calls calls"
	note "$1: $got_bytes of $true_bytes bytes, $got_calls of $true_calls calls"
}

# shares FILE TRUTH: each function has its own, within six standard errors. A sample stands for an interval; the
# number of intervals that end in a function varies as the root of their mean at most.
shares() {
	for column in 2 3; do
		resource=$([ $column = 2 ] && echo alloc || echo allocs)
		"$CPCONV" --flat --self leaf --tsv --resource "$resource" "$1" >flat || fail "$resource: no view"
		awk -F "$tab" -v interval="$([ $column = 2 ] && echo $bytes || echo $calls)" -v column=$column '
			NR == FNR { got[$5] = $1; next }
			{
				split($0, word, " ")
				want = word[column]
				bound = 6 * sqrt(1.084 * interval * want) + 3 * interval
				d = got[word[1]] - want
				d = d < 0 ? -d : d
				printf "%s: %d of %d, bound %d%s\n", word[1], got[word[1]], want, bound,
					(d > bound ? " OUT OF BOUNDS" : "")
				bad += d > bound
			}
			END { exit bad > 0 || FNR < 1 }' flat "$2" >verdict ||
			fail "$resource: $(cat verdict)"
	done
}

# allocator NAME: print it as a part of LD_PRELOAD, or nothing if it is not on this machine
allocator() {
	for dir in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib /usr/local/lib; do
		[ -e "$dir/$1" ] && echo ":$dir/$1" && return
	done
}

jemalloc=$(allocator libjemalloc.so.2)
tcmalloc=$(allocator libtcmalloc_minimal.so.4)
[ "$jemalloc" ] && [ "$tcmalloc" ] || note "not both of jemalloc and tcmalloc are on this machine"
for preload in '' $jemalloc $tcmalloc; do
	# shellcheck disable=SC2046 # a word or none
	measure family "$preload" "$targets/allocates" 1000 $([ "$preload" ] || echo pages)
	total family 1
	shares "$stream" out
	[ "$(info "$stream" complete_percent)" = 100 ] || fail "stacks are not whole"
	measure threads "$preload" "$targets/allocates" 1000 threads
	total threads 3
	shares "$stream" out
	case $library in
	*"${preload#:}"*) ;;
	*) fail "$preload is not there, but $library" ;;
	esac
done

# A child of fork has a recording of its own, in which there is nothing of its parent's.
measure forks '' "$targets/allocates" 1000 fork
for stream in forks/*.cps; do
	if "$CPCONV" --flat --tsv --resource alloc "$stream" | grep -q in_child; then
		grep in_child out >truth
		[ "$(credited "$stream" alloc)" -le 20500000 ] || fail "the child has $(credited "$stream" alloc) bytes"
	else
		grep -v in_child out >truth
	fi
	shares "$stream" truth
done
[ "$(echo forks/*.cps | wc -w)" -eq 2 ] || fail "recordings: $(echo forks/*)"

# Real programs.
if command -v lua5.4 >/dev/null; then
	measure lua '' lua5.4 "$root/test/work/words.lua" 2
	total lua 1
fi
python=/usr/bin/python3
if [ -x $python ]; then
	measure python '' $python -c 'print(sum(len(str([i] * (i % 50))) for i in range(60000)))'
	total python 1
	[ -z "$jemalloc" ] || measure python "$jemalloc" $python -c 'print(len([str(i) * 30 for i in range(60000)]))'
	total python 1
fi
if command -v sqlite3 >/dev/null; then
	measure sqlite '' sqlite3 :memory: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
		WHERE i < 9999) SELECT count(DISTINCT printf('%s%d', printf('%d', i % 97), i)) FROM n"
	total sqlite 1
fi

# says NAME PATTERN PRELOAD PROGRAM ARGUMENT...: the recording says that of allocations
says() {
	name=$1
	pattern=$2
	preload=$3
	shift 3
	mkdir "$name"
	(cd "$name" && env CPSAMPLE_RESOURCES=cpu,alloc LD_PRELOAD="$LIBRARY$preload" "$@" >../out 2>../err)
	stream=$(one_stream "$name") || fail "$name: $stream"
	"$CPCONV" --info "$stream" | grep -q "$pattern" || fail "$name: $("$CPCONV" --info "$stream")"
}

# C++: operator new calls malloc in libstdc++. Where it does not, and where the program has a malloc of its own,
# the recording says so.
says own "the malloc of the program comes before" '' "$tmp/exports" 300
if command -v g++ >/dev/null; then
	g++ -O2 -g -pthread -o containers "$root/test/targets/containers.cc" || fail "cannot build containers"
	measure cxx '' "$tmp/containers" 30000
	total cxx 3
	[ -z "$tcmalloc" ] || says new "operator new of libtcmalloc" "$tcmalloc" "$tmp/containers" 300000
fi
