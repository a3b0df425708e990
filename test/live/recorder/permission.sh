#!/bin/sh
# SPDX-License-Identifier: MIT
# Each resource that --list-resources names, where nobody has given the user anything: under a filter that forbids
# perf_event_open(2), and as an ordinary user with kernel.perf_event_paranoid 2. One that is said to work has
# samples. One that is not is refused by cpsample in one line, which says what would help; without cpsample
# the program runs as ever, and says the same line if there is nothing else to record.
#
# Seen to fail: before the recorder said anything if the only resource was refused; with `real` and `signals`
# together, before cpsample knew which clock there would be.
# May run beside others.
# Not in short runs: it takes 30 s.
. "$(dirname "$0")/../lib.sh"
unset CPSAMPLE_RESOURCES
chmod 755 .
cp "$root/scripts/cpsample" "$LIBRARY" "$targets/all_kinds" "$targets/refuse" . && chmod 755 ./*
tell="./cpsample --library ./libcpsample.so"
./all_kinds >bare.out 2>bare.err
bare=$?

# as_ever STATUS NAME: the program has ended and printed as without the recorder
as_ever() {
	[ "$1" -eq $bare ] || fail "$2: exit status $1, bare $bare: $(cat err)"
	same bare.out out "$2: standard output"
}

# What a line must name: a setting, or that the machine does not have it.
says_what_helps() {
	case $1 in
	*"sysctl kernel.perf_event_paranoid="[0-9]*CAP_PERFMON* | *"seccomp filter"*--cap-add=PERFMON* | \
		*"seccomp filter"*CONFIG_PERF_EVENTS* | *"mount -t tracefs"* | *"remount,mode=755"* | *"this machine has no such counter"* | *"counts nothing here"*) ;;
	*) fail "$2: does not say what would help: $1" ;;
	esac
}

# recorded RESOURCES VERBOSE COMMAND...: run the program with the recorder, but without cpsample
recorded() {
	resources=$1 verbose=$2
	shift 2
	"$@" env LD_PRELOAD="$PWD/libcpsample.so" CPSAMPLE_RESOURCES="$resources" CPSAMPLE_OUTPUT="$PWD/rec/x.cps" \
		CPSAMPLE_VERBOSE="$verbose" ./all_kinds >out 2>err
	as_ever $? "$where, $resources"
}

# has_samples NAME COMMAND...
has_samples() {
	name=$1
	shift
	rm -rf rec && mkdir -m 777 rec
	recorded "$name" 0 "$@"
	same bare.err err "$where, $name: standard error"
	case $name in
	migrations | major-faults | switches) return ;; # there may be none
	esac
	stream=$(one_stream rec) || return # of a program without a sample there is none
	[ "$("$CPCONV" --info --tsv "$stream" | awk -F "$tab" '$1 == "samples" { n += $2 } END { print n + 0 }')" -gt 0 ]
}

# works WHERE NAME COMMAND...: the resource has samples, which chance may withhold once or twice
works() {
	where=$1
	shift
	has_samples "$@" || has_samples "$@" || has_samples "$@" || fail "$where, $1: there are no samples"
}

# said VERBOSE LINE: that, and nothing else, was said; with VERBOSE of the program and its process, and also what was recorded, at the end
said() {
	[ "$(head -n 1 err | sed 's/: all_kinds\[[0-9]*\]: /: /')" = "$2" ] && [ "$(wc -l <err)" -eq $(($1 + (${#2} > 0))) ] ||
		fail "$where, $resources, verbose $1: says: $(cat err)"
}

# refused WHERE NAME WHY COMMAND...: it is not counted, and one line says why
refused() {
	where=$1 name=$2 why=$3
	shift 3
	rm -rf rec && mkdir -m 777 rec
	says_what_helps "$why" "$where, $name"
	# shellcheck disable=SC2086 # a command
	"$@" $tell -r "$name" -o rec/x.cps ./all_kinds >out 2>err
	status=$?
	[ $status -eq 125 ] || fail "$where, $name: cpsample ended with $status"
	[ ! -s out ] || fail "$where, $name: cpsample has started the program"
	[ "$(cat err)" = "cpsample: -r $name: $why" ] || fail "$where, $name: cpsample says: $(cat err)"
	line="libcpsample: CPSAMPLE_RESOURCES=$name: $why; not"
	recorded "$name" 0 "$@"
	said 0 "$line recording"
	recorded "$name,cpu" 0 "$@"
	same bare.err err "$where, $resources: standard error"
	recorded "$name,cpu" 1 "$@"
	said 1 "$line counted"
	"$CPCONV" --info --tsv --resource "$name" rec/x.cps >info || fail "$where, $name: cpconv"
	grep -qF "engine_why$tab$why" info || fail "$where, $name: --info does not say: $why"
}

# each WHERE COMMAND...: try all that are listed there
each() {
	place=$1 ok='' no=''
	shift
	# shellcheck disable=SC2086
	"$@" $tell --list-resources >listed || fail "$place: --list-resources"
	sed 1d listed | awk '{ before = NR == 1 || sub(/^   /, "") ? "" : "\n"; printf "%s%s", before, $0 } END { print "" }' >rows
	while read -r resource _ _ _ about; do
		case $resource in *[A-Z]*) continue ;; esac # one of many, by a name
		case $about in
		"no: "*) refused "$place" "$resource" "${about#no: }" "$@" && no="$no $resource" ;;
		*) works "$place" "$resource" "$@" && ok="$ok $resource" ;;
		esac
	done <rows
}

# has ALL NAME...: each of the names is in the list
has() {
	all=$1
	shift
	for one; do
		case " $all " in
		*" $one "*) ;;
		*) fail "$place: $one is not among$all" ;;
		esac
	done
}

free="cpu signals count alloc allocs alloc-live real read write lock switches"
for error in 1 38; do
	each "filter with $error" ./refuse $error
	# shellcheck disable=SC2086 # names
	has "$ok" $free
	has "$no" faults minor-faults major-faults migrations syscalls cycles instructions cache-misses branch-misses
done
told="under the filter$no are refused"

# Nor is `real` counted by a clock that measures no time.
$tell -r signals,real ./all_kinds >out 2>err
[ $? -eq 125 ] || fail "signals,real: cpsample does not refuse"
[ "$(cat err)" = "cpsample: -r real: not together with a resource that is not measured in time" ] || fail "signals,real: $(cat err)"
if [ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null; then
	[ "$(id -u)" -ne 0 ] && set -- env || set -- setpriv --reuid=65534 --regid=65534 --clear-groups
	each "ordinary user" "$@"
	# shellcheck disable=SC2086
	has "$ok" $free
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 2)
	[ "$paranoid" -gt 2 ] || has "$ok" migrations
	told="$told, of a user with perf_event_paranoid $paranoid$no"
fi
note "$told"
