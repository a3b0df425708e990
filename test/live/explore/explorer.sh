#!/bin/sh
# SPDX-License-Identifier: MIT
# cpprof reads commands from a pipe. Each command prints what cpconv prints with the same options.
# An error message has the number of its line, and the commands after it are run all the same.
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
export HOME="$tmp" XDG_STATE_HOME="$tmp/state"
cases=$root/test/data/cases
count=0

# equal FILE COMMANDS OPTION...: the commands (printf's escapes) against cpconv with the options
equal() {
	file=$1
	commands=$2
	shift 2
	# shellcheck disable=SC2059 # the escapes are meant
	printf "$commands" | "$CPPROF" "$file" >got 2>err || fail "$commands: $(cat err)"
	[ ! -s err ] || fail "$commands: $(cat err)"
	"$CPCONV" "$@" "$file" >want || fail "cpconv $*"
	case " $* " in
	*' --cycles --tsv '*) ;; # there may be none
	*) [ -s want ] || fail "cpconv $* prints nothing" ;;
	esac
	same want got "$commands"
	count=$((count + 1))
}

# views FILE ROOT: try all commands that show a view; ROOT must be a function of the profile
views() {
	equal "$1" 'functions' --functions
	equal "$1" 'functions 2' --functions --top 2
	equal "$1" 'bodies\n' --bodies
	equal "$1" 'flat' --flat
	equal "$1" 'flat 3 --sort total' --flat --top 3 --sort total
	equal "$1" 'down' --callpath
	equal "$1" "down $2" --callpath --root "$2"
	equal "$1" "up $2" --callpath --up --root "$2"
	equal "$1" 'tree' --tree
	equal "$1" "tree $2" --tree --root "$2"
	equal "$1" 'bottomup' --bottomup
	equal "$1" 'contexts' --contexts
	equal "$1" 'edges 4' --edges --top 4
	equal "$1" 'callgraph' --callgraph
	equal "$1" "callgraph $2" --callgraph --root "$2"
	equal "$1" 'cycles' --cycles
	equal "$1" 'graph' --graph
	equal "$1" 'dot' --dot
	equal "$1" 'folded' --folded
	equal "$1" 'info' --info
	equal "$1" 'summary' --summary
	for view in $(names_of_views); do
		# callpath is shown by down and up; the others are no tables, or need calls that were counted.
		case $view in callpath | average-time | dot | folded | html | parquet | pprof | summary | callgrind | firefox | speedscope | processes | threads | timeline) continue ;; esac
		equal "$1" "$view --tsv" "--$view" --tsv
		equal "$1" "$view --json" "--$view" --json
	done
}

# columns: several resources of one recording
columns() {
	file=$root/test/data/resources.cps
	"$CPCONV" --flat --resource cpu,alloc "$file" >want
	printf 'columns cpu alloc\nflat\n' | "$CPPROF" "$file" >got 2>err || fail "columns: $(cat err)"
	sed '1,/side by side$/d' got >table
	same want table 'columns cpu alloc'
	grep -q '^\* 5 cpu, alloc: side by side$' got || fail "columns: $(cat got)"
	printf 'columns cpu alloc\nresource real\nflat\n' | "$CPPROF" "$file" >got
	"$CPCONV" --flat --resource real "$file" >want
	sed '1,/^  5 /d' got >table
	same want table 'resource real'
	cp "$file" copy.cps
	for view in flat tree callgraph; do
		printf 'columns cpu alloc >no\nbase %s >no\n%s\n' copy.cps "$view" | "$CPPROF" "$file" >got 2>err || fail "columns, base: $(cat err)"
		"$CPCONV" "--$view" --resource cpu,alloc --base copy.cps "$file" >want
		same want got "columns, base: $view"
	done
	# Seen to fail: "a base is compared by one resource".
	printf 'columns cpu alloc\nbase %s\npprof file\n' copy.cps | "$CPPROF" "$file" >got 2>err && fail "pprof of a base and columns"
	grep -q 'pprof compares one resource; choose it' err || fail "$(cat err)"
	printf 'columns cpu alloc\ndot\nsource main\n' | "$CPPROF" "$file" >got 2>err && fail "dot of columns"
	[ "$(grep -c 'shows one resource; choose it: resources NAME' err)" -eq 2 ] || fail "$(cat err)"
	for command in columns 'columns cpu'; do
		echo "$command" | "$CPPROF" "$file" >got 2>err && fail "$command: no error"
		echo 'cpprof: line 1: columns: name two resources or more; there are: cpu, real, alloc, alloc-live' >want
		unwrapped err | cmp -s - want || fail "$command: $(cat err)"
	done
	# Seen to fail: "columns: name two resources or more".
	for command in 'columns foo' 'columns cpu,foo'; do
		echo "$command" | "$CPPROF" "$file" >got 2>err && fail "$command: no error"
		echo 'cpprof: line 1: no resource "foo"; there are: cpu, real, alloc, alloc-live' >want
		unwrapped err | cmp -s - want || fail "$command: $(cat err)"
	done
	printf 'columns cpu,alloc\nflat\n' | "$CPPROF" "$file" | sed '1,/side by side$/d' >table
	"$CPCONV" --flat --resource cpu,alloc "$file" >want
	same want table 'columns cpu,alloc'
	count=$((count + 3))
}

# unwrapped FILE: an error without the line ends in its list of names; no line has more than 80 columns
unwrapped() {
	awk 'length > 80 { print "too long: " $0 } { sub(/^  /, " "); printf "%s", $0 } END { print "" }' "$1"
}

# chosen COMMANDS OPTION...: what follows the list of resources against cpconv with the options
chosen() {
	commands=$1
	shift
	# shellcheck disable=SC2059 # the escapes are meant
	printf "$commands" | "$CPPROF" "$file" >got 2>err || fail "$commands: $(cat err)"
	"$CPCONV" --flat "$@" "$file" >want || fail "cpconv $*"
	sed -n '/^Flat Profile/,$p' got >table
	same want table "$commands"
	count=$((count + 1))
}

# parts: of a resource. Seen to fail: these commands were unknown.
parts() {
	file=$root/test/data/resources.cps
	chosen 'resource real\nstate io\nflat' --resource real --state io
	grep -q '^\* 2 real: .*; 1 input; only in state: io$' got || fail "state io: $(cat got)"
	chosen 'resource real\nstate io running\nflat' --resource real --state io,running
	chosen 'resource real\nstate io\nstate running\nflat' --resource real --state running
	chosen 'resource real\nstate io\nstate off\nflat' --resource real
	chosen 'resource real\nstate io\nresource alloc\nflat' --resource alloc
	chosen 'resource real\nstate io\nundo\nflat' --resource real
	chosen 'resource alloc-live\nat peak\nat 0.0002\nundo\nflat' --resource alloc-live --at peak
	chosen 'columns real cpu\nstate running\nflat' --resource real,cpu --state running
	chosen 'resource alloc-live\nat peak\nflat' --resource alloc-live --at peak
	chosen 'resource alloc-live\nat peak\nat 0.0002\nflat' --resource alloc-live --at 0.0002
	chosen 'resource alloc-live\nat peak\nat off\nflat' --resource alloc-live
	printf 'resource real\nstate\nstate io\nstate\nresource alloc-live\nat peak\nat\nresource alloc\nstate\n' |
		"$CPPROF" "$file" | grep '^[as]t' >got
	printf 'state        all, of running, io\nstate        io, of running, io\nat           peak\nstate        all; it has no states\n' >want
	same want got 'state and at'
	# What is refused leaves all as it was.
	printf 'resource real\nstate io\nstate ioo\nat peak\nresource alloc\nstate io\nresource real\nflat\nblame\n' |
		"$CPPROF" "$file" >got 2>err && fail "state ioo: no error"
	sed -n '/^Flat Profile/,$p' got >table
	"$CPCONV" --flat --resource real --state io "$file" >want
	same want table 'after errors'
	cat >want <<'END'
cpprof: line 3: no sample of real has the state "ioo"; there are: running, io
cpprof: line 4: --at: real has no moments to choose from; only alloc-live has
cpprof: line 6: --state: alloc has no states; io is a state of: real
cpprof: line 9: blame: nothing that was read counts lock-blame (cpsample -r lock)
END
	same want err 'refused parts'
}

# of_locks: the time that holders of locks cost the others
of_locks() {
	record CPSAMPLE_RESOURCES=lock CPSAMPLE_OUTPUT="$tmp/locks.cps" "$targets/locks" wait 300 >/dev/null || fail "locks: $?"
	file=$tmp/locks.cps
	chosen 'blame\nflat' --resource lock --blame
	chosen 'blame\nblame off\nflat' --resource lock
	chosen 'blame\nstate rwlock\nflat' --resource lock --blame --state rwlock
}

# settings FILE FUNCTION
settings() {
	equal "$1" 'threshold 20\nfunctions' --functions --threshold 20
	equal "$1" 'threshold 20 %%\nthreshold off\nfunctions' --functions
	equal "$1" 'depth 2\ntree' --tree --depth 2
	equal "$1" 'top 2\nflat' --flat --top 2
	equal "$1" 'top 2\nflat 3' --flat --top 3
	equal "$1" 'unit samples\nflat\n' --flat --unit samples
	equal "$1" 'unit samples\nunit gticks\ntree\n' --tree
	equal "$1" 'percent parent\ntree' --tree --percent parent
	equal "$1" "focus $2\\ntree" --tree --focus "$2"
	equal "$1" "focus main\\nfocus $2\\ntree" --tree --focus "$2"
	equal "$1" "focus $2\\nfocus -\\ntree" --tree
	equal "$1" "ignore $2\\nflat" --flat --ignore "$2"
	equal "$1" "hide $2\\nfunctions" --functions --hide "$2"
	equal "$1" "collapse $2,main\\nfunctions" --functions --collapse "$2,main"
	equal "$1" "tree --focus $2" --tree --focus "$2"
	equal "$1" "set node-thres 30\\nset totals exact\\ndot" --dot --node-thres 30 --totals exact
	equal "$1" "set sort total\\nset tsv on\\nflat" --flat --tsv --sort total
	equal "$1" 'set tsv on\nset tsv off\nflat' --flat
}

for case in process_db nested_cycles two_entries; do
	function=$(head -n 1 "$cases/$case/in.folded" | sed 's/ [0-9]*$//; s/.*;//')
	views "$cases/$case/in.folded" "$function"
	settings "$cases/$case/in.folded" "$function"
done

record CPSAMPLE_OUTPUT="$tmp/rec.cps" "$targets/shares" 1 1 >/dev/null || fail "shares ended with $?"
views rec.cps twenty
settings rec.cps twenty
columns
parts
of_locks
for granularity in module line address function; do
	equal rec.cps "granularity $granularity\\nflat" --flat --granularity $granularity
	equal rec.cps "functions 1 > /dev/null\\ngranularity $granularity\\ntree" \
		--tree --granularity $granularity
done
# Times of the run, and what is taken back. Seen to fail: "to" was the beginning of top.
begin='from 0.02 >no\nto 0.5 >no\n'
equal rec.cps "${begin}flat" --flat --from 0.02 --to 0.5
equal rec.cps "${begin}focus twenty\ntree" --tree --from 0.02 --to 0.5 --focus twenty
equal rec.cps "${begin}from off >no\nflat" --flat --to 0.5
equal rec.cps "${begin}undo >no\nflat" --flat --from 0.02
equal rec.cps "${begin}undo >no\nundo >no\nflat" --flat
equal rec.cps 'focus twenty\nfrom 0.02 >no\nundo >no\nflat' --flat --focus twenty
equal rec.cps 'focus main\nfocus twenty\nundo >no\ntree' --tree --focus main
equal rec.cps 'focus twenty\nundo >no\ntree' --tree
equal rec.cps 'hide twenty\nset sort total\nundo >no\nflat' --flat --hide twenty
equal rec.cps 'granularity line\nunit samples\nundo >no\nundo >no\nflat' --flat
printf 'from 0.02 >no\nfrom\nto\nfocus twenty\n focus  main \nundo\nundo\nundo\nundo\nfrom\n' | "$CPPROF" rec.cps >got 2>err && fail "undo of nothing"
cat >want <<'END'
from         0.02 s
to           default
undone:      focus  main
undone:      focus twenty
undone:      from 0.02 >no
from         default
END
same want got undo
[ "$(cat err)" = 'cpprof: line 9: there is nothing to undo: no setting has been changed' ] || fail "undo: $(cat err)"
# The options that choose what is read are the same as cpconv's.
echo 'tree' | "$CPPROF" --by thread --names linker rec.cps >got || fail "--by"
"$CPCONV" --tree --by thread rec.cps >want
same want got "--by thread"

# ---- callers and callees agree with the edges --------------------------------------------------
for case in process_db nested_cycles direct_recursion; do
	in=$cases/$case/in.folded
	"$CPCONV" --edges --tsv "$in" >edges
	cut -f 1 edges | sort -u >names
	while read -r function; do
		echo "callees --tsv $function" | "$CPPROF" "$in" | cut -f 1,5 | sort >got
		awk -F "$tab" -v f="$function" '$1 == f { print $4 "\t" $2 }' edges | sort >want
		same want got "callees of $function"
	done <names
	cut -f 2 edges | sort -u >names
	while read -r function; do
		echo "callers $function --tsv" | "$CPPROF" "$in" | cut -f 1,4 | sort >got
		awk -F "$tab" -v f="$function" '$2 == f { print $4 "\t" $1 }' edges | sort >want
		same want got "callers of $function"
	done <names
done
# Without recursion the shares of the callers and of the outermost stacks add up to the whole.
printf 'a;b;c 3\na;c 2\nc 5\na;b 7\n' >shares.folded
echo 'callers c' | "$CPPROF" shares.folded >got
for row in '30.00    17.65            3  b' '20.00    11.76            2  a' \
	'50.00    29.41            5  (none: it is outermost)'; do
	grep -q "^ *$row\$" got || fail "callers: no row \"$row\": $(cat got)"
done
echo 'callees b' | "$CPPROF" shares.folded >got
grep -q '^ *70.00 .*(none: it is running)$' got || fail "callees: $(cat got)"

# ---- words of other profilers, rows by number, and back ----------------------------------------
in=$cases/process_db/in.folded
equal "$in" 'top3' --flat --top 3
equal "$in" ' top2 --sort total' --flat --top 2 --sort total
# said COMMANDS: the answers of both; the heading of all is said once
said() {
	# shellcheck disable=SC2059 # the escapes are meant
	printf "$1" | "$CPPROF" "$in" >got 2>err || fail "$1: $(cat err)"
	# shellcheck disable=SC2059
	printf "$2" | "$CPPROF" "$in" >want 2>err || fail "$2: $(cat err)"
	same want got "$1"
}
# Seen to fail: a row of the table before; the answer that was the last one; callees of a caller.
said 'flat\ncallers 2\n' 'flat\ncallers build_db_ptrs\n'
said 'flat\ncallers 2\nfunctions 3\ncallees 1\n' 'flat\ncallers build_db_ptrs\nfunctions 3\ncallees main\n'
# Seen to fail: "the last table has 1".
said 'flat\ncallers 2\ncallers 2\ncallees 5\n' 'flat\ncallers build_db_ptrs\ncallers build_db_ptrs\ncallees name_field_lt\n'
said 'flat\nflat 1\ncallers 2\nflat 2\ncallers 2\n' 'flat\nflat 1\ncallers build_db_ptrs\nflat 2\ncallers build_db_ptrs\n'
said 'flat 1\ncallers 1\n' 'flat 1\ncallers qsort\n'
said 'flat\npeek 1\n' 'flat\ncallers qsort\ncallees qsort\n'
said 'flat 2\ntree\nback\ntree\nback\n' 'flat 2\ntree\nflat 2\ntree\nflat 2\n'
printf 'flat\ncallers 10\ncallers 0\n' | "$CPPROF" "$in" >out 2>err && fail "row 10"
[ "$(grep -c 'there is no row 1\?0: the last table of several has 9$' err)" -eq 2 ] || fail "row 10: $(cat err)"
echo back | "$CPPROF" "$in" 2>err && fail "back at the beginning"
grep -q 'there is no answer before this one' err || fail "back: $(cat err)"
if command -v dot >/dev/null; then
	# Seen to fail: the picture of before was written over.
	echo 'web' | "$CPPROF" "$in" 2>err || fail "web: $(cat err)"
	grep -q '<svg' cpprof.svg || fail "web draws nothing"
	echo mine >cpprof.svg
	ln -s nowhere cpprof-2.svg
	echo 'web' | "$CPPROF" "$in" 2>err || fail "web: $(cat err)"
	grep -q 'the call graph is in cpprof-3.svg' err || fail "web does not say where: $(cat err)"
	grep -q '<svg' cpprof-3.svg || fail "web draws nothing"
	[ "$(cat cpprof.svg)" = mine ] || fail "web has written over a file"
fi
# Seen to fail: "no function 3"; "flat takes one argument at most".
echo 'callers 3' | "$CPPROF" "$in" >out 2>err && fail "row 3 of no table"
grep -q 'there is no row 3: no table of functions has been shown yet' err || fail "no table: $(cat err)"
printf 'main;7 1\n' >seven.folded
echo 'callers 7' | "$CPPROF" seven.folded >out 2>err || fail "a function that is called 7: $(cat err)"
echo 'top2 qsort' | "$CPPROF" "$in" >out 2>err && fail "top2 with an argument"
grep -q 'top2 takes no argument; focus NAME' err || fail "top2: $(cat err)"
equal "$in" 'top2 --tsv' --flat --top 2 --tsv
equal "$in" 'top2' --flat --top 2

# ---- a base -----------------------------------------------------------------------------------
# Views that can compare do so until it is taken back; the others show what they did. Seen to fail:
# cycles, which could not be compared then, of the runs beside each other; a base that stays after off.
sed 's/ \([0-9]*\)$/ 1\1/' "$in" >base.folded
for view in flat functions tree edges cycles dot callgraph; do
	equal "$in" "base base.folded >no\\n$view" --$view --base base.folded
done
equal "$in" 'base base.folded >no\nset normalize on\nflat --json' --flat --json --base base.folded --normalize
equal "$in" 'base base.folded >no\nflat >no\nbase off >no\nflat' --flat
printf 'base base.folded\nbase\nbase nowhere\nbase\ncolumns a b\n' | "$CPPROF" "$in" >got 2>err && fail "no base is no error"
grep -q '^cpprof: line 3: nowhere: No such file or directory' err || fail "base: $(cat err)"
printf 'base         base.folded: 1 run before, 1 after\n%.0s' 1 2 >want
echo 'base         none' >>want
same want got base

# ---- names ------------------------------------------------------------------------------------
cat >names.folded <<'END'
main;operator new(unsigned long) 4
main;std::map<int, char>::at(int const&);qsort 3
main;quick 2
main;say "hi" 1
main;> 1
main;tab	here 1
END
named() {
	printf '%s\n' "$1" | "$CPPROF" names.folded >got 2>err || fail "$1: $(cat err)"
	"$CPCONV" --callpath --up --root "$2" names.folded >want
	same want got "$1"
}
named 'up operator new(unsigned long)' 'operator new(unsigned long)'
named 'up "operator new(unsigned long)"' 'operator new(unsigned long)'
named "  up 'operator new(unsigned long)' --threshold 1" 'operator new(unsigned long)'
named 'up new' 'operator new(unsigned long)'
named 'up std::map<int, char>::at(int const&)' 'std::map<int, char>::at(int const&)'
named 'up "say \"hi\""' 'say "hi"'
named 'up ">"' '>'
named 'up qso' 'qsort'
named 'up q*' 'q*'
named 'up ^q' '^q'

# A pattern means the same functions in all views and commands.
cat >perl.folded <<'END'
main;Perl_run;Perl_add;copy 4
main;S_run;Perl_sub 2
main;S_run;copy 1
END
printf '%s\n' Perl_add Perl_run Perl_sub >chosen
meant() { # VIEW: standard input has the functions that were chosen
	sort -u >got
	same chosen got "$1"
}
for name in 'Perl_*' '^Perl_'; do
	"$CPCONV" --callpath --root "$name" --tsv --threshold 0 perl.folded | cut -f 3 | cut -d ';' -f 1 | meant callpath
	"$CPCONV" --callpath --up --root "$name" --tsv --threshold 0 perl.folded | sed 's/.*[;\t]//' | meant 'callpath --up'
	echo "down --tsv --threshold 0 $name" | "$CPPROF" perl.folded | cut -f 3 | cut -d ';' -f 1 | meant down
	echo "callers --tsv $name" | "$CPPROF" perl.folded | cut -f 5 | meant callers
	"$CPCONV" --callgraph --root "$name" --tsv perl.folded | awk '$1 == "func" { print $2 }' | meant callgraph
	"$CPCONV" --folded --hide "$name" perl.folded | tr -s '; ' '\n' | grep -E 'Perl|[a-z]' | sort -u >got
	printf '%s\n' S_run copy main | cmp -s - got || fail "--hide $name: $(cat got)"
	# What they call, copy, belongs to the graph and the tree, too.
	"$CPCONV" --graph --root "$name" --tsv perl.folded | awk '$1 == "func" { print $5 }' | grep -v copy | meant graph
	"$CPCONV" --tree --root "$name" --tsv --threshold 0 perl.folded | cut -f 4 | grep -v copy | meant tree
	"$CPCONV" --dot --root "$name" perl.folded | sed -n 's/^[ \t]*"[^"]*" \[label="\([^"]*\)".*/\1/p' |
		sed 's/\\n/\n/g' | grep '[A-Za-z]' | grep -v copy | meant dot # a chain of functions is one node
done


# wrong LINES TEXT: the text is all that standard error has, and the exit status is 1
wrong() {
	# shellcheck disable=SC2059 # the escapes are meant
	printf "$1" | "$CPPROF" names.folded >out 2>err
	status=$?
	[ $status -eq 1 ] || fail "$1: exit status $status"
	printf '%s\n' "$2" >want
	same want err "$1: standard error"
}
wrong 'up u' 'cpprof: line 1: "u" is in the names of 2 functions: operator new, quick'
wrong '\n\nup mian' 'cpprof: line 3: no function "mian" in the profile; similar: main'
wrong 'up' 'cpprof: line 1: up: of what? up FUNCTION'
wrong 'funktions' 'cpprof: line 1: no command "funktions"; did you mean functions?'
wrong 'xyzzy' 'cpprof: line 1: no command "xyzzy"; help lists them'
wrong 'e' 'cpprof: line 1: "e" is the beginning of edges, exit'
wrong 'up "main' 'cpprof: line 1: the closing " is missing'
wrong 'flat >' 'cpprof: line 1: no file is named after >'
wrong '> x' 'cpprof: line 1: there is no command before >'
wrong 'flat > a > b' 'cpprof: line 1: there are two outputs'
wrong 'html a > b' 'cpprof: line 1: there are two outputs'
wrong 'flat x' 'cpprof: line 1: --top: "x" is not a number from 1 up'
wrong 'tree --tvs' 'cpprof: line 1: unknown option --tvs; did you mean --tsv?'
wrong 'flat --pid 1' 'cpprof: line 1: --pid: cannot be given to a command'
wrong 'threshold 101' 'cpprof: line 1: --threshold: "101" is not a percentage from 0 to 100'
wrong 'set treshold 1' 'cpprof: line 1: no setting "treshold"; did you mean threshold?'
wrong 'set from 1' 'cpprof: line 1: no setting "from"; it is a command: from'
wrong 'sort total' 'cpprof: line 1: no command "sort"; it is a setting: set sort BY'
wrong 'pid 3' 'cpprof: line 1: no command "pid"; it is chosen at the start: cpprof --pid N,...'
wrong 'from 0.1' 'cpprof: line 1: names.folded: has no times: --from and --to need recordings'
wrong 'to 0' 'cpprof: line 1: --to: nothing is before the run begins'
wrong 'from x' 'cpprof: line 1: --from: "x" is not a number of seconds'
wrong 'undo' 'cpprof: line 1: there is nothing to undo: no setting has been changed'
wrong 'set xyzzy' 'cpprof: line 1: no setting "xyzzy"; set lists them'
wrong 'resources gpu' 'cpprof: line 1: no resource "gpu"; there are: samples'
wrong 'folded --tsv' 'cpprof: line 1: the view folded is no table: it has no --tsv'
wrong 'flat > /nowhere/x' 'cpprof: line 1: /nowhere/x: No such file or directory: its directory does not exist'
wrong 'flat\0x' 'cpprof: line 1: there is a NUL byte in the line'
wrong 'granularity module' \
	'cpprof: line 1: folded stacks do not say which module a function is of: --granularity module needs recordings'
[ ! -e a ] && [ ! -e b ] || fail "a command that is wrong has written a file"

wrong 'flat --up' 'cpprof: line 1: flat takes no --up; it is for callpath'
printf 'focus qsort\nsummary\ninfo' | "$CPPROF" names.folded >out 2>err || fail "info with a focus ended with $?"
[ "$(cat err)" = 'cpprof: line 3: warning: --focus is set, and has no effect on info' ] || fail "info: $(cat err)"

# After an error the next line is run. A setting that was refused stays as it was. quit ends the
# program.
printf 'focus qsort\nfocus nothing\nfocus\nbad\ntop 1\r\nquit\nflat\n' | "$CPPROF" names.folded >out 2>err &&
	fail "exit status 0"
[ "$(cat out)" = 'focus        qsort' ] || fail "after errors: $(cat out)"
[ "$(grep -c '^cpprof: line [24]: ' err)" -eq 2 ] || fail "errors: $(cat err)"
printf '# nothing but a comment\n   \n\t\n' | "$CPPROF" names.folded >out 2>err || fail "a comment: $(cat err)"
[ ! -s out ] && [ ! -s err ] || fail "a comment prints $(cat out err)"

# ---- output -----------------------------------------------------------------------------------
printf 'flat > here is\ndot graph.dot\ncallers qsort --tsv >"a b"\ntop\n' | "$CPPROF" names.folded >out 2>err &&
	fail "two words after >"
printf 'flat > here\ndot graph.dot\ncallers qsort --tsv >"a b"\nhelp > helped\n' |
	"$CPPROF" names.folded >out 2>err || fail "output: $(cat err)"
[ ! -s out ] || fail "to standard output: $(cat out)"
"$CPCONV" --flat names.folded >want
same want here "flat > here"
"$CPCONV" --dot names.folded >want
same want graph.dot "dot graph.dot"
printf '3\t1\t0.25\tstd::map<int, char>::at(int const&)\tqsort\n' >want
same want 'a b' "a quoted file"
grep -q '^  callers FUNCTION' helped || fail "help: $(cat helped)"
[ "$(awk 'length > 80' helped)" = "" ] || fail "help is wider than 80 columns"
if [ -c /dev/full ]; then
	echo 'flat > /dev/full' | "$CPPROF" names.folded 2>err && fail "a full disk is no error"
	echo flat | "$CPPROF" names.folded >/dev/full 2>err && fail "full standard output is no error"
fi
yes flat | head -n 2000 | "$CPPROF" names.folded 2>err | head -n 1 >/dev/null
[ ! -s err ] || fail "a reader that goes away: $(head -n 1 err)"

# ---- source lines -----------------------------------------------------------------------------
# The self times of a function's lines add up to that of the function. A stack counts once for a
# line.
"$CPCONV" --flat --tsv rec.cps >flat
for function in main slice seventy twenty ten; do
	echo "source $function --tsv" | "$CPPROF" rec.cps >lines 2>err || fail "source $function: $(cat err)"
	awk -F "$tab" -v f="$function" 'FNR == NR { self += $1; if ($2 > most) most = $2; next }
		$5 == f { found = 1; bad = $1 != self || $2 < most }
		END { exit !found || bad }' lines flat || fail "source $function: $(cat lines)"
	cut -f 5 lines | grep -v -F "$root/test/targets/shares.c" >odd &&
		fail "source $function: $(cat odd)"
	echo "source $function" | "$CPPROF" rec.cps >got
	sed -n 's/^source: //p' got >path
	awk 'FNR == NR { text[FNR] = $0; next }
		/^-----/ { inside = !inside; next }
		inside && !/\.\.\.$/ {
			number = substr($0, 28, 7) + 0
			want = text[number]
			gsub(/\t/, "", want)
			got = substr($0, 37)
			gsub(/ /, "", want)
			gsub(/ /, "", got)
			if (got != want) { print number ": " $0; bad = 1 }
			n++
		}
		END { exit bad || n < 5 }' "$(cat path)" got >why || fail "source $function: $(cat why got)"
done
echo 'source main --tsv' | "$CPPROF" rec.cps >lines
awk -F "$tab" -v all="$(info rec.cps credited)" '$2 > most { most = $2; self = $1 }
	END { exit !(most > all * 0.9 && self < most) }' lines || fail "main calls nothing: $(cat lines)"
# Filters work for lines, too.
echo 'source main --focus twenty --tsv' | "$CPPROF" rec.cps | sort -rn -k 2 | head -n 1 | cut -f 2 >got
"$CPCONV" --callpath --root main --focus twenty --tsv rec.cps | head -n 1 | cut -f 1 >want
same want got "source with a focus"
# If the source was moved, it is looked for elsewhere.
mkdir -p tree/targets && cp "$root/test/targets/shares.c" tree/targets
$CC -g -O1 -iquote "$root/test/targets" -o moved tree/targets/shares.c 2>err || fail "$CC: $(cat err)"
record CPSAMPLE_OUTPUT="$tmp/moved.cps" ./moved 1 1 >/dev/null || fail "moved ended with $?"
mv tree/targets tree/elsewhere
echo 'source main' | "$CPPROF" moved.cps >got 2>err || fail "moved: $(cat err)"
grep -q -- '--source-path' got || fail "moved: $(cat got)"
mv tree/elsewhere tree/targets && mv tree deeper
echo 'source main' | "$CPPROF" --source-path deeper moved.cps >got 2>err || fail "moved: $(cat err)"
grep -q '^source: deeper/targets/shares.c$' got || fail "--source-path: $(cat got)"
printf 'set source-path deeper/targets\nsource main' | "$CPPROF" moved.cps >got 2>err || fail "moved: $(cat err)"
grep -q '^source: deeper/targets/shares.c$' got || fail "set source-path: $(cat got)"
mkfifo deeper/fifo && rm deeper/targets/shares.c && mkfifo deeper/targets/shares.c
echo 'source main' | "$CPPROF" --source-path deeper moved.cps >got 2>err || fail "a fifo: $(cat err)"
wrong 'source qsort' \
	'cpprof: line 1: no source lines of "qsort" are known: its program or library has no debug information, or it is not found'

# ---- resources --------------------------------------------------------------------------------
printf 'resources\nresources cpu\nfunctions 1\nresources 1\nfunctions 1\n' |
	"$CPPROF" names.folded rec.cps >out 2>err || fail "two resources: $(cat err)"
grep -q '^\* 1 samples: 12 samples; 1 input$' out || fail "resources: $(cat out)"
grep -Eq '^  2 cpu: .* m?s in [0-9]+ samples, one per [0-9.]+ [mu]s( \(asked for: [0-9.]+ ms\))?; 1 input$' out || fail "resources: $(cat out)"
grep -Eq '^\* 2 cpu: ' out || fail "resources cpu: $(cat out)"
[ "$(grep -c 'for resource: CPU Time' out)" -eq 1 ] || fail "of cpu: $(cat out)"
[ "$(grep -c 'for resource: Samples' out)" -eq 1 ] || fail "of samples: $(cat out)"
# Inputs of one resource are one profile.
echo flat | "$CPPROF" names.folded shares.folded >got 2>err || fail "merged: $(cat err)"
"$CPCONV" --flat names.folded shares.folded >want
same want got "merged inputs"

# ---- the command line -------------------------------------------------------------------------
mkdir newest && cp rec.cps newest/cpsample.shares.1.cps
(cd newest && echo 'flat 1' | "$CPPROF" >../got 2>../err) || fail "the newest: $(cat err)"
grep -q '^cpprof: reading cpsample.shares.1.cps$' err || fail "the newest: $(cat err)"
echo 'flat' | "$CPPROF" --unit samples --focus qsort names.folded >got || fail "settings as options"
"$CPCONV" --flat --unit samples --focus qsort names.folded >want
same want got "settings as options"
"$CPPROF" --help >out && grep -q '^Usage: cpprof' out || fail "--help: $(cat out)"
[ "$(awk 'length > 80' out)" = "" ] || fail "--help is wider than 80 columns"
"$CPPROF" --version | grep -Eq '^cpprof [0-9.]+$' || fail "--version"
for options in --flat "--format flat" "-o x" --nonsense; do
	# shellcheck disable=SC2086 # several words
	"$CPPROF" $options names.folded </dev/null >out 2>err
	[ $? -eq 2 ] || fail "$options: exit status is not 2"
	grep -q '(see cpprof --help=all)$' err || fail "$options: $(cat err)"
done
# Seen to fail: what a focus leaves out was said not to be in the profile.
printf 'focus qsort\ngraph nowhere\ntree strcmp_of_nobody\n' | "$CPPROF" names.folded >out 2>err
grep -q 'line 3: no function "strcmp_of_nobody" in the profile as filters leave it' err || fail "a focus: $(cat err)"
echo flat | "$CPPROF" nowhere.cps >out 2>err
[ $? -eq 1 ] && grep -q '^cpprof: nowhere.cps: No such file' err || fail "no such file: $(cat err)"
[ ! -e state ] && [ ! -e .cpprof_history ] || fail "a pipe leaves a history"

# ---- anything at all --------------------------------------------------------------------------
mkdir any && cd any || exit 1
for seed in 1 2 3 4 5 6 7 8; do
	head -c 20000 /dev/urandom | tr -d '/' >random
	awk -v seed="$(date +%s)$seed" 'BEGIN {
		srand(seed)
		n = split("functions flat down up callers callees tree bottomup contexts edges graph set focus " \
			"hide threshold top unit off 1 0 -1 \" \\ \x27 > # -- --tsv --json main qsort [ ( , ; \t " \
			"granularity line address samples help resources info \377 \303", word, " ")
		for (i = 0; i < 300; i++) {
			for (k = int(rand() * 6); k >= 0; k--) printf "%s ", word[1 + int(rand() * n)]
			print ""
		}
	}' >words
	for script in random words; do
		"$CPPROF" ../names.folded <"$script" >out 2>err
		status=$?
		[ $status -le 1 ] || fail "$script: exit status $status: $(tail -n 5 err); saved: $(cp "$script" /tmp/cpprof.script && echo /tmp/cpprof.script)"
	done
done
note "$count outputs like cpconv's"
