#!/bin/sh
# SPDX-License-Identifier: MIT
# Section 4 of Hall & Goldberg 1993 with a program that really faults (doc/examples/process_db.c): of its two sorts one
# faults and the other does not, and without the calls of the one the program has the faults and uses the
# time that the profile has predicted.
#
# The bounds are those of samples (lib.sh). Faults and pages are the same in each run, and the prediction is checked with
# them. What a page costs is not: between two runs it differed by 28 and by 57 % on machines that others use, too. So what
# is left of the time is told beside the prediction and decides nothing.
#
# Seen to fail:
# - If the sort by name compares names that are localized without being asked for, it does not fault.
# - If the sort of --localized goes on touching records, nothing is saved.
# - With the kernel's event that counts faults when they begin, more are credited than there are.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"
need python3
process_db=$BUILD/examples/process_db

# run NAME OPTION...: record it; pages: how many it has read
run() {
	name=$1
	shift
	record CPSAMPLE_RESOURCES=cpu,real,faults CPSAMPLE_OUTPUT="$name.cps" "$process_db" "$@" staff.db \
		>"$name.out" 2>err || fail "process_db: $(cat err)"
	pages=$(sed -n 's/ pages read from the disk//p' err)
}

# share RESOURCE PATH: of the call path in plain.cps
share() {
	"$CPCONV" --callpath --resource "$1" --tsv plain.cps |
		awk -F "$tab" -v path="$2" '$3 == path { share = $2 } END { print share + 0 }'
}

# differ_by A B BOUND: at most
differ_by() {
	awk -v a="$1" -v b="$2" -v bound="$3" 'BEGIN { d = a > b ? a - b : b - a; exit !(d <= bound) }'
}

counted() {
	python3 "$root/test/live/counted.py" "$1" "$2"
}

"$process_db" --create staff.db || fail "no database"
run plain
plain_pages=$pages
run localized --localized
localized_pages=$pages
same plain.out localized.out "what the optimised program prints"

# ---- the faults -------------------------------------------------------------------------------
why=$("$CPCONV" --info --tsv --resource faults plain.cps | awk -F "$tab" '$1 == "engine_why" { print $2; exit }')
case $why in
perf_event_open:*) note "faults are refused: $why" ;;
*)
	# A share p of N faults at intervals of 10 in the mean has a standard error of sqrt(10 p (1 - p) / N), about 0.008.
	all=$(counted plain.cps faults)
	sort=$(share faults "main;uniquify_db;qsort")
	at_least "$sort" 0.5 || fail "the sort by name has $sort of the faults"
	differ_by "$(share faults "main;print_salary_list;qsort")" 0 0.002 || fail "the sort of salaries faults"
	credited=$("$CPCONV" --info --tsv --resource faults plain.cps | awk -F "$tab" '$1 == "credited" { print $2; exit }')
	within 1 "$credited" "$all" || fail "$credited faults are credited of $all"
	left=$(ratio "$(counted localized.cps faults)" "$all")
	differ_by "$left" "$(awk -v p="$sort" 'BEGIN { print 1 - p }')" 0.04 ||
		fail "$left of the faults are left, 1 - $sort was predicted"
	note "$all faults, $sort in the sort by name; the optimisation leaves $left"
	;;
esac

# ---- side by side -----------------------------------------------------------------------------
"$CPCONV" --functions --resource cpu,real,faults --tsv plain.cps >side || fail "no columns"
awk -F "$tab" '$4 == "main" { cpu = $1; real = $2 } $4 == "qsort" { exit !($1 > cpu / 3 && $2 > real / 3) }' side ||
	fail "qsort has $(grep "qsort$" side), main $(grep "main$" side)"
"$CPCONV" --functions --resource cpu,real,faults plain.cps | grep -q ' qsort$' || fail "no qsort in the table"

# ---- the time ---------------------------------------------------------------------------------
# If there is no disk below the file system, faults cost next to nothing.
if [ "$plain_pages" -lt 30000 ]; then
	note "$plain_pages pages were read from a disk"
	exit 0
fi
within 2 "$(ratio "$localized_pages" "$plain_pages")" 0.317 ||
	fail "$localized_pages of $plain_pages pages are left"
for _ in 1 2 3; do
	n=$(equal_samples plain.cps)
	"$CPCONV" --callpath --tsv plain.cps >down || fail "no call path profile"
	shares_agree down "$n" 2676 <<-'END' >shares && break
		2676 main
		2355 main;uniquify_db
		1820 main;uniquify_db;qsort
		303 main;print_salary_list
		303 main;print_salary_list;extract_salary_fields
		0 main;print_salary_list;qsort
	END
	run plain
done
grep -q "OUT OF BOUNDS" shares && fail "the call path profile is not the paper's: $(cat shares)"
left=$(ratio "$(info localized.cps credited_ns)" "$(info plain.cps credited_ns)")
predicted=$(awk -v p="$(share cpu "main;uniquify_db;qsort")" 'BEGIN { print 1 - p }')
note "of the CPU time it leaves $left, predicted $predicted"
