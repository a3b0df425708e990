#!/bin/sh
# SPDX-License-Identifier: MIT
# --help has what people do first: it fits a screen of 24 lines and 80 columns, and what it shows works. --help=all has all
# options.
#
# Seen to fail: --help with all options; an example with an option that there is not; a command of cpprof that there is not.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
cpsample=$root/scripts/cpsample

record CPSAMPLE_RESOURCES=cpu:1ms,real CPSAMPLE_OUTPUT=new.cps "$targets/spin" 100 >out || fail "spin ended with $?"

for program in "$CPCONV" "$CPPROF" "$cpsample"; do
	"$program" --help >help || fail "$program --help: $?"
	"$program" -h | same help /dev/stdin "$program -h"
	[ "$(wc -l <help)" -le 24 ] || fail "$program --help has $(wc -l <help) lines"
	awk 'length > 80 { exit 1 }' help || fail "$program --help is wider than 80 columns"
	"$program" --help=all >all || fail "$program --help=all: $?"
	[ "$(wc -l <all)" -gt 40 ] || fail "$program --help=all: $(cat all)"
	awk 'length > 80 { exit 1 }' all || fail "$program --help=all is wider than 80 columns"
	"$program" --help=some >out 2>err
	status=$?
	[ $status -eq 2 ] || [ $status -eq 125 ] || fail "$program --help=some: exit $status"
	grep -q -- '--help' err || fail "$program --help=some: $(cat err)"
	# Each long option is one of --help=all.
	grep -o -- '--[a-z][a-z-]*' help | sort -u | while read -r option; do
		grep -q -e "^ .*$option\\b" -e "^  $option " all || echo "$option"
	done | grep -vx -e --help >unknown
	# cpsample's help names cpconv's --base.
	[ ! -s unknown ] || [ "$(cat unknown)" = --base ] || fail "$program --help has $(cat unknown)"
done

# Each example of cpconv's runs.
"$CPCONV" --help | sed -n "s/^  cpconv\\(.*\\)/\\1 /p" | sed 's/  .*//; s/ |.*//; s/FUNC/main/' >examples
[ "$(wc -l <examples)" -ge 10 ] || fail "there are $(wc -l <examples) examples"
while read -r example; do
	case $example in
	*graph.svg*) command -v dot >/dev/null || continue ;;
	*OLD*)
		cp new.cps old.copy
		example="--base old.copy new.cps"
		;;
	esac
	eval "set -- $example" # the star is in quotes
	"$CPCONV" "$@" >out 2>err || fail "cpconv $example: $(cat err)"
	[ -s out ] || [ -s graph.svg ] || fail "cpconv $example: nothing"
done <examples

# So does each command of cpprof's.
"$CPPROF" --help | sed -n 's/^  \([a-z]* *[FUNC]*\)  .*/\1/p' | sed 's/FUNC/main/' >examples
[ "$(wc -l <examples)" -ge 10 ] || fail "cpprof --help has $(wc -l <examples) commands"
"$CPPROF" new.cps <examples >out 2>err || fail "cpprof: $(cat err)"
