# SPDX-License-Identifier: MIT
# lib.sh - what live tests share. A test sources it first and is then in a directory of its own.
#
# BUILD    the build directory with libcpsample.so, cpconv and targets/
# CPCONV   the cpconv to use, by default that of BUILD; CPPROF likewise
#
# A test exits with 0 (passed), 77 (skipped; its last line says why) or else. A line that begins
# with "note: " is shown beside the result.
# shellcheck shell=sh disable=SC2034 # some of it is for the tests
set -u
unset CPSAMPLE_RESOURCES CPSAMPLE_CLOCK CPSAMPLE_OUTPUT CPSAMPLE_VERBOSE LD_PRELOAD

root=$(cd "$(dirname "$0")/../../.." && pwd)
BUILD=$(cd "${BUILD:-$root/build}" && pwd) || exit 1
CPCONV=${CPCONV:-$BUILD/cpconv}
case $CPCONV in
/*) ;;
*) CPCONV=$PWD/$CPCONV ;;
esac
CPPROF=${CPPROF:-$BUILD/cpprof}
case $CPPROF in
/*) ;;
*) CPPROF=$PWD/$CPPROF ;;
esac
LIBRARY=$BUILD/libcpsample.so
targets=$BUILD/targets
CC=${CC:-cc}
tab=$(printf '\t')

tmp=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$tmp" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp" || exit 1

fail() {
	echo "FAILED: $*"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

note() {
	echo "note: $*"
}

need() {
	command -v "$1" >/dev/null || skip "no $1 on this machine"
}

# record [SETTING=VALUE...] PROGRAM ARGUMENT...
record() {
	env "LD_PRELOAD=$LIBRARY" "$@"
}

# The one recording in a directory, default the current one; the journal of a finished one is gone.
one_stream() {
	set -- "${1:-.}"/*.cps*
	[ -f "$1" ] || fail "no recording was made"
	[ $# -eq 1 ] || fail "more than one recording: $*"
	echo "$1"
}

no_stream() {
	for file in ./*.cps*; do
		[ -e "$file" ] && fail "a recording was made: $file"
	done
	return 0
}

# info FILE KEY: what the recording says of itself
info() {
	"$CPCONV" --info --tsv "$1" | awk -F "$tab" -v key="$2" '$1 == key { print $2; exit }'
}

# within_10_s COMMAND...: until it succeeds; false if it never does
within_10_s() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || return 1
		sleep 0.01
	done
}

# within PERCENT A B: do two numbers differ by at most that share of B?
within() {
	awk -v p="$1" -v a="$2" -v b="$3" 'BEGIN {
		d = a > b ? a - b : b - a
		exit !(b > 0 && d <= b * p / 100)
	}'
}

# How many samples of equal weight tell as much as those of the recording: FILE. Where the machine
# is busy, ticks come more rarely and weights differ; exponentially distributed ones count half
# (shares.sh).
equal_samples() {
	awk -v n="$(info "$1" samples)" -v ns="$(info "$1" credited_ns)" \
		'BEGIN { print n < 200 * ns / 1e9 ? int(n / 2) : n }'
}

# shares_agree TABLE N TOTAL: does the table (weight, fraction, name; of N samples) say what standard
# input does, lines of samples out of TOTAL and a name? A name that is not in the table has the share 0.
#
# Both are samples of the same program: a difference may be four standard deviations, by the
# estimate (k + 2) / (n + 4) of the share, plus 0.01, which is what a program may use beside the work
# that it counts. By chance one comparison in 16,000 fails.
shares_agree() {
	awk -F "$tab" -v n="$2" -v total="$3" '
		NR == FNR { seen[$3] = $2; next }
		{
			k = $0; sub(/ .*/, "", k)
			name = $0; sub(/[0-9]* /, "", name)
			p = (k + 2) / (total + 4)
			bound = 4 * sqrt(p * (1 - p) * (1 / n + 1 / total)) + 0.01
			error = seen[name] - k / total
			if (error < 0) error = -error
			bad += error > bound
			printf "%s %.4f, wanted %.4f, bound %.4f%s\n", name, seen[name], k / total, bound,
				(error > bound ? " OUT OF BOUNDS" : "")
		}
		END { exit (bad > 0 || FNR == 0) }' "$1" -
}

# How much CPU time a process has used as a part of what another one has, of their recordings: A B.
cpu_ratio() {
	awk -v a="$(info "$1" process_cpu_ns)" -v b="$(info "$2" process_cpu_ns)" \
		'BEGIN { printf "%.3f", a / b }'
}

at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'
}

same() {
	cmp -s "$1" "$2" || fail "$3 differs: $(diff "$1" "$2" | head -n 5)"
}

# The names of all views, as cpconv --help lists them.
names_of_views() {
	"$CPCONV" --help | sed -n '/^Views:$/,/^$/s/^  --\([^ ]*\) .*/\1/p'
}

# All views of a recording come out, on standard output alone.
all_views() {
	views=$(names_of_views)
	[ -n "$views" ] || fail "cpconv --help lists no views"
	for view in $views; do
		"$CPCONV" "--$view" "$1" >view.out 2>view.err || fail "--$view: $(cat view.err)"
		[ -s view.out ] || fail "--$view is empty"
		[ ! -s view.err ] || fail "--$view complains: $(cat view.err)"
	done
}

# The recording stands for the CPU time of the process: FILE. A tick that met the recorder at work or
# found no buffer is counted as lost, and what it stands for is credited with the thread's next
# sample; one in a hundred is the limit here. Of several threads all but one lose their ticks while that one
# creates the recording, and how long the disk takes for it is not judged.
accounts_for_all() {
	credited=$(info "$1" credited_ns)
	process=$(info "$1" process_cpu_ns)
	within 1 "$credited" "$process" ||
		fail "credited $credited ns of the $process ns that the process has used"
	lost=$(info "$1" lost)
	[ "$(info "$1" threads)" -gt 1 ] || [ $((lost * 100)) -le "$(info "$1" samples)" ] ||
		fail "lost $lost ticks, $(info "$1" samples) became samples"
	[ "$(info "$1" ended)" = clean ] || fail "ended: $(info "$1" ended)"
}

# real_program SECONDS PROGRAM ARGUMENT...: unchanged under the recorder, fully recorded with both
# clocks. SECONDS of CPU time is what it must use to be worth a test.
real_program() {
	seconds=$1
	summary=${summary-}
	shift
	"$@" >bare.out 2>bare.err </dev/null
	bare=$?
	for clock in timer itimer; do
		mkdir "$clock"
		(cd "$clock" && record CPSAMPLE_CLOCK=$clock "$@" >../out 2>../err </dev/null)
		status=$?
		[ "$status" -eq "$bare" ] || fail "$clock: exit status $status, bare $bare: $(cat err)"
		same bare.out out "$clock: standard output"
		same bare.err err "$clock: standard error"
		stream=$(one_stream "$clock") || fail "$clock: $stream"
		all_views "$stream"
		accounts_for_all "$stream"
		[ "$(info "$stream" engine)" = "$clock" ] || fail "$clock: engine $(info "$stream" engine)"
		complete=$(info "$stream" complete_percent)
		at_least "$complete" 99 || fail "$clock: $complete % of the stacks are complete"
		at_least "$(info "$stream" process_cpu_ns)" "${seconds}000000000" ||
			fail "$clock: used less than $seconds s of CPU time"
		summary="$summary$clock $(info "$stream" samples) samples, $complete % complete; "
	done
	note "${summary%; }"
}
