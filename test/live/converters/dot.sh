#!/bin/sh
# SPDX-License-Identifier: MIT
# Graphviz takes every picture of a call graph without complaint, and the picture shows what
# --graph lists.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

command -v dot >/dev/null || {
	note "no dot on this machine"
	exit 0
}

# picture FOLDED OPTION...
picture() {
	file=$1
	shift
	"$CPCONV" --dot "$@" "$file" >picture.dot 2>err || fail "--dot $*: $(cat err)"
	dot -Tsvg picture.dot >picture.svg 2>err || fail "--dot $*: $(cat err)"
	[ ! -s err ] || fail "--dot $*: dot complains: $(head -n 3 err)"
}

# The picture has as many functions and calls as --graph with the same options.
same_as_graph() {
	file=$1
	shift
	"$CPCONV" --graph --tsv "$@" "$file" >rows 2>err || fail "--graph $*: $(cat err)"
	for kind in func:node edge:edge; do
		listed=$(grep -c "^${kind%:*}$tab" rows)
		drawn=$(grep -c "class=\"${kind#*:}\"" picture.svg)
		[ "$listed" = "$drawn" ] || fail "$*: $listed ${kind%:*} rows, $drawn in the picture"
	done
}

for case in "$root"/test/data/cases/*/; do
	for options in "" "--totals exact" "--node-thres 20 --edge-thres 20" "-n 0 -e 0" "--depth 2" "--top 3"; do
		# shellcheck disable=SC2086 # words
		picture "$case/in.folded" $options
		# shellcheck disable=SC2086
		same_as_graph "$case/in.folded" $options
	done
done

forms=$root/test/data/cases/forms/in.folded
for map in temperature color pink gray bw print; do
	for skew in 0.01 1 50; do
		picture "$forms" --colormap $map --skew $skew --color-nodes-by-selftime --show-samples
	done
done
picture "$forms" --root 'form_*' --leaf db_get_property
same_as_graph "$forms" --root 'form_*' --leaf db_get_property
grep -q '>form_US_1040<' picture.svg || fail "form_US_1040 is not in the picture"
grep -q '>invoice<' picture.svg && fail "invoice is no form"

# Some names have a meaning for Graphviz, for SVG or for a shell.
long=$(awk 'BEGIN { for (i = 0; i < 1000; i++) printf "long_name_" }')
printf '%s\n' 'digraph;"quoted";\N\G\\;<b>bold</b>;{a|b};a -> b;node;%s%n 3' \
	"main;std::vector<int, std::allocator<int> >::push_back(int&&);$long 4" \
	'main; ; leading;trailing ;[label=x];#comment;/*;// 2' >odd
printf 'main;\303\244\342\202\254;\377\376;\001\033[1m 5\n' >>odd
for options in "" "--strip --wrap" "--colormap print --wrap"; do
	# shellcheck disable=SC2086
	picture odd -n 0 -e 0 $options
	same_as_graph odd -n 0 -e 0
done
