#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of a run that end without a sample are listed with their CPU time. What the kernel has counted of each is what its
# rows say at most, and what it has used for certain is the least; all rows and what is "not recorded" are what it has counted
# of all children. A static program and one that is killed say nothing.
#
# Seen to fail:
# - Without what earlier programs of the process have said taken off: the chain has used 5 + 15 + 25 ms instead of 25.
# - If children_find() does not know of them: rows and what is not recorded are more than all.
# - Without O_NOFOLLOW what a link leads to is written to; without CPS_SHORT_FILE_BYTES the file grows; without the limit of a
#   file's size SIGXFSZ ends the program.
# - If --pack leaves the list out: of a pack --processes and --summary have no such programs.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# The CPU time of samples is asked for, whatever else is recorded.
cpsample() {
	"$root/scripts/cpsample" -q --library "$LIBRARY" -r "cpu$beside" "$@"
}

fresh() {
	cd "$tmp" && mkdir "$1" && cd "$1" || exit 1
}

# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\nx=1\nexpr $x + 1 >/dev/null\n' >script.sh && chmod +x script.sh
$CC -O1 -I"$root/test/targets" -static -o short-static "$root/test/targets/short.c" || fail "cannot build a static program"

# ---- many children ---------------------------------------------------------------------------------
fresh many
cpsample "$targets/short" root "$tmp/short-static" "$tmp/script.sh" >kernel 2>err || fail "it ended with $?: $(cat err)"
[ ! -s err ] || fail "something was printed: $(cat err)"
set -- .cpsample.*.short
[ -s "$1" ] && [ $# -eq 1 ] || fail "no list: $*"
"$CPCONV" --processes --tsv 2>/dev/null >rows || fail "no rows"
"$CPCONV" --info --tsv 2>/dev/null >info || fail "no --info"
awk -F "$tab" '
	FILENAME == "kernel" {
		split($0, word, " ")
		if (word[2] == "all") { all = word[3]; next }
		what[word[1]] = word[2]; kernel[word[1]] = word[3]; least[word[1]] = word[4]
		next
	}
	FILENAME == "info" { # what recording took is no CPU time of a row
		if ($1 == "pid") pid = $2
		if ($1 == "own_ns" && pid in what) sum += $2
		next
	}
	$10 == "not recorded" { missing += $5; next }
	$1 in what { rows[$1]++; used[$1] += $5; names[$1] = names[$1] "|" $10 }
	$8 > 0 { sampled[$1] = 1 }
	!first && $8 > 0 { first = $1 } # the root, which has used most
	$1 != first { sum += $5; if (!$8) without++ }
	END {
		for (pid in what) {
			w = what[pid]
			n[w]++
			if (w == "killed" || w == "static" || w == "absent") {
				if (rows[pid] && !sampled[pid])
					print w " has a row: " names[pid]
				continue
			}
			if (!rows[pid])
				print w " " pid " has no row"
			if (used[pid] > kernel[pid] + 2000)
				print w " " pid ": " used[pid] " ns in rows, the kernel has " kernel[pid]
			if (!sampled[pid] && used[pid] < least[pid])
				print w " " pid ": " used[pid] " ns in rows, it has used " least[pid]
			if (w == "script" && names[pid] !~ /sh script.sh/)
				print "the script is named " names[pid]
			if (w == "chain" && rows[pid] != 3)
				print "the chain has " rows[pid] " rows: " names[pid]
		}
		if (n["burn"] != 300) print n["burn"] " burners"
		if (without < 200) print "only " without " rows without samples"
		d = sum + missing - all
		if (d > 3e6 || d < -3e6)
			printf "rows have %.0f ns, %.0f are missing, all children used %.0f\n", sum, missing, all
	}' kernel info rows >wrong
[ ! -s wrong ] || fail "$(cat wrong)"
"$CPCONV" --summary 2>/dev/null | grep -A 2 '^ended without a sample: ' | grep -q 'short ([0-9]*)' ||
	fail "--summary: $("$CPCONV" --summary 2>/dev/null | head -n 12)"
"$CPCONV" 2>/dev/null | grep -q 'more was used by [0-9]* programs without a sample' || fail "the heading does not say it"
# A part of the run, and chosen processes, are not of programs without a sample.
pid=$(awk -F "$tab" 'NR == 1 { print $1 }' rows)
for option in "--from 0.1s" "--thread short" "--pid $pid"; do
	# shellcheck disable=SC2086 # two words
	"$CPCONV" --processes --tsv $option 2>/dev/null | awk -F "$tab" '$8 == 0' >out
	[ ! -s out ] || fail "$option: $(head -n 3 out)"
done
# A pack has the list, also if it is packed again, and tar takes it out.
# views TO FILE: write both views of the file, in all forms that they have.
views() {
	for form in "" --tsv --json; do
		# shellcheck disable=SC2086 # none or one
		"$CPCONV" --processes $form -o "$tmp/$1.processes$form" "$2" 2>"$tmp/err" || fail "$1: $(cat "$tmp/err")"
	done
	"$CPCONV" --summary -o "$tmp/$1.summary" "$2" 2>"$tmp/err" || fail "$1: $(cat "$tmp/err")"
}
as_before() {
	views after "$2"
	for view in processes processes--tsv processes--json summary; do
		same "$tmp/before.$view" "$tmp/after.$view" "$1, $view"
	done
}
mkdir ../one.cps && i=0
for file in *.cps; do # in a directory they have the same paths as in a pack
	cp "$file" "../one.cps/$i.$file" && i=$((i + 1))
done
cp .cpsample.*.short ../one.cps/
(cd .. && views before one.cps && mv one.cps run)
"$CPCONV" --pack -o ../one.cps . 2>err || fail "--pack: $(cat err)"
tar -tf ../one.cps | grep -qxF "$1" || fail "no list in the pack: $(tar -tf ../one.cps)"
(cd .. && as_before "a pack" one.cps && mv one.cps packed.cps)
"$CPCONV" --pack -o ../one.cps ../packed.cps 2>err || fail "--pack of a pack: $(cat err)"
(cd .. && as_before "a pack of a pack" one.cps && mv one.cps again.cps)
same ../packed.cps ../again.cps "a pack of a pack"
(cd .. && mkdir one.cps && tar -xf packed.cps -C one.cps && cd one.cps && rm cpsample-pack names code index end lists &&
	cd .. && as_before "what tar has taken out" one.cps && rm -r one.cps)
# One process of the run, named, and the only one of which a recording is left: a pack shows what the recording shows.
other=$(awk -F "$tab" -v first="$(head -n 1 rows | cut -f 1)" '$8 > 0 && $1 != first { print $1; exit }' rows)
if [ -n "$other" ]; then
	mkdir ../alone && cp cpsample.*."$other".cps .cpsample.*.short ../alone/ && cd ../alone || exit 1
	for file in "" cpsample.*; do
		# shellcheck disable=SC2086 # none or one
		"$CPCONV" --processes --tsv -o alone.tsv $file 2>/dev/null && "$CPCONV" --pack -o pack $file 2>err || fail "alone: $(cat err)"
		"$CPCONV" --processes --tsv -o packed.tsv pack 2>/dev/null
		same alone.tsv packed.tsv "one process of the run"
	done
fi
cd "$tmp/many" || exit 1

note "$(wc -l <rows) rows, $(wc -c <"$1") bytes of the list"

# ---- a run's first process without a sample -----------------------------------------------------------
# It began before the first recording. Seen to fail: it had begun after 584 years.
fresh first
# shellcheck disable=SC2016 # for the shell that is recorded
"$root/scripts/cpsample" -q --library "$LIBRARY" -r cpu:100ms sh -c '"$0" burn 1500; "$0" burn 400000; "$0" burn 1500; :' "$targets/short" || fail "first: $?"
"$CPCONV" --processes --tsv 2>/dev/null >rows || fail "no rows of a shell and its children"
[ "$(awk -F "$tab" '$8 > 0' rows | wc -l)" -eq 1 ] || fail "not one with samples: $(cat rows)"
awk -F "$tab" '$3 == "-" && $10 ~ /^sh / { n++ } END { exit n != 1 }' rows || fail "when the shell began: $(cat rows)"
awk -F "$tab" '$3 != "-" && $3 > 1e15 { exit 1 }' rows || fail "when programs began: $(cat rows)"

# ---- a process of which only the program in the middle has samples -------------------------------------
# It has used 405 ms and what its end takes. Seen to fail: with the recording overlooked, 800 ms.
fresh between
# shellcheck disable=SC2016 # for the shell that is recorded
"$root/scripts/cpsample" -q --library "$LIBRARY" -r cpu:100ms sh -c '"$0" burn 5000 "$0" burn 400000 "$0" burn 405000; :' \
	"$targets/short" || fail "between: $?"
"$CPCONV" --processes --tsv 2>/dev/null >rows || fail "no rows of a process that becomes others"
awk -F "$tab" '$10 ~ /^short / { ns += $5 } END { exit !(ns > 350e6 && ns < 600e6) }' rows || fail "between: $(cat rows)"

# ---- programs of one name -----------------------------------------------------------------------------
# Each file has a row, with as many folders as tell it, also if its path does not fit into the list. Seen to fail: with names
# alone; with folders cut anywhere.
fresh names
long=$PWD/$(printf 'a%.0s' $(seq 90))/$(printf 'b%.0s' $(seq 70))
mkdir -p one two "$long" && cp "$targets/short" one/ && cp "$targets/short" two/ && cp "$targets/short" "$long/" || exit 1
# shellcheck disable=SC2016 # for the shell that is recorded
cpsample sh -c 'for i in 1 2 3; do one/short burn 2000; two/short burn 1000; "$0/short" burn 1500; done; one/short burn 400000' \
	"$long" || fail "names: $?"
"$CPCONV" --processes --by exe --tsv 2>/dev/null >rows || fail "no rows by exe"
awk -F "$tab" -v long="$(basename "$long")/short" '
	$6 == "one/short" { one = $1 }
	$6 == "two/short" { two = $1 }
	$6 == long { far = $1 }
	$6 == "short" { plain++ }
	$6 == "not recorded" && $1 == "-" { missing++ }
	END { exit !(one == 4 && two == 3 && far == 3 && !plain && missing <= 1) }' rows || fail "by exe: $(cat rows)"
# The rows of groups are those of processes, added up.
for by in exe command rank; do
	"$CPCONV" --processes --tsv --by "$by" 2>/dev/null >groups || fail "no rows by $by"
	"$CPCONV" --processes --tsv 2>/dev/null >all
	awk -F "$tab" 'NR == FNR { n += $1 == "-" ? 0 : $1; ns += $2; w += $3; s += $5; next }
		$10 != "not recorded" { n -= 1 }
		{ ns -= $5; w -= $6; s -= $8 }
		END { exit !(n == 0 && ns == 0 && w == 0 && s == 0) }' groups all || fail "--by $by: $(cat groups all)"
done
"$CPCONV" --processes --by command 2>/dev/null | grep -q "one/short 2000" ||
	fail "--by command: $("$CPCONV" --processes --by command 2>/dev/null)"
"$CPCONV" --processes --by thread 2>err >out && fail "--by thread has rows of processes"
grep -q -- "--threads lists threads" err || fail "--by thread: $(cat err)"
"$CPCONV" --summary 2>/dev/null | tr '\n' ' ' | grep -q 'one/short (3)' || fail "--summary: $("$CPCONV" --summary 2>/dev/null)"

# ---- nothing is left where nobody needs it ---------------------------------------------------------
fresh nothing
cpsample "$targets/short" burn 500 || fail "burn ended with $?"
set -- .cpsample.* *
[ "$*" = '.cpsample.* *' ] || fail "left behind: $*"
record "$targets/short" burn 500 "$targets/short" burn 1500
set -- .cpsample.* *
[ "$*" = '.cpsample.* *' ] || fail "left behind without cpsample: $*"

# ---- places where nothing can be written -----------------------------------------------------------
# bad NAME COMMANDS: the shell's commands come first, in a run whose list is $list; then programs run as always.
bad() {
	fresh "$1"
	cpsample --dir "$PWD" sh -c "list=$PWD/.cpsample.\$CPSAMPLE_RUN.short; $2
		'$targets/short' burn 1500 '$targets/short' burn 4000 && '$targets/short' burn 500 && echo done" >out 2>err ||
		fail "$1: it ended with $?: $(cat err)"
	if [ "$(cat out)" != "done" ] || [ -s err ]; then
		fail "$1: $(cat out err)"
	fi
}
# shellcheck disable=SC2016 # for the shell of the run
{
	bad vanished "mv '$tmp/vanished' '$tmp/moved'"
	bad directory 'mkdir "$list"'
	bad pipe 'mkfifo "$list"'
	echo safe >"$tmp/victim"
	bad link "ln -s '$tmp/victim' \"\$list\""
	[ "$(cat "$tmp/victim")" = safe ] || fail "what the link leads to was written to"
	bad full 'truncate -s 16777200 "$list"'
	[ "$(cat .cpsample.*.short | wc -c)" -le 16777216 ] || fail "the list has $(cat .cpsample.*.short | wc -c) bytes"
	bad limit 'printf %01500d 0 >"$list"; ulimit -f 2'
	[ "$(cat .cpsample.*.short | wc -c)" -eq 1500 ] || fail "the list is larger than a file may be"
}
if [ "$(id -u)" -ne 0 ]; then
	# shellcheck disable=SC2016
	bad read_only 'chmod a-w .'
fi

# ---- the quota -----------------------------------------------------------------------------------------
# On an overlay nothing is removed.
if [ "$(stat -f -c %T .)" != overlayfs ]; then
	fresh quota
	for _ in 1 2 3 4 5 6 7 8 9 10; do cat ../many/.cpsample.*.short; done >.cpsample.1.2.short
	cp .cpsample.1.2.short notes.short
	{ echo && cat .cpsample.1.2.short; } >.cpsample.1.3.short
	touch -d 2001-01-01 .cpsample.1.[23].short notes.short
	record CPSAMPLE_DIR="$PWD" CPSAMPLE_DIR_BYTES=64k "$targets/spin" 100 >out || fail "spin ended with $?"
	[ ! -e .cpsample.1.2.short ] || fail "the old list is still there: $(ls -la)"
	[ -s notes.short ] && [ -s .cpsample.1.3.short ] || fail "what is no list was removed"
fi
