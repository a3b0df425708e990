#!/bin/sh
# SPDX-License-Identifier: MIT
# All views can be made of the largest input that is promised (test/big/stacks.c): 20,000 stacks of
# up to 5,000 frames, counts beyond 2^60, names of up to 10,000 bytes. Sums are exact to the last
# digit, nothing exceeds 100 %, and 500 MB of memory are enough. `make big` prints how long each
# view takes.
# May run beside others.
# Not in short runs: it takes 35 s.
. "$(dirname "$0")/../lib.sh"
stacks=$BUILD/big/stacks
views=$(names_of_views | grep -vx 'info\|timeline\|average-time') # folded stacks have neither times nor calls
[ "$(echo "$views" | wc -l)" -ge 10 ] || fail "views: $views"
most=0

# convert OPTION... FILE: write the view to `out` with no more memory than is promised
convert() {
	if [ -x /usr/bin/time ]; then
		/usr/bin/time -o kb -f %M "$CPCONV" "$@" >out 2>err || fail "$*: $(cat err)"
		[ "$(cat kb)" -le 512000 ] || fail "$*: $(cat kb) KiB of memory"
		[ "$(cat kb)" -le "$most" ] || most=$(cat kb)
	else
		"$CPCONV" "$@" >out 2>err || fail "$*: $(cat err)"
	fi
	[ ! -s err ] || fail "$*: $(cat err)"
	[ -s out ] || fail "$*: nothing"
}

# awk's numbers are doubles. Sums are exact all the same if digits above and below 10^9 are added
# separately.
sums='
	function add(key, n) {
		high[key] += length(n) > 9 ? substr(n, 1, length(n) - 9) : 0
		low[key] += length(n) > 9 ? substr(n, length(n) - 8) : n
	}
	function sum(key, carry) {
		carry = int(low[key] / 1e9)
		return sprintf("%.0f%09.0f", high[key] + carry, low[key] - carry * 1e9)
	}
	function text(n) {
		while (length(n) < 10) n = "0" n
		return n
	}'

# sum_of COLUMN [FIRST]: the sum of that column in all rows of `out`, or in those whose first column
# is FIRST
sum_of() {
	LC_ALL=C awk -F "$tab" -v column="$1" -v first="${2-}" "$sums"'
		first == "" || $1 == first { add("", $column) }
		END { print sum("") }' out
}

"$stacks" wide >wide.txt || fail "no stacks"
total=$(LC_ALL=C awk "$sums"'{ add("", $NF) } END { print sum("") }' wide.txt)
[ ${#total} -ge 19 ] || fail "the counts add up to $total only"

for view in $views; do
	convert "--$view" wide.txt
	case $view in
	folded | dot | speedscope | firefox | callgrind) ;;
	graph) convert --graph --tsv wide.txt ;;
	html | parquet | pprof) convert "--$view" wide.txt ;;
	processes | threads) convert "--$view" --tsv wide.txt ;;
	summary)
		convert --summary wide.txt
		[ "$(wc -l <out)" -le 60 ] || fail "--summary is more than a page"
		;;
	*) convert "--$view" --threshold 0 --tsv wide.txt ;;
	esac
	case $view in
	folded)
		LC_ALL=C sort wide.txt >wanted
		LC_ALL=C sort out >sorted
		same wanted sorted "folded"
		;;
	flat) mv out flat ;;
	functions) mv out functions ;;
	callpath)
		[ "$(head -n 1 out)" = "$total${tab}1${tab}main" ] || fail "callpath: $(head -n 1 out)"
		;;
	bodies) [ "$(sum_of 1)" = "$total" ] || fail "bodies add up to $(sum_of 1) of $total" ;;
	tree) [ "$(sum_of 3)" = "$total" ] || fail "tree adds up to $(sum_of 3) of $total" ;;
	bottomup) [ "$(sum_of 2 0)" = "$total" ] || fail "bottomup adds up to $(sum_of 2 0) of $total" ;;
	contexts) [ "$(sum_of 2 context)" = "$total" ] || fail "contexts add up to $(sum_of 2 context)" ;;
	esac
done

# Self and total of each function, each stack counted once.
LC_ALL=C awk "$sums"'
	{
		count = $NF
		n = split(substr($0, 1, length($0) - length(count) - 1), frame, ";")
		add("self " frame[n], count)
		for (i = 1; i <= n; i++)
			if (seen[frame[i]] != NR) {
				seen[frame[i]] = NR
				add("total " frame[i], count)
			}
	}
	END {
		for (name in seen)
			print sum("self " name) "\t" sum("total " name) "\t" name
	}' wide.txt | LC_ALL=C sort >wanted
LC_ALL=C awk -F "$tab" "$sums"'
	{ print text($1) "\t" text($2) "\t" $5 }
	$3 > 1 || $4 > 1 { print "above 100 %" }' flat | LC_ALL=C sort >got
same wanted got "flat"
cut -f 1,3 functions | LC_ALL=C sort >got
cut -f 2,5 flat | LC_ALL=C sort >wanted
same wanted got "functions"
LC_ALL=C awk '{ if (length($0) > n) n = length($0) } END { exit n < 10000 }' functions ||
	fail "the name of 10,000 bytes is not there"

# Deep recursion.
"$stacks" deep >deep.txt || fail "no stacks"
for view in $views; do
	convert "--$view" deep.txt
done
convert --callpath --up --root e7 --threshold 0 --tsv deep.txt
convert --functions --tsv deep.txt
[ "$(awk -F "$tab" '$3 == "main" { print $2 }' out)" = 1 ] || fail "functions: $(head -n 3 out)"
LC_ALL=C awk -F "$tab" '$2 > 1 { print; exit 1 }' out || fail "above 100 %"
note "$((most / 1024)) MB at most"
