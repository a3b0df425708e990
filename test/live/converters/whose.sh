#!/bin/sh
# SPDX-License-Identifier: MIT
# Whose self is shown. What is counted by calls is that of the program's nearest function, in the text, in TSV and in the
# claims of --assert alike, and the heading says so; CPU time and --self leaf are that of the innermost function. Whoever has it,
# the selfs add up to the total of the heading.
#
# Seen to fail: with selfs of the nodes, `main` had none of what cpsample_count() counts, and cpsample_call_count of cpsample.h
# had all, which the compiler has not put into its caller at -O0; so it was without the check of the names of cpsample.h.
# The heading did not say whose self it is, and --bodies took no --self.
#
# Chance: none; what is counted by calls gives a sample at each interval.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need cc

cat >counts.c <<'END'
#include "cpsample.h"
int main(void)
{
	for (int i = 0; i < 5000; i++)
		cpsample_count("requests", 1);
	return 0;
}
END
cc -O0 -g -I "$root/libsampler" -o counts counts.c || fault "no compiler"
record CPSAMPLE_RESOURCES=cpu,alloc,read,write,lock CPSAMPLE_OUTPUT=all.cps "$targets/all_kinds"
record CPSAMPLE_RESOURCES=count CPSAMPLE_OUTPUT=counts.cps ./counts

# Arguments: FILE RESOURCE OPTION...
adds_up() {
	file=$1 resource=$2
	shift 2
	"$CPCONV" --bodies --resource "$resource" --json "$@" "$file" >json || fail "$resource $*: no view"
	python3 -c '
import json, sys
t = json.load(open("json"))
got = sum(row["self"] for row in t["rows"])
if got != t["total"] or not got:
    sys.exit("%d of %d" % (got, t["total"]))' || fail "$resource $*: selfs do not add up"
}

# Arguments: FILE RESOURCE FUNCTION
is_of() {
	for view in flat bodies summary; do
		"$CPCONV" --$view --resource "$2" "$1" >text || fail "$2: no $view"
		grep -q "^self is of the program's nearest function (--self leaf: of the innermost one)$" text || fail "$2: the heading of $view: $(cat text)"
		"$CPCONV" --$view --self leaf --resource "$2" "$1" >text || fail "$2: no $view"
		! grep -q '^self is of' text || fail "$2: the heading of $view --self leaf"
	done
	"$CPCONV" --bodies --tsv --resource "$2" "$1" | head -n 1 | cut -f 3 >first
	[ "$(cat first)" = "$3" ] || fail "$2: $(cat first) has most, not $3"
	"$CPCONV" --resource "$2" --assert "self($3)>=90%" "$1" >/dev/null || fail "$2: --assert knows nothing of it"
}

need python3
for resource in cpu alloc read write lock; do
	adds_up all.cps "$resource"
	adds_up all.cps "$resource" --self leaf
	adds_up all.cps "$resource" --self program
done
adds_up counts.cps requests
is_of all.cps alloc allocate
is_of all.cps read work_in_the_kernel
is_of all.cps write transfer
is_of all.cps lock hold
is_of counts.cps requests main
"$CPCONV" --bodies --self leaf --tsv --resource requests counts.cps | grep -q cpsample_call_count ||
	fault "the compiler has put it into main"
# The call that is counted is in no stack. Seen to fail: with `real` instead of `lock`, where it is.
for call in alloc:malloc alloc:calloc read:read write:write lock:pthread_mutex_lock; do
	"$CPCONV" --bodies --self leaf --threshold 0 --tsv --resource ${call%:*} all.cps | cut -f 3 | grep -qx "${call#*:}" &&
		fail "${call#*:} is in stacks of ${call%:*}"
done
"$CPCONV" --bodies --resource cpu all.cps >text
! grep -q '^self is of' text || fail "CPU time: the heading"
"$CPCONV" --tree --self leaf all.cps 2>err && fail "--tree takes --self"
grep -q -e '--tree takes no --self' err || fail "$(cat err)"
note "5 resources"
