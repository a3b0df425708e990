#!/bin/sh
# SPDX-License-Identifier: MIT
# The rank that a launcher gives a process in its environment is in its recording and in its name, also in those of the
# processes that it starts. A process without one has none.
# Seen to fail: without the field in the recording; with SLURM_PROCID of the script of a job; with rank 0 as none; with the
# column of ranks always.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# What mpirun does: each process has the variables of its own.
for rank in 0 1; do
	record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=one.%r.cps OMPI_COMM_WORLD_RANK=$rank "$targets/spin" 30 >out &
done
wait
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=none.cps "$targets/spin" 30 >out || fail "spin: $?"
for rank in 0 1; do
	[ "$(info one.$rank.cps rank)" = $rank ] || fail "rank $rank: \"$(info one.$rank.cps rank)\""
	"$CPCONV" --info one.$rank.cps | grep -qx "rank         $rank" || fail "rank $rank: no line in --info"
done

# Who it was: in a column that others do not have, and as groups, whose weights are those of the recordings.
"$CPCONV" --processes one.0.cps one.1.cps none.cps >processes || fail "--processes: $?"
awk '/^ .* spin 30$/ { print $3 }' processes | sort >got
printf '%s\n' - 0 1 >want
same want got "--processes"
grep -q '^ *pid  parent    rank   start s ' processes || fail "--processes: $(cat processes)"
"$CPCONV" --processes none.cps | grep -q '^ *pid .* rank ' && fail "a column of no ranks"
"$CPCONV" --processes --tsv one.0.cps one.1.cps none.cps | cut -f 11 | sort >got
same want got "--processes --tsv"
for rank in 0 1; do
	echo "rank $rank $(info one.$rank.cps credited)"
done >weights
echo "[no rank] $(info none.cps credited)" >>weights
sort weights >want
"$CPCONV" --by rank --folded --unit gticks one.0.cps one.1.cps none.cps |
	awk '{ n = $NF; sub(/;.*/, ""); sum[$0] += n } END { for (g in sum) printf "%s %.0f\n", g, sum[g] }' | sort >got
same want got "--by rank"

# The shell has a rank, from which its first child has its own; the second has another one.
# shellcheck disable=SC2016 # for the shell that is recorded
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_EXE=spin CPSAMPLE_OUTPUT=child.%r.cps PMI_RANK=4 \
	sh -c '"$0" 30; PMI_RANK=2147483647 "$0" 30' "$targets/spin" >out || fail "spin: $?"
for rank in 4 2147483647; do
	[ "$(info child.$rank.cps rank)" = $rank ] || fail "child with rank $rank: $(ls)"
done

# What fork makes has the rank of the process.
mkdir forks
# shellcheck disable=SC2016 # likewise
work='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=forks/%p.cps PMIX_RANK=7 sh -c "($work) & $work; wait" || fail "forks: $?"
[ "$(find forks -name '*.cps' | wc -l)" -ge 2 ] || fail "forks: $(ls forks)"
for file in forks/*.cps; do
	[ "$(info "$file" rank)" = 7 ] || fail "$file: \"$(info "$file" rank)\""
done

# No rank: no variable, no number, and the script of a job.
for variable in NONE=1 PMIX_RANK=4294967294 PMI_RANK=-1 SLURM_PROCID=0; do
	record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=no.cps $variable "$targets/spin" 30 >out || fail "spin: $?"
	"$CPCONV" --info --tsv no.cps | grep "^rank" && fail "$variable is a rank"
	rm no.cps
done
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=task.cps SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 "$targets/spin" 30 >out
[ "$(info task.cps rank)" = 0 ] || fail "a task of Slurm: \"$(info task.cps rank)\""
exit 0
